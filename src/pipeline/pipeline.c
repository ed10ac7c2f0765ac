/* SPDX-License-Identifier: Apache-2.0 */

/* How a pipeline is built and started: publishers, workers, then ingest, so that no queue fills with nobody to empty it.
 * drain.c takes it down. */

#include "pipeline/pipeline.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/thread.h"
#include "pipeline/pipeline_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    POOL_RETAIN_BYTES = 8 << 20,  /* released blocks kept for reuse */
    HTTP_WORKERS = 8,             /* they mostly wait for the service */
    RING_PER_WORKER = 2,          /* results of one camera that may wait for an earlier one, a worker */
    SPARE_PER_WORKER = 4,
};
#define FIRST_SERVICE_GUESS_NS (20 * WEIR_NS_PER_MS)

static bool is_local(const struct weir_config *config)
{
    return strcmp(config->detector, "local") == 0;
}

static int default_workers(const struct weir_config *config)
{
    if (config->workers > 0)
        return config->workers;
    return is_local(config) ? weir_cpu_usable() : HTTP_WORKERS;
}

static int open_detector(struct weir_pipeline *pipeline, struct weir_error *err)
{
    const struct weir_config *config = pipeline->config;
    struct weir_detector_params params = {
        .kind_or_url = config->detector,
        .timeout_ns = (int64_t)(config->detector_timeout_s * WEIR_NS_PER_S),
        .model = WEIR_MODEL_PARAMS_DEFAULT,
    };
    params.model.path = config->model;
    params.model.runtime = config->runtime;
    params.model.runtime_library = config->runtime_library;
    params.model.device = config->device;
    params.model.workers = pipeline->worker_count;
    params.model.labels = config->labels;
    params.model.threshold = (float)config->threshold;
    params.model.nms_iou = (float)config->nms_iou;
    params.model.layout = config->layout;
    params.model.recipe = config->recipe;
    params.model.null_run_ns = (int64_t)(config->null_ms * WEIR_NS_PER_MS);
    params.model.jpeg.max_pixels = config->max_pixels;
    params.model.jpeg.accept_truncated = config->accept_truncated;
    params.model.jpeg.apply_orientation = config->apply_orientation;
    return weir_detector_open(&params, pipeline->log, &pipeline->detector, err);
}

static int make_cameras(struct weir_pipeline *pipeline)
{
    const struct weir_config *config = pipeline->config;
    pipeline->cameras = calloc(config->camera_count + 1, sizeof *pipeline->cameras);
    pipeline->candidates = calloc(config->camera_count + 1, sizeof *pipeline->candidates);
    if (pipeline->cameras == NULL || pipeline->candidates == NULL)
        return -ENOMEM;
    size_t ring = (size_t)pipeline->worker_count * RING_PER_WORKER;
    for (size_t i = 0; i < config->camera_count; i++) {
        struct weir_camera *camera = weir_camera_new(&config->cameras[i], (uint32_t)i, ring);
        if (camera == NULL)
            return -ENOMEM;
        camera->pipeline = pipeline;
        pipeline->cameras[i] = camera;
        pipeline->camera_count++;
    }
    return 0;
}

static int make_events(struct weir_pipeline *pipeline)
{
    size_t count = (size_t)pipeline->worker_count * SPARE_PER_WORKER +
                   (size_t)pipeline->publisher_count * ((size_t)pipeline->config->queue + 1);
    pipeline->events = calloc(count, sizeof *pipeline->events);
    pipeline->spare_events = calloc(count, sizeof *pipeline->spare_events);
    if (pipeline->events == NULL || pipeline->spare_events == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        weir_result_init(&pipeline->events[i].result);
        pipeline->spare_events[i] = &pipeline->events[i];
    }
    pipeline->event_count = pipeline->spare_count = count;
    return 0;
}

static int make_publishers(struct weir_pipeline *pipeline)
{
    pipeline->publishers = calloc((size_t)pipeline->publisher_count, sizeof *pipeline->publishers);
    if (pipeline->publishers == NULL)
        return -ENOMEM;
    for (int i = 0; i < pipeline->publisher_count; i++) {
        pipeline->publishers[i].pipeline = pipeline;
        pipeline->publishers[i].queue = weir_queue_new((size_t)pipeline->config->queue);
        if (pipeline->publishers[i].queue == NULL)
            return -ENOMEM;
    }
    return 0;
}

