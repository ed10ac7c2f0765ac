/* SPDX-License-Identifier: Apache-2.0 */

/* A runtime without a library and without a model: a run takes a settable time and sees nothing. It makes the rest
 * testable and measurable: what is left is weir itself. Copy it to begin a new backend. */

#include "runtime/backends.h"
#include "runtime/session_info.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct weir_runtime {
    struct weir_log *log;
};

struct weir_session {
    struct weir_session_info info;
    int64_t run_ns;
};

struct weir_request {
    struct weir_session *session;
    float *input;
    float output[6]; /* one row of x1, y1, x2, y2, score, class; all zero: nothing there */
};

enum { SIDE = 320 };

static int null_open(struct weir_runtime **out, const struct weir_runtime_params *params, struct weir_log *log,
                     struct weir_error *err)
{
    (void)params;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for the null runtime");
    (*out)->log = log;
    return 0;
}

static void null_close(struct weir_runtime *runtime)
{
    free(runtime);
}

static const char *null_version(struct weir_runtime *runtime)
{
    (void)runtime;
    return "1";
}

static const char *null_library(struct weir_runtime *runtime)
{
    (void)runtime;
    return "";
}

static size_t null_devices(struct weir_runtime *runtime, struct weir_runtime_device *devices, size_t capacity)
{
    (void)runtime;
    if (capacity > 0)
        devices[0] = (struct weir_runtime_device){.name = "null", .full_name = "sees nothing, after a settable time"};
    return 1;
}

static bool null_reads(const char *path)
{
    (void)path;
    return true;
}

static void null_session_free(struct weir_session *session)
{
    weir_session_info_fini(&session->info);
    free(session);
}

static int describe(struct weir_session_info *info, struct weir_error *err)
{
    int code = weir_session_info_init(info, 1, 1, err);
    if (code != 0)
        return code;
    info->inputs[0].name = strdup("images");
    info->inputs[0].dtype = WEIR_DTYPE_F32;
    info->inputs[0].shape = (struct weir_shape){4, {1, 3, SIDE, SIDE}};
    info->outputs[0].name = strdup("output");
    info->outputs[0].dtype = WEIR_DTYPE_F32;
    info->outputs[0].shape = (struct weir_shape){3, {1, 1, 6}};
    if (info->inputs[0].name == NULL || info->outputs[0].name == NULL)
        return weir_error_set(err, -ENOMEM, "no memory to describe the null model");
    return 0;
}

static int null_session_new(struct weir_runtime *runtime, const struct weir_load_params *params,
                            struct weir_session **out, struct weir_error *err)
{
    (void)runtime;
    struct weir_session *session = calloc(1, sizeof *session);
    if (session == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for the null model");
    session->run_ns = params->null_run_ns;
    int code = describe(&session->info, err);
    if (code != 0) {
        null_session_free(session);
        return code;
    }
    (void)snprintf(session->info.device_requested, sizeof session->info.device_requested, "%s",
                   params->device != NULL ? params->device : "");
    strcpy(session->info.device_resolved, "null");
    strcpy(session->info.device_used, "null");
    *out = session;
    return 0;
}

static const struct weir_session_info *null_session_info(struct weir_session *session)
{
    return &session->info;
}

static int null_request_new(struct weir_session *session, struct weir_request **out, struct weir_error *err)
{
    struct weir_request *request = calloc(1, sizeof *request);
    float *input = calloc(3 * SIDE * SIDE, sizeof *input);
    if (request == NULL || input == NULL) {
        free(request);
        free(input);
        return weir_error_set(err, -ENOMEM, "no memory for a request");
    }
    request->session = session;
    request->input = input;
    *out = request;
    return 0;
}

static void null_request_free(struct weir_request *request)
{
    free(request->input);
    free(request);
}

static int null_input(struct weir_request *request, size_t index, const struct weir_shape *shape,
                      struct weir_tensor *tensor, struct weir_error *err)
{
    const struct weir_io_info *io = &request->session->info.inputs[index];
    int code = weir_io_check_shape(io, shape, err);
    if (code != 0)
        return code;
    *tensor = (struct weir_tensor){io->name, io->dtype, *shape, request->input, 3 * SIDE * SIDE * sizeof(float)};
    return 0;
}

static int null_run(struct weir_request *request, struct weir_error *err)
{
    (void)err;
    int64_t until_ns = weir_clock_ns() + request->session->run_ns;
    struct timespec until = {.tv_sec = until_ns / WEIR_NS_PER_S, .tv_nsec = until_ns % WEIR_NS_PER_S};
    while (request->session->run_ns > 0 && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
    return 0;
}

static int null_output(struct weir_request *request, size_t index, struct weir_tensor *tensor, struct weir_error *err)
{
    (void)err;
    const struct weir_io_info *io = &request->session->info.outputs[index];
    *tensor = (struct weir_tensor){io->name, io->dtype, io->shape, request->output, sizeof request->output};
    return 0;
}

const struct weir_runtime_ops weir_runtime_null = {
    .name = "null",
    .title = "null",
    .needs_library = false,
    .open = null_open,
    .close = null_close,
    .version = null_version,
    .library = null_library,
    .devices = null_devices,
    .reads = null_reads,
    .session_new = null_session_new,
    .session_free = null_session_free,
    .session_info = null_session_info,
    .request_new = null_request_new,
    .request_free = null_request_free,
    .input = null_input,
    .run = null_run,
    .output = null_output,
};
