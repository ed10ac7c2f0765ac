/* SPDX-License-Identifier: Apache-2.0 */
#include "web/dashboard.h"

#include "base/clock.h"
#include "image/jpeg.h"
#include "result/event.h"
#include "web/exposition.h"
#include "web/http.h"
#include "web/metrics.h"
#include "web/page.h"
#include "web/route.h"
#include "web/status_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SNAPSHOT_QUALITY = 85, /* pictures of video cameras come decoded and are encoded for the viewer */
    BODY_MAX = 4096,       /* nothing here takes a body: enough to read a stray one and answer 405 */
    STOP_GRACE_MS = 500,
};

struct weir_dashboard {
    struct weir_http *http;
    struct weir_pipeline *pipeline;
    struct weir_snapshot *first;  /* taken at the start, for the cameras' names */
    struct weir_block_pool *pool; /* server's thread only, like result */
    struct weir_result result;
};

/* One camera's newest picture and what was seen in it. */
struct picture {
    struct weir_frame *frame;
    struct weir_block *jpeg;
};

static void picture_fini(struct picture *picture)
{
    weir_block_unref(&picture->jpeg);
    weir_frame_unref(&picture->frame);
}

static bool take_jpeg(struct weir_dashboard *dashboard, struct picture *picture)
{
    struct weir_block *jpeg = picture->frame->jpeg;
    if (jpeg != NULL) /* not every browser knows the tables that motion JPEG leaves out */
        return weir_jpeg_add_huffman_tables(&picture->jpeg, dashboard->pool, jpeg, NULL) == 0;
    return picture->frame->image != NULL &&
           weir_jpeg_encode(&picture->jpeg, dashboard->pool, picture->frame->image, SNAPSHOT_QUALITY, NULL) ==
               0;
}

static void refuse_camera(struct weir_http_exchange *exchange, const char *id)
{
    weir_http_reply_error(exchange, 404, "no_such_camera",
                          "there is no camera with the id %s: see /api/v1/status", id);
}

static void refuse_picture(struct weir_http_exchange *exchange, const char *id)
{
    weir_http_reply_error(exchange, 404, "no_picture", "nothing has been inferred yet from camera %s", id);
}

/* The picture's frame and dashboard->result; or false, and the refusal has been sent. */
static bool find_frame(struct weir_dashboard *dashboard, struct weir_http_exchange *exchange, const char *id,
                       struct picture *picture)
{
    weir_result_clear(&dashboard->result);
    if (!weir_pipeline_picture(dashboard->pipeline, id, &picture->frame, &dashboard->result)) {
        refuse_camera(exchange, id);
        return false;
    }
    if (picture->frame == NULL) {
        refuse_picture(exchange, id);
        return false;
    }
    return true;
}

static void release_block(void *owner)
{
    struct weir_block *block = owner;
    weir_block_unref(&block);
}

static void answer_snapshot(void *user, struct weir_http_exchange *exchange, const char *id)
{
    struct weir_dashboard *dashboard = user;
    struct picture picture = {0};
    char sequence[24];
    if (!find_frame(dashboard, exchange, id, &picture))
        return;
    if (take_jpeg(dashboard, &picture)) {
        (void)snprintf(sequence, sizeof sequence, "%" PRIu64, picture.frame->sequence);
        const struct weir_http_reply reply = {.status = 200,
                                              .type = "image/jpeg",
                                              .body = picture.jpeg->data,
                                              .size = picture.jpeg->size,
                                              .release = release_block,
                                              .owner = weir_block_ref(picture.jpeg),
                                              .sequence = sequence};
        weir_http_reply(exchange, &reply);
    } else {
        weir_http_reply_error(exchange, 503, "out_of_memory", "the picture can't be encoded now");
    }
    picture_fini(&picture);
}

static const char *name_of(const struct weir_dashboard *dashboard, const char *id)
{
    for (size_t i = 0; i < dashboard->first->camera_count; i++)
        if (strcmp(dashboard->first->cameras[i].id, id) == 0)
            return dashboard->first->cameras[i].name;
    return id;
}

