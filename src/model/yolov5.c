/* SPDX-License-Identifier: Apache-2.0 */

/* YOLOv5, v7 and YOLOX with decoding in the graph: rows of cx, cy, w, h in input pixels, an objectness, then a score a class;
 * score = objectness * class. Exports often carry the raw grids too: the joined map is the output that is read. Three
 * anchors a cell; with another number of rows only when asked for, since other families fit as well. */

#include "model/head.h"

enum { BOX_VALUES = 5, ANCHORS = 3, OUTPUTS_MAX = 5 /* the joined map and four raw grids */ };

static enum weir_match match_rows(const struct weir_input_spec *input, int64_t rows)
{
    bool anchors = rows == ANCHORS * weir_levels_cells(input, 3) || rows == ANCHORS * weir_levels_cells(input, 4);
    return anchors ? WEIR_MATCH_SHAPES : WEIR_MATCH_IF_ASKED;
}

static enum weir_match yolov5_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    enum weir_match best = WEIR_MATCH_NO;
    for (size_t i = 0; info->output_count <= OUTPUTS_MAX && i < info->output_count; i++) {
        const struct weir_shape *shape = &info->outputs[i].shape;
        int64_t columns = weir_shape_last(shape, 0);
        if (!weir_shape_is_map(shape, -1, -1) || columns <= BOX_VALUES || weir_shape_last(shape, 1) == 1)
            continue;
        enum weir_match match = match_rows(&spec->input, weir_shape_last(shape, 1));
        if (match <= best)
            continue;
        best = match;
        spec->outputs[0] = i;
        spec->classes = (size_t)columns - BOX_VALUES;
    }
    return best;
}

static int yolov5_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    const struct weir_tensor *tensor = &outputs[spec->outputs[0]];
    size_t columns = BOX_VALUES + spec->classes, rows = weir_tensor_rows(tensor, columns);
    const float *v = tensor->data;
    int code = 0;
    for (size_t row = 0; code == 0 && row < rows; row++, v += columns) {
        if (v[4] < spec->threshold) /* lets NaN through, which is then counted as suspect */
            continue;
        size_t best = weir_best_of(v + BOX_VALUES, spec->classes, 1);
        float score = v[4] * v[BOX_VALUES + best];
        if (!(score < spec->threshold))
            code = weir_head_add_centred(boxes, v, score, (int32_t)best, (uint32_t)row);
    }
    return code;
}

const struct weir_head weir_head_yolov5 = {
    .name = "yolov5",
    .title = "YOLOv5/v7",
    .recipe = "letterbox rgb 0..1 pad=114",
    .threshold = 0.25F,
    .nms_iou = 0.45F,
    .suppress = true,
    .match = yolov5_match,
    .decode = yolov5_decode,
};
