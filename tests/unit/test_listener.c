/* SPDX-License-Identifier: Apache-2.0 */
#include "web/listener.h"

#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *address, *host;
    int port;
} good[] = {
    {"127.0.0.1:8089", "127.0.0.1", 8089}, {"[::1]:0", "::1", 0},
    {"[::]:65535", "::", 65535},           {":80", "0.0.0.0", 80},
    {"8089", "127.0.0.1", 8089},           {"localhost:1", "localhost", 1},
};

static const char *const bad[] = {
    "",
    ":",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:x",
    "127.0.0.1:80x",
    "127.0.0.1:-1",
    "127.0.0.1:65536",
    "127.0.0.1:99999999999999999999",
    "::1:80",
    "[::1]",
    "[::1",
    "[]:80",
    "[:80",
    "host: 80",
    "http://x:80/",
};

static void an_address_is_split_as_a_person_means_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char host[WEIR_HOST_MAX];
        int port = -1;
        struct weir_error err = {0};
        if (weir_address_split(good[i].address, host, &port, &err) != 0)
            fail_msg("%s: %s", good[i].address, err.text);
        assert_string_equal(host, good[i].host);
        assert_int_equal(port, good[i].port);
    }
}

static void what_is_no_address_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char host[WEIR_HOST_MAX];
        int port;
        struct weir_error err = {0};
        if (weir_address_split(bad[i], host, &port, &err) != -EINVAL)
            fail_msg("\"%s\" was taken", bad[i]);
        assert_non_null(strstr(err.text, "HOST:PORT"));
    }
}

static void port_0_takes_a_free_one_and_a_busy_one_is_said(void **state)
{
    (void)state;
    struct weir_listener first, second;
    struct weir_error err = {0};
    assert_int_equal(weir_listener_open(&first, "127.0.0.1:0", &err), 0);
    assert_true(first.port > 0);
    assert_true(first.loopback);
    char address[64], expected[64];
    (void)snprintf(address, sizeof address, "127.0.0.1:%d", first.port);
    (void)snprintf(expected, sizeof expected, "http://127.0.0.1:%d/", first.port);
    assert_string_equal(first.url, expected);
    assert_int_equal(weir_listener_open(&second, address, &err), -EADDRINUSE);
    assert_int_equal(second.fd, -1);
    (void)snprintf(expected, sizeof expected, "port %d on 127.0.0.1 is in use", first.port);
    assert_non_null(strstr(err.text, expected));
    close(first.fd);
}

static void every_network_is_not_loopback_and_its_url_can_be_opened(void **state)
{
    (void)state;
    struct weir_listener listener;
    assert_int_equal(weir_listener_open(&listener, ":0", NULL), 0);
    assert_false(listener.loopback);
    assert_memory_equal(listener.url, "http://127.0.0.1:", 17);
    close(listener.fd);
}

static void an_address_of_another_machine_is_said(void **state)
{
    (void)state;
    struct weir_listener listener;
    struct weir_error err = {0};
    /* TEST-NET-1 of RFC 5737: nobody's address. */
    assert_int_equal(weir_listener_open(&listener, "192.0.2.1:0", &err), -EADDRNOTAVAIL);
    assert_non_null(strstr(err.text, "192.0.2.1 is no address of this machine"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_split_as_a_person_means_it),
        cmocka_unit_test(what_is_no_address_is_refused),
        cmocka_unit_test(port_0_takes_a_free_one_and_a_busy_one_is_said),
        cmocka_unit_test(every_network_is_not_loopback_and_its_url_can_be_opened),
        cmocka_unit_test(an_address_of_another_machine_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