static void write_detections(const struct weir_dashboard *dashboard, const char *id,
                             const struct weir_frame *frame, struct weir_buf *out)
{
    const struct weir_event event = {.camera = frame->camera,
                                     .camera_id = id,
                                     .camera_name = name_of(dashboard, id),
                                     .sequence = frame->sequence,
                                     .capture_wall_ns = frame->capture_wall_ns,
                                     .capture_ns = frame->capture_ns,
                                     .result = dashboard->result};
    if (weir_event_write_json(&event, out) != 0)
        out->failed = true;
}

static void answer_detections(void *user, struct weir_http_exchange *exchange, const char *id)
{
    struct weir_dashboard *dashboard = user;
    struct picture picture = {0};
    struct weir_buf text = {0};
    if (!find_frame(dashboard, exchange, id, &picture))
        return;
    write_detections(dashboard, id, picture.frame, &text);
    weir_http_reply_buf(exchange, 200, "application/json", &text);
    picture_fini(&picture);
}

static bool is_known_already(const struct weir_http_exchange *exchange, const struct weir_frame *frame)
{
    const char *after = weir_http_query(exchange, "after");
    return after != NULL && strtoull(after, NULL, 10) == frame->sequence;
}

static void reply_nothing_new(struct weir_http_exchange *exchange)
{
    const struct weir_http_reply reply = {.status = 204, .body = ""};
    weir_http_reply(exchange, &reply);
}

/* JSON length (4 bytes, big-endian), JSON, JPEG: a picture and its boxes can't come from different frames,
 * and one request does for both. */
static void answer_frame(void *user, struct weir_http_exchange *exchange, const char *id)
{
    struct weir_dashboard *dashboard = user;
    struct picture picture = {0};
    struct weir_buf text = {0}, all = {0};
    weir_result_clear(&dashboard->result);
    if (!weir_pipeline_picture(dashboard->pipeline, id, &picture.frame, &dashboard->result)) {
        refuse_camera(exchange, id);
        return;
    }
    if (picture.frame == NULL || is_known_already(exchange, picture.frame) ||
        !take_jpeg(dashboard, &picture)) {
        reply_nothing_new(exchange);
    } else {
        write_detections(dashboard, id, picture.frame, &text);
        uint32_t size = (uint32_t)text.size;
        const uint8_t head[4] = {(uint8_t)(size >> 24), (uint8_t)(size >> 16), (uint8_t)(size >> 8),
                                 (uint8_t)size};
        (void)weir_buf_reserve(&all, sizeof head + text.size + picture.jpeg->size);
        weir_buf_append(&all, head, sizeof head);
        weir_buf_append(&all, text.data, text.size);
        weir_buf_append(&all, picture.jpeg->data, picture.jpeg->size);
        all.failed |= text.failed;
        weir_http_reply_buf(exchange, 200, "application/vnd.weir.frame", &all);
    }
    weir_buf_fini(&text);
    picture_fini(&picture);
}

static void answer_status(void *user, struct weir_http_exchange *exchange, const char *id)
{
    struct weir_dashboard *dashboard = user;
    struct weir_snapshot *snapshot = NULL;
    (void)id;
    if (weir_pipeline_snapshot(dashboard->pipeline, &snapshot) != 0) {
        weir_http_reply_error(exchange, 503, "out_of_memory", "no memory for a snapshot");
        return;
    }
    json_t *object = weir_status_json(snapshot, weir_clock_ns());
    json_object_set_new(object, "version", json_string(WEIR_VERSION));
    struct weir_error failure = {0};
    if (weir_pipeline_failed(dashboard->pipeline, &failure)) {
        json_object_set_new(object, "state", json_string("failed"));
        json_object_set_new(object, "message", weir_json_text(failure.text));
    }
    weir_http_reply_json(exchange, 200, object);
    weir_snapshot_free(&snapshot);
}

static void answer_metrics(void *user, struct weir_http_exchange *exchange, const char *id)
{
    struct weir_dashboard *dashboard = user;
    struct weir_snapshot *snapshot = NULL;
    struct weir_http_counts counts;
    struct weir_buf text = {0};
    (void)id;
    if (weir_pipeline_snapshot(dashboard->pipeline, &snapshot) != 0) {
        weir_http_reply_error(exchange, 503, "out_of_memory", "no memory for a snapshot");
        return;
    }
    weir_http_counts(dashboard->http, &counts);
    const struct weir_metrics_view view = {snapshot, &counts, weir_clock_ns()};
    weir_metrics_write(&view, &text);
    weir_http_reply_buf(exchange, 200, WEIR_EXPOSITION_TYPE, &text);
    weir_snapshot_free(&snapshot);
}

