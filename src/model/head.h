/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_MODEL_HEAD_H
#define WEIR_MODEL_HEAD_H

/* A head: what the numbers of one family of models mean. One const struct a family, in the table of head.c. Heads read
 * the lent output tensors in place; nothing below the threshold costs more than a comparison.
 *
 * Thread-safety: pure after match.
 * Ownership: a head's own tables (anchors) belong to the spec. */

#include "model/nms.h"
#include "model/spec.h"
#include "weir/result.h"

/* How sure a head is that a model is of its family. The surest one is taken; between equals the number of class names
 * decides, and when that does not either the model is refused until the option layout says which. */
enum weir_match {
    WEIR_MATCH_NO,
    WEIR_MATCH_IF_ASKED, /* can be read so, but nothing speaks for it: only with the option layout */
    WEIR_MATCH_SHAPES,
    WEIR_MATCH_NAMES,    /* the outputs' names or the metadata say so */
};

#define WEIR_HEAD_POINTS_MAX 64

struct weir_head {
    const char *name;  /* "yolox": what the option layout takes */
    const char *title; /* for people */
    const char *recipe;/* the input recipe that the family's exports usually want */
    const char *labels;/* list that is assumed when the number of classes can't be told; or NULL */
    float threshold, nms_iou; /* its defaults */
    bool suppress;     /* needs NMS */
    enum weir_result_kind kind;
    /* Fills spec->outputs, spec->classes and own tables when inputs and outputs have this family's shapes. The input size
     * is already in spec->input. */
    enum weir_match (*match)(struct weir_model_spec *spec, const struct weir_session_info *info);
    /* Of kind detections. outputs: all of the model's, float32, in its order, of the declared shapes where these are fixed;
     * an open size must be taken from the tensor. 0 or negative errno. */
    int (*decode)(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes);
    /* Of the other kinds: the whole result. 0, -ENOMEM, or -EDOM for numbers that can't be true. */
    int (*describe)(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_result *result);
    /* Landmarks of a box that was kept, in input pixels; returns how many. NULL: the family has none. */
    size_t (*points)(const struct weir_model_spec *spec, const struct weir_tensor *outputs,
                     const struct weir_candidate_box *box, struct weir_point points[WEIR_HEAD_POINTS_MAX]);
};

extern const struct weir_head weir_head_classify;
extern const struct weir_head weir_head_deim;
extern const struct weir_head weir_head_detr;
extern const struct weir_head weir_head_embed;
extern const struct weir_head weir_head_fastestdet;
extern const struct weir_head weir_head_mmdet;
extern const struct weir_head weir_head_nanodet;
extern const struct weir_head weir_head_nanodet_plus;
extern const struct weir_head weir_head_openvino;
extern const struct weir_head weir_head_picodet;
extern const struct weir_head weir_head_ssd;
extern const struct weir_head weir_head_tf;
extern const struct weir_head weir_head_yolo_nas;
extern const struct weir_head weir_head_yolov10;
extern const struct weir_head weir_head_yolov5;
extern const struct weir_head weir_head_yolov8;
extern const struct weir_head weir_head_yolov8_obb;
extern const struct weir_head weir_head_yolov8_pose;
extern const struct weir_head weir_head_yolox;
extern const struct weir_head weir_head_yunet;
extern const struct weir_head *const weir_heads[]; /* NULL-terminated */

const struct weir_head *weir_head_find(const char *name); /* NULL when unknown */
/* Decodes, brings boxes from 0..1 to input pixels where the spec says so, and checks that they were pixels where it does
 * not: what is all inside the first pixel is counted as suspect. 0 or negative errno. */
int weir_head_read(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes);

/* Helpers for heads. */
/* Whether the shape is [1, rows, columns] (or without the leading 1); -1 matches any size. */
bool weir_shape_is_map(const struct weir_shape *shape, int64_t rows, int64_t columns);
/* The last dimension but `back`, or WEIR_DIM_DYNAMIC when the rank is too small. */
int64_t weir_shape_last(const struct weir_shape *shape, int back);
/* Cells of one level, and of the levels of strides 8, 16, 32 and so on together. */
int64_t weir_level_cells(const struct weir_input_spec *input, int stride);
int64_t weir_levels_cells(const struct weir_input_spec *input, int levels);
/* The output whose name contains `part`, any case; -1 when there is none or more than one. */
int weir_find_output(const struct weir_session_info *info, const char *part);
/* Rows of so many float columns that the tensor really has. */
size_t weir_tensor_rows(const struct weir_tensor *tensor, size_t columns);
/* Index of the largest of count values that lie `step` apart, the first of equals. A NaN at 0 stays the largest. */
size_t weir_best_of(const float *values, size_t count, size_t step);
float weir_sigmoid(float logit);
/* Adds a box after checking its numbers: what is not finite or not a box is counted as suspect. 0 or -ENOMEM. */
int weir_head_add(struct weir_box_list *boxes, const float box[4], float score, int32_t class_index, uint32_t row);
/* The same with the class as the model writes it, a float; what is no index is suspect. */
int weir_head_add_classed(struct weir_box_list *boxes, const float box[4], float score, float class_value, uint32_t row);
/* The same from centre and size. */
int weir_head_add_centred(struct weir_box_list *boxes, const float centred[4], float score, int32_t class_index,
                          uint32_t row);

#endif
