/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CLI_DEFAULT_MODEL_H
#define WEIR_CLI_DEFAULT_MODEL_H

/* Which model when none is named. Looked for, in this order: $WEIR_MODEL; .weir/models/ in the binary's
 * folder and in those above it, then in the current folder; $XDG_DATA_HOME/weir/models
 * (~/.local/share/weir/models); /usr/local/share and /usr/share/weir/models.
 *
 * Thread-safety: any thread. */

#include "base/error.h"

#include <limits.h>

/* 0 with the path of a file that exists, or -ENOENT with a sentence that says how to get it. */
int weir_default_model(char path[PATH_MAX], struct weir_error *err);

#endif
