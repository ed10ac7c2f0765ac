/* SPDX-License-Identifier: Apache-2.0 */
#include "config/camera_id.h"
#include "config/camera_url.h"
#include "config/config.h"
#include "config/options.h"
#include "config/print.h"

#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void init(struct weir_config *config)
{
    assert_int_equal(weir_config_init(config), 0);
}

static int parse(struct weir_config *config, const char *text, struct weir_error *err)
{
    return weir_config_parse(config, text, strlen(text), "f.yaml", NULL, NULL, err);
}

static void defaults_are_the_documented_ones(void **state)
{
    (void)state;
    struct weir_config config;
    init(&config);
    assert_string_equal(config.detector, "local");
    assert_null(config.model);
    assert_true(isnan(config.threshold));
    assert_int_equal(config.publishers, 2);
    assert_int_equal(config.queue, 64);
    assert_string_equal(config.web, "127.0.0.1:8089");
    assert_int_equal(config.max_pixels, 64 << 20);
    assert_true(config.apply_orientation);
    assert_int_equal(config.defaults.max_frame_bytes, 16 << 20);
    assert_true(config.defaults.tls_verify);
    assert_int_equal(config.defaults.policy, WEIR_POLICY_AUTO);
    assert_null(config.defaults.password);
    weir_config_fini(&config);
}

static void a_camera_overrides_what_holds_for_all_wherever_that_stands(void **state)
{
    (void)state;
    struct weir_config config;
    struct weir_error err = {0};
    init(&config);
    const char *text = "cameras:\n"
                       "  - name: Front door\n"
                       "    url: http://cam/0\n"
                       "    policy: every\n"
                       "  - {name: back, url: 'http://cam/1', id: b1, max_frame_bytes: 2MiB}\n"
                       "stall_timeout_s: 3\n"
                       "workers: 4\n";
    if (parse(&config, text, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(config.camera_count, 2);
    assert_int_equal(config.workers, 4);
    assert_string_equal(config.cameras[0].id, "front-door");
    assert_int_equal(config.cameras[0].settings.policy, WEIR_POLICY_EVERY);
    assert_true(config.cameras[0].settings.stall_timeout_s == 3);
    assert_string_equal(config.cameras[1].id, "b1");
    assert_int_equal(config.cameras[1].settings.policy, WEIR_POLICY_AUTO);
    assert_int_equal(config.cameras[1].settings.max_frame_bytes, 2 << 20);
    assert_int_equal(weir_config_check(&config, &err), 0);
    weir_config_fini(&config);
}

static const struct {
    const char *text, *message;
} wrong[] = {
    {"worker: 2\n", "f.yaml:1:1: worker: there is no such setting; did you mean \"workers\"?"},
    {"camera: a\n", "f.yaml:1:1: camera: there is no such setting; did you mean \"cameras\"?"},
    {"cameras:\n  a: {ur: b}\n",
     "f.yaml:2:7: cameras.a.ur: there is no such setting of a camera; did you mean \"url\"?"},
    {"workers: 2\nworkers: 3\n", "f.yaml:2:1: workers: this key stands here twice, first in line 1"},
    {"workers: two\n", "f.yaml:1:10: workers: expected a whole number from 0 to 256, found \"two\""},
    {"workers: 2.5\n", "f.yaml:1:10: workers: expected a whole number from 0 to 256, found \"2.5\""},
    {"workers: [2]\n", "f.yaml:1:10: workers: expected a single value, found a list"},
    {"threshold: nan\n", "expected a number from 0 to 1, found \"nan\""},
    {"policy: newst\n", "f.yaml:1:9: policy: expected auto, newest, every"},
    {"tls_verify: maybe\n", "expected true or false, found \"maybe\""},
    {"detector: ''\n", "f.yaml:1:11: detector: expected a text, found nothing"},
    {"cameras: 3\n",
     "f.yaml:1:10: cameras: expected a list of cameras, or a mapping of name: address, found a single value"},
    {"cameras:\n  yard: [x]\n",
     "f.yaml:2:9: cameras.yard: expected an address, or a mapping with url, found a list"},
    {"cameras:\n  yard: ''\n", "f.yaml:2:9: cameras.yard: camera \"yard\" needs a url"},
    {"cameras:\n  yard: {url: b}\n  yard: c\n",
     "f.yaml:3:3: cameras.yard: this key stands here twice, first in line 2"},
    {"cameras:\n  yard:\n    url: b\n    polcy: newest\n",
     "f.yaml:4:5: cameras.yard.polcy: there is no such setting of a camera; did you mean \"policy\"?"},
    {"cameras:\n  yard: http://u:p@ss@cam/\n",
     "f.yaml:2:9: cameras.yard: camera \"yard\": the address holds two @"},
    {"runtime: onnx\n", "runtime: expected auto, openvino, onnxruntime or null, found \"onnx\""},
    {"runtime: onnxruntme\n", "did you mean \"onnxruntime\"?"},
    {"log_level: wran\n", "expected error, warn, info or debug, found \"wran\"; did you mean \"warn\"?"},
    {"model: ${WEIR_TEST_UNSET}\n", "f.yaml:1:8: model: the environment variable WEIR_TEST_UNSET is not set"},
    {"password_file: /no/such/file\n", "password_file: can't read /no/such/file: No such file"},
    {"password_file: /dev/null\n", "expected a password in the first line of /dev/null, found nothing"},
    {"cameras:\n  - name: a\n", "f.yaml:2:5: cameras[0]: camera \"a\" needs a url"},
    {"cameras:\n  - url: a\n", "f.yaml:2:5: cameras[0]: a camera needs a name"},
    {"cameras:\n  - name: a\n    url: b\n    plicy: newest\n",
     "f.yaml:4:5: cameras[0].plicy: there is no such setting of a camera; did you mean \"policy\"?"},
    {"cameras:\n  - name: a\n    url: b\n    workers: 2\n",
     "this is a setting of the whole, not of one camera"},
    {"cameras:\n  - name: a\n    url: b\n    id: A b\n",
     "id: expected 1 to 64 of a-z, 0-9, _ and -, found \"A b\""},
    {"cameras:\n  - name: \"a\\0b\"\n    url: b\n", "expected text, found a NUL byte"},
    {"- a\n", "f.yaml:1:1: expected settings such as \"workers: 2\", found a list"},
    {"? [a]\n: b\n", "f.yaml:1:3: expected a single value, found a list"},
    {"a: [\n", "not valid YAML"},
    {"name: \"\xff\"\n", "not valid YAML"},
    {"x: &a [*a]\n", "there is no such setting"},
};

static void what_is_wrong_is_said_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct weir_config config;
        struct weir_error err = {0};
        init(&config);
        if (parse(&config, wrong[i].text, &err) == 0)
            fail_msg("%s was taken", wrong[i].text);
        if (strstr(err.text, wrong[i].message) == NULL)
            fail_msg("expected \"%s\", found \"%s\"", wrong[i].message, err.text);
        weir_config_fini(&config);
    }
}

