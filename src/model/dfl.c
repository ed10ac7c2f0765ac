/* SPDX-License-Identifier: Apache-2.0 */

/* NanoDet and PicoDet: per cell the probabilities of the classes and, for each side of the box, a distribution over 8
 * distances; the side is stride * sum(k * softmax(logits)[k]) away from the cell's centre (generalised focal loss). They
 * differ in levels and in where the centre is: g s + (s - 1) / 2 for NanoDet-m, (g + 1/2) s for PicoDet, g s for
 * NanoDet-Plus. Exports carry two tensors a level, in any order, or one of all levels, classes first. */

#include "model/head.h"

#include <math.h>

enum { BINS = 8, SIDES = 4, DISTANCES = BINS * SIDES, FIRST_STRIDE = 8 };
enum { CLASSES_OUTPUT, DISTANCES_OUTPUT };

static void set_levels(struct weir_model_spec *spec, int count)
{
    spec->level_count = count;
    for (int i = 0; i < count; i++) {
        int stride = FIRST_STRIDE << i;
        spec->levels[i].stride = stride;
        spec->levels[i].columns = (spec->input.width + stride - 1) / stride;
        spec->levels[i].rows = (spec->input.height + stride - 1) / stride;
    }
}

/* Two outputs with as many rows as the level has cells; the one of 32 columns has the distances. A model of 32
 * classes is not of this family's known exports: the two could not be told apart. */
static bool find_level(struct weir_level *level, const struct weir_session_info *info, size_t *classes)
{
    int64_t cells = (int64_t)level->columns * level->rows;
    int found[2] = {-1, -1};
    for (size_t i = 0; i < info->output_count; i++) {
        const struct weir_io_info *io = &info->outputs[i];
        if (!weir_shape_is_map(&io->shape, cells, -1))
            continue;
        int64_t columns = weir_shape_last(&io->shape, 0);
        int role = columns == DISTANCES ? DISTANCES_OUTPUT : CLASSES_OUTPUT;
        if (columns < 1 || found[role] >= 0)
            return false;
        found[role] = (int)i;
    }
    if (found[0] < 0 || found[1] < 0)
        return false;
    int64_t columns = weir_shape_last(&info->outputs[found[0]].shape, 0);
    if (*classes != 0 && *classes != (size_t)columns)
        return false;
    *classes = (size_t)columns;
    level->outputs[CLASSES_OUTPUT] = (size_t)found[0];
    level->outputs[DISTANCES_OUTPUT] = (size_t)found[1];
    return true;
}

static enum weir_match match_apart(struct weir_model_spec *spec, const struct weir_session_info *info, int levels)
{
    if (info->output_count != 2 * (size_t)levels)
        return WEIR_MATCH_NO;
    spec->classes = 0;
    set_levels(spec, levels);
    for (int i = 0; i < levels; i++)
        if (!find_level(&spec->levels[i], info, &spec->classes))
            return WEIR_MATCH_NO;
    return WEIR_MATCH_SHAPES;
}

static enum weir_match match_joined(struct weir_model_spec *spec, const struct weir_session_info *info, int levels)
{
    if (info->output_count != 1 || !weir_shape_is_map(&info->outputs[0].shape, weir_levels_cells(&spec->input, levels), -1) ||
        weir_shape_last(&info->outputs[0].shape, 0) <= DISTANCES)
        return WEIR_MATCH_NO;
    set_levels(spec, levels);
    spec->outputs[0] = 0;
    spec->classes = (size_t)weir_shape_last(&info->outputs[0].shape, 0) - DISTANCES;
    return WEIR_MATCH_SHAPES;
}

static enum weir_match nanodet_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    enum weir_match match = match_apart(spec, info, 3);
    return match != WEIR_MATCH_NO ? match : match_joined(spec, info, 3);
}

static enum weir_match nanodet_plus_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    enum weir_match match = match_joined(spec, info, 4);
    if (match != WEIR_MATCH_NO)
        return match;
    return match_apart(spec, info, 4) != WEIR_MATCH_NO ? WEIR_MATCH_IF_ASKED : WEIR_MATCH_NO;
}

