/* SPDX-License-Identifier: Apache-2.0 */
/* The sums are in 16 bits with 5 of fraction, the factors in 13, so that a compiler can take eight pixels at a time
 * with the multiplication that keeps the upper half. libyuv's conversions are faster still, but their factors
 * have 6 bits and stop at 2: saturated blue is then up to 14 levels wrong with BT.709. */
#include "image/color.h"

/* ITU-R BT.601-7 and BT.709-6: V to red, U and V to green, U to blue; limited range stretches chroma by 255/224
 * and luma by 255/219. */
struct factors {
    int16_t luma, v_red, u_green, v_green, u_blue;
    int16_t black; /* luma of black */
};

#define FACTOR(x) ((int16_t)((x) * 8192 + 0.5))
#define STRETCHED (255.0 / 224)

static const struct factors table[2][2] = {
    [WEIR_RANGE_FULL] = {
        [WEIR_MATRIX_BT601] = {FACTOR(1.0), FACTOR(1.402), FACTOR(0.344136), FACTOR(0.714136), FACTOR(1.772), 0},
        [WEIR_MATRIX_BT709] = {FACTOR(1.0), FACTOR(1.5748), FACTOR(0.187324), FACTOR(0.468124), FACTOR(1.8556), 0},
    },
    [WEIR_RANGE_LIMITED] = {
        [WEIR_MATRIX_BT601] = {FACTOR(255.0 / 219), FACTOR(1.402 * STRETCHED), FACTOR(0.344136 * STRETCHED),
                               FACTOR(0.714136 * STRETCHED), FACTOR(1.772 * STRETCHED), 16},
        [WEIR_MATRIX_BT709] = {FACTOR(255.0 / 219), FACTOR(1.5748 * STRETCHED), FACTOR(0.187324 * STRETCHED),
                               FACTOR(0.468124 * STRETCHED), FACTOR(1.8556 * STRETCHED), 16},
    },
};

/* value (-128 to 255) times factor, with 5 bits of fraction. */
static inline int16_t times(int16_t value, int16_t factor)
{
    return (int16_t)(((int32_t)(int16_t)(value * 128) * factor) >> 15);
}

static inline uint8_t level(int16_t sum)
{
    int16_t value = (int16_t)((int16_t)(sum + 16) >> 5);
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

void weir_color_row_to_rgb(enum weir_color_range range, enum weir_color_matrix matrix, const uint8_t *restrict y,
                           const uint8_t *restrict u, const uint8_t *restrict v, uint8_t *restrict red,
                           uint8_t *restrict green, uint8_t *restrict blue, int n)
{
    const struct factors f = table[range][matrix];
    for (int i = 0; i < n; i++) {
        int16_t luma = times((int16_t)(y[i] - f.black), f.luma);
        int16_t from_u = (int16_t)(u[i] - 128), from_v = (int16_t)(v[i] - 128);
        red[i] = level((int16_t)(luma + times(from_v, f.v_red)));
        green[i] = level((int16_t)(luma - times(from_u, f.u_green) - times(from_v, f.v_green)));
        blue[i] = level((int16_t)(luma + times(from_u, f.u_blue)));
    }
}

void weir_color_expand_luma(uint8_t *luma, int n)
{
    for (int i = 0; i < n; i++) {
        int value = (((int)luma[i] - 16) * 255 + 109) / 219;
        luma[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
}

void weir_color_row_to_luma(const uint8_t *rgb, int red_offset, int blue_offset, uint8_t *luma, int n)
{
    /* 0.299, 0.587, 0.114 in 16 bits of fraction; they add up to 1. */
    for (int i = 0; i < n; i++) {
        const uint8_t *pixel = rgb + 3 * i;
        luma[i] = (uint8_t)((pixel[red_offset] * 19595u + pixel[1] * 38470u + pixel[blue_offset] * 7471u + 32768u) >> 16);
    }
}
