/* SPDX-License-Identifier: Apache-2.0 */

/* SSD with raw outputs: box encodings [1, N, 4] (y, x, h, w with variances 10, 10, 5, 5) and class logits [1, N, C], class 0 the
 * background, scores by sigmoid. The anchors are those of the TensorFlow object-detection API's SSD MobileNet: six
 * layers of strides 16 to 512, scales 0.2 to 0.95 linear; in the lowest layer (0.1, ratio 1), (0.2, 2), (0.2, 1/2); in the
 * others ratios 1, 2, 1/2, 3, 1/3 and one more of ratio 1 at the geometric mean with the next scale. Source: its public
 * anchor generator configuration. */

#include "model/head.h"

#include <math.h>
#include <stdlib.h>

enum { LAYERS = 6, FIRST_STRIDE = 16, LOWEST_ANCHORS = 3, OTHER_ANCHORS = 6, ANCHOR_VALUES = 4 };
static const float scale_min = 0.2F, scale_max = 0.95F;
static const float variance_centre = 10, variance_size = 5;

static float scale_of(int layer)
{
    return layer < LAYERS ? scale_min + (scale_max - scale_min) * (float)layer / (LAYERS - 1) : 1;
}

static int cells_of(int size, int layer)
{
    int stride = FIRST_STRIDE << layer;
    return (size + stride - 1) / stride;
}

static size_t count_anchors(const struct weir_input_spec *input)
{
    size_t count = 0;
    for (int layer = 0; layer < LAYERS; layer++)
        count += (size_t)cells_of(input->width, layer) * (size_t)cells_of(input->height, layer) *
                 (layer == 0 ? LOWEST_ANCHORS : OTHER_ANCHORS);
    return count;
}

/* Heights and widths of one cell's anchors, relative to the picture; returns how many. */
static int shapes_of_layer(int layer, float heights[OTHER_ANCHORS], float widths[OTHER_ANCHORS])
{
    static const float lowest_scales[] = {0.1F, 0.2F, 0.2F}, lowest_ratios[] = {1, 2, 0.5F};
    static const float ratios[] = {1, 2, 0.5F, 3, 1.0F / 3, 1};
    int count = layer == 0 ? LOWEST_ANCHORS : OTHER_ANCHORS;
    for (int i = 0; i < count; i++) {
        float scale = layer == 0 ? lowest_scales[i] : scale_of(layer);
        float ratio = layer == 0 ? lowest_ratios[i] : ratios[i];
        if (layer > 0 && i == OTHER_ANCHORS - 1)
            scale = sqrtf(scale * scale_of(layer + 1));
        heights[i] = scale / sqrtf(ratio);
        widths[i] = scale * sqrtf(ratio);
    }
    return count;
}

/* cy, cx, h, w of each anchor, in input pixels. */
static float *make_anchors(const struct weir_input_spec *input, size_t count)
{
    float *anchors = reallocarray(NULL, count, ANCHOR_VALUES * sizeof *anchors);
    float *a = anchors;
    for (int layer = 0; anchors != NULL && layer < LAYERS; layer++) {
        float heights[OTHER_ANCHORS], widths[OTHER_ANCHORS];
        int each = shapes_of_layer(layer, heights, widths);
        int columns = cells_of(input->width, layer), rows = cells_of(input->height, layer);
        for (int cell = 0; cell < columns * rows; cell++) {
            for (int i = 0; i < each; i++, a += ANCHOR_VALUES) {
                a[0] = ((float)(cell / columns) + 0.5F) / (float)rows * (float)input->height;
                a[1] = ((float)(cell % columns) + 0.5F) / (float)columns * (float)input->width;
                a[2] = heights[i] * (float)input->height;
                a[3] = widths[i] * (float)input->width;
            }
        }
    }
    return anchors;
}

static enum weir_match ssd_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    int64_t count = (int64_t)count_anchors(&spec->input);
    if (info->output_count != 2)
        return WEIR_MATCH_NO;
    size_t boxes = weir_shape_is_map(&info->outputs[0].shape, count, 4) ? 0 : 1;
    const struct weir_shape *scores = &info->outputs[1 - boxes].shape;
    if (!weir_shape_is_map(&info->outputs[boxes].shape, count, 4) || !weir_shape_is_map(scores, count, -1) ||
        scores->dims[scores->rank - 1] < 2)
        return WEIR_MATCH_NO;
    spec->anchors = make_anchors(&spec->input, (size_t)count);
    spec->anchor_count = (size_t)count;
    spec->classes = (size_t)scores->dims[scores->rank - 1];
    spec->outputs[0] = boxes;
    spec->outputs[1] = 1 - boxes;
    return spec->anchors != NULL ? WEIR_MATCH_SHAPES : WEIR_MATCH_NO;
}

static int add_box(const float *anchor, const float *code, float logit, int32_t class_index, uint32_t row,
                   struct weir_box_list *boxes)
{
    float cy = code[0] / variance_centre * anchor[2] + anchor[0];
    float cx = code[1] / variance_centre * anchor[3] + anchor[1];
    float half_height = expf(code[2] / variance_size) * anchor[2] / 2;
    float half_width = expf(code[3] / variance_size) * anchor[3] / 2;
    const float box[4] = {cx - half_width, cy - half_height, cx + half_width, cy + half_height};
    return weir_head_add(boxes, box, weir_sigmoid(logit), class_index, row);
}

static int ssd_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    const float *codes = outputs[spec->outputs[0]].data;
    const float *logits = outputs[spec->outputs[1]].data;
    /* Compared before the sigmoid, which then runs only for what is kept. */
    float least = logf(spec->threshold / (1 - spec->threshold));
    int code = 0;
    for (size_t row = 0; code == 0 && row < spec->anchor_count; row++, logits += spec->classes, codes += 4) {
        size_t best = 1;
        for (size_t c = 2; c < spec->classes; c++)
            if (logits[c] > logits[best])
                best = c;
        if (!(logits[best] < least)) /* NaN goes on, to be counted as suspect */
            code = add_box(spec->anchors + row * ANCHOR_VALUES, codes, logits[best], (int32_t)best, (uint32_t)row, boxes);
    }
    return code;
}

const struct weir_head weir_head_ssd = {
    .name = "ssd",
    .title = "SSD",
    .recipe = "stretch rgb -1..1",
    .threshold = 0.35F,
    .nms_iou = 0.50F,
    .suppress = true,
    .match = ssd_match,
    .decode = ssd_decode,
};
