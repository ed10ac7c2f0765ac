/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/queue.h"
#include "base/thread.h"

#include "unit.h"

static void items_come_out_in_order(void **state)
{
    (void)state;
    int items[3];
    struct weir_queue *queue = weir_queue_new(3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(weir_queue_try_push(queue, &items[i]), WEIR_QUEUE_OK);
    assert_int_equal(weir_queue_try_push(queue, items), WEIR_QUEUE_FULL);
    for (int i = 0; i < 3; i++) {
        void *item = NULL;
        assert_int_equal(weir_queue_pop(queue, &item, 0), WEIR_QUEUE_OK);
        assert_ptr_equal(item, &items[i]);
    }
    void *none = NULL;
    assert_int_equal(weir_queue_pop(queue, &none, 0), WEIR_QUEUE_EMPTY);
    weir_queue_free(&queue);
}

static void a_closed_queue_still_gives_what_it_holds(void **state)
{
    (void)state;
    int item;
    void *got = NULL;
    struct weir_queue *queue = weir_queue_new(2);
    weir_queue_try_push(queue, &item);
    weir_queue_close(queue);
    assert_int_equal(weir_queue_try_push(queue, &item), WEIR_QUEUE_CLOSED);
    assert_int_equal(weir_queue_pop(queue, &got, INT64_MAX), WEIR_QUEUE_OK);
    assert_ptr_equal(got, &item);
    assert_int_equal(weir_queue_pop(queue, &got, INT64_MAX), WEIR_QUEUE_CLOSED);
    weir_queue_free(&queue);
}

static void *push_numbers(void *argument)
{
    struct weir_queue *queue = argument;
    for (uintptr_t i = 1; i <= 1000; i++)
        assert_int_equal(weir_queue_push(queue, (void *)i, INT64_MAX), WEIR_QUEUE_OK);
    weir_queue_close(queue);
    return NULL;
}

static void a_full_queue_makes_push_wait_and_loses_nothing(void **state)
{
    (void)state;
    struct weir_queue *queue = weir_queue_new(2);
    pthread_t thread;
    assert_int_equal(weir_thread_start(&thread, "pusher", push_numbers, queue), 0);
    uintptr_t sum = 0;
    void *item = NULL;
    while (weir_queue_pop(queue, &item, INT64_MAX) == WEIR_QUEUE_OK)
        sum += (uintptr_t)item;
    pthread_join(thread, NULL);
    assert_int_equal(sum, 500500);
    weir_queue_free(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_out_in_order),
        cmocka_unit_test(a_closed_queue_still_gives_what_it_holds),
        cmocka_unit_test(a_full_queue_makes_push_wait_and_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