static void collect(void *user, const char *problem)
{
    weir_buf_printf(user, "%s\n", problem);
}

static void every_problem_of_a_file_is_told(void **state)
{
    (void)state;
    static const char text[] = "worker: 2\n"
                               "? [a]\n: b\n"
                               "queue: many\n"
                               "cameras:\n"
                               "  front: http://cam/0\n"
                               "  yard: {url: http://cam/1, polcy: every}\n"
                               "  gate: [1]\n"
                               "queue: 3\n";
    static const char expected[] =
        "f.yaml:1:1: worker: there is no such setting; did you mean \"workers\"?\n"
        "f.yaml:2:3: expected a single value, found a list\n"
        "f.yaml:4:8: queue: expected a whole number from 1 to 100000, found \"many\"\n"
        "f.yaml:9:1: queue: this key stands here twice, first in line 4\n"
        "f.yaml:7:29: cameras.yard.polcy: there is no such setting of a camera; did you mean \"policy\"?\n"
        "f.yaml:8:9: cameras.gate: expected an address, or a mapping with url, found a list\n";
    struct weir_config config;
    struct weir_buf told = {0};
    struct weir_error err = {0};
    init(&config);
    assert_int_equal(weir_config_parse(&config, text, strlen(text), "f.yaml", collect, &told, &err), -EINVAL);
    assert_string_equal(told.data, expected);
    assert_memory_equal(err.text, expected, strlen(err.text)); /* the first */
    assert_int_equal(weir_config_parse(&config, text, strlen(text), "f.yaml", NULL, NULL, NULL), -EINVAL);
    weir_buf_fini(&told);
    weir_config_fini(&config);
}

