/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/rate.h"

#include "base/clock.h"

void weir_rate_add(struct weir_rate *rate, int64_t now_ns, double amount)
{
    int64_t second = now_ns / WEIR_NS_PER_S;
    int slot = (int)(second % WEIR_RATE_SLOTS);
    if (rate->started_ns == 0)
        rate->started_ns = now_ns;
    if (rate->second[slot] != second) {
        rate->second[slot] = second;
        rate->amount[slot] = 0;
    }
    rate->amount[slot] += amount;
}

double weir_rate_per_second(const struct weir_rate *rate, int64_t now_ns)
{
    if (rate->started_ns == 0)
        return 0;
    /* The second that is running is left out once there is a whole one: it would make every rate look low. */
    int64_t end = now_ns / WEIR_NS_PER_S;
    int64_t begin = end - (WEIR_RATE_SLOTS - 1);
    double sum = 0;
    for (int i = 0; i < WEIR_RATE_SLOTS; i++)
        if (rate->second[i] >= begin && rate->second[i] < end)
            sum += rate->amount[i];
    double seconds = (double)(end * WEIR_NS_PER_S - rate->started_ns) / WEIR_NS_PER_S;
    if (seconds < 0.5)
        return 0;
    return sum / (seconds < WEIR_RATE_SLOTS - 1 ? seconds : WEIR_RATE_SLOTS - 1);
}
