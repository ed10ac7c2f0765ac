/* SPDX-License-Identifier: Apache-2.0 */

/* A metric is a row: what it is called, what it means, and which collector writes its samples. Most rows
 * differ only in the member they read, which is the row's offset. */

#include "web/metrics.h"

#include "base/clock.h"
#include "web/exposition.h"
#include "web/process_stats.h"

#include <stddef.h>

struct metric;
typedef void collector(const struct metric *metric, const struct weir_metrics_view *view,
                       struct weir_buf *out);

struct metric {
    const char *name, *type;
    const char *labels; /* for the documentation */
    collector *collect;
    size_t offset; /* of the member that the collector reads */
    const char *help;
};

static const void *member(const void *base, const struct metric *metric)
{
    return (const char *)base + metric->offset;
}

static void sample(struct weir_buf *out, const struct metric *metric, double value)
{
    weir_exposition_sample(out, metric->name, "", NULL, 0, value);
}

/* One camera's label; the id is what stays the same when a camera is renamed. */
static struct weir_label camera_label(const struct weir_camera_snapshot *camera)
{
    return (struct weir_label){"camera", camera->id};
}

static void camera_sample(struct weir_buf *out, const struct metric *metric,
                          const struct weir_camera_snapshot *camera, double value)
{
    const struct weir_label label = camera_label(camera);
    weir_exposition_sample(out, metric->name, "", &label, 1, value);
}

static void collect_books(const struct metric *metric, const struct weir_metrics_view *view,
                          struct weir_buf *out)
{
    for (size_t i = 0; i < view->snapshot->camera_count; i++) {
        const struct weir_camera_snapshot *camera = &view->snapshot->cameras[i];
        camera_sample(out, metric, camera, (double)*(const uint64_t *)member(&camera->books, metric));
    }
}

/* A reason appears when it has happened once: all of them for 64 cameras would be thousands of lines of 0. */
static void collect_reasons(const struct metric *metric, const struct weir_metrics_view *view,
                            struct weir_buf *out)
{
    for (size_t i = 0; i < view->snapshot->camera_count; i++) {
        const struct weir_camera_snapshot *camera = &view->snapshot->cameras[i];
        const uint64_t *counts = member(&camera->books, metric);
        for (int reason = 0; reason < WEIR_REASON_COUNT; reason++) {
            const struct weir_label labels[] = {camera_label(camera),
                                                {"reason", weir_reason_name((enum weir_reason)reason)}};
            if (counts[reason] > 0)
                weir_exposition_sample(out, metric->name, "", labels, 2, (double)counts[reason]);
        }
    }
}

static void collect_camera_info(const struct metric *metric, const struct weir_metrics_view *view,
                                struct weir_buf *out)
{
    for (size_t i = 0; i < view->snapshot->camera_count; i++) {
        const struct weir_camera_snapshot *camera = &view->snapshot->cameras[i];
        const struct weir_label labels[] = {
            camera_label(camera), {"name", camera->name}, {"url", camera->url}};
        weir_exposition_sample(out, metric->name, "", labels, 3, 1);
    }
}

static void collect_camera_up(const struct metric *metric, const struct weir_metrics_view *view,
                              struct weir_buf *out)
{
    for (size_t i = 0; i < view->snapshot->camera_count; i++) {
        const struct weir_camera_snapshot *camera = &view->snapshot->cameras[i];
        camera_sample(out, metric, camera, camera->source.state == WEIR_SOURCE_LIVE);
    }
}

static void collect_camera_state(const struct metric *metric, const struct weir_metrics_view *view,
                                 struct weir_buf *out)
{
    for (size_t i = 0; i < view->snapshot->camera_count; i++) {
        const struct weir_camera_snapshot *camera = &view->snapshot->cameras[i];
        const struct weir_label labels[] = {camera_label(camera),
                                            {"state", weir_source_state_name(camera->source.state)},
                                            {"reason", weir_source_reason_name(camera->source.reason)}};
        weir_exposition_sample(out, metric->name, "", labels, 3, 1);
    }
}

static void collect_reconnects(const struct metric *metric, const struct weir_metrics_view *view,
                               struct weir_buf *out)
{
    for (size_t i = 0; i < view->snapshot->camera_count; i++)
        camera_sample(out, metric, &view->snapshot->cameras[i], view->snapshot->cameras[i].source.reconnects);
}

