/* SPDX-License-Identifier: Apache-2.0 */

/* The orderly end: ingest, then workers, then publishers; closing a queue is the sentinel that follows its last item.
 * Each stage may finish what it holds until the deadline; then what waits is given up and what blocks is interrupted. */

#include "base/clock.h"
#include "base/thread.h"
#include "pipeline/pipeline_private.h"

#include <errno.h>

enum {
    STOP_CHECK_MS = 50, /* how often it is looked whether to give up */
    STOP_GRACE_S = 2,   /* for what runs, after what waits was given up */
};

/* Waits until *alive is 0. False at the deadline, or when told to give up (unless there is nothing left to give up). */
static bool wait_ended(struct weir_pipeline *pipeline, const int *alive, int64_t deadline_ns, bool heed_abort)
{
    pthread_mutex_lock(&pipeline->lock);
    while (*alive > 0 && weir_clock_ns() < deadline_ns &&
           !(heed_abort && atomic_load(&pipeline->abort_requested)))
        (void)weir_cond_wait_until(&pipeline->stopped, &pipeline->lock,
                                   weir_clock_ns() + STOP_CHECK_MS * WEIR_NS_PER_MS);
    bool ended = *alive == 0;
    pthread_mutex_unlock(&pipeline->lock);
    return ended;
}

static void give_up_what_waits(struct weir_pipeline *pipeline)
{
    weir_log_warn(pipeline->log, "pipeline", "giving up what still waits: not finished within the time allowed");
    weir_intake_abort(pipeline);
    if (pipeline->sink != NULL)
        weir_sink_interrupt(pipeline->sink);
}

static void join_threads(struct weir_pipeline *pipeline)
{
    for (int i = 0; i < pipeline->worker_count; i++)
        if (pipeline->workers[i].started)
            pthread_join(pipeline->workers[i].thread, NULL);
    for (int i = 0; i < pipeline->publisher_count; i++)
        if (pipeline->publishers[i].started)
            pthread_join(pipeline->publishers[i].thread, NULL);
}

/* Ends one stage: first in order, then by force. False when its threads still run. */
static bool end_stage(struct weir_pipeline *pipeline, const int *alive, int64_t deadline_ns)
{
    if (wait_ended(pipeline, alive, deadline_ns, true))
        return true;
    give_up_what_waits(pipeline);
    return wait_ended(pipeline, alive, weir_clock_ns() + STOP_GRACE_S * WEIR_NS_PER_S, false);
}

static bool end_consumers(struct weir_pipeline *pipeline)
{
    int64_t deadline_ns = weir_clock_ns() + (int64_t)(pipeline->config->shutdown_timeout_s * WEIR_NS_PER_S);
    weir_intake_close(pipeline);
    if (!end_stage(pipeline, &pipeline->workers_alive, deadline_ns))
        return false;
    for (int i = 0; i < pipeline->publisher_count; i++)
        weir_pipeline_publisher_close(&pipeline->publishers[i]);
    return end_stage(pipeline, &pipeline->publishers_alive, deadline_ns);
}

int weir_pipeline_drain(struct weir_pipeline *pipeline, struct weir_error *err)
{
    weir_source_loop_stop(pipeline->loop);
    bool ended = end_consumers(pipeline);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->ended_ns = weir_clock_ns();
    struct weir_error first = pipeline->sink_error;
    pthread_mutex_unlock(&pipeline->lock);
    if (!ended)
        return weir_error_set(err, -ETIMEDOUT, "a frame is still with the detector %g s after the end was asked for; "
                                               "leaving without it", pipeline->config->shutdown_timeout_s + STOP_GRACE_S);
    join_threads(pipeline);
    int code = weir_sink_close(&pipeline->sink, err);
    if (first.code != 0)
        return weir_error_set(err, first.code, "%s", first.text);
    return code;
}
