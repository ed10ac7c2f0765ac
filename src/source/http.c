/* SPDX-License-Identifier: Apache-2.0 */

/* An HTTP camera: one connection at a time, MJPEG or a single JPEG, reconnected with back-off for as long as
 * it is open. Everything here runs on the loop's thread. */

#include "source/source_private.h"

#include "base/clock.h"
#include "source/back_off.h"
#include "source/multipart.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    REDIRECTS_MAX = 3,
    STAGGER_MS = 20, /* between the first attempts of cameras opened together, at most STAGGER_MAX of these */
    STAGGER_MAX = 50,
};

static const char topic[] = "camera";

struct http_source {
    struct weir_source source; /* first: a weir_source pointer is an http_source pointer */
    char *name, *url, *user_name, *password, *tls_ca, *proxy;
    struct weir_source_params params; /* texts point to the above */
    const struct weir_source_events *events;
    void *user;

    uv_timer_t timer; /* the next attempt, or the deadline of this one */
    bool timer_open;
    CURL *easy; /* while connected or connecting */
    char error_text[CURL_ERROR_SIZE];
    struct weir_multipart parser;
    bool parsing;                    /* the parser holds an answer */
    enum weir_source_reason verdict; /* why we ended the transfer ourselves */
    struct weir_error verdict_text;
    enum weir_source_flow flow;
    int64_t deadline_ns; /* of the present state */
    int64_t armed_ns;    /* when the timer fires */
    int64_t live_since_ns;
    int64_t capture_ns, capture_wall_ns; /* when the frame that is arriving began to */
    struct weir_back_off back_off;
    struct weir_source_status status;
    enum weir_source_reason logged;
};

static struct http_source *of(void *user)
{
    return user;
}

