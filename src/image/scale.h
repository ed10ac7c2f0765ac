/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_IMAGE_SCALE_H
#define WEIR_IMAGE_SCALE_H

/* Bilinear scaling of one plane, one output row at a time, at half-pixel centres and without anti-aliasing:
 * what OpenCV calls INTER_LINEAR and what detection models are trained with. An axis says once where each
 * output pixel lies in the source; a scaler then blends along the source rows that are needed, and down
 * between two of them.
 *
 * Thread-safety: pure; a scaler belongs to one thread.
 * Ownership: all storage is the caller's. */

#include <stdbool.h>
#include <stdint.h>

#define WEIR_SCALE_ONE 2048 /* 11 bits of weight, as in OpenCV's own tables */

/* Where the pixels of one output axis lie in a plane: between sample at[i] and the one after it. */
struct weir_axis {
    int count;
    int highest;      /* the last sample that may be used */
    bool straight;    /* every pixel is the sample after that of the one before: nothing to blend */
    int32_t *at;      /* count entries */
    uint16_t *weight; /* of the later sample, 0 to WEIR_SCALE_ONE; count entries */
};

/* Output pixel i lies at ((first + i + 0.5) * step + origin) * density - 0.5, held within lowest to highest.
 * step: source pixels an output pixel; density: samples of this plane a source pixel. */
struct weir_axis_params {
    int first, count;
    double step, origin, density;
    int lowest, highest;
};

/* axis->at and axis->weight point to room for params->count entries. */
void weir_axis_compute(struct weir_axis *axis, const struct weir_axis_params *params);

/* One plane, or interleaved components of it. */
struct weir_scaler {
    const uint8_t *base; /* the component wanted, or the first of those, of the first pixel */
    int stride;          /* bytes from row to row */
    int step;            /* bytes from pixel to pixel */
    int components;      /* side by side: 1 to 3 */
    const struct weir_axis *across, *down;
    int16_t *rows[2]; /* across->count * components entries each */
    int held[2];      /* which source rows are in rows; -1: none. Set both to -1 at the start */
};

/* Output row y, rows in ascending order, into out[0 .. across->count * components - 1]. */
void weir_scaler_row(struct weir_scaler *scaler, int y, uint8_t *out);

#endif
