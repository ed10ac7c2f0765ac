/* SPDX-License-Identifier: Apache-2.0 */

/* OpenVINO. One compiled model, one infer request a worker, so that its streams run in parallel.
 *
 * Found by trying: one thread with two streams is silently one stream, so N workers ask for N threads and N
 * streams; a request whose dynamic input was never given a shape reports success with nothing done, so inputs
 * are always set with their full shape; the AUTO plugin may hand over to another device and orphan requests, so
 * a failed run is tried once more with a new request; outputs are fetched by index. */

#include "runtime/backends.h"
#include "runtime/library.h"
#include "runtime/model_file.h"
#include "runtime/onnx_metadata.h"
#include "runtime/openvino_api.h"
#include "runtime/session_info.h"

#include "base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ALIGNMENT = 64, OLDEST_YEAR = 2026 }; /* element type numbers moved between major releases */

struct weir_runtime {
    struct weir_log *log;
    struct weir_buf library;
    char version[96];
    struct openvino_functions api;
    ov_core *core;
};

struct weir_session {
    struct weir_runtime *runtime;
    ov_compiled_model *compiled;
    struct weir_session_info info;
};

struct input {
    ov_tensor *tensor;
    void *memory; /* ours; the library reads it in place */
    size_t size;
    struct weir_shape shape;
};

struct weir_request {
    struct weir_session *session;
    ov_infer_request *request;
    struct input inputs[WEIR_RUNTIME_IO_MAX];
    ov_tensor *outputs[WEIR_RUNTIME_IO_MAX];
};

static const struct weir_library_spec library_spec = {
    .title = "OpenVINO",
    .file_prefix = "libopenvino_c.so",
    .wheel_folder = "openvino/libs",
    .environment = "WEIR_OPENVINO",
    .install = "pip install openvino",
};

/* The library's messages have several lines; an error is one. */
static void join_lines(struct weir_error *err)
{
    for (char *c = err != NULL ? err->text : NULL; c != NULL && (c = strchr(c, '\n')) != NULL;)
        *c = c[1] == '\0' ? '\0' : ' ';
}

static int check(const struct weir_runtime *runtime, int status, struct weir_error *err, const char *what)
{
    if (status == 0)
        return 0;
    const char *message = runtime->api.ov_get_last_err_msg();
    if (message == NULL || message[0] == '\0')
        return weir_error_set(err, -EIO, "%s: %s", what, runtime->api.ov_get_error_info(status));
    weir_error_set(err, -EIO, "%s: %s", what, message);
    join_lines(err);
    runtime->api.ov_free(message);
    return -EIO;
}

