/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_WEB_SERVICE_H
#define WEIR_WEB_SERVICE_H

/* The detector as a service: POST /detect with a JPEG, the detections as the answer (docs/api.md). Each of N
 * workers looks at one picture at a time; a bounded number waits; who comes then is told 503 at once, so that
 * overload shows as refusals and not as minutes of hidden queue.
 *
 * Thread-safety: start and stop from the owner's thread.
 * Ownership: params are copied as far as they are needed; the model's strings only during start. */

#include "base/error.h"
#include "base/log.h"
#include "engine/engine.h"

#include <stddef.h>

struct weir_service;

struct weir_service_params {
    const char *address;            /* "HOST:PORT", see web/listener.h */
    struct weir_model_params model; /* model.workers: pictures at once */
    int max_waiting;                /* default 32: pictures that wait for a worker */
    size_t max_body_bytes;          /* default 16 MiB */
    struct weir_log *log;
};
#define WEIR_SERVICE_PARAMS_DEFAULT                                                                          \
    {                                                                                                        \
        .model = WEIR_MODEL_PARAMS_DEFAULT, .max_waiting = 32, .max_body_bytes = 16u << 20                   \
    }

int weir_service_start(struct weir_service **out, const struct weir_service_params *params,
                       struct weir_error *err);
/* Refuses what comes from now on, answers what was taken, then closes. */
void weir_service_stop(struct weir_service **service);

const char *weir_service_url(const struct weir_service *service);     /* "http://127.0.0.1:8090/" */
const char *weir_service_summary(const struct weir_service *service); /* the model's, for people */

#endif