static void collect_last_frame(const struct metric *metric, const struct weir_metrics_view *view,
                               struct weir_buf *out)
{
    for (size_t i = 0; i < view->snapshot->camera_count; i++) {
        const struct weir_camera_snapshot *camera = &view->snapshot->cameras[i];
        if (camera->last_frame_ns > 0)
            camera_sample(out, metric, camera,
                          (double)(view->now_ns - camera->last_frame_ns) / WEIR_NS_PER_S);
    }
}

static void collect_histogram(const struct metric *metric, const struct weir_metrics_view *view,
                              struct weir_buf *out)
{
    weir_exposition_summary(out, metric->name, NULL, 0, member(view->snapshot, metric));
}

static void collect_int(const struct metric *metric, const struct weir_metrics_view *view,
                        struct weir_buf *out)
{
    sample(out, metric, *(const int *)member(view->snapshot, metric));
}

static void collect_size(const struct metric *metric, const struct weir_metrics_view *view,
                         struct weir_buf *out)
{
    sample(out, metric, (double)*(const size_t *)member(view->snapshot, metric));
}

static void collect_double(const struct metric *metric, const struct weir_metrics_view *view,
                           struct weir_buf *out)
{
    sample(out, metric, *(const double *)member(view->snapshot, metric));
}

static void collect_uptime(const struct metric *metric, const struct weir_metrics_view *view,
                           struct weir_buf *out)
{
    sample(out, metric, (double)view->snapshot->elapsed_ns / WEIR_NS_PER_S);
}

static void collect_build(const struct metric *metric, const struct weir_metrics_view *view,
                          struct weir_buf *out)
{
    const struct weir_label labels[] = {{"version", WEIR_VERSION}, {"detector", view->snapshot->detector}};
    weir_exposition_sample(out, metric->name, "", labels, 2, 1);
}

static void collect_http_counter(const struct metric *metric, const struct weir_metrics_view *view,
                                 struct weir_buf *out)
{
    sample(out, metric, (double)*(const uint64_t *)member(view->http, metric));
}

static void collect_http_connections(const struct metric *metric, const struct weir_metrics_view *view,
                                     struct weir_buf *out)
{
    sample(out, metric, view->http->connections);
}

static void collect_process(const struct metric *metric, const struct weir_metrics_view *view,
                            struct weir_buf *out)
{
    struct weir_process_stats stats;
    (void)view;
    weir_process_stats_read(&stats);
    sample(out, metric, *(const double *)member(&stats, metric));
}

#define BOOKS(name)    offsetof(struct weir_books, name)
#define SNAPSHOT(name) offsetof(struct weir_snapshot, name)
#define HTTP(name)     offsetof(struct weir_http_counts, name)
#define PROCESS(name)  offsetof(struct weir_process_stats, name)

