/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tensor.h"

#include "unit.h"

#include <math.h>
#include <string.h>

static void halves_are_converted_exactly(void **state)
{
    (void)state;
    const struct {
        float value;
        uint16_t half;
    } rows[] = {
        {1.0F, 0x3C00}, {0.5F, 0x3800}, {114.0F / 255, 0x3727}, {1.0F / 255, 0x1C04}, {65504, 0x7BFF}, {70000, 0x7C00},
        {-2, 0xC000},   {0, 0},         {-0.0F, 0x8000},        {0x1p-24F, 1},        {0x1p-14F, 0x0400}, {0x1p-26F, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(weir_f32_to_f16(rows[i].value), rows[i].half);
    assert_true(isnan(weir_f16_to_f32(weir_f32_to_f16(NAN))));
    assert_true(isinf(weir_f16_to_f32(0x7C00)));
}

static void every_half_survives_the_way_there_and_back(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        float f = weir_f16_to_f32((uint16_t)h);
        if (!isnan(f))
            assert_int_equal(weir_f32_to_f16(f), h);
    }
}

static void shapes_are_counted_without_overflow(void **state)
{
    (void)state;
    size_t count = 99;
    struct weir_shape shape = {4, {1, 3, 416, 416}};
    char text[WEIR_SHAPE_TEXT_MAX];
    assert_true(weir_shape_count(&shape, 4, &count));
    assert_int_equal(count, 519168);
    shape.dims[2] = WEIR_DIM_DYNAMIC;
    assert_false(weir_shape_count(&shape, 4, &count));
    assert_string_equal(weir_shape_text(&shape, text), "[1, 3, ?, 416]");
    shape = (struct weir_shape){3, {INT64_MAX / 2, 3, 3}};
    assert_false(weir_shape_count(&shape, 4, &count));
    shape = (struct weir_shape){0, {0}};
    assert_true(weir_shape_count(&shape, 4, &count));
    assert_int_equal(count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_are_converted_exactly),
        cmocka_unit_test(every_half_survives_the_way_there_and_back),
        cmocka_unit_test(shapes_are_counted_without_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
