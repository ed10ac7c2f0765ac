/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_PUBLISH_SINK_H
#define WEIR_PUBLISH_SINK_H

/* Where results go. A sink is one const struct of operations; publishers call write from their threads.
 *
 * Thread-safety: write may be called by several publishers at once; each camera's results come in sequence order
 * from one of them.
 * Ownership: the event and its strings are the caller's. */

#include "base/error.h"
#include "base/log.h"
#include "result/event.h"

struct weir_sink;

struct weir_sink_ops {
    const char *name;
    int (*open)(const char *destination, struct weir_log *log, struct weir_sink **out, struct weir_error *err);
    /* May block on its destination. Negative errno with a sentence when the event could not be handed on. */
    int (*write)(struct weir_sink *sink, const struct weir_event *event, struct weir_error *err);
    /* Any thread: makes a write that is blocked on its destination, and every later one, fail with -ECANCELED soon. */
    void (*interrupt)(struct weir_sink *sink);
    /* Flushes and closes; an error here means that something written earlier is not safe. */
    int (*close)(struct weir_sink *sink, struct weir_error *err);
};

extern const struct weir_sink_ops weir_sink_jsonl;

int weir_sink_open(const struct weir_sink_ops *ops, const char *destination, struct weir_log *log,
                   struct weir_sink **out, struct weir_error *err);
int weir_sink_write(struct weir_sink *sink, const struct weir_event *event, struct weir_error *err);
void weir_sink_interrupt(struct weir_sink *sink);
int weir_sink_close(struct weir_sink **sink, struct weir_error *err);

#endif
