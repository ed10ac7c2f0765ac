/* SPDX-License-Identifier: Apache-2.0 */
/* For every recipe of the shared models: the tensor that weir makes of astronaut.png against the one that
 * OpenCV and numpy made (models/golden.json, input_astronaut: first elements, sum, largest). */
#include "image/input.h"
#include "image/picture.h"

#include "shared.h"
#include "unit.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static void three_floats(const json_t *from, float to[3])
{
    for (size_t i = 0; i < 3; i++) {
        const json_t *number = json_is_array(from) ? json_array_get(from, i) : from;
        to[i] = (float)json_number_value(number);
    }
}

static struct weir_input_spec spec_of(const json_t *recipe)
{
    const char *fit = json_string_value(json_object_get(recipe, "fit"));
    const char *order = json_string_value(json_object_get(recipe, "order"));
    const char *dtype = json_string_value(json_object_get(recipe, "dtype"));
    struct weir_input_spec spec = {
        .width = (int)json_integer_value(json_object_get(recipe, "width")),
        .height = (int)json_integer_value(json_object_get(recipe, "height")),
        .layout = json_is_true(json_object_get(recipe, "nhwc")) ? WEIR_LAYOUT_NHWC : WEIR_LAYOUT_NCHW,
        .dtype = dtype != NULL && strcmp(dtype, "float16") == 0 ? WEIR_DTYPE_F16 : WEIR_DTYPE_F32,
        .order = strcmp(order, "rgb") == 0 ? WEIR_ORDER_RGB : WEIR_ORDER_BGR,
        .pad = (uint8_t)json_integer_value(json_object_get(recipe, "pad")),
    };
    if (strstr(fit, "letterbox") != NULL)
        spec.fit = strcmp(fit, "letterbox-c") == 0 ? WEIR_FIT_LETTERBOX_CENTRED : WEIR_FIT_LETTERBOX_TOP_LEFT;
    three_floats(json_object_get(recipe, "mean"), spec.mean);
    three_floats(json_object_get(recipe, "std"), spec.std);
    return spec;
}

static double element(const struct weir_input_spec *spec, const void *data, size_t i)
{
    return spec->dtype == WEIR_DTYPE_F16 ? (double)weir_f16_to_f32(((const uint16_t *)data)[i])
                                         : (double)((const float *)data)[i];
}

/* The picture's levels are the same to the last; the rest is the float arithmetic of mean, std and sum. */
static void compare(const char *name, const struct weir_input_spec *spec, const void *data,
                    const json_t *want)
{
    size_t count = weir_input_bytes(spec) / weir_dtype_size(spec->dtype);
    double level = 1.0 / (double)spec->std[0], sum = 0, sum_of_sizes = 0, most = -1e9;
    for (size_t i = 0; i < count; i++) {
        double value = element(spec, data, i);
        sum += value;
        sum_of_sizes += fabs(value);
        most = value > most ? value : most;
    }
    for (size_t i = 0; i < 8; i++) {
        double first = json_number_value(json_array_get(json_object_get(want, "first8"), i));
        if (fabs(element(spec, data, i) - first) > 1e-4 * level)
            fail_msg("%s: element %zu is %f, expected %f", name, i, element(spec, data, i), first);
    }
    double want_sum = json_number_value(json_object_get(want, "sum"));
    if (fabs(sum - want_sum) > 1e-5 * sum_of_sizes)
        fail_msg("%s: the sum is %f, expected %f", name, sum, want_sum);
    assert_true(fabs(most - json_number_value(json_object_get(want, "max"))) <= 1e-4 * level);
}

static int check_model(const char *name, const json_t *entry, const struct weir_image *image)
{
    const json_t *want = json_object_get(entry, "input_astronaut");
    if (want == NULL)
        return 0;
    struct weir_input_spec spec = spec_of(json_object_get(entry, "recipe"));
    struct weir_input_scratch *scratch = weir_input_scratch_new();
    void *data = test_malloc(weir_input_bytes(&spec));
    assert_int_equal(weir_input_fill(scratch, &spec, image, NULL, data, NULL), 0);
    compare(name, &spec, data, want);
    test_free(data);
    weir_input_scratch_free(&scratch);
    return 1;
}

static void inputs_are_those_of_opencv(void **state)
{
    (void)state;
    char picture[PATH_MAX], golden[PATH_MAX];
    if (!shared_path(picture, "media/astronaut.png") || !shared_path(golden, "models/golden.json"))
        return;
    struct weir_block_pool *pool = weir_block_pool_new(4 << 20);
    struct weir_image *image;
    struct weir_error err = {0};
    if (weir_picture_load_file(&image, pool, picture, &err) < 0)
        fail_msg("%s", err.text);
    json_t *models = json_load_file(golden, 0, NULL), *entry;
    const char *name;
    int checked = 0;
    assert_non_null(models);
    json_object_foreach(models, name, entry) checked += check_model(name, entry, image);
    assert_int_equal(checked, 9);
    json_decref(models);
    weir_image_unref(&image);
    weir_block_pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(inputs_are_those_of_opencv)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
