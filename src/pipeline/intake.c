/* SPDX-License-Identifier: Apache-2.0 */

/* From the sources to the workers.
 *
 * newest: a camera's mailbox holds one frame; a newer one replaces it (dropped: superseded), so the age of
 * what is looked at is bounded by the camera's own interval. every: the mailbox holds a few and the source
 * is told to pause. fifo-*: the cameras share one bounded queue; the reference's behaviour, kept to compare.
 * A frame that is dropped here was never decoded. */

#include "base/clock.h"
#include "pipeline/pipeline_private.h"

#include <string.h>

enum {
    EVERY_DEPTH = 2,         /* frames that wait before a lossless source is paused: one to take, one to come */
    STALE_SERVICE_TIMES = 3, /* at the end, a live camera's frame older than this is not worth a look */
};

static void drop(struct weir_camera *camera, struct weir_frame *frame, enum weir_reason reason)
{
    camera->books.dropped[reason]++;
    weir_rate_add(&camera->dropped_rate, weir_clock_ns(), 1);
    weir_frame_unref(&frame);
}

static void put(struct weir_pipeline *pipeline, struct weir_camera *camera, struct weir_frame_list *list,
                struct weir_frame *frame)
{
    if (!weir_frame_list_push(list, frame)) {
        camera->books.failed[WEIR_REASON_OUT_OF_MEMORY]++;
        weir_frame_unref(&frame);
        return;
    }
    camera->books.waiting++;
    if (pipeline->workers_idle > 0)
        pthread_cond_signal(&pipeline->work);
}

static void put_newest(struct weir_pipeline *pipeline, struct weir_camera *camera, struct weir_frame *frame)
{
    struct weir_frame *old = weir_frame_list_pop(&camera->mailbox);
    if (old != NULL) {
        camera->books.waiting--;
        drop(camera, old, WEIR_REASON_SUPERSEDED);
    }
    put(pipeline, camera, &camera->mailbox, frame);
}

static void put_fifo(struct weir_pipeline *pipeline, struct weir_camera *camera, struct weir_frame *frame)
{
    bool full = pipeline->fifo.size >= (size_t)pipeline->config->queue;
    if (full && camera->policy == WEIR_POLICY_FIFO_DROP_NEWEST) {
        drop(camera, frame, WEIR_REASON_QUEUE_FULL);
        return;
    }
    if (full) {
        struct weir_frame *old = weir_frame_list_pop(&pipeline->fifo);
        struct weir_camera *owner = pipeline->cameras[old->camera];
        owner->books.waiting--;
        drop(owner, old, WEIR_REASON_QUEUE_FULL);
    }
    put(pipeline, camera, &pipeline->fifo, frame);
}

static enum weir_source_flow put_every(struct weir_pipeline *pipeline, struct weir_camera *camera,
                                       struct weir_frame *frame)
{
    put(pipeline, camera, &camera->mailbox, frame);
    if (camera->mailbox.size < EVERY_DEPTH)
        return WEIR_SOURCE_GO;
    camera->paused = true;
    return WEIR_SOURCE_PAUSE;
}

static void count_read(struct weir_camera *camera)
{
    int64_t now_ns = weir_clock_ns();
    camera->books.read++;
    camera->sequence++;
    camera->last_frame_ns = now_ns;
    weir_rate_add(&camera->read_rate, now_ns, 1);
}

static enum weir_source_flow on_frame(void *user, struct weir_frame *frame)
{
    struct weir_camera *camera = user;
    struct weir_pipeline *pipeline = camera->pipeline;
    enum weir_source_flow flow = WEIR_SOURCE_GO;
    pthread_mutex_lock(&pipeline->lock);
    count_read(camera);
    frame->camera = camera->index;
    frame->sequence = camera->sequence;
    if (pipeline->closed)
        drop(camera, frame, WEIR_REASON_SHUTDOWN);
    else if (camera->policy == WEIR_POLICY_EVERY)
        flow = put_every(pipeline, camera, frame);
    else if (camera->policy == WEIR_POLICY_NEWEST)
        put_newest(pipeline, camera, frame);
    else
        put_fifo(pipeline, camera, frame);
    pthread_mutex_unlock(&pipeline->lock);
    return flow;
}

static void on_bad_frame(void *user, enum weir_reason reason)
{
    struct weir_camera *camera = user;
    pthread_mutex_lock(&camera->pipeline->lock);
    count_read(camera);
    camera->books.failed[reason]++;
    pthread_mutex_unlock(&camera->pipeline->lock);
}

static void on_status(void *user, const struct weir_source_status *status)
{
    struct weir_camera *camera = user;
    pthread_mutex_lock(&camera->pipeline->lock);
    struct weir_source_status before = camera->status;
    camera->status = *status;
    /* Closed by ourselves: what kept it from being live until then is what the summary should say. */
    if (status->state == WEIR_SOURCE_STOPPED && status->reason == WEIR_SOURCE_REASON_NONE) {
        camera->status.reason = before.reason;
        memcpy(camera->status.detail, before.detail, sizeof before.detail);
    }
    pthread_mutex_unlock(&camera->pipeline->lock);
}

const struct weir_source_events weir_pipeline_source_events = {
    .frame = on_frame,
    .bad_frame = on_bad_frame,
    .status = on_status,
};

