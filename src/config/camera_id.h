/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CONFIG_CAMERA_ID_H
#define WEIR_CONFIG_CAMERA_ID_H

/* From a camera's name, which may be any text, to its id, which goes into URLs, topics, labels and file
 * names.
 *
 * Thread-safety: pure. */

#include <stdbool.h>

#define WEIR_CAMERA_ID_MAX 64 /* characters */

bool weir_text_is_utf8(const char *text);
/* 1 to WEIR_CAMERA_ID_MAX of a-z, 0-9, _ and -. */
bool weir_camera_id_is_valid(const char *id);
/* Lower case, each run of other characters a '-'. What was lost when characters beyond ASCII went, nothing
 * was left or the name was too long comes back as a hash at the end, so that the id depends on the name alone
 * and other names get other ids. The caller frees it; NULL when out of memory. */
char *weir_camera_id_derive(const char *name);

#endif
