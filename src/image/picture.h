/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_IMAGE_PICTURE_H
#define WEIR_IMAGE_PICTURE_H

/* Still pictures as people keep them: JPEG by weir's own decoder, PNG, BMP, WebP, GIF and PNM by
 * libavcodec's. What a file is, its first bytes say; names don't count. Transparency is dropped.
 *
 * Thread-safety: all functions from any thread.
 * Ownership: on success *out is a new reference. */

#include "image/image.h"

#include <stddef.h>

/* 0, or negative errno with a sentence. A JPEG gives its own planes, turned upright as its EXIF says,
 * everything else BGR. More than 64 Mi pixels are refused. */
int weir_picture_load(struct weir_image **out, struct weir_block_pool *pool, const void *bytes, size_t size,
                      struct weir_error *err);
/* The same from a file of at most 256 MiB; the sentence begins with the path. */
int weir_picture_load_file(struct weir_image **out, struct weir_block_pool *pool, const char *path,
                           struct weir_error *err);

#endif
