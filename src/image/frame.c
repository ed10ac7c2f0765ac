/* SPDX-License-Identifier: Apache-2.0 */
#include "image/frame.h"

#include <stdatomic.h>
#include <stdlib.h>

struct owned_frame {
    struct weir_frame frame; /* first: a frame pointer is an owned_frame pointer */
    atomic_uint refs;
};

struct weir_frame *weir_frame_new(void)
{
    struct owned_frame *owned = calloc(1, sizeof *owned);
    if (owned == NULL)
        return NULL;
    atomic_init(&owned->refs, 1);
    return &owned->frame;
}

struct weir_frame *weir_frame_ref(struct weir_frame *frame)
{
    struct owned_frame *owned = (struct owned_frame *)frame;
    atomic_fetch_add_explicit(&owned->refs, 1, memory_order_relaxed);
    return frame;
}

void weir_frame_unref(struct weir_frame **frame)
{
    struct owned_frame *owned = (struct owned_frame *)*frame;
    *frame = NULL;
    if (owned == NULL || atomic_fetch_sub_explicit(&owned->refs, 1, memory_order_acq_rel) != 1)
        return;
    weir_block_unref(&owned->frame.jpeg);
    weir_image_unref(&owned->frame.image);
    free(owned);
}