static bool http_accepts(const char *url)
{
    return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

/* Once a change, not once an attempt: a camera that stays away says so in one line. */
static void log_state(struct http_source *http)
{
    struct weir_log *log = weir_source_loop_log(http->source.loop);
    const struct weir_source_status *status = &http->status;
    if (status->state == WEIR_SOURCE_LIVE && http->logged != WEIR_SOURCE_REASON_NONE) {
        weir_log_info(log, topic, "%s: live again", http->name);
        http->logged = WEIR_SOURCE_REASON_NONE;
    } else if (status->state == WEIR_SOURCE_BACKING_OFF && http->logged != status->reason) {
        weir_log_warn(log, topic, "%s: %s; %s; tried again by itself", http->name, status->detail,
                      weir_source_reason_advice(status->reason));
        http->logged = status->reason;
    }
}

static void enter(struct http_source *http, enum weir_source_state state, enum weir_source_reason reason,
                  const char *detail)
{
    http->status.state = state;
    http->status.reason = reason;
    http->status.since_ns = weir_clock_ns();
    if (detail != http->status.detail)
        (void)snprintf(http->status.detail, sizeof http->status.detail, "%s", detail);
    log_state(http);
    http->events->status(http->user, &http->status);
}

static void on_timer(uv_timer_t *timer);

static void arm(struct http_source *http, int64_t after_ns)
{
    uint64_t ms = after_ns > 0 ? (uint64_t)((after_ns + WEIR_NS_PER_MS - 1) / WEIR_NS_PER_MS) : 0;
    uv_update_time(weir_source_loop_uv(http->source.loop)); /* what ran since the loop woke took time too */
    uv_timer_start(&http->timer, on_timer, ms, 0);
    http->armed_ns = weir_clock_ns() + after_ns;
}

/* A timer that is set anew for each frame would cost more than one that looks at the deadline when it fires;
 * only a deadline that comes before it is armed at once. */
static void set_deadline(struct http_source *http, int64_t after_ns)
{
    http->deadline_ns = weir_clock_ns() + after_ns;
    if (http->deadline_ns < http->armed_ns)
        arm(http, after_ns);
}

/* ---- frames ---- */

static void on_frame(void *user, struct weir_block *jpeg)
{
    struct http_source *http = of(user);
    struct weir_frame *frame = weir_frame_new();
    set_deadline(http, http->params.stall_timeout_ns);
    if (http->status.state != WEIR_SOURCE_LIVE) {
        http->live_since_ns = weir_clock_ns();
        enter(http, WEIR_SOURCE_LIVE, WEIR_SOURCE_REASON_NONE, "");
    }
    if (frame == NULL) {
        weir_block_unref(&jpeg);
        http->events->bad_frame(http->user, WEIR_REASON_OUT_OF_MEMORY);
        return;
    }
    frame->jpeg = jpeg;
    frame->arrival_ns = weir_clock_ns();
    /* Of several frames in one piece only the first may have begun before it. */
    frame->capture_ns = http->capture_ns != 0 ? http->capture_ns : frame->arrival_ns;
    frame->capture_wall_ns = http->capture_ns != 0 ? http->capture_wall_ns : weir_clock_wall_ns();
    http->capture_ns = 0;
    if (http->events->frame(http->user, frame) == WEIR_SOURCE_PAUSE)
        http->flow = WEIR_SOURCE_PAUSE;
}

static void on_bad_frame(void *user, enum weir_reason reason)
{
    struct http_source *http = of(user);
    http->capture_ns = 0;
    http->events->bad_frame(http->user, reason);
}

static const struct weir_multipart_events frame_events = {on_frame, on_bad_frame};

/* ---- one transfer ---- */

static size_t give_up(struct http_source *http, enum weir_source_reason reason, const char *text)
{
    http->verdict = reason;
    weir_error_set(&http->verdict_text, -EPROTO, "%s", text);
    return 0;
}

/* The last answer of the transfer has begun: redirects and demands for a password are curl's. */
static bool begin_answer(struct http_source *http)
{
    char *type = NULL;
    char text[160];
    curl_easy_getinfo(http->easy, CURLINFO_CONTENT_TYPE, &type);
    if (!weir_multipart_accepts(type)) {
        bool is_page = strncasecmp(type, "text/html", 9) == 0;
        (void)snprintf(text, sizeof text, "the answer is %.60s%s", type,
                       is_page ? ": a web page, perhaps a login; give the address of the stream itself" : "");
        return give_up(http, WEIR_SOURCE_REASON_NOT_MULTIPART, text) != 0;
    }
    weir_multipart_init(&http->parser, &frame_events, http, weir_source_loop_pool(http->source.loop),
                        http->params.max_frame_bytes, type);
    http->parsing = true;
    return true;
}

static size_t on_header(char *bytes, size_t one, size_t size, void *user)
{
    struct http_source *http = of(user);
    long status = 0;
    (void)one;
    if (bytes[0] != '\r' && bytes[0] != '\n')
        return size;
    curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status == 200 && http->status.state == WEIR_SOURCE_CONNECTING) {
        set_deadline(http, http->params.first_frame_timeout_ns);
        enter(http, WEIR_SOURCE_WAITING, WEIR_SOURCE_REASON_NONE, "");
    }
    return size;
}

static size_t on_body(char *bytes, size_t one, size_t size, void *user)
{
    struct http_source *http = of(user);
    struct weir_error err = {0};
    long status = 0;
    (void)one;
    curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200)
        return size; /* an error's page: the status is what counts */
    if (!http->parsing && !begin_answer(http))
        return 0;
    if (http->capture_ns == 0) {
        http->capture_ns = weir_clock_ns();
        http->capture_wall_ns = weir_clock_wall_ns();
    }
    if (weir_multipart_feed(&http->parser, bytes, size, &err) != 0)
        return give_up(http, WEIR_SOURCE_REASON_NOT_MULTIPART, err.text);
    /* The bytes of the next frame, if any came with the end of the last, came now. */
    if (http->capture_ns == 0 && http->parser.state != WEIR_MULTIPART_SEEK) {
        http->capture_ns = weir_clock_ns();
        http->capture_wall_ns = weir_clock_wall_ns();
    }
    if (http->flow == WEIR_SOURCE_PAUSE)
        (void)curl_easy_pause(http->easy, CURLPAUSE_RECV);
    return size;
}

