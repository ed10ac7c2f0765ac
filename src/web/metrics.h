/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_WEB_METRICS_H
#define WEIR_WEB_METRICS_H

/* The metrics of `weir run`: one table gives the /metrics text and docs/metrics.md.
 *
 * Thread-safety: pure, but for reading /proc/self. */

#include "base/buf.h"
#include "pipeline/pipeline.h"
#include "web/http.h"

#include <stdint.h>

struct weir_metrics_view {
    const struct weir_snapshot *snapshot;
    const struct weir_http_counts *http;
    int64_t now_ns; /* weir_clock_ns() */
};

/* Everything, in the exposition format, appended. */
void weir_metrics_write(const struct weir_metrics_view *view, struct weir_buf *out);
/* The table as Markdown, appended: docs/metrics.md. */
void weir_metrics_document(struct weir_buf *out);

#endif
