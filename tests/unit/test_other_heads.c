/* SPDX-License-Identifier: Apache-2.0 */

/* Families beside YOLO and SSD: numbers made by hand, boxes computed by hand. */

#include "fake_model.h"

#include <errno.h>

/* NanoDet at 320: 1600 + 400 + 100 rows. Cell (10, 5) of stride 8, bin 2 of 8 certain on all sides: 2 * 8 = 16 pixels each
 * way from (10 * 8 + 3.5, 5 * 8 + 3.5). */
enum { CELL = 5 * 40 + 10, JOINED_ROWS = 2100 };

static void put_sides(float *distances)
{
    for (size_t side = 0; side < 4; side++)
        distances[side * 8 + 2] = 200;
}

static void nanodet_joined(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 320);
    m.params.layout = "nanodet"; /* 33 columns could be 28 classes of YOLOX too */
    float *row = fake_output(&m, "output", SHAPE(1, JOINED_ROWS, 33)) + (size_t)CELL * 33;
    row[0] = 0.9F;
    put_sides(row + 1);
    fake_read(&m, "nanodet");
    assert_int_equal(m.boxes.count, 1);
    fake_expect(&m, 0, 0, 0.9F, 67.5F, 27.5F, 99.5F, 59.5F);
    fake_fini(&m);
}

static void nanodet_in_six_tensors_of_any_order(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 320);
    fake_output(&m, "a", SHAPE(1, 100, 32));
    float *classes = fake_output(&m, "b", SHAPE(1, 1600, 80));
    fake_output(&m, "c", SHAPE(1, 400, 80));
    float *distances = fake_output(&m, "d", SHAPE(1, 1600, 32));
    fake_output(&m, "e", SHAPE(1, 100, 80));
    fake_output(&m, "f", SHAPE(1, 400, 32));
    classes[CELL * 80 + 7] = 0.9F;
    put_sides(distances + (size_t)CELL * 32);
    fake_read(&m, "nanodet");
    assert_int_equal(m.boxes.count, 1);
    fake_expect(&m, 0, 7, 0.9F, 67.5F, 27.5F, 99.5F, 59.5F);
    fake_fini(&m);
}

static void picodet_centres_are_half_a_cell_in(void **state)
{
    (void)state;
    struct fake_model m;
    const int64_t rows[] = {1600, 400, 100, 25};
    float *classes = NULL, *distances = NULL;
    fake_init(&m, 320);
    for (int i = 0; i < 4; i++) {
        float *c = fake_output(&m, "c", SHAPE(1, rows[i], 80)), *d = fake_output(&m, "d", SHAPE(1, rows[i], 32));
        classes = i == 3 ? c : classes;
        distances = i == 3 ? d : distances;
    }
    /* Stride 64, cell (2, 1) of 5 x 5: centre (160, 96), 2 * 64 each way. */
    classes[(1 * 5 + 2) * 80 + 1] = 0.6F;
    put_sides(distances + (size_t)(1 * 5 + 2) * 32);
    fake_read(&m, "picodet");
    assert_int_equal(m.boxes.count, 1);
    fake_expect(&m, 0, 1, 0.6F, 32, -32, 288, 224);
    fake_fini(&m);
}

static void logits_where_probabilities_belong_are_reported(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 320);
    m.params.layout = "nanodet";
    float *row = fake_output(&m, "output", SHAPE(1, JOINED_ROWS, 33)) + (size_t)CELL * 33;
    row[0] = 2.2F;
    put_sides(row + 1);
    fake_read(&m, "nanodet");
    assert_int_equal(m.boxes.count, 0);
    assert_int_equal(m.boxes.suspect, 1);
    fake_fini(&m);
}

static void fastestdet_cell(void **state)
{
    (void)state;
    struct fake_model m;
    enum { CELLS = 22 * 22 };
    fake_init(&m, 352);
    float *v = fake_output(&m, "758", SHAPE(1, 85, 22, 22)) + 3 * 22 + 4; /* row 3, column 4 */
    v[0] = 0.9F;
    v[CELLS] = 0.54930614F; /* tanh: 0.5 */
    v[3 * CELLS] = 0;       /* sigmoid: half the width */
    v[4 * CELLS] = -1.0986123F; /* sigmoid: a quarter of the height */
    v[(5 + 11) * CELLS] = 0.8F;
    fake_read(&m, "fastestdet");
    assert_int_equal(m.boxes.count, 1);
    /* 0.9^0.6 * 0.8^0.4 = exp(0.6 ln 0.9 + 0.4 ln 0.8) = exp(-0.152474); centre (4.5 * 16, 3 * 16), 176 x 88 */
    fake_expect(&m, 0, 11, 0.858581F, -16, 4, 160, 92);
    fake_fini(&m);
}

