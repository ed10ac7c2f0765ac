/* SPDX-License-Identifier: Apache-2.0 */
/* With a restart marker after each row of MCUs nothing in one row depends on another (T.81, F.1.1.5), so a
 * picture is put together from its header, the freshly encoded rows of the strip, and the old rows below: a
 * tenth of the work of encoding it whole. */
#include "sim/pattern.h"

#include "image/image.h"
#include "image/jpeg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS = 12, MCU = 16, STRIP_ROWS = 3, STRIP_HEIGHT = STRIP_ROWS * MCU };
enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7 };

struct weir_sim_pattern {
    struct weir_block_pool *pool;
    struct weir_sim_pattern_params params;
    struct weir_image *strip;
    struct weir_block *whole[COLOURS]; /* made when first needed */
};

struct colour {
    uint8_t y, u, v;
};

/* 5 x 7 dots, a byte a row, for the characters below. */
static const char glyph_names[] = "0123456789camfre ";
static const uint8_t glyphs[][GLYPH_HEIGHT] = {
    {14, 17, 19, 21, 25, 17, 14}, {4, 12, 4, 4, 4, 4, 14},    {14, 17, 1, 2, 4, 8, 31},
    {31, 2, 4, 2, 1, 17, 14},     {2, 6, 10, 18, 31, 2, 2},   {31, 16, 30, 1, 1, 17, 14},
    {6, 8, 16, 30, 17, 17, 14},   {31, 1, 2, 4, 8, 8, 8},     {14, 17, 17, 14, 17, 17, 14},
    {14, 17, 17, 15, 1, 2, 12},   {0, 0, 14, 16, 16, 17, 14}, {0, 0, 14, 1, 15, 17, 15},
    {0, 0, 26, 21, 21, 17, 17},   {6, 9, 8, 28, 8, 8, 8},     {0, 0, 22, 25, 16, 16, 16},
    {0, 0, 14, 17, 31, 16, 14},   {0, 0, 0, 0, 0, 0, 0},
};

static void fill(struct weir_image *image, int x, int y, int width, int height, struct colour colour)
{
    for (int row = y; row < y + height && row < image->height; row++) {
        int right = x + width < image->width ? x + width : image->width;
        if (right > x)
            memset(image->plane[0] + row * image->stride[0] + x, colour.y, (size_t)(right - x));
        int left = x / 2, end = (right + 1) / 2;
        if (row % 2 == 0 && end > left) {
            memset(image->plane[1] + row / 2 * image->stride[1] + left, colour.u, (size_t)(end - left));
            memset(image->plane[2] + row / 2 * image->stride[2] + left, colour.v, (size_t)(end - left));
        }
    }
}

static void print_text(struct weir_image *image, int x, int y, int dot, const char *text)
{
    static const struct colour ink = {235, 128, 128};
    for (; *text != '\0'; text++, x += (GLYPH_WIDTH + 1) * dot) {
        const char *found = strchr(glyph_names, *text);
        const uint8_t *rows = glyphs[found == NULL ? (int)sizeof glyph_names - 2 : found - glyph_names];
        for (int r = 0; r < GLYPH_HEIGHT; r++)
            for (int c = 0; c < GLYPH_WIDTH; c++)
                if (rows[r] >> (GLYPH_WIDTH - 1 - c) & 1)
                    fill(image, x + c * dot, y + r * dot, dot, dot, ink);
    }
}

static struct colour colour_of(const struct weir_sim_pattern *pattern, int index)
{
    unsigned mix = (unsigned)index * 2654435761u + pattern->params.seed * 40503u;
    return (struct colour){(uint8_t)(70 + mix % 60), (uint8_t)(70 + (mix >> 8) % 116),
                           (uint8_t)(70 + (mix >> 16) % 116)};
}

struct weir_sim_pattern *weir_sim_pattern_new(struct weir_block_pool *pool,
                                              const struct weir_sim_pattern_params *params)
{
    struct weir_sim_pattern *pattern = calloc(1, sizeof *pattern);
    if (pattern == NULL)
        return NULL;
    pattern->pool = pool;
    pattern->params = *params;
    pattern->strip = weir_image_new(pool, WEIR_PIXEL_I420, params->width, STRIP_HEIGHT);
    if (pattern->strip == NULL)
        weir_sim_pattern_free(&pattern);
    return pattern;
}

