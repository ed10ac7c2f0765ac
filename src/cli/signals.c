/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/signals.h"

#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static void both(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGTERM);
}

void weir_signals_hold(void)
{
    sigset_t signals;
    both(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

bool weir_signals_wait(int64_t deadline_ns)
{
    sigset_t signals;
    both(&signals);
    for (;;) {
        int64_t left_ns = deadline_ns == INT64_MAX ? 3600 * WEIR_NS_PER_S : deadline_ns - weir_clock_ns();
        if (left_ns < 0)
            left_ns = 0;
        struct timespec left = {.tv_sec = left_ns / WEIR_NS_PER_S, .tv_nsec = left_ns % WEIR_NS_PER_S};
        if (sigtimedwait(&signals, NULL, &left) > 0)
            return true;
        if (errno != EINTR && deadline_ns != INT64_MAX)
            return false;
    }
}

static void leave_at_once(int number)
{
    _exit(128 + number);
}

void weir_signals_release(void)
{
    sigset_t signals;
    both(&signals);
    struct sigaction action = {.sa_handler = leave_at_once};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}
