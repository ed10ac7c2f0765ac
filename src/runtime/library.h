/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RUNTIME_LIBRARY_H
#define WEIR_RUNTIME_LIBRARY_H

/* Finding and loading an inference library. The order, first found wins:
 *
 *   1. the path that was given (option runtime_library)
 *   2. the environment variable of the runtime (WEIR_ONNXRUNTIME, WEIR_OPENVINO): the library or its folder
 *   3. the folder of the weir binary, and ../lib/weir beside it
 *   4. the project's own environment, .weir/venv, in the binary's folder and in those above it
 *   5. Python environments in use: $VIRTUAL_ENV, $CONDA_PREFIX, ~/.local, those of the python3 on $PATH, /usr/local
 *   6. the system: /usr/lib, /usr/local/lib (all architectures' folders), /opt/intel/openvino, and what dlopen finds by itself
 *
 * Thread-safety: any thread. */

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>

struct weir_library_spec {
    const char *title;        /* "ONNX Runtime" */
    const char *file_prefix;  /* "libonnxruntime.so": any version suffix is accepted, the highest wins */
    const char *wheel_folder; /* below site-packages: "onnxruntime/capi" */
    const char *environment;  /* "WEIR_ONNXRUNTIME" */
    const char *install;      /* what to do when there is none: "pip install onnxruntime" */
};

/* Loads it. *handle is from dlopen; path (appended, with its NUL) is the real file. -ENOENT: none found, the sentence says
 * where was looked and what to install; -ELIBBAD: found but not loadable, with the loader's words. */
int weir_library_open(const struct weir_library_spec *spec, const char *given, void **handle, struct weir_buf *path,
                      struct weir_error *err);

/* In a folder, the file with this prefix and the highest version; appended to out. False when there is none. */
bool weir_library_newest_in(const char *folder, const char *prefix, struct weir_buf *out);

#endif
