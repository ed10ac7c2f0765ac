/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CLI_SIGNALS_H
#define WEIR_CLI_SIGNALS_H

/* How every long-running command ends: the first SIGINT or SIGTERM is an orderly end, a second one ends at
 * once.
 *
 * Thread-safety: main thread; hold before any thread is started. */

#include <stdbool.h>
#include <stdint.h>

/* SIGINT and SIGTERM wait until they are asked for; SIGPIPE is ignored, so that a reader that went away is an
 * error of its write. */
void weir_signals_hold(void);
/* Waits for one of the two until deadline_ns (weir_clock_ns; INT64_MAX: for ever); true when one came. */
bool weir_signals_wait(int64_t deadline_ns);
/* From now on another one ends the process, with exit code 130 or 143 as shells expect. */
void weir_signals_release(void);

#endif
