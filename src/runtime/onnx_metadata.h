/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RUNTIME_ONNX_METADATA_H
#define WEIR_RUNTIME_ONNX_METADATA_H

/* The metadata_props of an .onnx file, for libraries that read the network and leave them out. Only the outermost level
 * of the protobuf is walked: the network itself is skipped over, not read.
 *
 * Thread-safety: pure, apart from the file.
 * Ownership: what is added belongs to info. */

#include "runtime/runtime.h"

enum { WEIR_ONNX_METADATA_MAX = 64 }; /* entries that are taken */

/* Adds what is found to info->metadata, which is empty. A file that is broken or cut gives what came before: whether
 * it is a model is for the library to say. */
void weir_onnx_metadata_read(const char *path, struct weir_session_info *info);

#endif
