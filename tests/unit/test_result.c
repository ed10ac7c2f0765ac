/* SPDX-License-Identifier: Apache-2.0 */
#include "result/event.h"

#include "unit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void add(struct weir_result *result, const char *label, int class_index, float score, float x)
{
    struct weir_detection *d = weir_result_add_detection(result);
    assert_non_null(d);
    d->class_index = class_index;
    d->score = score;
    d->box[0] = x, d->box[1] = 20.3F, d->box[2] = 368.9F, d->box[3] = 507.2F;
    strcpy(d->label, label);
}

static void a_detection_has_one_form(void **state)
{
    (void)state;
    struct weir_result result;
    struct weir_buf out = {0};
    weir_result_init(&result);
    add(&result, "person", 0, 0.926F, 11.5F);
    json_t *json = weir_detection_json(&result, &result.detections[0]);
    assert_int_equal(weir_json_write(json, &out), 0);
    assert_string_equal(out.data, "{\"label\":\"person\",\"class\":0,\"score\":0.926,\"box\":[11.5,20.3,368.9,507.2]}");
    json_decref(json);
    weir_buf_fini(&out);
    weir_result_fini(&result);
}

static void an_event_is_one_line(void **state)
{
    (void)state;
    struct weir_event event = {.camera_id = "front", .camera_name = "Fr\"ont\n", .sequence = 7,
                               .capture_wall_ns = 1764585780123000000LL, .capture_ns = 1000000, .published_ns = 3500000};
    struct weir_buf out = {0};
    weir_result_init(&event.result);
    event.result.timings.decode_ns = 1234567;
    assert_int_equal(weir_event_write_json(&event, &out), 0);
    assert_string_equal(out.data, "{\"camera\":\"Fr\\\"ont\\n\",\"id\":\"front\",\"sequence\":7,"
                                  "\"captured\":\"2025-12-01T10:43:00.123Z\",\"status\":\"ok\",\"detections\":[],"
                                  "\"timings\":{\"decodeMs\":1.235},\"ageMs\":2.5}\n");
    weir_buf_fini(&out);
    weir_result_fini(&event.result);
}

static void a_failure_is_never_an_empty_list(void **state)
{
    (void)state;
    struct weir_result result;
    weir_result_init(&result);
    add(&result, "person", 0, 0.9F, 1);
    weir_result_fail(&result, WEIR_REASON_JPEG_TRUNCATED, "ends after %d of %d rows", 10, 48);
    json_t *json = json_object();
    assert_int_equal(weir_result_to_json(&result, json), 0);
    assert_null(json_object_get(json, "detections"));
    assert_string_equal(json_string_value(json_object_get(json, "status")), "failed");
    assert_string_equal(json_string_value(json_object_get(json, "reason")), "jpeg_truncated");
    assert_string_equal(json_string_value(json_object_get(json, "message")), "ends after 10 of 48 rows");
    json_decref(json);
    weir_result_fini(&result);
}

static void what_json_can_not_hold_does_not_break_it(void **state)
{
    (void)state;
    struct weir_result result;
    struct weir_buf out = {0};
    weir_result_init(&result);
    add(&result, "caf\xE9", 0, NAN, INFINITY);
    json_t *json = json_object();
    assert_int_equal(weir_result_to_json(&result, json), 0);
    assert_int_equal(weir_json_write(json, &out), 0);
    json_t *again = json_loadb(out.data, out.size, 0, NULL);
    assert_non_null(again);
    json_decref(again);
    json_decref(json);
    weir_buf_fini(&out);
    weir_result_fini(&result);
}

static int parse(struct weir_result *result, const char *text, char *message, size_t size)
{
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    weir_result_clear(result);
    int code = weir_result_from_json(result, json, message, size);
    json_decref(json);
    return code;
}

static void answers_of_services_are_read_and_checked(void **state)
{
    (void)state;
    struct weir_result result;
    char message[160];
    weir_result_init(&result);
    assert_int_equal(parse(&result, "{\"detections\":[{\"class\":\"person\",\"score\":0.91,\"box\":[100,120,180,330]}]}",
                           message, sizeof message), 0);
    assert_int_equal(result.detection_count, 1);
    assert_string_equal(result.detections[0].label, "person");
    assert_int_equal(result.detections[0].class_index, -1);
    assert_true(result.detections[0].box[2] == 180);
    assert_int_equal(parse(&result, "{\"detections\":[]}", message, sizeof message), 0);
    assert_int_equal(result.detection_count, 0);
    static const char *const bad[] = {
        "{}", "[]", "{\"detections\":{}}", "{\"detections\":[{}]}",
        "{\"detections\":[{\"score\":2,\"box\":[1,2,3,4]}]}", "{\"detections\":[{\"score\":0.5,\"box\":[1,2,3]}]}",
        "{\"detections\":[{\"score\":0.5,\"box\":[1,2,3,\"4\"]}]}", "{\"detections\":[7]}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(parse(&result, bad[i], message, sizeof message), -EINVAL);
    weir_result_fini(&result);
}

static void a_copy_is_whole(void **state)
{
    (void)state;
    struct weir_result from, to;
    weir_result_init(&from);
    weir_result_init(&to);
    add(&to, "stale", 9, 0.1F, 0);
    for (int i = 0; i < 40; i++)
        add(&from, "person", i, 0.5F, (float)i);
    weir_result_add_point(&from)->x = 3;
    const float values[] = {1, 2, 3};
    assert_int_equal(weir_result_set_embedding(&from, values, 3), 0);
    from.image_width = 768;
    assert_int_equal(weir_result_copy(&to, &from), 0);
    assert_int_equal(to.detection_count, 40);
    assert_int_equal(to.detections[39].class_index, 39);
    assert_int_equal(to.point_count, 1);
    assert_int_equal(to.embedding_size, 3);
    assert_true(to.embedding[2] == 3);
    assert_int_equal(to.image_width, 768);
    weir_result_fini(&from);
    weir_result_fini(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_detection_has_one_form),
        cmocka_unit_test(an_event_is_one_line),
        cmocka_unit_test(a_failure_is_never_an_empty_list),
        cmocka_unit_test(what_json_can_not_hold_does_not_break_it),
        cmocka_unit_test(answers_of_services_are_read_and_checked),
        cmocka_unit_test(a_copy_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
