/* SPDX-License-Identifier: Apache-2.0 */

/* One thread for all sources that wait on sockets: libuv's loop, and libcurl's multi interface on it (each of
 * curl's sockets is a uv_poll_t, its one timer a uv_timer_t). Other threads only put a source on the list of
 * those that want attention and wake the loop. */

#include "source/source_private.h"

#include "base/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct weir_source_loop {
    uv_loop_t uv;
    uv_async_t wake;
    uv_timer_t curl_timer;
    CURLM *multi;
    struct weir_log *log;
    struct weir_block_pool *pool;
    pthread_t thread;
    bool started;

    pthread_mutex_t lock; /* what follows */
    struct weir_source *sources;
    struct weir_source *posted;
    bool stopping;
};

/* One of curl's sockets. */
struct socket_watch {
    uv_poll_t poll;
    struct weir_source_loop *loop;
    curl_socket_t fd;
};

static void take_finished(struct weir_source_loop *loop)
{
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(loop->multi, &left)) != NULL) {
        void *source = NULL;
        if (message->msg != CURLMSG_DONE)
            continue;
        CURLcode code = message->data.result; /* the message is gone after the transfer is */
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &source);
        weir_source_http_done(source, code);
    }
}

static void on_socket(uv_poll_t *poll, int status, int events)
{
    struct socket_watch *watch = poll->data;
    struct weir_source_loop *loop = watch->loop;
    int flags = status < 0 ? CURL_CSELECT_ERR : 0;
    flags |= events & UV_READABLE ? CURL_CSELECT_IN : 0;
    flags |= events & UV_WRITABLE ? CURL_CSELECT_OUT : 0;
    int running;
    (void)curl_multi_socket_action(loop->multi, watch->fd, flags, &running);
    take_finished(loop);
}

static void on_curl_timer(uv_timer_t *timer)
{
    struct weir_source_loop *loop = timer->data;
    int running;
    (void)curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    take_finished(loop);
}

static int set_curl_timer(CURLM *multi, long timeout_ms, void *user)
{
    struct weir_source_loop *loop = user;
    (void)multi;
    if (timeout_ms < 0)
        uv_timer_stop(&loop->curl_timer);
    else
        uv_timer_start(&loop->curl_timer, on_curl_timer, (uint64_t)timeout_ms, 0);
    return 0;
}

static void free_watch(uv_handle_t *handle)
{
    free(handle->data);
}

static struct socket_watch *watch_new(struct weir_source_loop *loop, curl_socket_t fd)
{
    struct socket_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL || uv_poll_init_socket(&loop->uv, &watch->poll, fd) != 0) {
        free(watch);
        return NULL;
    }
    watch->poll.data = watch;
    watch->loop = loop;
    watch->fd = fd;
    (void)curl_multi_assign(loop->multi, fd, watch);
    return watch;
}

static int set_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *of_socket)
{
    struct weir_source_loop *loop = user;
    struct socket_watch *watch = of_socket;
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (watch != NULL)
            uv_close((uv_handle_t *)&watch->poll, free_watch);
        (void)curl_multi_assign(loop->multi, fd, NULL);
        return 0;
    }
    if (watch == NULL)
        watch = watch_new(loop, fd);
    if (watch == NULL)
        return -1;
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    return uv_poll_start(&watch->poll, events, on_socket) == 0 ? 0 : -1;
}

static void close_all(struct weir_source_loop *loop)
{
    for (struct weir_source *source = loop->sources; source != NULL; source = source->next)
        if (!source->is_closed)
            source->attend(source, false, true);
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->curl_timer, NULL);
}

static void on_wake(uv_async_t *wake)
{
    struct weir_source_loop *loop = wake->data;
    pthread_mutex_lock(&loop->lock);
    while (loop->posted != NULL) {
        struct weir_source *source = loop->posted;
        bool resume = source->wants_resume, close = source->wants_close;
        loop->posted = source->posted;
        source->is_posted = source->wants_resume = source->wants_close = false;
        pthread_mutex_unlock(&loop->lock);
        if (!source->is_closed)
            source->attend(source, resume, close);
        pthread_mutex_lock(&loop->lock);
    }
    bool stopping = loop->stopping;
    pthread_mutex_unlock(&loop->lock);
    if (stopping && !uv_is_closing((uv_handle_t *)wake))
        close_all(loop);
}