static void cameras_can_be_a_mapping(void **state)
{
    (void)state;
    struct weir_config config;
    struct weir_error err = {0};
    init(&config);
    const char *text = "policy: every\n"
                       "cameras:\n"
                       "  Front: http://cam/0\n"
                       "  yard: {url: http://cam/1, policy: newest, id: y}\n";
    if (parse(&config, text, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(config.camera_count, 2);
    assert_string_equal(config.cameras[0].name, "Front");
    assert_string_equal(config.cameras[0].id, "front");
    assert_string_equal(config.cameras[0].url, "http://cam/0");
    assert_int_equal(config.cameras[0].settings.policy, WEIR_POLICY_EVERY);
    assert_string_equal(config.cameras[1].id, "y");
    assert_int_equal(config.cameras[1].settings.policy, WEIR_POLICY_NEWEST);
    weir_config_fini(&config);
}

static void values_can_come_from_the_environment(void **state)
{
    (void)state;
    static const struct {
        const char *text, *value;
    } rows[] = {
        {"password: ${WEIR_TEST_PW}\n", "p@ss${X}"}, /* what comes in is not expanded again */
        {"password: a${WEIR_TEST_PW}b$\n", "ap@ss${X}b$"},
        {"password: $${WEIR_TEST_PW}\n", "${WEIR_TEST_PW}"},
        {"password: $WEIR_TEST_PW\n", "$WEIR_TEST_PW"},
        {"password: '${1}${}$$ ${a-b} ${'\n", "${1}${}$$ ${a-b} ${"},
    };
    assert_int_equal(setenv("WEIR_TEST_PW", "p@ss${X}", 1), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct weir_config config;
        struct weir_error err = {0};
        init(&config);
        if (parse(&config, rows[i].text, &err) != 0)
            fail_msg("%s: %s", rows[i].text, err.text);
        assert_string_equal(config.defaults.password, rows[i].value);
        weir_config_fini(&config);
    }
}

static void a_password_can_stand_in_a_file(void **state)
{
    (void)state;
    char path[] = "/tmp/weir-test-XXXXXX";
    struct weir_config config;
    struct weir_error err = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "s3 cret\r\nmore\n", 14), 14);
    close(fd);
    init(&config);
    assert_int_equal(weir_config_set(&config, "password-file", path, &err), 0);
    assert_string_equal(config.defaults.password, "s3 cret");
    unlink(path);
    weir_config_fini(&config);
}

/* Case R05: what a raw password does to an address. NULL: nothing to complain about. */
static const struct {
    const char *url, *problem;
} addresses[] = {
    {"http://user:secret@cam/video", NULL},
    {"http://user:p%40ss@cam/video", NULL},
    {"http://user:%2541@cam/", NULL},
    {"http://user:@cam/", NULL},
    {"http://user:a:b@cam:8080/", NULL}, /* the first colon ends the name: RFC 3986, 3.2.1 */
    {"http://cam/user=a@b?c=d@e", NULL},
    {"http://[fe80::1]:8080/video", NULL},
    {"http://user:secret@[::1]/video", NULL},
    {"/media/clip 1.mp4", NULL},
    {"file:///media/clip@home 1.mp4", NULL},
    {"http://user:p@secret@cam/", "two @"},
    {"http://user:a#secret@cam/", "no number as its port, perhaps because a password holds / ? or #"},
    {"http://user:a/secret@cam/", "no number as its port, perhaps"},
    {"http://user:a?secret@cam/", "no number as its port, perhaps"},
    {"http://user:50%secret@cam/", "% in its user or password"},
    {"http://user:secret%4@cam/", "% in its user or password"},
    {"http://user:sec ret@cam/", "a space"},
    {"http://user:secret@/video", "no host"},
    {"http://cam:80a/video", "no number as its port"},
};

static void an_address_with_an_ambiguous_password_is_refused_without_repeating_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        struct weir_error err = {0};
        int code = weir_camera_url_check(addresses[i].url, &err);
        if ((code == 0) != (addresses[i].problem == NULL))
            fail_msg("%s: %d %s", addresses[i].url, code, err.text);
        if (code != 0 && strstr(err.text, addresses[i].problem) == NULL)
            fail_msg("%s: expected \"%s\", found \"%s\"", addresses[i].url, addresses[i].problem, err.text);
        assert_null(strstr(err.text, "secret"));
    }
}

