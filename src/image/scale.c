/* SPDX-License-Identifier: Apache-2.0 */
/* Why not libyuv's I420Scale: its kFilterBilinear is the wanted kernel only for general down-scaling.
 * Enlarging, it aligns the corner pixels instead of half-pixel centres; at 3/4 and 3/8 (640x480 to 480x360,
 * 1280x720 to 480x270) it takes fixed box filters; boxes are then off by up to half a pixel and weak
 * detections come and go with the camera's size. This is one kernel for every ratio, and with colour and
 * tensor fill about as fast (tests/bench/bench_input.c).
 *
 * The numbers that models are checked with come from OpenCV, whose integer arithmetic loses a fraction of a
 * level on the way; this has the same steps in the same order, so it loses the same: weights of 11 bits, four
 * bits cut after the pass along the row, sixteen after each half of the pass down, and a rounded cut of the
 * last two. */
#include "image/scale.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

void weir_axis_compute(struct weir_axis *axis, const struct weir_axis_params *p)
{
    axis->count = p->count;
    axis->highest = p->highest;
    axis->straight = p->count > 1;
    int begin = 0;
    for (int i = 0; i < p->count; i++) {
        double position = ((p->first + i + 0.5) * p->step + p->origin) * p->density - 0.5;
        position = fmin(fmax(position, p->lowest), p->highest);
        int at = (int)position, weight = (int)lrint((position - at) * WEIR_SCALE_ONE);
        begin = i == 0 ? at : begin;
        axis->straight &= weight == 0 && at == begin + i;
        if (at == p->highest && at > p->lowest) {
            at--; /* pairs are read whole: none may begin with the last sample */
            weight = WEIR_SCALE_ONE;
        }
        axis->at[i] = at;
        axis->weight[i] = (uint16_t)weight;
    }
}

static inline int16_t blend_along(int left, int right, int weight)
{
    return (int16_t)((left * (WEIR_SCALE_ONE - weight) + right * weight) >> 4);
}

static inline uint8_t blend_down(int upper, int lower, int weight)
{
    return (uint8_t)(((upper * (WEIR_SCALE_ONE - weight) >> 16) + (lower * weight >> 16) + 2) >> 2);
}

#if defined(__SSE2__)
static inline int load_pair(const uint8_t *row, int32_t at)
{
    uint16_t pair;
    memcpy(&pair, row + at, sizeof pair);
    return pair;
}

static inline __m128i load_eight_pairs(const uint8_t *row, const int32_t *at)
{
    __m128i pairs = _mm_cvtsi32_si128(load_pair(row, at[0]));
    pairs = _mm_insert_epi16(pairs, load_pair(row, at[1]), 1);
    pairs = _mm_insert_epi16(pairs, load_pair(row, at[2]), 2);
    pairs = _mm_insert_epi16(pairs, load_pair(row, at[3]), 3);
    pairs = _mm_insert_epi16(pairs, load_pair(row, at[4]), 4);
    pairs = _mm_insert_epi16(pairs, load_pair(row, at[5]), 5);
    pairs = _mm_insert_epi16(pairs, load_pair(row, at[6]), 6);
    return _mm_insert_epi16(pairs, load_pair(row, at[7]), 7);
}

static int along_fast(const uint8_t *row, const struct weir_axis *across, int16_t *to)
{
    const __m128i zero = _mm_setzero_si128(), one = _mm_set1_epi16(WEIR_SCALE_ONE);
    int x = 0;
    for (; x + 8 <= across->count; x += 8) {
        __m128i pairs = load_eight_pairs(row, across->at + x);
        __m128i right = _mm_loadu_si128((const __m128i *)(const void *)(across->weight + x));
        __m128i left = _mm_sub_epi16(one, right);
        __m128i low = _mm_madd_epi16(_mm_unpacklo_epi8(pairs, zero), _mm_unpacklo_epi16(left, right));
        __m128i high = _mm_madd_epi16(_mm_unpackhi_epi8(pairs, zero), _mm_unpackhi_epi16(left, right));
        __m128i blended = _mm_packs_epi32(_mm_srai_epi32(low, 4), _mm_srai_epi32(high, 4));
        _mm_storeu_si128((__m128i *)(void *)(to + x), blended);
    }
    return x;
}

