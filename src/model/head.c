/* SPDX-License-Identifier: Apache-2.0 */
#include "model/head.h"

#include <errno.h>
#include <math.h>
#include <string.h>

const struct weir_head *const weir_heads[] = {
    &weir_head_yolox,
    &weir_head_ssd,
    NULL,
};

const struct weir_head *weir_head_find(const char *name)
{
    for (size_t i = 0; weir_heads[i] != NULL; i++)
        if (strcmp(weir_heads[i]->name, name) == 0)
            return weir_heads[i];
    return NULL;
}

bool weir_shape_is_map(const struct weir_shape *shape, int64_t rows, int64_t columns)
{
    int first = shape->rank - 2;
    if (shape->rank == 3 && shape->dims[0] != 1 && shape->dims[0] != WEIR_DIM_DYNAMIC)
        return false;
    return (shape->rank == 2 || shape->rank == 3) && (rows < 0 || shape->dims[first] == rows) &&
           (columns < 0 || shape->dims[first + 1] == columns);
}

int weir_head_add(struct weir_box_list *boxes, const float box[4], float score, int32_t class_index, uint32_t row)
{
    bool finite = isfinite(box[0]) && isfinite(box[1]) && isfinite(box[2]) && isfinite(box[3]);
    /* Probabilities may pass 1 by rounding, not by more. Written so that NaN is refused too. */
    if (!finite || !(score >= 0 && score <= 1.001F) || !(box[2] > box[0]) || !(box[3] > box[1])) {
        boxes->suspect++;
        return 0;
    }
    struct weir_candidate_box *candidate = weir_box_list_add(boxes);
    if (candidate == NULL)
        return -ENOMEM;
    memcpy(candidate->box, box, sizeof candidate->box);
    candidate->score = score < 1 ? score : 1;
    candidate->class_index = class_index;
    candidate->row = row;
    return 0;
}
