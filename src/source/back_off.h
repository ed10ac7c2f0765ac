/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SOURCE_BACK_OFF_H
#define WEIR_SOURCE_BACK_OFF_H

/* How long to wait before a camera is tried again: doubling, with jitter so that many cameras do not retry in
 * step, up to a cap.
 *
 * Thread-safety: pure. */

#include "source/source.h"

#include <stdint.h>

struct weir_back_off {
    int64_t min_ns, max_ns;
    uint32_t failures; /* since it was last live for long enough */
};

/* One more failure: the wait. random: any 32 bits. retry_after_ns: what the camera asked for, or 0. A
 * rejected password waits at least a minute: cameras lock accounts. */
int64_t weir_back_off_next(struct weir_back_off *back_off, enum weir_source_reason reason,
                           int64_t retry_after_ns, uint32_t random);
/* It was live for live_ns: long enough (10 s) forgets the failures. */
void weir_back_off_was_live(struct weir_back_off *back_off, int64_t live_ns);

#endif
