/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_WEB_EXPOSITION_H
#define WEIR_WEB_EXPOSITION_H

/* The text form of metrics that Prometheus reads:
 * https://prometheus.io/docs/instrumenting/exposition_formats/ (text-based format, version 0.0.4).
 *
 * Thread-safety: one buffer, one thread. */

#include "base/buf.h"
#include "base/histogram.h"

#include <stdint.h>

#define WEIR_EXPOSITION_TYPE "text/plain; version=0.0.4; charset=utf-8"

struct weir_label {
    const char *name, *value; /* value: any UTF-8; escaped here */
};

void weir_exposition_head(struct weir_buf *out, const char *name, const char *type, const char *help);
/* One line. suffix: appended to the name ("_sum"), or "". Labels whose name is NULL are left out. */
void weir_exposition_sample(struct weir_buf *out, const char *name, const char *suffix,
                            const struct weir_label *labels, size_t label_count, double value);
/* A summary in seconds: quantiles 0.5, 0.95, 0.99, then _sum and _count. At most 2 labels. */
void weir_exposition_summary(struct weir_buf *out, const char *name, const struct weir_label *labels,
                             size_t label_count, const struct weir_histogram *histogram);

#endif
