/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t weir_sim_request_head_size(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n')
            continue;
        if (i + 1 < size && bytes[i + 1] == '\n')
            return i + 2;
        if (i + 2 < size && bytes[i + 1] == '\r' && bytes[i + 2] == '\n')
            return i + 3;
    }
    return 0;
}

/* The word that ends at one of `stops`, copied; what comes after the stop is returned, NULL when it does not
 * fit. */
static const char *take(const char *at, const char *end, const char *stops, char *to, size_t to_size)
{
    size_t n = 0;
    while (at + n < end && strchr(stops, at[n]) == NULL && at[n] != '\0')
        n++;
    if (n == 0 || n >= to_size || at + n >= end)
        return NULL;
    memcpy(to, at, n);
    to[n] = '\0';
    return at + n;
}

bool weir_sim_request_parse(const char *head, size_t size, struct weir_sim_request *request)
{
    memset(request, 0, sizeof *request);
    const char *end = head + size;
    const char *at = take(head, end, " \r\n", request->method, sizeof request->method);
    if (at == NULL || *at != ' ')
        return false;
    at = take(at + 1, end, " ?\r\n", request->path, sizeof request->path);
    if (at != NULL && *at == '?' && at + 1 < end && at[1] != ' ')
        at = take(at + 1, end, " \r\n", request->query, sizeof request->query);
    return at != NULL && request->path[0] == '/';
}

bool weir_sim_request_argument(const struct weir_sim_request *request, const char *name, char *value,
                               size_t value_size)
{
    size_t name_size = strlen(name);
    for (const char *at = request->query; *at != '\0';) {
        size_t n = strcspn(at, "&");
        if (n > name_size && memcmp(at, name, name_size) == 0 && at[name_size] == '=' &&
            n - name_size <= value_size) {
            memcpy(value, at + name_size + 1, n - name_size - 1);
            value[n - name_size - 1] = '\0';
            return true;
        }
        at += n + (at[n] == '&');
    }
    return false;
}

bool weir_sim_request_camera(const struct weir_sim_request *request, int cameras, int *camera, bool *still)
{
    if (strncmp(request->path, "/cam", 4) != 0 || request->path[4] < '0' || request->path[4] > '9')
        return false;
    char *end;
    long number = strtol(request->path + 4, &end, 10);
    *still = strcmp(end, ".jpg") == 0;
    if (number >= cameras || (*end != '\0' && !*still))
        return false;
    *camera = (int)number;
    return true;
}
