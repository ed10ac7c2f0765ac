/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SOURCE_JPEG_END_H
#define WEIR_SOURCE_JPEG_END_H

/* Where a JPEG ends, while it arrives: walks the markers (ITU T.81, annex B), so that an EOI inside a
 * thumbnail or a comment is not taken for the picture's.
 *
 * Thread-safety: plain value. A zeroed struct is at the start. */

#include <stddef.h>
#include <stdint.h>

enum weir_jpeg_end_code {
    WEIR_JPEG_END_MORE,   /* not yet */
    WEIR_JPEG_END_FOUND,  /* `at` is just behind the EOI */
    WEIR_JPEG_END_BROKEN, /* no JPEG: another way must find the end */
};

struct weir_jpeg_end {
    size_t at;   /* bytes understood so far */
    int in_scan; /* among entropy-coded bytes */
    int broken;
};

/* bytes: all of the picture that has arrived, from its first byte. */
enum weir_jpeg_end_code weir_jpeg_end_find(struct weir_jpeg_end *end, const uint8_t *bytes, size_t size);

#endif
