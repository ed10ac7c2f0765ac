/* SPDX-License-Identifier: Apache-2.0 */
#include "web/service.h"

#include "base/clock.h"
#include "base/histogram.h"
#include "base/queue.h"
#include "base/thread.h"
#include "image/jpeg.h"
#include "result/event.h"
#include "web/exposition.h"
#include "web/http.h"
#include "web/process_stats.h"
#include "web/route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STOP_GRACE_MS = 2000 };

struct service_counts {
    uint64_t requests, answered, overloaded, failed[WEIR_REASON_COUNT];
    int running;
    struct weir_histogram wait, inference;
};

struct weir_service {
    struct weir_model *model;
    struct weir_http *http;
    struct weir_queue *jobs;
    struct weir_log *log;
    struct weir_worker **workers;
    pthread_t *threads;
    int worker_count, thread_count;

    pthread_mutex_t lock; /* counts */
    struct service_counts counts;
};

/* A picture that waits for a worker or is with one. */
struct job {
    struct weir_http_exchange *exchange;
    int64_t arrival_ns;
};

/* One thread: its own worker, the shared queue. */
struct seat {
    struct weir_service *service;
    struct weir_worker *worker;
};

static int status_of(enum weir_reason reason)
{
    switch (reason) {
    case WEIR_REASON_JPEG_TRUNCATED:
    case WEIR_REASON_JPEG_INVALID:
    case WEIR_REASON_IMAGE_INVALID:
        return 400;
    case WEIR_REASON_TOO_LARGE:
        return 413;
    case WEIR_REASON_JPEG_UNSUPPORTED:
        return 415;
    case WEIR_REASON_OUT_OF_MEMORY:
        return 503;
    default:
        return 500;
    }
}

static void reply_result(struct weir_http_exchange *exchange, const struct weir_result *result)
{
    if (result->status != WEIR_OK) {
        weir_http_reply_error(exchange, status_of(result->reason), weir_reason_name(result->reason), "%s",
                              result->message[0] != '\0' ? result->message
                                                         : weir_reason_meaning(result->reason));
        return;
    }
    json_t *object = json_object();
    if (weir_result_to_json(result, object) != 0) {
        json_decref(object);
        object = NULL;
    }
    if (result->timings.inference_ns >= 0)
        json_object_set_new(object, "inferenceMs",
                            weir_json_number((double)result->timings.inference_ns / WEIR_NS_PER_MS, 0.001));
    weir_http_reply_json(exchange, 200, object);
}

static void count_start(struct weir_service *service, int64_t wait_ns)
{
    pthread_mutex_lock(&service->lock);
    service->counts.running++;
    weir_histogram_record(&service->counts.wait, wait_ns);
    pthread_mutex_unlock(&service->lock);
}

static void count_end(struct weir_service *service, const struct weir_result *result)
{
    pthread_mutex_lock(&service->lock);
    service->counts.running--;
    if (result->status == WEIR_OK)
        service->counts.answered++;
    else
        service->counts.failed[result->reason]++;
    if (result->timings.inference_ns >= 0)
        weir_histogram_record(&service->counts.inference, result->timings.inference_ns);
    pthread_mutex_unlock(&service->lock);
}

static enum weir_reason reason_of(enum weir_jpeg_code code)
{
    switch (code) {
    case WEIR_JPEG_TRUNCATED:
        return WEIR_REASON_JPEG_TRUNCATED;
    case WEIR_JPEG_UNSUPPORTED:
        return WEIR_REASON_JPEG_UNSUPPORTED;
    case WEIR_JPEG_TOO_LARGE:
        return WEIR_REASON_TOO_LARGE;
    case WEIR_JPEG_NO_MEMORY:
        return WEIR_REASON_OUT_OF_MEMORY;
    default:
        return WEIR_REASON_JPEG_INVALID;
    }
}

/* The headers are read first: the null runtime looks at nothing, but what is no picture is to be said all the
 * same. */
static void look(struct weir_worker *worker, const void *body, size_t size, struct weir_result *result)
{
    struct weir_jpeg_header header;
    struct weir_error err = {0};
    weir_result_clear(result);
    enum weir_jpeg_code code = weir_jpeg_read_header(body, size, &header, &err);
    if (code == WEIR_JPEG_OK && !header.complete) {
        code = WEIR_JPEG_TRUNCATED;
        weir_error_set(&err, -EPROTO, "the JPEG of %zu bytes has no end of image", size);
    }
    if (code != WEIR_JPEG_OK) {
        weir_result_fail(result, reason_of(code), "%.240s", err.text);
        return;
    }
    weir_worker_detect_jpeg(worker, body, size, result);
    if (result->image_width == 0) {
        result->image_width = header.width;
        result->image_height = header.height;
    }
}

