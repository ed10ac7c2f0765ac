/* SPDX-License-Identifier: Apache-2.0 */
#include "base/histogram.h"

#include "unit.h"

static void quantiles_are_right_to_a_sixteenth(void **state)
{
    (void)state;
    static struct weir_histogram h;
    for (int us = 1; us <= 100000; us++)
        weir_histogram_record(&h, us * 1000LL);
    const double qs[] = {0.5, 0.95, 0.99};
    for (int i = 0; i < 3; i++) {
        double exact = qs[i] * 1e8;
        double got = (double)weir_histogram_quantile_ns(&h, qs[i]);
        assert_true(got >= exact && got <= exact * (1 + 1.0 / 16) + 1000);
    }
    assert_int_equal(weir_histogram_quantile_ns(&h, 1), 100000000);
    assert_int_equal(h.max_ns, 100000000);
}

static void the_empty_the_negative_and_the_huge(void **state)
{
    (void)state;
    static struct weir_histogram h;
    assert_int_equal(weir_histogram_quantile_ns(&h, 0.99), 0);
    weir_histogram_record(&h, -5);
    assert_int_equal(weir_histogram_quantile_ns(&h, 0.5), 0);
    weir_histogram_record(&h, INT64_MAX / 2);
    assert_true(weir_histogram_quantile_ns(&h, 1) > 3600LL * 1000000000);
}

static void sums_add_up(void **state)
{
    (void)state;
    static struct weir_histogram a, b;
    weir_histogram_record(&a, 1000000);
    weir_histogram_record(&b, 3000000);
    weir_histogram_add(&a, &b);
    assert_int_equal(a.count, 2);
    assert_int_equal(a.sum_ns, 4000000);
    assert_int_equal(a.max_ns, 3000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_right_to_a_sixteenth),
        cmocka_unit_test(the_empty_the_negative_and_the_huge),
        cmocka_unit_test(sums_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
