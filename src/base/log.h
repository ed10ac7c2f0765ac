/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_BASE_LOG_H
#define WEIR_BASE_LOG_H

/* The log object that is handed to whatever may have something to say. NULL silences. A line is
 * `TIME level topic: sentence key=value ...`. A thing is logged once, where it is handled; what
 * happens for each frame is a counter, never a line.
 *
 * Thread-safety: weir_log_write may be called from any thread; one call is one whole line.
 * Ownership: the creator frees it after everything that holds it is gone. */

#include <stdbool.h>

enum weir_log_level {
    WEIR_LOG_ERROR, /* something asked for can't be done */
    WEIR_LOG_WARN,  /* it goes on, but not as asked: a fallback, a camera lost */
    WEIR_LOG_INFO,  /* changes of state that an operator wants to see once */
    WEIR_LOG_DEBUG, /* for finding faults */
};

struct weir_log;

/* Receives each line that passes the level; `line` has no line end. */
typedef void weir_log_sink(void *user, enum weir_log_level level, const char *topic, const char *line);

/* sink NULL: stderr. Returns NULL when out of memory. */
struct weir_log *weir_log_new(enum weir_log_level level, weir_log_sink *sink, void *user);
void weir_log_free(struct weir_log **log);

void weir_log_write(struct weir_log *log, enum weir_log_level level, const char *topic, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool weir_log_enabled(const struct weir_log *log, enum weir_log_level level);
const char *weir_log_level_name(enum weir_log_level level);
/* "error", "warn", "info" or "debug" to a level; false when it is none of them. */
bool weir_log_level_parse(const char *name, enum weir_log_level *level);

#define weir_log_error(log, topic, ...) weir_log_write(log, WEIR_LOG_ERROR, topic, __VA_ARGS__)
#define weir_log_warn(log, topic, ...)  weir_log_write(log, WEIR_LOG_WARN, topic, __VA_ARGS__)
#define weir_log_info(log, topic, ...)  weir_log_write(log, WEIR_LOG_INFO, topic, __VA_ARGS__)
#define weir_log_debug(log, topic, ...) weir_log_write(log, WEIR_LOG_DEBUG, topic, __VA_ARGS__)

#endif
