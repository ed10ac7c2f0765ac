/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RUNTIME_RUNTIME_H
#define WEIR_RUNTIME_RUNTIME_H

/* The seam to inference libraries: tensors in, tensors out. A runtime is one const struct of operations;
 * its library is loaded with dlopen when first asked for, so one binary runs with either, both or none.
 *
 *   runtime (library, environment) -> session (a model on a device, shared by threads) -> request (one thread's run)
 *
 * Thread-safety: a runtime and a session may be used from any thread; a request belongs to one thread at a time.
 * Ownership: requests are freed before their session, sessions before their runtime. Tensors from
 * weir_request_input/output are lent by the request until its next run or free. */

#include "base/error.h"
#include "base/log.h"
#include "base/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_RUNTIME_IO_MAX 32 /* inputs or outputs of one model */

struct weir_io_info {
    char *name;
    enum weir_dtype dtype;
    struct weir_shape shape;                   /* WEIR_DIM_DYNAMIC where open */
    char *dim_names[WEIR_TENSOR_RANK_MAX];     /* symbolic names, NULL where none */
};

struct weir_metadata {
    char *key, *value; /* UTF-8 text as the model holds it */
};

/* What a loaded model says of itself; owned by the session. */
struct weir_session_info {
    struct weir_io_info *inputs, *outputs;
    size_t input_count, output_count;
    struct weir_metadata *metadata;
    size_t metadata_count;
    char device_requested[64], device_resolved[128], device_used[128]; /* used: read back from the library */
    char fallback_reason[256]; /* why used differs from requested; empty when it does not */
    int optimal_requests;      /* how many requests at once serve the device best; 0 when it can't be asked */
    int64_t load_ns;
};

enum weir_perf_hint { WEIR_HINT_THROUGHPUT, WEIR_HINT_LATENCY };

struct weir_load_params {
    const char *path;
    const char *device;      /* NULL or "": chosen by the runtime's rule */
    bool require_device;     /* refuse rather than fall back */
    int workers;             /* requests that will run at the same time, >= 1 */
    int threads_per_worker;  /* >= 1; default 1 */
    enum weir_perf_hint hint;
    const char *precision;   /* NULL: float32 on a CPU, else the library's choice; "f32", "f16", "bf16" */
    int64_t null_run_ns;     /* null runtime: how long a run takes */
};

struct weir_runtime_params {
    const char *library; /* path of the library, or NULL: search (runtime/library.h states the order) */
};

struct weir_runtime;
struct weir_session;
struct weir_request;

struct weir_runtime_device {
    char name[64];      /* "CPU", "GPU.0", "CUDAExecutionProvider" */
    char full_name[160];/* empty when it can't be read */
};

struct weir_runtime_ops {
    const char *name;  /* "onnxruntime" */
    const char *title; /* "ONNX Runtime" */
    bool needs_library;
    /* Loads the library. -ENOENT when there is none: err says where was searched and what to install. */
    int (*open)(struct weir_runtime **out, const struct weir_runtime_params *params, struct weir_log *log,
                struct weir_error *err);
    void (*close)(struct weir_runtime *runtime);
    const char *(*version)(struct weir_runtime *runtime);
    const char *(*library)(struct weir_runtime *runtime); /* the file that was loaded; "" when there is none */
    size_t (*devices)(struct weir_runtime *runtime, struct weir_runtime_device *devices, size_t capacity);
    /* True when the file's kind (by its name) is one that the library reads. */
    bool (*reads)(const char *path);

    /* May take seconds. */
    int (*session_new)(struct weir_runtime *runtime, const struct weir_load_params *params,
                       struct weir_session **out, struct weir_error *err);
    void (*session_free)(struct weir_session *session);
    const struct weir_session_info *(*session_info)(struct weir_session *session);

    int (*request_new)(struct weir_session *session, struct weir_request **out, struct weir_error *err);
    void (*request_free)(struct weir_request *request);
    /* Lends the memory of input `index` at this shape (every dimension given); the same memory as last time when the
     * shape is the same, so what is constant need be written once. */
    int (*input)(struct weir_request *request, size_t index, const struct weir_shape *shape,
                 struct weir_tensor *tensor, struct weir_error *err);
    /* Blocks until done. */
    int (*run)(struct weir_request *request, struct weir_error *err);
    int (*output)(struct weir_request *request, size_t index, struct weir_tensor *tensor, struct weir_error *err);
};

/* All that were built in, best first for automatic choice; NULL-terminated. */
extern const struct weir_runtime_ops *const weir_runtimes[];
/* By name ("onnx" is accepted for "onnxruntime"); NULL when unknown. */
const struct weir_runtime_ops *weir_runtime_find(const char *name);

/* Opens the runtime `name`, or for "auto" the first that reads `path` and whose library can be loaded.
 * *ops says which. The error of "auto" names each that was tried and why not. */
int weir_runtime_open(const char *name, const char *path, const struct weir_runtime_params *params,
                      struct weir_log *log, const struct weir_runtime_ops **ops, struct weir_runtime **out,
                      struct weir_error *err);

#endif
