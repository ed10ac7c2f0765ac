/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/thread.h"
#include "web/http.h"

#include "unit.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A server that echoes the body, answers /later from another thread, and gives 4 MiB under /big. */
struct echo {
    struct weir_http *http;
    pthread_t thread;
    struct weir_http_exchange *later;
};

enum { BIG = 16 << 20 };
static const char big[BIG];

static void *answer_later(void *argument)
{
    struct echo *echo = argument;
    static const char body[] = "later";
    const struct weir_http_reply reply = {.status = 200, .type = "text/plain", .body = body, .size = 5};
    weir_http_reply(echo->later, &reply);
    return NULL;
}

static void handle(void *user, struct weir_http_exchange *exchange)
{
    struct echo *echo = user;
    if (strcmp(weir_http_path(exchange), "/later") == 0) {
        weir_http_defer(exchange);
        echo->later = exchange;
        assert_int_equal(weir_thread_start(&echo->thread, "later", answer_later, echo), 0);
        return;
    }
    if (strcmp(weir_http_path(exchange), "/big") == 0) {
        const struct weir_http_reply reply = {.status = 200, .body = big, .size = BIG};
        weir_http_reply(exchange, &reply);
        return;
    }
    size_t size;
    const void *body = weir_http_body(exchange, &size);
    const char *word = weir_http_query(exchange, "word");
    struct weir_buf text = {0};
    weir_buf_printf(&text, "%s %s %s ", weir_http_method(exchange), weir_http_path(exchange),
                    word != NULL ? word : "-");
    weir_buf_append(&text, body, size);
    weir_http_reply_buf(exchange, 200, "text/plain", &text);
}

static void start(struct echo *echo, const struct weir_http_params *wanted)
{
    struct weir_error err = {0};
    struct weir_http_params params = *wanted;
    params.address = "127.0.0.1:0";
    params.handler = handle;
    params.user = echo;
    params.max_body_bytes = 1000;
    memset(echo, 0, sizeof *echo);
    if (weir_http_start(&echo->http, &params, &err) != 0)
        fail_msg("%s", err.text);
}

static const struct weir_http_params defaults = WEIR_HTTP_PARAMS_DEFAULT;

static size_t keep(char *bytes, size_t one, size_t count, void *user)
{
    (void)one;
    weir_buf_append(user, bytes, count);
    return count;
}

/* One request; the status, and headers and body in answer. body NULL: GET. */
static long ask(struct echo *echo, const char *path, const char *header, const char *body, size_t size,
                struct weir_buf *answer)
{
    char url[200];
    long status = 0;
    (void)snprintf(url, sizeof url, "%s%s", weir_http_url(echo->http), path + 1);
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    headers = header != NULL ? curl_slist_append(headers, header) : headers;
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, keep);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, answer);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 30L);
    if (body != NULL) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)size);
    }
    (void)curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return status;
}

static void assert_answer(struct echo *echo, const char *path, const char *header, const char *body,
                          size_t size, long status, const char *part)
{
    struct weir_buf answer = {0};
    assert_int_equal(ask(echo, path, header, body, size, &answer), status);
    if (strstr(answer.data, part) == NULL)
        fail_msg("expected \"%s\" in:\n%s", part, answer.data);
    weir_buf_fini(&answer);
}

static void a_request_reaches_the_handler_whole(void **state)
{
    (void)state;
    struct echo echo;
    start(&echo, &defaults);
    assert_answer(&echo, "/a?word=b%20c", NULL, NULL, 0, 200, "GET /a b c ");
    assert_answer(&echo, "/a", NULL, "hello", 5, 200, "POST /a - hello");
    assert_answer(&echo, "/a", NULL, NULL, 0, 200, "X-Content-Type-Options: nosniff");
    assert_answer(&echo, "/a", NULL, NULL, 0, 200, "frame-ancestors 'none'");
    weir_http_stop(&echo.http, 0);
}

static void a_body_over_the_limit_is_refused_and_the_sender_hears_it(void **state)
{
    (void)state;
    struct echo echo;
    char *body = calloc(1, 100000);
    assert_non_null(body);
    start(&echo, &defaults);
    assert_answer(&echo, "/a", NULL, body, 1000, 200, "POST /a - ");
    assert_answer(&echo, "/a", NULL, body, 1001, 413, "body_too_large");
    assert_answer(&echo, "/a", "Transfer-Encoding: chunked", body, 1001, 413, "body_too_large");
    assert_answer(&echo, "/a", "Expect: 100-continue", body, 100000, 413, "body_too_large");
    weir_http_stop(&echo.http, 0);
    free(body);
}

static void a_deferred_request_is_answered_from_another_thread(void **state)
{
    (void)state;
    struct echo echo;
    start(&echo, &defaults);
    for (int i = 0; i < 20; i++) {
        assert_answer(&echo, "/later", NULL, NULL, 0, 200, "later");
        pthread_join(echo.thread, NULL);
    }
    weir_http_stop(&echo.http, 0);
}

static void a_foreign_name_is_not_answered_on_loopback(void **state)
{
    (void)state;
    struct echo echo;
    start(&echo, &defaults);
    assert_answer(&echo, "/a", "Host: cameras.attacker.example", NULL, 0, 421, "host_not_allowed");
    assert_answer(&echo, "/a", "Host: localhost:8089", NULL, 0, 200, "GET /a");
    weir_http_stop(&echo.http, 0);
}

