/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_IMAGE_IMAGE_H
#define WEIR_IMAGE_IMAGE_H

/* A picture in memory: one to three planes over a block of a pool.
 *
 * Thread-safety: written by one owner while the count is one, read-only from then on; ref and unref
 * from any thread.
 * Ownership: new returns a reference. */

#include "base/block.h"
#include "base/error.h"

#include <stdint.h>

enum weir_pixel_format {
    WEIR_PIXEL_GRAY, /* one plane, luma full range */
    WEIR_PIXEL_I420, /* three planes; chroma is half size, rounded up */
    WEIR_PIXEL_I422, /* chroma half width */
    WEIR_PIXEL_I444,
    WEIR_PIXEL_NV12, /* luma, then U and V interleaved */
    WEIR_PIXEL_RGB,  /* one plane, 3 bytes a pixel, R first in memory */
    WEIR_PIXEL_BGR,  /* B first */
};

enum weir_color_range {
    WEIR_RANGE_FULL,    /* JPEG: luma 0 to 255, BT.601 matrix */
    WEIR_RANGE_LIMITED, /* video: luma 16 to 235 */
};

enum weir_color_matrix { WEIR_MATRIX_BT601, WEIR_MATRIX_BT709 };

struct weir_image {
    enum weir_pixel_format format;
    enum weir_color_range range;   /* YUV formats only */
    enum weir_color_matrix matrix; /* YUV formats only */
    int width, height;             /* pixels, 1 to 65535 */
    uint8_t *plane[3];
    int stride[3]; /* bytes from row to row */
    /* A picture decoded at a reduced scale keeps what its source measures: boxes are given in these. */
    int source_width, source_height;
};

/* Planes for a picture, rows 64-byte aligned, contents undefined. NULL when out of memory or the size is not
 * within 1 to 65535. */
struct weir_image *weir_image_new(struct weir_block_pool *pool, enum weir_pixel_format format, int width,
                                  int height);
struct weir_image *weir_image_ref(struct weir_image *image);
void weir_image_unref(struct weir_image **image);

/* A picture over bytes that the caller keeps alive and unchanged until the last unref (raw requests).
 * -EINVAL with a sentence when size is not what format and dimensions need. */
int weir_image_wrap(struct weir_image **out, enum weir_pixel_format format, int width, int height,
                    const void *bytes, size_t size, struct weir_error *err);

const char *weir_pixel_format_name(enum weir_pixel_format format); /* "gray", "i420", ... */

#endif
