/* SPDX-License-Identifier: Apache-2.0 */

/* RFC 3986, 3.2: after "//" the authority goes up to the first of / ? #; in it, the user information goes up
 * to the @, and the port follows the last colon. A raw / ? # in a password ends the authority too early, and
 * then its "port" is no number: that is how it is noticed. */

#include "config/camera_url.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define ADVICE                                                                                               \
    "in an address write @ as %%40, / as %%2F, : as %%3A, # as %%23, ? as %%3F and %% as %%25, or give the " \
    "password apart as user_name and password"

/* NULL when it has none, as a file. */
static const char *authority(const char *url, size_t *length)
{
    const char *start = strstr(url, "://");
    if (start == NULL || strcspn(url, "/?#@") < (size_t)(start - url) || strncasecmp(url, "file:", 5) == 0)
        return NULL;
    *length = strcspn(start + 3, "/?#");
    return start + 3;
}

static size_t count(const char *text, size_t length, char c)
{
    size_t found = 0;
    for (size_t i = 0; i < length; i++)
        found += text[i] == c;
    return found;
}

static bool percent_is_coded(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '%' &&
            !(i + 2 < length && isxdigit((unsigned char)text[i + 1]) && isxdigit((unsigned char)text[i + 2])))
            return false;
    return true;
}

/* What stands after the colon of "host:8080"; [::1] has colons of its own. */
static bool port_is_number(const char *host, size_t length)
{
    const char *bracket = memchr(host, ']', length);
    size_t skip = bracket != NULL ? (size_t)(bracket - host) + 1 : 0;
    const char *colon = memchr(host + skip, ':', length - skip);
    for (const char *p = colon != NULL ? colon + 1 : host + length; p < host + length; p++)
        if (!isdigit((unsigned char)*p))
            return false;
    return true;
}

static bool has_space_or_control(const char *url)
{
    for (; *url != '\0'; url++)
        if ((unsigned char)*url <= ' ' || *url == 0x7f)
            return true;
    return false;
}

int weir_camera_url_check(const char *url, struct weir_error *err)
{
    size_t length = 0;
    const char *start = authority(url, &length);
    if (start == NULL)
        return 0;
    if (has_space_or_control(url))
        return weir_error_set(err, -EINVAL,
                              "the address holds a space or a control character: write a space as %%20");
    size_t ats = count(start, length, '@');
    if (ats > 1)
        return weir_error_set(err, -EINVAL,
                              "the address holds two @, so that its password can't be told: " ADVICE);
    const char *at = memchr(start, '@', length);
    size_t user_length = at != NULL ? (size_t)(at - start) : 0;
    if (!percent_is_coded(start, user_length))
        return weir_error_set(
            err, -EINVAL,
            "the address has a %% in its user or password that is not followed by two hex digits: " ADVICE);
    const char *host = at != NULL ? at + 1 : start;
    size_t host_length = length - (size_t)(host - start);
    if (host_length == 0)
        return weir_error_set(err, -EINVAL,
                              "the address has no host: expected such as http://192.168.1.20/video");
    if (!port_is_number(host, host_length))
        return weir_error_set(
            err, -EINVAL, "the address has no number as its port%s" ADVICE,
            strchr(start + length, '@') != NULL ? ", perhaps because a password holds / ? or #: " : ": ");
    return 0;
}

void weir_camera_url_mask(const char *url, struct weir_buf *out)
{
    size_t length = 0;
    const char *start = authority(url, &length);
    const char *at = start != NULL ? memrchr(start, '@', length) : NULL;
    const char *colon = at != NULL ? memchr(start, ':', (size_t)(at - start)) : NULL;
    if (colon == NULL) {
        weir_buf_text(out, url);
        return;
    }
    weir_buf_append(out, url, (size_t)(colon + 1 - url));
    weir_buf_text(out, "***");
    weir_buf_text(out, at);
}
