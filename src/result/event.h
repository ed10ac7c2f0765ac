/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RESULT_EVENT_H
#define WEIR_RESULT_EVENT_H

/* A result on its way to the sinks: which camera and frame, when, and what was seen; and the one JSON form
 * that every output of weir uses.
 *
 * Thread-safety: one owner at a time. */

#include "base/buf.h"
#include "weir/result.h"

#include <jansson.h>
#include <stdint.h>

struct weir_event {
    uint32_t camera;         /* index in the pipeline */
    const char *camera_id;   /* the camera's; outlives the event */
    const char *camera_name;
    uint64_t sequence;
    int64_t capture_wall_ns; /* Unix time */
    int64_t capture_ns, arrival_ns, inferred_ns, published_ns; /* monotonic; 0 when not reached */
    struct weir_result result;
};

/* {"label": "person", "class": 0, "score": 0.926, "box": [x1, y1, x2, y2]} and what else it has. */
json_t *weir_detection_json(const struct weir_result *result, const struct weir_detection *detection);
/* Adds "status", "reason" and "message" when there are any, the list by kind ("detections", "classes",
 * "embedding"), "width" and "height", "timings" {"queueMs", ...}, "device" when it is set. 0 or -ENOMEM. */
int weir_result_to_json(const struct weir_result *result, json_t *object);
/* The reverse, for answers of a detector service: "detections" of the form above. -EINVAL names what is wrong. */
int weir_result_from_json(struct weir_result *result, const json_t *object, char *message, size_t message_size);
/* One line of JSON with a line end, appended to out. 0 or -ENOMEM. */
int weir_event_write_json(const struct weir_event *event, struct weir_buf *out);
/* Text that came from a model, a camera or a library may not be UTF-8, and jansson takes nothing else: every byte
 * beyond ASCII is then '?'. */
json_t *weir_json_text(const char *bytes);
/* A number rounded to a multiple of unit; 0 for NaN and infinity, which JSON can't say. */
json_t *weir_json_number(double value, double unit);
/* A JSON value as text without line end, numbers with at most 7 significant digits, appended. 0 or -ENOMEM. */
int weir_json_write(const json_t *value, struct weir_buf *out);

#endif
