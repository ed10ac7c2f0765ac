/* SPDX-License-Identifier: Apache-2.0 */

/* weir detect: pictures in, detections out. */

#include "cli/command.h"

#include "base/buf.h"
#include "cli/default_model.h"
#include "cli/option.h"
#include "engine/engine.h"
#include "image/picture.h"
#include "result/event.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PICTURE_MAX = 256 << 20, POOL_BYTES = 64 << 20 };

struct detect_settings {
    struct weir_model_params model;
    const char *log_level;
    double threshold, nms_iou;
    bool json;
};

struct detect {
    const struct detect_settings *settings;
    struct weir_worker *worker;
    struct weir_block_pool *pool;
    struct weir_result result;
    struct weir_buf bytes, text;
};

static const char intro[] = "Usage: weir detect [OPTION]... IMAGE...\n"
                            "What is in the pictures: JPEG, PNG, BMP, WebP; - is standard input.\n\n";
static const char outro[] = "\nThe exit code is 1 when a picture could not be looked at; the others are still.\n\n"
                            "Example:\n  weir detect --json street.jpg\n";

static enum weir_option_code read_options(struct detect_settings *settings, int argc, char **argv, int *rest,
                                          struct weir_error *err)
{
    struct weir_model_params *model = &settings->model;
    const struct weir_option rows[] = {
        {"model", "FILE", "the model; the default model when not given", WEIR_OPTION_TEXT, &model->path, 0, 0},
        {"labels", "FILE", "its labels, one a line, or coco, or none", WEIR_OPTION_TEXT, &model->labels, 0, 0},
        {"runtime", "NAME", "auto, openvino or onnxruntime (default auto)", WEIR_OPTION_TEXT, &model->runtime, 0, 0},
        {"runtime-library", "FILE", "the runtime's library; searched for when not given", WEIR_OPTION_TEXT,
         &model->runtime_library, 0, 0},
        {"device", "NAME", "device of the runtime; by its rule when not given", WEIR_OPTION_TEXT, &model->device, 0, 0},
        {"layout", "NAME", "what the outputs mean: yolox, ssd, ...; found when not given", WEIR_OPTION_TEXT, &model->layout, 0, 0},
        {"recipe", "WORDS", "how pixels become the input: \"letterbox-tl bgr 0..255\"", WEIR_OPTION_TEXT, &model->recipe, 0, 0},
        {"threshold", "T", "lowest score that counts, 0 to 1", WEIR_OPTION_NUMBER, &settings->threshold, 0, 1},
        {"nms-iou", "T", "overlap above which the weaker of two boxes goes", WEIR_OPTION_NUMBER, &settings->nms_iou, 0, 1},
        {"json", NULL, "one JSON object a line", WEIR_OPTION_FLAG, &settings->json, 0, 0},
        {"log-level", "LEVEL", "error, warn, info or debug (default warn)", WEIR_OPTION_TEXT, &settings->log_level, 0, 0},
    };
    size_t count = sizeof rows / sizeof *rows;
    enum weir_option_code code = weir_options_parse(rows, count, argc, argv, rest, err);
    if (code == WEIR_OPTION_HELP) {
        fputs(intro, stdout);
        weir_options_print(rows, count, stdout);
        fputs(outro, stdout);
    }
    return code;
}

static int read_stdin(struct weir_buf *bytes)
{
    return weir_buf_read_file(bytes, "/dev/stdin", PICTURE_MAX);
}

static bool is_jpeg(const struct weir_buf *bytes)
{
    return bytes->size >= 2 && memcmp(bytes->data, "\xFF\xD8", 2) == 0;
}

/* A JPEG goes the way that a camera's goes, with its reasons; other kinds are loaded first. */
static void look_at_bytes(struct detect *detect)
{
    struct weir_image *image;
    struct weir_error err = {0};
    if (is_jpeg(&detect->bytes)) {
        weir_worker_detect_jpeg(detect->worker, detect->bytes.data, detect->bytes.size, &detect->result);
    } else if (weir_picture_load(&image, detect->pool, detect->bytes.data, detect->bytes.size, &err) == 0) {
        weir_worker_detect_image(detect->worker, image, NULL, &detect->result);
        weir_image_unref(&image);
    } else {
        weir_result_fail(&detect->result, WEIR_REASON_IMAGE_INVALID, "%.240s", err.text);
    }
}

static void look_at(struct detect *detect, const char *path)
{
    weir_buf_clear(&detect->bytes);
    weir_result_clear(&detect->result);
    int code = strcmp(path, "-") == 0 ? read_stdin(&detect->bytes) : weir_buf_read_file(&detect->bytes, path, PICTURE_MAX);
    if (code == -EFBIG)
        weir_result_fail(&detect->result, WEIR_REASON_TOO_LARGE, "the file is over %d MiB", PICTURE_MAX >> 20);
    else if (code != 0)
        weir_result_fail(&detect->result, WEIR_REASON_IMAGE_INVALID, "can't read it: %s", strerror(-code));
    else if (detect->bytes.size == 0)
        weir_result_fail(&detect->result, WEIR_REASON_IMAGE_INVALID, "the file is empty");
    else
        look_at_bytes(detect);
}

