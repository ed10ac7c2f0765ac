/* SPDX-License-Identifier: Apache-2.0 */
#include "web/exposition.h"
#include "web/metrics.h"
#include "web/status_json.h"

#include "unit.h"

#include <string.h>

#define MS 1000000LL

/* The hostile name of a camera: everything that one of HTML, JSON and the exposition format treats specially.
 */
static const char hostile[] = "x\"y\\z\n<img src=x onerror=1> K\xc3\xbc"
                              "che";

static struct weir_camera_snapshot camera(void)
{
    struct weir_camera_snapshot camera = {
        .id = "front",
        .name = hostile,
        .url = "http://cam/0",
        .policy = WEIR_POLICY_NEWEST,
        .source = {.state = WEIR_SOURCE_BACKING_OFF,
                   .reason = WEIR_SOURCE_REASON_REFUSED,
                   .detail = "tcp connect",
                   .since_ns = 5000 * MS,
                   .reconnects = 3},
        .books = {.read = 20, .waiting = 1, .running = 2, .inferred = 10, .published = 9, .publishing = 1},
        .read_fps = 25,
        .inferred_fps = 12.5,
        .age_p50_ns = 14 * MS,
        .age_p99_ns = 27 * MS,
        .last_frame_ns = 6000 * MS,
        .width = 640,
        .height = 480,
    };
    camera.books.dropped[WEIR_REASON_SUPERSEDED] = 4;
    camera.books.failed[WEIR_REASON_JPEG_TRUNCATED] = 3;
    return camera;
}

static void fill(struct weir_snapshot *snapshot, struct weir_camera_snapshot *cameras)
{
    *snapshot = (struct weir_snapshot){.elapsed_ns = 10000 * MS,
                                       .running = true,
                                       .workers = 8,
                                       .publishers = 2,
                                       .workers_busy = 0.71,
                                       .detector = "null",
                                       .bottleneck = "none",
                                       .publish_queue_capacity = 64,
                                       .camera_count = 1,
                                       .cameras = cameras};
    snapshot->total = cameras[0].books;
    weir_histogram_record(&snapshot->age, 20 * MS);
}

static void assert_has(const struct weir_buf *text, const char *line)
{
    if (strstr(text->data, line) == NULL)
        fail_msg("expected \"%s\" in:\n%s", line, text->data);
}

static void metrics_say_what_the_snapshot_says(void **state)
{
    (void)state;
    struct weir_camera_snapshot cameras[] = {camera()};
    struct weir_snapshot snapshot;
    fill(&snapshot, cameras);
    const struct weir_http_counts http = {.requests = 7, .connections = 2};
    const struct weir_metrics_view view = {&snapshot, &http, 7500 * MS};
    struct weir_buf text = {0};
    weir_metrics_write(&view, &text);
    assert_has(&text, "# TYPE weir_frames_read_total counter\nweir_frames_read_total{camera=\"front\"} 20\n");
    assert_has(&text, "weir_frames_dropped_total{camera=\"front\",reason=\"superseded\"} 4\n");
    assert_has(&text, "weir_frames_failed_total{camera=\"front\",reason=\"jpeg_truncated\"} 3\n");
    assert_has(&text, "weir_camera_up{camera=\"front\"} 0\n");
    assert_has(&text, "weir_camera_state{camera=\"front\",state=\"backing_off\",reason=\"refused\"} 1\n");
    assert_has(&text, "weir_camera_last_frame_age_seconds{camera=\"front\"} 1.5\n");
    assert_has(&text, "weir_frame_age_seconds_count 1\n");
    assert_has(&text, "weir_frame_age_seconds_sum 0.02\n");
    assert_has(&text, "weir_workers_busy_ratio 0.71\n");
    assert_has(&text, "weir_http_requests_total 7\n");
    assert_has(&text, "weir_uptime_seconds 10\n");
    weir_buf_fini(&text);
}

/* Exposition format: in a label value a backslash, a double quote and a line feed are escaped, nothing else
 * is. */
