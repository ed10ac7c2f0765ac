/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SIM_CLIP_H
#define WEIR_SIM_CLIP_H

/* Pictures one after another, from a video file or from a folder, as weir's images of full range.
 *
 * Thread-safety: one thread at a time.
 * Ownership: next gives new references. */

#include "base/error.h"
#include "image/image.h"

#include <stdbool.h>

struct weir_sim_clip;

int weir_sim_clip_open(struct weir_sim_clip **out, const char *path, int width, int height,
                       struct weir_error *err);
int weir_sim_clip_open_folder(struct weir_sim_clip **out, const char *path, int width, int height,
                              struct weir_error *err);
void weir_sim_clip_close(struct weir_sim_clip **clip);

/* 1 and either an image or, for a JPEG file that needs no other size, its bytes in *jpeg; 0 at the end; else
 * negative errno. */
int weir_sim_clip_next(struct weir_sim_clip *clip, struct weir_block_pool *pool, struct weir_image **image,
                       struct weir_block **jpeg, struct weir_error *err);
double weir_sim_clip_fps(const struct weir_sim_clip *clip); /* 0: unknown */

#endif
