/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_MODEL_NMS_H
#define WEIR_MODEL_NMS_H

/* What a head found, and greedy non-maximum suppression over it: from the best score down, a box is kept unless its IoU
 * with a kept one of its class is above the limit. The order is deterministic: by score, then by the row the head
 * found it in.
 *
 * Thread-safety: one thread at a time.
 * Ownership: fini frees; a zeroed struct is empty. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_candidate_box {
    float box[4]; /* x1, y1, x2, y2 in input pixels */
    float score;
    int32_t class_index;
    uint32_t row; /* where the head found it */
    float angle;  /* radians; 0 unless the head is one of oriented boxes */
};

struct weir_box_list {
    struct weir_candidate_box *boxes;
    size_t count, capacity;
    uint64_t suspect; /* rows whose numbers can't be true; they are not in the list */
};

void weir_box_list_fini(struct weir_box_list *list);
/* The next free one, or NULL when out of memory. */
struct weir_candidate_box *weir_box_list_add(struct weir_box_list *list);

/* Sorts, keeps at most top_k candidates before and `keep` boxes after. agnostic: classes suppress each other.
 * O(n log n + kept * n). */
void weir_nms(struct weir_box_list *list, float iou, bool agnostic, size_t top_k, size_t keep);
/* Only sorted and cut, for models that suppress by themselves. */
void weir_box_list_sort(struct weir_box_list *list, size_t keep);

#endif