static void *work(void *argument)
{
    struct seat seat = *(struct seat *)argument;
    free(argument);
    struct weir_result result;
    void *item = NULL;
    weir_result_init(&result);
    while (weir_queue_pop(seat.service->jobs, &item, INT64_MAX) == WEIR_QUEUE_OK) {
        struct job *job = item;
        size_t size;
        const void *body = weir_http_body(job->exchange, &size);
        int64_t wait_ns = weir_clock_ns() - job->arrival_ns;
        count_start(seat.service, wait_ns);
        look(seat.worker, body, size, &result);
        result.timings.queue_ns = wait_ns;
        count_end(seat.service, &result);
        reply_result(job->exchange, &result);
        free(job);
    }
    weir_result_fini(&result);
    return NULL;
}

static void refuse(struct weir_service *service, struct weir_http_exchange *exchange,
                   enum weir_queue_code code)
{
    pthread_mutex_lock(&service->lock);
    service->counts.overloaded++;
    pthread_mutex_unlock(&service->lock);
    if (code == WEIR_QUEUE_CLOSED)
        weir_http_reply_error(exchange, 503, "shutting_down", "the service is being stopped");
    else
        weir_http_reply_error(exchange, 503, "overloaded",
                              "%d workers are busy and %zu pictures wait already: try again later",
                              service->worker_count, weir_queue_capacity(service->jobs));
}

static void answer_detect(void *user, struct weir_http_exchange *exchange, const char *id)
{
    struct weir_service *service = user;
    size_t size;
    (void)id;
    (void)weir_http_body(exchange, &size);
    pthread_mutex_lock(&service->lock);
    service->counts.requests++;
    pthread_mutex_unlock(&service->lock);
    if (size == 0) {
        weir_http_reply_error(exchange, 400, "empty_body", "expected a JPEG as the body, found nothing");
        return;
    }
    struct job *job = malloc(sizeof *job);
    if (job == NULL) {
        weir_http_reply_error(exchange, 503, "out_of_memory", "no memory for one more picture");
        return;
    }
    *job = (struct job){exchange, weir_clock_ns()};
    weir_http_defer(exchange);
    enum weir_queue_code code = weir_queue_try_push(service->jobs, job);
    if (code != WEIR_QUEUE_OK) {
        free(job);
        refuse(service, exchange, code);
    }
}

static void answer_health(void *user, struct weir_http_exchange *exchange, const char *id)
{
    const struct weir_service *service = user;
    (void)id;
    json_t *object = json_object();
    json_object_set_new(object, "state", json_string("running"));
    json_object_set_new(object, "detector", weir_json_text(weir_model_summary(service->model)));
    json_object_set_new(object, "workers", json_integer(service->worker_count));
    weir_http_reply_json(exchange, 200, object);
}

static void metric(struct weir_buf *out, const char *name, const char *type, const char *help, double value)
{
    weir_exposition_head(out, name, type, help);
    weir_exposition_sample(out, name, "", NULL, 0, value);
}

static void metric_failed(struct weir_buf *out, const struct service_counts *counts)
{
    static const char name[] = "weir_serve_failed_total";
    weir_exposition_head(out, name, "counter", "Pictures that could not be looked at.");
    for (int i = 0; i < WEIR_REASON_COUNT; i++) {
        const struct weir_label label = {"reason", weir_reason_name((enum weir_reason)i)};
        if (counts->failed[i] > 0)
            weir_exposition_sample(out, name, "", &label, 1, (double)counts->failed[i]);
    }
}

static void metric_seconds(struct weir_buf *out, const char *name, const char *help,
                           const struct weir_histogram *histogram)
{
    weir_exposition_head(out, name, "summary", help);
    weir_exposition_summary(out, name, NULL, 0, histogram);
}

