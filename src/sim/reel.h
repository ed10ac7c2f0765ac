/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SIM_REEL_H
#define WEIR_SIM_REEL_H

/* The pictures that all simulated cameras play: a clip, or the pictures of a folder. Each is decoded and
 * encoded once, when the first camera comes near it, by a thread of its own, and kept as JPEG for all of
 * them. When the kept pictures reach the memory limit the reel ends there: cameras begin again.
 *
 * Thread-safety: get and inspection from one thread.
 * Ownership: get gives a new reference. The pool outlives the reel. */

#include "base/block.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_sim_reel;

struct weir_sim_reel_params {
    const char *clip;    /* a file that libav reads; or */
    const char *folder;  /* pictures in the order of their names */
    int width, height;   /* pixels; 0: as they are */
    int quality;         /* 1 to 100; JPEG files of a folder are sent as they are when the size is 0 */
    size_t memory_bytes; /* limit of what is kept */
};

/* Opens it and makes the first picture ready, so that what can't be played is known now. */
int weir_sim_reel_new(struct weir_sim_reel **out, struct weir_block_pool *pool,
                      const struct weir_sim_reel_params *params, struct weir_error *err);
void weir_sim_reel_free(struct weir_sim_reel **reel);

/* Picture `index`, counted on from the start again after the last. NULL: not ready yet, ask again later. */
struct weir_block *weir_sim_reel_get(struct weir_sim_reel *reel, uint64_t index);
double weir_sim_reel_fps(const struct weir_sim_reel *reel); /* the clip's own rate; 0: unknown */
/* True once, when the reel was cut by the memory limit; *kept is how many pictures there are. */
bool weir_sim_reel_was_cut(struct weir_sim_reel *reel, size_t *kept);

#endif
