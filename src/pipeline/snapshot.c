/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "pipeline/bottleneck.h"
#include "pipeline/pipeline_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void fill_camera(struct weir_camera_snapshot *to, const struct weir_camera *camera, int64_t now_ns)
{
    to->id = camera->config->id;
    to->name = camera->config->name;
    to->url = camera->shown_url;
    to->source = camera->status;
    to->policy = camera->policy;
    to->books = camera->books;
    to->read_fps = weir_rate_per_second(&camera->read_rate, now_ns);
    to->inferred_fps = weir_rate_per_second(&camera->inferred_rate, now_ns);
    to->age_p50_ns = weir_histogram_quantile_ns(&camera->age, 0.5);
    to->age_p99_ns = weir_histogram_quantile_ns(&camera->age, 0.99);
    to->last_frame_ns = camera->last_frame_ns;
    to->width = camera->picture_result.image_width;
    to->height = camera->picture_result.image_height;
}

static double fullest_publish_queue(struct weir_pipeline *pipeline, struct weir_snapshot *snapshot)
{
    double fullest = 0;
    for (int i = 0; i < pipeline->publisher_count; i++) {
        size_t size = weir_queue_size(pipeline->publishers[i].queue);
        size_t capacity = weir_queue_capacity(pipeline->publishers[i].queue);
        snapshot->publish_queue_size += size;
        snapshot->publish_queue_capacity += capacity;
        if ((double)size / (double)capacity > fullest)
            fullest = (double)size / (double)capacity;
    }
    return fullest;
}

/* Of the time spent on frames, how much goes before inference. */
static double decode_share(const struct weir_snapshot *snapshot)
{
    double before = (double)snapshot->decode.sum_ns + (double)snapshot->preprocess.sum_ns;
    double all = before + (double)snapshot->inference.sum_ns + (double)snapshot->postprocess.sum_ns;
    return all > 0 ? before / all : 0;
}

static void name_bottleneck(struct weir_pipeline *pipeline, struct weir_snapshot *snapshot, double dropped_fps)
{
    struct weir_bottleneck_input input = {
        .workers_busy = snapshot->workers_busy,
        .publish_fill = fullest_publish_queue(pipeline, snapshot),
        .drop_fraction = snapshot->read_fps > 0 ? dropped_fps / snapshot->read_fps : 0,
        .decode_share = decode_share(snapshot),
        .cameras = snapshot->camera_count,
    };
    for (size_t i = 0; i < snapshot->camera_count; i++) {
        const struct weir_camera_snapshot *camera = &snapshot->cameras[i];
        bool ended = camera->source.state == WEIR_SOURCE_STOPPED && camera->books.read > 0;
        input.cameras_live += camera->source.state == WEIR_SOURCE_LIVE || ended;
    }
    snapshot->bottleneck = weir_bottleneck_name(&input);
}

static double share(double worker_seconds, double seconds, int workers)
{
    double busy = seconds > 0 ? worker_seconds / seconds / workers : 0;
    return busy < 1 ? busy : 1;
}

static void fill(struct weir_pipeline *pipeline, struct weir_snapshot *snapshot)
{
    int64_t now_ns = weir_clock_ns();
    int64_t end_ns = pipeline->ended_ns != 0 ? pipeline->ended_ns : now_ns;
    double dropped_fps = 0;
    snapshot->elapsed_ns = pipeline->started_ns != 0 ? end_ns - pipeline->started_ns : 0;
    snapshot->running = pipeline->started_ns != 0 && !pipeline->closed;
    snapshot->workers = pipeline->worker_count;
    snapshot->publishers = pipeline->publisher_count;
    snapshot->detector = weir_detector_summary(pipeline->detector);
    snapshot->queue = pipeline->queue_time;
    snapshot->decode = pipeline->decode_time;
    snapshot->preprocess = pipeline->preprocess_time;
    snapshot->inference = pipeline->inference_time;
    snapshot->postprocess = pipeline->postprocess_time;
    snapshot->publish = pipeline->publish_time;
    for (size_t i = 0; i < pipeline->camera_count; i++) {
        const struct weir_camera *camera = pipeline->cameras[i];
        fill_camera(&snapshot->cameras[i], camera, end_ns);
        weir_books_add(&snapshot->total, &camera->books);
        weir_histogram_add(&snapshot->age, &camera->age);
        snapshot->read_fps += snapshot->cameras[i].read_fps;
        snapshot->inferred_fps += snapshot->cameras[i].inferred_fps;
        dropped_fps += weir_rate_per_second(&camera->dropped_rate, end_ns);
    }
    snapshot->workers_busy_total = share((double)pipeline->busy_ns, (double)snapshot->elapsed_ns, pipeline->worker_count);
    snapshot->workers_busy = share(weir_rate_per_second(&pipeline->busy_rate, end_ns), 1, pipeline->worker_count);
    name_bottleneck(pipeline, snapshot, dropped_fps);
}

int weir_pipeline_snapshot(struct weir_pipeline *pipeline, struct weir_snapshot **out)
{
    *out = NULL;
    struct weir_snapshot *snapshot = calloc(1, sizeof *snapshot);
    if (snapshot == NULL)
        return -ENOMEM;
    snapshot->camera_count = pipeline->camera_count;
    snapshot->cameras = calloc(pipeline->camera_count + 1, sizeof *snapshot->cameras);
    if (snapshot->cameras == NULL) {
        free(snapshot);
        return -ENOMEM;
    }
    pthread_mutex_lock(&pipeline->lock);
    fill(pipeline, snapshot);
    pthread_mutex_unlock(&pipeline->lock);
    *out = snapshot;
    return 0;
}

void weir_snapshot_free(struct weir_snapshot **snapshot)
{
    if (*snapshot != NULL)
        free((*snapshot)->cameras);
    free(*snapshot);
    *snapshot = NULL;
}

static struct weir_camera *find_camera(struct weir_pipeline *pipeline, const char *id)
{
    for (size_t i = 0; i < pipeline->camera_count; i++)
        if (strcmp(pipeline->cameras[i]->config->id, id) == 0)
            return pipeline->cameras[i];
    return NULL;
}

bool weir_pipeline_picture(struct weir_pipeline *pipeline, const char *camera_id, struct weir_frame **frame,
                           struct weir_result *result)
{
    *frame = NULL;
    struct weir_camera *camera = find_camera(pipeline, camera_id);
    if (camera == NULL)
        return false;
    pthread_mutex_lock(&pipeline->lock);
    if (camera->picture != NULL && weir_result_copy(result, &camera->picture_result) == 0)
        *frame = weir_frame_ref(camera->picture);
    pthread_mutex_unlock(&pipeline->lock);
    return true;
}
