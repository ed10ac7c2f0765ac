/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_PIPELINE_SCHEDULE_H
#define WEIR_PIPELINE_SCHEDULE_H

/* Which camera a free worker serves next: a pure function, tested with tables.
 *
 * Among the cameras whose frame is younger than about one service time, the one served longest ago: under
 * overload what is looked at is fresh. When no frame is that young, the camera served longest ago of all.
 * A camera that has waited for its turn longer than the cap goes first whatever its frame's age: a camera whose
 * frames always come at an unlucky moment must not starve. Equal cameras: the lower index.
 *
 * Thread-safety: pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_candidate {
    bool ready;         /* has a frame that may be taken now */
    int64_t arrival_ns; /* of that frame */
    int64_t served_ns;  /* when this camera was last served; when it was added if never */
};

struct weir_schedule_params {
    int64_t now_ns;
    int64_t young_ns; /* a frame is young up to this age: about one service time */
    int64_t cap_ns;   /* the longest that a camera with a frame should wait for its turn */
};

/* The index of the candidate to serve, or -1 when none is ready. */
int weir_schedule_choose(const struct weir_candidate *candidates, size_t count,
                         const struct weir_schedule_params *params);

/* The cap for `cameras` cameras that share `workers` workers of service_ns each: three times an equal share's turn. */
int64_t weir_schedule_cap_ns(size_t cameras, int workers, int64_t service_ns);

#endif
