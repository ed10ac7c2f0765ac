/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_BASE_QUEUE_H
#define WEIR_BASE_QUEUE_H

/* A bounded first-in first-out queue of pointers between threads. A full queue is normal: the caller
 * chooses between refusing (try_push) and waiting (push).
 *
 * Closing is the sentinel of a stage: items already queued are still handed out in order, and only
 * when the last is gone does pop say that the queue has ended.
 *
 * Thread-safety: all functions from any thread, except new and free.
 * Ownership: the queue owns an item from a successful push until pop; on failure the caller still does.
 * Items left at free are not freed: close and drain first. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_queue_code {
    WEIR_QUEUE_OK,
    WEIR_QUEUE_FULL,    /* no room (try_push), or none until the deadline (push) */
    WEIR_QUEUE_EMPTY,   /* nothing until the deadline (pop) */
    WEIR_QUEUE_CLOSED,  /* push: closed; pop: closed and empty */
};

struct weir_queue;

/* capacity >= 1. NULL when out of memory. */
struct weir_queue *weir_queue_new(size_t capacity);
void weir_queue_free(struct weir_queue **queue);

enum weir_queue_code weir_queue_try_push(struct weir_queue *queue, void *item);
/* Waits for room until deadline_ns (weir_clock_ns; INT64_MAX: for ever) or close. */
enum weir_queue_code weir_queue_push(struct weir_queue *queue, void *item, int64_t deadline_ns);
enum weir_queue_code weir_queue_pop(struct weir_queue *queue, void **item, int64_t deadline_ns);
/* No more pushes; everybody who waits is woken. */
void weir_queue_close(struct weir_queue *queue);

size_t weir_queue_size(struct weir_queue *queue);
size_t weir_queue_capacity(const struct weir_queue *queue);

#endif
