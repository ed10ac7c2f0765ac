/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_IMAGE_COLOR_H
#define WEIR_IMAGE_COLOR_H

/* From YUV to RGB, with the matrix and the range that the picture says it has.
 *
 * Thread-safety: pure. */

#include "image/image.h"

/* One row of n pixels at full chroma resolution to a row each of red, green and blue, right to one level. */
void weir_color_row_to_rgb(enum weir_color_range range, enum weir_color_matrix matrix, const uint8_t *y,
                           const uint8_t *u, const uint8_t *v, uint8_t *red, uint8_t *green, uint8_t *blue,
                           int n);
/* Luma of limited range (16 to 235) to full range, in place. */
void weir_color_expand_luma(uint8_t *luma, int n);
/* BT.601 luma, full range, of n packed pixels; the offsets are those of the components within a pixel. */
void weir_color_row_to_luma(const uint8_t *rgb, int red_offset, int blue_offset, uint8_t *luma, int n);

#endif
