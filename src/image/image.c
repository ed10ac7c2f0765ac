/* SPDX-License-Identifier: Apache-2.0 */
#include "image/image.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { ROW_ALIGNMENT = 64, SIDE_MAX = 65535 };

/* A picture from a pool lives in the first bytes of its own block, so that one takes nothing else from the
 * allocator. A wrapped picture has no block and was calloc'ed. */
struct owned_image {
    struct weir_image image; /* first: an image pointer is an owned_image pointer */
    atomic_uint refs;
    struct weir_block *block;
};

enum { HEAD_BYTES = (sizeof(struct owned_image) + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT };

/* Bytes of one row and number of rows of each plane; the number of planes is returned. */
static int plane_sizes(enum weir_pixel_format format, int width, int height, int row_bytes[3], int rows[3])
{
    int half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    row_bytes[0] = width;
    rows[0] = rows[1] = rows[2] = height;
    switch (format) {
    case WEIR_PIXEL_GRAY:
        return 1;
    case WEIR_PIXEL_I420:
        row_bytes[1] = row_bytes[2] = half_width;
        rows[1] = rows[2] = half_height;
        return 3;
    case WEIR_PIXEL_I422:
        row_bytes[1] = row_bytes[2] = half_width;
        return 3;
    case WEIR_PIXEL_I444:
        row_bytes[1] = row_bytes[2] = width;
        return 3;
    case WEIR_PIXEL_NV12:
        row_bytes[1] = 2 * half_width;
        rows[1] = half_height;
        return 2;
    case WEIR_PIXEL_RGB:
    case WEIR_PIXEL_BGR:
        row_bytes[0] = 3 * width;
        return 1;
    }
    return 0;
}

static bool size_ok(int width, int height)
{
    return width >= 1 && width <= SIDE_MAX && height >= 1 && height <= SIDE_MAX;
}

static void describe(struct weir_image *image, enum weir_pixel_format format, int width, int height)
{
    image->format = format;
    image->range = WEIR_RANGE_FULL;
    image->matrix = WEIR_MATRIX_BT601;
    image->width = image->source_width = width;
    image->height = image->source_height = height;
}

struct weir_image *weir_image_new(struct weir_block_pool *pool, enum weir_pixel_format format, int width,
                                  int height)
{
    int row_bytes[3], rows[3];
    if (!size_ok(width, height))
        return NULL;
    int planes = plane_sizes(format, width, height, row_bytes, rows);
    size_t offset[3], total = HEAD_BYTES;
    int stride[3];
    for (int p = 0; p < planes; p++) {
        stride[p] = (row_bytes[p] + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
        offset[p] = total;
        total += (size_t)stride[p] * (size_t)rows[p];
    }
    struct weir_block *block = weir_block_get(pool, total);
    if (block == NULL)
        return NULL;
    block->size = total;
    struct owned_image *owned = (struct owned_image *)(void *)block->data;
    *owned = (struct owned_image){.block = block};
    atomic_init(&owned->refs, 1);
    describe(&owned->image, format, width, height);
    for (int p = 0; p < planes; p++) {
        owned->image.plane[p] = block->data + offset[p];
        owned->image.stride[p] = stride[p];
    }
    return &owned->image;
}

struct weir_image *weir_image_ref(struct weir_image *image)
{
    struct owned_image *owned = (struct owned_image *)image;
    atomic_fetch_add_explicit(&owned->refs, 1, memory_order_relaxed);
    return image;
}

void weir_image_unref(struct weir_image **image)
{
    struct owned_image *owned = (struct owned_image *)*image;
    *image = NULL;
    if (owned == NULL || atomic_fetch_sub_explicit(&owned->refs, 1, memory_order_acq_rel) != 1)
        return;
    struct weir_block *block = owned->block;
    if (block == NULL)
        free(owned);
    else
        weir_block_unref(&block);
}

int weir_image_wrap(struct weir_image **out, enum weir_pixel_format format, int width, int height,
                    const void *bytes, size_t size, struct weir_error *err)
{
    int row_bytes[3], rows[3];
    *out = NULL;
    if (!size_ok(width, height))
        return weir_error_set(err, -EINVAL,
                              "a picture of %d x %d pixels was given, expected 1 to %d on each side", width,
                              height, SIDE_MAX);
    int planes = plane_sizes(format, width, height, row_bytes, rows);
    size_t needed = 0;
    for (int p = 0; p < planes; p++)
        needed += (size_t)row_bytes[p] * (size_t)rows[p];
    if (size != needed)
        return weir_error_set(err, -EINVAL,
                              "%s of %d x %d pixels is %zu bytes, found %zu: send rows without padding",
                              weir_pixel_format_name(format), width, height, needed, size);
    struct owned_image *owned = calloc(1, sizeof *owned);
    if (owned == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a picture");
    atomic_init(&owned->refs, 1);
    describe(&owned->image, format, width, height);
    /* Images are read-only once published and this one is published from the start: nobody writes here. */
    uint8_t *at = (uint8_t *)(uintptr_t)bytes;
    for (int p = 0; p < planes; p++) {
        owned->image.plane[p] = at;
        owned->image.stride[p] = row_bytes[p];
        at += (size_t)row_bytes[p] * (size_t)rows[p];
    }
    *out = &owned->image;
    return 0;
}

const char *weir_pixel_format_name(enum weir_pixel_format format)
{
    static const char *const names[] = {
        [WEIR_PIXEL_GRAY] = "gray", [WEIR_PIXEL_I420] = "i420", [WEIR_PIXEL_I422] = "i422",
        [WEIR_PIXEL_I444] = "i444", [WEIR_PIXEL_NV12] = "nv12", [WEIR_PIXEL_RGB] = "rgb",
        [WEIR_PIXEL_BGR] = "bgr",
    };
    assert((size_t)format < sizeof names / sizeof names[0]);
    return names[format];
}
