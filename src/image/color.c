/* SPDX-License-Identifier: Apache-2.0 */
/* The sums are in 16 bits with 5 of fraction, the factors in 13 or 14, so that eight pixels are done at a
 * time with the multiplication that keeps the upper half; the plain code gives the very same numbers.
 * libyuv's conversions are faster still, but their factors have 6 bits and stop at 2: saturated blue is up to
 * 14 levels wrong with BT.709. */
#include "image/color.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* ITU-R BT.601-7 and BT.709-6: V to red, U and V to green, U to blue; limited range stretches chroma by
 * 255/224 and luma by 255/219. */
struct factors {
    int16_t luma, v_red, u_green, v_green, u_blue;
    int16_t black; /* luma of black */
};

#define LUMA(x)   ((int16_t)((x)*16384 + 0.5)) /* 14 bits of fraction */
#define FACTOR(x) ((int16_t)((x)*8192 + 0.5))  /* 13 */
#define STRETCHED (255.0 / 224)

/* clang-format off */
static const struct factors table[2][2] = {
    [WEIR_RANGE_FULL] = {
        [WEIR_MATRIX_BT601] = {LUMA(1.0), FACTOR(1.402), FACTOR(0.344136),
                               FACTOR(0.714136), FACTOR(1.772), 0},
        [WEIR_MATRIX_BT709] = {LUMA(1.0), FACTOR(1.5748), FACTOR(0.187324),
                               FACTOR(0.468124), FACTOR(1.8556), 0},
    },
    [WEIR_RANGE_LIMITED] = {
        [WEIR_MATRIX_BT601] = {LUMA(255.0 / 219), FACTOR(1.402 * STRETCHED), FACTOR(0.344136 * STRETCHED),
                               FACTOR(0.714136 * STRETCHED), FACTOR(1.772 * STRETCHED), 16},
        [WEIR_MATRIX_BT709] = {LUMA(255.0 / 219), FACTOR(1.5748 * STRETCHED), FACTOR(0.187324 * STRETCHED),
                               FACTOR(0.468124 * STRETCHED), FACTOR(1.8556 * STRETCHED), 16},
    },
};
/* clang-format on */

/* value times factor, with 5 bits of fraction. shift, 7 for luma and 8 for chroma, makes the value fill 16
 * bits. */
static inline int16_t times(int16_t value, int shift, int16_t factor)
{
    return (int16_t)((value * (1 << shift) * factor) >> 16);
}

static inline uint8_t level(int16_t sum)
{
    int16_t value = (int16_t)((int16_t)(sum + 16) >> 5);
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

#if defined(__SSE2__)
static inline __m128i eight(const uint8_t *bytes)
{
    return _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(const void *)bytes), _mm_setzero_si128());
}

static inline __m128i times_eight(__m128i values, int shift, int16_t factor)
{
    return _mm_mulhi_epi16(_mm_slli_epi16(values, shift), _mm_set1_epi16(factor));
}

static inline void store_levels(uint8_t *to, __m128i sums)
{
    __m128i levels = _mm_srai_epi16(_mm_add_epi16(sums, _mm_set1_epi16(16)), 5);
    _mm_storel_epi64((__m128i *)(void *)to, _mm_packus_epi16(levels, levels));
}

static int row_to_rgb_fast(const struct factors *f, const uint8_t *y, const uint8_t *u, const uint8_t *v,
                           uint8_t *red, uint8_t *green, uint8_t *blue, int n)
{
    const __m128i middle = _mm_set1_epi16(128), black = _mm_set1_epi16(f->black);
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i luma = times_eight(_mm_sub_epi16(eight(y + i), black), 7, f->luma);
        __m128i from_u = _mm_sub_epi16(eight(u + i), middle), from_v = _mm_sub_epi16(eight(v + i), middle);
        store_levels(red + i, _mm_add_epi16(luma, times_eight(from_v, 8, f->v_red)));
        __m128i without_u = _mm_sub_epi16(luma, times_eight(from_u, 8, f->u_green));
        store_levels(green + i, _mm_sub_epi16(without_u, times_eight(from_v, 8, f->v_green)));
        store_levels(blue + i, _mm_add_epi16(luma, times_eight(from_u, 8, f->u_blue)));
    }
    return i;
}
#else
static int row_to_rgb_fast(const struct factors *f, const uint8_t *y, const uint8_t *u, const uint8_t *v,
                           uint8_t *red, uint8_t *green, uint8_t *blue, int n)
{
    (void)f, (void)y, (void)u, (void)v, (void)red, (void)green, (void)blue, (void)n;
    return 0;
}
#endif

void weir_color_row_to_rgb(enum weir_color_range range, enum weir_color_matrix matrix, const uint8_t *y,
                           const uint8_t *u, const uint8_t *v, uint8_t *red, uint8_t *green, uint8_t *blue,
                           int n)
{
    const struct factors f = table[range][matrix];
    for (int i = row_to_rgb_fast(&f, y, u, v, red, green, blue, n); i < n; i++) {
        int16_t luma = times((int16_t)(y[i] - f.black), 7, f.luma);
        int16_t from_u = (int16_t)(u[i] - 128), from_v = (int16_t)(v[i] - 128);
        red[i] = level((int16_t)(luma + times(from_v, 8, f.v_red)));
        green[i] = level((int16_t)(luma - times(from_u, 8, f.u_green) - times(from_v, 8, f.v_green)));
        blue[i] = level((int16_t)(luma + times(from_u, 8, f.u_blue)));
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
        luma[i] = (uint8_t)((pixel[red_offset] * 19595u + pixel[1] * 38470u + pixel[blue_offset] * 7471u +
                             32768u) >>
                            16);
    }
}
