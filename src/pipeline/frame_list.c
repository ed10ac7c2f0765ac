/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/frame_list.h"

#include <stdlib.h>
#include <string.h>

void weir_frame_list_fini(struct weir_frame_list *list)
{
    struct weir_frame *frame;
    while ((frame = weir_frame_list_pop(list)) != NULL)
        weir_frame_unref(&frame);
    free(list->frames);
    memset(list, 0, sizeof *list);
}

static bool grow(struct weir_frame_list *list)
{
    size_t capacity = list->capacity == 0 ? 2 : list->capacity * 2;
    struct weir_frame **frames = calloc(capacity, sizeof *frames);
    if (frames == NULL)
        return false;
    for (size_t i = 0; i < list->size; i++)
        frames[i] = list->frames[(list->head + i) % list->capacity];
    free(list->frames);
    list->frames = frames;
    list->head = 0;
    list->capacity = capacity;
    return true;
}

bool weir_frame_list_push(struct weir_frame_list *list, struct weir_frame *frame)
{
    if (list->size == list->capacity && !grow(list))
        return false;
    list->frames[(list->head + list->size) % list->capacity] = frame;
    list->size++;
    return true;
}

struct weir_frame *weir_frame_list_pop(struct weir_frame_list *list)
{
    if (list->size == 0)
        return NULL;
    struct weir_frame *frame = list->frames[list->head];
    list->head = (list->head + 1) % list->capacity;
    list->size--;
    return frame;
}

const struct weir_frame *weir_frame_list_first(const struct weir_frame_list *list)
{
    return list->size > 0 ? list->frames[list->head] : NULL;
}
