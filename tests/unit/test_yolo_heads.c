/* SPDX-License-Identifier: Apache-2.0 */

/* The YOLO families: layouts as exporters write them, boxes computed by hand, what is ambiguous refused. */

#include "fake_model.h"

#include <errno.h>

enum { ROWS = 8400, ANCHOR_ROWS = 25200 }; /* at 640: 80 x 80 + 40 x 40 + 20 x 20, and three times that */

/* Row 7: centre (32, 32), 16 x 16, class 3 at 0.9; row 8000: centre (10, 10), 8 x 8, class 79 at 0.8. */
static void put(float *v, size_t row, size_t value, float number, bool rows_first, size_t values)
{
    v[rows_first ? row * values + value : value * ROWS + row] = number;
}

static void put_two(float *v, bool rows_first, size_t values)
{
    const float first[] = {32, 32, 16, 16}, second[] = {10, 10, 8, 8};
    for (size_t i = 0; i < 4; i++) {
        put(v, 7, i, first[i], rows_first, values);
        put(v, 8000, i, second[i], rows_first, values);
    }
    put(v, 7, 4 + 3, 0.9F, rows_first, values);
    put(v, 7, 4 + 5, 0.6F, rows_first, values); /* not the row's best */
    put(v, 8000, 4 + 79, 0.8F, rows_first, values);
}

static void yolov8_either_way_round(void **state)
{
    (void)state;
    const struct weir_shape shapes[] = {SHAPE(1, 84, ROWS), SHAPE(1, ROWS, 84), SHAPE(84, ROWS)};
    for (size_t i = 0; i < 3; i++) {
        struct fake_model m;
        fake_init(&m, 640);
        put_two(fake_output(&m, "output0", shapes[i]), i == 1, 84);
        fake_read(&m, "yolov8");
        assert_int_equal(m.boxes.count, 2);
        weir_box_list_sort(&m.boxes, 10);
        fake_expect(&m, 0, 3, 0.9F, 24, 24, 40, 40);
        fake_expect(&m, 1, 79, 0.8F, 6, 6, 14, 14);
        fake_fini(&m);
    }
}

static void yolov8_with_open_sizes_takes_them_from_the_metadata(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, WEIR_DIM_DYNAMIC);
    fake_metadata(&m, "imgsz", "[640, 640]");
    fake_metadata(&m, "task", "detect");
    put_two(fake_open_output(&m, "output0", SHAPE(-1, 84, -1), SHAPE(1, 84, ROWS)), false, 84);
    fake_read(&m, "yolov8");
    assert_int_equal(m.spec.input.width, 640);
    assert_int_equal(m.boxes.count, 2);
    fake_fini(&m);
}

static void open_sizes_that_nobody_gives_are_assumed(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct fake_model m;
        fake_init(&m, WEIR_DIM_DYNAMIC);
        m.inputs[0].shape.dims[3] = i == 1 ? 320 : WEIR_DIM_DYNAMIC;
        m.params.recipe = i == 2 ? "416x256" : NULL;
        fake_open_output(&m, "output0", SHAPE(-1, 84, -1), SHAPE(1, 84, 1));
        assert_int_equal(fake_load(&m), 0);
        assert_int_equal(m.spec.input.width, i == 0 ? 640 : i == 1 ? 320 : 416);
        assert_int_equal(m.spec.input.height, i == 0 ? 640 : i == 1 ? 320 : 256);
        assert_int_equal(m.spec.size_assumed, i < 2);
        fake_fini(&m);
    }
}

static void yolov8_of_few_classes(void **state)
{
    (void)state;
    for (int64_t classes = 1; classes <= 2; classes++) {
        struct fake_model m;
        fake_init(&m, 640);
        float *v = fake_output(&m, "output0", SHAPE(1, 4 + classes, ROWS));
        const float box[] = {32, 32, 16, 16};
        for (size_t i = 0; i < 4; i++)
            put(v, 100, i, box[i], false, 0);
        put(v, 100, (size_t)(3 + classes), 0.7F, false, 0);
        fake_read(&m, "yolov8");
        assert_int_equal(m.boxes.count, 1);
        fake_expect(&m, 0, (int32_t)classes - 1, 0.7F, 24, 24, 40, 40);
        fake_fini(&m);
    }
}

static void masks_are_no_classes(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 640);
    fake_output(&m, "output0", SHAPE(1, 4 + 80 + 32, ROWS));
    fake_output(&m, "output1", SHAPE(1, 32, 160, 160));
    fake_read(&m, "yolov8");
    assert_int_equal(m.spec.classes, 80);
    fake_fini(&m);
}

