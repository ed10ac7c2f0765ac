/* SPDX-License-Identifier: Apache-2.0 */
#include "web/route.h"

#include "web/http.h"

#include <string.h>

static bool is_id_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool matches(const char *pattern, const char *path, char id[WEIR_ROUTE_ID_MAX])
{
    size_t size = 0;
    id[0] = '\0';
    for (; *pattern != '\0'; pattern++) {
        if (pattern[0] == '{' && pattern[1] == '}') {
            while (is_id_byte(path[size]))
                size++;
            if (size == 0 || size >= WEIR_ROUTE_ID_MAX)
                return false;
            memcpy(id, path, size);
            id[size] = '\0';
            path += size;
            pattern++;
        } else if (*pattern != *path++) {
            return false;
        }
    }
    return *path == '\0';
}

static bool takes(const struct weir_route *row, const char *method)
{
    return strcmp(row->method, method) == 0 ||
           (strcmp(row->method, "GET") == 0 && strcmp(method, "HEAD") == 0);
}

enum weir_route_code weir_route_find(const struct weir_route *rows, size_t count, const char *method,
                                     const char *path, const struct weir_route **row,
                                     char id[WEIR_ROUTE_ID_MAX])
{
    enum weir_route_code code = WEIR_ROUTE_NOT_FOUND;
    for (size_t i = 0; i < count; i++) {
        if (!matches(rows[i].pattern, path, id))
            continue;
        *row = &rows[i];
        if (takes(&rows[i], method))
            return WEIR_ROUTE_FOUND;
        code = WEIR_ROUTE_METHOD;
    }
    return code;
}

const char *weir_route_allow(const struct weir_route *row)
{
    return strcmp(row->method, "GET") == 0 ? "GET, HEAD" : row->method;
}

static void refuse_method(struct weir_http_exchange *exchange, const struct weir_route *row)
{
    static const char body[] = "{\"error\":{\"code\":\"method_not_allowed\",\"message\":\"this path does not "
                               "take this method: see the Allow header\"}}\n";
    const struct weir_http_reply reply = {.status = 405,
                                          .type = "application/json",
                                          .body = body,
                                          .size = sizeof body - 1,
                                          .allow = weir_route_allow(row)};
    weir_http_reply(exchange, &reply);
}

void weir_route_answer(const struct weir_route *rows, size_t count, void *user,
                       struct weir_http_exchange *exchange)
{
    char id[WEIR_ROUTE_ID_MAX];
    const struct weir_route *row = NULL;
    const char *path = weir_http_path(exchange);
    switch (weir_route_find(rows, count, weir_http_method(exchange), path, &row, id)) {
    case WEIR_ROUTE_FOUND:
        row->answer(user, exchange, id);
        break;
    case WEIR_ROUTE_METHOD:
        refuse_method(exchange, row);
        break;
    case WEIR_ROUTE_NOT_FOUND:
        weir_http_reply_error(exchange, 404, "not_found", "there is nothing under %.200s", path);
        break;
    }
}
