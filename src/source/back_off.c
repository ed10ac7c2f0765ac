/* SPDX-License-Identifier: Apache-2.0 */
#include "source/back_off.h"

#include "base/clock.h"

static const int64_t auth_least_ns = 60 * WEIR_NS_PER_S;
static const int64_t stable_ns = 10 * WEIR_NS_PER_S;
static const int64_t retry_after_most_ns = 3600 * WEIR_NS_PER_S;

int64_t weir_back_off_next(struct weir_back_off *back_off, enum weir_source_reason reason,
                           int64_t retry_after_ns, uint32_t random)
{
    int64_t wait_ns = back_off->min_ns;
    for (uint32_t i = 0; i < back_off->failures && wait_ns < back_off->max_ns; i++)
        wait_ns *= 2;
    if (wait_ns > back_off->max_ns)
        wait_ns = back_off->max_ns;
    back_off->failures++;
    /* Between three quarters and all of it. */
    wait_ns -= (int64_t)((double)(wait_ns / 4) * ((double)random / UINT32_MAX));
    if (reason == WEIR_SOURCE_REASON_AUTH && wait_ns < auth_least_ns)
        wait_ns = auth_least_ns;
    if (retry_after_ns > retry_after_most_ns)
        retry_after_ns = retry_after_most_ns;
    return wait_ns > retry_after_ns ? wait_ns : retry_after_ns;
}

void weir_back_off_was_live(struct weir_back_off *back_off, int64_t live_ns)
{
    if (live_ns >= stable_ns)
        back_off->failures = 0;
}