void weir_sim_pattern_free(struct weir_sim_pattern **pattern)
{
    if (*pattern != NULL) {
        weir_image_unref(&(*pattern)->strip);
        for (int i = 0; i < COLOURS; i++)
            weir_block_unref(&(*pattern)->whole[i]);
    }
    free(*pattern);
    *pattern = NULL;
}

/* The picture below the strip: steps of grey over the colour, so that a scaler or a decoder that fails is
 * seen. */
static struct weir_block *draw_whole(struct weir_sim_pattern *pattern, int index)
{
    const struct weir_sim_pattern_params *params = &pattern->params;
    struct weir_image *image = weir_image_new(pattern->pool, WEIR_PIXEL_I420, params->width, params->height);
    struct weir_block *block = NULL;
    if (image == NULL)
        return NULL;
    struct colour colour = colour_of(pattern, index);
    int step = (params->width + 7) / 8;
    for (int i = 0; i < 8; i++) {
        struct colour bar = colour;
        bar.y = (uint8_t)(colour.y + 12 * i);
        fill(image, i * step, 0, step, params->height, bar);
    }
    (void)weir_jpeg_encode_in_rows(&block, pattern->pool, image, params->quality, NULL);
    weir_image_unref(&image);
    return block;
}

/* Where row `row` of MCUs begins in a JPEG of rows: after SOS for row 0, else after the row'th restart
 * marker. */
static size_t find_row(const struct weir_block *jpeg, int row)
{
    const uint8_t *bytes = jpeg->data;
    size_t at = 2;
    while (bytes[at + 1] != 0xDA)
        at += 2u + ((size_t)bytes[at + 2] << 8 | bytes[at + 3]);
    at += 2u + ((size_t)bytes[at + 2] << 8 | bytes[at + 3]);
    for (; row > 0 && at + 1 < jpeg->size; at++)
        if (bytes[at] == 0xFF && bytes[at + 1] >= 0xD0 && bytes[at + 1] <= 0xD7 && --row == 0)
            return at + 2;
    return at;
}

static struct weir_block *join(struct weir_sim_pattern *pattern, const struct weir_block *strip,
                               const struct weir_block *whole)
{
    size_t head = find_row(whole, 0), rest = find_row(whole, STRIP_ROWS), from = find_row(strip, 0);
    size_t fresh = strip->size - 2 - from; /* without the EOI */
    struct weir_block *block = weir_block_get(pattern->pool, head + fresh + 2 + whole->size - rest);
    if (block == NULL)
        return NULL;
    uint8_t *to = block->data;
    memcpy(to, whole->data, head);
    memcpy(to + head, strip->data + from, fresh);
    to += head + fresh;
    *to++ = 0xFF;
    *to++ = 0xD0 + STRIP_ROWS - 1;
    memcpy(to, whole->data + rest, whole->size - rest);
    block->size = head + fresh + 2 + whole->size - rest;
    return block;
}

struct weir_block *weir_sim_pattern_draw(struct weir_sim_pattern *pattern, int camera, uint64_t frame)
{
    struct weir_block **whole = &pattern->whole[camera % COLOURS];
    if (*whole == NULL && (*whole = draw_whole(pattern, camera % COLOURS)) == NULL)
        return NULL;
    struct weir_image *strip = pattern->strip;
    int dot = strip->width >= 480 ? 4 : strip->width >= 240 ? 2 : 1;
    char text[64];
    (void)snprintf(text, sizeof text, "cam %d frame %llu", camera, (unsigned long long)frame);
    fill(strip, 0, 0, strip->width, STRIP_HEIGHT, (struct colour){30, 128, 128});
    print_text(strip, 2 * dot, dot, dot, text);
    int x = (int)(frame * 8 % (uint64_t)strip->width);
    fill(strip, x, STRIP_HEIGHT - 8, 16, 8, (struct colour){200, 60, 190});
    struct weir_block *fresh = NULL, *block = NULL;
    if (weir_jpeg_encode_in_rows(&fresh, pattern->pool, strip, pattern->params.quality, NULL) == 0)
        block = join(pattern, fresh, *whole);
    weir_block_unref(&fresh);
    return block;
}
