/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_MODEL_KNOWN_LABELS_H
#define WEIR_MODEL_KNOWN_LABELS_H

/* Lists of class names that many models share, in the models' own order. */

#include <stddef.h>

struct weir_known_labels {
    const char *name; /* "coco" */
    const char *const *names;
    size_t count;
};

extern const struct weir_known_labels weir_known_labels[];
extern const size_t weir_known_labels_count;

#endif
