/* SPDX-License-Identifier: Apache-2.0 */
#include "source/back_off.h"

#include "unit.h"

#define S 1000000000LL

static void waits_double_up_to_the_cap(void **state)
{
    (void)state;
    struct weir_back_off back_off = {S / 2, 30 * S, 0};
    static const int64_t expected[] = {S / 2, S, 2 * S, 4 * S, 8 * S, 16 * S, 30 * S, 30 * S};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(weir_back_off_next(&back_off, WEIR_SOURCE_REASON_REFUSED, 0, 0), expected[i]);
    for (int i = 0; i < 1000; i++)
        (void)weir_back_off_next(&back_off, WEIR_SOURCE_REASON_REFUSED, 0, 0);
    assert_int_equal(weir_back_off_next(&back_off, WEIR_SOURCE_REASON_REFUSED, 0, 0), 30 * S);
}

static void jitter_takes_at_most_a_quarter(void **state)
{
    (void)state;
    struct weir_back_off back_off = {4 * S, 4 * S, 0};
    assert_int_equal(weir_back_off_next(&back_off, WEIR_SOURCE_REASON_ENDED, 0, UINT32_MAX), 3 * S);
    int64_t half = weir_back_off_next(&back_off, WEIR_SOURCE_REASON_ENDED, 0, UINT32_MAX / 2);
    assert_true(half > 3.49 * S && half < 3.51 * S);
}

static void a_brief_success_forgets_nothing(void **state)
{
    (void)state;
    struct weir_back_off back_off = {S, 60 * S, 0};
    (void)weir_back_off_next(&back_off, WEIR_SOURCE_REASON_ENDED, 0, 0);
    weir_back_off_was_live(&back_off, 9 * S);
    assert_int_equal(weir_back_off_next(&back_off, WEIR_SOURCE_REASON_ENDED, 0, 0), 2 * S);
    weir_back_off_was_live(&back_off, 10 * S);
    assert_int_equal(weir_back_off_next(&back_off, WEIR_SOURCE_REASON_ENDED, 0, 0), S);
}

static void a_rejected_password_waits_a_minute_and_retry_after_is_obeyed(void **state)
{
    (void)state;
    struct weir_back_off back_off = {S, 30 * S, 0};
    assert_int_equal(weir_back_off_next(&back_off, WEIR_SOURCE_REASON_AUTH, 0, 0), 60 * S);
    assert_int_equal(weir_back_off_next(&back_off, WEIR_SOURCE_REASON_HTTP_STATUS, 45 * S, 0), 45 * S);
    assert_int_equal(weir_back_off_next(&back_off, WEIR_SOURCE_REASON_HTTP_STATUS, 99999 * S, 0), 3600 * S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_double_up_to_the_cap),
        cmocka_unit_test(jitter_takes_at_most_a_quarter),
        cmocka_unit_test(a_brief_success_forgets_nothing),
        cmocka_unit_test(a_rejected_password_waits_a_minute_and_retry_after_is_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
