/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_DETECTOR_DETECTOR_H
#define WEIR_DETECTOR_DETECTOR_H

/* The seam "frame in, result out": the engine in this process (local), or a service over HTTP.
 * One suite (tests/conformance/test_detector.c) runs on every kind.
 *
 * Thread-safety: a detector may be shared; a session belongs to one worker thread.
 * Ownership: sessions are freed before their detector. */

#include "base/error.h"
#include "base/log.h"
#include "engine/engine.h"
#include "image/frame.h"
#include "weir/result.h"

struct weir_detector_params {
    const char *kind_or_url;         /* "local", or "http://HOST:PORT/PATH" */
    struct weir_model_params model;  /* local */
    int64_t timeout_ns;              /* http: for one whole answer; default 10 s */
};

struct weir_detector;
struct weir_detector_session;

struct weir_detector_ops {
    const char *name;
    int (*open)(const struct weir_detector_params *params, struct weir_log *log, struct weir_detector **out,
                struct weir_error *err);
    void (*close)(struct weir_detector *detector);
    const char *(*summary)(const struct weir_detector *detector);
    int (*session_new)(struct weir_detector *detector, struct weir_detector_session **out, struct weir_error *err);
    void (*session_free)(struct weir_detector_session *session);
    /* Blocks until the outcome, good or bad, is in result. The frame stays the caller's. */
    void (*detect)(struct weir_detector_session *session, const struct weir_frame *frame, struct weir_result *result);
};

/* Chooses the kind and opens it. */
int weir_detector_open(const struct weir_detector_params *params, struct weir_log *log,
                       struct weir_detector **out, struct weir_error *err);
void weir_detector_close(struct weir_detector **detector);
const char *weir_detector_summary(const struct weir_detector *detector);
int weir_detector_session_new(struct weir_detector *detector, struct weir_detector_session **out, struct weir_error *err);
void weir_detector_session_free(struct weir_detector_session **session);
void weir_detector_detect(struct weir_detector_session *session, const struct weir_frame *frame,
                          struct weir_result *result);

#endif
