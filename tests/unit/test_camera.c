/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/camera.h"

#include "unit.h"

#include <stdlib.h>

static struct weir_camera_config config = {
    .name = "front", .id = "front", .url = "http://admin:p%40ss@10.0.0.7/video?user=a@b",
    .settings = {.policy = WEIR_POLICY_NEWEST},
};

static void results_leave_in_the_order_their_frames_were_taken(void **state)
{
    (void)state;
    struct weir_camera *camera = weir_camera_new(&config, 0, 4);
    struct weir_event events[4];
    uint64_t tickets[4];
    for (int i = 0; i < 4; i++) {
        assert_true(weir_camera_has_place(camera));
        tickets[i] = weir_camera_ticket(camera);
    }
    assert_false(weir_camera_has_place(camera));

    weir_camera_finish(camera, tickets[2], &events[2]);
    weir_camera_finish(camera, tickets[1], &events[1]);
    assert_null(weir_camera_next_finished(camera));
    weir_camera_finish(camera, tickets[0], &events[0]);
    for (int i = 0; i < 3; i++)
        assert_ptr_equal(weir_camera_next_finished(camera), &events[i]);
    assert_null(weir_camera_next_finished(camera));
    assert_true(weir_camera_has_place(camera));
    weir_camera_free(&camera);
}

static void tickets_go_round(void **state)
{
    (void)state;
    struct weir_camera *camera = weir_camera_new(&config, 0, 2);
    struct weir_event event;
    for (int i = 0; i < 1000; i++) {
        weir_camera_finish(camera, weir_camera_ticket(camera), &event);
        assert_ptr_equal(weir_camera_next_finished(camera), &event);
    }
    assert_null(weir_camera_next_finished(camera));
    weir_camera_free(&camera);
}

static void secrets_are_not_shown(void **state)
{
    (void)state;
    struct weir_camera *camera = weir_camera_new(&config, 0, 2);
    assert_string_equal(camera->shown_url, "http://10.0.0.7/video?user=a@b");
    weir_camera_free(&camera);
}

static void waiting_frames_stay_in_order_while_the_list_grows(void **state)
{
    (void)state;
    struct weir_frame_list list = {0};
    uint64_t next = 1;
    for (uint64_t i = 1; i <= 100; i++) {
        struct weir_frame *frame = weir_frame_new();
        frame->sequence = i;
        assert_true(weir_frame_list_push(&list, frame));
        if (i % 3 == 0) {
            struct weir_frame *first = weir_frame_list_pop(&list);
            assert_int_equal(first->sequence, next++);
            weir_frame_unref(&first);
        }
    }
    assert_int_equal(list.size, 67);
    assert_int_equal(weir_frame_list_first(&list)->sequence, next);
    weir_frame_list_fini(&list);
    assert_null(weir_frame_list_pop(&list));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_leave_in_the_order_their_frames_were_taken),
        cmocka_unit_test(tickets_go_round),
        cmocka_unit_test(secrets_are_not_shown),
        cmocka_unit_test(waiting_frames_stay_in_order_while_the_list_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
