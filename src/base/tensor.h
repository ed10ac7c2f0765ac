/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_BASE_TENSOR_H
#define WEIR_BASE_TENSOR_H

/* A tensor as runtimes lend it and heads read it: element type, shape, bytes. No owner: whoever
 * lends it says how long it stays.
 * Thread-safety: plain value. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_dtype {
    WEIR_DTYPE_NONE, /* a type that weir does not know */
    WEIR_DTYPE_F32,
    WEIR_DTYPE_F16, /* IEEE 754 binary16 */
    WEIR_DTYPE_U8,
    WEIR_DTYPE_I8,
    WEIR_DTYPE_I32,
    WEIR_DTYPE_I64,
};

#define WEIR_TENSOR_RANK_MAX 8
#define WEIR_DIM_DYNAMIC     (-1) /* a size that is only known when run */

struct weir_shape {
    int rank;                            /* 0 is a scalar */
    int64_t dims[WEIR_TENSOR_RANK_MAX];  /* row-major; WEIR_DIM_DYNAMIC where a description leaves it open */
};

struct weir_tensor {
    const char *name;
    enum weir_dtype dtype;
    struct weir_shape shape; /* no dynamic dimension */
    void *data;              /* may be NULL when it has no elements */
    size_t size;             /* bytes */
};

size_t weir_dtype_size(enum weir_dtype dtype); /* bytes an element; 0 for NONE */
const char *weir_dtype_name(enum weir_dtype dtype); /* "float32", "float16", "uint8", ... "unknown" */
/* Elements of a shape without dynamic dimensions. False when one is dynamic or the product (in bytes of
 * element_size) does not fit. */
bool weir_shape_count(const struct weir_shape *shape, size_t element_size, size_t *count);
#define WEIR_SHAPE_TEXT_MAX 192
/* "[1, 3, ?, 416]" into text[WEIR_SHAPE_TEXT_MAX]; returns text. */
char *weir_shape_text(const struct weir_shape *shape, char *text);

/* IEEE binary16 conversions, round to nearest even; overflow gives infinity. */
float weir_f16_to_f32(uint16_t h);
uint16_t weir_f32_to_f16(float f);

#endif
