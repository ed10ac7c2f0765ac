/* SPDX-License-Identifier: Apache-2.0 */
/* Why not libyuv's I420Scale: its kFilterBilinear is the wanted kernel only for general down-scaling. Enlarging, it
 * aligns the corner pixels instead of half-pixel centres; at 3/4 and 3/8 (640x480 to 480x360, 1280x720 to 480x270)
 * it takes fixed box filters; boxes are then off by up to half a pixel and weak detections come and go with the
 * camera's size. This is one kernel for every ratio, and with colour and tensor fill about as fast
 * (tests/bench/bench_input.c).
 *
 * A row first goes down: two source rows are blended into 16 bits, 8 of them fraction, which the compiler
 * vectorises. Then along: neighbouring entries are blended with 11-bit weights. Rounding is done once, at the end. */
#include "image/scale.h"

#include <math.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

void weir_axis_compute(struct weir_axis *axis, const struct weir_axis_params *p)
{
    axis->count = p->count;
    axis->lo = axis->hi = 0;
    for (int i = 0; i < p->count; i++) {
        double position = ((p->first + i + 0.5) * p->step + p->origin) * p->density - 0.5;
        position = fmin(fmax(position, p->lowest), p->highest);
        int at = (int)position;
        int weight = (int)lrint((position - at) * WEIR_SCALE_ONE);
        if (weight == WEIR_SCALE_ONE) {
            at++;
            weight = 0;
        }
        axis->at[i] = at;
        axis->weight[i] = (uint16_t)weight;
    }
    axis->lo = axis->at[0];
    axis->hi = axis->at[p->count - 1] + (axis->weight[p->count - 1] != 0);
    for (int i = 0; i < p->count; i++)
        axis->at[i] -= axis->lo;
}

int weir_scale_line_entries(const struct weir_axis *across)
{
    return across->hi - across->lo + 2; /* one more: pixel pairs are read whole even where the second counts nothing */
}

/* n bytes of the two rows that output row y needs, blended into line (8 bits of fraction). */
static void blend_down(const struct weir_scale_source *source, const struct weir_axis *across,
                       const struct weir_axis *down, int y, int n, uint16_t *line)
{
    const uint8_t *upper = source->base + (int64_t)(down->lo + down->at[y]) * source->stride +
                           (int64_t)across->lo * source->channels;
    unsigned weight = (down->weight[y] + 4u) / 8u;
    if (weight == 0) {
        for (int x = 0; x < n; x++)
            line[x] = (uint16_t)(upper[x] << 8);
        return;
    }
    const uint8_t *lower = upper + source->stride;
    uint16_t a = (uint16_t)(256 - weight), b = (uint16_t)weight;
    for (int x = 0; x < n; x++)
        line[x] = (uint16_t)(upper[x] * a + lower[x] * b);
}

/* Of the 19 bits of fraction 3/8 is added before they are cut, not 1/2: OpenCV's integer arithmetic cuts twice on
 * the way and loses an eighth of a level on average, and the numbers that models are checked with come from it. */
enum { FRACTION_BITS = 19, ROUNDING = 3 << (FRACTION_BITS - 3) };

static inline uint8_t blend_pair(uint32_t left, uint32_t right, uint32_t weight)
{
    return (uint8_t)((left * (WEIR_SCALE_ONE - weight) + right * weight + ROUNDING) >> FRACTION_BITS);
}

#if defined(__SSE2__)
static inline __m128i load_pair(const uint16_t *line, int32_t at)
{
    int32_t pair;
    memcpy(&pair, line + at, sizeof pair);
    return _mm_cvtsi32_si128(pair);
}

/* Four blended pixels as 32-bit numbers. pmaddwd is signed: the line's values are taken minus 2^15 (the flip of
 * the top bit), which the rounding constant gives back, as the two weights add up to WEIR_SCALE_ONE. */
static inline __m128i blend_four(const uint16_t *line, const int32_t *at, const uint16_t *weight)
{
    __m128i ab = _mm_unpacklo_epi32(load_pair(line, at[0]), load_pair(line, at[1]));
    __m128i cd = _mm_unpacklo_epi32(load_pair(line, at[2]), load_pair(line, at[3]));
    __m128i pairs = _mm_xor_si128(_mm_unpacklo_epi64(ab, cd), _mm_set1_epi16((short)0x8000));
    __m128i right = _mm_loadl_epi64((const __m128i *)(const void *)weight);
    __m128i left = _mm_sub_epi16(_mm_set1_epi16(WEIR_SCALE_ONE), right);
    __m128i sum = _mm_madd_epi16(pairs, _mm_unpacklo_epi16(left, right));
    return _mm_srli_epi32(_mm_add_epi32(sum, _mm_set1_epi32(32768 * WEIR_SCALE_ONE + ROUNDING)), FRACTION_BITS);
}

static int blend_along_fast(const uint16_t *line, const struct weir_axis *across, uint8_t *out)
{
    int x = 0;
    for (; x + 8 <= across->count; x += 8) {
        __m128i low = blend_four(line, across->at + x, across->weight + x);
        __m128i high = blend_four(line, across->at + x + 4, across->weight + x + 4);
        __m128i words = _mm_packs_epi32(low, high);
        _mm_storel_epi64((__m128i *)(void *)(out + x), _mm_packus_epi16(words, words));
    }
    return x;
}
#else
static int blend_along_fast(const uint16_t *line, const struct weir_axis *across, uint8_t *out)
{
    (void)line, (void)across, (void)out;
    return 0;
}
#endif

void weir_scale_row(const struct weir_scale_source *source, const struct weir_axis *across,
                    const struct weir_axis *down, int y, uint16_t *line, uint8_t *out)
{
    int pixels = across->hi - across->lo + 1, step = source->channels;
    /* The last pixel of an interleaved row ends with its own component, not with its last byte. */
    int n = (pixels - 1) * step + 1;
    blend_down(source, across, down, y, n, line);
    if (step != 1)
        for (int x = 1; x < pixels; x++)
            line[x] = line[x * step];
    line[pixels] = line[pixels - 1];
    for (int x = blend_along_fast(line, across, out); x < across->count; x++) {
        const uint16_t *pair = line + across->at[x];
        out[x] = blend_pair(pair[0], pair[1], across->weight[x]);
    }
}

void weir_scale_row3(const struct weir_scale_source *source, const struct weir_axis *across,
                     const struct weir_axis *down, int y, uint16_t *line, uint8_t *out)
{
    int n = 3 * (across->hi - across->lo + 1);
    blend_down(source, across, down, y, n, line);
    memcpy(line + n, line + n - 3, 3 * sizeof *line);
    for (int x = 0; x < across->count; x++) {
        const uint16_t *pair = line + 3 * across->at[x];
        for (int c = 0; c < 3; c++)
            out[3 * x + c] = blend_pair(pair[c], pair[c + 3], across->weight[x]);
    }
}