static void set_up(struct http_source *http)
{
    CURL *easy = http->easy;
    const struct weir_source_params *params = &http->params;
    curl_easy_setopt(easy, CURLOPT_URL, http->url);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &http->source);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, http);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, http);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, http->error_text);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(params->connect_timeout_ns / WEIR_NS_PER_MS));
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "weir");
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L); /* one connection a camera, */
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);  /* and none left behind: cameras have few */
    /* The password is only sent when it is asked for, and not as Basic when Digest is offered. */
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)(CURLAUTH_BASIC | CURLAUTH_DIGEST));
    if (http->user_name != NULL)
        curl_easy_setopt(easy, CURLOPT_USERNAME, http->user_name);
    if (http->password != NULL)
        curl_easy_setopt(easy, CURLOPT_PASSWORD, http->password);
    curl_easy_setopt(easy, CURLOPT_PROXY, http->proxy != NULL ? http->proxy : "");
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, params->tls_verify ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, params->tls_verify ? 2L : 0L);
    if (http->tls_ca != NULL)
        curl_easy_setopt(easy, CURLOPT_CAINFO, http->tls_ca);
}

static void end_transfer(struct http_source *http)
{
    if (http->easy == NULL)
        return;
    weir_source_loop_end_transfer(http->source.loop, http->easy);
    curl_easy_cleanup(http->easy);
    http->easy = NULL;
    if (http->parsing) {
        weir_multipart_finish(&http->parser);
        weir_multipart_fini(&http->parser);
        http->parsing = false;
    }
    http->flow = WEIR_SOURCE_GO;
    http->capture_ns = 0;
}

static void back_off(struct http_source *http, enum weir_source_reason reason, const char *detail,
                     int64_t retry_after_ns)
{
    end_transfer(http);
    uint32_t random = 0;
    (void)uv_random(NULL, NULL, &random, sizeof random, 0, NULL);
    if (http->live_since_ns != 0)
        weir_back_off_was_live(&http->back_off, weir_clock_ns() - http->live_since_ns);
    http->live_since_ns = 0;
    int64_t wait_ns = weir_back_off_next(&http->back_off, reason, retry_after_ns, random);
    enter(http, WEIR_SOURCE_BACKING_OFF, reason, detail);
    arm(http, wait_ns);
}

static void connect_now(struct http_source *http)
{
    http->verdict = WEIR_SOURCE_REASON_NONE;
    http->error_text[0] = '\0';
    http->status.reconnects += http->status.state == WEIR_SOURCE_BACKING_OFF;
    enter(http, WEIR_SOURCE_CONNECTING, http->status.reason, http->status.detail);
    http->easy = curl_easy_init();
    if (http->easy != NULL)
        set_up(http);
    if (http->easy == NULL || weir_source_loop_start_transfer(http->source.loop, http->easy) != 0) {
        back_off(http, WEIR_SOURCE_REASON_UNREACHABLE, "no memory for a connection", 0);
        return;
    }
    /* curl watches over the connecting itself; what comes until the headers is the first frame's time. */
    set_deadline(http, http->params.connect_timeout_ns + http->params.first_frame_timeout_ns);
    arm(http, http->deadline_ns - weir_clock_ns());
}

/* A timer that is set anew for each frame would cost more than one that looks at the deadline when it fires.
 */
