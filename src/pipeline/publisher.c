/* SPDX-License-Identifier: Apache-2.0 */

/* A publisher: takes results from its own bounded queue and gives them to the sink. A camera belongs to one
 * publisher, so its results stay in order however many publishers there are. */

#include "base/clock.h"
#include "base/thread.h"
#include "pipeline/pipeline_private.h"

#include <stdio.h>
#include <stdlib.h>

static void give_back(struct weir_pipeline *pipeline, struct weir_event *event)
{
    pipeline->spare_events[pipeline->spare_count++] = event;
    if (pipeline->workers_idle > 0)
        pthread_cond_signal(&pipeline->work);
}

static bool sink_is_broken(struct weir_pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    bool broken = pipeline->sink_error.code != 0;
    pthread_mutex_unlock(&pipeline->lock);
    return broken;
}

static void note_sink_error(struct weir_pipeline *pipeline, const struct weir_error *err)
{
    pthread_mutex_lock(&pipeline->lock);
    bool first = pipeline->sink_error.code == 0;
    if (first)
        pipeline->sink_error = *err;
    pthread_mutex_unlock(&pipeline->lock);
    if (first)
        weir_log_error(pipeline->log, "publish", "%s; what follows is counted as unpublished", err->text);
}

static bool hand_on(struct weir_pipeline *pipeline, const struct weir_event *event)
{
    if (pipeline->sink == NULL)
        return true;
    if (sink_is_broken(pipeline))
        return false;
    struct weir_error err = {0};
    if (weir_sink_write(pipeline->sink, event, &err) == 0)
        return true;
    note_sink_error(pipeline, &err);
    return false;
}

static void publish(struct weir_pipeline *pipeline, struct weir_event *event)
{
    event->published_ns = weir_clock_ns();
    bool done = hand_on(pipeline, event);
    int64_t now_ns = weir_clock_ns();
    struct weir_camera *camera = pipeline->cameras[event->camera];
    pthread_mutex_lock(&pipeline->lock);
    if (event->result.status == WEIR_OK) {
        camera->books.publishing--;
        camera->books.published += done;
        camera->books.unpublished += !done;
        weir_histogram_record(&camera->age, now_ns - event->capture_ns);
        weir_histogram_record(&pipeline->publish_time, now_ns - event->inferred_ns);
    }
    give_back(pipeline, event);
    pthread_mutex_unlock(&pipeline->lock);
}

static void *run(void *argument)
{
    struct weir_publisher *publisher = argument;
    struct weir_pipeline *pipeline = publisher->pipeline;
    void *event;
    while (weir_queue_pop(publisher->queue, &event, INT64_MAX) == WEIR_QUEUE_OK)
        publish(pipeline, event);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->publishers_alive--;
    pthread_cond_broadcast(&pipeline->stopped);
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

int weir_pipeline_publisher_start(struct weir_publisher *publisher, int index)
{
    char name[16];
    (void)snprintf(name, sizeof name, "publisher %d", index);
    int code = weir_thread_start(&publisher->thread, name, run, publisher);
    if (code != 0)
        return code;
    publisher->started = true;
    pthread_mutex_lock(&publisher->pipeline->lock);
    publisher->pipeline->publishers_alive++;
    pthread_mutex_unlock(&publisher->pipeline->lock);
    return 0;
}

void weir_pipeline_publisher_close(struct weir_publisher *publisher)
{
    weir_queue_close(publisher->queue);
}
