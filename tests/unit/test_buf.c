/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "unit.h"

#include <errno.h>
#include <string.h>

static void text_grows_and_stays_terminated(void **state)
{
    (void)state;
    struct weir_buf buf = {0};
    for (int i = 0; i < 1000; i++)
        weir_buf_printf(&buf, "%d,", i % 10);
    assert_false(buf.failed);
    assert_int_equal(buf.size, 2000);
    assert_int_equal(strlen(buf.data), 2000);
    weir_buf_clear(&buf);
    assert_string_equal(buf.data, "");
    weir_buf_fini(&buf);
    assert_null(buf.data);
}

static void a_file_over_the_limit_is_refused(void **state)
{
    (void)state;
    struct weir_buf buf = {0};
    assert_int_equal(weir_buf_read_file(&buf, "/dev/zero", 100000), -EFBIG);
    weir_buf_clear(&buf);
    assert_int_equal(weir_buf_read_file(&buf, "/nowhere/at/all", 10), -ENOENT);
    weir_buf_fini(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_and_stays_terminated),
        cmocka_unit_test(a_file_over_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
