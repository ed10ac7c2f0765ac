/* SPDX-License-Identifier: Apache-2.0 */
/* Letterbox and tensor fill of I420 pictures against the same made of libyuv's functions (I420Scale,
 * I420ToARGB, then a plain loop to planes of floats). One JSON object a line: best of several rounds,
 * microseconds a picture. */
#include "base/clock.h"
#include "image/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libyuv.h>

enum { ROUNDS = 15, PICTURES = 20 };

static struct weir_input_spec spec_of(int side)
{
    return (struct weir_input_spec){.width = side,
                                    .height = side,
                                    .dtype = WEIR_DTYPE_F32,
                                    .pad = 114,
                                    .fit = WEIR_FIT_LETTERBOX_TOP_LEFT,
                                    .std = {255, 255, 255}};
}

static void with_libyuv(const struct weir_image *image, int side, const struct weir_placement *placed,
                        uint8_t *work, float *out)
{
    int w = placed->resized_width, h = placed->resized_height, cw = (w + 1) / 2, ch = (h + 1) / 2;
    uint8_t *y = work, *u = y + w * h, *v = u + cw * ch, *argb = v + cw * ch;
    I420Scale(image->plane[0], image->stride[0], image->plane[1], image->stride[1], image->plane[2],
              image->stride[2], image->width, image->height, y, w, u, cw, v, cw, w, h, kFilterBilinear);
    J420ToARGB(y, w, u, cw, v, cw, argb, 4 * w, w, h);
    size_t plane = (size_t)side * (size_t)side;
    for (size_t i = 0; i < 3 * plane; i++)
        out[i] = 114.0f / 255;
    for (int row = 0; row < h; row++) {
        for (int x = 0; x < w; x++) {
            const uint8_t *pixel = argb + 4 * (row * w + x);
            float *to = out + row * side + x;
            to[0] = (float)pixel[2] * (1.0f / 255);
            to[plane] = (float)pixel[1] * (1.0f / 255);
            to[2 * plane] = (float)pixel[0] * (1.0f / 255);
        }
    }
}

static void measure(struct weir_block_pool *pool, int width, int height, int side)
{
    struct weir_image *image = weir_image_new(pool, WEIR_PIXEL_I420, width, height);
    struct weir_input_spec spec = spec_of(side);
    struct weir_input_scratch *scratch = weir_input_scratch_new();
    float *out = malloc(weir_input_bytes(&spec));
    uint8_t *work = malloc((size_t)side * (size_t)side * 8);
    for (int p = 0; p < 3; p++)
        memset(image->plane[p], 90 + 30 * p,
               (size_t)image->stride[p] * (size_t)(p ? (height + 1) / 2 : height));
    struct weir_placement placed;
    weir_placement_compute(&spec, width, height, &placed);
    int64_t best[2] = {INT64_MAX, INT64_MAX};
    for (int round = 0; round < ROUNDS; round++) {
        for (int side_of = 0; side_of < 2; side_of++) {
            int64_t start = weir_clock_thread_cpu_ns();
            for (int i = 0; i < PICTURES; i++) {
                if (side_of == 0)
                    (void)weir_input_fill(scratch, &spec, image, NULL, out, NULL);
                else
                    with_libyuv(image, side, &placed, work, out);
            }
            int64_t took = (weir_clock_thread_cpu_ns() - start) / PICTURES;
            best[side_of] = took < best[side_of] ? took : best[side_of];
        }
    }
    printf(
        "{\"bench\": \"input\", \"source\": [%d, %d], \"input\": %d, \"weir_us\": %.1f, \"libyuv_us\": %.1f, "
        "\"ratio\": %.2f}\n",
        width, height, side, (double)best[0] / 1e3, (double)best[1] / 1e3, (double)best[0] / (double)best[1]);
    free(work);
    free(out);
    weir_input_scratch_free(&scratch);
    weir_image_unref(&image);
}

int main(void)
{
    struct weir_block_pool *pool = weir_block_pool_new(64 << 20);
    measure(pool, 640, 480, 416);
    measure(pool, 768, 576, 416);
    measure(pool, 1280, 720, 640);
    measure(pool, 1920, 1080, 416);
    measure(pool, 320, 240, 416);
    weir_block_pool_free(&pool);
    return 0;
}
