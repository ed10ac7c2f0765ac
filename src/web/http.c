/* SPDX-License-Identifier: Apache-2.0 */

/* How a request travels: libmicrohttpd calls on_request several times for it, all on its one thread: first
 * with the headers (the exchange is made), then with each piece of the body, then once more without one (the
 * handler is called). A deferred exchange has its connection suspended at that point; the reply leaves its
 * response in the exchange and resumes the connection, upon which on_request is called yet again and queues
 * the response. */

#include "web/http.h"

#include "base/clock.h"
#include "base/thread.h"
#include "web/listener.h"
#include "web/peers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
    SPARE_CONNECTIONS = 32,       /* beyond the limit, to tell newcomers that it is reached */
    CONNECTION_MEMORY = 32 << 10, /* bytes for the headers of one request */
    BODIES_AT_ONCE = 16,          /* all bodies together hold at most this many times the limit of one */
    SWALLOW_FACTOR = 4, /* a larger body, up to here, is read to its end so that its sender sees the 413 */
    SWEEP_MS = 250,
};

static const char topic[] = "http";

struct weir_http {
    struct MHD_Daemon *daemon;
    struct weir_listener listener;
    struct weir_http_params params;
    struct weir_peers peers;

    uint64_t body_bytes; /* in all exchanges; server's thread only */
    pthread_t sweeper;
    bool sweeper_runs;

    pthread_mutex_t lock; /* what follows */
    pthread_cond_t changed;
    bool stopping;
    int exchanges; /* begun and not yet completed */
    uint64_t requests, refused;
};

struct weir_http_exchange {
    struct weir_http *http;
    struct MHD_Connection *connection;
    struct weir_peer *peer;
    const char *method, *path;
    struct weir_buf body;
    uint64_t received; /* bytes of the body, kept or not */
    uint64_t counted;  /* of them in body_bytes */
    bool handed_over;  /* the handler has been called */
    bool deferred;
    struct MHD_Response *response; /* deferred: waits for the server's thread */
    unsigned status;
};

static const char *header(const struct weir_http_exchange *exchange, const char *name)
{
    return MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, name);
}

static bool is_stopping(struct weir_http *http)
{
    pthread_mutex_lock(&http->lock);
    bool stopping = http->stopping;
    pthread_mutex_unlock(&http->lock);
    return stopping;
}

/* Headers of every answer. The page may load nothing from elsewhere, run nothing that is not its own file,
 * and be framed by nobody; what an interface answers is never taken for something else, nor kept. */
static void add_security_headers(struct MHD_Response *response)
{
    static const char *const rows[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
         "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-store"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        (void)MHD_add_response_header(response, rows[i][0], rows[i][1]);
}

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
    if (value != NULL)
        (void)MHD_add_response_header(response, name, value);
}

static struct MHD_Response *make_response(const struct weir_http_exchange *exchange,
                                          const struct weir_http_reply *reply)
{
    struct MHD_Response *response =
        reply->release != NULL
            ? MHD_create_response_from_buffer_with_free_callback_cls(
                  reply->size, (void *)(uintptr_t)reply->body, reply->release, reply->owner)
            : MHD_create_response_from_buffer(reply->size, (void *)(uintptr_t)reply->body,
                                              MHD_RESPMEM_PERSISTENT);
    if (response == NULL) {
        if (reply->release != NULL)
            reply->release(reply->owner);
        return NULL;
    }
    add_security_headers(response);
    add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->type);
    add_header(response, MHD_HTTP_HEADER_ALLOW, reply->allow);
    add_header(response, "Weir-Sequence", reply->sequence);
    add_header(response, MHD_HTTP_HEADER_RETRY_AFTER, reply->status == 503 ? "1" : NULL);
    bool last = is_stopping(exchange->http) || (exchange->peer != NULL && exchange->peer->refused);
    add_header(response, MHD_HTTP_HEADER_CONNECTION, last ? "close" : NULL);
    return response;
}

