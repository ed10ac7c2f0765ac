/* SPDX-License-Identifier: Apache-2.0 */

/* A worker: takes a frame, has it looked at, releases its pixels, hands the result on in order. */

#include "base/clock.h"
#include "base/thread.h"
#include "pipeline/pipeline_private.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { WORKER_NICE = 5 };

static void record(struct weir_histogram *histogram, int64_t duration_ns)
{
    if (duration_ns >= 0)
        weir_histogram_record(histogram, duration_ns);
}

/* Fresh means of the last frames: a model that was slow while it warmed up is soon forgotten. */
static void learn_service_time(struct weir_pipeline *pipeline, int64_t took_ns)
{
    pipeline->service_ns += (took_ns - pipeline->service_ns) / 16;
}

static void count_outcome(struct weir_pipeline *pipeline, struct weir_camera *camera, const struct weir_event *event)
{
    const struct weir_result *result = &event->result;
    camera->books.running--;
    if (result->status == WEIR_DROPPED)
        camera->books.dropped[result->reason]++;
    if (result->status == WEIR_FAILED)
        camera->books.failed[result->reason]++;
    if (result->status != WEIR_OK)
        return;
    camera->books.inferred++;
    camera->books.publishing++;
    weir_rate_add(&camera->inferred_rate, event->inferred_ns, 1);
    record(&pipeline->queue_time, result->timings.queue_ns);
    record(&pipeline->decode_time, result->timings.decode_ns);
    record(&pipeline->preprocess_time, result->timings.preprocess_ns);
    record(&pipeline->inference_time, result->timings.inference_ns);
    record(&pipeline->postprocess_time, result->timings.postprocess_ns);
}

/* Hands the camera's finished results to its publisher, in order. One worker at a time does it for a camera; the
 * others leave theirs in the ring. It blocks, without the lock, while the publish queue is full: what was
 * inferred is worth waiting for. */
static void drain_finished(struct weir_pipeline *pipeline, struct weir_camera *camera)
{
    struct weir_publisher *publisher = &pipeline->publishers[camera->index % (uint32_t)pipeline->publisher_count];
    camera->draining = true;
    struct weir_event *event;
    while ((event = weir_camera_next_finished(camera)) != NULL) {
        pthread_mutex_unlock(&pipeline->lock);
        (void)weir_queue_push(publisher->queue, event, INT64_MAX); /* closed only after every worker has ended */
        pthread_mutex_lock(&pipeline->lock);
        if (pipeline->workers_idle > 0)
            pthread_cond_signal(&pipeline->work); /* its place in the ring may be what somebody waits for */
    }
    camera->draining = false;
}

static void finish(struct weir_pipeline *pipeline, struct weir_job *job, int64_t took_ns)
{
    struct weir_camera *camera = job->camera;
    struct weir_event *event = job->event;
    pthread_mutex_lock(&pipeline->lock);
    count_outcome(pipeline, camera, event);
    learn_service_time(pipeline, took_ns);
    pipeline->busy_ns += took_ns;
    weir_rate_add(&pipeline->busy_rate, event->inferred_ns, (double)took_ns / WEIR_NS_PER_S);
    if (pipeline->keep_pictures && event->result.status == WEIR_OK)
        weir_camera_keep_picture(camera, job->frame, &event->result);
    weir_camera_finish(camera, job->ticket, event);
    if (!camera->draining)
        drain_finished(pipeline, camera);
    pthread_mutex_unlock(&pipeline->lock);
}

static void look_at(struct weir_pipeline_worker *worker, struct weir_job *job)
{
    struct weir_pipeline *pipeline = worker->pipeline;
    struct weir_event *event = job->event;
    event->camera = job->camera->index;
    event->camera_id = job->camera->config->id;
    event->camera_name = job->camera->config->name;
    event->sequence = job->frame->sequence;
    event->capture_wall_ns = job->frame->capture_wall_ns;
    event->capture_ns = job->frame->capture_ns;
    event->arrival_ns = job->frame->arrival_ns;
    event->published_ns = 0;

    int64_t start_ns = weir_clock_ns();
    weir_detector_detect(worker->session, job->frame, &event->result);
    event->result.timings.queue_ns = start_ns - job->frame->arrival_ns;
    event->inferred_ns = weir_clock_ns();
    finish(pipeline, job, event->inferred_ns - start_ns);
    weir_frame_unref(&job->frame);
}

/* Workers keep every core busy when they can; the threads that receive, publish and show need little, but at once. */
static void yield_to_light_threads(void)
{
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), WORKER_NICE);
}

static void *run(void *argument)
{
    struct weir_pipeline_worker *worker = argument;
    struct weir_pipeline *pipeline = worker->pipeline;
    yield_to_light_threads();
    struct weir_job job;
    while (weir_intake_take(pipeline, &job))
        look_at(worker, &job);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->workers_alive--;
    pthread_cond_broadcast(&pipeline->stopped);
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

int weir_pipeline_worker_start(struct weir_pipeline_worker *worker)
{
    char name[16];
    (void)snprintf(name, sizeof name, "worker %d", (int)(worker - worker->pipeline->workers));
    int code = weir_thread_start(&worker->thread, name, run, worker);
    if (code != 0)
        return code;
    worker->started = true;
    pthread_mutex_lock(&worker->pipeline->lock);
    worker->pipeline->workers_alive++;
    pthread_mutex_unlock(&worker->pipeline->lock);
    return 0;
}
