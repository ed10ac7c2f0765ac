/* SPDX-License-Identifier: Apache-2.0 */

/* The YOLOv8 form (v8, v9, v11, ...): [1, 4 + C, N], or its transpose, without objectness: cx, cy, w, h in input pixels, then a
 * probability a class. Pose exports follow it with x, y, visibility of each keypoint, oriented boxes with an angle,
 * segmentation with the coefficients of the masks in a second output. Planes (columns first) are walked plane by plane, in
 * the order of memory: a map with nothing in it costs one pass. */

#include "model/head.h"

#include "model/metadata.h"

#include <string.h>

enum { BOX_VALUES = 4, POINT_VALUES = 3, COCO_POINTS = 17 };

static bool task_is(const struct weir_session_info *info, const char *task)
{
    const char *found = weir_metadata_find(info, "task");
    return found != NULL && strcmp(found, task) == 0;
}

/* The prototypes of the masks, [1, M, h, w]: M coefficients a row. */
static int64_t mask_coefficients(const struct weir_session_info *info)
{
    for (size_t i = 0; i < info->output_count; i++)
        if (info->outputs[i].shape.rank == 4 && info->outputs[i].shape.dims[1] > 0)
            return info->outputs[i].shape.dims[1];
    return 0;
}

/* Finds the map and which way round it is; *values is the length of a row. */
static enum weir_match find_map(struct weir_model_spec *spec, const struct weir_session_info *info, int64_t *values)
{
    int64_t cells3 = weir_levels_cells(&spec->input, 3), cells4 = weir_levels_cells(&spec->input, 4);
    for (size_t i = 0; i < info->output_count; i++) {
        const struct weir_shape *shape = &info->outputs[i].shape;
        if (!weir_shape_is_map(shape, -1, -1))
            continue;
        int64_t first = weir_shape_last(shape, 1), last = weir_shape_last(shape, 0);
        bool rows_first = first == cells3 || first == cells4;
        bool rows_last = last == cells3 || last == cells4;
        spec->outputs[0] = i;
        /* With an open number of rows the other dimension is the row. */
        spec->rows_first = rows_first || (!rows_last && first > last && last > 0) || first == WEIR_DIM_DYNAMIC;
        *values = spec->rows_first ? last : first;
        if (*values <= BOX_VALUES)
            continue;
        return rows_first || rows_last || last == WEIR_DIM_DYNAMIC ? WEIR_MATCH_SHAPES : WEIR_MATCH_IF_ASKED;
    }
    return WEIR_MATCH_NO;
}

static enum weir_match yolov8_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    int64_t values = 0;
    if (info->output_count > 2 || task_is(info, "pose") || task_is(info, "obb"))
        return WEIR_MATCH_NO;
    int64_t masks = info->output_count == 2 ? mask_coefficients(info) : 0;
    if (info->output_count == 2 && masks == 0)
        return WEIR_MATCH_NO;
    enum weir_match match = find_map(spec, info, &values);
    if (match == WEIR_MATCH_NO || values <= BOX_VALUES + masks)
        return WEIR_MATCH_NO;
    spec->classes = (size_t)(values - BOX_VALUES - masks);
    return match == WEIR_MATCH_SHAPES && (task_is(info, "detect") || task_is(info, "segment")) ? WEIR_MATCH_NAMES : match;
}

/* Keypoints: 17 unless the metadata "kpt_shape" says otherwise ("[17, 3]"). */
static enum weir_match pose_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    int64_t values = 0;
    int shape[2] = {COCO_POINTS, POINT_VALUES};
    (void)weir_metadata_pair(info, "kpt_shape", shape);
    if (info->output_count != 1 || find_map(spec, info, &values) == WEIR_MATCH_NO || shape[1] != POINT_VALUES ||
        shape[0] < 1 || shape[0] > WEIR_HEAD_POINTS_MAX || values <= BOX_VALUES + shape[0] * POINT_VALUES)
        return WEIR_MATCH_NO;
    spec->point_count = (size_t)shape[0];
    spec->classes = (size_t)(values - BOX_VALUES - shape[0] * POINT_VALUES);
    if (task_is(info, "pose"))
        return WEIR_MATCH_NAMES;
    /* Of one class, the row of a person's 17 keypoints is as long as that of 52 classes. */
    return spec->classes == 1 && !task_is(info, "detect") ? WEIR_MATCH_SHAPES : WEIR_MATCH_IF_ASKED;
}