static void on_timer(uv_timer_t *timer)
{
    struct http_source *http = timer->data;
    int64_t now_ns = weir_clock_ns();
    if (http->easy == NULL) {
        connect_now(http);
    } else if (http->flow == WEIR_SOURCE_PAUSE) {
        arm(http, http->params.stall_timeout_ns);
    } else if (now_ns < http->deadline_ns) {
        arm(http, http->deadline_ns - now_ns);
    } else if (http->status.state == WEIR_SOURCE_CONNECTING) {
        back_off(http, WEIR_SOURCE_REASON_TIMEOUT, "the camera does not answer", 0);
    } else {
        char text[100];
        bool was_live = http->status.state == WEIR_SOURCE_LIVE;
        double limit_s =
            (double)(was_live ? http->params.stall_timeout_ns : http->params.first_frame_timeout_ns) /
            WEIR_NS_PER_S;
        (void)snprintf(text, sizeof text, "no complete frame for %g s", limit_s);
        enter(http, WEIR_SOURCE_STALLED, WEIR_SOURCE_REASON_STALLED, text);
        back_off(http, WEIR_SOURCE_REASON_STALLED, text, 0);
    }
}

static enum weir_source_reason reason_of_status(long status)
{
    if (status == 401 || status == 403)
        return WEIR_SOURCE_REASON_AUTH;
    return status == 404 || status == 410 ? WEIR_SOURCE_REASON_NOT_FOUND : WEIR_SOURCE_REASON_HTTP_STATUS;
}

static enum weir_source_reason reason_of_code(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return WEIR_SOURCE_REASON_DNS;
    case CURLE_COULDNT_CONNECT:
        return WEIR_SOURCE_REASON_REFUSED;
    case CURLE_OPERATION_TIMEDOUT:
        return WEIR_SOURCE_REASON_TIMEOUT;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
        return WEIR_SOURCE_REASON_TLS;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
        return WEIR_SOURCE_REASON_BAD_URL;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_BAD_CONTENT_ENCODING:
        return WEIR_SOURCE_REASON_HTTP_STATUS;
    default:
        return WEIR_SOURCE_REASON_ENDED;
    }
}

static void end_by_status(struct http_source *http, long status)
{
    char text[160];
    curl_off_t retry_after_s = 0;
    enum weir_source_reason reason = reason_of_status(status);
    curl_easy_getinfo(http->easy, CURLINFO_RETRY_AFTER, &retry_after_s);
    (void)snprintf(text, sizeof text, "the camera answers with status %ld%s", status,
                   reason == WEIR_SOURCE_REASON_AUTH ? ": rejected (user and password, or its session limit)"
                                                     : "");
    /* The wait is capped before it is multiplied: the number is the camera's. */
    back_off(http, reason, text, (retry_after_s < 3600 ? retry_after_s : 3600) * WEIR_NS_PER_S);
}

void weir_source_http_done(struct weir_source *source, CURLcode code)
{
    struct http_source *http = (struct http_source *)source;
    char text[sizeof http->status.detail];
    long status = 0, os_error = 0;
    curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(http->easy, CURLINFO_OS_ERRNO, &os_error);
    enum weir_source_reason reason = code == CURLE_OK ? WEIR_SOURCE_REASON_ENDED : reason_of_code(code);
    if (http->verdict != WEIR_SOURCE_REASON_NONE) {
        back_off(http, http->verdict, http->verdict_text.text, 0);
    } else if (status != 0 && status != 200 && (code == CURLE_OK || reason == WEIR_SOURCE_REASON_ENDED)) {
        end_by_status(http, status);
    } else if (code == CURLE_OK) {
        back_off(http, reason, "the camera closed the stream", 0);
    } else {
        if (reason == WEIR_SOURCE_REASON_REFUSED && (os_error == EHOSTUNREACH || os_error == ENETUNREACH))
            reason = WEIR_SOURCE_REASON_UNREACHABLE;
        (void)snprintf(text, sizeof text, "%.190s",
                       http->error_text[0] != '\0' ? http->error_text : curl_easy_strerror(code));
        back_off(http, reason, text, 0);
    }
}

