/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_PIPELINE_FRAME_LIST_H
#define WEIR_PIPELINE_FRAME_LIST_H

/* Frames that wait, oldest first: a camera's mailbox, or the one FIFO. It has no limit of its own: the
 * policy decides what is put and what is dropped.
 *
 * Thread-safety: the caller locks.
 * Ownership: the list owns one reference a frame; a zeroed struct is empty. */

#include "image/frame.h"

#include <stdbool.h>
#include <stddef.h>

struct weir_frame_list {
    struct weir_frame **frames; /* a ring */
    size_t head, size, capacity;
};

void weir_frame_list_fini(struct weir_frame_list *list); /* gives the frames back */
/* On success the list owns the frame; false (out of memory): the caller still does. */
bool weir_frame_list_push(struct weir_frame_list *list, struct weir_frame *frame);
struct weir_frame *weir_frame_list_pop(struct weir_frame_list *list); /* the oldest, now the caller's; NULL when empty */
const struct weir_frame *weir_frame_list_first(const struct weir_frame_list *list); /* stays the list's */

#endif
