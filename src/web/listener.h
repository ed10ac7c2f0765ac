/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_WEB_LISTENER_H
#define WEIR_WEB_LISTENER_H

/* A listening TCP socket from "HOST:PORT" as a person writes it: IPv4, IPv6 in brackets, names, port 0 for
 * any free one. Bound here rather than in the HTTP library, so that each failure gets its own sentence.
 *
 * Thread-safety: plain value.
 * Ownership: the caller closes fd, or hands it on. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define WEIR_HOST_MAX 256 /* bytes of a host with its NUL */

struct weir_listener {
    int fd;
    int port;                     /* the real one, also when 0 was asked for */
    bool loopback;                /* only this machine can reach it */
    char host[WEIR_HOST_MAX];     /* as given, without brackets; "0.0.0.0" when it was empty */
    char url[WEIR_HOST_MAX + 32]; /* "http://127.0.0.1:8089/"; an address that a browser can open */
};

/* Splits "HOST:PORT", "[V6]:PORT", ":PORT" (every address) or "PORT" (127.0.0.1). -EINVAL with a sentence. */
int weir_address_split(const char *address, char host[WEIR_HOST_MAX], int *port, struct weir_error *err);
int weir_listener_open(struct weir_listener *listener, const char *address, struct weir_error *err);

#endif
