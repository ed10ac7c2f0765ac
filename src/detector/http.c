/* SPDX-License-Identifier: Apache-2.0 */

/* A detector service over HTTP: a worker posts one JPEG and waits for its answer, over a connection of its
 * own that is kept. The answer is {"detections": [...]}, as `weir serve` gives it (docs/api.md). */

#include "detector/detector_private.h"

#include "base/buf.h"
#include "base/clock.h"
#include "result/event.h"

#include <curl/curl.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANSWER_MAX = 4 << 20, /* bytes; an answer over this is nonsense */
    ENCODE_QUALITY = 90,  /* frames that came decoded (video) are sent as JPEG */
};

struct http {
    struct weir_detector detector;
    char *url;
    char summary[256];
    int64_t timeout_ns;
};

struct http_session {
    struct weir_detector_session session;
    const struct http *http;
    CURL *curl;
    struct curl_slist *headers;
    struct weir_buf answer;
    struct weir_block_pool *pool; /* for frames that must be encoded first */
    char error_text[CURL_ERROR_SIZE];
};

/* Shown and logged without user and password. */
static void strip_secrets(const char *url, char *shown, size_t size)
{
    const char *authority = strstr(url, "://");
    const char *at = authority != NULL ? strchr(authority + 3, '@') : NULL;
    const char *slash = authority != NULL ? strchr(authority + 3, '/') : NULL;
    if (at != NULL && (slash == NULL || at < slash))
        (void)snprintf(shown, size, "%.*s%s", (int)(authority + 3 - url), url, at + 1);
    else
        (void)snprintf(shown, size, "%s", url);
}

static int http_open(const struct weir_detector_params *params, struct weir_log *log, struct weir_detector **out,
                     struct weir_error *err)
{
    (void)log;
    CURLU *parsed = curl_url();
    CURLUcode url_code = parsed != NULL ? curl_url_set(parsed, CURLUPART_URL, params->kind_or_url, 0) : CURLUE_OUT_OF_MEMORY;
    curl_url_cleanup(parsed);
    if (url_code != CURLUE_OK)
        return weir_error_set(err, -EINVAL, "detector: expected http://HOST:PORT/PATH, found \"%s\": %s",
                              params->kind_or_url, curl_url_strerror(url_code));
    struct http *http = calloc(1, sizeof *http);
    char *url = strdup(params->kind_or_url);
    if (http == NULL || url == NULL) {
        free(http);
        free(url);
        return weir_error_set(err, -ENOMEM, "no memory for the detector");
    }
    http->url = url;
    http->timeout_ns = params->timeout_ns > 0 ? params->timeout_ns : 10 * WEIR_NS_PER_S;
    char shown[200];
    strip_secrets(url, shown, sizeof shown);
    (void)snprintf(http->summary, sizeof http->summary, "service at %s", shown);
    *out = &http->detector;
    return 0;
}

static void http_close(struct weir_detector *detector)
{
    struct http *http = (struct http *)detector;
    free(http->url);
    free(http);
}

static const char *http_summary(const struct weir_detector *detector)
{
    return ((const struct http *)detector)->summary;
}

static size_t take_answer(char *bytes, size_t one, size_t count, void *user)
{
    struct weir_buf *answer = user;
    (void)one;
    if (answer->size + count > ANSWER_MAX)
        return 0;
    weir_buf_append(answer, bytes, count);
    return answer->failed ? 0 : count;
}

static void set_up(struct http_session *session)
{
    CURL *curl = session->curl;
    /* Without "Expect:" libcurl asks first and waits; without TCP_NODELAY small bodies wait for an ACK. */
    session->headers = curl_slist_append(session->headers, "Content-Type: image/jpeg");
    session->headers = curl_slist_append(session->headers, "Expect:");
    curl_easy_setopt(curl, CURLOPT_URL, session->http->url);
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, session->headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &session->answer);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, session->error_text);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(session->http->timeout_ns / WEIR_NS_PER_MS));
    curl_easy_setopt(curl, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "weir");
}

static void http_session_free(struct weir_detector_session *session)
{
    struct http_session *http = (struct http_session *)session;
    curl_easy_cleanup(http->curl);
    curl_slist_free_all(http->headers);
    weir_buf_fini(&http->answer);
    weir_block_pool_free(&http->pool);
    free(http);
}