static const struct metric metrics[] = {
    {"weir_frames_read_total", "counter", "camera", collect_books, BOOKS(read), "Frames read, good or bad."},
    {"weir_frames_inferred_total", "counter", "camera", collect_books, BOOKS(inferred),
     "Frames that the detector has looked at."},
    {"weir_frames_published_total", "counter", "camera", collect_books, BOOKS(published),
     "Results that every sink has taken."},
    {"weir_frames_unpublished_total", "counter", "camera", collect_books, BOOKS(unpublished),
     "Results that a sink failed to take."},
    {"weir_frames_dropped_total", "counter", "camera, reason", collect_reasons, BOOKS(dropped),
     "Frames given up on purpose, unseen."},
    {"weir_frames_failed_total", "counter", "camera, reason", collect_reasons, BOOKS(failed),
     "Frames that could not be looked at."},
    {"weir_frames_waiting", "gauge", "camera", collect_books, BOOKS(waiting),
     "Frames that wait for a worker."},
    {"weir_frames_running", "gauge", "camera", collect_books, BOOKS(running),
     "Frames that a worker has in hand."},
    {"weir_frames_publishing", "gauge", "camera", collect_books, BOOKS(publishing),
     "Results that are not yet with every sink."},
    {"weir_camera_info", "gauge", "camera, name, url", collect_camera_info, 0,
     "1; says which name and address belong to an id."},
    {"weir_camera_up", "gauge", "camera", collect_camera_up, 0, "1 while the camera is live, else 0."},
    {"weir_camera_state", "gauge", "camera, state, reason", collect_camera_state, 0,
     "1 for the state that the camera is in, and why."},
    {"weir_camera_reconnects_total", "counter", "camera", collect_reconnects, 0,
     "Attempts to connect after the first one."},
    {"weir_camera_last_frame_age_seconds", "gauge", "camera", collect_last_frame, 0,
     "Time since the camera's last frame; absent before the first."},
    {"weir_frame_age_seconds", "summary", "", collect_histogram, SNAPSHOT(age),
     "From a frame's capture to its result being published."},
    {"weir_queue_seconds", "summary", "", collect_histogram, SNAPSHOT(queue),
     "Inferred frames: wait for a worker."},
    {"weir_decode_seconds", "summary", "", collect_histogram, SNAPSHOT(decode),
     "Inferred frames: JPEG or video to planes."},
    {"weir_preprocess_seconds", "summary", "", collect_histogram, SNAPSHOT(preprocess),
     "Inferred frames: scaling, colour, input tensor."},
    {"weir_inference_seconds", "summary", "", collect_histogram, SNAPSHOT(inference),
     "Inferred frames: the runtime, or the detector service's whole answer."},
    {"weir_postprocess_seconds", "summary", "", collect_histogram, SNAPSHOT(postprocess),
     "Inferred frames: output tensors to boxes."},
    {"weir_publish_seconds", "summary", "", collect_histogram, SNAPSHOT(publish),
     "Results: from inferred to published."},
    {"weir_workers", "gauge", "", collect_int, SNAPSHOT(workers), "Inference workers."},
    {"weir_workers_busy_ratio", "gauge", "", collect_double, SNAPSHOT(workers_busy),
     "Share of the workers' time spent on frames, 0 to 1, over the last few seconds."},
    {"weir_publish_queue_size", "gauge", "", collect_size, SNAPSHOT(publish_queue_size),
     "Results that wait for a publisher."},
    {"weir_publish_queue_capacity", "gauge", "", collect_size, SNAPSHOT(publish_queue_capacity),
     "How many may wait before workers do."},
    {"weir_uptime_seconds", "gauge", "", collect_uptime, 0, "Time since the run began."},
    {"weir_build_info", "gauge", "version, detector", collect_build, 0, "1; says what is running."},
    {"weir_http_requests_total", "counter", "", collect_http_counter, HTTP(requests),
     "Requests to the web server."},
    {"weir_http_refused_total", "counter", "", collect_http_counter, HTTP(refused),
     "Requests answered 503 because every place was taken."},
    {"weir_http_cut_total", "counter", "", collect_http_counter, HTTP(cut),
     "Connections closed because their client stood still."},
    {"weir_http_connections", "gauge", "", collect_http_connections, 0, "Connections open now."},
    {"process_cpu_seconds_total", "counter", "", collect_process, PROCESS(cpu_s),
     "User and system CPU time."},
    {"process_resident_memory_bytes", "gauge", "", collect_process, PROCESS(resident_bytes),
     "Resident memory."},
    {"process_open_fds", "gauge", "", collect_process, PROCESS(open_fds), "Open file descriptors."},
    {"process_threads", "gauge", "", collect_process, PROCESS(threads), "Threads of the process."},
};

void weir_metrics_write(const struct weir_metrics_view *view, struct weir_buf *out)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        weir_exposition_head(out, metrics[i].name, metrics[i].type, metrics[i].help);
        metrics[i].collect(&metrics[i], view, out);
    }
}

void weir_metrics_document(struct weir_buf *out)
{
    weir_buf_text(
        out,
        "# Metrics\n\n"
        "What `/metrics` of `weir run` answers, in the text format of Prometheus. `camera` is the camera's "
        "id. "
        "A summary has the quantiles 0.5, 0.95 and 0.99 over the whole run, a sum and a count; times are in "
        "seconds. A reason of `weir_frames_dropped_total` and `weir_frames_failed_total` appears once it has "
        "happened.\n\n"
        "This page is generated from the table in `src/web/metrics.c`: `meson compile -C build "
        "docs-metrics`.\n\n"
        "| metric | type | labels | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        weir_buf_printf(out, "| `%s` | %s | %s | %s |\n", metrics[i].name, metrics[i].type, metrics[i].labels,
                        metrics[i].help);
    weir_buf_text(out, "\n## Reasons\n\n| reason | meaning |\n|---|---|\n");
    for (int i = WEIR_REASON_NONE + 1; i < WEIR_REASON_COUNT; i++)
        weir_buf_printf(out, "| `%s` | %s |\n", weir_reason_name((enum weir_reason)i),
                        weir_reason_meaning((enum weir_reason)i));
}
