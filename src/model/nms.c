/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nms.h"

#include <stdlib.h>
#include <string.h>

void weir_box_list_fini(struct weir_box_list *list)
{
    free(list->boxes);
    memset(list, 0, sizeof *list);
}

struct weir_candidate_box *weir_box_list_add(struct weir_box_list *list)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 256 : list->capacity * 2;
        struct weir_candidate_box *boxes = reallocarray(list->boxes, capacity, sizeof *boxes);
        if (boxes == NULL)
            return NULL;
        list->boxes = boxes;
        list->capacity = capacity;
    }
    return &list->boxes[list->count++];
}

static int best_first(const void *a, const void *b)
{
    const struct weir_candidate_box *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

void weir_box_list_sort(struct weir_box_list *list, size_t keep)
{
    if (list->count > 1)
        qsort(list->boxes, list->count, sizeof *list->boxes, best_first);
    if (list->count > keep)
        list->count = keep;
}

static float area(const float box[4])
{
    return (box[2] - box[0]) * (box[3] - box[1]);
}

static bool overlaps(const struct weir_candidate_box *a, const struct weir_candidate_box *b, float iou)
{
    float left = a->box[0] > b->box[0] ? a->box[0] : b->box[0];
    float top = a->box[1] > b->box[1] ? a->box[1] : b->box[1];
    float right = a->box[2] < b->box[2] ? a->box[2] : b->box[2];
    float bottom = a->box[3] < b->box[3] ? a->box[3] : b->box[3];
    if (right <= left || bottom <= top)
        return false;
    float common = (right - left) * (bottom - top);
    return common > iou * (area(a->box) + area(b->box) - common);
}

void weir_nms(struct weir_box_list *list, float iou, bool agnostic, size_t top_k, size_t keep)
{
    weir_box_list_sort(list, top_k);
    size_t kept = 0;
    for (size_t i = 0; i < list->count && kept < keep; i++) {
        bool suppressed = false;
        for (size_t k = 0; k < kept && !suppressed; k++)
            suppressed = (agnostic || list->boxes[k].class_index == list->boxes[i].class_index) &&
                         overlaps(&list->boxes[k], &list->boxes[i], iou);
        if (!suppressed)
            list->boxes[kept++] = list->boxes[i];
    }
    list->count = kept;
}
