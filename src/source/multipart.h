/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SOURCE_MULTIPART_H
#define WEIR_SOURCE_MULTIPART_H

/* MJPEG as cameras really send it: a push parser from bytes of an HTTP body to JPEG frames. No I/O, no clock.
 *
 * A frame ends where the JPEG itself says so, found by walking its markers; the part's Content-Length is only
 * compared, and the delimiter is the fallback for a picture that is broken. So a wrong, absent or absurd
 * length costs nothing, and a frame is handed over with its own last byte, not with the first byte of the
 * next one. The delimiter is what the wire says: the boundary of the header with or without dashes, or else
 * the first line that looks like one and is followed by part headers.
 *
 * Thread-safety: one thread.
 * Ownership: frames go to the callee of `frame`. */

#include "base/block.h"
#include "base/buf.h"
#include "base/error.h"
#include "source/jpeg_end.h"
#include "weir/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_BOUNDARY_MAX 128 /* bytes with the NUL; RFC 2046 allows 70 */

struct weir_multipart_events {
    void (*frame)(void *user, struct weir_block *jpeg);
    void (*bad_frame)(void *user, enum weir_reason reason); /* a part that was begun and is no frame */
};

enum weir_multipart_state {
    WEIR_MULTIPART_SEEK, /* lines: a delimiter, part headers, or a JPEG that begins by itself */
    WEIR_MULTIPART_HEADERS,
    WEIR_MULTIPART_BODY,
    WEIR_MULTIPART_SKIP, /* a part that is too large, or none of ours: up to the delimiter */
};

struct weir_multipart {
    const struct weir_multipart_events *events;
    void *user;
    struct weir_block_pool *pool;
    size_t max_frame_bytes;

    enum weir_multipart_state state;
    char boundary[WEIR_BOUNDARY_MAX];      /* of the header; "" when there was none */
    char delimiter[WEIR_BOUNDARY_MAX + 4]; /* a line that separates parts, as it is on the wire */
    bool learned;                          /* the wire has shown it */
    char pending[WEIR_BOUNDARY_MAX + 4];   /* a line that may be the delimiter: if headers follow */
    struct weir_buf line;                  /* of a line, what has arrived */
    size_t junk;                           /* bytes since the last part */
    size_t header_bytes;                   /* of this part */
    int64_t content_length;                /* of this part; -1: none, or nonsense */
    bool is_image;                         /* the part does not say that it is something else */
    struct weir_block *body;
    struct weir_jpeg_end end;
    size_t searched; /* of the body, bytes that hold no delimiter */

    uint64_t frames, length_mismatches;
};

/* content_type: of the HTTP answer; NULL when it has none. */
void weir_multipart_init(struct weir_multipart *parser, const struct weir_multipart_events *events,
                         void *user, struct weir_block_pool *pool, size_t max_frame_bytes,
                         const char *content_type);
void weir_multipart_fini(struct weir_multipart *parser);

/* -EPROTO with a sentence when this can't be MJPEG, -ENOMEM. */
int weir_multipart_feed(struct weir_multipart *parser, const void *bytes, size_t size,
                        struct weir_error *err);
/* The stream has ended: what was begun is a bad frame. */
void weir_multipart_finish(struct weir_multipart *parser);

/* True when the answer can be MJPEG or one JPEG: multipart/..., image/jpeg, application/octet-stream, or
 * none. */
bool weir_multipart_accepts(const char *content_type);

#endif
