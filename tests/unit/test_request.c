/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/request.h"

#include "unit.h"

#include <string.h>

static void a_head_ends_with_an_empty_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
    } rows[] = {
        {"GET / HTTP/1.1\r\nHost: x\r\n\r\nbody", 27},
        {"GET / HTTP/1.0\n\n", 16},
        {"GET / HTTP/1.1\r\n\r", 0},
        {"", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(weir_sim_request_head_size(rows[i].text, strlen(rows[i].text)), rows[i].size);
}

static void first_lines(void **state)
{
    (void)state;
    struct weir_sim_request request;
    static const char good[] = "POST /fault?camera=1&kind=no-length&seconds=2.5 HTTP/1.1\r\n\r\n";
    assert_true(weir_sim_request_parse(good, sizeof good - 1, &request));
    assert_string_equal(request.method, "POST");
    assert_string_equal(request.path, "/fault");
    char value[8];
    assert_true(weir_sim_request_argument(&request, "camera", value, sizeof value));
    assert_string_equal(value, "1");
    assert_true(weir_sim_request_argument(&request, "seconds", value, sizeof value));
    assert_string_equal(value, "2.5");
    assert_false(weir_sim_request_argument(&request, "kind", value, sizeof value)); /* 9 characters */
    assert_false(weir_sim_request_argument(&request, "cam", value, sizeof value));

    static const char *const bad[] = {"\r\n\r\n",
                                      "GET\r\n\r\n",
                                      "GET  HTTP/1.1\r\n\r\n",
                                      "PROPPATCHES / HTTP/1.1\r\n\r\n",
                                      "GET cam0 HTTP/1.1\r\n\r\n",
                                      "\x16\x03\x01"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(weir_sim_request_parse(bad[i], strlen(bad[i]), &request));
}

static void paths_of_cameras(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int camera;
        bool still;
    } rows[] = {
        {"/cam0", 0, false},   {"/cam11", 11, false}, {"/cam3.jpg", 3, true},
        {"/cam12", -1, false}, {"/cam", -1, false},   {"/cam1x", -1, false},
        {"/cam-1", -1, false}, {"/", -1, false},      {"/cam99999999999999999999", -1, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct weir_sim_request request = {0};
        int camera = -1;
        bool still = false;
        strcpy(request.path, rows[i].path);
        assert_int_equal(weir_sim_request_camera(&request, 12, &camera, &still), rows[i].camera >= 0);
        assert_int_equal(camera, rows[i].camera);
        if (camera >= 0)
            assert_int_equal(still, rows[i].still);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_ends_with_an_empty_line),
        cmocka_unit_test(first_lines),
        cmocka_unit_test(paths_of_cameras),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
