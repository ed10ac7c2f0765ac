/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

#include "base/buf.h"
#include "runtime/backends.h"
#include "runtime/model_file.h"

#include <errno.h>
#include <string.h>

const struct weir_runtime_ops *const weir_runtimes[] = {
    &weir_runtime_onnxruntime,
    &weir_runtime_openvino,
    &weir_runtime_null,
    NULL,
};

const struct weir_runtime_ops *weir_runtime_find(const char *name)
{
    if (strcmp(name, "onnx") == 0)
        name = "onnxruntime";
    for (size_t i = 0; weir_runtimes[i] != NULL; i++)
        if (strcmp(weir_runtimes[i]->name, name) == 0)
            return weir_runtimes[i];
    return NULL;
}

/* The first runtime that reads this kind of file and whose library can be loaded. A runtime that must be asked for by
 * name (null) is never chosen. */
static int open_first(const char *path, const struct weir_runtime_params *params, struct weir_log *log,
                      const struct weir_runtime_ops **ops, struct weir_runtime **out, struct weir_error *err)
{
    struct weir_buf tried = {0};
    for (size_t i = 0; weir_runtimes[i] != NULL; i++) {
        const struct weir_runtime_ops *candidate = weir_runtimes[i];
        if (!candidate->needs_library || !candidate->reads(path))
            continue;
        struct weir_error why = {0};
        if (candidate->open(out, params, log, &why) == 0) {
            *ops = candidate;
            weir_buf_fini(&tried);
            return 0;
        }
        weir_buf_printf(&tried, "%s%s", tried.size > 0 ? "; " : "", why.text);
    }
    int code;
    if (tried.size == 0)
        code = weir_error_set(err, -EINVAL, "no runtime reads %s: expected a file that ends in .onnx, .tflite, .xml or "
                                            ".pdmodel", path);
    else
        code = weir_error_set(err, -ENOENT, "no runtime for %s could be loaded: %s", path, tried.data);
    weir_buf_fini(&tried);
    return code;
}

int weir_runtime_open(const char *name, const char *path, const struct weir_runtime_params *params,
                      struct weir_log *log, const struct weir_runtime_ops **ops, struct weir_runtime **out,
                      struct weir_error *err)
{
    *out = NULL;
    *ops = NULL;
    if (name != NULL && strcmp(name, "auto") != 0) {
        *ops = weir_runtime_find(name);
        if (*ops == NULL)
            return weir_error_set(err, -EINVAL, "runtime: expected auto, onnxruntime, openvino or null, found \"%s\"", name);
    }
    if (*ops == NULL || (*ops)->needs_library) {
        int code = weir_model_file_check(path, err);
        if (code != 0)
            return code;
    }
    if (*ops == NULL)
        return open_first(path, params, log, ops, out, err);
    if (!(*ops)->reads(path))
        return weir_error_set(err, -EINVAL, "%s does not read %s; leave the runtime at auto or convert the model",
                              (*ops)->title, path);
    return (*ops)->open(out, params, log, err);
}