static void only_names_that_nobody_else_controls_are_local(void **state)
{
    (void)state;
    static const char *const local[] = {"localhost",   "LOCALHOST:80", "a.localhost", "127.0.0.1:8089",
                                        "192.168.1.9", "[::1]:80",     "[fe80::1]",   "localhost.:80"};
    static const char *const foreign[] = {"",
                                          ":80",
                                          "example.com",
                                          "127.0.0.1.example.com",
                                          "localhost.example.com",
                                          "notlocalhost",
                                          "[::1",
                                          "[example.com]:80",
                                          ".localhost"};
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (!weir_http_host_is_local(local[i]))
            fail_msg("%s is refused", local[i]);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (weir_http_host_is_local(foreign[i]))
            fail_msg("%s is taken", foreign[i]);
}

static int connect_raw(struct echo *echo, const char *request)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)weir_http_port(echo->http))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    if (request[0] != '\0')
        assert_true(send(fd, request, strlen(request), MSG_NOSIGNAL) > 0);
    return fd;
}

/* Blocks until the server has closed; true when it did within 20 s. */
static bool was_closed(int fd, bool read_first)
{
    char bytes[4096];
    struct timeval limit = {.tv_sec = 20};
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    for (;;) {
        ssize_t n = recv(fd, bytes, sizeof bytes, 0);
        if (n == 0 || (n < 0 && errno == ECONNRESET))
            return true;
        if (n < 0 || !read_first)
            return false;
    }
}

static void who_never_finishes_a_request_is_cut(void **state)
{
    (void)state;
    struct echo echo;
    struct weir_http_params params = WEIR_HTTP_PARAMS_DEFAULT;
    params.read_timeout_ns = 300 * WEIR_NS_PER_MS;
    start(&echo, &params);
    int silent = connect_raw(&echo, "");
    int half = connect_raw(&echo, "GET /a HTTP/1.1\r\nHo");
    int no_body = connect_raw(&echo, "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
    assert_true(was_closed(silent, true));
    assert_true(was_closed(half, true));
    assert_true(was_closed(no_body, true));
    assert_answer(&echo, "/a", NULL, NULL, 0, 200, "GET /a");
    close(silent);
    close(half);
    close(no_body);
    weir_http_stop(&echo.http, 0);
}

static void who_never_takes_the_answer_is_cut_and_holds_up_nobody(void **state)
{
    (void)state;
    struct echo echo;
    struct weir_http_params params = WEIR_HTTP_PARAMS_DEFAULT;
    params.write_timeout_ns = 300 * WEIR_NS_PER_MS;
    start(&echo, &params);
    int lazy = connect_raw(&echo, "GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_answer(&echo, "/a", NULL, NULL, 0, 200, "GET /a");
    struct weir_http_counts counts;
    int64_t deadline_ns = weir_clock_ns() + 20 * WEIR_NS_PER_S;
    do {
        weir_http_counts(echo.http, &counts);
        usleep(20000);
    } while (counts.cut == 0 && weir_clock_ns() < deadline_ns);
    assert_int_equal(counts.cut, 1);
    assert_true(was_closed(lazy, true));
    close(lazy);
    weir_http_stop(&echo.http, 0);
}

static void when_all_places_are_taken_the_newcomer_is_told_so(void **state)
{
    (void)state;
    struct echo echo;
    struct weir_http_params params = WEIR_HTTP_PARAMS_DEFAULT;
    params.max_connections = 2;
    start(&echo, &params);
    /* A newcomer is only refused while the others are fresh: on a machine that stands still for a second it
     * gets a place. */
    int64_t start_ns = weir_clock_ns();
    int first = connect_raw(&echo, ""), second = connect_raw(&echo, "");
    struct weir_buf answer = {0};
    long status = ask(&echo, "/a", NULL, NULL, 0, &answer);
    if (weir_clock_ns() - start_ns < WEIR_NS_PER_S) {
        assert_int_equal(status, 503);
        assert_non_null(strstr(answer.data, "Retry-After: 1"));
        assert_non_null(strstr(answer.data, "too_many_connections"));
    }
    weir_buf_fini(&answer);
    close(first);
    close(second);
    weir_http_stop(&echo.http, 0);
}

static void a_busy_port_is_one_clear_sentence(void **state)
{
    (void)state;
    struct echo echo;
    struct weir_http *second = NULL;
    struct weir_error err = {0};
    char address[32];
    start(&echo, &defaults);
    (void)snprintf(address, sizeof address, "127.0.0.1:%d", weir_http_port(echo.http));
    struct weir_http_params params = WEIR_HTTP_PARAMS_DEFAULT;
    params.address = address;
    params.handler = handle;
    assert_int_equal(weir_http_start(&second, &params, &err), -EADDRINUSE);
    assert_null(second);
    assert_non_null(strstr(err.text, "is in use by another program"));
    weir_http_stop(&echo.http, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_reaches_the_handler_whole),
        cmocka_unit_test(a_body_over_the_limit_is_refused_and_the_sender_hears_it),
        cmocka_unit_test(a_deferred_request_is_answered_from_another_thread),
        cmocka_unit_test(a_foreign_name_is_not_answered_on_loopback),
        cmocka_unit_test(only_names_that_nobody_else_controls_are_local),
        cmocka_unit_test(who_never_finishes_a_request_is_cut),
        cmocka_unit_test(who_never_takes_the_answer_is_cut_and_holds_up_nobody),
        cmocka_unit_test(when_all_places_are_taken_the_newcomer_is_told_so),
        cmocka_unit_test(a_busy_port_is_one_clear_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