static enum weir_match picodet_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    return match_apart(spec, info, 4);
}

/* Expected distance, in strides. Taking the largest logit out keeps exp in range. */
static float expectation(const float logits[BINS])
{
    float most = logits[weir_best_of(logits, BINS, 1)], sum = 0, weighted = 0;
    for (int k = 0; k < BINS; k++) {
        float part = expf(logits[k] - most);
        sum += part;
        weighted += part * (float)k;
    }
    return weighted / sum;
}

/* One level's numbers: a cell's classes and distances, and how far it is to the next cell's. */
struct feature {
    const float *classes, *distances;
    size_t classes_step, distances_step;
};

static struct feature feature_of(const struct weir_model_spec *spec, const struct weir_tensor *outputs, int level,
                                 size_t first_cell)
{
    if (spec->levels[level].outputs[0] != spec->levels[level].outputs[1])
        return (struct feature){outputs[spec->levels[level].outputs[CLASSES_OUTPUT]].data,
                                outputs[spec->levels[level].outputs[DISTANCES_OUTPUT]].data, spec->classes, DISTANCES};
    size_t row = spec->classes + DISTANCES;
    const float *joined = (const float *)outputs[spec->outputs[0]].data + first_cell * row;
    return (struct feature){joined, joined + spec->classes, row, row};
}

static int add_cell(const struct weir_level *level, const float *distances, const float centre_of_cell, int cell,
                    float score, size_t class_index, uint32_t row, struct weir_box_list *boxes)
{
    float s = (float)level->stride;
    float x = (float)(cell % level->columns) * s + centre_of_cell, y = (float)(cell / level->columns) * s + centre_of_cell;
    const float box[4] = {x - s * expectation(distances), y - s * expectation(distances + BINS),
                          x + s * expectation(distances + 2 * BINS), y + s * expectation(distances + 3 * BINS)};
    return weir_head_add(boxes, box, score, (int32_t)class_index, row);
}

/* centre = g s + half * s - shift */
static int decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes,
                  float half, float shift)
{
    size_t first_cell = 0;
    int code = 0;
    for (int i = 0; i < spec->level_count; i++) {
        const struct weir_level *level = &spec->levels[i];
        struct feature f = feature_of(spec, outputs, i, first_cell);
        float centre = half * (float)level->stride - shift;
        int cells = level->columns * level->rows;
        for (int cell = 0; code == 0 && cell < cells; cell++, f.classes += f.classes_step, f.distances += f.distances_step) {
            size_t best = weir_best_of(f.classes, spec->classes, 1);
            if (!(f.classes[best] < spec->threshold))
                code = add_cell(level, f.distances, centre, cell, f.classes[best], best, (uint32_t)first_cell + (uint32_t)cell,
                                boxes);
        }
        first_cell += (size_t)cells;
    }
    return code;
}

static int nanodet_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    return decode(spec, outputs, boxes, 0.5F, 0.5F);
}

static int nanodet_plus_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs,
                               struct weir_box_list *boxes)
{
    return decode(spec, outputs, boxes, 0, 0);
}

static int picodet_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    return decode(spec, outputs, boxes, 0.5F, 0);
}

const struct weir_head weir_head_nanodet = {
    .name = "nanodet",
    .title = "NanoDet",
    .recipe = "letterbox bgr imagenet pad=0",
    .threshold = 0.35F,
    .nms_iou = 0.60F,
    .suppress = true,
    .match = nanodet_match,
    .decode = nanodet_decode,
};

const struct weir_head weir_head_nanodet_plus = {
    .name = "nanodet-plus",
    .title = "NanoDet-Plus",
    .recipe = "letterbox bgr imagenet pad=0",
    .threshold = 0.35F,
    .nms_iou = 0.60F,
    .suppress = true,
    .match = nanodet_plus_match,
    .decode = nanodet_plus_decode,
};

const struct weir_head weir_head_picodet = {
    .name = "picodet",
    .title = "PicoDet",
    .recipe = "stretch rgb imagenet",
    .threshold = 0.40F,
    .nms_iou = 0.50F,
    .suppress = true,
    .match = picodet_match,
    .decode = picodet_decode,
};
