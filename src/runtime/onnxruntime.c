/* SPDX-License-Identifier: Apache-2.0 */

/* ONNX Runtime. One session is shared by all requests: its Run may be called from any thread, and with one thread
 * inside each call N workers are faster than one session of N threads.
 *
 * Three things that its defaults get wrong for weir: its PyPI build reports usage unless ORT_DISABLE_TELEMETRY is set
 * before it is loaded; an intra-op thread count of 0 escapes the affinity mask; idle threads spin. */

#include "runtime/backends.h"
#include "runtime/library.h"
#include "runtime/model_file.h"
#include "runtime/ort_api.h"
#include "runtime/session_info.h"

#include "base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ALIGNMENT = 64 };

struct weir_runtime {
    struct weir_log *log;
    struct weir_buf library;
    char version[32];
    struct ort_functions api;
    ort_env *env;
    ort_memory_info *cpu_memory;
    ort_allocator *allocator; /* the library's own, never freed */
};

struct weir_session {
    struct weir_runtime *runtime;
    ort_session *session;
    struct weir_session_info info;
};

/* One input or output of a request. */
struct slot {
    ort_value *value;
    void *memory; /* ours; NULL for an output whose size is known only after the run */
    size_t size;
    struct weir_shape shape;
};

struct weir_request {
    struct weir_session *session;
    struct slot inputs[WEIR_RUNTIME_IO_MAX], outputs[WEIR_RUNTIME_IO_MAX];
};

static const struct weir_library_spec library_spec = {
    .title = "ONNX Runtime",
    .file_prefix = "libonnxruntime.so",
    .wheel_folder = "onnxruntime/capi",
    .environment = "WEIR_ONNXRUNTIME",
    .install = "pip install onnxruntime",
};

/* Takes the status; 0 when it is success, else -EIO and "what: the library's words". */
static int check(const struct weir_runtime *runtime, ort_status *status, struct weir_error *err, const char *what)
{
    if (status == NULL)
        return 0;
    weir_error_set(err, -EIO, "%s: %s", what, runtime->api.GetErrorMessage(status));
    runtime->api.ReleaseStatus(status);
    return -EIO;
}

/* For calls whose failure changes nothing. */
static void ignore(const struct weir_runtime *runtime, ort_status *status)
{
    (void)check(runtime, status, NULL, "");
}

static void take_log(void *user, int severity, const char *category, const char *id, const char *location,
                     const char *message)
{
    (void)category, (void)id, (void)location;
    struct weir_runtime *runtime = user;
    if (severity >= ORT_LOG_ERROR)
        weir_log_warn(runtime->log, "onnxruntime", "%s", message);
    else
        weir_log_debug(runtime->log, "onnxruntime", "%s", message);
}

static void bind_functions(struct ort_functions *api, const void *const *table)
{
#define ORT_BIND(slot, name, result, arguments) api->name = (result(*) arguments)table[slot];
    ORT_FUNCTIONS(ORT_BIND)
#undef ORT_BIND
}

static int bind_library(struct weir_runtime *runtime, void *handle, struct weir_error *err)
{
    const struct ort_api_base *(*get_base)(void);
    *(void **)&get_base = dlsym(handle, "OrtGetApiBase");
    if (get_base == NULL)
        return weir_error_set(err, -ELIBBAD, "ONNX Runtime: %s has no function OrtGetApiBase", runtime->library.data);
    const struct ort_api_base *base = get_base();
    const void *const *table = base->get_api(ORT_API_VERSION_USED);
    (void)snprintf(runtime->version, sizeof runtime->version, "%s", base->get_version_string());
    if (table == NULL)
        return weir_error_set(err, -ELIBBAD, "ONNX Runtime %s in %s is too old: expected 1.%d or newer", runtime->version,
                              runtime->library.data, ORT_API_VERSION_USED);
    bind_functions(&runtime->api, table);
    return 0;
}

static int make_environment(struct weir_runtime *runtime, struct weir_error *err)
{
    const struct ort_functions *api = &runtime->api;
    int code = check(runtime, api->CreateEnvWithCustomLogger(take_log, runtime, ORT_LOG_WARNING, "weir", &runtime->env),
                     err, "ONNX Runtime");
    if (code != 0)
        return code;
    ignore(runtime, api->DisableTelemetryEvents(runtime->env));
    code = check(runtime, api->CreateCpuMemoryInfo(ORT_ARENA_ALLOCATOR, ORT_MEM_TYPE_DEFAULT, &runtime->cpu_memory), err,
                 "ONNX Runtime");
    if (code != 0)
        return code;
    return check(runtime, api->GetAllocatorWithDefaultOptions(&runtime->allocator), err, "ONNX Runtime");
}

