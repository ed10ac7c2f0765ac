/* SPDX-License-Identifier: Apache-2.0 */

/* The usual kinds of answer, over weir_http_reply. */

#include "web/http.h"

#include "result/event.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char no_memory[] =
    "{\"error\":{\"code\":\"out_of_memory\",\"message\":\"no memory for the answer\"}}";

void weir_http_reply_buf(struct weir_http_exchange *exchange, int status, const char *type,
                         struct weir_buf *buf)
{
    struct weir_http_reply reply = {.status = status,
                                    .type = type,
                                    .body = buf->data,
                                    .size = buf->size,
                                    .release = free,
                                    .owner = buf->data};
    if (buf->failed) {
        weir_buf_fini(buf);
        reply = (struct weir_http_reply){
            .status = 500, .type = "application/json", .body = no_memory, .size = sizeof no_memory - 1};
    }
    *buf = (struct weir_buf){0};
    weir_http_reply(exchange, &reply);
}

void weir_http_reply_json(struct weir_http_exchange *exchange, int status, json_t *value)
{
    struct weir_buf text = {0};
    if (value == NULL || weir_json_write(value, &text) != 0)
        text.failed = true;
    else
        weir_buf_text(&text, "\n");
    json_decref(value);
    weir_http_reply_buf(exchange, status, "application/json", &text);
}

json_t *weir_http_error_json(const char *code, const char *message)
{
    json_t *error = json_object();
    json_object_set_new(error, "code", json_string(code));
    json_object_set_new(error, "message", weir_json_text(message));
    json_t *object = json_object();
    json_object_set_new(object, "error", error);
    return object;
}

void weir_http_reply_error(struct weir_http_exchange *exchange, int status, const char *code,
                           const char *format, ...)
{
    char message[WEIR_ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    weir_http_reply_json(exchange, status, weir_http_error_json(code, message));
}