static enum MHD_Result queue_response(struct weir_http_exchange *exchange)
{
    struct MHD_Response *response = exchange->response;
    if (response == NULL)
        return MHD_NO; /* no memory for an answer: close */
    exchange->response = NULL;
    weir_peers_enter(&exchange->http->peers, exchange->peer, WEIR_PEER_WRITING, weir_clock_ns());
    enum MHD_Result result = MHD_queue_response(exchange->connection, exchange->status, response);
    MHD_destroy_response(response);
    return result;
}

void weir_http_defer(struct weir_http_exchange *exchange)
{
    exchange->deferred = true;
    MHD_suspend_connection(exchange->connection);
}

void weir_http_reply(struct weir_http_exchange *exchange, const struct weir_http_reply *reply)
{
    exchange->response = make_response(exchange, reply);
    exchange->status = (unsigned)reply->status;
    /* From here on the exchange may be gone at any moment when it was deferred. */
    if (exchange->deferred)
        MHD_resume_connection(exchange->connection);
}

static bool is_address(const char *host, size_t size)
{
    char text[INET6_ADDRSTRLEN + 1];
    struct in6_addr address;
    if (size >= sizeof text)
        return false;
    memcpy(text, host, size);
    text[size] = '\0';
    return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1;
}

bool weir_http_host_is_local(const char *host)
{
    if (host[0] == '[') {
        const char *end = strchr(host, ']');
        return end != NULL && is_address(host + 1, (size_t)(end - host - 1));
    }
    size_t size = strcspn(host, ":");
    if (size > 0 && host[size - 1] == '.')
        size--;
    return is_address(host, size) || (size == 9 && strncasecmp(host, "localhost", 9) == 0) ||
           (size > 10 && strncasecmp(host + size - 10, ".localhost", 10) == 0);
}

static bool host_is_allowed(const struct weir_http_exchange *exchange)
{
    const struct weir_listener *listener = &exchange->http->listener;
    const char *host = header(exchange, MHD_HTTP_HEADER_HOST);
    if (!listener->loopback || host == NULL || weir_http_host_is_local(host))
        return true;
    size_t size = strcspn(host, ":");
    return size == strlen(listener->host) && strncasecmp(host, listener->host, size) == 0;
}

static void refuse_body(struct weir_http_exchange *exchange)
{
    weir_http_reply_error(exchange, 413, "body_too_large", "the body is over the limit of %zu bytes",
                          exchange->http->params.max_body_bytes);
}

static void hand_over(struct weir_http_exchange *exchange)
{
    struct weir_http *http = exchange->http;
    exchange->handed_over = true;
    weir_peers_enter(&http->peers, exchange->peer, WEIR_PEER_HANDLED, weir_clock_ns());
    if (exchange->peer != NULL && exchange->peer->refused)
        weir_http_reply_error(exchange, 503, "too_many_connections",
                              "every place for a connection is taken: try again later");
    else if (!host_is_allowed(exchange))
        weir_http_reply_error(
            exchange, 421, "host_not_allowed",
            "this server answers only to localhost and to addresses, not to the name \"%.100s\"",
            header(exchange, MHD_HTTP_HEADER_HOST));
    else if (exchange->received > http->params.max_body_bytes)
        refuse_body(exchange);
    else if (exchange->body.failed)
        weir_http_reply_error(exchange, 503, "out_of_memory",
                              "no room for a body of %zu bytes beside the others: try again later",
                              (size_t)exchange->received);
    else
        http->params.handler(http->params.user, exchange);
}

static void drop_body(struct weir_http_exchange *exchange)
{
    exchange->http->body_bytes -= exchange->counted;
    exchange->counted = 0;
    weir_buf_fini(&exchange->body);
}

static void take_body(struct weir_http_exchange *exchange, const char *bytes, size_t size)
{
    struct weir_http *http = exchange->http;
    exchange->received += size;
    if (exchange->received > http->params.max_body_bytes) {
        drop_body(exchange);
    } else if (http->body_bytes + size > http->params.max_body_bytes * BODIES_AT_ONCE) {
        drop_body(exchange);
        exchange->body.failed = true;
    } else if (!exchange->body.failed) {
        weir_buf_append(&exchange->body, bytes, size);
        http->body_bytes += size;
        exchange->counted += size;
    }
}

