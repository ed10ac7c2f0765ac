/* SPDX-License-Identifier: Apache-2.0 */

/* JSON lines to a file or to standard output: one whole line, one write. Nothing is buffered here, so that
 * what a reader sees is what was published, and a full disk is noticed at the event that did not fit. */

#include "publish/sink.h"
#include "publish/sink_private.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INTERRUPT_CHECK_MS = 100 };

struct jsonl {
    struct weir_sink sink; /* first: a weir_sink pointer is a jsonl pointer */
    pthread_mutex_t lock;  /* one line at a time, and the buffer below */
    struct weir_buf line;
    char *path;
    int fd;
    bool is_stdout, is_regular;
    atomic_bool interrupted;
};

static int jsonl_open(const char *destination, struct weir_log *log, struct weir_sink **out, struct weir_error *err)
{
    (void)log;
    struct jsonl *jsonl = calloc(1, sizeof *jsonl);
    char *path = strdup(destination);
    if (jsonl == NULL || path == NULL) {
        free(jsonl);
        free(path);
        return weir_error_set(err, -ENOMEM, "no memory for the JSON lines output");
    }
    jsonl->path = path;
    jsonl->is_stdout = strcmp(destination, "-") == 0;
    jsonl->fd = jsonl->is_stdout ? STDOUT_FILENO
                                 : open(destination, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (jsonl->fd < 0) {
        int code = weir_error_set(err, -errno, "jsonl: can't write to %s: %s; give a file in a folder that exists "
                                               "and is writable, or - for standard output",
                                  destination, strerror(errno));
        free(path);
        free(jsonl);
        return code;
    }
    struct stat st;
    jsonl->is_regular = fstat(jsonl->fd, &st) == 0 && S_ISREG(st.st_mode);
    pthread_mutex_init(&jsonl->lock, NULL);
    *out = &jsonl->sink;
    return 0;
}

/* A reader of a pipe may have stopped reading: never more than POSIX guarantees to fit is written at once, and only
 * when poll says that it fits, so that an interrupt ends the wait. */
static int wait_writable(struct jsonl *jsonl)
{
    struct pollfd poller = {.fd = jsonl->fd, .events = POLLOUT};
    while (!atomic_load(&jsonl->interrupted)) {
        int n = poll(&poller, 1, INTERRUPT_CHECK_MS);
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -errno;
    }
    return -ECANCELED;
}

static int write_all(struct jsonl *jsonl, const char *bytes, size_t size, size_t *written)
{
    *written = 0;
    while (*written < size) {
        int code = wait_writable(jsonl);
        if (code != 0)
            return code;
        size_t left = size - *written;
        ssize_t n = write(jsonl->fd, bytes + *written, left < PIPE_BUF || jsonl->is_regular ? left : PIPE_BUF);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return -errno;
        *written += (size_t)n;
    }
    return 0;
}

/* Half a line on a full disk would spoil the next one that fits: take it back where the file allows it. */
static void take_back(const struct jsonl *jsonl, size_t written)
{
    struct stat st;
    if (written == 0 || !jsonl->is_regular || fstat(jsonl->fd, &st) != 0 || st.st_size < (off_t)written)
        return;
    int code = ftruncate(jsonl->fd, st.st_size - (off_t)written);
    (void)code;
}

static int jsonl_write(struct weir_sink *sink, const struct weir_event *event, struct weir_error *err)
{
    struct jsonl *jsonl = (struct jsonl *)sink;
    pthread_mutex_lock(&jsonl->lock);
    weir_buf_clear(&jsonl->line);
    size_t written = 0;
    int code = weir_event_write_json(event, &jsonl->line);
    if (code == 0)
        code = write_all(jsonl, jsonl->line.data, jsonl->line.size, &written);
    if (code != 0)
        take_back(jsonl, written);
    pthread_mutex_unlock(&jsonl->lock);
    if (code != 0)
        weir_error_set(err, code, "jsonl: writing to %s failed: %s", jsonl->is_stdout ? "standard output" : jsonl->path,
                       strerror(-code));
    return code;
}

static void jsonl_interrupt(struct weir_sink *sink)
{
    atomic_store(&((struct jsonl *)sink)->interrupted, true);
}

static int jsonl_close(struct weir_sink *sink, struct weir_error *err)
{
    struct jsonl *jsonl = (struct jsonl *)sink;
    int code = 0;
    /* Some file systems report a full disk only here. */
    if (!jsonl->is_stdout && close(jsonl->fd) != 0)
        code = weir_error_set(err, -errno, "jsonl: closing %s failed: %s", jsonl->path, strerror(errno));
    weir_buf_fini(&jsonl->line);
    pthread_mutex_destroy(&jsonl->lock);
    free(jsonl->path);
    free(jsonl);
    return code;
}

const struct weir_sink_ops weir_sink_jsonl = {
    .name = "jsonl",
    .open = jsonl_open,
    .write = jsonl_write,
    .interrupt = jsonl_interrupt,
    .close = jsonl_close,
};
