/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * WEIR_NS_PER_S + t.tv_nsec;
}

int64_t weir_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t weir_clock_wall_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t weir_clock_thread_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int64_t weir_clock_process_cpu_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

char *weir_clock_wall_text(int64_t wall_ns, char *text)
{
    time_t seconds = (time_t)(wall_ns / WEIR_NS_PER_S);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    size_t n = strftime(text, WEIR_CLOCK_TEXT_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
    (void)snprintf(text + n, WEIR_CLOCK_TEXT_MAX - n, ".%03dZ", (int)(wall_ns / WEIR_NS_PER_MS % 1000));
    return text;
}
