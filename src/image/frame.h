/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_IMAGE_FRAME_H
#define WEIR_IMAGE_FRAME_H

/* One frame of one camera on its way from source to detector: encoded bytes, or a decoded picture, or both.
 *
 * Thread-safety: one stage at a time writes; read-only once a second reference exists.
 * Ownership: new returns a reference; a frame owns one reference to its block and to its image. */

#include "base/block.h"
#include "image/image.h"

#include <stdint.h>

struct weir_frame {
    uint32_t camera;          /* index in the pipeline */
    uint64_t sequence;        /* 1, 2, ... a camera, counted over reconnects */
    int64_t capture_ns;       /* monotonic: when its first byte arrived (nothing better is known of a JPEG) */
    int64_t capture_wall_ns;  /* the same moment, Unix time */
    int64_t arrival_ns;       /* monotonic: complete and handed over */
    struct weir_block *jpeg;  /* encoded bytes, or NULL */
    struct weir_image *image; /* decoded picture, or NULL */
};

struct weir_frame *weir_frame_new(void); /* zeroed, one reference; NULL when out of memory */
struct weir_frame *weir_frame_ref(struct weir_frame *frame);
void weir_frame_unref(struct weir_frame **frame);

#endif
