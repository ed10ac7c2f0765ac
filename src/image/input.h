/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_IMAGE_INPUT_H
#define WEIR_IMAGE_INPUT_H

/* Picture to input tensor, in one pass over the pixels where it can be: scale (bilinear at half-pixel
 * centres), place (stretch, letterbox, crop), order the channels, normalise, write in the tensor's type
 * and layout. The placement is computed once and kept: boxes go back through the very same numbers.
 *
 * Thread-safety: a scratch belongs to one thread; the rest is pure.
 * Ownership: data stays the caller's; a scratch is freed by whoever made it. */

#include "base/error.h"
#include "base/tensor.h"
#include "image/image.h"

#include <stddef.h>

enum weir_fit {
    WEIR_FIT_STRETCH,            /* aspect ratio not kept */
    WEIR_FIT_LETTERBOX_TOP_LEFT, /* ratio kept, picture at (0, 0), rest padded */
    WEIR_FIT_LETTERBOX_CENTRED,  /* picture at (floor((W - w') / 2), floor((H - h') / 2)) */
    WEIR_FIT_CROP,               /* ratio kept, the middle fills the input, edges cut */
};

enum weir_channel_order { WEIR_ORDER_RGB, WEIR_ORDER_BGR, WEIR_ORDER_GRAY };
enum weir_layout { WEIR_LAYOUT_NCHW, WEIR_LAYOUT_NHWC };

/* How a model wants its pixels: value = (byte - mean[c]) / std[c], c in the model's channel order. */
struct weir_input_spec {
    int width, height; /* pixels */
    enum weir_layout layout;
    enum weir_dtype dtype;
    enum weir_channel_order order;
    enum weir_fit fit;
    uint8_t pad;           /* byte value of the padding, before mean and std; letterbox only */
    float mean[3], std[3]; /* std is never 0 */
    float quant_scale;     /* U8 and I8 inputs: real = scale * (q - zero_point); 0: no mean and std, U8 gets
                            * the byte value itself and I8 the byte value - 128 */
    int quant_zero_point;
};

/* Where the source lies in the input: input = source * scale + offset, each axis. */
struct weir_placement {
    float scale_x, scale_y;
    float offset_x, offset_y;          /* input pixels */
    int resized_width, resized_height; /* >= 1 */
    int source_width, source_height;
};

void weir_placement_compute(const struct weir_input_spec *spec, int source_width, int source_height,
                            struct weir_placement *placement);
/* Box x1, y1, x2, y2 from input pixels to source pixels, in place; not clipped. */
void weir_placement_undo(const struct weir_placement *placement, float box[4]);

/* A rectangle of the source picture, pixels. */
struct weir_region {
    int x, y, width, height;
};

struct weir_input_scratch; /* the intermediate planes, reused from call to call */
struct weir_input_scratch *weir_input_scratch_new(void);
void weir_input_scratch_free(struct weir_input_scratch **scratch);

/* Fills one picture (batch element) of spec->width x height x channels at `data`, which has room for
 * weir_input_bytes(spec). region NULL: the whole picture; else it lies within the source picture. The
 * placement (NULL is allowed) always speaks of the whole source picture. 0, -EINVAL for a spec or region that
 * can't be, or -ENOMEM. */
int weir_input_fill(struct weir_input_scratch *scratch, const struct weir_input_spec *spec,
                    const struct weir_image *image, const struct weir_region *region, void *data,
                    struct weir_placement *placement);
size_t weir_input_bytes(const struct weir_input_spec *spec);

#endif
