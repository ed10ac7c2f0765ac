/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nms.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

static void add(struct weir_box_list *list, float x, float size, float score, int32_t class_index)
{
    struct weir_candidate_box *box = weir_box_list_add(list);
    *box = (struct weir_candidate_box){{x, 0, x + size, size}, score, class_index, (uint32_t)list->count - 1};
}

static void the_best_of_an_overlapping_pair_stays(void **state)
{
    (void)state;
    struct weir_box_list list = {0};
    add(&list, 0, 100, 0.8F, 1);
    add(&list, 10, 100, 0.9F, 1); /* IoU 90 / 110 = 0.82 */
    add(&list, 300, 100, 0.5F, 1);
    weir_nms(&list, 0.45F, false, 100, 100);
    assert_int_equal(list.count, 2);
    assert_float_equal(list.boxes[0].score, 0.9F, 0);
    assert_float_equal(list.boxes[1].score, 0.5F, 0);
    weir_box_list_fini(&list);
}

static void exactly_the_limit_is_kept(void **state)
{
    (void)state;
    struct weir_box_list list = {0};
    add(&list, 0, 100, 0.9F, 0);
    add(&list, 50, 100, 0.8F, 0); /* IoU 50 / 150: a third */
    weir_nms(&list, 1.0F / 3, false, 100, 100);
    assert_int_equal(list.count, 2);
    weir_nms(&list, 0.33F, false, 100, 100);
    assert_int_equal(list.count, 1);
    weir_box_list_fini(&list);
}

static void classes_suppress_each_other_only_when_asked(void **state)
{
    (void)state;
    struct weir_box_list list = {0};
    add(&list, 3500, 100, 0.9F, 79);
    add(&list, 3501, 100, 0.8F, 79);
    add(&list, 3500, 100, 0.7F, 78);
    weir_nms(&list, 0.45F, false, 100, 100);
    assert_int_equal(list.count, 2);
    weir_nms(&list, 0.45F, true, 100, 100);
    assert_int_equal(list.count, 1);
    weir_box_list_fini(&list);
}

static void equal_scores_keep_the_order_of_their_rows(void **state)
{
    (void)state;
    struct weir_box_list list = {0};
    for (int i = 0; i < 50; i++)
        add(&list, (float)i * 200, 100, 0.5F, 0);
    weir_nms(&list, 0.45F, false, 100, 100);
    assert_int_equal(list.count, 50);
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(list.boxes[i].row, i);
    weir_box_list_fini(&list);
}

static void thousands_are_bounded(void **state)
{
    (void)state;
    struct weir_box_list list = {0};
    for (int i = 0; i < 8400; i++)
        add(&list, (float)i * 0.001F, 100, 0.9F, 0);
    weir_nms(&list, 0.45F, false, 3000, 300);
    assert_int_equal(list.count, 1);
    list.count = 0;
    for (int i = 0; i < 8400; i++)
        add(&list, (float)i * 200, 100, 0.9F, 0);
    weir_nms(&list, 0.45F, false, 3000, 300);
    assert_int_equal(list.count, 300);
    weir_nms(&list, 0.45F, false, 0, 0);
    assert_int_equal(list.count, 0);
    weir_box_list_fini(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_of_an_overlapping_pair_stays),
        cmocka_unit_test(exactly_the_limit_is_kept),
        cmocka_unit_test(classes_suppress_each_other_only_when_asked),
        cmocka_unit_test(equal_scores_keep_the_order_of_their_rows),
        cmocka_unit_test(thousands_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
