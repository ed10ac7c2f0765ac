/* SPDX-License-Identifier: Apache-2.0 */

/* Heads on tensors made by hand, boxes computed by hand. */

#include "model/head.h"

#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct weir_io_info inputs[1], outputs[2];
static struct weir_session_info info;
static const char *layout; /* NULL: found */

static void set_io(struct weir_io_info *io, const char *name, struct weir_shape shape)
{
    *io = (struct weir_io_info){.name = (char *)name, .dtype = WEIR_DTYPE_F32, .shape = shape};
}

static void prepare(struct weir_model_spec *spec, struct weir_error *err, int expected)
{
    struct weir_spec_params params = {.layout = layout, .threshold = NAN, .nms_iou = NAN};
    assert_int_equal(weir_model_spec_init(spec, &info, &params, NULL, err), expected);
}

/* 64x64: strides 8, 16, 32 give 64 + 16 + 4 rows. */
static void yolox(struct weir_model_spec *spec)
{
    set_io(&inputs[0], "images", (struct weir_shape){4, {1, 3, 64, 64}});
    set_io(&outputs[0], "output", (struct weir_shape){3, {1, 84, 7}});
    info = (struct weir_session_info){.inputs = inputs, .outputs = outputs, .input_count = 1, .output_count = 1};
    layout = "yolox"; /* of 7 columns: 5 + 2 classes, or 4 + 3 as YOLOv8 would have it */
    prepare(spec, NULL, 0);
    layout = NULL;
    assert_ptr_equal(spec->head, &weir_head_yolox);
    assert_int_equal(spec->classes, 2);
    assert_int_equal(spec->input.order, WEIR_ORDER_BGR);
    assert_int_equal(spec->input.fit, WEIR_FIT_LETTERBOX_TOP_LEFT);
}

static void yolox_rows_become_boxes(void **state)
{
    (void)state;
    static float data[84 * 7];
    memset(data, 0, sizeof data);
    struct weir_model_spec spec;
    struct weir_box_list boxes = {0};
    yolox(&spec);
    /* Row 64 + 4 * 2 + 3 = 75: stride 16, cell (3, 2). cx = (0.5 + 3) 16 = 56, cy = (0.25 + 2) 16 = 36,
     * w = exp(ln 2) 16 = 32, h = exp(0) 16 = 16; score 0.8 * 0.9 = 0.72 of class 1. */
    const float row[] = {0.5F, 0.25F, 0.69314718F, 0, 0.8F, 0.3F, 0.9F};
    memcpy(data + 75 * 7, row, sizeof row);
    /* Objectness over, score under the threshold of 0.3: 0.5 * 0.5. */
    const float weak[] = {0, 0, 0, 0, 0.5F, 0.5F, 0.1F};
    memcpy(data + 3 * 7, weak, sizeof weak);
    struct weir_tensor tensor = {.data = data, .size = sizeof data, .dtype = WEIR_DTYPE_F32};
    assert_int_equal(spec.head->decode(&spec, &tensor, &boxes), 0);
    assert_int_equal(boxes.count, 1);
    assert_int_equal(boxes.suspect, 0);
    assert_int_equal(boxes.boxes[0].class_index, 1);
    assert_float_equal(boxes.boxes[0].score, 0.72F, 1e-6F);
    const float expected[] = {40, 28, 72, 44};
    for (int i = 0; i < 4; i++)
        assert_float_equal(boxes.boxes[0].box[i], expected[i], 1e-4F);
    weir_box_list_fini(&boxes);
    weir_model_spec_fini(&spec);
}

static void numbers_that_lie_are_counted_not_shown(void **state)
{
    (void)state;
    static float data[84 * 7];
    const float lies[][7] = {
        {0, 0, 0, 0, NAN, 0.5F, 0.9F},         {NAN, 0, 0, 0, 0.9F, 0.9F, 0.1F}, {0, 0, INFINITY, 0, 0.9F, 0.9F, 0.1F},
        {0, 0, 0, 0, 658, 0.9F, 0.1F},         {0, 0, -INFINITY, 0, 0.9F, 0.9F, 0.1F}, {0, 0, 0, 0, 0.9F, NAN, NAN},
    };
    struct weir_model_spec spec;
    yolox(&spec);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct weir_box_list boxes = {0};
        memset(data, 0, sizeof data);
        memcpy(data + 10 * 7, lies[i], sizeof lies[i]);
        struct weir_tensor tensor = {.data = data, .size = sizeof data, .dtype = WEIR_DTYPE_F32};
        assert_int_equal(spec.head->decode(&spec, &tensor, &boxes), 0);
        assert_int_equal(boxes.count, 0);
        assert_int_equal(boxes.suspect, 1);
        weir_box_list_fini(&boxes);
    }
    weir_model_spec_fini(&spec);
}

