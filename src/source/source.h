/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SOURCE_SOURCE_H
#define WEIR_SOURCE_SOURCE_H

/* The seam between cameras and the pipeline: a source connects, reads, splits into frames, reconnects,
 * and says what state it is in. Adding a kind of source: docs/adding-a-backend.md.
 *
 * Thread-safety: open, close and the loop functions from the thread that owns the loop object; the
 * callbacks come from the loop thread (HTTP) or the source's own thread (libav). */

#include "base/block.h"
#include "base/error.h"
#include "base/log.h"
#include "image/frame.h"
#include "weir/result.h"

#include <stdbool.h>
#include <stdint.h>

enum weir_source_state {
    WEIR_SOURCE_IDLE,        /* opened, its turn to connect has not come */
    WEIR_SOURCE_CONNECTING,  /* name look-up, TCP, TLS, request */
    WEIR_SOURCE_WAITING,     /* connected, no frame yet */
    WEIR_SOURCE_LIVE,
    WEIR_SOURCE_STALLED,     /* was live, nothing complete for the stall limit; about to reconnect */
    WEIR_SOURCE_BACKING_OFF, /* waits before the next attempt */
    WEIR_SOURCE_PAUSED,
    WEIR_SOURCE_STOPPED,     /* closed, or ended for good (end of a file) */
};

/* Why a source is not live. Rows: code, stable text, what an operator can do. */
#define WEIR_SOURCE_REASONS(row)                                                                             \
    row(NONE, "none", "")                                                                                    \
    row(DNS, "dns", "the host name can't be resolved: check the name and the resolver")                     \
    row(REFUSED, "refused", "the host refuses the connection: check the port and that the camera runs")     \
    row(UNREACHABLE, "unreachable", "no route to the host: check network and address")                      \
    row(TIMEOUT, "timeout", "no answer in time")                                                             \
    row(TLS, "tls", "the TLS handshake failed: check the certificate, tls_ca or tls_verify")                \
    row(AUTH, "auth", "rejected: check user and password, or the camera's session limit")                   \
    row(NOT_FOUND, "not_found", "the camera has nothing under this path")                                   \
    row(HTTP_STATUS, "http_status", "the camera answered with an error status")                             \
    row(NOT_MULTIPART, "not_multipart", "the answer is neither multipart nor a JPEG")                       \
    row(CODEC, "codec", "the stream can't be decoded")                                                       \
    row(STALLED, "stalled", "connected, but no complete frame within the limit")                            \
    row(ENDED, "ended", "the camera closed the stream")                                                      \
    row(TOO_LARGE, "too_large", "a frame is over max_frame_bytes")                                           \
    row(BAD_URL, "bad_url", "the URL can't be used")                                                         \
    row(UNSUPPORTED, "unsupported", "nothing in this build reads such a source")

enum weir_source_reason {
#define WEIR_SOURCE_REASON_ENUM(code, text, advice) WEIR_SOURCE_REASON_##code,
    WEIR_SOURCE_REASONS(WEIR_SOURCE_REASON_ENUM)
#undef WEIR_SOURCE_REASON_ENUM
    WEIR_SOURCE_REASON_COUNT
};

const char *weir_source_state_name(enum weir_source_state state);    /* "backing_off", ... */
const char *weir_source_reason_name(enum weir_source_reason reason); /* "refused", ... */
const char *weir_source_reason_advice(enum weir_source_reason reason);

struct weir_source_status {
    enum weir_source_state state;
    enum weir_source_reason reason;
    char detail[192];       /* one sentence, secrets removed; may be empty */
    int64_t since_ns;       /* monotonic: when this state was entered */
    uint32_t reconnects;    /* attempts after the first */
};

enum weir_source_flow {
    WEIR_SOURCE_GO,    /* go on reading */
    /* Lossless: read no more until weir_source_resume. A resume may come from another thread before the callback that
     * asks for the pause has returned: it must not be lost. Frames already split off may still be handed over. */
    WEIR_SOURCE_PAUSE,
};

/* What a source tells its pipeline. `user` is the camera's. */
struct weir_source_events {
    /* A complete frame, camera and sequence not yet set. The callee owns it in every case. */
    enum weir_source_flow (*frame)(void *user, struct weir_frame *frame);
    /* A frame that was begun but can't be handed over (too large, broken): counted as read and failed. */
    void (*bad_frame)(void *user, enum weir_reason reason);
    /* Each change of state; the status is the source's until return. */
    void (*status)(void *user, const struct weir_source_status *status);
};

struct weir_source_params {
    const char *name;             /* for the log */
    const char *url;
    const char *user_name, *password; /* NULL: from the URL, if there */
    int64_t connect_timeout_ns;   /* default 5 s */
    int64_t first_frame_timeout_ns; /* default 10 s */
    int64_t stall_timeout_ns;     /* default 10 s, from the last complete frame */
    int64_t back_off_min_ns;      /* default 0.5 s */
    int64_t back_off_max_ns;      /* default 30 s */
    size_t max_frame_bytes;       /* default 16 MiB */
    bool tls_verify;              /* default true */
    const char *tls_ca;           /* PEM file, or NULL: the system's */
    const char *proxy;            /* or NULL */
    bool realtime;                /* files: play at the speed of the recording; default false */
    bool loop;                    /* files: begin anew at the end; default false */
};
#define WEIR_SOURCE_PARAMS_DEFAULT                                                                           \
    {.connect_timeout_ns = 5000000000LL, .first_frame_timeout_ns = 10000000000LL,                            \
     .stall_timeout_ns = 10000000000LL, .back_off_min_ns = 500000000LL, .back_off_max_ns = 30000000000LL,    \
     .max_frame_bytes = 16u << 20, .tls_verify = true}

/* What all sources of a pipeline share: the event loop thread (libuv, libcurl multi), the pool that frames come from. */
struct weir_source_loop;
int weir_source_loop_new(struct weir_source_loop **out, struct weir_log *log, struct weir_block_pool *pool,
                         struct weir_error *err);
int weir_source_loop_start(struct weir_source_loop *loop, struct weir_error *err); /* starts the thread */
/* Closes every source still open, waits for their threads, ends the loop thread. No callback comes after it returns. */
void weir_source_loop_stop(struct weir_source_loop *loop);
void weir_source_loop_free(struct weir_source_loop **loop);

/* One kind of source. One const struct each, in the table of source.c. */
struct weir_source;
struct weir_source_ops {
    const char *name;
    bool (*accepts)(const char *url);
    int (*open)(struct weir_source_loop *loop, const struct weir_source_params *params,
                const struct weir_source_events *events, void *user, struct weir_source **out, struct weir_error *err);
    void (*resume)(struct weir_source *source); /* any thread; after WEIR_SOURCE_PAUSE */
    void (*close)(struct weir_source *source);  /* any thread; asynchronous: done when status says STOPPED */
};

/* Chooses the kind by the URL and opens it; the params are copied. The source connects by itself, as soon as
 * the loop runs. Any thread. -EINVAL with a sentence when no kind takes the URL. */
int weir_source_open(struct weir_source_loop *loop, const struct weir_source_params *params,
                     const struct weir_source_events *events, void *user, struct weir_source **out,
                     struct weir_error *err);
void weir_source_resume(struct weir_source *source);
void weir_source_close(struct weir_source **source);
/* Files and recordings are lossless by default, live sources are not. */
bool weir_source_url_is_live(const char *url);

#endif