/* Reading a body that is far too large only to refuse it would be a gift to its sender. */
static bool is_not_worth_reading(const struct weir_http_exchange *exchange)
{
    const char *declared = header(exchange, MHD_HTTP_HEADER_CONTENT_LENGTH);
    uint64_t limit = exchange->http->params.max_body_bytes;
    uint64_t size = declared != NULL ? strtoull(declared, NULL, 10) : exchange->received;
    bool asks_first = header(exchange, MHD_HTTP_HEADER_EXPECT) != NULL;
    return size > limit * (asks_first ? 1 : SWALLOW_FACTOR) + CONNECTION_MEMORY;
}

static struct weir_http_exchange *begin(struct weir_http *http, struct MHD_Connection *connection,
                                        const char *method, const char *path)
{
    struct weir_http_exchange *exchange = calloc(1, sizeof *exchange);
    if (exchange == NULL)
        return NULL;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    exchange->http = http;
    exchange->connection = connection;
    exchange->peer = info != NULL ? info->socket_context : NULL;
    exchange->method = method;
    exchange->path = path;
    pthread_mutex_lock(&http->lock);
    http->exchanges++;
    http->requests++;
    http->refused += exchange->peer != NULL && exchange->peer->refused;
    pthread_mutex_unlock(&http->lock);
    return exchange;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *bytes, size_t *size,
                                  void **state)
{
    struct weir_http_exchange *exchange = *state;
    (void)version;
    if (exchange == NULL) {
        exchange = *state = begin(user, connection, method, path);
        if (exchange == NULL)
            return MHD_NO;
        if (!is_not_worth_reading(exchange))
            return MHD_YES;
        refuse_body(exchange);
        return queue_response(exchange);
    }
    if (*size > 0) {
        take_body(exchange, bytes, *size);
        *size = 0;
        return is_not_worth_reading(exchange) ? MHD_NO : MHD_YES;
    }
    if (!exchange->handed_over) {
        hand_over(exchange);
        if (exchange->deferred)
            return MHD_YES;
    }
    return queue_response(exchange);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code)
{
    struct weir_http *http = user;
    struct weir_http_exchange *exchange = *state;
    (void)connection;
    (void)code;
    if (exchange == NULL)
        return;
    weir_peers_enter(&http->peers, exchange->peer, WEIR_PEER_READING, weir_clock_ns());
    if (exchange->response != NULL)
        MHD_destroy_response(exchange->response);
    drop_body(exchange);
    free(exchange);
    *state = NULL;
    pthread_mutex_lock(&http->lock);
    http->exchanges--;
    pthread_cond_broadcast(&http->changed);
    pthread_mutex_unlock(&http->lock);
}

static void on_connection(void *user, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct weir_http *http = user;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *context = info != NULL ? weir_peers_add(&http->peers, info->connect_fd, weir_clock_ns()) : NULL;
    } else {
        struct weir_peer *peer = *context;
        weir_peers_remove(&http->peers, &peer);
        *context = NULL;
    }
}

static void *sweep(void *argument)
{
    struct weir_http *http = argument;
    pthread_mutex_lock(&http->lock);
    while (!http->stopping || http->exchanges > 0) {
        (void)weir_cond_wait_until(&http->changed, &http->lock, weir_clock_ns() + SWEEP_MS * WEIR_NS_PER_MS);
        pthread_mutex_unlock(&http->lock);
        (void)weir_peers_sweep(&http->peers, weir_clock_ns());
        pthread_mutex_lock(&http->lock);
    }
    pthread_mutex_unlock(&http->lock);
    return NULL;
}

/* What the library has to say is about clients that went away: nothing that an operator can act on. */
static void on_library_log(void *user, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
static void on_library_log(void *user, const char *format, va_list args)
{
    const struct weir_http *http = user;
    char line[256];
    if (!weir_log_enabled(http->params.log, WEIR_LOG_DEBUG))
        return;
    (void)vsnprintf(line, sizeof line, format, args);
    line[strcspn(line, "\r\n")] = '\0';
    weir_log_debug(http->params.log, topic, "%s", line);
}

static int start_daemon(struct weir_http *http, struct weir_error *err)
{
    /* poll, not epoll: the library reads once for each edge, so that a client which sends and goes away at
     * once would be noticed only by its deadline; and a few hundred descriptors are nothing to poll. */
    const unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    http->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, on_library_log, http,
        MHD_OPTION_LISTEN_SOCKET, http->listener.fd, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)(http->params.max_connections + SPARE_CONNECTIONS), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_MEMORY, MHD_OPTION_NOTIFY_COMPLETED, on_completed, http,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_END);
    if (http->daemon == NULL)
        return weir_error_set(err, -ENOMEM, "can't start the web server on %s: no memory or no thread",
                              http->listener.url);
    return 0;
}

