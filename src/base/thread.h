/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_BASE_THREAD_H
#define WEIR_BASE_THREAD_H

/* What every thread of weir has in common: a name that `top -H` shows, signals blocked (only the
 * main thread takes them), and condition variables that wait on the monotonic clock. */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts a thread with all signals blocked. name: at most 15 bytes are shown. 0 or negative errno. */
int weir_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument);

/* A condition variable whose timed waits use CLOCK_MONOTONIC. */
void weir_cond_init(pthread_cond_t *cond);
/* Waits until woken or deadline_ns (weir_clock_ns); false when the deadline passed. Spurious wake-ups return true. */
bool weir_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t deadline_ns);

#endif