static void what_is_printed_reads_back_as_the_same(void **state)
{
    (void)state;
    static const char text[] =
        "policy: every\nstall_timeout_s: 2.5\nmax_frame_bytes: 2M\n"
        "cameras:\n"
        "  - {name: \"K\\u00fcche/\\\"E\\\" #1\\n\\x7f\\u0080\\u2028\", url: http://cam/0}\n"
        "  - {name: b, url: http://u@cam/1, policy: newest, loop: yes, proxy: 'x: #y$$$${A}'}\n";
    struct weir_config config, again;
    struct weir_error err = {0};
    struct weir_buf first = {0}, second = {0};
    init(&config);
    init(&again);
    if (parse(&config, text, &err) != 0)
        fail_msg("%s", err.text);
    weir_config_print(&config, &first);
    if (parse(&again, first.data, &err) != 0)
        fail_msg("%s in\n%s", err.text, first.data);
    assert_string_equal(again.cameras[0].name, "K\xc3\xbc"
                                               "che/\"E\" #1\n\x7f\xc2\x80\xe2\x80\xa8");
    assert_string_equal(again.cameras[0].id, config.cameras[0].id);
    assert_int_equal(again.defaults.max_frame_bytes, 2 << 20);
    assert_int_equal(again.cameras[1].settings.policy, WEIR_POLICY_NEWEST);
    assert_true(again.cameras[1].settings.loop);
    assert_string_equal(again.cameras[1].settings.proxy, "x: #y$$${A}");
    weir_config_print(&again, &second);
    assert_string_equal(first.data, second.data);
    weir_buf_fini(&first);
    weir_buf_fini(&second);
    weir_config_fini(&config);
    weir_config_fini(&again);
}

static void secrets_are_not_printed(void **state)
{
    (void)state;
    struct weir_config config;
    struct weir_error err = {0};
    struct weir_buf text = {0};
    init(&config);
    assert_int_equal(weir_config_set(&config, "password", "s3cret", &err), 0);
    assert_int_equal(weir_config_add_camera(&config, "a=http://u:s3cret@cam:81/x@y", &err), 0);
    assert_int_equal(weir_config_set(&config, "proxy", "http://me:s3cret@proxy:3128", &err), 0);
    weir_config_print(&config, &text);
    assert_null(strstr(text.data, "s3cret"));
    assert_non_null(strstr(text.data, "http://u:***@cam:81/x@y"));
    assert_int_equal(weir_config_add_camera(&config, "http://u:s3cret@cam/?x=1", &err), -EINVAL);
    assert_null(strstr(err.text, "s3cret"));
    weir_buf_fini(&text);
    weir_config_fini(&config);
}

static void an_empty_file_is_every_default(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "# nothing\n", "cameras:\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct weir_config config;
        struct weir_error err = {0};
        init(&config);
        assert_int_equal(parse(&config, texts[i], &err), 0);
        assert_int_equal(config.camera_count, 0);
        assert_int_equal(weir_config_check(&config, &err), -EINVAL);
        assert_non_null(strstr(err.text, "--camera NAME=URL"));
        weir_config_fini(&config);
    }
}

static void the_command_line_sets_the_same_names(void **state)
{
    (void)state;
    struct weir_config config;
    struct weir_error err = {0};
    init(&config);
    assert_int_equal(weir_config_set(&config, "null-ms", "20", &err), 0);
    assert_true(config.null_ms == 20);
    assert_int_equal(weir_config_set(&config, "policy", "fifo-drop-newest", &err), 0);
    assert_int_equal(weir_config_add_camera(&config, "a=http://c/?x=1", &err), 0);
    assert_string_equal(config.cameras[0].url, "http://c/?x=1");
    assert_int_equal(config.cameras[0].settings.policy, WEIR_POLICY_FIFO_DROP_NEWEST);
    assert_int_equal(weir_config_set(&config, "quue", "1", &err), -EINVAL);
    assert_non_null(strstr(err.text, "did you mean \"queue\"?"));
    assert_int_equal(weir_config_add_camera(&config, "http://c/", &err), -EINVAL);
    assert_int_equal(weir_config_add_camera(&config, "\xff=http://c/", &err), -EINVAL);
    weir_config_fini(&config);
}