static void ssd(struct weir_model_spec *spec, bool boxes_first)
{
    set_io(&inputs[0], "input", (struct weir_shape){4, {1, 300, 300, 3}});
    set_io(&outputs[boxes_first ? 0 : 1], "boxes", (struct weir_shape){3, {1, 1917, 4}});
    set_io(&outputs[boxes_first ? 1 : 0], "classes", (struct weir_shape){3, {1, 1917, 24}});
    info = (struct weir_session_info){.inputs = inputs, .outputs = outputs, .input_count = 1, .output_count = 2};
    prepare(spec, NULL, 0);
    assert_ptr_equal(spec->head, &weir_head_ssd);
    assert_int_equal(spec->input.layout, WEIR_LAYOUT_NHWC);
    assert_float_equal(spec->input.mean[0], 127.5F, 0);
}

static void ssd_anchors_are_where_the_formula_puts_them(void **state)
{
    (void)state;
    struct weir_model_spec spec;
    ssd(&spec, true);
    /* First cell, 19 cells a side: centre 0.5 / 19 * 300; (0.1, ratio 1) is 30 x 30; (0.2, 2) is 60 / sqrt 2 high. */
    assert_float_equal(spec.anchors[0], 7.894737F, 1e-4F);
    assert_float_equal(spec.anchors[2], 30, 1e-3F);
    assert_float_equal(spec.anchors[4 + 2], 42.42641F, 1e-3F);
    assert_float_equal(spec.anchors[4 + 3], 84.85281F, 1e-3F);
    /* The last one: one cell, ratio 1 at sqrt(0.95 * 1). */
    const float *last = spec.anchors + 1916 * 4;
    assert_float_equal(last[0], 150, 1e-3F);
    assert_float_equal(last[2], 292.40384F, 1e-2F);
    weir_model_spec_fini(&spec);
}

static void ssd_rows_become_boxes_and_the_background_never_does(void **state)
{
    (void)state;
    static float codes[1917 * 4], logits[1917 * 24];
    for (int order = 0; order < 2; order++) {
        struct weir_model_spec spec;
        struct weir_box_list boxes = {0};
        ssd(&spec, order == 0);
        memset(codes, 0, sizeof codes);
        for (size_t i = 0; i < 1917 * 24; i++)
            logits[i] = i % 24 == 0 ? 20 : -20;
        /* Anchor 0 (30 x 30 about 7.894737): moved by (1/10 * 30, 2/10 * 30), height times exp(5 ln 2 / 5) = 2. */
        codes[0] = 1, codes[1] = 2, codes[2] = 5 * 0.69314718F, codes[3] = 0;
        logits[4] = 1.0986123F; /* sigmoid: 0.75 */
        struct weir_tensor tensors[2] = {{.data = codes, .dtype = WEIR_DTYPE_F32}, {.data = logits, .dtype = WEIR_DTYPE_F32}};
        struct weir_tensor swapped[2] = {tensors[1], tensors[0]};
        assert_int_equal(spec.head->decode(&spec, order == 0 ? tensors : swapped, &boxes), 0);
        assert_int_equal(boxes.count, 1);
        assert_int_equal(boxes.boxes[0].class_index, 4);
        assert_float_equal(boxes.boxes[0].score, 0.75F, 1e-5F);
        const float expected[] = {13.894737F - 15, 10.894737F - 30, 13.894737F + 15, 10.894737F + 30};
        for (int i = 0; i < 4; i++)
            assert_float_equal(boxes.boxes[0].box[i], expected[i], 1e-3F);
        char label[64];
        weir_labels_copy(&spec.labels, 4, label, sizeof label);
        assert_string_equal(label, "Person");
        weir_box_list_fini(&boxes);
        weir_model_spec_fini(&spec);
    }
}

static void other_shapes_are_refused_with_what_was_found(void **state)
{
    (void)state;
    struct weir_model_spec spec;
    struct weir_error err = {0};
    set_io(&inputs[0], "data", (struct weir_shape){4, {1, 3, 224, 224}});
    set_io(&outputs[0], "softmax", (struct weir_shape){2, {1, 1000}});
    info = (struct weir_session_info){.inputs = inputs, .outputs = outputs, .input_count = 1, .output_count = 1};
    prepare(&spec, &err, -ENOTSUP);
    assert_non_null(strstr(err.text, "softmax float32 [1, 1000]"));
    set_io(&inputs[0], "data", (struct weir_shape){4, {1, 3, 3, 3}});
    prepare(&spec, &err, -ENOTSUP); /* NCHW or NHWC? */
    set_io(&inputs[0], "data", (struct weir_shape){4, {4096, 3, 64, 64}});
    prepare(&spec, &err, -ENOTSUP);
    assert_non_null(strstr(err.text, "batch"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yolox_rows_become_boxes),
        cmocka_unit_test(numbers_that_lie_are_counted_not_shown),
        cmocka_unit_test(ssd_anchors_are_where_the_formula_puts_them),
        cmocka_unit_test(ssd_rows_become_boxes_and_the_background_never_does),
        cmocka_unit_test(other_shapes_are_refused_with_what_was_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