static void free_http(struct weir_http *http)
{
    weir_peers_fini(&http->peers);
    pthread_cond_destroy(&http->changed);
    pthread_mutex_destroy(&http->lock);
    free(http);
}

int weir_http_start(struct weir_http **out, const struct weir_http_params *params, struct weir_error *err)
{
    struct weir_http *http = calloc(1, sizeof *http);
    if (http == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for the web server");
    http->params = *params;
    pthread_mutex_init(&http->lock, NULL);
    weir_cond_init(&http->changed);
    weir_peers_init(&http->peers, params->max_connections, params->read_timeout_ns, params->write_timeout_ns);
    *out = http; /* before the first request, whose handler may look at it */
    int code = weir_listener_open(&http->listener, params->address, err);
    if (code == 0)
        code = start_daemon(http, err);
    if (code != 0) {
        if (http->listener.fd >= 0)
            close(http->listener.fd);
        free_http(http);
        *out = NULL;
        return code;
    }
    http->sweeper_runs = weir_thread_start(&http->sweeper, "http-sweep", sweep, http) == 0;
    if (!http->sweeper_runs) {
        weir_http_stop(out, 0);
        return weir_error_set(err, -EAGAIN, "no thread for the web server's deadlines");
    }
    return 0;
}

static void wait_for_exchanges(struct weir_http *http, int64_t grace_ns)
{
    int64_t deadline_ns = weir_clock_ns() + grace_ns;
    pthread_mutex_lock(&http->lock);
    while (http->exchanges > 0 && weir_cond_wait_until(&http->changed, &http->lock, deadline_ns))
        ;
    pthread_mutex_unlock(&http->lock);
}

void weir_http_stop(struct weir_http **out, int64_t grace_ns)
{
    struct weir_http *http = *out;
    if (http == NULL)
        return;
    *out = NULL;
    pthread_mutex_lock(&http->lock);
    http->stopping = true;
    pthread_cond_broadcast(&http->changed);
    pthread_mutex_unlock(&http->lock);
    MHD_socket fd = MHD_quiesce_daemon(http->daemon);
    wait_for_exchanges(http, grace_ns);
    MHD_stop_daemon(http->daemon);
    if (fd != MHD_INVALID_SOCKET)
        close(fd);
    if (http->sweeper_runs)
        pthread_join(http->sweeper, NULL);
    free_http(http);
}

int weir_http_port(const struct weir_http *http)
{
    return http->listener.port;
}

const char *weir_http_url(const struct weir_http *http)
{
    return http->listener.url;
}

void weir_http_counts(struct weir_http *http, struct weir_http_counts *counts)
{
    pthread_mutex_lock(&http->lock);
    counts->requests = http->requests;
    counts->refused = http->refused;
    pthread_mutex_unlock(&http->lock);
    pthread_mutex_lock(&http->peers.lock);
    counts->cut = http->peers.cuts;
    counts->connections = http->peers.count;
    pthread_mutex_unlock(&http->peers.lock);
}

const char *weir_http_method(const struct weir_http_exchange *exchange)
{
    return exchange->method;
}

const char *weir_http_path(const struct weir_http_exchange *exchange)
{
    return exchange->path;
}

const char *weir_http_query(const struct weir_http_exchange *exchange, const char *name)
{
    return MHD_lookup_connection_value(exchange->connection, MHD_GET_ARGUMENT_KIND, name);
}

const void *weir_http_body(const struct weir_http_exchange *exchange, size_t *size)
{
    *size = exchange->body.size;
    return exchange->body.data;
}
