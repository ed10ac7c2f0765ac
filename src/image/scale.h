/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_IMAGE_SCALE_H
#define WEIR_IMAGE_SCALE_H

/* Bilinear scaling of one plane, one output row at a time, at half-pixel centres and without
 * anti-aliasing: what OpenCV calls INTER_LINEAR and what detection models are trained with. An axis says
 * once where each output pixel lies in the source; a row is then two passes, down and along.
 *
 * Thread-safety: pure; the storage is the caller's. */

#include <stdint.h>

/* Where output pixels first to first + count - 1 of an axis lie in a plane. */
struct weir_axis {
    int count;
    int lo, hi;       /* first and last source sample that any output pixel needs */
    int32_t *at;      /* left (upper) sample, relative to lo; count entries */
    uint16_t *weight; /* of the right (lower) sample, 0 to WEIR_SCALE_ONE - 1; count entries */
};

#define WEIR_SCALE_ONE 2048 /* 11 bits, as in OpenCV's own tables */

/* Output coordinate x lies at ((first + x + 0.5) * step + origin) * density - 0.5, held within lowest to
 * highest. step: source pixels an output pixel; density: samples of this plane a source pixel. */
struct weir_axis_params {
    int first, count;
    double step, origin, density;
    int lowest, highest;
};

void weir_axis_compute(struct weir_axis *axis, const struct weir_axis_params *params);

/* One plane, or one of `channels` interleaved components of it: `base` points to that component of the
 * first pixel. */
struct weir_scale_source {
    const uint8_t *base;
    int stride;   /* bytes */
    int channels; /* bytes from pixel to pixel */
};

/* Row `y` of the output into out[0 .. across->count - 1]. `line` has room for weir_scale_line_entries(across). */
void weir_scale_row(const struct weir_scale_source *source, const struct weir_axis *across,
                    const struct weir_axis *down, int y, uint16_t *line, uint8_t *out);
/* The same for three interleaved components at once: out has 3 * count bytes, line three times the room. */
void weir_scale_row3(const struct weir_scale_source *source, const struct weir_axis *across,
                     const struct weir_axis *down, int y, uint16_t *line, uint8_t *out);
int weir_scale_line_entries(const struct weir_axis *across);

#endif
