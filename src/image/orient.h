/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_IMAGE_ORIENT_H
#define WEIR_IMAGE_ORIENT_H

/* Turns and mirrors a picture as its EXIF orientation (1 to 8) asks for.
 *
 * Thread-safety: pure.
 * Ownership: the result is a new reference; the picture given stays the caller's. */

#include "image/image.h"

/* NULL when out of memory. A turned I422 becomes I444: its chroma would be half height otherwise. */
struct weir_image *weir_orient(struct weir_block_pool *pool, const struct weir_image *image, int orientation);

#endif
