/* SPDX-License-Identifier: Apache-2.0 */

/* YuNet: faces with five landmarks (left eye, right eye, nose, left and right corner of the mouth as they are in the
 * picture). Four outputs for each of strides 8, 16, 32: cls_S [1, n, 1], obj_S [1, n, 1], bbox_S [1, n, 4], kps_S [1, n, 10].
 * score = sqrt(cls * obj), each clipped to 0..1; cx = (gx + b0) s, cy = (gy + b1) s, w = exp(b2) s, h = exp(b3) s; landmark
 * (k0 + gx) s, (k1 + gy) s. cls and obj have equal shapes, and which is which makes no difference; names are not looked at,
 * since runtimes change them. */

#include "model/head.h"

#include <math.h>

enum { CLS, OBJ, BBOX, KPS, OUTPUTS };
enum { LEVELS = 3, POINTS = 5 };

static bool find_outputs(struct weir_level *level, const struct weir_session_info *info)
{
    static const int columns[OUTPUTS] = {1, 1, 4, 2 * POINTS};
    size_t next = 0;
    for (int role = 0; role < OUTPUTS; role++) {
        size_t i = role == OBJ ? next : 0;
        while (i < info->output_count &&
               !weir_shape_is_map(&info->outputs[i].shape, (int64_t)level->columns * level->rows, columns[role]))
            i++;
        if (i == info->output_count)
            return false;
        level->outputs[role] = i;
        next = i + 1;
    }
    return true;
}

static enum weir_match yunet_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    if (info->output_count != LEVELS * OUTPUTS)
        return WEIR_MATCH_NO;
    for (int i = 0; i < LEVELS; i++) {
        struct weir_level *level = &spec->levels[i];
        level->stride = 8 << i;
        level->columns = spec->input.width / level->stride;
        level->rows = spec->input.height / level->stride;
        if (!find_outputs(level, info))
            return WEIR_MATCH_NO;
    }
    spec->level_count = LEVELS;
    spec->classes = 1;
    spec->point_count = POINTS;
    return WEIR_MATCH_SHAPES;
}

/* NaN stays, to be counted as suspect. */
static float clip(float probability)
{
    return probability < 0 ? 0 : probability > 1 ? 1 : probability;
}

static int decode_level(const struct weir_model_spec *spec, const struct weir_level *level, const struct weir_tensor *outputs,
                        uint32_t first_row, struct weir_box_list *boxes)
{
    const float *cls = outputs[level->outputs[CLS]].data, *obj = outputs[level->outputs[OBJ]].data;
    const float *box = outputs[level->outputs[BBOX]].data;
    float s = (float)level->stride;
    int code = 0;
    for (int cell = 0; code == 0 && cell < level->columns * level->rows; cell++, box += 4) {
        float score = sqrtf(clip(cls[cell]) * clip(obj[cell]));
        if (score < spec->threshold)
            continue;
        const float centred[4] = {((float)(cell % level->columns) + box[0]) * s, ((float)(cell / level->columns) + box[1]) * s,
                                  expf(box[2]) * s, expf(box[3]) * s};
        code = weir_head_add_centred(boxes, centred, score, 0, first_row + (uint32_t)cell);
    }
    return code;
}

static int yunet_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    uint32_t first_row = 0;
    int code = 0;
    for (int i = 0; code == 0 && i < LEVELS; i++) {
        code = decode_level(spec, &spec->levels[i], outputs, first_row, boxes);
        first_row += (uint32_t)(spec->levels[i].columns * spec->levels[i].rows);
    }
    return code;
}

static size_t yunet_points(const struct weir_model_spec *spec, const struct weir_tensor *outputs,
                           const struct weir_candidate_box *box, struct weir_point points[WEIR_HEAD_POINTS_MAX])
{
    int cell = (int)box->row, i = 0;
    while (i < LEVELS - 1 && cell >= spec->levels[i].columns * spec->levels[i].rows) {
        cell -= spec->levels[i].columns * spec->levels[i].rows;
        i++;
    }
    const struct weir_level *level = &spec->levels[i];
    const float *k = (const float *)outputs[level->outputs[KPS]].data + (size_t)cell * 2 * POINTS;
    float s = (float)level->stride, gx = (float)(cell % level->columns), gy = (float)(cell / level->columns);
    for (int p = 0; p < POINTS; p++)
        points[p] = (struct weir_point){(k[2 * p] + gx) * s, (k[2 * p + 1] + gy) * s, -1};
    return POINTS;
}

const struct weir_head weir_head_yunet = {
    .name = "yunet",
    .title = "YuNet faces",
    .recipe = "letterbox-tl bgr 0..255 pad=0",
    .labels = "face",
    .threshold = 0.60F,
    .nms_iou = 0.30F,
    .suppress = true,
    .match = yunet_match,
    .decode = yunet_decode,
    .points = yunet_points,
};