static int http_session_new(struct weir_detector *detector, struct weir_detector_session **out,
                            struct weir_error *err)
{
    struct http_session *session = calloc(1, sizeof *session);
    if (session == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a worker");
    session->http = (const struct http *)detector;
    session->curl = curl_easy_init();
    session->pool = weir_block_pool_new(4 << 20);
    if (session->curl == NULL || session->pool == NULL) {
        http_session_free(&session->session);
        return weir_error_set(err, -ENOMEM, "no memory for a connection to the detector");
    }
    set_up(session);
    *out = &session->session;
    return 0;
}

static void fail_by_curl(const struct http_session *session, CURLcode code, struct weir_result *result)
{
    enum weir_reason reason = WEIR_REASON_DETECTOR_ERROR;
    if (code == CURLE_OPERATION_TIMEDOUT)
        reason = WEIR_REASON_DETECTOR_TIMEOUT;
    else if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_SEND_ERROR ||
             code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING)
        reason = WEIR_REASON_DETECTOR_UNREACHABLE;
    const char *text = session->error_text[0] != '\0' ? session->error_text : curl_easy_strerror(code);
    weir_result_fail(result, reason, "%s: %.180s", session->http->summary, text);
}

/* What a service says of its own error, when it is JSON. */
static void fail_by_status(const struct http_session *session, long status, struct weir_result *result)
{
    json_t *object = json_loadb(session->answer.data != NULL ? session->answer.data : "", session->answer.size, 0, NULL);
    const json_t *error = json_object_get(object, "error");
    const char *text = json_is_object(error) ? json_string_value(json_object_get(error, "message")) : json_string_value(error);
    weir_result_fail(result, WEIR_REASON_DETECTOR_ERROR, "%s: status %ld%s%.150s", session->http->summary, status,
                     text != NULL ? ": " : "", text != NULL ? text : "");
    json_decref(object);
}

static void read_answer(const struct http_session *session, struct weir_result *result)
{
    json_error_t where;
    char message[160];
    json_t *object = json_loadb(session->answer.data != NULL ? session->answer.data : "", session->answer.size, 0, &where);
    if (object == NULL) {
        weir_result_fail(result, WEIR_REASON_DETECTOR_ERROR, "%s: the answer is not JSON: %.100s",
                         session->http->summary, where.text);
        return;
    }
    if (weir_result_from_json(result, object, message, sizeof message) != 0)
        weir_result_fail(result, WEIR_REASON_DETECTOR_ERROR, "%s: %s", session->http->summary, message);
    result->image_width = (int32_t)json_integer_value(json_object_get(object, "width"));
    result->image_height = (int32_t)json_integer_value(json_object_get(object, "height"));
    json_decref(object);
}

static void post(struct http_session *session, const void *bytes, size_t size, struct weir_result *result)
{
    weir_buf_clear(&session->answer);
    session->error_text[0] = '\0';
    curl_easy_setopt(session->curl, CURLOPT_POSTFIELDS, bytes);
    curl_easy_setopt(session->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    int64_t start_ns = weir_clock_ns();
    CURLcode code = curl_easy_perform(session->curl);
    int64_t took_ns = weir_clock_ns() - start_ns;
    long status = 0;
    curl_easy_getinfo(session->curl, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK)
        fail_by_curl(session, code, result);
    else if (status != 200)
        fail_by_status(session, status, result);
    else
        read_answer(session, result);
    result->timings.inference_ns = took_ns;
}

static void http_detect(struct weir_detector_session *session, const struct weir_frame *frame,
                        struct weir_result *result)
{
    struct http_session *http = (struct http_session *)session;
    struct weir_error err = {0};
    struct weir_block *jpeg = NULL;
    if (frame->jpeg != NULL) {
        /* The service need not know what motion JPEG leaves out; what is no JPEG, it may judge itself. */
        if (weir_jpeg_add_huffman_tables(&jpeg, http->pool, frame->jpeg, NULL) != 0)
            jpeg = weir_block_ref(frame->jpeg);
    } else if (weir_jpeg_encode(&jpeg, http->pool, frame->image, ENCODE_QUALITY, &err) != 0) {
        weir_result_fail(result, WEIR_REASON_IMAGE_INVALID, "can't encode the picture for the service: %.180s", err.text);
        return;
    }
    post(http, jpeg->data, jpeg->size, result);
    weir_block_unref(&jpeg);
}

const struct weir_detector_ops weir_detector_http = {
    .name = "http",
    .open = http_open,
    .close = http_close,
    .summary = http_summary,
    .session_new = http_session_new,
    .session_free = http_session_free,
    .detect = http_detect,
};
