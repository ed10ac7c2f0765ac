/* SPDX-License-Identifier: Apache-2.0 */

/* Models that suppress by themselves and answer with a list of finished boxes:
 *   yolov10   [1, N, 6] or [N, 6]: x1, y1, x2, y2, score, class in input pixels (YOLOv10, YOLO26), padded with zero rows; or
 *             [N, 7]: batch index, x1, y1, x2, y2, class, score (YOLOv7 with NMS in its graph)
 *   openvino  [1, 1, N, 7]: image index, class, score, x1, y1, x2, y2 as parts of the input; an index below 0 ends the list
 *   mmdet     [N, 5] x1, y1, x2, y2, score in input pixels, and [N] classes
 * Their order is kept, their number is taken from the tensor: it may be 0. */

#include "model/head.h"

enum { PLAIN_VALUES = 6, LED_VALUES = 7, SCORED_VALUES = 5, USUAL_ROWS_MAX = 1000 };

static enum weir_match yolov10_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    const struct weir_shape *shape = &info->outputs[0].shape;
    int64_t rows = weir_shape_last(shape, 1), values = weir_shape_last(shape, 0);
    bool plain = values == PLAIN_VALUES, led = values == LED_VALUES && shape->rank == 2;
    if (info->output_count != 1 || !weir_shape_is_map(shape, -1, -1) || (!plain && !led))
        return WEIR_MATCH_NO;
    spec->outputs[0] = 0;
    spec->classes = 0;
    bool grid = rows == weir_levels_cells(&spec->input, 3) || rows == weir_levels_cells(&spec->input, 4);
    return grid || rows == values || rows > USUAL_ROWS_MAX ? WEIR_MATCH_IF_ASKED : WEIR_MATCH_SHAPES;
}

static int yolov10_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    const struct weir_tensor *tensor = &outputs[spec->outputs[0]];
    bool led = weir_shape_last(&tensor->shape, 0) == LED_VALUES;
    size_t values = led ? LED_VALUES : PLAIN_VALUES, rows = weir_tensor_rows(tensor, values);
    const float *v = tensor->data;
    int code = 0;
    for (size_t row = 0; code == 0 && row < rows; row++, v += values) {
        float score = led ? v[6] : v[4], class_value = v[5];
        if (!(score < spec->threshold))
            code = weir_head_add_classed(boxes, led ? v + 1 : v, score, class_value, (uint32_t)row);
    }
    return code;
}

const struct weir_head weir_head_yolov10 = {
    .name = "yolov10",
    .title = "YOLOv10, end to end",
    .recipe = "letterbox rgb 0..1 pad=114",
    .labels = "coco",
    .threshold = 0.25F,
    .nms_iou = 1,
    .match = yolov10_match,
    .decode = yolov10_decode,
};

static enum weir_match openvino_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    const struct weir_shape *shape = &info->outputs[0].shape;
    if (info->output_count != 1 || shape->rank != 4 || shape->dims[0] != 1 || shape->dims[1] != 1 ||
        shape->dims[3] != LED_VALUES)
        return WEIR_MATCH_NO;
    spec->outputs[0] = 0;
    spec->classes = 0;
    return WEIR_MATCH_SHAPES;
}

static int openvino_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    const struct weir_tensor *tensor = &outputs[spec->outputs[0]];
    size_t rows = weir_tensor_rows(tensor, LED_VALUES);
    const float *v = tensor->data;
    float width = (float)spec->input.width, height = (float)spec->input.height;
    int code = 0;
    for (size_t row = 0; code == 0 && row < rows && !(v[0] < 0); row++, v += LED_VALUES) {
        const float box[4] = {v[3] * width, v[4] * height, v[5] * width, v[6] * height};
        if (!(v[2] < spec->threshold))
            code = weir_head_add_classed(boxes, box, v[2], v[1], (uint32_t)row);
    }
    return code;
}

const struct weir_head weir_head_openvino = {
    .name = "openvino",
    .title = "OpenVINO detection output",
    .recipe = "stretch bgr 0..255",
    .threshold = 0.5F,
    .nms_iou = 1,
    .match = openvino_match,
    .decode = openvino_decode,
};

static bool is_list(const struct weir_shape *shape)
{
    return shape->rank == 1 || (shape->rank == 2 && shape->dims[0] == 1);
}

static enum weir_match mmdet_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    if (info->output_count != 2)
        return WEIR_MATCH_NO;
    for (size_t i = 0; i < 2; i++) {
        const struct weir_shape *boxes = &info->outputs[i].shape, *classes = &info->outputs[1 - i].shape;
        if (!weir_shape_is_map(boxes, -1, SCORED_VALUES) || !is_list(classes) ||
            weir_shape_last(boxes, 1) != weir_shape_last(classes, 0))
            continue;
        spec->outputs[0] = i;
        spec->outputs[1] = 1 - i;
        spec->classes = 0;
        return WEIR_MATCH_SHAPES;
    }
    return WEIR_MATCH_NO;
}

static int mmdet_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    const struct weir_tensor *tensor = &outputs[spec->outputs[0]], *classes = &outputs[spec->outputs[1]];
    size_t rows = weir_tensor_rows(tensor, SCORED_VALUES);
    const float *v = tensor->data, *class_values = classes->data;
    int code = 0;
    if (weir_tensor_rows(classes, 1) < rows)
        rows = weir_tensor_rows(classes, 1);
    for (size_t row = 0; code == 0 && row < rows; row++, v += SCORED_VALUES)
        if (!(v[4] < spec->threshold))
            code = weir_head_add_classed(boxes, v, v[4], class_values[row], (uint32_t)row);
    return code;
}

const struct weir_head weir_head_mmdet = {
    .name = "mmdet",
    .title = "boxes [N, 5] and labels",
    .recipe = "stretch bgr 0..255",
    .threshold = 0.3F,
    .nms_iou = 1,
    .match = mmdet_match,
    .decode = mmdet_decode,
};
