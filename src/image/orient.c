/* SPDX-License-Identifier: Apache-2.0 */
#include "image/orient.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Pixel (x, y) of the result is pixel (x, y) of the source, or (y, x) when the axes are swapped, counted from
 * the far end of each source axis that is flipped. */
struct turn {
    bool swap, flip_x, flip_y;
};

static const struct turn turns[9] = {
    [2] = {.flip_x = true},
    [3] = {.flip_x = true, .flip_y = true},
    [4] = {.flip_y = true},
    [5] = {.swap = true},
    [6] = {.swap = true, .flip_y = true},
    [7] = {.swap = true, .flip_x = true, .flip_y = true},
    [8] = {.swap = true, .flip_x = true},
};

/* One plane. Sizes are in pixels of `bytes` bytes; source columns are 2^shift_x result pixels wide. */
struct plane_turn {
    const uint8_t *source;
    int source_stride, source_width, source_height, shift_x;
    uint8_t *result;
    int result_stride, result_width, result_height;
    int bytes;
};

static void turn_plane(const struct plane_turn *p, const struct turn *turn)
{
    int far_x = p->source_width - 1, far_y = p->source_height - 1;
    for (int y = 0; y < p->result_height; y++) {
        int column = turn->swap ? (turn->flip_x ? far_x - y : y) >> p->shift_x : turn->flip_x ? far_x : 0;
        int row = turn->swap ? (turn->flip_y ? far_y : 0) : turn->flip_y ? far_y - y : y;
        ptrdiff_t step = turn->swap ? (turn->flip_y ? -(ptrdiff_t)p->source_stride : p->source_stride)
                                    : (turn->flip_x ? -p->bytes : p->bytes);
        const uint8_t *from = p->source + (ptrdiff_t)row * p->source_stride + (ptrdiff_t)column * p->bytes;
        uint8_t *to = p->result + (ptrdiff_t)y * p->result_stride;
        for (int x = 0; x < p->result_width; x++)
            memcpy(to + (ptrdiff_t)x * p->bytes, from + x * step, (size_t)p->bytes);
    }
}

static void half(int *width, int *height, enum weir_pixel_format format)
{
    if (format == WEIR_PIXEL_I420 || format == WEIR_PIXEL_NV12)
        *height = (*height + 1) / 2;
    if (format != WEIR_PIXEL_I444)
        *width = (*width + 1) / 2;
}

static int pixel_bytes(enum weir_pixel_format format, int plane)
{
    if (format == WEIR_PIXEL_RGB || format == WEIR_PIXEL_BGR)
        return 3;
    return format == WEIR_PIXEL_NV12 && plane == 1 ? 2 : 1;
}

struct weir_image *weir_orient(struct weir_block_pool *pool, const struct weir_image *image, int orientation)
{
    const struct turn *turn = &turns[orientation];
    bool widen = turn->swap && image->format == WEIR_PIXEL_I422;
    int width = turn->swap ? image->height : image->width, height = turn->swap ? image->width : image->height;
    struct weir_image *result = weir_image_new(pool, widen ? WEIR_PIXEL_I444 : image->format, width, height);
    if (result == NULL)
        return NULL;
    result->range = image->range;
    result->matrix = image->matrix;
    result->source_width = turn->swap ? image->source_height : image->source_width;
    result->source_height = turn->swap ? image->source_width : image->source_height;
    for (int i = 0; i < 3 && result->plane[i] != NULL; i++) {
        struct plane_turn plane = {
            .source = image->plane[i],
            .source_stride = image->stride[i],
            .source_width = image->width,
            .source_height = image->height,
            .shift_x = widen && i > 0,
            .result = result->plane[i],
            .result_stride = result->stride[i],
            .result_width = width,
            .result_height = height,
            .bytes = pixel_bytes(image->format, i),
        };
        if (i > 0 && !widen) {
            half(&plane.source_width, &plane.source_height, image->format);
            half(&plane.result_width, &plane.result_height, image->format);
        }
        turn_plane(&plane, turn);
    }
    return result;
}