static int bind_functions(struct weir_runtime *runtime, void *handle, struct weir_error *err)
{
    const char *missing = NULL;
#define OPENVINO_BIND(name, result, arguments)                                                               \
    *(void **)&runtime->api.name = dlsym(handle, #name);                                                     \
    if (runtime->api.name == NULL)                                                                           \
        missing = #name;
    OPENVINO_FUNCTIONS(OPENVINO_BIND)
#undef OPENVINO_BIND
    if (missing != NULL)
        return weir_error_set(err, -ELIBBAD, "OpenVINO: %s has no function %s; expected %d or newer: pip install -U openvino",
                              runtime->library.data, missing, OLDEST_YEAR);
    return 0;
}

static int read_version(struct weir_runtime *runtime, struct weir_error *err)
{
    struct ov_version version = {0};
    int code = check(runtime, runtime->api.ov_get_openvino_version(&version), err, "OpenVINO");
    if (code != 0)
        return code;
    (void)snprintf(runtime->version, sizeof runtime->version, "%.*s",
                   (int)strcspn(version.build_number, "-"), version.build_number);
    runtime->api.ov_version_free(&version);
    if (atoi(runtime->version) < OLDEST_YEAR)
        return weir_error_set(err, -ELIBBAD, "OpenVINO %s in %s is too old: expected %d or newer", runtime->version,
                              runtime->library.data, OLDEST_YEAR);
    return 0;
}

static void openvino_close(struct weir_runtime *runtime)
{
    if (runtime->core != NULL)
        runtime->api.ov_core_free(runtime->core);
    /* The library stays loaded: its thread pool can't be taken down safely. */
    weir_buf_fini(&runtime->library);
    free(runtime);
}

static int openvino_open(struct weir_runtime **out, const struct weir_runtime_params *params, struct weir_log *log,
                         struct weir_error *err)
{
    struct weir_runtime *runtime = calloc(1, sizeof *runtime);
    if (runtime == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for OpenVINO");
    runtime->log = log;
    void *handle = NULL;
    int code = weir_library_open(&library_spec, params->library, &handle, &runtime->library, err);
    if (code == 0)
        code = bind_functions(runtime, handle, err);
    if (code == 0)
        code = read_version(runtime, err);
    if (code == 0)
        code = check(runtime, runtime->api.ov_core_create(&runtime->core), err, "OpenVINO");
    if (code != 0) {
        openvino_close(runtime);
        return code;
    }
    *out = runtime;
    return 0;
}

static const char *openvino_version(struct weir_runtime *runtime)
{
    return runtime->version;
}

static const char *openvino_library(struct weir_runtime *runtime)
{
    return runtime->library.data;
}

static size_t openvino_devices(struct weir_runtime *runtime, struct weir_runtime_device *devices, size_t capacity)
{
    struct ov_device_list list = {0};
    if (check(runtime, runtime->api.ov_core_get_available_devices(runtime->core, &list), NULL, "") != 0)
        return 0;
    for (size_t i = 0; i < list.size && i < capacity; i++) {
        char *full_name = NULL;
        memset(&devices[i], 0, sizeof devices[i]);
        (void)snprintf(devices[i].name, sizeof devices[i].name, "%s", list.devices[i]);
        if (runtime->api.ov_core_get_property(runtime->core, list.devices[i], "FULL_DEVICE_NAME", &full_name) == 0) {
            (void)snprintf(devices[i].full_name, sizeof devices[i].full_name, "%s", full_name);
            runtime->api.ov_free(full_name);
        }
    }
    size_t count = list.size;
    runtime->api.ov_available_devices_free(&list);
    return count;
}

static bool openvino_reads(const char *path)
{
    static const char *const endings[] = {".onnx", ".xml", ".tflite", ".pdmodel", NULL};
    return weir_model_file_ends_in(path, endings);
}

/* The library's number of each element type. */
static const int elements[] = {
    [WEIR_DTYPE_F32] = OV_ELEMENT_F32, [WEIR_DTYPE_F16] = OV_ELEMENT_F16, [WEIR_DTYPE_U8] = OV_ELEMENT_U8,
    [WEIR_DTYPE_I8] = OV_ELEMENT_I8,   [WEIR_DTYPE_I32] = OV_ELEMENT_I32, [WEIR_DTYPE_I64] = OV_ELEMENT_I64,
};

static int read_port_shape(struct weir_runtime *runtime, const ov_const_port *port, struct weir_io_info *io,
                           struct weir_error *err)
{
    struct ov_partial_shape shape = {0};
    int code = check(runtime, runtime->api.ov_port_get_partial_shape(port, &shape), err, io->name);
    if (code != 0)
        return code;
    if (shape.rank.min != shape.rank.max || shape.rank.max > WEIR_TENSOR_RANK_MAX)
        code = weir_error_set(err, -ENOTSUP, "%s: its number of dimensions is open or over %d, which is not supported",
                              io->name, WEIR_TENSOR_RANK_MAX);
    io->shape.rank = code == 0 ? (int)shape.rank.max : 0;
    for (int i = 0; i < io->shape.rank; i++)
        io->shape.dims[i] = shape.dims[i].min == shape.dims[i].max ? shape.dims[i].min : WEIR_DIM_DYNAMIC;
    runtime->api.ov_partial_shape_free(&shape);
    return code;
}

/* Takes the port. */
static int describe_port(struct weir_runtime *runtime, ov_const_port *port, const char *fallback_name,
                         struct weir_io_info *io, struct weir_error *err)
{
    char *name = NULL;
    int element = 0;
    if (runtime->api.ov_port_get_any_name(port, &name) == 0 && name != NULL) {
        io->name = strdup(name);
        runtime->api.ov_free(name);
    } else {
        io->name = strdup(fallback_name);
    }
    int code = io->name != NULL ? 0 : weir_error_set(err, -ENOMEM, "no memory to describe the model");
    if (code == 0)
        code = check(runtime, runtime->api.ov_port_get_element_type(port, &element), err, io->name);
    if (code == 0)
        code = read_port_shape(runtime, port, io, err);
    io->dtype = weir_dtype_from_native(elements, element);
    runtime->api.ov_output_const_port_free(port);
    return code;
}

static int describe_ports(struct weir_session *session, struct weir_error *err)
{
    struct weir_runtime *runtime = session->runtime;
    const struct openvino_functions *api = &runtime->api;
    size_t inputs = 0, outputs = 0;
    int code = check(runtime, api->ov_compiled_model_inputs_size(session->compiled, &inputs), err, "inputs");
    if (code == 0)
        code = check(runtime, api->ov_compiled_model_outputs_size(session->compiled, &outputs), err, "outputs");
    if (code == 0)
        code = weir_session_info_init(&session->info, inputs, outputs, err);
    for (size_t i = 0; code == 0 && i < inputs + outputs; i++) {
        bool is_input = i < inputs;
        size_t k = is_input ? i : i - inputs;
        ov_const_port *port = NULL;
        char fallback_name[32];
        (void)snprintf(fallback_name, sizeof fallback_name, "%s%zu", is_input ? "input" : "output", k);
        code = check(runtime, (is_input ? api->ov_compiled_model_input_by_index : api->ov_compiled_model_output_by_index)(
                                  session->compiled, k, &port), err, fallback_name);
        if (code == 0)
            code = describe_port(runtime, port, fallback_name,
                                 is_input ? &session->info.inputs[k] : &session->info.outputs[k], err);
    }
    return code;
}

/* The device string that is compiled for: what the operator pinned, or the CPU. */
static const char *resolve_device(const struct weir_load_params *params)
{
    const char *wish = params->device != NULL ? params->device : "";
    if (wish[0] == '\0' || strcasecmp(wish, "auto") == 0 || strcasecmp(wish, "default") == 0)
        return "CPU";
    return strcasecmp(wish, "cpu") == 0 ? "CPU" : wish;
}

static int compile(struct weir_session *session, const struct weir_load_params *params, const ov_model *model,
                   struct weir_error *err)
{
    char threads[16], streams[16];
    int workers = params->workers > 0 ? params->workers : 1;
    int each = params->threads_per_worker > 0 ? params->threads_per_worker : 1;
    (void)snprintf(threads, sizeof threads, "%d", workers * each);
    (void)snprintf(streams, sizeof streams, "%d", workers);
    struct ov_property properties[6];
    size_t count = 0;
    const char *device = session->info.device_resolved;
    properties[count++] = (struct ov_property){"PERFORMANCE_HINT", params->hint == WEIR_HINT_LATENCY ? "LATENCY" : "THROUGHPUT"};
    if (strcmp(device, "CPU") == 0) {
        properties[count++] = (struct ov_property){"INFERENCE_NUM_THREADS", threads};
        properties[count++] = (struct ov_property){"NUM_STREAMS", streams};
    }
    /* Left alone, CPUs that have bfloat16 compute in it, and other detections come out than elsewhere. */
    const char *precision = params->precision != NULL ? params->precision : strcmp(device, "CPU") == 0 ? "f32" : NULL;
    if (precision != NULL)
        properties[count++] = (struct ov_property){"INFERENCE_PRECISION_HINT", precision};
    return check(session->runtime, session->runtime->api.ov_core_compile_model_props(session->runtime->core, model, device,
                 count, properties, &session->compiled), err, "OpenVINO can't compile it");
}

/* What really runs it, read back: a silent CPU must be visible. */
static void read_used_device(struct weir_session *session)
{
    struct weir_session_info *info = &session->info;
    char *value = NULL;
    if (session->runtime->api.ov_compiled_model_get_property(session->compiled, "EXECUTION_DEVICES", &value) == 0) {
        (void)snprintf(info->device_used, sizeof info->device_used, "%s", value);
        session->runtime->api.ov_free(value);
    } else {
        strcpy(info->device_used, info->device_resolved);
    }
    value = NULL;
    if (session->runtime->api.ov_compiled_model_get_property(session->compiled, "OPTIMAL_NUMBER_OF_INFER_REQUESTS",
                                                             &value) == 0) {
        info->optimal_requests = atoi(value);
        session->runtime->api.ov_free(value);
    }
    weir_log_debug(session->runtime->log, "openvino", "compiled requested=%s resolved=%s used=%s", info->device_requested,
                   info->device_resolved, info->device_used);
}

static void openvino_session_free(struct weir_session *session)
{
    if (session->compiled != NULL)
        session->runtime->api.ov_compiled_model_free(session->compiled);
    weir_session_info_fini(&session->info);
    free(session);
}

static int load(struct weir_session *session, const struct weir_load_params *params, struct weir_error *err)
{
    struct weir_runtime *runtime = session->runtime;
    ov_model *model = NULL;
    (void)snprintf(session->info.device_requested, sizeof session->info.device_requested, "%s",
                   params->device != NULL ? params->device : "");
    (void)snprintf(session->info.device_resolved, sizeof session->info.device_resolved, "%s", resolve_device(params));
    int code = check(runtime, runtime->api.ov_core_read_model(runtime->core, params->path, NULL, &model), err,
                     "OpenVINO can't read it");
    if (code == 0)
        code = compile(session, params, model, err);
    if (model != NULL)
        runtime->api.ov_model_free(model);
    if (code != 0) {
        weir_error_prefix(err, "model %s", params->path);
        return code;
    }
    read_used_device(session);
    return describe_ports(session, err);
}

static int openvino_session_new(struct weir_runtime *runtime, const struct weir_load_params *params,
                                struct weir_session **out, struct weir_error *err)
{
    struct weir_session *session = calloc(1, sizeof *session);
    if (session == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a session");
    session->runtime = runtime;
    int64_t start_ns = weir_clock_ns();
    int code = load(session, params, err);
    if (code != 0) {
        openvino_session_free(session);
        return code;
    }
    /* The library reads the network and leaves the exporter's notes out. */
    static const char *const onnx[] = {".onnx", NULL};
    if (weir_model_file_ends_in(params->path, onnx))
        weir_onnx_metadata_read(params->path, &session->info);
    session->info.load_ns = weir_clock_ns() - start_ns;
    *out = session;
    return 0;
}

static const struct weir_session_info *openvino_session_info(struct weir_session *session)
{
    return &session->info;
}

static void free_outputs(struct weir_request *request)
{
    for (size_t i = 0; i < request->session->info.output_count; i++) {
        if (request->outputs[i] != NULL)
            request->session->runtime->api.ov_tensor_free(request->outputs[i]);
        request->outputs[i] = NULL;
    }
}

static void free_input(const struct weir_runtime *runtime, struct input *input)
{
    if (input->tensor != NULL)
        runtime->api.ov_tensor_free(input->tensor);
    free(input->memory);
    memset(input, 0, sizeof *input);
}

static void openvino_request_free(struct weir_request *request)
{
    const struct weir_runtime *runtime = request->session->runtime;
    free_outputs(request);
    if (request->request != NULL)
        runtime->api.ov_infer_request_free(request->request);
    for (int i = 0; i < WEIR_RUNTIME_IO_MAX; i++)
        free_input(runtime, &request->inputs[i]);
    free(request);
}

static int create_request(struct weir_request *request, struct weir_error *err)
{
    const struct weir_session *session = request->session;
    return check(session->runtime, session->runtime->api.ov_compiled_model_create_infer_request(session->compiled,
                 &request->request), err, "OpenVINO: a new infer request");
}

static int openvino_request_new(struct weir_session *session, struct weir_request **out, struct weir_error *err)
{
    struct weir_request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a request");
    request->session = session;
    int code = create_request(request, err);
    if (code != 0) {
        openvino_request_free(request);
        return code;
    }
    *out = request;
    return 0;
}

static int make_input(struct weir_request *request, size_t index, const struct weir_shape *shape, struct weir_error *err)
{
    const struct weir_runtime *runtime = request->session->runtime;
    const struct weir_io_info *io = &request->session->info.inputs[index];
    struct input *input = &request->inputs[index];
    size_t count, element = weir_dtype_size(io->dtype);
    if (element == 0)
        return weir_error_set(err, -ENOTSUP, "%s has an element type that is not supported", io->name);
    if (!weir_shape_count(shape, element, &count))
        return weir_error_set(err, -EINVAL, "%s: its shape does not fit in memory", io->name);
    free_input(runtime, input);
    input->shape = *shape;
    input->size = count * element;
    input->memory = aligned_alloc(ALIGNMENT, (input->size + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
    if (input->memory == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for %s: %zu bytes", io->name, input->size);
    memset(input->memory, 0, input->size);
    struct ov_shape native = {shape->rank, input->shape.dims};
    int code = check(runtime, runtime->api.ov_tensor_create_from_host_ptr(elements[io->dtype], native, input->memory,
                     &input->tensor), err, io->name);
    if (code == 0)
        code = check(runtime, runtime->api.ov_infer_request_set_input_tensor_by_index(request->request, index,
                     input->tensor), err, io->name);
    return code;
}

static int openvino_input(struct weir_request *request, size_t index, const struct weir_shape *shape,
                          struct weir_tensor *tensor, struct weir_error *err)
{
    const struct weir_io_info *io = &request->session->info.inputs[index];
    struct input *input = &request->inputs[index];
    bool same = input->tensor != NULL && input->shape.rank == shape->rank &&
                memcmp(input->shape.dims, shape->dims, (size_t)shape->rank * sizeof *shape->dims) == 0;
    if (!same) {
        int code = weir_io_check_shape(io, shape, err);
        if (code == 0)
            code = make_input(request, index, shape, err);
        if (code != 0)
            return code;
    }
    *tensor = (struct weir_tensor){io->name, io->dtype, *shape, input->memory, input->size};
    return 0;
}

/* A request that was made before the AUTO plugin changed devices fails for ever: a new one with the same inputs. */
static int renew(struct weir_request *request, struct weir_error *err)
{
    const struct weir_runtime *runtime = request->session->runtime;
    runtime->api.ov_infer_request_free(request->request);
    request->request = NULL;
    int code = create_request(request, err);
    for (size_t i = 0; code == 0 && i < request->session->info.input_count; i++)
        code = check(runtime, runtime->api.ov_infer_request_set_input_tensor_by_index(request->request, i,
                     request->inputs[i].tensor), err, "OpenVINO: inputs of a new request");
    return code;
}

static int openvino_run(struct weir_request *request, struct weir_error *err)
{
    const struct weir_runtime *runtime = request->session->runtime;
    for (size_t i = 0; i < request->session->info.input_count; i++)
        if (request->inputs[i].tensor == NULL)
            return weir_error_set(err, -EINVAL, "input %s was not given", request->session->info.inputs[i].name);
    if (request->request == NULL) {
        int code = renew(request, err);
        if (code != 0)
            return code;
    }
    free_outputs(request);
    if (check(runtime, runtime->api.ov_infer_request_infer(request->request), err, "OpenVINO") == 0)
        return 0;
    weir_log_warn(runtime->log, "openvino", "a run failed, trying once more with a new request: %s",
                  err != NULL ? err->text : "");
    int code = renew(request, err);
    if (code == 0)
        code = check(runtime, runtime->api.ov_infer_request_infer(request->request), err, "OpenVINO");
    return code;
}

static int read_tensor_shape(const struct weir_runtime *runtime, const ov_tensor *native, struct weir_tensor *tensor,
                             struct weir_error *err)
{
    struct ov_shape shape = {0};
    int code = check(runtime, runtime->api.ov_tensor_get_shape(native, &shape), err, tensor->name);
    if (code != 0)
        return code;
    if (shape.rank > WEIR_TENSOR_RANK_MAX)
        code = weir_error_set(err, -ENOTSUP, "output %s has %lld dimensions", tensor->name, (long long)shape.rank);
    tensor->shape.rank = code == 0 ? (int)shape.rank : 0;
    memcpy(tensor->shape.dims, shape.dims, (size_t)tensor->shape.rank * sizeof *shape.dims);
    (void)runtime->api.ov_shape_free(&shape);
    return code;
}

static int openvino_output(struct weir_request *request, size_t index, struct weir_tensor *tensor, struct weir_error *err)
{
    const struct weir_runtime *runtime = request->session->runtime;
    memset(tensor, 0, sizeof *tensor);
    tensor->name = request->session->info.outputs[index].name;
    ov_tensor **native = &request->outputs[index];
    int code = 0;
    if (*native == NULL)
        code = check(runtime, runtime->api.ov_infer_request_get_output_tensor_by_index(request->request, index, native),
                     err, tensor->name);
    if (code == 0)
        code = read_tensor_shape(runtime, *native, tensor, err);
    int element = 0;
    if (code == 0)
        code = check(runtime, runtime->api.ov_tensor_get_element_type(*native, &element), err, tensor->name);
    if (code == 0)
        code = check(runtime, runtime->api.ov_tensor_get_byte_size(*native, &tensor->size), err, tensor->name);
    if (code == 0 && tensor->size > 0)
        code = check(runtime, runtime->api.ov_tensor_data(*native, &tensor->data), err, tensor->name);
    tensor->dtype = weir_dtype_from_native(elements, element);
    return code;
}

const struct weir_runtime_ops weir_runtime_openvino = {
    .name = "openvino",
    .title = "OpenVINO",
    .needs_library = true,
    .open = openvino_open,
    .close = openvino_close,
    .version = openvino_version,
    .library = openvino_library,
    .devices = openvino_devices,
    .reads = openvino_reads,
    .session_new = openvino_session_new,
    .session_free = openvino_session_free,
    .session_info = openvino_session_info,
    .request_new = openvino_request_new,
    .request_free = openvino_request_free,
    .input = openvino_input,
    .run = openvino_run,
    .output = openvino_output,
};
