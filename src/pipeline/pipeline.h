/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_PIPELINE_PIPELINE_H
#define WEIR_PIPELINE_PIPELINE_H

/* Cameras to sinks: life cycle, books, snapshots.
 *
 *   new -> start -> (runs by itself) -> drain -> free
 *
 * Thread-safety: snapshot, camera picture, stop requests and `failed` from any thread while it runs; new, start, drain and
 * free from the owner's thread. */

#include "base/error.h"
#include "base/histogram.h"
#include "base/log.h"
#include "config/config.h"
#include "image/frame.h"
#include "pipeline/books.h"
#include "source/source.h"
#include "weir/result.h"

#include <stdbool.h>
#include <stdint.h>

struct weir_pipeline;

struct weir_camera_snapshot {
    const char *id, *name;      /* the pipeline's, until it is freed */
    const char *url;            /* without secrets */
    struct weir_source_status source;
    enum weir_policy policy;
    struct weir_books books;
    double read_fps, inferred_fps; /* over the last few seconds */
    int64_t age_p50_ns, age_p99_ns; /* capture to published */
    int64_t last_frame_ns;      /* monotonic; 0: none yet */
    int width, height;          /* of the last inferred frame; 0: none yet */
};

struct weir_snapshot {
    int64_t elapsed_ns;
    bool running;               /* false once stopping */
    int workers, publishers;
    double workers_busy;        /* 0 to 1, over the last few seconds */
    double workers_busy_total;  /* over the whole run */
    const char *detector;       /* summary for people */
    struct weir_books total;
    double read_fps, inferred_fps;
    struct weir_histogram age;  /* capture to published */
    struct weir_histogram queue, decode, preprocess, inference, postprocess, publish; /* each step of inferred frames */
    const char *bottleneck;     /* "none", "inference", "publish", "camera", ...; static text */
    size_t publish_queue_size, publish_queue_capacity;
    size_t camera_count;
    struct weir_camera_snapshot *cameras;
};

/* Opens detector and sinks and builds everything; nothing runs yet. The config must outlive the pipeline. */
int weir_pipeline_new(struct weir_pipeline **out, const struct weir_config *config, struct weir_log *log,
                      struct weir_error *err);
/* Consumers first, then ingest. */
int weir_pipeline_start(struct weir_pipeline *pipeline, struct weir_error *err);
/* Orderly: ingest stops, what is waiting and running is finished, all that was inferred is published. Blocks; after
 * shutdown_timeout_s what still waits is dropped (shutdown). 0, or negative errno when a sink failed. */
int weir_pipeline_drain(struct weir_pipeline *pipeline, struct weir_error *err);
void weir_pipeline_free(struct weir_pipeline **pipeline);

/* Asks a drain in progress to give up what waits. Async-signal-safe. */
void weir_pipeline_abort(struct weir_pipeline *pipeline);
/* True when it can't go on by itself (a sink failed for good); text says why. */
bool weir_pipeline_failed(struct weir_pipeline *pipeline, struct weir_error *err);
/* True when every source has ended for good and everything was published (files). */
bool weir_pipeline_finished(struct weir_pipeline *pipeline);

/* One consistent picture of all numbers. Free with weir_snapshot_free. */
int weir_pipeline_snapshot(struct weir_pipeline *pipeline, struct weir_snapshot **out);
void weir_snapshot_free(struct weir_snapshot **snapshot);

/* The newest inferred picture of a camera: a reference to its frame (JPEG bytes; NULL when there is none yet) and a copy of
 * its result. Returns false when there is no such camera. */
bool weir_pipeline_picture(struct weir_pipeline *pipeline, const char *camera_id, struct weir_frame **frame,
                           struct weir_result *result);

#endif
