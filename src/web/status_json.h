/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_WEB_STATUS_JSON_H
#define WEIR_WEB_STATUS_JSON_H

/* A snapshot of the pipeline as JSON: what /api/v1/status answers and `weir run --json` prints at the end.
 * The form is in docs/api.md; keys are added to, never changed.
 *
 * Thread-safety: pure.
 * Ownership: the caller gets the reference. */

#include "pipeline/pipeline.h"

#include <jansson.h>
#include <stdint.h>

/* now_ns: weir_clock_ns(), for what is given as "so long ago". NULL when out of memory. */
json_t *weir_status_json(const struct weir_snapshot *snapshot, int64_t now_ns);

#endif
