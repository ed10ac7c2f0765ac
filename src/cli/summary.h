/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CLI_SUMMARY_H
#define WEIR_CLI_SUMMARY_H

/* What a run prints at its end: the reference's lines to the letter, then ours.
 * Thread-safety: pure. */

#include "base/buf.h"
#include "pipeline/pipeline.h"

void weir_summary_print(const struct weir_snapshot *snapshot, struct weir_buf *out);
/* "superseded 12, queue_full 3" of counts by reason, or "none"; appended. */
void weir_summary_reasons(const uint64_t counts[WEIR_REASON_COUNT], struct weir_buf *out);

#endif
