/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_BASE_HISTOGRAM_H
#define WEIR_BASE_HISTOGRAM_H

/* Durations in a fixed number of log-linear buckets (16 to an octave: a quantile is right to 1/16),
 * from 1 microsecond to about 1 h. Recording costs a few instructions and no memory.
 *
 * Thread-safety: the caller locks. A copy of the struct is a snapshot.
 * Ownership: plain value; zeroed is empty. */

#include <stdint.h>

#define WEIR_HISTOGRAM_BUCKETS 528

struct weir_histogram {
    uint64_t count;
    int64_t max_ns;
    int64_t sum_ns;
    uint32_t bucket[WEIR_HISTOGRAM_BUCKETS];
};

void weir_histogram_record(struct weir_histogram *histogram, int64_t duration_ns); /* negative counts as 0 */
/* The upper edge of the bucket that holds the q-quantile (0 < q <= 1), never above max_ns; 0 when empty. */
int64_t weir_histogram_quantile_ns(const struct weir_histogram *histogram, double q);
void weir_histogram_add(struct weir_histogram *into, const struct weir_histogram *from);

#endif
