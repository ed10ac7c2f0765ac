/* SPDX-License-Identifier: Apache-2.0 */
#include "model/labels.h"
#include "model/metadata.h"
#include "model/recipe.h"

#include "unit.h"

#include <errno.h>
#include <string.h>

static void expect(const char *text, int32_t index, const char *name)
{
    struct weir_labels labels = {0};
    char got[64];
    assert_int_equal(weir_labels_parse(&labels, text, strlen(text), "test", NULL), 0);
    weir_labels_copy(&labels, index, got, sizeof got);
    assert_string_equal(got, name);
    weir_labels_fini(&labels);
}

static void files_as_people_have_them(void **state)
{
    (void)state;
    expect("person\ncar\n", 1, "car");
    expect("person\r\ncar\r\n", 1, "car");
    expect("\xEF\xBB\xBFperson\ncar", 0, "person");
    expect("person\n\ncar\n\n\n", 2, "car"); /* a blank line in the middle is a class without a name */
    expect("person\n\ncar\n\n\n", 1, "class_1");
    expect("person\n\ncar\n\n\n", 3, "class_3");
    expect("1 person\n90 toothbrush\n", 90, "toothbrush");
    expect("1: person\n\n90: toothbrush\n", 2, "class_2");
    expect("traffic light\n2 wheeler\n", 1, "2 wheeler"); /* not every line has an index: these are names */
    expect("caf\xC3\xA9 \"x\"\t\n", 0, "caf\xC3\xA9 \"x\"");
    expect("person\n", 79, "class_79");
    expect("person\n", -1, "class_-1");
}

static void an_empty_file_is_refused(void **state)
{
    (void)state;
    struct weir_labels labels = {0};
    struct weir_error err = {0};
    assert_int_equal(weir_labels_parse(&labels, "\n\n", 2, "empty.txt", &err), -EINVAL);
    assert_non_null(strstr(err.text, "empty.txt"));
    assert_int_equal(weir_labels_load(&labels, "/nowhere/labels", &err), -ENOENT);
}

static void long_names_are_cut_at_a_character(void **state)
{
    (void)state;
    char text[200], got[64];
    for (int i = 0; i < 66; i++)
        memcpy(text + 2 * i, "\xC3\xA9", 2);
    text[132] = '\0';
    struct weir_labels labels = {0};
    assert_int_equal(weir_labels_parse(&labels, text, 132, "test", NULL), 0);
    weir_labels_copy(&labels, 0, got, sizeof got);
    assert_int_equal(strlen(got), 62);
    weir_labels_fini(&labels);
}

static void lists_known_by_name_and_by_number(void **state)
{
    (void)state;
    struct weir_labels labels = {0};
    char got[64];
    assert_int_equal(weir_labels_known(&labels, "coco"), 0);
    assert_int_equal(labels.count, 80);
    weir_labels_copy(&labels, 79, got, sizeof got);
    assert_string_equal(got, "toothbrush");
    weir_labels_fini(&labels);
    assert_true(weir_labels_for_count(&labels, 24));
    weir_labels_copy(&labels, 23, got, sizeof got);
    assert_string_equal(got, "Car");
    weir_labels_fini(&labels);
    assert_false(weir_labels_for_count(&labels, 7));
    assert_int_equal(weir_labels_known(&labels, "imagenet"), -ENOENT);
}

static void names_as_exporters_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *at1;
        size_t count;
    } rows[] = {
        {"{0: 'person', 1: 'car'}", "car", 2},
        {"{\"0\": \"person\", \"1\": \"driver's seat\"}", "driver's seat", 2},
        {"{0: 'person', 1: \"driver's \\\"seat\\\"\"}", "driver's \"seat\"", 2},
        {"['person', 'car', ]", "car", 2},
        {"[\"a\", \"\\u00e4b\"]", "\xC3\xA4" "b", 2},
        {"{1: 'car', 3: 'bus'}", "car", 4},
        {"  {}", NULL, 0},
        {"[]", NULL, 0},
        {"person,car", NULL, 0},
        {"{0: 'person', 1: 'car'", NULL, 0},
        {"{0: 'person', 1: 'car}", NULL, 0},
        {"{0 'person'}", NULL, 0},
        {"{99999999999: 'x'}", NULL, 0},
        {"[\"\\u00", NULL, 0},
        {"['a\\", NULL, 0},
        {"", NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct weir_labels labels = {0};
        char got[64];
        assert_int_equal(weir_labels_parse_names(&labels, rows[i].text), rows[i].at1 != NULL ? 0 : -EINVAL);
        assert_int_equal(labels.count, rows[i].count);
        weir_labels_copy(&labels, 1, got, sizeof got);
        assert_string_equal(got, rows[i].at1 != NULL ? rows[i].at1 : "class_1");
        weir_labels_fini(&labels);
    }
}

static void recipes_in_words(void **state)
{
    (void)state;
    struct weir_input_spec spec = {.width = 416, .height = 416, .std = {1, 1, 1}};
    char text[WEIR_RECIPE_TEXT_MAX];
    assert_int_equal(weir_recipe_parse(&spec, "letterbox-tl bgr imagenet pad=114", NULL), 0);
    assert_int_equal(spec.fit, WEIR_FIT_LETTERBOX_TOP_LEFT);
    assert_int_equal(spec.pad, 114);
    assert_float_equal(spec.mean[0], 103.53F, 0); /* blue first */
    assert_string_equal(weir_recipe_text(&spec, text), "letterbox-tl bgr imagenet pad=114");
    /* Only the order is changed: the range goes with it. */
    assert_int_equal(weir_recipe_parse(&spec, "rgb", NULL), 0);
    assert_float_equal(spec.mean[0], 123.675F, 0);
    assert_int_equal(weir_recipe_parse(&spec, "stretch,-1..1,320x240", NULL), 0);
    assert_int_equal(spec.width, 320);
    assert_int_equal(spec.height, 240);
    assert_string_equal(weir_recipe_text(&spec, text), "stretch rgb -1..1");
    assert_int_equal(weir_recipe_parse(&spec, "mean=104,117,123 std=1 bgr", NULL), 0);
    assert_float_equal(spec.mean[2], 123, 0);
    assert_float_equal(spec.std[1], 1, 0);
    assert_string_equal(weir_recipe_text(&spec, text), "stretch bgr mean=104,117,123 std=1,1,1");
    static const char *const wrong[] = {"std=0", "mean=nan", "mean=1,2", "mean=1,2,3,4", "letterbx", "pad=256", "pad=", "0x0", "99999x1", "320x240x3", "0..2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct weir_error err = {0};
        assert_int_equal(weir_recipe_parse(&spec, wrong[i], &err), -EINVAL);
        assert_non_null(strstr(err.text, wrong[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_as_people_have_them),
        cmocka_unit_test(an_empty_file_is_refused),
        cmocka_unit_test(long_names_are_cut_at_a_character),
        cmocka_unit_test(lists_known_by_name_and_by_number),
        cmocka_unit_test(names_as_exporters_write_them),
        cmocka_unit_test(recipes_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
