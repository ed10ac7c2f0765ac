/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SOURCE_SOURCE_PRIVATE_H
#define WEIR_SOURCE_SOURCE_PRIVATE_H

/* What the kinds of source share with the loop. Everything here but weir_source_post is for the loop's
 * thread. */

#include "source/source.h"

#include <curl/curl.h>
#include <uv.h>

struct weir_source {
    const struct weir_source_ops *ops;
    struct weir_source_loop *loop;
    struct weir_source *next;                  /* in the loop's list */
    struct weir_source *posted;                /* next in the list of those that want attention */
    bool is_posted, wants_resume, wants_close; /* the loop's lock */
    bool is_closed;                            /* STOPPED was told */
    /* Called on the loop's thread once after open, and after each weir_source_post. */
    void (*attend)(struct weir_source *source, bool resume, bool close);
    void (*free)(struct weir_source *source); /* after the loop's thread has ended */
};

/* Hands a new source to the loop, which frees it in weir_source_loop_free. Any thread. */
void weir_source_loop_add(struct weir_source_loop *loop, struct weir_source *source);
/* Asks for attend on the loop's thread. Any thread. */
void weir_source_post(struct weir_source *source, bool resume, bool close);

uv_loop_t *weir_source_loop_uv(struct weir_source_loop *loop);
struct weir_log *weir_source_loop_log(struct weir_source_loop *loop);
struct weir_block_pool *weir_source_loop_pool(struct weir_source_loop *loop);
int weir_source_loop_start_transfer(struct weir_source_loop *loop, CURL *easy);
void weir_source_loop_end_transfer(struct weir_source_loop *loop, CURL *easy);

/* Called by the loop for a transfer that ended; the easy handle's private pointer is the source. */
void weir_source_http_done(struct weir_source *source, CURLcode code);

extern const struct weir_source_ops weir_source_av;
extern const struct weir_source_ops weir_source_http;

#endif
