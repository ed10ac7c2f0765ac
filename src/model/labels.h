/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_MODEL_LABELS_H
#define WEIR_MODEL_LABELS_H

/* The names of a model's classes. An index without a name gets a stable made-up one ("class_79"): a class beyond
 * the list is never a reason to stop.
 *
 * Thread-safety: read-only once loaded.
 * Ownership: fini frees; a zeroed struct is empty. */

#include "base/error.h"
#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_labels {
    char **names; /* by class index; NULL where the list has a gap */
    size_t count;
};

/* A file: one name a line (LF or CRLF, a BOM is skipped, blank lines at the end are), or "INDEX NAME" in every line. */
int weir_labels_load(struct weir_labels *labels, const char *path, struct weir_error *err);
int weir_labels_parse(struct weir_labels *labels, const char *text, size_t size, const char *name,
                      struct weir_error *err);
/* A list known by name: "coco" (80 classes), "none" (empty). -ENOENT when there is none of this name. */
int weir_labels_known(struct weir_labels *labels, const char *name);
/* The list that is built in for a number of classes (80: coco; 24: the default model's); false when none is. */
bool weir_labels_for_count(struct weir_labels *labels, size_t classes);
/* Names one class; false when out of memory. index is one that the caller has bounded. */
bool weir_labels_set(struct weir_labels *labels, size_t index, const char *name, size_t length);
void weir_labels_fini(struct weir_labels *labels);

/* Copies the name of a class into text[size]. */
void weir_labels_copy(const struct weir_labels *labels, int32_t class_index, char *text, size_t size);

#endif
