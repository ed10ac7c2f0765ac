/* SPDX-License-Identifier: Apache-2.0 */

/* YOLO-NAS: boxes [1, N, 4] as x1, y1, x2, y2 in input pixels and probabilities [1, N, C] apart, one row a cell of strides 8, 16
 * and 32. */

#include "model/head.h"

enum { BOX_VALUES = 4 };

static enum weir_match yolo_nas_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    int64_t rows = weir_levels_cells(&spec->input, 3);
    for (size_t i = 0; info->output_count == 2 && i < 2; i++) {
        const struct weir_shape *scores = &info->outputs[1 - i].shape;
        if (!weir_shape_is_map(&info->outputs[i].shape, rows, BOX_VALUES) || !weir_shape_is_map(scores, rows, -1) ||
            weir_shape_last(scores, 0) < 1)
            continue;
        spec->outputs[0] = i;
        spec->outputs[1] = 1 - i;
        spec->classes = (size_t)weir_shape_last(scores, 0);
        return WEIR_MATCH_SHAPES;
    }
    return WEIR_MATCH_NO;
}

static int yolo_nas_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    const float *v = outputs[spec->outputs[0]].data, *scores = outputs[spec->outputs[1]].data;
    size_t rows = (size_t)weir_levels_cells(&spec->input, 3);
    int code = 0;
    for (size_t row = 0; code == 0 && row < rows; row++, v += BOX_VALUES, scores += spec->classes) {
        size_t best = weir_best_of(scores, spec->classes, 1);
        if (!(scores[best] < spec->threshold))
            code = weir_head_add(boxes, v, scores[best], (int32_t)best, (uint32_t)row);
    }
    return code;
}

const struct weir_head weir_head_yolo_nas = {
    .name = "yolo-nas",
    .title = "YOLO-NAS",
    .recipe = "letterbox rgb 0..1 pad=114",
    .threshold = 0.25F,
    .nms_iou = 0.7F,
    .suppress = true,
    .match = yolo_nas_match,
    .decode = yolo_nas_decode,
};
