/* SPDX-License-Identifier: Apache-2.0 */
#include "source/source.h"

#include "source/source_private.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

static const struct weir_source_ops *const kinds[] = {&weir_source_av, &weir_source_http};

static const char *const states[] = {
    [WEIR_SOURCE_IDLE] = "idle",       [WEIR_SOURCE_CONNECTING] = "connecting",
    [WEIR_SOURCE_WAITING] = "waiting", [WEIR_SOURCE_LIVE] = "live",
    [WEIR_SOURCE_STALLED] = "stalled", [WEIR_SOURCE_BACKING_OFF] = "backing_off",
    [WEIR_SOURCE_PAUSED] = "paused",   [WEIR_SOURCE_STOPPED] = "stopped",
};

static const struct {
    const char *name, *advice;
} reasons[] = {
#define REASON_ROW(code, text, advice) [WEIR_SOURCE_REASON_##code] = {text, advice},
    WEIR_SOURCE_REASONS(REASON_ROW)
#undef REASON_ROW
};

const char *weir_source_state_name(enum weir_source_state state)
{
    return states[state];
}

const char *weir_source_reason_name(enum weir_source_reason reason)
{
    return reasons[reason].name;
}

const char *weir_source_reason_advice(enum weir_source_reason reason)
{
    return reasons[reason].advice;
}

bool weir_source_url_is_live(const char *url)
{
    static const char *const schemes[] = {"http://", "https://", "rtsp://", "rtsps://", "/dev/video", "sim:"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncasecmp(url, schemes[i], strlen(schemes[i])) == 0)
            return true;
    return false;
}

int weir_source_open(struct weir_source_loop *loop, const struct weir_source_params *params,
                     const struct weir_source_events *events, void *user, struct weir_source **out,
                     struct weir_error *err)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i]->accepts(params->url))
            return kinds[i]->open(loop, params, events, user, out, err);
    return weir_error_set(
        err, -EINVAL, "nothing reads \"%.100s\": expected http://, https://, rtsp://, a file or /dev/video0", params->url);
}

void weir_source_resume(struct weir_source *source)
{
    source->ops->resume(source);
}

void weir_source_close(struct weir_source **source)
{
    if (*source != NULL)
        (*source)->ops->close(*source);
    *source = NULL;
}