static void a_hostile_name_is_escaped_in_metrics(void **state)
{
    (void)state;
    struct weir_camera_snapshot cameras[] = {camera()};
    struct weir_snapshot snapshot;
    fill(&snapshot, cameras);
    const struct weir_http_counts http = {0};
    const struct weir_metrics_view view = {&snapshot, &http, 0};
    struct weir_buf text = {0};
    weir_metrics_write(&view, &text);
    assert_has(&text, "weir_camera_info{camera=\"front\",name=\"x\\\"y\\\\z\\n<img src=x onerror=1> K\xc3\xbc"
                      "che\",url=\"http://cam/0\"} 1\n");
    weir_buf_fini(&text);
}

static void numbers_that_are_not_finite_have_their_own_words(void **state)
{
    (void)state;
    struct weir_buf text = {0};
    const struct weir_label labels[] = {{NULL, NULL}, {"a", "b"}};
    weir_exposition_sample(&text, "m", "_x", labels, 2, 1.0 / 3);
    weir_exposition_sample(&text, "m", "", NULL, 0, -__builtin_inf());
    weir_exposition_sample(&text, "m", "", labels, 1, __builtin_nan(""));
    weir_exposition_sample(&text, "m", "", labels, 0, 9007199254740.0);
    assert_string_equal(text.data, "m_x{a=\"b\"} 0.333333333333333\nm -Inf\nm NaN\nm 9007199254740\n");
    weir_buf_fini(&text);
}

static json_int_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static void the_status_holds_everything(void **state)
{
    (void)state;
    struct weir_camera_snapshot cameras[] = {camera()};
    struct weir_snapshot snapshot;
    fill(&snapshot, cameras);
    json_t *status = weir_status_json(&snapshot, 7500 * MS);
    const json_t *row = json_array_get(json_object_get(status, "cameras"), 0);
    const json_t *books = json_object_get(row, "books");
    assert_string_equal(json_string_value(json_object_get(row, "name")), hostile);
    assert_string_equal(json_string_value(json_object_get(row, "state")), "backing_off");
    assert_string_equal(json_string_value(json_object_get(row, "reason")), "refused");
    assert_non_null(json_object_get(row, "advice"));
    assert_true(json_real_value(json_object_get(row, "sinceS")) == 2.5);
    assert_true(json_real_value(json_object_get(row, "lastFrameS")) == 1.5);
    assert_int_equal(number(row, "reconnects"), 3);
    assert_int_equal(number(books, "dropped"), 4);
    assert_int_equal(number(json_object_get(books, "droppedBy"), "superseded"), 4);
    assert_int_equal(number(json_object_get(books, "failedBy"), "jpeg_truncated"), 3);
    assert_int_equal(number(books, "read"), number(books, "waiting") + number(books, "running") +
                                                number(books, "inferred") + number(books, "dropped") +
                                                number(books, "failed"));
    assert_string_equal(json_string_value(json_object_get(status, "bottleneck")), "none");
    assert_int_equal(number(json_object_get(status, "ageMs"), "count"), 1);
    json_decref(status);
}

/* A detail comes from the camera, byte by byte: it must not be able to make the status unreadable. */
static void bytes_that_are_no_utf8_do_not_spoil_the_status(void **state)
{
    (void)state;
    struct weir_camera_snapshot cameras[] = {camera()};
    struct weir_snapshot snapshot;
    fill(&snapshot, cameras);
    memcpy(cameras[0].source.detail,
           "a\xff"
           "b",
           4);
    json_t *status = weir_status_json(&snapshot, 0);
    const json_t *row = json_array_get(json_object_get(status, "cameras"), 0);
    assert_string_equal(json_string_value(json_object_get(row, "detail")), "a?b");
    json_decref(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_say_what_the_snapshot_says),
        cmocka_unit_test(a_hostile_name_is_escaped_in_metrics),
        cmocka_unit_test(numbers_that_are_not_finite_have_their_own_words),
        cmocka_unit_test(the_status_holds_everything),
        cmocka_unit_test(bytes_that_are_no_utf8_do_not_spoil_the_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
