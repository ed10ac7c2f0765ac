/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CLI_PROGRESS_H
#define WEIR_CLI_PROGRESS_H

/* What is seen while it runs, on stderr: on a terminal two lines that are rewritten, one of the whole and one of
 * the cameras; else a line every few seconds.
 *
 * Thread-safety: main thread. */

#include "pipeline/pipeline.h"

#include <stdbool.h>
#include <stdint.h>

struct weir_progress {
    bool terminal;
    bool shown; /* lines stand on the terminal */
};

void weir_progress_init(struct weir_progress *progress);
int64_t weir_progress_interval_ns(const struct weir_progress *progress);
void weir_progress_show(struct weir_progress *progress, const struct weir_snapshot *snapshot);
/* Takes the lines off the terminal. */
void weir_progress_clear(struct weir_progress *progress);

#endif
