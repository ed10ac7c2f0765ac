/* SPDX-License-Identifier: Apache-2.0 */
#include "base/histogram.h"

#include <math.h>

/* Values below 16 us have a bucket each; above, an octave is cut into 16. */
static int bucket_of(uint64_t us)
{
    if (us < 16)
        return (int)us;
    int octave = 63 - __builtin_clzll(us); /* >= 4 */
    int bucket = (octave - 3) * 16 + (int)(us >> (octave - 4) & 15);
    return bucket < WEIR_HISTOGRAM_BUCKETS ? bucket : WEIR_HISTOGRAM_BUCKETS - 1;
}

static int64_t upper_edge_ns(int bucket)
{
    if (bucket < 16)
        return (bucket + 1) * 1000LL;
    int octave = bucket / 16 + 3;
    int64_t step = 1LL << (octave - 4);
    return ((bucket % 16 + 16) * step + step) * 1000LL;
}

void weir_histogram_record(struct weir_histogram *histogram, int64_t duration_ns)
{
    if (duration_ns < 0)
        duration_ns = 0;
    histogram->bucket[bucket_of((uint64_t)duration_ns / 1000)]++;
    histogram->count++;
    histogram->sum_ns += duration_ns;
    if (duration_ns > histogram->max_ns)
        histogram->max_ns = duration_ns;
}

int64_t weir_histogram_quantile_ns(const struct weir_histogram *histogram, double q)
{
    if (histogram->count == 0)
        return 0;
    uint64_t rank = (uint64_t)ceil(q * (double)histogram->count);
    uint64_t seen = 0;
    for (int b = 0; b < WEIR_HISTOGRAM_BUCKETS; b++) {
        seen += histogram->bucket[b];
        if (seen >= rank && seen > 0) {
            int64_t edge = upper_edge_ns(b);
            return edge < histogram->max_ns ? edge : histogram->max_ns;
        }
    }
    return histogram->max_ns;
}

void weir_histogram_add(struct weir_histogram *into, const struct weir_histogram *from)
{
    for (int b = 0; b < WEIR_HISTOGRAM_BUCKETS; b++)
        into->bucket[b] += from->bucket[b];
    into->count += from->count;
    into->sum_ns += from->sum_ns;
    if (from->max_ns > into->max_ns)
        into->max_ns = from->max_ns;
}
