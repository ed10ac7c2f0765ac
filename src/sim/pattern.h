/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SIM_PATTERN_H
#define WEIR_SIM_PATTERN_H

/* Generated pictures: a colour a camera, and across the top its number and the frame's, with a bar that
 * moves. Only the top strip is drawn and encoded for each frame; the rest of the JPEG is taken over from the
 * first.
 *
 * Thread-safety: one thread.
 * Ownership: draw gives a new reference. The pool outlives the pattern. */

#include "base/block.h"

#include <stdint.h>

struct weir_sim_pattern;

struct weir_sim_pattern_params {
    int width, height; /* pixels; at least 64 x 64 */
    int quality;       /* 1 to 100 */
    unsigned seed;     /* which colours */
};

struct weir_sim_pattern *weir_sim_pattern_new(struct weir_block_pool *pool,
                                              const struct weir_sim_pattern_params *params);
void weir_sim_pattern_free(struct weir_sim_pattern **pattern);
/* A JPEG; NULL when out of memory. */
struct weir_block *weir_sim_pattern_draw(struct weir_sim_pattern *pattern, int camera, uint64_t frame);

#endif