static void ort_close(struct weir_runtime *runtime)
{
    if (runtime->cpu_memory != NULL)
        runtime->api.ReleaseMemoryInfo(runtime->cpu_memory);
    if (runtime->env != NULL)
        runtime->api.ReleaseEnv(runtime->env);
    /* The library stays loaded: unloading one that has started threads is not safe. */
    weir_buf_fini(&runtime->library);
    free(runtime);
}

static int ort_open(struct weir_runtime **out, const struct weir_runtime_params *params, struct weir_log *log,
                    struct weir_error *err)
{
    struct weir_runtime *runtime = calloc(1, sizeof *runtime);
    if (runtime == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for ONNX Runtime");
    runtime->log = log;
    (void)setenv("ORT_DISABLE_TELEMETRY", "1", 1);
    void *handle = NULL;
    int code = weir_library_open(&library_spec, params->library, &handle, &runtime->library, err);
    if (code == 0)
        code = bind_library(runtime, handle, err);
    if (code == 0)
        code = make_environment(runtime, err);
    if (code != 0) {
        ort_close(runtime);
        return code;
    }
    *out = runtime;
    return 0;
}

static const char *ort_version(struct weir_runtime *runtime)
{
    return runtime->version;
}

static const char *ort_library(struct weir_runtime *runtime)
{
    return runtime->library.data;
}

static size_t ort_devices(struct weir_runtime *runtime, struct weir_runtime_device *devices, size_t capacity)
{
    char **names = NULL;
    int count = 0;
    if (check(runtime, runtime->api.GetAvailableProviders(&names, &count), NULL, "") != 0)
        return 0;
    for (int i = 0; i < count && (size_t)i < capacity; i++) {
        memset(&devices[i], 0, sizeof devices[i]);
        (void)snprintf(devices[i].name, sizeof devices[i].name, "%s", names[i]);
    }
    ignore(runtime, runtime->api.ReleaseAvailableProviders(names, count));
    return (size_t)count;
}

static bool ort_reads(const char *path)
{
    static const char *const endings[] = {".onnx", ".ort", NULL};
    return weir_model_file_ends_in(path, endings);
}

/* The library's number of each element type. */
static const int elements[] = {
    [WEIR_DTYPE_F32] = ORT_ELEMENT_FLOAT, [WEIR_DTYPE_F16] = ORT_ELEMENT_FLOAT16, [WEIR_DTYPE_U8] = ORT_ELEMENT_UINT8,
    [WEIR_DTYPE_I8] = ORT_ELEMENT_INT8,   [WEIR_DTYPE_I32] = ORT_ELEMENT_INT32,   [WEIR_DTYPE_I64] = ORT_ELEMENT_INT64,
};

static int read_shape(struct weir_runtime *runtime, const ort_tensor_info *tensor, struct weir_io_info *io,
                      struct weir_error *err)
{
    const struct ort_functions *api = &runtime->api;
    size_t rank = 0;
    int element = 0;
    const char *names[WEIR_TENSOR_RANK_MAX] = {0};
    int code = check(runtime, api->GetTensorElementType(tensor, &element), err, io->name);
    if (code == 0)
        code = check(runtime, api->GetDimensionsCount(tensor, &rank), err, io->name);
    if (code == 0 && rank > WEIR_TENSOR_RANK_MAX)
        code = weir_error_set(err, -ENOTSUP, "%s has %zu dimensions, at most %d are supported", io->name, rank,
                              WEIR_TENSOR_RANK_MAX);
    if (code == 0)
        code = check(runtime, api->GetDimensions(tensor, io->shape.dims, rank), err, io->name);
    if (code == 0)
        code = check(runtime, api->GetSymbolicDimensions(tensor, names, rank), err, io->name);
    if (code != 0)
        return code;
    io->dtype = weir_dtype_from_native(elements, element);
    io->shape.rank = (int)rank;
    for (size_t i = 0; i < rank; i++) {
        if (io->shape.dims[i] < 0)
            io->shape.dims[i] = WEIR_DIM_DYNAMIC;
        if (names[i] != NULL && names[i][0] != '\0')
            io->dim_names[i] = strdup(names[i]);
    }
    return 0;
}

/* Takes name and type. */
static int describe_io(struct weir_runtime *runtime, char *name, ort_type_info *type, struct weir_io_info *io,
                       struct weir_error *err)
{
    const ort_tensor_info *tensor = NULL;
    io->name = strdup(name);
    ignore(runtime, runtime->api.AllocatorFree(runtime->allocator, name));
    int code = io->name != NULL ? 0 : weir_error_set(err, -ENOMEM, "no memory to describe the model");
    if (code == 0)
        code = check(runtime, runtime->api.CastTypeInfoToTensorInfo(type, &tensor), err, io->name);
    if (code == 0 && tensor != NULL)
        code = read_shape(runtime, tensor, io, err);
    runtime->api.ReleaseTypeInfo(type);
    return code;
}

static int describe_ios(struct weir_session *session, struct weir_error *err)
{
    struct weir_runtime *runtime = session->runtime;
    const struct ort_functions *api = &runtime->api;
    size_t inputs = 0, outputs = 0;
    int code = check(runtime, api->SessionGetInputCount(session->session, &inputs), err, "inputs");
    if (code == 0)
        code = check(runtime, api->SessionGetOutputCount(session->session, &outputs), err, "outputs");
    if (code == 0)
        code = weir_session_info_init(&session->info, inputs, outputs, err);
    for (size_t i = 0; code == 0 && i < inputs + outputs; i++) {
        bool is_input = i < inputs;
        size_t k = is_input ? i : i - inputs;
        char *name = NULL;
        ort_type_info *type = NULL;
        code = check(runtime, (is_input ? api->SessionGetInputName : api->SessionGetOutputName)(
                                  session->session, k, runtime->allocator, &name), err, "name");
        if (code == 0)
            code = check(runtime, (is_input ? api->SessionGetInputTypeInfo : api->SessionGetOutputTypeInfo)(
                                      session->session, k, &type), err, name);
        if (code == 0)
            code = describe_io(runtime, name, type, is_input ? &session->info.inputs[k] : &session->info.outputs[k], err);
    }
    return code;
}

static void read_metadata(struct weir_session *session)
{
    struct weir_runtime *runtime = session->runtime;
    const struct ort_functions *api = &runtime->api;
    ort_model_metadata *metadata = NULL;
    char **keys = NULL;
    int64_t count = 0;
    if (check(runtime, api->SessionGetModelMetadata(session->session, &metadata), NULL, "") != 0)
        return;
    ignore(runtime, api->ModelMetadataGetCustomMetadataMapKeys(metadata, runtime->allocator, &keys, &count));
    session->info.metadata = calloc((size_t)count + 1, sizeof *session->info.metadata);
    for (int64_t i = 0; i < count; i++) {
        char *value = NULL;
        ignore(runtime, api->ModelMetadataLookupCustomMetadataMap(metadata, runtime->allocator, keys[i], &value));
        if (value != NULL && session->info.metadata != NULL)
            session->info.metadata[session->info.metadata_count++] =
                (struct weir_metadata){strdup(keys[i]), strdup(value)};
        if (value != NULL)
            ignore(runtime, api->AllocatorFree(runtime->allocator, value));
        ignore(runtime, api->AllocatorFree(runtime->allocator, keys[i]));
    }
    if (keys != NULL)
        ignore(runtime, api->AllocatorFree(runtime->allocator, keys));
    api->ReleaseModelMetadata(metadata);
}

static int make_options(struct weir_runtime *runtime, const struct weir_load_params *params,
                        ort_session_options **options, struct weir_error *err)
{
    const struct ort_functions *api = &runtime->api;
    int threads = params->threads_per_worker > 0 ? params->threads_per_worker : 1;
    int code = check(runtime, api->CreateSessionOptions(options), err, "session options");
    if (code == 0)
        code = check(runtime, api->SetIntraOpNumThreads(*options, threads), err, "session options");
    if (code == 0)
        code = check(runtime, api->SetInterOpNumThreads(*options, 1), err, "session options");
    if (code == 0)
        code = check(runtime, api->SetSessionExecutionMode(*options, ORT_RUN_SEQUENTIAL), err, "session options");
    if (code == 0)
        code = check(runtime, api->SetSessionGraphOptimizationLevel(*options, ORT_OPTIMISE_ALL), err, "session options");
    if (code == 0)
        code = check(runtime, api->AddSessionConfigEntry(*options, "session.intra_op.allow_spinning", "0"), err,
                     "session options");
    return code;
}

/* The CPU provider is the one this backend drives; a wish for another is refused, or answered with the reason. */
static int resolve_device(const struct weir_load_params *params, struct weir_session_info *info, struct weir_log *log,
                          struct weir_error *err)
{
    const char *wish = params->device != NULL ? params->device : "";
    (void)snprintf(info->device_requested, sizeof info->device_requested, "%s", wish);
    strcpy(info->device_resolved, "CPUExecutionProvider");
    strcpy(info->device_used, "CPUExecutionProvider");
    if (wish[0] == '\0' || strcasecmp(wish, "auto") == 0 || strcasecmp(wish, "default") == 0 || strcasecmp(wish, "cpu") == 0)
        return 0;
    if (params->require_device)
        return weir_error_set(err, -ENODEV, "device %s is required, but ONNX Runtime runs on the CPU here", wish);
    (void)snprintf(info->fallback_reason, sizeof info->fallback_reason, "%s was asked for; this backend runs on the CPU", wish);
    weir_log_warn(log, "onnxruntime", "%s device_used=%s", info->fallback_reason, info->device_used);
    return 0;
}

static void ort_session_free(struct weir_session *session)
{
    if (session->session != NULL)
        session->runtime->api.ReleaseSession(session->session);
    weir_session_info_fini(&session->info);
    free(session);
}

static int load(struct weir_session *session, const struct weir_load_params *params, struct weir_error *err)
{
    struct weir_runtime *runtime = session->runtime;
    ort_session_options *options = NULL;
    int code = resolve_device(params, &session->info, runtime->log, err);
    if (code == 0)
        code = make_options(runtime, params, &options, err);
    if (code == 0) {
        code = check(runtime, runtime->api.CreateSession(runtime->env, params->path, options, &session->session), err,
                     "ONNX Runtime can't load it");
        if (code != 0)
            weir_error_prefix(err, "model %s", params->path);
    }
    if (options != NULL)
        runtime->api.ReleaseSessionOptions(options);
    if (code == 0)
        code = describe_ios(session, err);
    return code;
}

static int ort_session_new(struct weir_runtime *runtime, const struct weir_load_params *params,
                           struct weir_session **out, struct weir_error *err)
{
    struct weir_session *session = calloc(1, sizeof *session);
    if (session == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a session");
    session->runtime = runtime;
    int64_t start_ns = weir_clock_ns();
    int code = load(session, params, err);
    if (code != 0) {
        ort_session_free(session);
        return code;
    }
    read_metadata(session);
    session->info.load_ns = weir_clock_ns() - start_ns;
    *out = session;
    return 0;
}

static const struct weir_session_info *ort_session_info(struct weir_session *session)
{
    return &session->info;
}

static void free_slot(struct weir_runtime *runtime, struct slot *slot)
{
    if (slot->value != NULL)
        runtime->api.ReleaseValue(slot->value);
    free(slot->memory);
    memset(slot, 0, sizeof *slot);
}

static void ort_request_free(struct weir_request *request)
{
    for (int i = 0; i < WEIR_RUNTIME_IO_MAX; i++) {
        free_slot(request->session->runtime, &request->inputs[i]);
        free_slot(request->session->runtime, &request->outputs[i]);
    }
    free(request);
}

/* Memory of ours that the library reads or writes in place. */
static int fill_slot(struct weir_runtime *runtime, struct slot *slot, const struct weir_io_info *io,
                     const struct weir_shape *shape, struct weir_error *err)
{
    size_t count;
    size_t element = weir_dtype_size(io->dtype);
    if (element == 0)
        return weir_error_set(err, -ENOTSUP, "%s has an element type that is not supported", io->name);
    if (!weir_shape_count(shape, element, &count))
        return weir_error_set(err, -EINVAL, "%s: its shape does not fit in memory", io->name);
    free_slot(runtime, slot);
    slot->size = count * element;
    slot->shape = *shape;
    slot->memory = aligned_alloc(ALIGNMENT, (slot->size + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
    if (slot->memory == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for %s: %zu bytes", io->name, slot->size);
    memset(slot->memory, 0, slot->size);
    return check(runtime, runtime->api.CreateTensorWithDataAsOrtValue(runtime->cpu_memory, slot->memory, slot->size,
                 shape->dims, (size_t)shape->rank, elements[io->dtype], &slot->value), err, io->name);
}

static bool is_static(const struct weir_shape *shape)
{
    for (int i = 0; i < shape->rank; i++)
        if (shape->dims[i] < 0)
            return false;
    return true;
}

static int ort_request_new(struct weir_session *session, struct weir_request **out, struct weir_error *err)
{
    struct weir_request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a request");
    request->session = session;
    int code = 0;
    for (size_t i = 0; code == 0 && i < session->info.output_count; i++) {
        const struct weir_io_info *io = &session->info.outputs[i];
        /* A declared size may still be wrong for models with data-dependent shapes; then Run says so. */
        if (is_static(&io->shape) && weir_dtype_size(io->dtype) > 0)
            code = fill_slot(session->runtime, &request->outputs[i], io, &io->shape, err);
    }
    if (code != 0) {
        ort_request_free(request);
        return code;
    }
    *out = request;
    return 0;
}

static bool same_shape(const struct weir_shape *a, const struct weir_shape *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

static int ort_input(struct weir_request *request, size_t index, const struct weir_shape *shape,
                     struct weir_tensor *tensor, struct weir_error *err)
{
    struct weir_session *session = request->session;
    struct slot *slot = &request->inputs[index];
    const struct weir_io_info *io = &session->info.inputs[index];
    if (slot->value == NULL || !same_shape(&slot->shape, shape)) {
        int code = weir_io_check_shape(io, shape, err);
        if (code == 0)
            code = fill_slot(session->runtime, slot, io, shape, err);
        if (code != 0)
            return code;
    }
    *tensor = (struct weir_tensor){io->name, io->dtype, *shape, slot->memory, slot->size};
    return 0;
}

static int ort_run(struct weir_request *request, struct weir_error *err)
{
    struct weir_session *session = request->session;
    const struct weir_session_info *info = &session->info;
    const char *input_names[WEIR_RUNTIME_IO_MAX], *output_names[WEIR_RUNTIME_IO_MAX];
    const ort_value *inputs[WEIR_RUNTIME_IO_MAX];
    ort_value *outputs[WEIR_RUNTIME_IO_MAX];
    for (size_t i = 0; i < info->input_count; i++) {
        if (request->inputs[i].value == NULL)
            return weir_error_set(err, -EINVAL, "input %s was not given", info->inputs[i].name);
        input_names[i] = info->inputs[i].name;
        inputs[i] = request->inputs[i].value;
    }
    for (size_t i = 0; i < info->output_count; i++) {
        if (request->outputs[i].memory == NULL)
            free_slot(session->runtime, &request->outputs[i]);
        output_names[i] = info->outputs[i].name;
        outputs[i] = request->outputs[i].value;
    }
    int code = check(session->runtime, session->runtime->api.Run(session->session, NULL, input_names, inputs,
                     info->input_count, output_names, info->output_count, outputs), err, "ONNX Runtime");
    for (size_t i = 0; code == 0 && i < info->output_count; i++)
        request->outputs[i].value = outputs[i];
    return code;
}

/* What the library allocated: its type and shape are read back. */
static int read_value(struct weir_runtime *runtime, ort_value *value, struct weir_tensor *tensor, struct weir_error *err)
{
    ort_tensor_info *info = NULL;
    struct weir_io_info io = {.name = (char *)tensor->name};
    int code = check(runtime, runtime->api.GetTensorTypeAndShape(value, &info), err, tensor->name);
    if (code == 0)
        code = read_shape(runtime, info, &io, err);
    if (code == 0)
        code = check(runtime, runtime->api.GetTensorMutableData(value, &tensor->data), err, tensor->name);
    if (info != NULL)
        runtime->api.ReleaseTensorTypeAndShapeInfo(info);
    for (int i = 0; i < WEIR_TENSOR_RANK_MAX; i++)
        free(io.dim_names[i]);
    size_t count = 0;
    if (code == 0 && !weir_shape_count(&io.shape, weir_dtype_size(io.dtype), &count))
        return weir_error_set(err, -EIO, "output %s has an impossible shape", tensor->name);
    tensor->dtype = io.dtype;
    tensor->shape = io.shape;
    tensor->size = count * weir_dtype_size(io.dtype);
    return code;
}

static int ort_output(struct weir_request *request, size_t index, struct weir_tensor *tensor, struct weir_error *err)
{
    const struct weir_io_info *io = &request->session->info.outputs[index];
    const struct slot *slot = &request->outputs[index];
    *tensor = (struct weir_tensor){io->name, io->dtype, slot->shape, slot->memory, slot->size};
    if (slot->memory != NULL)
        return 0;
    if (slot->value == NULL)
        return weir_error_set(err, -EINVAL, "output %s: nothing was run", io->name);
    return read_value(request->session->runtime, slot->value, tensor, err);
}

const struct weir_runtime_ops weir_runtime_onnxruntime = {
    .name = "onnxruntime",
    .title = "ONNX Runtime",
    .needs_library = true,
    .open = ort_open,
    .close = ort_close,
    .version = ort_version,
    .library = ort_library,
    .devices = ort_devices,
    .reads = ort_reads,
    .session_new = ort_session_new,
    .session_free = ort_session_free,
    .session_info = ort_session_info,
    .request_new = ort_request_new,
    .request_free = ort_request_free,
    .input = ort_input,
    .run = ort_run,
    .output = ort_output,
};
