/* SPDX-License-Identifier: Apache-2.0 */
#include "model/metadata.h"

#include "base/buf.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES_MAX = 65536 };

const char *weir_metadata_find(const struct weir_session_info *info, const char *key)
{
    for (size_t i = 0; i < info->metadata_count; i++)
        if (info->metadata[i].key != NULL && info->metadata[i].value != NULL && strcmp(info->metadata[i].key, key) == 0)
            return info->metadata[i].value;
    return NULL;
}

bool weir_metadata_pair(const struct weir_session_info *info, const char *key, int pair[2])
{
    const char *text = weir_metadata_find(info, key);
    int a, b;
    if (text == NULL)
        return false;
    text += strspn(text, " [(");
    int found = sscanf(text, "%6d , %6d", &a, &b);
    if (found < 1)
        return false;
    pair[0] = a;
    pair[1] = found == 2 ? b : a;
    return true;
}

static void skip_blanks(const char **at)
{
    while (isspace((unsigned char)**at))
        (*at)++;
}

static void put_utf8(struct weir_buf *out, unsigned code)
{
    unsigned char bytes[3];
    size_t n = 0;
    if (code >= 0xD800 && code < 0xE000)
        code = '?'; /* half of a surrogate pair: outside what labels are written in */
    if (code < 0x80) {
        bytes[n++] = (unsigned char)code;
    } else if (code < 0x800) {
        bytes[n++] = (unsigned char)(0xC0 | code >> 6);
        bytes[n++] = (unsigned char)(0x80 | (code & 0x3F));
    } else {
        bytes[n++] = (unsigned char)(0xE0 | code >> 12);
        bytes[n++] = (unsigned char)(0x80 | (code >> 6 & 0x3F));
        bytes[n++] = (unsigned char)(0x80 | (code & 0x3F));
    }
    weir_buf_append(out, bytes, n);
}

/* After the backslash. */
static bool take_escape(const char **at, struct weir_buf *out)
{
    char c = **at;
    if (c == '\0')
        return false;
    (*at)++;
    if (c == 'u') {
        unsigned code;
        if (strspn(*at, "0123456789abcdefABCDEF") < 4 || sscanf(*at, "%4x", &code) != 1)
            return false;
        *at += 4;
        put_utf8(out, code);
    } else {
        char plain = c == 'n' || c == 't' || c == 'r' ? ' ' : c;
        weir_buf_append(out, &plain, 1);
    }
    return true;
}

/* A text in single or double quotes. */
static bool take_text(const char **at, struct weir_buf *out)
{
    char quote = **at;
    weir_buf_clear(out);
    if (quote != '\'' && quote != '"')
        return false;
    for ((*at)++; **at != quote;) {
        if (**at == '\0')
            return false;
        if (**at == '\\') {
            (*at)++;
            if (!take_escape(at, out))
                return false;
        } else {
            weir_buf_append(out, (*at)++, 1);
        }
    }
    (*at)++;
    return true;
}

/* A key, 3 or "3", with its colon. */
static bool take_key(const char **at, size_t *index)
{
    char *end;
    char quote = **at == '\'' || **at == '"' ? *(*at)++ : '\0';
    if (!isdigit((unsigned char)**at))
        return false;
    unsigned long value = strtoul(*at, &end, 10);
    if (quote != '\0' && *end++ != quote)
        return false;
    *at = end;
    skip_blanks(at);
    if (**at != ':' || value >= CLASSES_MAX)
        return false;
    (*at)++;
    skip_blanks(at);
    *index = value;
    return true;
}

static int take_entries(struct weir_labels *labels, const char *at, struct weir_buf *name)
{
    bool keyed = *at == '{';
    const char close = keyed ? '}' : ']';
    if (*at != '{' && *at != '[')
        return -EINVAL;
    at++;
    for (size_t place = 0; place < CLASSES_MAX; place++) {
        size_t index = place;
        skip_blanks(&at);
        if (*at == close)
            return labels->count > 0 ? 0 : -EINVAL;
        if ((keyed && !take_key(&at, &index)) || !take_text(&at, name))
            return -EINVAL;
        if (name->failed || !weir_labels_set(labels, index, name->data != NULL ? name->data : "", name->size))
            return -ENOMEM;
        skip_blanks(&at);
        if (*at == ',')
            at++;
    }
    return -EINVAL;
}

int weir_labels_parse_names(struct weir_labels *labels, const char *text)
{
    struct weir_buf name = {0};
    skip_blanks(&text);
    int code = take_entries(labels, text, &name);
    if (code != 0)
        weir_labels_fini(labels);
    weir_buf_fini(&name);
    return code;
}