/* ---- life ---- */

static void stop(struct http_source *http)
{
    /* A part that our own closing cuts is no fault of the camera's: it is not counted as read. */
    if (http->parsing)
        weir_multipart_fini(&http->parser);
    http->parsing = false;
    end_transfer(http);
    if (http->timer_open)
        uv_close((uv_handle_t *)&http->timer, NULL);
    http->timer_open = false;
    http->source.is_closed = true;
    enter(http, WEIR_SOURCE_STOPPED, WEIR_SOURCE_REASON_NONE, "");
}

static void http_attend(struct weir_source *source, bool resume, bool close)
{
    struct http_source *http = (struct http_source *)source;
    static unsigned turn; /* the loop's thread only */
    if (close) {
        stop(http);
    } else if (!http->timer_open) {
        (void)uv_timer_init(weir_source_loop_uv(source->loop), &http->timer);
        http->timer.data = http;
        http->timer_open = true;
        arm(http, (int64_t)(turn++ % STAGGER_MAX) * STAGGER_MS * WEIR_NS_PER_MS);
    } else if (resume && http->easy != NULL && http->flow == WEIR_SOURCE_PAUSE) {
        http->flow = WEIR_SOURCE_GO;
        set_deadline(http, http->params.stall_timeout_ns);
        (void)curl_easy_pause(http->easy, CURLPAUSE_CONT);
    }
}

static void http_free(struct weir_source *source)
{
    struct http_source *http = (struct http_source *)source;
    free(http->name);
    free(http->url);
    free(http->user_name);
    free(http->password);
    free(http->tls_ca);
    free(http->proxy);
    free(http);
}

static bool copy_text(char **to, const char *from)
{
    *to = from != NULL ? strdup(from) : NULL;
    return from == NULL || *to != NULL;
}

static int check_url(const char *url, struct weir_error *err)
{
    CURLU *parsed = curl_url();
    CURLUcode code = parsed != NULL ? curl_url_set(parsed, CURLUPART_URL, url, 0) : CURLUE_OUT_OF_MEMORY;
    curl_url_cleanup(parsed);
    if (code == CURLUE_OK)
        return 0;
    /* Without the address itself: what makes it unreadable may be the password. */
    return weir_error_set(err, -EINVAL,
                          "the address can't be read: %s; write special characters of user and password as "
                          "%%XX, or give them as user_name and password",
                          curl_url_strerror(code));
}

static int http_open(struct weir_source_loop *loop, const struct weir_source_params *params,
                     const struct weir_source_events *events, void *user, struct weir_source **out,
                     struct weir_error *err)
{
    int code = check_url(params->url, err);
    if (code != 0)
        return code;
    struct http_source *http = calloc(1, sizeof *http);
    if (http == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a camera");
    http->params = *params;
    http->events = events;
    http->user = user;
    http->back_off = (struct weir_back_off){params->back_off_min_ns, params->back_off_max_ns, 0};
    http->source.ops = &weir_source_http;
    http->source.attend = http_attend;
    http->source.free = http_free;
    if (!copy_text(&http->name, params->name) || !copy_text(&http->url, params->url) ||
        !copy_text(&http->user_name, params->user_name) || !copy_text(&http->password, params->password) ||
        !copy_text(&http->tls_ca, params->tls_ca) || !copy_text(&http->proxy, params->proxy)) {
        http_free(&http->source);
        return weir_error_set(err, -ENOMEM, "no memory for a camera");
    }
    *out = &http->source;
    weir_source_loop_add(loop, &http->source);
    return 0;
}

static void http_resume(struct weir_source *source)
{
    weir_source_post(source, true, false);
}

static void http_close(struct weir_source *source)
{
    weir_source_post(source, false, true);
}

const struct weir_source_ops weir_source_http = {
    .name = "http",
    .accepts = http_accepts,
    .open = http_open,
    .resume = http_resume,
    .close = http_close,
};
