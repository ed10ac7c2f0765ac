/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/books.h"
#include "pipeline/bottleneck.h"
#include "pipeline/rate.h"

#include "unit.h"

#define S 1000000000LL

static void every_frame_is_somewhere(void **state)
{
    (void)state;
    struct weir_books books = {.read = 100, .waiting = 1, .running = 2, .inferred = 60, .publishing = 3,
                               .published = 56, .unpublished = 1};
    books.dropped[WEIR_REASON_SUPERSEDED] = 30;
    books.dropped[WEIR_REASON_SHUTDOWN] = 1;
    books.failed[WEIR_REASON_JPEG_TRUNCATED] = 6;
    assert_int_equal(weir_books_dropped(&books), 31);
    assert_int_equal(weir_books_failed(&books), 6);
    assert_true(weir_books_balance(&books));
    books.failed[WEIR_REASON_TOO_LARGE]++;
    assert_false(weir_books_balance(&books));
    books.read++;
    assert_true(weir_books_balance(&books));
    books.published--;
    assert_false(weir_books_balance(&books));
}

static void books_add_up(void **state)
{
    (void)state;
    struct weir_books a = {.read = 5, .inferred = 4, .published = 4}, b = {.read = 2, .waiting = 1};
    a.dropped[WEIR_REASON_SUPERSEDED] = 1;
    b.dropped[WEIR_REASON_SUPERSEDED] = 1;
    weir_books_add(&a, &b);
    assert_int_equal(a.read, 7);
    assert_int_equal(a.dropped[WEIR_REASON_SUPERSEDED], 2);
    assert_true(weir_books_balance(&a));
}

static void a_rate_is_over_the_last_whole_seconds(void **state)
{
    (void)state;
    struct weir_rate rate = {0};
    assert_true(weir_rate_per_second(&rate, 100 * S) == 0);
    for (int i = 0; i < 200; i++) /* 10 a second for 20 s */
        weir_rate_add(&rate, 100 * S + i * S / 10, 1);
    double at_end = weir_rate_per_second(&rate, 120 * S);
    assert_true(at_end > 9.9 && at_end < 10.1);
    double half_later = weir_rate_per_second(&rate, 122 * S); /* two of the five seconds were empty */
    assert_true(half_later > 5.9 && half_later < 6.1);
    assert_true(weir_rate_per_second(&rate, 140 * S) == 0);
}

static void a_young_rate_is_over_the_time_it_has(void **state)
{
    (void)state;
    struct weir_rate rate = {0};
    for (int i = 0; i < 20; i++)
        weir_rate_add(&rate, 100 * S + i * S / 10, 1);
    double rate_2s = weir_rate_per_second(&rate, 102 * S);
    assert_true(rate_2s > 9.9 && rate_2s < 10.1);
}

static void bottlenecks(void **state)
{
    (void)state;
    const struct {
        struct weir_bottleneck_input input;
        const char *expected;
    } rows[] = {
        {{.workers_busy = 0.71, .cameras = 4, .cameras_live = 4}, "none"},
        {{.workers_busy = 0.99, .cameras = 4, .cameras_live = 4}, "inference"},
        {{.workers_busy = 0.99, .decode_share = 0.7, .cameras = 4, .cameras_live = 4}, "decode"},
        {{.workers_busy = 0.80, .drop_fraction = 0.1, .cameras = 4, .cameras_live = 4}, "inference"},
        {{.workers_busy = 0.50, .drop_fraction = 0.1, .cameras = 4, .cameras_live = 4}, "none"},
        {{.workers_busy = 0.99, .publish_fill = 1, .cameras = 4, .cameras_live = 4}, "publish"},
        {{.workers_busy = 0, .cameras = 4, .cameras_live = 0}, "cameras"},
        {{.workers_busy = 0, .cameras = 4, .cameras_live = 1}, "none"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(weir_bottleneck_name(&rows[i].input), rows[i].expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_frame_is_somewhere),
        cmocka_unit_test(books_add_up),
        cmocka_unit_test(a_rate_is_over_the_last_whole_seconds),
        cmocka_unit_test(a_young_rate_is_over_the_time_it_has),
        cmocka_unit_test(bottlenecks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
