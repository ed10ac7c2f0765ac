/* SPDX-License-Identifier: Apache-2.0 */
/* Small files written out by hand, and, where the shared test data is there, the very input tensors that OpenCV
 * made from the same PNG file (models/golden.json: input_astronaut). */
#include "image/picture.h"

#include "image/input.h"

#include "shared.h"
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct weir_block_pool *pool;
    struct weir_image *image;
    struct weir_error err;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->pool = weir_block_pool_new(1 << 20);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    weir_image_unref(&f->image);
    weir_block_pool_free(&f->pool);
    free(f);
    return 0;
}

/* 2 x 2, bottom row first, rows padded to 4: (1,2,3) (4,5,6) above (7,8,9) (10,11,12), given as B, G, R. */
static const uint8_t bmp[70] = {
    'B', 'M', 70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0,
    [34] = 16, [54] = 7, 8, 9, 10, 11, 12, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0,
};

static void a_bmp_by_hand(void **state)
{
    struct fixture *f = *state;
    if (weir_picture_load(&f->image, f->pool, bmp, sizeof bmp, &f->err) < 0)
        fail_msg("%s", f->err.text);
    assert_int_equal(f->image->format, WEIR_PIXEL_BGR);
    assert_memory_equal(f->image->plane[0], ((uint8_t[]){1, 2, 3, 4, 5, 6}), 6);
    assert_memory_equal(f->image->plane[0] + f->image->stride[0], ((uint8_t[]){7, 8, 9, 10, 11, 12}), 6);
}

static void a_ppm_by_hand(void **state)
{
    struct fixture *f = *state;
    static const char ppm[] = "P6 1 2 255\nabcdef";
    assert_int_equal(weir_picture_load(&f->image, f->pool, ppm, sizeof ppm - 1, &f->err), 0);
    assert_memory_equal(f->image->plane[0], "cba", 3);
    assert_memory_equal(f->image->plane[0] + f->image->stride[0], "fed", 3);
}

static void what_is_no_picture_is_refused(void **state)
{
    struct fixture *f = *state;
    static const struct { const void *bytes; size_t size; const char *say; } rows[] = {
        {"", 0, "not a picture"},
        {"hello", 5, "not a picture"},
        {"\x89PNG\r\n\x1a\n", 8, "PNG"},
        {"\xFF\xD8\xFF\xD9", 4, "JPEG"},
        {bmp, 60, "BMP"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(weir_picture_load(&f->image, f->pool, rows[i].bytes, rows[i].size, &f->err) < 0);
        assert_null(f->image);
        if (strstr(f->err.text, rows[i].say) == NULL)
            fail_msg("%s", f->err.text);
    }
    assert_int_equal(weir_picture_load_file(&f->image, f->pool, "/nonexistent/x.png", &f->err), -ENOENT);
    assert_non_null(strstr(f->err.text, "/nonexistent/x.png"));
}

static void a_huge_header_is_refused(void **state)
{
    struct fixture *f = *state;
    uint8_t huge[70];
    memcpy(huge, bmp, sizeof bmp);
    huge[20] = huge[24] = 1; /* 65538 x 65538 */
    assert_true(weir_picture_load(&f->image, f->pool, huge, sizeof huge, &f->err) < 0);
}

static bool load_shared(struct fixture *f, const char *name)
{
    char path[PATH_MAX];
    if (!shared_path(path, name))
        return false;
    if (weir_picture_load_file(&f->image, f->pool, path, &f->err) < 0)
        fail_msg("%s", f->err.text);
    return true;
}

/* The first eight elements and the sum of the tensor. OpenCV's own rounding may differ by a level here and there. */
static void check_input(const struct fixture *f, const struct weir_input_spec *spec, const float first[8], double sum,
                        double slack)
{
    struct weir_input_scratch *scratch = weir_input_scratch_new();
    size_t count = weir_input_bytes(spec) / sizeof(float);
    float *data = test_malloc(count * sizeof *data);
    assert_int_equal(weir_input_fill(scratch, spec, f->image, NULL, data, NULL), 0);
    double got = 0;
    for (size_t i = 0; i < count; i++)
        got += (double)data[i];
    for (int i = 0; i < 8; i++)
        assert_float_equal(data[i], first[i], 1.001f / spec->std[0]);
    if (fabs(got - sum) > slack)
        fail_msg("sum %f, expected %f", got, sum);
    test_free(data);
    weir_input_scratch_free(&scratch);
}

static void inputs_are_those_of_opencv(void **state)
{
    struct fixture *f = *state;
    if (!load_shared(f, "media/astronaut.png"))
        return;
    static const struct weir_input_spec yolox = {
        .width = 416, .height = 416, .dtype = WEIR_DTYPE_F32, .order = WEIR_ORDER_BGR,
        .fit = WEIR_FIT_LETTERBOX_TOP_LEFT, .pad = 114, .std = {1, 1, 1},
    };
    static const float yolox_first[8] = {150, 118, 102, 107, 108, 128, 138, 134};
    check_input(f, &yolox, yolox_first, 59442080.0, 416 * 416 * 3 * 0.01);
    static const struct weir_input_spec fastestdet = {
        .width = 352, .height = 352, .dtype = WEIR_DTYPE_F32, .order = WEIR_ORDER_BGR, .std = {255, 255, 255},
    };
    static const float fastestdet_first[8] = {0.5843138f, 0.4470588f, 0.4078431f, 0.4392157f,
                                              0.509804f,  0.5529412f, 0.5254902f, 0.4117647f};
    check_input(f, &fastestdet, fastestdet_first, 166890.9, 352 * 352 * 3 * 0.01 / 255);
}

static void an_odd_png_has_its_size(void **state)
{
    struct fixture *f = *state;
    if (!load_shared(f, "media/chelsea.png"))
        return;
    assert_int_equal(f->image->width, 451);
    assert_int_equal(f->image->height, 300);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_bmp_by_hand),        CASE(a_ppm_by_hand),           CASE(what_is_no_picture_is_refused),
        CASE(a_huge_header_is_refused), CASE(inputs_are_those_of_opencv), CASE(an_odd_png_has_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