/* Four outputs in each of the 24 orders; x .6 to .9, y .1 to .2 of 300. */
static void tf_outputs_in_any_order(void **state)
{
    (void)state;
    for (int order = 0; order < 256; order++) {
        int place[4] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6};
        if (((1 << place[0]) | (1 << place[1]) | (1 << place[2]) | (1 << place[3])) != 15)
            continue;
        struct fake_model m;
        fake_init(&m, 300);
        for (int i = 0; i < 4; i++) {
            if (place[i] == 0) {
                const float rows[] = {0.1F, 0.6F, 0.2F, 0.9F, 0.1F, 0.6F, 0.2F, 0.9F, 0, 0, 1, 1};
                memcpy(fake_output(&m, "detection_boxes", SHAPE(1, 100, 4)), rows, sizeof rows);
            } else if (place[i] == 1) {
                const float rows[] = {1, 90, 5};
                memcpy(fake_output(&m, "detection_classes", SHAPE(1, 100)), rows, sizeof rows);
            } else if (place[i] == 2) {
                const float rows[] = {0.9F, 0.8F, 0.99F};
                memcpy(fake_output(&m, "detection_scores", SHAPE(1, 100)), rows, sizeof rows);
            } else {
                fake_output(&m, "num_detections", SHAPE(1))[0] = 2; /* the third is junk */
            }
        }
        fake_read(&m, "tf");
        assert_int_equal(m.boxes.count, 2);
        fake_expect(&m, 0, 1, 0.9F, 180, 30, 270, 60);
        fake_expect(&m, 1, 90, 0.8F, 180, 30, 270, 60);
        fake_fini(&m);
    }
}

static void tf_without_names_is_refused(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 300);
    fake_output(&m, "a", SHAPE(1, 100, 4));
    fake_output(&m, "b", SHAPE(1, 100));
    fake_output(&m, "c", SHAPE(1, 100));
    fake_output(&m, "d", SHAPE(1));
    assert_int_equal(fake_load(&m), -ENOTSUP);
    fake_fini(&m);
}

static void openvino_list_ends_at_minus_one(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 300);
    const float rows[] = {0, 2, 0.9F, 0.1F, 0.2F, 0.5F, 0.6F, -1, 0, 0, 0, 0, 0, 0, 0, 2, 0.9F, 0.1F, 0.2F, 0.5F, 0.6F};
    memcpy(fake_output(&m, "detection_out", SHAPE(1, 1, 100, 7)), rows, sizeof rows);
    fake_read(&m, "openvino");
    assert_int_equal(m.boxes.count, 1);
    fake_expect(&m, 0, 2, 0.9F, 30, 60, 150, 180);
    fake_fini(&m);
}

static void mmdet_boxes_and_labels(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 320);
    float *labels = fake_open_output(&m, "labels", SHAPE(-1), SHAPE(2));
    const float rows[] = {10, 20, 30, 60, 0.9F, 1, 1, 9, 9, 0.1F};
    memcpy(fake_open_output(&m, "boxes", SHAPE(-1, 5), SHAPE(2, 5)), rows, sizeof rows);
    labels[0] = 4;
    fake_read(&m, "mmdet");
    assert_int_equal(m.boxes.count, 1);
    fake_expect(&m, 0, 4, 0.9F, 10, 20, 30, 60);
    fake_fini(&m);
}

static void detr_logits(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 640);
    float *boxes = fake_output(&m, "pred_boxes", SHAPE(1, 300, 4)), *logits = fake_output(&m, "logits", SHAPE(1, 300, 80));
    const float box[] = {0.5F, 0.25F, 0.5F, 0.25F};
    for (size_t i = 0; i < (size_t)300 * 80; i++)
        logits[i] = -20;
    memcpy(boxes + (size_t)9 * 4, box, sizeof box);
    logits[9 * 80 + 15] = 1.0986123F; /* sigmoid: 0.75 */
    logits[9 * 80 + 16] = 0;          /* 0.5: the same box again, as another class */
    fake_read(&m, "detr");
    assert_int_equal(m.boxes.count, 2);
    fake_expect(&m, 0, 15, 0.75F, 160, 80, 480, 240);
    fake_expect(&m, 1, 16, 0.5F, 160, 80, 480, 240);
    fake_fini(&m);
}

