/* SPDX-License-Identifier: Apache-2.0 */
#include "detector/detector.h"

#include "detector/detector_private.h"

#include <errno.h>
#include <string.h>

static const struct weir_detector_ops *kind_of(const char *kind_or_url)
{
    if (strcmp(kind_or_url, "local") == 0)
        return &weir_detector_local;
    if (strncmp(kind_or_url, "http://", 7) == 0 || strncmp(kind_or_url, "https://", 8) == 0)
        return &weir_detector_http;
    return NULL;
}

int weir_detector_open(const struct weir_detector_params *params, struct weir_log *log, struct weir_detector **out,
                       struct weir_error *err)
{
    *out = NULL;
    const struct weir_detector_ops *ops = kind_of(params->kind_or_url);
    if (ops == NULL)
        return weir_error_set(err, -EINVAL, "detector: expected local or http://HOST:PORT/detect, found \"%s\"",
                              params->kind_or_url);
    int code = ops->open(params, log, out, err);
    if (code == 0)
        (*out)->ops = ops;
    return code;
}

void weir_detector_close(struct weir_detector **detector)
{
    if (*detector != NULL)
        (*detector)->ops->close(*detector);
    *detector = NULL;
}

const char *weir_detector_summary(const struct weir_detector *detector)
{
    return detector->ops->summary(detector);
}

int weir_detector_session_new(struct weir_detector *detector, struct weir_detector_session **out,
                              struct weir_error *err)
{
    *out = NULL;
    int code = detector->ops->session_new(detector, out, err);
    if (code == 0)
        (*out)->ops = detector->ops;
    return code;
}

void weir_detector_session_free(struct weir_detector_session **session)
{
    if (*session != NULL)
        (*session)->ops->session_free(*session);
    *session = NULL;
}

void weir_detector_detect(struct weir_detector_session *session, const struct weir_frame *frame,
                          struct weir_result *result)
{
    weir_result_clear(result);
    session->ops->detect(session, frame, result);
}