static void answer_metrics(void *user, struct weir_http_exchange *exchange, const char *id)
{
    struct weir_service *service = user;
    struct weir_buf out = {0};
    struct weir_process_stats process;
    (void)id;
    pthread_mutex_lock(&service->lock);
    struct service_counts counts = service->counts;
    pthread_mutex_unlock(&service->lock);
    weir_process_stats_read(&process);
    metric(&out, "weir_serve_requests_total", "counter", "Requests to /detect.", (double)counts.requests);
    metric(&out, "weir_serve_answered_total", "counter", "Pictures looked at.", (double)counts.answered);
    metric(&out, "weir_serve_refused_total", "counter", "Requests refused for want of a worker.",
           (double)counts.overloaded);
    metric_failed(&out, &counts);
    metric(&out, "weir_serve_workers", "gauge", "Workers.", service->worker_count);
    metric(&out, "weir_serve_running", "gauge", "Pictures with a worker.", counts.running);
    metric(&out, "weir_serve_waiting", "gauge", "Pictures that wait.",
           (double)weir_queue_size(service->jobs));
    metric_seconds(&out, "weir_serve_wait_seconds", "Wait for a worker.", &counts.wait);
    metric_seconds(&out, "weir_serve_inference_seconds", "Inside the runtime.", &counts.inference);
    metric(&out, "process_cpu_seconds_total", "counter", "User and system CPU time.", process.cpu_s);
    metric(&out, "process_resident_memory_bytes", "gauge", "Resident memory.", process.resident_bytes);
    weir_http_reply_buf(exchange, 200, WEIR_EXPOSITION_TYPE, &out);
}

static const struct weir_route routes[] = {
    {"POST", "/detect", answer_detect},
    {"GET", "/healthz", answer_health},
    {"GET", "/metrics", answer_metrics},
};

static void answer(void *user, struct weir_http_exchange *exchange)
{
    weir_route_answer(routes, sizeof routes / sizeof *routes, user, exchange);
}

static int start_worker(struct weir_service *service, struct weir_error *err)
{
    int i = service->thread_count;
    int code = weir_worker_new(&service->workers[i], service->model, err);
    if (code != 0)
        return code;
    struct seat *seat = malloc(sizeof *seat);
    if (seat == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for worker %d of %d", i + 1, service->worker_count);
    *seat = (struct seat){service, service->workers[i]};
    code = weir_thread_start(&service->threads[i], "serve", work, seat);
    if (code != 0) {
        free(seat);
        return weir_error_set(err, code, "no thread for worker %d of %d: %s", i + 1, service->worker_count,
                              strerror(-code));
    }
    service->thread_count++;
    return 0;
}

static int start_workers(struct weir_service *service, const struct weir_service_params *params,
                         struct weir_error *err)
{
    int code = weir_model_load(&service->model, &params->model, params->log, err);
    if (code != 0)
        return code;
    service->worker_count = params->model.workers;
    service->jobs = weir_queue_new((size_t)params->max_waiting);
    service->workers = calloc((size_t)service->worker_count, sizeof *service->workers);
    service->threads = calloc((size_t)service->worker_count, sizeof *service->threads);
    if (service->jobs == NULL || service->workers == NULL || service->threads == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for %d workers", service->worker_count);
    while (code == 0 && service->thread_count < service->worker_count)
        code = start_worker(service, err);
    return code;
}

static int start_http(struct weir_service *service, const struct weir_service_params *params,
                      struct weir_error *err)
{
    struct weir_http_params http = WEIR_HTTP_PARAMS_DEFAULT;
    http.address = params->address;
    http.max_connections = 2 * (params->model.workers + params->max_waiting) + 64;
    http.max_body_bytes = params->max_body_bytes;
    http.handler = answer;
    http.user = service;
    http.log = params->log;
    return weir_http_start(&service->http, &http, err);
}

int weir_service_start(struct weir_service **out, const struct weir_service_params *params,
                       struct weir_error *err)
{
    struct weir_service *service = calloc(1, sizeof *service);
    if (service == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for the service");
    pthread_mutex_init(&service->lock, NULL);
    service->log = params->log;
    /* Workers first: nothing can arrive that nobody would look at. */
    int code = start_workers(service, params, err);
    if (code == 0)
        code = start_http(service, params, err);
    if (code != 0) {
        weir_service_stop(&service);
        return code;
    }
    *out = service;
    return 0;
}

void weir_service_stop(struct weir_service **out)
{
    struct weir_service *service = *out;
    if (service == NULL)
        return;
    *out = NULL;
    if (service->jobs != NULL)
        weir_queue_close(service->jobs);
    for (int i = 0; i < service->thread_count; i++)
        pthread_join(service->threads[i], NULL);
    weir_http_stop(&service->http, STOP_GRACE_MS * WEIR_NS_PER_MS);
    for (int i = 0; service->workers != NULL && i < service->worker_count; i++)
        weir_worker_free(&service->workers[i]);
    weir_model_free(&service->model);
    weir_queue_free(&service->jobs);
    pthread_mutex_destroy(&service->lock);
    free(service->workers);
    free(service->threads);
    free(service);
}

const char *weir_service_url(const struct weir_service *service)
{
    return weir_http_url(service->http);
}

const char *weir_service_summary(const struct weir_service *service)
{
    return weir_model_summary(service->model);
}
