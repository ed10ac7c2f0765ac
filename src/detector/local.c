/* SPDX-License-Identifier: Apache-2.0 */

/* The engine in this process: one loaded model, shared; one worker a session. */

#include "detector/detector_private.h"

#include <errno.h>
#include <stdlib.h>

struct local {
    struct weir_detector detector;
    struct weir_model *model;
};

struct local_session {
    struct weir_detector_session session;
    struct weir_worker *worker;
};

static int local_open(const struct weir_detector_params *params, struct weir_log *log, struct weir_detector **out,
                      struct weir_error *err)
{
    struct local *local = calloc(1, sizeof *local);
    if (local == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for the detector");
    int code = weir_model_load(&local->model, &params->model, log, err);
    if (code != 0) {
        free(local);
        return code;
    }
    *out = &local->detector;
    return 0;
}

static void local_close(struct weir_detector *detector)
{
    struct local *local = (struct local *)detector;
    weir_model_free(&local->model);
    free(local);
}

static const char *local_summary(const struct weir_detector *detector)
{
    return weir_model_summary(((const struct local *)detector)->model);
}

static int local_session_new(struct weir_detector *detector, struct weir_detector_session **out,
                             struct weir_error *err)
{
    struct local_session *session = calloc(1, sizeof *session);
    if (session == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a worker");
    int code = weir_worker_new(&session->worker, ((struct local *)detector)->model, err);
    if (code != 0) {
        free(session);
        return code;
    }
    *out = &session->session;
    return 0;
}

static void local_session_free(struct weir_detector_session *session)
{
    struct local_session *local = (struct local_session *)session;
    weir_worker_free(&local->worker);
    free(local);
}

static void local_detect(struct weir_detector_session *session, const struct weir_frame *frame,
                         struct weir_result *result)
{
    struct weir_worker *worker = ((struct local_session *)session)->worker;
    if (frame->image != NULL)
        weir_worker_detect_image(worker, frame->image, NULL, result);
    else
        weir_worker_detect_jpeg(worker, frame->jpeg->data, frame->jpeg->size, result);
}

const struct weir_detector_ops weir_detector_local = {
    .name = "local",
    .open = local_open,
    .close = local_close,
    .summary = local_summary,
    .session_new = local_session_new,
    .session_free = local_session_free,
    .detect = local_detect,
};
