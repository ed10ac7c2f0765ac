/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_PIPELINE_BOOKS_H
#define WEIR_PIPELINE_BOOKS_H

/* The books of one camera, or of all. At every moment
 *     read = waiting + running + inferred + sum(dropped) + sum(failed)
 *     inferred = publishing + published + unpublished
 *
 * Thread-safety: plain value; the pipeline changes it under its lock. */

#include "weir/result.h"

#include <stdbool.h>
#include <stdint.h>

struct weir_books {
    uint64_t read;        /* frames that were read, good or bad */
    uint64_t waiting;     /* in a mailbox or queue now */
    uint64_t running;     /* with a worker now */
    uint64_t inferred;    /* the detector looked at it */
    uint64_t publishing;  /* inferred, not yet with every sink */
    uint64_t published;
    uint64_t unpublished; /* inferred, but a sink failed */
    uint64_t dropped[WEIR_REASON_COUNT];
    uint64_t failed[WEIR_REASON_COUNT];
};

uint64_t weir_books_dropped(const struct weir_books *books); /* sum over reasons */
uint64_t weir_books_failed(const struct weir_books *books);
bool weir_books_balance(const struct weir_books *books);
void weir_books_add(struct weir_books *into, const struct weir_books *from);

#endif