static int down_fast(const int16_t *upper, const int16_t *lower, int weight, uint8_t *out, int n)
{
    const __m128i below = _mm_set1_epi16((short)weight),
                  above = _mm_set1_epi16((short)(WEIR_SCALE_ONE - weight));
    int x = 0;
    for (; x + 8 <= n; x += 8) {
        __m128i a = _mm_mulhi_epi16(_mm_loadu_si128((const __m128i *)(const void *)(upper + x)), above);
        __m128i b = _mm_mulhi_epi16(_mm_loadu_si128((const __m128i *)(const void *)(lower + x)), below);
        __m128i level = _mm_srli_epi16(_mm_add_epi16(_mm_add_epi16(a, b), _mm_set1_epi16(2)), 2);
        _mm_storel_epi64((__m128i *)(void *)(out + x), _mm_packus_epi16(level, level));
    }
    return x;
}
#else
static int along_fast(const uint8_t *row, const struct weir_axis *across, int16_t *to)
{
    (void)row, (void)across, (void)to;
    return 0;
}

static int down_fast(const int16_t *upper, const int16_t *lower, int weight, uint8_t *out, int n)
{
    (void)upper, (void)lower, (void)weight, (void)out, (void)n;
    return 0;
}
#endif

/* The same numbers as those of blending with no weight on the right. */
static void along_straight(const uint8_t *row, int n, int16_t *to)
{
    for (int x = 0; x < n; x++)
        to[x] = (int16_t)(row[x] * (WEIR_SCALE_ONE >> 4));
}

/* One source row, blended along, into `to`. */
static void along(const struct weir_scaler *scaler, int row, int16_t *to)
{
    const uint8_t *from = scaler->base + (ptrdiff_t)row * scaler->stride;
    const struct weir_axis *across = scaler->across;
    if (across->straight && scaler->step == scaler->components) {
        along_straight(from + (ptrdiff_t)across->at[0] * scaler->step, across->count * scaler->components,
                       to);
        return;
    }
    /* With a single sample to take from there is no pair to read. */
    bool pairs = across->at[0] < across->highest;
    int x = pairs && scaler->step == 1 ? along_fast(from, across, to) : 0;
    for (; x < across->count; x++) {
        const uint8_t *left = from + (ptrdiff_t)across->at[x] * scaler->step;
        const uint8_t *right = pairs ? left + scaler->step : left;
        for (int c = 0; c < scaler->components; c++)
            to[x * scaler->components + c] = blend_along(left[c], right[c], across->weight[x]);
    }
}

/* Source row `row`, blended along; the row that is held for `other` stays. */
static const int16_t *fetch(struct weir_scaler *scaler, int row, int other)
{
    for (int i = 0; i < 2; i++)
        if (scaler->held[i] == row)
            return scaler->rows[i];
    int slot = scaler->held[0] == other ? 1 : 0;
    along(scaler, row, scaler->rows[slot]);
    scaler->held[slot] = row;
    return scaler->rows[slot];
}

void weir_scaler_row(struct weir_scaler *scaler, int y, uint8_t *out)
{
    const struct weir_axis *down = scaler->down;
    int top = down->at[y], weight = down->weight[y], n = scaler->across->count * scaler->components;
    int bottom = weight == 0 ? top : top + 1;
    const int16_t *upper = fetch(scaler, top, bottom), *lower = fetch(scaler, bottom, top);
    for (int x = down_fast(upper, lower, weight, out, n); x < n; x++)
        out[x] = blend_down(upper[x], lower[x], weight);
}
