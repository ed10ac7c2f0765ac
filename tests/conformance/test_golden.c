/* SPDX-License-Identifier: Apache-2.0 */

/* Real models on real pictures, on each runtime, against detections that another implementation computed (golden.json of
 * the test data): class equal, score within 0.05, IoU at least 0.85. */

#include "engine/engine.h"
#include "image/picture.h"
#include "runtime/runtime.h"

#include "shared.h"
#include "unit.h"

#include <jansson.h>
#include <errno.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *file, *recipe;
} models[] = {
    {"yolox_nano_416.onnx", NULL},
    {"yolox_nano_hitsz.onnx", "letterbox-tl rgb imagenet"},
};
static const char *const pictures[] = {"astronaut.png", "chelsea.png", "one-by-one-f80.png", "one-by-one-empty.png",
                                       "two-people-f20.png"};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static json_t *golden;

static float clip(float value, float most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

static float iou(const struct weir_detection *d, const json_t *box, float width, float height)
{
    float a[4], b[4];
    for (int i = 0; i < 4; i++) {
        float most = i % 2 == 0 ? width : height;
        a[i] = clip(d->box[i], most);
        b[i] = clip((float)json_number_value(json_array_get(box, (size_t)i)), most);
    }
    float w = fminf(a[2], b[2]) - fmaxf(a[0], b[0]), h = fminf(a[3], b[3]) - fmaxf(a[1], b[1]);
    float common = w > 0 && h > 0 ? w * h : 0;
    return common / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common);
}

static bool found(const struct weir_result *result, const json_t *row)
{
    for (size_t i = 0; i < result->detection_count; i++) {
        const struct weir_detection *d = &result->detections[i];
        if (d->class_index == json_integer_value(json_object_get(row, "class")) &&
            fabs(d->score - json_number_value(json_object_get(row, "score"))) <= 0.05 &&
            iou(d, json_object_get(row, "box"), (float)result->image_width, (float)result->image_height) >= 0.85F)
            return true;
    }
    return false;
}

static void compare(const char *what, const struct weir_result *result, const json_t *rows, double threshold)
{
    size_t i;
    json_t *row;
    assert_int_equal(result->status, WEIR_OK);
    json_array_foreach((json_t *)rows, i, row) {
        double score = json_number_value(json_object_get(row, "score"));
        if (score > threshold + 0.05 && !json_is_true(json_object_get(row, "kernel_sensitive")) && !found(result, row))
            fail_msg("%s: %s of score %.3f is not found", what, json_string_value(json_object_get(row, "label")), score);
    }
    size_t sure = 0;
    for (size_t k = 0; k < result->detection_count; k++)
        sure += result->detections[k].score > threshold + 0.05;
    if (sure > json_array_size(rows))
        fail_msg("%s: %zu detections, expected %zu", what, sure, json_array_size(rows));
}

static void check_model(const char *runtime, size_t index)
{
    char path[PATH_MAX], name[64];
    (void)snprintf(name, sizeof name, "models/%s", models[index].file);
    if (!shared_path(path, name))
        return;
    struct weir_model_params params = WEIR_MODEL_PARAMS_DEFAULT;
    params.runtime = runtime;
    params.path = path;
    params.recipe = models[index].recipe;
    struct weir_error err = {0};
    struct weir_model *model;
    struct weir_worker *worker;
    int code = weir_model_load(&model, &params, NULL, &err);
    if (code == -ENOENT) {
        printf("# skipped: %s\n", err.text);
        return;
    }
    if (code != 0 || weir_worker_new(&worker, model, &err) != 0)
        fail_msg("%s", err.text);
    const json_t *entry = json_object_get(golden, models[index].file);
    struct weir_block_pool *pool = weir_block_pool_new(16 << 20);
    struct weir_result result;
    weir_result_init(&result);
    for (size_t i = 0; i < COUNT(pictures); i++) {
        struct weir_image *image;
        char picture[PATH_MAX], what[256];
        (void)snprintf(name, sizeof name, "media/%s", pictures[i]);
        assert_true(shared_path(picture, name));
        assert_int_equal(weir_picture_load_file(&image, pool, picture, &err), 0);
        weir_worker_detect_image(worker, image, NULL, &result);
        (void)snprintf(what, sizeof what, "%s on %s, %s", models[index].file, runtime, pictures[i]);
        compare(what, &result, json_object_get(json_object_get(entry, "images"), pictures[i]),
                json_number_value(json_object_get(entry, "threshold")));
        weir_image_unref(&image);
    }
    weir_result_fini(&result);
    weir_block_pool_free(&pool);
    weir_worker_free(&worker);
    weir_model_free(&model);
}

static void onnxruntime_agrees(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(models); i++)
        check_model("onnxruntime", i);
}

static void openvino_agrees(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(models); i++)
        check_model("openvino", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(onnxruntime_agrees),
        cmocka_unit_test(openvino_agrees),
    };
    char path[PATH_MAX];
    if (shared_path(path, "models/golden.json"))
        golden = json_load_file(path, 0, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    json_decref(golden);
    return failed;
}
