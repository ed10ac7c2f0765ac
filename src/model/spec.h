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

/* A small constant input beside the picture ("orig_target_sizes"): two numbers. */
struct weir_extra_input {
    size_t index;
    struct weir_shape shape;
    float values[2];
};

/* One level of a pyramid of feature maps. */
struct weir_level {
    int stride, columns, rows;
    size_t outputs[4]; /* which of the model's outputs, in the head's order */
};

enum { WEIR_LEVELS_MAX = 4, WEIR_EXTRA_INPUTS_MAX = 2 };

/* Texts: NULL, "" and "auto" are the same. */
struct weir_spec_params {
    const char *layout; /* head by name, "-norm" after it when boxes are 0..1; NULL: by metadata, names and shapes */
    const char *recipe; /* words over the head's own; NULL: the head's own */
    const char *labels; /* file, "coco", "none"; NULL: what is built in for the number of classes */
    float threshold, nms_iou; /* NAN: the head's */
};

struct weir_model_spec {
    struct weir_input_spec input;
    int64_t batch;                 /* pictures a run, as exported; only the first is used */
    size_t input_index;            /* which of the model's inputs takes the picture */
    struct weir_shape input_shape; /* as given to the runtime */
    struct weir_extra_input extra[WEIR_EXTRA_INPUTS_MAX];
    size_t extra_count;
    const struct weir_head *head;
    bool normalized; /* boxes come as parts of the input's size, where the family's come in pixels */
    size_t classes;  /* 0 when the outputs do not tell */
    size_t outputs[4]; /* which of the model's outputs the head reads, in its own order */
    bool rows_first;   /* of heads whose exports come either way round */
    struct weir_level levels[WEIR_LEVELS_MAX]; /* of heads that read several feature maps */
    int level_count;
    size_t point_count; /* keypoints a box, where metadata or shapes tell */
    float *anchors;    /* the head's own table, or NULL */
    size_t anchor_count;
    struct weir_labels labels;
    const char *labels_from; /* where they are from, for people; NULL: there are none */
    bool size_assumed; /* neither model nor option says */
    const char *size_from; /* of the input, for people */
    bool recipe_given; /* by the option recipe */
    const char *layout_from; /* how the head was found, for people */
    float threshold, nms_iou;
};

int weir_model_spec_init(struct weir_model_spec *spec, const struct weir_session_info *info,
                         const struct weir_spec_params *params, struct weir_log *log, struct weir_error *err);
void weir_model_spec_fini(struct weir_model_spec *spec);

#endif
