/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include "unit.h"

#include <string.h>

static const char *const names[] = {"queue", "policy", "stall_timeout_s", "run", "detect", "url", NULL};

static const struct {
    const char *name, *found;
    int distance; /* of found */
} rows[] = {
    {"quue", "queue", 1},
    {"polcy", "policy", 1},
    {"stall-timeout-s", "stall_timeout_s", 0},
    {"stall_timeout", "stall_timeout_s", 2},
    {"rnu", "run", 1}, /* two neighbours that changed places are one step */
    {"plocy", "policy", 2},
    {"ur", "url", 1},
    {"dtect", "detect", 1},
    {"", NULL, 1},
    {"xyzzy", NULL, 3},
    {"a_name_that_is_much_longer_than_forty_letters_", NULL, 9},
};

static void the_nearest_name_is_found_and_nothing_far_away(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct weir_nearest nearest;
        weir_nearest_init(&nearest, rows[i].name);
        for (size_t j = 0; names[j] != NULL; j++)
            weir_nearest_offer(&nearest, names[j]);
        if (rows[i].found == NULL ? nearest.found != NULL
                                  : nearest.found == NULL || strcmp(nearest.found, rows[i].found) != 0)
            fail_msg("%s: found %s", rows[i].name, nearest.found != NULL ? nearest.found : "nothing");
        assert_int_equal(nearest.distance, rows[i].distance);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_nearest_name_is_found_and_nothing_far_away)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
