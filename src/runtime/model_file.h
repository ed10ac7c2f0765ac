/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RUNTIME_MODEL_FILE_H
#define WEIR_RUNTIME_MODEL_FILE_H

/* What can be told of a model file before a library is asked: libraries answer "protobuf parsing failed" to a
 * missing download, a Git LFS pointer and a photo alike. */

#include "base/error.h"

#include <stdbool.h>

/* 0, or negative errno with a sentence that says what the file is instead of a model. */
int weir_model_file_check(const char *path, struct weir_error *err);
/* Whether the path ends in one of the NULL-terminated endings (".onnx"), in any case. */
bool weir_model_file_ends_in(const char *path, const char *const *endings);

#endif