static int make_workers(struct weir_pipeline *pipeline, struct weir_error *err)
{
    pipeline->workers = calloc((size_t)pipeline->worker_count, sizeof *pipeline->workers);
    if (pipeline->workers == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for %d workers", pipeline->worker_count);
    for (int i = 0; i < pipeline->worker_count; i++) {
        pipeline->workers[i].pipeline = pipeline;
        int code = weir_detector_session_new(pipeline->detector, &pipeline->workers[i].session, err);
        if (code != 0)
            return code;
    }
    return 0;
}

static int open_sink(struct weir_pipeline *pipeline, struct weir_error *err)
{
    if (pipeline->config->jsonl == NULL)
        return 0;
    return weir_sink_open(&weir_sink_jsonl, pipeline->config->jsonl, pipeline->log, &pipeline->sink, err);
}

static int build(struct weir_pipeline *pipeline, struct weir_error *err)
{
    /* What the user may have got wrong comes first, the cheapest check before the slowest. */
    int code = open_sink(pipeline, err);
    if (code == 0)
        code = open_detector(pipeline, err);
    if (code == 0)
        code = make_workers(pipeline, err);
    if (code != 0)
        return code;
    pipeline->pool = weir_block_pool_new(POOL_RETAIN_BYTES);
    if (pipeline->pool == NULL || make_cameras(pipeline) != 0 || make_events(pipeline) != 0 ||
        make_publishers(pipeline) != 0)
        return weir_error_set(err, -ENOMEM, "no memory for %zu cameras", pipeline->config->camera_count);
    return weir_source_loop_new(&pipeline->loop, pipeline->log, pipeline->pool, err);
}

int weir_pipeline_new(struct weir_pipeline **out, const struct weir_config *config, struct weir_log *log,
                      struct weir_error *err)
{
    *out = NULL;
    struct weir_pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (pipeline == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for the pipeline");
    pipeline->config = config;
    pipeline->log = log;
    pipeline->worker_count = default_workers(config);
    pipeline->publisher_count = config->publishers > 0 ? config->publishers : 1;
    pipeline->keep_pictures = config->web != NULL && strcmp(config->web, "off") != 0;
    pipeline->service_ns = FIRST_SERVICE_GUESS_NS;
    pthread_mutex_init(&pipeline->lock, NULL);
    weir_cond_init(&pipeline->work);
    weir_cond_init(&pipeline->stopped);
    int code = build(pipeline, err);
    if (code != 0) {
        weir_pipeline_free(&pipeline);
        return code;
    }
    *out = pipeline;
    return 0;
}

static void free_cameras(struct weir_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->camera_count; i++)
        weir_camera_free(&pipeline->cameras[i]);
    free(pipeline->cameras);
    free(pipeline->candidates);
    weir_frame_list_fini(&pipeline->fifo);
}

static void free_stages(struct weir_pipeline *pipeline)
{
    for (int i = 0; pipeline->workers != NULL && i < pipeline->worker_count; i++)
        weir_detector_session_free(&pipeline->workers[i].session);
    free(pipeline->workers);
    for (int i = 0; pipeline->publishers != NULL && i < pipeline->publisher_count; i++)
        weir_queue_free(&pipeline->publishers[i].queue);
    free(pipeline->publishers);
    for (size_t i = 0; i < pipeline->event_count; i++)
        weir_result_fini(&pipeline->events[i].result);
    free(pipeline->events);
    free(pipeline->spare_events);
}

void weir_pipeline_free(struct weir_pipeline **out)
{
    struct weir_pipeline *pipeline = *out;
    *out = NULL;
    /* A thread that would not end still uses all of this: leave it to the end of the process. */
    if (pipeline == NULL || pipeline->workers_alive > 0 || pipeline->publishers_alive > 0)
        return;
    weir_source_loop_free(&pipeline->loop);
    free_stages(pipeline);
    free_cameras(pipeline);
    weir_detector_close(&pipeline->detector);
    (void)weir_sink_close(&pipeline->sink, NULL);
    weir_block_pool_free(&pipeline->pool);
    pthread_cond_destroy(&pipeline->stopped);
    pthread_cond_destroy(&pipeline->work);
    pthread_mutex_destroy(&pipeline->lock);
    free(pipeline);
}

static void to_source_params(const struct weir_camera_config *config, struct weir_source_params *params)
{
    const struct weir_camera_settings *s = &config->settings;
    *params = (struct weir_source_params){
        .name = config->name,
        .url = config->url,
        .user_name = s->user_name,
        .password = s->password,
        .connect_timeout_ns = (int64_t)(s->connect_timeout_s * WEIR_NS_PER_S),
        .first_frame_timeout_ns = (int64_t)(s->first_frame_timeout_s * WEIR_NS_PER_S),
        .stall_timeout_ns = (int64_t)(s->stall_timeout_s * WEIR_NS_PER_S),
        .back_off_min_ns = (int64_t)(s->back_off_min_s * WEIR_NS_PER_S),
        .back_off_max_ns = (int64_t)(s->back_off_max_s * WEIR_NS_PER_S),
        .max_frame_bytes = (size_t)s->max_frame_bytes,
        .tls_verify = s->tls_verify,
        .tls_ca = s->tls_ca,
        .proxy = s->proxy,
        .realtime = s->realtime,
        .loop = s->loop,
    };
}

static int open_sources(struct weir_pipeline *pipeline, struct weir_error *err)
{
    for (size_t i = 0; i < pipeline->camera_count; i++) {
        struct weir_camera *camera = pipeline->cameras[i];
        struct weir_source_params params;
        struct weir_source *source;
        to_source_params(camera->config, &params);
        int code = weir_source_open(pipeline->loop, &params, &weir_pipeline_source_events, camera, &source, err);
        if (code != 0) {
            weir_error_prefix(err, "camera %s", camera->config->name);
            return code;
        }
        weir_intake_attach(pipeline, camera, source);
    }
    return weir_source_loop_start(pipeline->loop, err);
}

static int start_consumers(struct weir_pipeline *pipeline, struct weir_error *err)
{
    int code = 0;
    for (int i = 0; code == 0 && i < pipeline->publisher_count; i++)
        code = weir_pipeline_publisher_start(&pipeline->publishers[i], i);
    for (int i = 0; code == 0 && i < pipeline->worker_count; i++)
        code = weir_pipeline_worker_start(&pipeline->workers[i]);
    return code == 0 ? 0 : weir_error_set(err, code, "can't start a thread: %s", strerror(-code));
}

int weir_pipeline_start(struct weir_pipeline *pipeline, struct weir_error *err)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->started_ns = weir_clock_ns();
    pthread_mutex_unlock(&pipeline->lock);
    int code = start_consumers(pipeline, err);
    if (code == 0)
        code = open_sources(pipeline, err);
    if (code != 0)
        (void)weir_pipeline_drain(pipeline, NULL);
    return code;
}

void weir_pipeline_abort(struct weir_pipeline *pipeline)
{
    atomic_store(&pipeline->abort_requested, true);
}

bool weir_pipeline_failed(struct weir_pipeline *pipeline, struct weir_error *err)
{
    pthread_mutex_lock(&pipeline->lock);
    bool failed = pipeline->sink_error.code != 0;
    if (failed && err != NULL)
        *err = pipeline->sink_error;
    pthread_mutex_unlock(&pipeline->lock);
    return failed;
}

bool weir_pipeline_finished(struct weir_pipeline *pipeline)
{
    bool finished = true;
    pthread_mutex_lock(&pipeline->lock);
    for (size_t i = 0; finished && i < pipeline->camera_count; i++) {
        const struct weir_camera *camera = pipeline->cameras[i];
        finished = camera->status.state == WEIR_SOURCE_STOPPED && camera->books.waiting == 0 &&
                   camera->books.running == 0 && camera->books.publishing == 0;
    }
    pthread_mutex_unlock(&pipeline->lock);
    return finished;
}