static void two_cameras_can_not_share_a_name_or_an_id(void **state)
{
    (void)state;
    struct weir_config config;
    struct weir_error err = {0};
    init(&config);
    assert_int_equal(weir_config_add_camera(&config, "Front door=u", &err), 0);
    assert_int_equal(weir_config_add_camera(&config, "front.door=u", &err), 0);
    assert_int_equal(weir_config_check(&config, &err), -EINVAL);
    assert_non_null(strstr(err.text, "\"Front door\" and \"front.door\" both have the id front-door"));
    weir_config_fini(&config);
}

/* The names of a field report, all at once: each gets an id that fits everywhere, and no two the same. */
static void any_name_gets_an_id_of_its_own(void **state)
{
    (void)state;
    static const char *const names[] = {"K\xc3\xbc\x63he/Eingang #1",
                                        "\xe8\xbb\x8a\xe5\xba\xab",
                                        "a.b",
                                        "..",
                                        "+",
                                        "#",
                                        "x\"y\\z\n",
                                        "<img src=x onerror=1>",
                                        "\xc3\xa9",
                                        "e\xcc\x81",
                                        "\xf0\x9f\x8e\xa5",
                                        "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d"};
    enum { COUNT = sizeof names / sizeof *names };
    char *ids[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        ids[i] = weir_camera_id_derive(names[i]);
        char *again = weir_camera_id_derive(names[i]);
        if (!weir_camera_id_is_valid(ids[i]) || strcmp(ids[i], again) != 0)
            fail_msg("%s: %s", names[i], ids[i]);
        free(again);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(ids[i], ids[j]);
    }
    assert_string_equal(ids[2], "a-b");
    assert_string_equal(ids[7], "img-src-x-onerror-1");
    for (size_t i = 0; i < COUNT; i++)
        free(ids[i]);
    char longest[301];
    memset(longest, 'n', 300);
    longest[300] = '\0';
    char *first = weir_camera_id_derive(longest);
    longest[299] = 'm';
    char *second = weir_camera_id_derive(longest);
    assert_true(weir_camera_id_is_valid(first));
    assert_string_not_equal(first, second);
    free(first);
    free(second);
}

/* Unicode 15, table 3-7: overlong forms, surrogates and what lies beyond U+10FFFF are not well-formed. */
static void only_well_formed_utf8_is_text(void **state)
{
    (void)state;
    static const char *const good[] = {
        "", "a", "\xc2\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xc3",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xe2\x82",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "a\xff"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(weir_text_is_utf8(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(weir_text_is_utf8(bad[i]));
}

/* What is printed can be read again and means the same; secrets are not printed. */
static void every_setting_prints_what_it_reads(void **state)
{
    (void)state;
    struct weir_config config;
    struct weir_error err = {0};
    struct weir_buf text = {0};
    init(&config);
    for (size_t i = 0; i < weir_setting_count; i++) {
        weir_buf_printf(&text, "%s: ", weir_settings[i].name);
        weir_setting_print(&weir_settings[i],
                           weir_settings[i].per_camera ? (void *)&config.defaults : (void *)&config, &text);
        weir_buf_text(&text, "\n");
    }
    if (parse(&config, text.data, &err) != 0)
        fail_msg("%s in\n%s", err.text, text.data);
    assert_true(isnan(config.threshold));
    assert_int_equal(weir_config_set(&config, "password", "s3cret", &err), 0);
    weir_buf_clear(&text);
    weir_setting_print(weir_setting_find("password"), &config.defaults, &text);
    assert_null(strstr(text.data, "s3cret"));
    weir_buf_fini(&text);
    weir_config_fini(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_documented_ones),
        cmocka_unit_test(a_camera_overrides_what_holds_for_all_wherever_that_stands),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
        cmocka_unit_test(every_problem_of_a_file_is_told),
        cmocka_unit_test(cameras_can_be_a_mapping),
        cmocka_unit_test(values_can_come_from_the_environment),
        cmocka_unit_test(a_password_can_stand_in_a_file),
        cmocka_unit_test(an_address_with_an_ambiguous_password_is_refused_without_repeating_it),
        cmocka_unit_test(what_is_printed_reads_back_as_the_same),
        cmocka_unit_test(secrets_are_not_printed),
        cmocka_unit_test(an_empty_file_is_every_default),
        cmocka_unit_test(the_command_line_sets_the_same_names),
        cmocka_unit_test(two_cameras_can_not_share_a_name_or_an_id),
        cmocka_unit_test(any_name_gets_an_id_of_its_own),
        cmocka_unit_test(only_well_formed_utf8_is_text),
        cmocka_unit_test(every_setting_prints_what_it_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
