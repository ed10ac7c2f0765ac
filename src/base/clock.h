/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_BASE_CLOCK_H
#define WEIR_BASE_CLOCK_H

/* Time. Every interval, deadline and age uses the monotonic clock; the wall clock is only ever printed.
 * Thread-safety: all functions from any thread. */

#include <stdint.h>

#define WEIR_NS_PER_MS 1000000LL
#define WEIR_NS_PER_S  1000000000LL

int64_t weir_clock_ns(void);            /* monotonic, ns */
int64_t weir_clock_wall_ns(void);       /* since the Unix epoch, ns */
int64_t weir_clock_thread_cpu_ns(void); /* CPU time of the calling thread, ns */
int64_t weir_clock_process_cpu_ns(void);/* CPU time of all threads of the process, ns */

#define WEIR_CLOCK_TEXT_MAX 32
/* "2026-12-01T10:43:00.123Z" (RFC 3339, UTC, ms) into text[WEIR_CLOCK_TEXT_MAX]; returns text. */
char *weir_clock_wall_text(int64_t wall_ns, char *text);

#endif