static enum weir_match obb_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    int64_t values = 0;
    if (info->output_count != 1 || find_map(spec, info, &values) == WEIR_MATCH_NO || values <= BOX_VALUES + 1)
        return WEIR_MATCH_NO;
    spec->classes = (size_t)(values - BOX_VALUES - 1);
    return task_is(info, "obb") ? WEIR_MATCH_NAMES : WEIR_MATCH_IF_ASKED;
}

/* The map as a walk: value k of row r is at data[k * plane + r * step]. */
struct map {
    const float *data;
    size_t rows, plane, step;
};

static struct map map_of(const struct weir_model_spec *spec, const struct weir_tensor *outputs)
{
    const struct weir_tensor *tensor = &outputs[spec->outputs[0]];
    int64_t rows = weir_shape_last(&tensor->shape, spec->rows_first ? 1 : 0);
    int64_t values = weir_shape_last(&tensor->shape, spec->rows_first ? 0 : 1);
    return (struct map){
        .data = tensor->data,
        .rows = rows > 0 && values > 0 ? (size_t)rows : 0,
        .plane = spec->rows_first ? 1 : (size_t)rows,
        .step = spec->rows_first ? (size_t)values : 1,
    };
}

static float value_at(const struct map *map, size_t row, size_t k)
{
    return map->data[k * map->plane + row * map->step];
}

static int add_row(const struct map *map, size_t row, size_t class_index, struct weir_box_list *boxes)
{
    const float centred[4] = {value_at(map, row, 0), value_at(map, row, 1), value_at(map, row, 2), value_at(map, row, 3)};
    return weir_head_add_centred(boxes, centred, value_at(map, row, BOX_VALUES + class_index), (int32_t)class_index,
                                 (uint32_t)row);
}

/* A hit counts when it is its row's best class; NaN always goes on, to be counted as suspect. */
static int visit(const struct weir_model_spec *spec, const struct map *map, size_t row, size_t class_index,
                 struct weir_box_list *boxes)
{
    float score = value_at(map, row, BOX_VALUES + class_index);
    if (score < spec->threshold)
        return 0;
    const float *scores = map->data + BOX_VALUES * map->plane + row * map->step;
    bool best = score != score || weir_best_of(scores, spec->classes, map->plane) == class_index;
    return best ? add_row(map, row, class_index, boxes) : 0;
}

static int yolov8_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    struct map map = map_of(spec, outputs);
    size_t outer_count = spec->rows_first ? map.rows : spec->classes;
    size_t inner_count = spec->rows_first ? spec->classes : map.rows;
    int code = 0;
    for (size_t outer = 0; code == 0 && outer < outer_count; outer++)
        for (size_t inner = 0; code == 0 && inner < inner_count; inner++)
            code = visit(spec, &map, spec->rows_first ? outer : inner, spec->rows_first ? inner : outer, boxes);
    return code;
}

static int obb_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    struct map map = map_of(spec, outputs);
    int code = yolov8_decode(spec, outputs, boxes);
    for (size_t i = 0; i < boxes->count; i++)
        boxes->boxes[i].angle = value_at(&map, boxes->boxes[i].row, BOX_VALUES + spec->classes);
    return code;
}

static size_t pose_points(const struct weir_model_spec *spec, const struct weir_tensor *outputs,
                          const struct weir_candidate_box *box, struct weir_point points[WEIR_HEAD_POINTS_MAX])
{
    struct map map = map_of(spec, outputs);
    for (size_t i = 0; i < spec->point_count; i++) {
        size_t k = BOX_VALUES + spec->classes + i * POINT_VALUES;
        points[i] = (struct weir_point){value_at(&map, box->row, k), value_at(&map, box->row, k + 1),
                                        value_at(&map, box->row, k + 2)};
    }
    return spec->point_count;
}

#define ULTRALYTICS_DEFAULTS                                                                                         \
    .recipe = "letterbox rgb 0..1 pad=114", .threshold = 0.25F, .nms_iou = 0.45F, .suppress = true

const struct weir_head weir_head_yolov8 = {
    .name = "yolov8",
    .title = "YOLOv8/v9/v11",
    ULTRALYTICS_DEFAULTS,
    .match = yolov8_match,
    .decode = yolov8_decode,
};

const struct weir_head weir_head_yolov8_pose = {
    .name = "yolov8-pose",
    .title = "YOLOv8/v11 pose",
    ULTRALYTICS_DEFAULTS,
    .match = pose_match,
    .decode = yolov8_decode,
    .points = pose_points,
};

const struct weir_head weir_head_yolov8_obb = {
    .name = "yolov8-obb",
    .title = "YOLOv8/v11 oriented boxes",
    ULTRALYTICS_DEFAULTS,
    .match = obb_match,
    .decode = obb_decode,
};
