/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_WEB_HTTP_H
#define WEIR_WEB_HTTP_H

/* A small HTTP/1.1 server for weir's own pages and interfaces, over libmicrohttpd: whole requests in, whole
 * answers out. One thread serves every connection and never waits for one of them; a second one only looks at
 * the clock. A request may be answered later, from another thread (weir_http_defer).
 *
 * What a viewer can't do, however slow or broken it is:
 *   - hold memory or a place for long: reading a request and taking an answer have a deadline each, counted
 *     over the whole of it, so that a byte now and then does not help;
 *   - keep others out: when all places are taken, the connection that stands still the longest is cut for the
 *     newcomer; when none stands still, the newcomer is answered 503 at once;
 *   - send more than the body limit: 413.
 *
 * Thread-safety: start and stop from the owner's thread; the handler runs on the server's thread; defer there
 * too; reply from any thread.
 * Ownership: an exchange is the server's and is gone after reply. The bytes of a reply are taken over in
 * every case: release is called exactly once. */

#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_http;
struct weir_http_exchange; /* one request and its answer */

/* Called once for each complete request. Replies, or defers and sees to it that somebody replies. Must not
 * block. */
typedef void weir_http_handler(void *user, struct weir_http_exchange *exchange);

struct weir_http_params {
    const char *address;      /* "HOST:PORT", see web/listener.h */
    int max_connections;      /* default 128; each may hold one answer */
    size_t max_body_bytes;    /* default 0: no request has a body */
    int64_t read_timeout_ns;  /* default 30 s: from the end of one answer to the end of the next request */
    int64_t write_timeout_ns; /* default 10 s: for the client to take an answer */
    weir_http_handler *handler;
    void *user;
    struct weir_log *log;
};
#define WEIR_HTTP_PARAMS_DEFAULT                                                                             \
    {                                                                                                        \
        .max_connections = 128, .read_timeout_ns = 30000000000LL, .write_timeout_ns = 10000000000LL          \
    }

int weir_http_start(struct weir_http **out, const struct weir_http_params *params, struct weir_error *err);
/* Takes no new connections, waits until every request in work is answered and sent, at most grace_ns; then
 * closes. No handler runs after it returns. The owner sees to it that deferred exchanges are replied to. */
void weir_http_stop(struct weir_http **http, int64_t grace_ns);

int weir_http_port(const struct weir_http *http);
const char *weir_http_url(const struct weir_http *http); /* "http://127.0.0.1:8089/" */

struct weir_http_counts {
    uint64_t requests, refused; /* refused: answered 503 for want of a place */
    uint64_t cut;               /* connections closed because they stood still */
    int connections;            /* open now */
};
void weir_http_counts(struct weir_http *http, struct weir_http_counts *counts);

/* The request. Strings are decoded and stay until the reply. */
const char *weir_http_method(const struct weir_http_exchange *exchange);
const char *weir_http_path(const struct weir_http_exchange *exchange);
/* Value of a query parameter, or NULL. Server's thread only. */
const char *weir_http_query(const struct weir_http_exchange *exchange, const char *name);
const void *weir_http_body(const struct weir_http_exchange *exchange, size_t *size);

/* The reply will come later. Before it is called the exchange must not be handed to another thread. */
void weir_http_defer(struct weir_http_exchange *exchange);

struct weir_http_reply {
    int status;       /* a 503 says Retry-After: 1 */
    const char *type; /* Content-Type; NULL: none */
    const void *body;
    size_t size;
    void (*release)(void *owner); /* NULL: the bytes are static */
    void *owner;
    const char *allow;    /* Allow header of a 405; NULL: none */
    const char *sequence; /* Weir-Sequence header of a picture; NULL: none */
};
void weir_http_reply(struct weir_http_exchange *exchange, const struct weir_http_reply *reply);
/* Takes the bytes of buf; a buf that failed becomes a 500. */
void weir_http_reply_buf(struct weir_http_exchange *exchange, int status, const char *type,
                         struct weir_buf *buf);
/* Takes the reference; NULL becomes a 500. */
void weir_http_reply_json(struct weir_http_exchange *exchange, int status, json_t *value);
/* {"error": {"code": ..., "message": ...}}: the one form of an error. code is stable, message is for people.
 */
json_t *weir_http_error_json(const char *code, const char *message);
void weir_http_reply_error(struct weir_http_exchange *exchange, int status, const char *code,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Whether a request that names this Host may be answered by a server that only this machine can reach. A name
 * that an outsider's DNS points at 127.0.0.1 may not: else any web page could read the cameras. Addresses and
 * localhost may. */
bool weir_http_host_is_local(const char *host);

#endif
