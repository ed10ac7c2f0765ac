/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_MODEL_PRIVATE_H
#define WEIR_ENGINE_MODEL_PRIVATE_H

/* A loaded model as its workers see it. */

#include "engine/engine.h"
#include "model/spec.h"
#include "runtime/runtime.h"

struct weir_model {
    struct weir_log *log;
    const struct weir_runtime_ops *ops;
    struct weir_runtime *runtime;
    struct weir_session *session;
    bool sees_nothing; /* the null runtime without a model: pictures are not even decoded */
    struct weir_model_spec spec;
    struct weir_jpeg_params jpeg;
    char summary[256];
    char device[32]; /* that really runs, when it is not the one asked for; else empty */
};

#endif
