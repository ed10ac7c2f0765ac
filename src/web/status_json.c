/* SPDX-License-Identifier: Apache-2.0 */
#include "web/status_json.h"

#include "base/clock.h"
#include "result/event.h"

/* Only the reasons that happened: there are many, and most never do. */
static json_t *reasons_json(const uint64_t counts[WEIR_REASON_COUNT])
{
    json_t *object = json_object();
    for (int i = 0; i < WEIR_REASON_COUNT; i++)
        if (counts[i] > 0)
            json_object_set_new(object, weir_reason_name((enum weir_reason)i),
                                json_integer((json_int_t)counts[i]));
    return object;
}

static json_t *books_json(const struct weir_books *books)
{
    const struct {
        const char *key;
        uint64_t value;
    } rows[] = {
        {"read", books->read},
        {"waiting", books->waiting},
        {"running", books->running},
        {"inferred", books->inferred},
        {"publishing", books->publishing},
        {"published", books->published},
        {"unpublished", books->unpublished},
        {"dropped", weir_books_dropped(books)},
        {"failed", weir_books_failed(books)},
    };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_object_set_new(object, rows[i].key, json_integer((json_int_t)rows[i].value));
    json_object_set_new(object, "droppedBy", reasons_json(books->dropped));
    json_object_set_new(object, "failedBy", reasons_json(books->failed));
    return object;
}

static json_t *ms(int64_t ns)
{
    return weir_json_number((double)ns / WEIR_NS_PER_MS, 0.001);
}

static json_t *seconds(int64_t ns)
{
    return weir_json_number((double)ns / WEIR_NS_PER_S, 0.001);
}

static json_t *quantiles_json(const struct weir_histogram *histogram)
{
    json_t *object = json_object();
    json_object_set_new(object, "p50", ms(weir_histogram_quantile_ns(histogram, 0.50)));
    json_object_set_new(object, "p95", ms(weir_histogram_quantile_ns(histogram, 0.95)));
    json_object_set_new(object, "p99", ms(weir_histogram_quantile_ns(histogram, 0.99)));
    json_object_set_new(object, "max", ms(histogram->max_ns));
    json_object_set_new(object, "count", json_integer((json_int_t)histogram->count));
    return object;
}

static json_t *steps_json(const struct weir_snapshot *snapshot)
{
    json_t *object = json_object();
    json_object_set_new(object, "queue", quantiles_json(&snapshot->queue));
    json_object_set_new(object, "decode", quantiles_json(&snapshot->decode));
    json_object_set_new(object, "preprocess", quantiles_json(&snapshot->preprocess));
    json_object_set_new(object, "inference", quantiles_json(&snapshot->inference));
    json_object_set_new(object, "postprocess", quantiles_json(&snapshot->postprocess));
    json_object_set_new(object, "publish", quantiles_json(&snapshot->publish));
    return object;
}

static void add_source(json_t *object, const struct weir_source_status *source, int64_t now_ns)
{
    json_object_set_new(object, "state", json_string(weir_source_state_name(source->state)));
    json_object_set_new(object, "reason", json_string(weir_source_reason_name(source->reason)));
    if (source->detail[0] != '\0')
        json_object_set_new(object, "detail", weir_json_text(source->detail));
    if (source->reason != WEIR_SOURCE_REASON_NONE)
        json_object_set_new(object, "advice", json_string(weir_source_reason_advice(source->reason)));
    json_object_set_new(object, "sinceS", seconds(source->since_ns > 0 ? now_ns - source->since_ns : 0));
    json_object_set_new(object, "reconnects", json_integer(source->reconnects));
}

static json_t *camera_json(const struct weir_camera_snapshot *camera, int64_t now_ns)
{
    json_t *age = json_object();
    json_object_set_new(age, "p50", ms(camera->age_p50_ns));
    json_object_set_new(age, "p99", ms(camera->age_p99_ns));
    json_t *object = json_object();
    json_object_set_new(object, "id", weir_json_text(camera->id));
    json_object_set_new(object, "name", weir_json_text(camera->name));
    json_object_set_new(object, "url", weir_json_text(camera->url));
    add_source(object, &camera->source, now_ns);
    json_object_set_new(object, "policy", json_string(weir_policy_name(camera->policy)));
    json_object_set_new(object, "books", books_json(&camera->books));
    json_object_set_new(object, "readFps", weir_json_number(camera->read_fps, 0.01));
    json_object_set_new(object, "inferredFps", weir_json_number(camera->inferred_fps, 0.01));
    json_object_set_new(object, "ageMs", age);
    if (camera->last_frame_ns > 0)
        json_object_set_new(object, "lastFrameS", seconds(now_ns - camera->last_frame_ns));
    if (camera->width > 0) {
        json_object_set_new(object, "width", json_integer(camera->width));
        json_object_set_new(object, "height", json_integer(camera->height));
    }
    return object;
}

static json_t *queue_json(const struct weir_snapshot *snapshot)
{
    json_t *object = json_object();
    json_object_set_new(object, "size", json_integer((json_int_t)snapshot->publish_queue_size));
    json_object_set_new(object, "capacity", json_integer((json_int_t)snapshot->publish_queue_capacity));
    return object;
}

json_t *weir_status_json(const struct weir_snapshot *snapshot, int64_t now_ns)
{
    json_t *object = json_object();
    json_t *cameras = json_array();
    for (size_t i = 0; i < snapshot->camera_count; i++)
        json_array_append_new(cameras, camera_json(&snapshot->cameras[i], now_ns));
    json_object_set_new(object, "state", json_string(snapshot->running ? "running" : "stopping"));
    json_object_set_new(object, "elapsedS", seconds(snapshot->elapsed_ns));
    json_object_set_new(object, "detector",
                        weir_json_text(snapshot->detector != NULL ? snapshot->detector : ""));
    json_object_set_new(object, "workers", json_integer(snapshot->workers));
    json_object_set_new(object, "publishers", json_integer(snapshot->publishers));
    json_object_set_new(object, "workersBusy", weir_json_number(snapshot->workers_busy, 0.001));
    json_object_set_new(object, "workersBusyTotal", weir_json_number(snapshot->workers_busy_total, 0.001));
    json_object_set_new(object, "bottleneck", json_string(snapshot->bottleneck));
    json_object_set_new(object, "books", books_json(&snapshot->total));
    json_object_set_new(object, "readFps", weir_json_number(snapshot->read_fps, 0.01));
    json_object_set_new(object, "inferredFps", weir_json_number(snapshot->inferred_fps, 0.01));
    json_object_set_new(object, "ageMs", quantiles_json(&snapshot->age));
    json_object_set_new(object, "stepsMs", steps_json(snapshot));
    json_object_set_new(object, "publishQueue", queue_json(snapshot));
    json_object_set_new(object, "cameras", cameras);
    return object;
}
