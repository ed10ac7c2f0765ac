/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct weir_log {
    enum weir_log_level level;
    weir_log_sink *sink;
    void *user;
};

static const char *const level_names[] = {"error", "warn", "info", "debug"};

const char *weir_log_level_name(enum weir_log_level level)
{
    return level_names[level];
}

bool weir_log_level_parse(const char *name, enum weir_log_level *level)
{
    for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++) {
        if (strcmp(name, level_names[i]) == 0) {
            *level = (enum weir_log_level)i;
            return true;
        }
    }
    return false;
}

static void write_to_stderr(void *user, enum weir_log_level level, const char *topic, const char *line)
{
    (void)user;
    struct timespec now;
    struct tm tm;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    char text[2048];
    int n = snprintf(text, sizeof text - 1, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ %s %s: %s", tm.tm_year + 1900,
                     tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, now.tv_nsec / 1000000,
                     level_names[level], topic, line);
    if (n < 0)
        return;
    size_t length = (size_t)n < sizeof text - 1 ? (size_t)n : sizeof text - 2;
    text[length++] = '\n';
    /* One write is one whole line, also between threads and processes. */
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written;
}

struct weir_log *weir_log_new(enum weir_log_level level, weir_log_sink *sink, void *user)
{
    struct weir_log *log = calloc(1, sizeof *log);
    if (log == NULL)
        return NULL;
    log->level = level;
    log->sink = sink != NULL ? sink : write_to_stderr;
    log->user = user;
    return log;
}

void weir_log_free(struct weir_log **log)
{
    free(*log);
    *log = NULL;
}

bool weir_log_enabled(const struct weir_log *log, enum weir_log_level level)
{
    return log != NULL && level <= log->level;
}

/* Text from cameras, models and files ends up here: control characters must not forge lines. */
static void blank_control_characters(char *line)
{
    for (char *p = line; *p != '\0'; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7F)
            *p = ' ';
}

void weir_log_write(struct weir_log *log, enum weir_log_level level, const char *topic, const char *format, ...)
{
    if (!weir_log_enabled(log, level))
        return;
    char line[1536];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    blank_control_characters(line);
    log->sink(log->user, level, topic, line);
}
