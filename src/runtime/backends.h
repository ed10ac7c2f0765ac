/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RUNTIME_BACKENDS_H
#define WEIR_RUNTIME_BACKENDS_H

/* The one global symbol of each backend file. */

#include "runtime/runtime.h"

extern const struct weir_runtime_ops weir_runtime_null;
extern const struct weir_runtime_ops weir_runtime_onnxruntime;
extern const struct weir_runtime_ops weir_runtime_openvino;

#endif
