/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_WEB_ROUTE_H
#define WEIR_WEB_ROUTE_H

/* Which row of a table a request belongs to.
 *
 * Thread-safety: pure. */

#include <stdbool.h>
#include <stddef.h>

struct weir_http_exchange;

#define WEIR_ROUTE_ID_MAX 128 /* bytes of an id in a path with its NUL; a longer one matches nothing */

struct weir_route {
    const char *method;  /* "GET" (HEAD is then taken too) or "POST" */
    const char *pattern; /* "/api/v1/cameras/{}/snapshot.jpg"; {}: one id, [A-Za-z0-9_-]+, at most once */
    void (*answer)(void *user, struct weir_http_exchange *exchange, const char *id);
};

enum weir_route_code {
    WEIR_ROUTE_FOUND,
    WEIR_ROUTE_NOT_FOUND,
    WEIR_ROUTE_METHOD, /* the path is there, but not with this method */
};

/* On FOUND and METHOD *row is the row whose path matched; on FOUND id holds what stood for {} ("" without
 * one). */
enum weir_route_code weir_route_find(const struct weir_route *rows, size_t count, const char *method,
                                     const char *path, const struct weir_route **row,
                                     char id[WEIR_ROUTE_ID_MAX]);
/* What an Allow header says of the row. */
const char *weir_route_allow(const struct weir_route *row);
/* Finds the row and calls it, or answers 404 or 405 as JSON. */
void weir_route_answer(const struct weir_route *rows, size_t count, void *user,
                       struct weir_http_exchange *exchange);

#endif