static size_t fill_candidates(struct weir_pipeline *pipeline)
{
    size_t waiting = 0;
    for (size_t i = 0; i < pipeline->camera_count; i++) {
        const struct weir_camera *camera = pipeline->cameras[i];
        const struct weir_frame *first = weir_frame_list_first(&camera->mailbox);
        struct weir_candidate *c = &pipeline->candidates[i];
        c->ready = first != NULL && weir_camera_has_place(camera);
        c->arrival_ns = first != NULL ? first->arrival_ns : 0;
        c->served_ns = camera->served_ns;
        waiting += first != NULL;
    }
    const struct weir_frame *first = weir_frame_list_first(&pipeline->fifo);
    struct weir_candidate *fifo = &pipeline->candidates[pipeline->camera_count];
    fifo->ready = first != NULL && weir_camera_has_place(pipeline->cameras[first->camera]);
    fifo->arrival_ns = first != NULL ? first->arrival_ns : 0;
    fifo->served_ns = pipeline->fifo_served_ns;
    return waiting + (first != NULL);
}

/* The frame to work on now, or NULL. */
static struct weir_frame *choose(struct weir_pipeline *pipeline)
{
    if (pipeline->spare_count == 0 || fill_candidates(pipeline) == 0)
        return NULL;
    struct weir_schedule_params params = {
        .now_ns = weir_clock_ns(),
        .young_ns = pipeline->service_ns,
        .cap_ns = weir_schedule_cap_ns(pipeline->camera_count, pipeline->worker_count, pipeline->service_ns),
    };
    int i = weir_schedule_choose(pipeline->candidates, pipeline->camera_count + 1, &params);
    if (i < 0)
        return NULL;
    if ((size_t)i == pipeline->camera_count) {
        pipeline->fifo_served_ns = params.now_ns;
        return weir_frame_list_pop(&pipeline->fifo);
    }
    return weir_frame_list_pop(&pipeline->cameras[i]->mailbox);
}

/* At the end no newer frame comes to take a waiting one's place. A live camera's frame that has had to wait for long would be
 * looked at only to report the past: it is dropped as its camera's next frame would have dropped it. */
static struct weir_frame *choose_worthwhile(struct weir_pipeline *pipeline)
{
    struct weir_frame *frame;
    while ((frame = choose(pipeline)) != NULL) {
        struct weir_camera *camera = pipeline->cameras[frame->camera];
        bool stale = weir_clock_ns() - frame->arrival_ns > STALE_SERVICE_TIMES * pipeline->service_ns;
        if (!(pipeline->closed && stale && camera->policy == WEIR_POLICY_NEWEST))
            return frame;
        camera->books.waiting--;
        drop(camera, frame, WEIR_REASON_SHUTDOWN);
    }
    return NULL;
}

static bool anything_waits(const struct weir_pipeline *pipeline)
{
    if (pipeline->fifo.size > 0)
        return true;
    for (size_t i = 0; i < pipeline->camera_count; i++)
        if (pipeline->cameras[i]->mailbox.size > 0)
            return true;
    return false;
}

static void hand_to_worker(struct weir_pipeline *pipeline, struct weir_frame *frame, struct weir_job *job)
{
    struct weir_camera *camera = pipeline->cameras[frame->camera];
    camera->books.waiting--;
    camera->books.running++;
    camera->served_ns = weir_clock_ns();
    job->frame = frame;
    job->camera = camera;
    job->event = pipeline->spare_events[--pipeline->spare_count];
    job->ticket = weir_camera_ticket(camera);
}

/* The camera's source when it waits for the room that there now is, else NULL. */
static struct weir_source *source_to_resume(struct weir_pipeline *pipeline, struct weir_camera *camera)
{
    if (!camera->paused || camera->mailbox.size >= EVERY_DEPTH || camera->source == NULL || pipeline->closed)
        return NULL;
    camera->paused = false;
    return camera->source;
}

void weir_intake_attach(struct weir_pipeline *pipeline, struct weir_camera *camera, struct weir_source *source)
{
    pthread_mutex_lock(&pipeline->lock);
    camera->source = source;
    struct weir_source *resume = source_to_resume(pipeline, camera);
    pthread_mutex_unlock(&pipeline->lock);
    if (resume != NULL)
        weir_source_resume(resume);
}

bool weir_intake_take(struct weir_pipeline *pipeline, struct weir_job *job)
{
    pthread_mutex_lock(&pipeline->lock);
    struct weir_frame *frame;
    while ((frame = choose_worthwhile(pipeline)) == NULL && !(pipeline->closed && !anything_waits(pipeline))) {
        pipeline->workers_idle++;
        pthread_cond_wait(&pipeline->work, &pipeline->lock);
        pipeline->workers_idle--;
    }
    struct weir_source *resume = NULL;
    if (frame != NULL) {
        hand_to_worker(pipeline, frame, job);
        resume = source_to_resume(pipeline, job->camera);
    }
    pthread_mutex_unlock(&pipeline->lock);
    if (resume != NULL)
        weir_source_resume(resume);
    return frame != NULL;
}

void weir_intake_close(struct weir_pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->closed = true;
    pthread_cond_broadcast(&pipeline->work);
    pthread_mutex_unlock(&pipeline->lock);
}

static void drop_all(struct weir_pipeline *pipeline, struct weir_frame_list *list)
{
    struct weir_frame *frame;
    while ((frame = weir_frame_list_pop(list)) != NULL) {
        struct weir_camera *camera = pipeline->cameras[frame->camera];
        camera->books.waiting--;
        drop(camera, frame, WEIR_REASON_SHUTDOWN);
    }
}

void weir_intake_abort(struct weir_pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->closed = true;
    pipeline->aborted = true;
    drop_all(pipeline, &pipeline->fifo);
    for (size_t i = 0; i < pipeline->camera_count; i++)
        drop_all(pipeline, &pipeline->cameras[i]->mailbox);
    pthread_cond_broadcast(&pipeline->work);
    pthread_mutex_unlock(&pipeline->lock);
}
