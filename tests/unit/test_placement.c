/* SPDX-License-Identifier: Apache-2.0 */
#include "image/input.h"

#include "unit.h"

#include <math.h>
#include <stdlib.h>

static struct weir_input_spec letterbox(int width, int height, enum weir_fit fit)
{
    return (struct weir_input_spec){.width = width, .height = height, .fit = fit};
}

static void the_recipe_by_hand(void **state)
{
    (void)state;
    /* 3775 x 1571 into 1280: r = 0.33907, 1280 x 533 (532.69), above it (1280 - 533) / 2 = 373. */
    struct weir_input_spec spec = letterbox(1280, 1280, WEIR_FIT_LETTERBOX_CENTRED);
    struct weir_placement placed;
    weir_placement_compute(&spec, 3775, 1571, &placed);
    assert_int_equal(placed.resized_width, 1280);
    assert_int_equal(placed.resized_height, 533);
    assert_true(placed.offset_x == 0 && placed.offset_y == 373);

    /* 640 x 480 into 416: r = 0.65, 416 x 312. */
    spec = letterbox(416, 416, WEIR_FIT_LETTERBOX_TOP_LEFT);
    weir_placement_compute(&spec, 640, 480, &placed);
    assert_int_equal(placed.resized_height, 312);
    float box[4] = {0, 0, 208, 156};
    weir_placement_undo(&placed, box);
    assert_float_equal(box[2], 320, 1e-3);
    assert_float_equal(box[3], 240, 1e-3);

    spec = letterbox(300, 300, WEIR_FIT_CROP);
    weir_placement_compute(&spec, 600, 400, &placed);
    assert_int_equal(placed.resized_width, 450);
    assert_true(placed.offset_x == -75 && placed.offset_y == 0);

    spec = letterbox(300, 200, WEIR_FIT_STRETCH);
    weir_placement_compute(&spec, 100, 100, &placed);
    assert_true(placed.scale_x == 3.0f && placed.scale_y == 2.0f);
}

static void a_thin_picture_keeps_a_row(void **state)
{
    (void)state;
    struct weir_input_spec spec = letterbox(640, 640, WEIR_FIT_LETTERBOX_TOP_LEFT);
    struct weir_placement placed;
    weir_placement_compute(&spec, 16384, 1, &placed);
    assert_int_equal(placed.resized_height, 1);
    weir_placement_compute(&spec, 1, 300, &placed);
    assert_int_equal(placed.resized_width, 2);
}

/* The picture's corners as the letterboxed input shows them come back as the corners of the source. */
static void check_corners(const struct weir_input_spec *spec, int width, int height)
{
    struct weir_placement placed;
    weir_placement_compute(spec, width, height, &placed);
    assert_true(placed.resized_width >= 1 && placed.resized_height >= 1);
    if (spec->fit != WEIR_FIT_CROP) {
        assert_true(placed.offset_x >= 0 &&
                    placed.offset_x + (float)placed.resized_width <= (float)spec->width);
        assert_true(placed.offset_y >= 0 &&
                    placed.offset_y + (float)placed.resized_height <= (float)spec->height);
    }
    float box[4] = {placed.offset_x, placed.offset_y, placed.offset_x + (float)placed.resized_width,
                    placed.offset_y + (float)placed.resized_height};
    weir_placement_undo(&placed, box);
    assert_true(fabsf(box[0]) < 0.01f && fabsf(box[1]) < 0.01f);
    assert_true(fabsf(box[2] - (float)width) < 0.01f && fabsf(box[3] - (float)height) < 0.01f);
}

static void corners_come_back(void **state)
{
    (void)state;
    static const int sides[] = {320, 416, 640, 1280};
    static const int sizes[][2] = {{3775, 1571}, {1600, 2128}, {427, 640}, {581, 640},
                                   {1024, 768},  {1, 1},       {4096, 1}};
    srand(1);
    for (int fit = WEIR_FIT_STRETCH; fit <= WEIR_FIT_CROP; fit++) {
        struct weir_input_spec spec = letterbox(640, 640, (enum weir_fit)fit);
        for (int i = 0; i < 10000; i++) {
            spec.width = sides[rand() % 4];
            spec.height = rand() % 2 ? spec.width : sides[rand() % 4];
            check_corners(&spec, 1 + rand() % 4096, 1 + rand() % 4096);
        }
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            check_corners(&spec, sizes[i][0], sizes[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_recipe_by_hand),
        cmocka_unit_test(a_thin_picture_keeps_a_row),
        cmocka_unit_test(corners_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