static void known_extra_inputs_get_the_network_size(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 0);
    m.inputs[0].shape = SHAPE(-1, 3, 240, 320);
    fake_input(&m, "orig_target_sizes", WEIR_DTYPE_I64, SHAPE(-1, 2));
    fake_open_output(&m, "labels", SHAPE(-1, -1), SHAPE(1, 300))[3] = 15;
    float *boxes = fake_open_output(&m, "boxes", SHAPE(-1, -1, 4), SHAPE(1, 300, 4));
    fake_open_output(&m, "scores", SHAPE(-1, -1), SHAPE(1, 300))[3] = 0.7F;
    const float box[] = {10, 20, 30, 60};
    memcpy(boxes + (size_t)3 * 4, box, sizeof box);
    fake_read(&m, "deim");
    assert_int_equal(m.spec.extra_count, 1);
    assert_float_equal(m.spec.extra[0].values[0], 320, 0); /* width first */
    assert_float_equal(m.spec.extra[0].values[1], 240, 0);
    assert_int_equal(m.spec.extra[0].shape.dims[0], 1);
    assert_int_equal(m.boxes.count, 1);
    fake_expect(&m, 0, 15, 0.7F, 10, 20, 30, 60);
    fake_fini(&m);
}

static void unknown_extra_inputs_are_refused_by_name(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 640);
    fake_input(&m, "temperature", WEIR_DTYPE_F32, SHAPE(1));
    fake_output(&m, "output0", SHAPE(1, 84, 8400));
    assert_int_equal(fake_load(&m), -ENOTSUP);
    assert_non_null(strstr(m.err.text, "temperature"));
    fake_fini(&m);
}

static void labels_of_another_number_are_refused_with_both(void **state)
{
    (void)state;
    struct fake_model m;
    fake_init(&m, 640);
    m.params.labels = "objectron";
    fake_output(&m, "output0", SHAPE(1, 84, 8400));
    assert_int_equal(fake_load(&m), -EINVAL);
    assert_non_null(strstr(m.err.text, "80"));
    assert_non_null(strstr(m.err.text, "24"));
    fake_fini(&m);
}

/* Three of the thousand values; logits and probabilities are told apart. */
static void classes_of_the_whole_picture(void **state)
{
    (void)state;
    for (int logits = 0; logits < 2; logits++) {
        struct fake_model m;
        struct weir_result result;
        fake_init(&m, 224);
        fake_metadata(&m, "task", "classify");
        float *v = fake_output(&m, "output", SHAPE(1, 4));
        const float probabilities[] = {0.125F, 0.5F, 0.125F, 0.25F};
        for (int i = 0; i < 4; i++)
            v[i] = logits ? logf(probabilities[i]) + 3 : probabilities[i];
        weir_result_init(&result);
        assert_int_equal(fake_load(&m), 0);
        assert_int_equal(m.spec.head->describe(&m.spec, m.tensors, &result), 0);
        assert_int_equal(result.class_count, 4);
        const int order[] = {1, 3, 0, 2};
        for (int i = 0; i < 4; i++) {
            assert_int_equal(result.classes[i].class_index, order[i]);
            assert_float_equal(result.classes[i].score, probabilities[order[i]], 1e-5F);
        }
        v[2] = NAN;
        assert_int_equal(m.spec.head->describe(&m.spec, m.tensors, &result), -EDOM);
        weir_result_fini(&result);
        fake_fini(&m);
    }
}

static void vectors_have_length_one(void **state)
{
    (void)state;
    struct fake_model m;
    struct weir_result result;
    fake_init(&m, 128);
    float *v = fake_output(&m, "output", SHAPE(1, 3));
    assert_int_equal(fake_load(&m), -ENOTSUP); /* classes or a vector? */
    m.params.layout = "embed";
    assert_int_equal(fake_load(&m), 0);
    weir_result_init(&result);
    assert_int_equal(m.spec.head->describe(&m.spec, m.tensors, &result), -EDOM); /* all zero says nothing */
    v[0] = 3;
    v[2] = -4;
    assert_int_equal(m.spec.head->describe(&m.spec, m.tensors, &result), 0);
    assert_int_equal(result.embedding_size, 3);
    assert_float_equal(result.embedding[0], 0.6F, 1e-6F);
    assert_float_equal(result.embedding[2], -0.8F, 1e-6F);
    weir_result_fini(&result);
    fake_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nanodet_joined),
        cmocka_unit_test(nanodet_in_six_tensors_of_any_order),
        cmocka_unit_test(picodet_centres_are_half_a_cell_in),
        cmocka_unit_test(logits_where_probabilities_belong_are_reported),
        cmocka_unit_test(fastestdet_cell),
        cmocka_unit_test(tf_outputs_in_any_order),
        cmocka_unit_test(tf_without_names_is_refused),
        cmocka_unit_test(openvino_list_ends_at_minus_one),
        cmocka_unit_test(mmdet_boxes_and_labels),
        cmocka_unit_test(detr_logits),
        cmocka_unit_test(known_extra_inputs_get_the_network_size),
        cmocka_unit_test(unknown_extra_inputs_are_refused_by_name),
        cmocka_unit_test(labels_of_another_number_are_refused_with_both),
        cmocka_unit_test(classes_of_the_whole_picture),
        cmocka_unit_test(vectors_have_length_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
