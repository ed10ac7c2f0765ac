/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_MODEL_HEAD_H
#define WEIR_MODEL_HEAD_H

/* A head: what the numbers of one family of detectors mean. One const struct a family, in the table of head.c, best
 * match first. Heads read the lent output tensors in place; nothing below the threshold costs more than a comparison.
 *
 * Thread-safety: pure after prepare.
 * Ownership: a head's own tables (anchors) belong to the spec. */

#include "model/nms.h"
#include "model/spec.h"

struct weir_head {
    const char *name;  /* "yolox": what the option layout takes */
    const char *title; /* for people */
    const char *recipe;/* the input recipe that the family's exports usually want */
    float threshold, nms_iou; /* its defaults */
    bool suppress;     /* needs NMS */
    /* Whether inputs and outputs have this family's shapes; fills spec->outputs, spec->classes and own tables. The input
     * size is already in spec->input. */
    bool (*prepare)(struct weir_model_spec *spec, const struct weir_session_info *info);
    /* outputs: all of the model's, float32, in its order. 0 or negative errno. */
    int (*decode)(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes);
};

extern const struct weir_head weir_head_ssd;
extern const struct weir_head weir_head_yolox;
extern const struct weir_head *const weir_heads[]; /* NULL-terminated */

const struct weir_head *weir_head_find(const char *name); /* NULL when unknown */

/* Helpers for heads. */
/* Whether the shape is [1, rows, columns] (or without the leading 1); -1 matches any size. */
bool weir_shape_is_map(const struct weir_shape *shape, int64_t rows, int64_t columns);
/* Adds a box after checking its numbers: what is not finite or not a box is counted as suspect. 0 or -ENOMEM. */
int weir_head_add(struct weir_box_list *boxes, const float box[4], float score, int32_t class_index, uint32_t row);

#endif