static void yolov5_reads_the_joined_output_among_the_grids(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 640);
    fake_output(&m, "a", SHAPE(1, 3, 80, 80, 85));
    fake_output(&m, "b", SHAPE(1, 3, 40, 40, 85));
    float *v = fake_output(&m, "c", SHAPE(1, ANCHOR_ROWS, 85)) + (size_t)100 * 85;
    fake_output(&m, "d", SHAPE(1, 3, 20, 20, 85));
    const float row[] = {32, 32, 16, 16, 0.9F, 0, 0, 0.1F, 0.5F};
    memcpy(v, row, sizeof row);
    fake_read(&m, "yolov5");
    assert_int_equal(m.spec.classes, 80);
    assert_int_equal(m.boxes.count, 1);
    fake_expect(&m, 0, 3, 0.45F, 24, 24, 40, 40);
    fake_fini(&m);
}

static void raw_grids_alone_are_refused(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 640);
    fake_output(&m, "a", SHAPE(1, 3, 80, 80, 85));
    fake_output(&m, "b", SHAPE(1, 3, 40, 40, 85));
    fake_output(&m, "d", SHAPE(1, 3, 20, 20, 85));
    assert_int_equal(fake_load(&m), -ENOTSUP);
    assert_non_null(strstr(m.err.text, "[1, 3, 20, 20, 85]"));
    fake_fini(&m);
}

static void finished_lists(void **state)
{
    (void)state;
    const float rows[] = {8, 8, 24, 24, 0.9F, 3, 9, 8, 24, 24, 0.85F, 3, 1, 1, 5, 5, 0.8F, 79};
    const float led[] = {0, 8, 8, 24, 24, 3, 0.9F, 0, 9, 8, 24, 24, 3, 0.85F, 0, 1, 1, 5, 5, 79, 0.8F};
    for (int i = 0; i < 2; i++) {
        struct fake_model m;
        fake_init(&m, 640);
        float *v = i == 0 ? fake_output(&m, "output0", SHAPE(1, 300, 6)) : fake_open_output(&m, "o", SHAPE(-1, 7), SHAPE(3, 7));
        memcpy(v, i == 0 ? rows : led, i == 0 ? sizeof rows : sizeof led);
        fake_read(&m, "yolov10");
        assert_false(m.spec.head->suppress); /* the two that overlap both stay */
        assert_int_equal(m.boxes.count, 3);
        fake_expect(&m, 0, 3, 0.9F, 8, 8, 24, 24);
        fake_expect(&m, 1, 3, 0.85F, 9, 8, 24, 24);
        fake_expect(&m, 2, 79, 0.8F, 1, 1, 5, 5);
        fake_fini(&m);
    }
}

static void an_empty_list_is_an_empty_scene(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 640);
    fake_open_output(&m, "output0", SHAPE(-1, 6), SHAPE(0, 6));
    free(m.tensors[0].data);
    m.tensors[0].data = NULL;
    fake_read(&m, "yolov10");
    assert_int_equal(m.boxes.count, 0);
    assert_int_equal(m.boxes.suspect, 0);
    fake_fini(&m);
}

/* Boxes of 0..1 where pixels are expected are reported; "-norm" says that they are meant so. */
static void normalised_boxes(void **state)
{
    (void)state;
    static const char *const layouts[] = {NULL, "yolov10-norm"};
    for (int i = 0; i < 2; i++) {
        struct fake_model m;
        fake_init(&m, 640);
        m.params.layout = layouts[i];
        const float row[] = {0.25F, 0.5F, 0.5F, 1, 0.9F, 3};
        memcpy(fake_output(&m, "output0", SHAPE(1, 300, 6)), row, sizeof row);
        fake_read(&m, "yolov10");
        assert_int_equal(m.boxes.suspect, i == 0);
        if (i == 1)
            fake_expect(&m, 0, 3, 0.9F, 160, 320, 320, 640);
        fake_fini(&m);
    }
}

static void expect_ambiguous(struct weir_shape shape, const char *names)
{
    struct fake_model m;
    fake_init(&m, 640);
    fake_output(&m, "output0", shape);
    assert_int_equal(fake_load(&m), -ENOTSUP);
    assert_non_null(strstr(m.err.text, "layout"));
    if (strstr(m.err.text, names) == NULL)
        fail_msg("expected %s in: %s", names, m.err.text);
    fake_fini(&m);
}

static void what_can_be_read_in_two_ways_is_refused(void **state)
{
    (void)state;
    expect_ambiguous(SHAPE(1, 6, 6), "yolov10");
    expect_ambiguous(SHAPE(1, ROWS, 7), "yolox, yolov8");
    expect_ambiguous(SHAPE(1, 56, ROWS), "yolov8, yolov8-pose");
}