static void answer_health(void *user, struct weir_http_exchange *exchange, const char *id)
{
    struct weir_dashboard *dashboard = user;
    struct weir_error failure = {0};
    (void)id;
    bool failed = weir_pipeline_failed(dashboard->pipeline, &failure);
    json_t *object = json_object();
    json_object_set_new(object, "state", json_string(failed ? "failed" : "running"));
    if (failed)
        json_object_set_new(object, "message", weir_json_text(failure.text));
    weir_http_reply_json(exchange, failed ? 503 : 200, object);
}

static void answer_file(void *user, struct weir_http_exchange *exchange, const char *id)
{
    (void)user;
    (void)id;
    for (size_t i = 0; i < weir_page_file_count; i++) {
        const struct weir_page_file *file = &weir_page_files[i];
        if (strcmp(file->path, weir_http_path(exchange)) != 0)
            continue;
        const struct weir_http_reply reply = {
            .status = 200, .type = file->type, .body = file->data, .size = file->size};
        weir_http_reply(exchange, &reply);
        return;
    }
    weir_http_reply_error(exchange, 404, "not_found", "there is nothing under %.200s",
                          weir_http_path(exchange));
}

static const struct weir_route routes[] = {
    {"GET", "/", answer_file},
    {"GET", "/style.css", answer_file},
    {"GET", "/script.js", answer_file},
    {"GET", "/icon.svg", answer_file},
    {"GET", "/api/v1/status", answer_status},
    {"GET", "/api/v1/cameras/{}/snapshot.jpg", answer_snapshot},
    {"GET", "/api/v1/cameras/{}/detections", answer_detections},
    {"GET", "/api/v1/cameras/{}/frame", answer_frame},
    {"GET", "/metrics", answer_metrics},
    {"GET", "/healthz", answer_health},
};

static void answer(void *user, struct weir_http_exchange *exchange)
{
    weir_route_answer(routes, sizeof routes / sizeof *routes, user, exchange);
}

int weir_dashboard_start(struct weir_dashboard **out, const char *address, struct weir_pipeline *pipeline,
                         struct weir_log *log, struct weir_error *err)
{
    struct weir_dashboard *dashboard = calloc(1, sizeof *dashboard);
    if (dashboard == NULL)
        return weir_error_set(err, -ENOMEM, "web: no memory for the dashboard");
    dashboard->pipeline = pipeline;
    dashboard->pool = weir_block_pool_new(4 << 20);
    weir_result_init(&dashboard->result);
    if (dashboard->pool == NULL || weir_pipeline_snapshot(pipeline, &dashboard->first) != 0) {
        weir_dashboard_stop(&dashboard);
        return weir_error_set(err, -ENOMEM, "web: no memory for the dashboard");
    }
    struct weir_http_params params = WEIR_HTTP_PARAMS_DEFAULT;
    params.address = address;
    params.max_body_bytes = BODY_MAX;
    params.handler = answer;
    params.user = dashboard;
    params.log = log;
    int code = weir_http_start(&dashboard->http, &params, err);
    if (code != 0) {
        weir_dashboard_stop(&dashboard);
        return weir_error_prefix(err, "web");
    }
    *out = dashboard;
    return 0;
}

void weir_dashboard_stop(struct weir_dashboard **out)
{
    struct weir_dashboard *dashboard = *out;
    if (dashboard == NULL)
        return;
    *out = NULL;
    weir_http_stop(&dashboard->http, STOP_GRACE_MS * WEIR_NS_PER_MS);
    weir_snapshot_free(&dashboard->first);
    weir_block_pool_free(&dashboard->pool);
    weir_result_fini(&dashboard->result);
    free(dashboard);
}

const char *weir_dashboard_url(const struct weir_dashboard *dashboard)
{
    return weir_http_url(dashboard->http);
}
