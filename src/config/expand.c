/* SPDX-License-Identifier: Apache-2.0 */
#include "config/expand.h"

#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 128 };

/* The length of the name in "{NAME}", or 0 when that is not what stands there. */
static size_t name_length(const char *braced)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    if (braced[0] != '{' || (braced[1] >= '0' && braced[1] <= '9'))
        return 0;
    size_t length = strspn(braced + 1, letters);
    return braced[1 + length] == '}' && length < NAME_SIZE ? length : 0;
}

static int append_variable(const char *name, size_t length, struct weir_buf *out, struct weir_error *err)
{
    char copy[NAME_SIZE];
    memcpy(copy, name, length);
    copy[length] = '\0';
    const char *value = getenv(copy);
    if (value == NULL)
        return weir_error_set(
            err, -EINVAL,
            "the environment variable %s is not set; set it, or write $${%s} for the text itself", copy,
            copy);
    weir_buf_text(out, value);
    return 0;
}

bool weir_text_begins_variable(const char *text)
{
    return text[0] == '$' && name_length(text + 1) > 0;
}

int weir_text_expand(const char *text, char **out, struct weir_error *err)
{
    struct weir_buf expanded = {0};
    int code = 0;
    *out = NULL;
    while (code == 0 && *text != '\0') {
        size_t length = text[0] == '$' ? name_length(text + 1) : 0;
        if (length > 0) {
            code = append_variable(text + 2, length, &expanded, err);
            text += length + 3;
        } else if (text[0] == '$' && text[1] == '$' && name_length(text + 2) > 0) {
            length = name_length(text + 2) + 3;
            weir_buf_append(&expanded, text + 1, length);
            text += 1 + length;
        } else {
            weir_buf_append(&expanded, text++, 1);
        }
    }
    if (code == 0 && !expanded.failed)
        *out = strdup(expanded.data != NULL ? expanded.data : "");
    weir_buf_fini(&expanded);
    return code == 0 && *out == NULL ? weir_error_set(err, -ENOMEM, "no memory") : code;
}
