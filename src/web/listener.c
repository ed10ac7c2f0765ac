/* SPDX-License-Identifier: Apache-2.0 */
#include "web/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 256 };

static bool read_port(const char *text, int *port)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return false;
    long value = strtol(text, &end, 10);
    if (*end != '\0' || value > 65535)
        return false;
    *port = (int)value;
    return true;
}

static int refuse(const char *address, struct weir_error *err)
{
    return weir_error_set(
        err, -EINVAL, "expected an address HOST:PORT such as 127.0.0.1:8089 or [::1]:8089, found \"%.100s\"",
        address);
}

int weir_address_split(const char *address, char host[WEIR_HOST_MAX], int *port, struct weir_error *err)
{
    const char *colon = strrchr(address, ':');
    const char *start = address;
    size_t size = colon != NULL ? (size_t)(colon - address) : 0;
    if (colon == NULL || !read_port(colon + 1, port)) {
        if (colon != NULL || !read_port(address, port))
            return refuse(address, err);
        start = "127.0.0.1";
        size = strlen(start);
    } else if (size == 0) {
        start = "0.0.0.0";
        size = strlen(start);
    } else if (address[0] == '[') {
        if (size < 3 || address[size - 1] != ']')
            return refuse(address, err);
        start++;
        size -= 2;
    } else if (memchr(address, ':', size) != NULL) {
        return refuse(address, err); /* a bare IPv6 address: which colon begins the port is a guess */
    }
    if (size >= WEIR_HOST_MAX)
        return refuse(address, err);
    memcpy(host, start, size);
    host[size] = '\0';
    return 0;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return (ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24) == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

static int try_listen(const struct addrinfo *info)
{
    int on = 1;
    int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, info->ai_addr, info->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0) {
        int code = -errno;
        close(fd);
        return code;
    }
    return fd;
}

static int explain(int code, const char *host, int port, struct weir_error *err)
{
    if (code == -EADDRINUSE)
        return weir_error_set(err, code,
                              "port %d on %s is in use by another program: stop that one, or choose another "
                              "port (0 takes a free one)",
                              port, host);
    if (code == -EACCES)
        return weir_error_set(err, code, "no permission to listen on port %d: choose one from 1024 up", port);
    if (code == -EADDRNOTAVAIL)
        return weir_error_set(err, code,
                              "%s is no address of this machine: use 127.0.0.1 for this machine only, "
                              "0.0.0.0 for every network",
                              host);
    return weir_error_set(err, code, "can't listen on %s port %d: %s", host, port, strerror(-code));
}

static void describe(struct weir_listener *listener)
{
    struct sockaddr_storage bound = {0};
    socklen_t size = sizeof bound;
    if (getsockname(listener->fd, (struct sockaddr *)&bound, &size) != 0)
        return;
    /* The port lies at the same place in both families. */
    listener->port = ntohs(((const struct sockaddr_in *)&bound)->sin_port);
    listener->loopback = is_loopback((const struct sockaddr *)&bound);
    const char *shown = listener->host;
    if (strcmp(shown, "0.0.0.0") == 0)
        shown = "127.0.0.1";
    else if (strcmp(shown, "::") == 0)
        shown = "::1";
    bool v6 = strchr(shown, ':') != NULL;
    (void)snprintf(listener->url, sizeof listener->url, "http://%s%s%s:%d/", v6 ? "[" : "", shown,
                   v6 ? "]" : "", listener->port);
}

/* A name may stand for several addresses: the first that can be bound is taken, IPv4 before IPv6, because
 * that is what the printed address of "localhost" reaches with every client. */
static int bind_one_of(const struct addrinfo *list, int *fd)
{
    static const int families[] = {AF_INET, AF_INET6};
    int first_code = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        for (const struct addrinfo *info = list; info != NULL; info = info->ai_next) {
            if (info->ai_family != families[i])
                continue;
            int result = try_listen(info);
            if (result >= 0) {
                *fd = result;
                return 0;
            }
            if (first_code == 0)
                first_code = result;
        }
    }
    return first_code != 0 ? first_code : -EADDRNOTAVAIL;
}

int weir_listener_open(struct weir_listener *listener, const char *address, struct weir_error *err)
{
    memset(listener, 0, sizeof *listener);
    listener->fd = -1;
    int code = weir_address_split(address, listener->host, &listener->port, err);
    if (code != 0)
        return code;
    char port[8];
    (void)snprintf(port, sizeof port, "%d", listener->port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    int lookup = getaddrinfo(listener->host, port, &hints, &list);
    if (lookup != 0)
        return weir_error_set(err, -EADDRNOTAVAIL,
                              "can't listen on \"%s\": %s: use an address of this machine", listener->host,
                              gai_strerror(lookup));
    code = bind_one_of(list, &listener->fd);
    freeaddrinfo(list);
    if (code != 0)
        return explain(code, listener->host, listener->port, err);
    describe(listener);
    return 0;
}
