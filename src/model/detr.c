/* SPDX-License-Identifier: Apache-2.0 */

/* Set predictors, which need no suppression (one row may count with more than one class):
 *   deim  three outputs: labels [1, N], boxes [1, N, 4] as x1, y1, x2, y2, scores [1, N], as DEIM, D-FINE and RT-DETR export
 *         them. Boxes are in the units of the input orig_target_sizes, which gets the network's (width, height), so that they come in
 *         input pixels; without that input they are taken for pixels too ("deim-norm": 0 to 1).
 *   detr  logits [1, N, C] and boxes [1, N, 4] as cx, cy, w, h from 0 to 1; scores by sigmoid (RT-DETR, Deformable DETR). */

#include "model/head.h"

#include <math.h>

enum { LABELS, BOXES, SCORES, DEIM_OUTPUTS };
enum { BOX_VALUES = 4, QUERIES_MAX = 1000 };

static enum weir_match deim_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    static const char *const parts[DEIM_OUTPUTS] = {"labels", "boxes", "scores"};
    if (info->output_count != DEIM_OUTPUTS)
        return WEIR_MATCH_NO;
    for (int i = 0; i < DEIM_OUTPUTS; i++) {
        int found = weir_find_output(info, parts[i]);
        if (found < 0)
            return WEIR_MATCH_NO;
        spec->outputs[i] = (size_t)found;
    }
    spec->classes = 0;
    return weir_shape_is_map(&info->outputs[spec->outputs[BOXES]].shape, -1, BOX_VALUES) ? WEIR_MATCH_NAMES : WEIR_MATCH_NO;
}

static int deim_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    const struct weir_tensor *tensor = &outputs[spec->outputs[BOXES]];
    const float *labels = outputs[spec->outputs[LABELS]].data, *scores = outputs[spec->outputs[SCORES]].data;
    size_t rows = weir_tensor_rows(tensor, BOX_VALUES);
    const float *v = tensor->data;
    int code = 0;
    if (weir_tensor_rows(&outputs[spec->outputs[LABELS]], 1) < rows || weir_tensor_rows(&outputs[spec->outputs[SCORES]], 1) < rows)
        rows = 0;
    for (size_t row = 0; code == 0 && row < rows; row++, v += BOX_VALUES)
        if (!(scores[row] < spec->threshold))
            code = weir_head_add_classed(boxes, v, scores[row], labels[row], (uint32_t)row);
    return code;
}

const struct weir_head weir_head_deim = {
    .name = "deim",
    .title = "DEIM, D-FINE, RT-DETR",
    .recipe = "stretch rgb 0..1",
    .labels = "coco",
    .threshold = 0.40F,
    .nms_iou = 1,
    .match = deim_match,
    .decode = deim_decode,
};

static enum weir_match detr_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    if (info->output_count != 2)
        return WEIR_MATCH_NO;
    size_t boxes = weir_shape_is_map(&info->outputs[0].shape, -1, BOX_VALUES) ? 0 : 1;
    const struct weir_shape *shape = &info->outputs[boxes].shape, *logits = &info->outputs[1 - boxes].shape;
    int64_t rows = weir_shape_last(shape, 1);
    if (!weir_shape_is_map(shape, -1, BOX_VALUES) || !weir_shape_is_map(logits, rows, -1) || weir_shape_last(logits, 0) < 1)
        return WEIR_MATCH_NO;
    spec->outputs[0] = boxes;
    spec->outputs[1] = 1 - boxes;
    spec->classes = (size_t)weir_shape_last(logits, 0);
    if (weir_find_output(info, "logits") == (int)(1 - boxes))
        return WEIR_MATCH_NAMES;
    return rows <= QUERIES_MAX && rows != weir_levels_cells(&spec->input, 3) ? WEIR_MATCH_SHAPES : WEIR_MATCH_IF_ASKED;
}

static int detr_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    const struct weir_tensor *tensor = &outputs[spec->outputs[0]], *classes = &outputs[spec->outputs[1]];
    size_t rows = weir_tensor_rows(tensor, BOX_VALUES);
    const float *v = tensor->data, *logits = classes->data;
    float least = logf(spec->threshold / (1 - spec->threshold));
    float width = (float)spec->input.width, height = (float)spec->input.height;
    int code = 0;
    if (weir_tensor_rows(classes, spec->classes) < rows)
        rows = weir_tensor_rows(classes, spec->classes);
    for (size_t row = 0; row < rows; row++, v += BOX_VALUES) {
        const float centred[4] = {v[0] * width, v[1] * height, v[2] * width, v[3] * height};
        for (size_t c = 0; code == 0 && c < spec->classes; c++, logits++)
            if (!(*logits < least))
                code = weir_head_add_centred(boxes, centred, weir_sigmoid(*logits), (int32_t)c, (uint32_t)row);
    }
    return code;
}

const struct weir_head weir_head_detr = {
    .name = "detr",
    .title = "DETR with logits",
    .recipe = "stretch rgb 0..1",
    .threshold = 0.40F,
    .nms_iou = 1,
    .match = detr_match,
    .decode = detr_decode,
};
