/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct start {
    void *(*run)(void *);
    void *argument;
    char name[16];
};

static void *enter(void *argument)
{
    struct start start = *(struct start *)argument;
    free(argument);
    (void)pthread_setname_np(pthread_self(), start.name);
    return start.run(start.argument);
}

int weir_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument)
{
    struct start *start = malloc(sizeof *start);
    if (start == NULL)
        return -ENOMEM;
    start->run = run;
    start->argument = argument;
    (void)snprintf(start->name, sizeof start->name, "%s", name);

    /* The mask is inherited: blocked around creation, so that no signal slips in before the thread blocks it. */
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int code = pthread_create(thread, NULL, enter, start);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (code != 0)
        free(start);
    return -code;
}

void weir_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

bool weir_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t deadline_ns)
{
    struct timespec until = {.tv_sec = deadline_ns / WEIR_NS_PER_S, .tv_nsec = deadline_ns % WEIR_NS_PER_S};
    return pthread_cond_timedwait(cond, mutex, &until) != ETIMEDOUT;
}
