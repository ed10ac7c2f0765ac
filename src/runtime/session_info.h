/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RUNTIME_SESSION_INFO_H
#define WEIR_RUNTIME_SESSION_INFO_H

/* Building and freeing a weir_session_info, the same for every backend.
 * Ownership: the info owns its arrays and every string in them. */

#include "runtime/runtime.h"

/* Arrays for so many inputs and outputs, zeroed. -ENOTSUP with a sentence over WEIR_RUNTIME_IO_MAX, -ENOMEM. */
int weir_session_info_init(struct weir_session_info *info, size_t inputs, size_t outputs, struct weir_error *err);
void weir_session_info_fini(struct weir_session_info *info);

/* The element type whose number in the library's own numbering, native[dtype], is `value`; NONE when there is none. */
enum weir_dtype weir_dtype_from_native(const int native[WEIR_DTYPE_I64 + 1], int value);

/* Whether `given` fits what the model declares for this input; -EINVAL names both shapes. */
int weir_io_check_shape(const struct weir_io_info *io, const struct weir_shape *given, struct weir_error *err);

#endif
