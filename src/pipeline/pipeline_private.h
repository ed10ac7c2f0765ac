/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_PIPELINE_PIPELINE_PRIVATE_H
#define WEIR_PIPELINE_PIPELINE_PRIVATE_H

/* The pipeline's own state, shared by the files of this room.
 *
 * One lock guards the books, the mailboxes and the order of results: it is held for some microseconds a
 * frame and never while anything is decoded, inferred, written or waited for. That is what lets a
 * snapshot be consistent at every moment. */

#include "base/queue.h"
#include "detector/detector.h"
#include "pipeline/camera.h"
#include "pipeline/pipeline.h"
#include "pipeline/schedule.h"
#include "publish/sink.h"

#include <pthread.h>
#include <stdatomic.h>

struct weir_pipeline_worker {
    struct weir_pipeline *pipeline;
    struct weir_detector_session *session;
    pthread_t thread;
    bool started;
};

struct weir_publisher {
    struct weir_pipeline *pipeline;
    struct weir_queue *queue; /* of struct weir_event * */
    pthread_t thread;
    bool started;
};

struct weir_pipeline {
    const struct weir_config *config;
    struct weir_log *log;
    struct weir_detector *detector;
    struct weir_block_pool *pool;
    struct weir_source_loop *loop;
    struct weir_sink *sink; /* NULL: the results are only counted and shown */

    struct weir_camera **cameras;
    size_t camera_count;
    struct weir_pipeline_worker *workers;
    int worker_count;
    struct weir_publisher *publishers;
    int publisher_count;
    bool keep_pictures;

    pthread_mutex_t lock;
    pthread_cond_t work;    /* a frame may be taken, or the intake has closed */
    pthread_cond_t stopped; /* a worker or publisher has ended */
    struct weir_frame_list fifo; /* of all cameras with a fifo policy */
    int64_t fifo_served_ns;
    struct weir_candidate *candidates; /* scratch of the choice: one a camera, then the fifo */
    bool closed;            /* no more frames come in */
    bool aborted;           /* what waits is dropped */
    int workers_alive, publishers_alive, workers_idle;
    int64_t service_ns;     /* running mean of one worker's time for one frame */
    struct weir_rate busy_rate; /* worker-seconds */
    int64_t busy_ns;
    struct weir_histogram queue_time, decode_time, preprocess_time, inference_time, postprocess_time, publish_time;
    /* Results under way are bounded by these: made once, given back, taken again. A worker gets no frame while there is
     * no spare event for its outcome. */
    struct weir_event *events, **spare_events;
    size_t event_count, spare_count;
    struct weir_error sink_error; /* the first; code 0: none */

    int64_t started_ns, ended_ns; /* 0: not yet */
    atomic_bool abort_requested;  /* from a signal handler */
};

/* intake.c: what comes from the sources, and what the workers take. */
extern const struct weir_source_events weir_pipeline_source_events;
struct weir_job {
    struct weir_camera *camera;
    struct weir_frame *frame; /* the worker's */
    struct weir_event *event; /* the worker's, for the outcome */
    uint64_t ticket;
};
/* Waits for a frame and a spare event. False when there will be no more frames. Called without the lock. */
bool weir_intake_take(struct weir_pipeline *pipeline, struct weir_job *job);
/* Says which source feeds the camera. Its frames may already be coming, from another thread. */
void weir_intake_attach(struct weir_pipeline *pipeline, struct weir_camera *camera, struct weir_source *source);
void weir_intake_close(struct weir_pipeline *pipeline);
void weir_intake_abort(struct weir_pipeline *pipeline); /* drops what waits: shutdown */

/* worker.c */
int weir_pipeline_worker_start(struct weir_pipeline_worker *worker);

/* publisher.c */
int weir_pipeline_publisher_start(struct weir_publisher *publisher, int index);
/* Closes the queue; what it holds is still handed on before the thread ends. */
void weir_pipeline_publisher_close(struct weir_publisher *publisher);

#endif