static void names_settle_what_shapes_do_not(void **state)
{
    (void)state;
    static const char *const lists[] = {"['a', 'b']", "['a', 'b', 'c']"};
    static const char *const heads[] = {"yolox", "yolov8"};
    for (int i = 0; i < 2; i++) {
        struct fake_model m;
        char label[64];
        fake_init(&m, 640);
        fake_metadata(&m, "names", lists[i]);
        fake_output(&m, "output0", SHAPE(1, ROWS, 7));
        fake_read(&m, heads[i]);
        weir_labels_copy(&m.spec.labels, 1, label, sizeof label);
        assert_string_equal(label, "b");
        fake_fini(&m);
    }
}

static void keypoints_follow_their_box(void **state)
{
    (void)state;
    struct fake_model m;
    struct weir_point points[WEIR_HEAD_POINTS_MAX];
    fake_init(&m, 640);
    fake_metadata(&m, "task", "pose");
    fake_metadata(&m, "kpt_shape", "[17, 3]");
    float *v = fake_output(&m, "output0", SHAPE(1, 56, ROWS));
    const float row[] = {100, 200, 40, 80, 0.9F, 95, 170, 0.8F};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        put(v, 55, i, row[i], false, 0);
    fake_read(&m, "yolov8-pose");
    assert_int_equal(m.boxes.count, 1);
    fake_expect(&m, 0, 0, 0.9F, 80, 160, 120, 240);
    assert_int_equal(m.spec.head->points(&m.spec, m.tensors, &m.boxes.boxes[0], points), 17);
    assert_float_equal(points[0].x, 95, 0);
    assert_float_equal(points[0].y, 170, 0);
    assert_float_equal(points[0].score, 0.8F, 0);
    fake_fini(&m);
}

static void oriented_boxes_have_an_angle(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 640);
    fake_metadata(&m, "task", "obb");
    float *v = fake_output(&m, "output0", SHAPE(1, 4 + 15 + 1, ROWS));
    const float row[] = {100, 200, 40, 80, 0, 0.9F};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        put(v, 5, i, row[i], false, 0);
    put(v, 5, 4 + 15, 1.25F, false, 0);
    fake_read(&m, "yolov8-obb");
    assert_int_equal(m.spec.classes, 15);
    fake_expect(&m, 0, 1, 0.9F, 80, 160, 120, 240);
    assert_float_equal(m.boxes.boxes[0].angle, 1.25F, 0);
    fake_fini(&m);
}

static void lies_are_counted(void **state)
{
    (void)state;
    const float lies[][5] = {{NAN, 9, 9, 9, 0.9F}, {9, INFINITY, 9, 9, 0.9F}, {9, 9, -4, 9, 0.9F}, {9, 9, 9, 0, 0.9F},
                             {9, 9, 9, 9, NAN},    {9, 9, 9, 9, 658}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct fake_model m;
        fake_init(&m, 640);
        float *v = fake_output(&m, "output0", SHAPE(1, 6, ROWS));
        for (size_t k = 0; k < 5; k++)
            put(v, 5, k, lies[i][k], false, 0);
        fake_read(&m, "yolov8");
        assert_int_equal(m.boxes.count, 0);
        assert_int_equal(m.boxes.suspect, 1);
        fake_fini(&m);
    }
}

static void nas_has_boxes_and_scores_apart(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 640);
    float *scores = fake_output(&m, "scores", SHAPE(1, ROWS, 80));
    float *boxes = fake_output(&m, "boxes", SHAPE(1, ROWS, 4));
    const float box[] = {10, 20, 30, 60};
    memcpy(boxes + (size_t)99 * 4, box, sizeof box);
    scores[99 * 80 + 2] = 0.8F;
    fake_read(&m, "yolo-nas");
    assert_int_equal(m.boxes.count, 1);
    fake_expect(&m, 0, 2, 0.8F, 10, 20, 30, 60);
    fake_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yolov8_either_way_round),
        cmocka_unit_test(yolov8_with_open_sizes_takes_them_from_the_metadata),
        cmocka_unit_test(open_sizes_that_nobody_gives_are_assumed),
        cmocka_unit_test(yolov8_of_few_classes),
        cmocka_unit_test(masks_are_no_classes),
        cmocka_unit_test(yolov5_reads_the_joined_output_among_the_grids),
        cmocka_unit_test(raw_grids_alone_are_refused),
        cmocka_unit_test(finished_lists),
        cmocka_unit_test(an_empty_list_is_an_empty_scene),
        cmocka_unit_test(normalised_boxes),
        cmocka_unit_test(what_can_be_read_in_two_ways_is_refused),
        cmocka_unit_test(names_settle_what_shapes_do_not),
        cmocka_unit_test(keypoints_follow_their_box),
        cmocka_unit_test(oriented_boxes_have_an_angle),
        cmocka_unit_test(lies_are_counted),
        cmocka_unit_test(nas_has_boxes_and_scores_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
