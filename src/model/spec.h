/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_MODEL_SPEC_H
#define WEIR_MODEL_SPEC_H

/* What a model expects and what its numbers mean, worked out once when it is loaded.
 *
 * Thread-safety: read-only once built.
 * Ownership: fini frees. */

#include "base/error.h"
#include "image/input.h"
#include "model/labels.h"
#include "runtime/runtime.h"

struct weir_head;

struct weir_spec_params {
    const char *layout; /* head by name; NULL: by the shapes */
    const char *recipe; /* words over the head's own; NULL: the head's own */
    const char *labels; /* file, "coco", "none"; NULL: what is built in for the number of classes */
    float threshold, nms_iou; /* NAN: the head's */
};

struct weir_model_spec {
    struct weir_input_spec input;
    struct weir_shape input_shape; /* as given to the runtime */
    const struct weir_head *head;
    size_t classes;
    size_t outputs[4]; /* which of the model's outputs the head reads, in its own order */
    float *anchors;    /* the head's own table, or NULL */
    size_t anchor_count;
    struct weir_labels labels;
    float threshold, nms_iou;
};

int weir_model_spec_init(struct weir_model_spec *spec, const struct weir_session_info *info,
                         const struct weir_spec_params *params, struct weir_log *log, struct weir_error *err);
void weir_model_spec_fini(struct weir_model_spec *spec);

#endif