static void print_json(struct detect *detect, const char *path)
{
    json_t *object = json_object();
    json_t *name = json_string(path);
    /* A file name need not be UTF-8; JSON must. */
    json_object_set_new(object, "image", name != NULL ? name : json_string("?"));
    weir_buf_clear(&detect->text);
    if (weir_result_to_json(&detect->result, object) == 0 && weir_json_write(object, &detect->text) == 0)
        puts(detect->text.data);
    json_decref(object);
}

static void print_classes(const struct weir_result *result, const char *path)
{
    printf("%s: %dx%d, %.1f ms\n", path, (int)result->image_width, (int)result->image_height,
           (double)result->timings.inference_ns / 1e6);
    for (size_t i = 0; i < result->class_count; i++)
        printf("  %-16s %.3f\n", result->classes[i].label, (double)result->classes[i].score);
}

static void print_text(const struct detect *detect, const char *path)
{
    const struct weir_result *result = &detect->result;
    if (result->status != WEIR_OK) {
        fprintf(stderr, "%s: %s: %s\n", path, weir_reason_name(result->reason), result->message);
        return;
    }
    if (result->kind == WEIR_RESULT_CLASSES) {
        print_classes(result, path);
        return;
    }
    if (result->kind == WEIR_RESULT_EMBEDDING) {
        printf("%s: a vector of %zu values; --json prints it\n", path, result->embedding_size);
        return;
    }
    printf("%s: %dx%d, %zu detections, %.1f ms\n", path, (int)result->image_width, (int)result->image_height,
           result->detection_count, (double)result->timings.inference_ns / 1e6);
    for (size_t i = 0; i < result->detection_count; i++) {
        const struct weir_detection *d = &result->detections[i];
        printf("  %-16s %.3f  %.1f %.1f %.1f %.1f\n", d->label, (double)d->score, (double)d->box[0], (double)d->box[1],
               (double)d->box[2], (double)d->box[3]);
    }
}

static int look_at_all(struct detect *detect, int count, char **paths)
{
    int failed = 0;
    for (int i = 0; i < count; i++) {
        look_at(detect, paths[i]);
        failed += detect->result.status != WEIR_OK;
        if (detect->settings->json)
            print_json(detect, paths[i]);
        else
            print_text(detect, paths[i]);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "weir detect: writing to standard output failed: %s\n", strerror(errno));
        return 1;
    }
    return failed > 0 ? 1 : 0;
}

static int settle(struct detect_settings *settings, char path[PATH_MAX], enum weir_log_level *level, struct weir_error *err)
{
    settings->model.threshold = (float)settings->threshold;
    settings->model.nms_iou = (float)settings->nms_iou;
    if (!weir_log_level_parse(settings->log_level, level))
        return weir_error_set(err, -EINVAL, "--log-level: expected error, warn, info or debug, found \"%.60s\"", settings->log_level);
    if (settings->model.path != NULL || strcmp(settings->model.runtime, "null") == 0)
        return 0;
    settings->model.path = path;
    return weir_default_model(path, err);
}

/* The exit code. */
static int detect_all(struct detect_settings *settings, struct weir_log *log, int count, char **paths, struct weir_error *err)
{
    struct weir_model *model = NULL;
    struct detect detect = {.settings = settings, .pool = weir_block_pool_new(POOL_BYTES)};
    weir_result_init(&detect.result);
    int exit_code = 1;
    if (detect.pool == NULL)
        (void)weir_error_set(err, -ENOMEM, "out of memory");
    else if (weir_model_load(&model, &settings->model, log, err) == 0 && weir_worker_new(&detect.worker, model, err) == 0)
        exit_code = look_at_all(&detect, count, paths);
    weir_result_fini(&detect.result);
    weir_buf_fini(&detect.bytes);
    weir_buf_fini(&detect.text);
    weir_worker_free(&detect.worker);
    weir_model_free(&model);
    weir_block_pool_free(&detect.pool);
    return exit_code;
}

int weir_command_detect(int argc, char **argv)
{
    struct detect_settings settings = {.model = WEIR_MODEL_PARAMS_DEFAULT, .threshold = NAN, .nms_iou = NAN, .log_level = "warn"};
    struct weir_error err = {0};
    enum weir_log_level level;
    char path[PATH_MAX];
    int rest = argc;
    enum weir_option_code code = read_options(&settings, argc, argv, &rest, &err);
    if (code == WEIR_OPTION_HELP)
        return 0;
    if (code == WEIR_OPTION_OK && rest == argc)
        (void)weir_error_set(&err, -EINVAL, "expected at least one IMAGE; weir detect --help says more");
    if (err.code != 0) {
        fprintf(stderr, "weir detect: %s\n", err.text);
        return 2;
    }
    int exit_code = 1;
    if (settle(&settings, path, &level, &err) == 0) {
        struct weir_log *log = weir_log_new(level, NULL, NULL);
        exit_code = detect_all(&settings, log, argc - rest, argv + rest, &err);
        weir_log_free(&log);
    }
    if (err.code != 0)
        fprintf(stderr, "weir detect: %s\n", err.text);
    return exit_code;
}
