/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/schedule.h"

int weir_schedule_choose(const struct weir_candidate *candidates, size_t count,
                         const struct weir_schedule_params *params)
{
    int oldest = -1, oldest_young = -1;
    for (size_t i = 0; i < count; i++) {
        const struct weir_candidate *c = &candidates[i];
        if (!c->ready)
            continue;
        if (oldest < 0 || c->served_ns < candidates[oldest].served_ns)
            oldest = (int)i;
        bool young = params->now_ns - c->arrival_ns <= params->young_ns;
        if (young && (oldest_young < 0 || c->served_ns < candidates[oldest_young].served_ns))
            oldest_young = (int)i;
    }
    if (oldest >= 0 && params->now_ns - candidates[oldest].served_ns > params->cap_ns)
        return oldest;
    return oldest_young >= 0 ? oldest_young : oldest;
}

int64_t weir_schedule_cap_ns(size_t cameras, int workers, int64_t service_ns)
{
    int64_t turn_ns = (int64_t)cameras * service_ns / (workers > 0 ? workers : 1);
    return 3 * turn_ns;
}
