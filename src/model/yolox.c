/* SPDX-License-Identifier: Apache-2.0 */

/* YOLOX without decoding in its graph: one output [1, N, 5 + C], rows for strides 8, 16 and 32, cells row-major. Of a row v at
 * cell (gx, gy): cx = (v0 + gx) s, cy = (v1 + gy) s, w = exp(v2) s, h = exp(v3) s; score = v4 * max(v5...), both
 * probabilities already. Source: the YOLOX paper and its public demo exports. */

#include "model/head.h"

#include <math.h>

static const int strides[] = {8, 16, 32};
enum { STRIDES = 3, BOX_VALUES = 5 };

static enum weir_match yolox_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    int64_t rows = 0;
    for (int i = 0; i < STRIDES; i++)
        rows += (int64_t)(spec->input.width / strides[i]) * (spec->input.height / strides[i]);
    if (info->output_count != 1 || !weir_shape_is_map(&info->outputs[0].shape, rows, -1))
        return WEIR_MATCH_NO;
    int64_t columns = weir_shape_last(&info->outputs[0].shape, 0);
    if (columns <= BOX_VALUES)
        return WEIR_MATCH_NO;
    spec->outputs[0] = 0;
    spec->classes = (size_t)columns - BOX_VALUES;
    return WEIR_MATCH_SHAPES;
}

static int decode_row(const struct weir_model_spec *spec, const float *v, int stride, int gx, int gy, uint32_t row,
                      struct weir_box_list *boxes)
{
    /* The score is at most the objectness: this comparison is all that most rows cost. It lets NaN through, which is
     * then counted as suspect. */
    if (v[4] < spec->threshold)
        return 0;
    int32_t class_index = (int32_t)weir_best_of(v + BOX_VALUES, spec->classes, 1);
    float score = v[4] * v[BOX_VALUES + class_index];
    if (score < spec->threshold)
        return 0;
    float s = (float)stride;
    float cx = (v[0] + (float)gx) * s, cy = (v[1] + (float)gy) * s;
    float half_width = expf(v[2]) * s / 2, half_height = expf(v[3]) * s / 2;
    const float box[4] = {cx - half_width, cy - half_height, cx + half_width, cy + half_height};
    return weir_head_add(boxes, box, score, class_index, row);
}

static int yolox_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    const float *v = outputs[spec->outputs[0]].data;
    uint32_t row = 0;
    for (int i = 0; i < STRIDES; i++) {
        int columns = spec->input.width / strides[i], rows = spec->input.height / strides[i];
        for (int gy = 0; gy < rows; gy++) {
            for (int gx = 0; gx < columns; gx++, row++, v += BOX_VALUES + spec->classes) {
                int code = decode_row(spec, v, strides[i], gx, gy, row, boxes);
                if (code != 0)
                    return code;
            }
        }
    }
    return 0;
}

const struct weir_head weir_head_yolox = {
    .name = "yolox",
    .title = "YOLOX",
    .recipe = "letterbox-tl bgr 0..255 pad=114",
    .threshold = 0.30F,
    .nms_iou = 0.45F,
    .suppress = true,
    .match = yolox_match,
    .decode = yolox_decode,
};
