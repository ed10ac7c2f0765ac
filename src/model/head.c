/* SPDX-License-Identifier: Apache-2.0 */
#include "model/head.h"

#include <errno.h>
#include <math.h>
#include <string.h>

const struct weir_head *const weir_heads[] = {
    &weir_head_yolox,     &weir_head_yolov5,       &weir_head_yolov8,     &weir_head_yolov8_pose, &weir_head_yolov8_obb,
    &weir_head_yolov10,   &weir_head_yolo_nas,     &weir_head_ssd,        &weir_head_tf,          &weir_head_openvino,
    &weir_head_mmdet,     &weir_head_nanodet,      &weir_head_nanodet_plus, &weir_head_picodet,   &weir_head_fastestdet,
    &weir_head_deim,      &weir_head_detr,         &weir_head_yunet,      &weir_head_classify,    &weir_head_embed,
    NULL,
};

const struct weir_head *weir_head_find(const char *name)
{
    for (size_t i = 0; weir_heads[i] != NULL; i++)
        if (strcmp(weir_heads[i]->name, name) == 0)
            return weir_heads[i];
    return NULL;
}

bool weir_shape_is_map(const struct weir_shape *shape, int64_t rows, int64_t columns)
{
    int first = shape->rank - 2;
    if (shape->rank == 3 && shape->dims[0] != 1 && shape->dims[0] != WEIR_DIM_DYNAMIC)
        return false;
    return (shape->rank == 2 || shape->rank == 3) && (rows < 0 || shape->dims[first] == rows) &&
           (columns < 0 || shape->dims[first + 1] == columns);
}

int64_t weir_shape_last(const struct weir_shape *shape, int back)
{
    return shape->rank > back ? shape->dims[shape->rank - 1 - back] : WEIR_DIM_DYNAMIC;
}

int64_t weir_level_cells(const struct weir_input_spec *input, int stride)
{
    return (int64_t)((input->width + stride - 1) / stride) * ((input->height + stride - 1) / stride);
}

int64_t weir_levels_cells(const struct weir_input_spec *input, int levels)
{
    int64_t cells = 0;
    for (int i = 0; i < levels; i++)
        cells += weir_level_cells(input, 8 << i);
    return cells;
}

int weir_find_output(const struct weir_session_info *info, const char *part)
{
    int found = -1;
    for (size_t i = 0; i < info->output_count; i++) {
        if (strcasestr(info->outputs[i].name, part) == NULL)
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

size_t weir_tensor_rows(const struct weir_tensor *tensor, size_t columns)
{
    return tensor->size / sizeof(float) / columns;
}

size_t weir_best_of(const float *values, size_t count, size_t step)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i * step] > values[best * step])
            best = i;
    return best;
}

float weir_sigmoid(float logit)
{
    return 1 / (1 + expf(-logit));
}

int weir_head_add(struct weir_box_list *boxes, const float box[4], float score, int32_t class_index, uint32_t row)
{
    bool finite = isfinite(box[0]) && isfinite(box[1]) && isfinite(box[2]) && isfinite(box[3]);
    /* Probabilities may pass 1 by rounding, not by more. Written so that NaN is refused too. */
    if (!finite || !(score >= 0 && score <= 1.001F) || !(box[2] > box[0]) || !(box[3] > box[1])) {
        boxes->suspect++;
        return 0;
    }
    struct weir_candidate_box *candidate = weir_box_list_add(boxes);
    if (candidate == NULL)
        return -ENOMEM;
    memcpy(candidate->box, box, sizeof candidate->box);
    candidate->score = score < 1 ? score : 1;
    candidate->class_index = class_index;
    candidate->row = row;
    candidate->angle = 0;
    return 0;
}

int weir_head_add_classed(struct weir_box_list *boxes, const float box[4], float score, float class_value, uint32_t row)
{
    if (!(class_value >= 0 && class_value < 65536)) {
        boxes->suspect++;
        return 0;
    }
    return weir_head_add(boxes, box, score, (int32_t)(class_value + 0.5F), row);
}

int weir_head_add_centred(struct weir_box_list *boxes, const float centred[4], float score, int32_t class_index,
                          uint32_t row)
{
    float half_width = centred[2] / 2, half_height = centred[3] / 2;
    const float box[4] = {centred[0] - half_width, centred[1] - half_height, centred[0] + half_width,
                          centred[1] + half_height};
    return weir_head_add(boxes, box, score, class_index, row);
}

static void to_pixels(const struct weir_input_spec *input, struct weir_box_list *boxes)
{
    for (size_t i = 0; i < boxes->count; i++)
        for (int k = 0; k < 4; k++)
            boxes->boxes[i].box[k] *= (float)(k % 2 == 0 ? input->width : input->height);
}

static bool all_in_the_first_pixel(const struct weir_box_list *boxes)
{
    for (size_t i = 0; i < boxes->count; i++)
        for (int k = 0; k < 4; k++)
            if (fabsf(boxes->boxes[i].box[k]) > 1.5F)
                return false;
    return boxes->count > 0;
}

int weir_head_read(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    int code = spec->head->decode(spec, outputs, boxes);
    if (code == 0 && spec->normalized)
        to_pixels(&spec->input, boxes);
    else if (code == 0 && all_in_the_first_pixel(boxes))
        boxes->suspect += boxes->count;
    return code;
}
