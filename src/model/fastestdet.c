/* SPDX-License-Identifier: Apache-2.0 */

/* FastestDet: one output [1, 5 + C, H/16, W/16] of planes: objectness, 4 of the box, then a probability a class.
 * score = obj^0.6 * class^0.4; cx = (gx + tanh v1) / columns, cy = (gy + tanh v2) / rows, w = sigmoid v3, h = sigmoid v4, as parts of
 * the input. Source: the family's own decoder. */

#include "model/head.h"

#include <math.h>

enum { BOX_PLANES = 5, STRIDE = 16 };

static enum weir_match fastestdet_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    const struct weir_shape *shape = &info->outputs[0].shape;
    int columns = spec->input.width / STRIDE, rows = spec->input.height / STRIDE;
    if (info->output_count != 1 || shape->rank != 4 || shape->dims[0] != 1 || shape->dims[1] <= BOX_PLANES ||
        shape->dims[2] != rows || shape->dims[3] != columns || rows < 1 || columns < 1)
        return WEIR_MATCH_NO;
    spec->outputs[0] = 0;
    spec->classes = (size_t)shape->dims[1] - BOX_PLANES;
    spec->level_count = 1;
    spec->levels[0] = (struct weir_level){.stride = STRIDE, .columns = columns, .rows = rows};
    return WEIR_MATCH_SHAPES;
}

static int add_cell(const struct weir_model_spec *spec, const float *v, size_t cell, struct weir_box_list *boxes)
{
    const struct weir_level *level = &spec->levels[0];
    size_t cells = (size_t)level->columns * (size_t)level->rows, columns = (size_t)level->columns;
    size_t best = weir_best_of(v + BOX_PLANES * cells, spec->classes, cells);
    float score = powf(v[0], 0.6F) * powf(v[(BOX_PLANES + best) * cells], 0.4F);
    if (score < spec->threshold)
        return 0;
    float width = (float)spec->input.width, height = (float)spec->input.height;
    const float centred[4] = {
        ((float)(cell % columns) + tanhf(v[cells])) / (float)level->columns * width,
        ((float)(cell / columns) + tanhf(v[2 * cells])) / (float)level->rows * height,
        weir_sigmoid(v[3 * cells]) * width,
        weir_sigmoid(v[4 * cells]) * height,
    };
    return weir_head_add_centred(boxes, centred, score, (int32_t)best, (uint32_t)cell);
}

static int fastestdet_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    const float *v = outputs[spec->outputs[0]].data;
    size_t cells = (size_t)spec->levels[0].columns * (size_t)spec->levels[0].rows;
    /* The class is at most 1, so the objectness alone already rules most cells out. */
    float least = powf(spec->threshold, 1 / 0.6F);
    int code = 0;
    for (size_t cell = 0; code == 0 && cell < cells; cell++, v++)
        if (!(*v < least))
            code = add_cell(spec, v, cell, boxes);
    return code;
}

const struct weir_head weir_head_fastestdet = {
    .name = "fastestdet",
    .title = "FastestDet",
    .recipe = "stretch bgr 0..1",
    .threshold = 0.50F,
    .nms_iou = 0.45F,
    .suppress = true,
    .match = fastestdet_match,
    .decode = fastestdet_decode,
};