static void *run(void *argument)
{
    struct weir_source_loop *loop = argument;
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
    return NULL;
}

int weir_source_loop_new(struct weir_source_loop **out, struct weir_log *log, struct weir_block_pool *pool,
                         struct weir_error *err)
{
    struct weir_source_loop *loop = calloc(1, sizeof *loop);
    if (loop == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || uv_loop_init(&loop->uv) != 0) {
        free(loop);
        return weir_error_set(err, -ENOMEM, "no memory for the cameras' event loop");
    }
    loop->multi = curl_multi_init();
    if (loop->multi == NULL || uv_async_init(&loop->uv, &loop->wake, on_wake) != 0) {
        curl_multi_cleanup(loop->multi);
        (void)uv_loop_close(&loop->uv);
        free(loop);
        return weir_error_set(err, -ENOMEM, "no memory or no descriptors for the cameras' event loop");
    }
    (void)uv_timer_init(&loop->uv, &loop->curl_timer);
    loop->wake.data = loop->curl_timer.data = loop;
    loop->log = log;
    loop->pool = pool;
    pthread_mutex_init(&loop->lock, NULL);
    curl_multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, set_socket);
    curl_multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
    curl_multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, set_curl_timer);
    curl_multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
    *out = loop;
    return 0;
}

int weir_source_loop_start(struct weir_source_loop *loop, struct weir_error *err)
{
    int code = weir_thread_start(&loop->thread, "cameras", run, loop);
    if (code != 0)
        return weir_error_set(err, code, "can't start the cameras' thread: %s", strerror(-code));
    loop->started = true;
    return 0;
}

void weir_source_loop_stop(struct weir_source_loop *loop)
{
    pthread_mutex_lock(&loop->lock);
    bool again = loop->stopping;
    loop->stopping = true;
    pthread_mutex_unlock(&loop->lock);
    if (again)
        return;
    (void)uv_async_send(&loop->wake);
    if (loop->started)
        pthread_join(loop->thread, NULL);
    else
        (void)uv_run(&loop->uv,
                     UV_RUN_DEFAULT); /* closes the handles; every source is told that it is stopped */
}

void weir_source_loop_free(struct weir_source_loop **out)
{
    struct weir_source_loop *loop = *out;
    if (loop == NULL)
        return;
    *out = NULL;
    weir_source_loop_stop(loop);
    curl_multi_cleanup(loop->multi);
    (void)uv_loop_close(&loop->uv);
    while (loop->sources != NULL) {
        struct weir_source *source = loop->sources;
        loop->sources = source->next;
        source->free(source);
    }
    pthread_mutex_destroy(&loop->lock);
    free(loop);
}

void weir_source_loop_add(struct weir_source_loop *loop, struct weir_source *source)
{
    source->loop = loop;
    pthread_mutex_lock(&loop->lock);
    source->next = loop->sources;
    loop->sources = source;
    pthread_mutex_unlock(&loop->lock);
    weir_source_post(source, false, false);
}

void weir_source_post(struct weir_source *source, bool resume, bool close)
{
    struct weir_source_loop *loop = source->loop;
    pthread_mutex_lock(&loop->lock);
    source->wants_resume |= resume;
    source->wants_close |= close;
    if (!source->is_posted) {
        source->is_posted = true;
        source->posted = loop->posted;
        loop->posted = source;
    }
    /* Under the lock: once stopping is seen, the handle may be closed. */
    if (!loop->stopping)
        (void)uv_async_send(&loop->wake);
    pthread_mutex_unlock(&loop->lock);
}

uv_loop_t *weir_source_loop_uv(struct weir_source_loop *loop)
{
    return &loop->uv;
}

struct weir_log *weir_source_loop_log(struct weir_source_loop *loop)
{
    return loop->log;
}

struct weir_block_pool *weir_source_loop_pool(struct weir_source_loop *loop)
{
    return loop->pool;
}

int weir_source_loop_start_transfer(struct weir_source_loop *loop, CURL *easy)
{
    return curl_multi_add_handle(loop->multi, easy) == CURLM_OK ? 0 : -ENOMEM;
}

void weir_source_loop_end_transfer(struct weir_source_loop *loop, CURL *easy)
{
    (void)curl_multi_remove_handle(loop->multi, easy);
}
