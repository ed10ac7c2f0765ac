/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_WEB_PROCESS_STATS_H
#define WEIR_WEB_PROCESS_STATS_H

/* What the system says of this process.
 * Thread-safety: from any thread. */

struct weir_process_stats {
    double cpu_s;          /* user and system */
    double resident_bytes; /* 0 where /proc is not mounted */
    double open_fds;
    double threads;
};

void weir_process_stats_read(struct weir_process_stats *stats);

#endif
