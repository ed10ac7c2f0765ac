/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tensor.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [WEIR_DTYPE_NONE] = {"unknown", 0}, [WEIR_DTYPE_F32] = {"float32", 4}, [WEIR_DTYPE_F16] = {"float16", 2},
    [WEIR_DTYPE_U8] = {"uint8", 1},     [WEIR_DTYPE_I8] = {"int8", 1},     [WEIR_DTYPE_I32] = {"int32", 4},
    [WEIR_DTYPE_I64] = {"int64", 8},
};

size_t weir_dtype_size(enum weir_dtype dtype)
{
    return dtypes[dtype].size;
}

const char *weir_dtype_name(enum weir_dtype dtype)
{
    return dtypes[dtype].name;
}

bool weir_shape_count(const struct weir_shape *shape, size_t element_size, size_t *count)
{
    size_t n = 1;
    for (int i = 0; i < shape->rank; i++) {
        int64_t d = shape->dims[i];
        if (d < 0 || __builtin_mul_overflow(n, (size_t)d, &n))
            return false;
    }
    size_t bytes;
    if (__builtin_mul_overflow(n, element_size, &bytes))
        return false;
    *count = n;
    return true;
}

char *weir_shape_text(const struct weir_shape *shape, char *text)
{
    size_t n = (size_t)snprintf(text, WEIR_SHAPE_TEXT_MAX, "[");
    for (int i = 0; i < shape->rank && n < WEIR_SHAPE_TEXT_MAX; i++) {
        const char *comma = i > 0 ? ", " : "";
        if (shape->dims[i] < 0)
            n += (size_t)snprintf(text + n, WEIR_SHAPE_TEXT_MAX - n, "%s?", comma);
        else
            n += (size_t)snprintf(text + n, WEIR_SHAPE_TEXT_MAX - n, "%s%lld", comma, (long long)shape->dims[i]);
    }
    if (n < WEIR_SHAPE_TEXT_MAX)
        (void)snprintf(text + n, WEIR_SHAPE_TEXT_MAX - n, "]");
    return text;
}

float weir_f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t exponent = h >> 10 & 31;
    uint32_t mantissa = h & 0x3FF;
    uint32_t bits;
    if (exponent == 31) {
        bits = sign | 0x7F800000 | mantissa << 13;
    } else if (exponent != 0) {
        bits = sign | (exponent + 112) << 23 | mantissa << 13;
    } else {
        float subnormal = (float)mantissa * 0x1p-24F;
        memcpy(&bits, &subnormal, 4);
        bits |= sign;
    }
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

uint16_t weir_f32_to_f16(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000)
        return sign | 0x7E00; /* NaN */
    if (magnitude >= 0x477FF000)
        return sign | 0x7C00; /* rounds to 65536 or more */
    if (magnitude < 0x38800000) { /* below 2^-14: subnormal, counted in steps of 2^-24 */
        float absolute;
        memcpy(&absolute, &magnitude, 4);
        float shifted = absolute + 0x1p-1F; /* one step of 2^-24 is now the last mantissa bit; the FPU rounds to even */
        uint32_t steps;
        memcpy(&steps, &shifted, 4);
        return sign | (uint16_t)(steps - 0x3F000000);
    }
    uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
    return sign | (uint16_t)((rounded - 0x38000000) >> 13);
}
