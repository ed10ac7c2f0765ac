/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_PIPELINE_RATE_H
#define WEIR_PIPELINE_RATE_H

/* Events (or any amount) a second over the last few seconds, in one slot a second.
 * Thread-safety: the caller locks. Ownership: plain value; zeroed is empty. */

#include <stdint.h>

enum { WEIR_RATE_SLOTS = 6 };

struct weir_rate {
    int64_t started_ns; /* of the first event; 0: none yet */
    int64_t second[WEIR_RATE_SLOTS]; /* which second the slot holds */
    double amount[WEIR_RATE_SLOTS];
};

void weir_rate_add(struct weir_rate *rate, int64_t now_ns, double amount);
/* Over the last WEIR_RATE_SLOTS - 1 whole seconds, or over the time since the first event when that is shorter. */
double weir_rate_per_second(const struct weir_rate *rate, int64_t now_ns);

#endif
