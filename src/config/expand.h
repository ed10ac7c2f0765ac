/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CONFIG_EXPAND_H
#define WEIR_CONFIG_EXPAND_H

/* ${NAME} in a value of the configuration is the environment's NAME, so that secrets need not stand in the
 * file; $${NAME} is the text itself. Any other $ stands for itself.
 *
 * Thread-safety: as getenv.
 * Ownership: the caller frees what it gets. */

#include "base/error.h"

#include <stdbool.h>

/* err: names the variable that is not set, never a value. */
int weir_text_expand(const char *text, char **out, struct weir_error *err);
/* Whether a ${NAME} begins here. */
bool weir_text_begins_variable(const char *text);

#endif
