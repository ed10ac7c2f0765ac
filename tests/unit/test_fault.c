/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fault.h"

#include "base/clock.h"
#include "unit.h"

#include <string.h>

static struct weir_sim_plan plans[WEIR_SIM_PLANS_MAX];

static void a_plan_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct weir_sim_plan plan;
    } rows[] = {
        {"cam1:stall@5s+3s", {1, WEIR_SIM_FAULT_STALL, 5 * WEIR_NS_PER_S, 3 * WEIR_NS_PER_S}},
        {"2:cut@500ms", {2, WEIR_SIM_FAULT_CUT, 500 * WEIR_NS_PER_MS, 0}},
        {"all:no-length", {-1, WEIR_SIM_FAULT_NO_LENGTH, 0, 0}},
        {"cam0:404+2.5", {0, WEIR_SIM_FAULT_404, 0, 2500 * WEIR_NS_PER_MS}},
        {"all:refuse@1+1", {-1, WEIR_SIM_FAULT_REFUSE, WEIR_NS_PER_S, WEIR_NS_PER_S}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct weir_error err;
        if (weir_sim_plan_parse(plans, rows[i].text, 4, &err) != 1)
            fail_msg("%s: %s", rows[i].text, err.text);
        assert_int_equal(plans[0].camera, rows[i].plan.camera);
        assert_int_equal(plans[0].fault, rows[i].plan.fault);
        assert_int_equal(plans[0].start_ns, rows[i].plan.start_ns);
        assert_int_equal(plans[0].length_ns, rows[i].plan.length_ns);
    }
}

static void a_list_is_read(void **state)
{
    (void)state;
    assert_int_equal(weir_sim_plan_parse(plans, "cam0:slow,cam1:fps@1,cam3:freeze+1s", 4, NULL), 3);
    assert_int_equal(plans[2].camera, 3);
    assert_int_equal(plans[2].fault, WEIR_SIM_FAULT_FREEZE);
    assert_int_equal(weir_sim_plan_parse(plans, "", 4, NULL), 0);
}

static void wrong_plans_are_explained(void **state)
{
    (void)state;
    static const struct {
        const char *text, *say;
    } rows[] = {
        {"cam4:stall", "a camera"},   {"stall", "a camera"},
        {"cam1", "a camera"},         {"cam1:stal", "a kind of fault"},
        {"cam1:stall@", "times"},     {"cam1:stall@x", "times"},
        {"cam1:stall@1s+", "times"},  {"cam1:stall@-1s", "times"},
        {"cam1:stall@1s3", "times"},  {"cam1:stall@nan", "times"},
        {"cam1:stall,:", "a camera"}, {"cam1:refuse", "all"},
        {"cam-1:stall", "a camera"},  {"cam99999999999:stall", "a camera"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct weir_error err = {0};
        assert_true(weir_sim_plan_parse(plans, rows[i].text, 4, &err) < 0);
        if (strstr(err.text, rows[i].say) == NULL)
            fail_msg("%s: %s", rows[i].text, err.text);
    }
}

static void more_than_fit_are_refused(void **state)
{
    (void)state;
    static char text[8 * (WEIR_SIM_PLANS_MAX + 1) + 1];
    for (int i = 0; i <= WEIR_SIM_PLANS_MAX; i++)
        memcpy(text + 8 * i, "all:cut,", 8);
    assert_true(weir_sim_plan_parse(plans, text, 4, NULL) < 0);
    text[8 * WEIR_SIM_PLANS_MAX] = '\0';
    assert_int_equal(weir_sim_plan_parse(plans, text, 4, NULL), WEIR_SIM_PLANS_MAX);
}

static void names_lead_back(void **state)
{
    (void)state;
    for (int i = 0; i < WEIR_SIM_FAULT_COUNT; i++) {
        const char *name = weir_sim_fault_name((enum weir_sim_fault)i);
        enum weir_sim_fault fault;
        assert_true(weir_sim_fault_parse(name, strlen(name), &fault));
        assert_int_equal(fault, i);
        assert_true(strlen(weir_sim_fault_help(fault)) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_read),
        cmocka_unit_test(a_list_is_read),
        cmocka_unit_test(wrong_plans_are_explained),
        cmocka_unit_test(more_than_fit_are_refused),
        cmocka_unit_test(names_lead_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
