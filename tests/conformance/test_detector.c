/* SPDX-License-Identifier: Apache-2.0 */

/* Local and http are one interface: the same frames give the same outcomes. The service is weir's own, on loopback. */

#include "detector/detector.h"
#include "web/service.h"

#include "shared.h"
#include "unit.h"

#include <string.h>

struct fixture {
    struct weir_service *service; /* http only */
    struct weir_detector *detector;
    struct weir_detector_session *session;
    struct weir_block_pool *pool;
};

static struct weir_model_params null_model(void)
{
    struct weir_model_params params = WEIR_MODEL_PARAMS_DEFAULT;
    params.runtime = "null";
    params.workers = 2;
    params.null_run_ns = 1000000;
    return params;
}

static void open_detector(struct fixture *f, const char *kind, const struct weir_model_params *model)
{
    struct weir_error err = {0};
    char url[128];
    struct weir_detector_params params = {.kind_or_url = kind, .model = *model, .timeout_ns = 20000000000LL};
    if (strcmp(kind, "http") == 0) {
        struct weir_service_params service = WEIR_SERVICE_PARAMS_DEFAULT;
        service.address = "127.0.0.1:0";
        service.model = *model;
        if (weir_service_start(&f->service, &service, &err) != 0)
            fail_msg("%s", err.text);
        (void)snprintf(url, sizeof url, "%sdetect", weir_service_url(f->service));
        params.kind_or_url = url;
    }
    if (weir_detector_open(&params, NULL, &f->detector, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(weir_detector_session_new(f->detector, &f->session, &err), 0);
    assert_true(weir_detector_summary(f->detector)[0] != '\0');
    f->pool = weir_block_pool_new(16 << 20);
}

static void close_detector(struct fixture *f)
{
    weir_detector_session_free(&f->session);
    weir_detector_close(&f->detector);
    weir_service_stop(&f->service);
    weir_block_pool_free(&f->pool);
}

static struct weir_frame *jpeg_frame(struct fixture *f)
{
    struct weir_image *image = weir_image_new(f->pool, WEIR_PIXEL_GRAY, 64, 48);
    memset(image->plane[0], 128, (size_t)image->stride[0] * 48);
    struct weir_frame *frame = weir_frame_new();
    assert_int_equal(weir_jpeg_encode(&frame->jpeg, f->pool, image, 90, NULL), 0);
    weir_image_unref(&image);
    return frame;
}

static void nothing_there_is_ok_and_empty(struct fixture *f)
{
    struct weir_result result;
    weir_result_init(&result);
    struct weir_frame *frame = jpeg_frame(f);
    for (int i = 0; i < 3; i++) {
        weir_detector_detect(f->session, frame, &result);
        assert_int_equal(result.status, WEIR_OK);
        assert_int_equal(result.detection_count, 0);
        assert_true(result.timings.inference_ns >= 1000000);
    }
    weir_frame_unref(&frame);
    weir_result_fini(&result);
}

static void with_null(const char *kind)
{
    struct fixture f = {0};
    struct weir_model_params model = null_model();
    open_detector(&f, kind, &model);
    nothing_there_is_ok_and_empty(&f);
    close_detector(&f);
}

static void a_broken_jpeg_is_a_failure(struct fixture *f)
{
    struct weir_result result;
    weir_result_init(&result);
    struct weir_frame *frame = jpeg_frame(f);
    frame->jpeg->size = 60;
    weir_detector_detect(f->session, frame, &result);
    assert_int_equal(result.status, WEIR_FAILED);
    assert_true(result.reason != WEIR_REASON_NONE);
    assert_true(result.message[0] != '\0');
    weir_frame_unref(&frame);
    frame = jpeg_frame(f); /* and the next one is fine */
    weir_detector_detect(f->session, frame, &result);
    assert_int_equal(result.status, WEIR_OK);
    weir_frame_unref(&frame);
    weir_result_fini(&result);
}

static void with_a_model(const char *kind)
{
    struct fixture f = {0};
    char path[PATH_MAX];
    struct weir_model_params params = WEIR_MODEL_PARAMS_DEFAULT;
    struct weir_model *model;
    struct weir_error err = {0};
    if (!shared_path(path, "models/yolox_nano_416.onnx"))
        return;
    params.path = path;
    if (weir_model_load(&model, &params, NULL, &err) != 0) {
        printf("# skipped: %s\n", err.text);
        return;
    }
    weir_model_free(&model);
    open_detector(&f, kind, &params);
    a_broken_jpeg_is_a_failure(&f);
    close_detector(&f);
}

static void local_conforms(void **state)
{
    (void)state;
    with_null("local");
    with_a_model("local");
}

static void http_conforms(void **state)
{
    (void)state;
    with_null("http");
    with_a_model("http");
}

static void a_service_that_is_not_there_has_its_reason(void **state)
{
    (void)state;
    struct fixture f = {.pool = weir_block_pool_new(1 << 20)};
    struct weir_detector_params params = {.kind_or_url = "http://user:secret@127.0.0.1:1/detect", .timeout_ns = 5000000000LL};
    struct weir_result result;
    weir_result_init(&result);
    assert_int_equal(weir_detector_open(&params, NULL, &f.detector, NULL), 0);
    assert_null(strstr(weir_detector_summary(f.detector), "secret"));
    assert_int_equal(weir_detector_session_new(f.detector, &f.session, NULL), 0);
    struct weir_frame *frame = jpeg_frame(&f);
    weir_detector_detect(f.session, frame, &result);
    assert_int_equal(result.status, WEIR_FAILED);
    assert_int_equal(result.reason, WEIR_REASON_DETECTOR_UNREACHABLE);
    assert_null(strstr(result.message, "secret"));
    weir_frame_unref(&frame);
    weir_result_fini(&result);
    close_detector(&f);
}

static void an_unknown_kind_is_refused(void **state)
{
    (void)state;
    struct weir_detector_params params = {.kind_or_url = "ftp://x"};
    struct weir_detector *detector;
    struct weir_error err = {0};
    assert_true(weir_detector_open(&params, NULL, &detector, &err) < 0);
    assert_non_null(strstr(err.text, "ftp://x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_conforms),
        cmocka_unit_test(http_conforms),
        cmocka_unit_test(a_service_that_is_not_there_has_its_reason),
        cmocka_unit_test(an_unknown_kind_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
