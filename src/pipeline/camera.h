/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_PIPELINE_CAMERA_H
#define WEIR_PIPELINE_CAMERA_H

/* One camera inside the pipeline: its mailbox, its books, and the order of its results.
 *
 * Several workers may have frames of one camera at once, and finish in any order; results leave in
 * sequence. Each frame taken gets a ticket; a finished result waits in a small ring until those before it are
 * finished. When the ring has no free place the camera is not served: a result that hangs holds up its
 * own camera, nobody else's.
 *
 * Thread-safety: everything under the pipeline's lock, except what is set at creation.
 * Ownership: the pipeline owns its cameras; a camera owns its waiting frames and its newest picture. */

#include "base/histogram.h"
#include "config/config.h"
#include "pipeline/books.h"
#include "pipeline/frame_list.h"
#include "pipeline/rate.h"
#include "result/event.h"
#include "source/source.h"

struct weir_camera {
    uint32_t index;
    const struct weir_camera_config *config;
    enum weir_policy policy; /* never AUTO */
    char *shown_url;         /* without secrets */
    struct weir_source *source;
    struct weir_pipeline *pipeline;

    struct weir_source_status status;
    struct weir_frame_list mailbox; /* newest: at most one frame; every: a few; fifo: unused */
    bool paused;                    /* told to pause (policy every) */
    uint64_t sequence;
    int64_t served_ns, last_frame_ns;
    struct weir_books books;
    struct weir_rate read_rate, inferred_rate, dropped_rate;
    struct weir_histogram age;

    struct weir_event **finished; /* ring by ticket; NULL: not finished */
    uint64_t ring_size, tickets_given, tickets_gone;
    bool draining; /* a worker is handing this camera's results to its publisher */

    struct weir_frame *picture; /* newest inferred frame; NULL before, or when pictures are not kept */
    struct weir_result picture_result;
};

struct weir_camera *weir_camera_new(const struct weir_camera_config *config, uint32_t index, size_t ring_size);
void weir_camera_free(struct weir_camera **camera);

/* May another frame of it be given to a worker? */
bool weir_camera_has_place(const struct weir_camera *camera);
uint64_t weir_camera_ticket(struct weir_camera *camera);
/* Stores a finished event under its ticket. */
void weir_camera_finish(struct weir_camera *camera, uint64_t ticket, struct weir_event *event);
/* The next event in order, or NULL while it is not finished. */
struct weir_event *weir_camera_next_finished(struct weir_camera *camera);

/* Keeps a reference to the frame and a copy of its result as the newest picture. */
void weir_camera_keep_picture(struct weir_camera *camera, struct weir_frame *frame, const struct weir_result *result);

#endif
