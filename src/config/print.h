/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CONFIG_PRINT_H
#define WEIR_CONFIG_PRINT_H

/* The settings as texts: a config as YAML, the table as documentation and as JSON Schema.
 *
 * Thread-safety: pure.
 * Ownership: out is the caller's; check out->failed at the end. */

#include "base/buf.h"
#include "config/config.h"
#include "config/options.h"

/* One present value as YAML; a secret as "***". base: the struct that the row's offset is in. */
void weir_setting_print(const struct weir_setting *setting, const void *base, struct weir_buf *out);
/* Every setting with what it means, and the cameras with what is other for each; secrets as ***. */
void weir_config_print(const struct weir_config *config, struct weir_buf *out);
/* docs/config.md. */
void weir_config_print_docs(struct weir_buf *out);
/* JSON Schema, draft 2020-12, for editors. */
int weir_config_print_schema(struct weir_buf *out, struct weir_error *err);

#endif
