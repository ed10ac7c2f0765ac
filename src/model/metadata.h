/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_MODEL_METADATA_H
#define WEIR_MODEL_METADATA_H

/* What exporters write into a model beside its network: class names, task, input size.
 *
 * Thread-safety: pure.
 * Ownership: texts stay the session's. */

#include "model/labels.h"
#include "runtime/runtime.h"

const char *weir_metadata_find(const struct weir_session_info *info, const char *key); /* NULL when absent */
/* "[640, 640]", "640,640" or "640" (taken twice); false, with pair as it was, when absent or otherwise. */
bool weir_metadata_pair(const struct weir_session_info *info, const char *key, int pair[2]);
/* Class names as Python or JSON writes them: {0: 'person', 1: "bicycle's"}, {"0": "person"}, ['person', 'bicycle'].
 * 0, -EINVAL when the text is none of these, or -ENOMEM; labels is then empty. */
int weir_labels_parse_names(struct weir_labels *labels, const char *text);

#endif
