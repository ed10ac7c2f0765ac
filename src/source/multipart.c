/* SPDX-License-Identifier: Apache-2.0 */
#include "source/multipart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    JUNK_MAX = 64 << 10,   /* bytes between two parts */
    HEADER_MAX = 16 << 10, /* bytes of the headers of one part */
    FIRST_BLOCK = 64 << 10,
};

static bool has_prefix(const char *text, const char *prefix)
{
    return strncasecmp(text, prefix, strlen(prefix)) == 0;
}

bool weir_multipart_accepts(const char *content_type)
{
    if (content_type == NULL || content_type[0] == '\0')
        return true;
    return has_prefix(content_type, "multipart/") || has_prefix(content_type, "image/jpeg") ||
           has_prefix(content_type, "image/jpg") || has_prefix(content_type, "application/octet-stream") ||
           has_prefix(content_type, "video/x-motion-jpeg");
}

/* The value of boundary=, in any case, with spaces around the sign, quoted or not. */
static void read_boundary(const char *content_type, char *boundary)
{
    boundary[0] = '\0';
    const char *at = content_type != NULL ? strcasestr(content_type, "boundary") : NULL;
    if (at == NULL)
        return;
    at += strlen("boundary");
    at += strspn(at, " \t");
    if (*at != '=')
        return;
    at++;
    at += strspn(at, " \t");
    bool quoted = *at == '"';
    at += quoted;
    size_t size = strcspn(at, quoted ? "\"" : "; \t\r\n");
    if (size >= WEIR_BOUNDARY_MAX)
        return;
    memcpy(boundary, at, size);
    boundary[size] = '\0';
}

void weir_multipart_init(struct weir_multipart *parser, const struct weir_multipart_events *events,
                         void *user, struct weir_block_pool *pool, size_t max_frame_bytes,
                         const char *content_type)
{
    memset(parser, 0, sizeof *parser);
    parser->events = events;
    parser->user = user;
    parser->pool = pool;
    parser->max_frame_bytes = max_frame_bytes;
    read_boundary(content_type, parser->boundary);
    /* Until the wire shows another: what the standard says, or the boundary itself when it brings its dashes.
     */
    if (parser->boundary[0] != '\0')
        (void)snprintf(parser->delimiter, sizeof parser->delimiter, "%s%s",
                       strncmp(parser->boundary, "--", 2) == 0 ? "" : "--", parser->boundary);
}

void weir_multipart_fini(struct weir_multipart *parser)
{
    weir_block_unref(&parser->body);
    weir_buf_fini(&parser->line);
}

static void seek(struct weir_multipart *parser)
{
    parser->state = WEIR_MULTIPART_SEEK;
    parser->junk = 0;
    parser->pending[0] = '\0';
    weir_buf_clear(&parser->line);
}

static void begin_headers(struct weir_multipart *parser)
{
    parser->state = WEIR_MULTIPART_HEADERS;
    parser->header_bytes = 0;
    parser->content_length = -1;
    parser->is_image = true;
    parser->pending[0] = '\0';
}

static int begin_body(struct weir_multipart *parser, enum weir_multipart_state state, struct weir_error *err)
{
    parser->state = state;
    parser->searched = 0;
    parser->end = (struct weir_jpeg_end){0};
    weir_block_unref(&parser->body);
    parser->body = weir_block_get(parser->pool, FIRST_BLOCK);
    return parser->body != NULL ? 0 : weir_error_set(err, -ENOMEM, "no memory for a frame");
}

/* "Content-Type: ..." and the like: a token, a colon. */
static bool is_header(const char *line)
{
    size_t size = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    return size > 0 && line[size + strspn(line + size, " \t")] == ':';
}

static void read_header(struct weir_multipart *parser, const char *line)
{
    const char *value = strchr(line, ':');
    if (value == NULL)
        return;
    value++;
    value += strspn(value, " \t");
    if (has_prefix(line, "content-length")) {
        size_t digits = strspn(value, "0123456789");
        bool sane = digits > 0 && digits <= 15 && value[digits + strspn(value + digits, " \t")] == '\0';
        parser->content_length = sane ? strtoll(value, NULL, 10) : -1;
        parser->length_mismatches += !sane;
    } else if (has_prefix(line, "content-type")) {
        parser->is_image =
            has_prefix(value, "image/") || has_prefix(value, "application/octet-stream") || value[0] == '\0';
    }
}

static void learn(struct weir_multipart *parser, const char *line)
{
    (void)snprintf(parser->delimiter, sizeof parser->delimiter, "%s", line);
    parser->learned = true;
}

/* The boundary as it may stand on the wire: with two dashes, as it is, or without those it has. */
static bool is_named_delimiter(const struct weir_multipart *parser, const char *line)
{
    const char *bare = parser->boundary + strspn(parser->boundary, "-");
    const char *wire = line + strspn(line, "-");
    return bare[0] != '\0' && strcmp(wire, bare) == 0;
}

/* Some servers forget the line end between delimiter and first header. */
static const char *header_behind_delimiter(const struct weir_multipart *parser, const char *line)
{
    size_t size = strlen(parser->delimiter);
    if (size == 0 || strncmp(line, parser->delimiter, size) != 0 || !has_prefix(line + size, "content-"))
        return NULL;
    return line + size;
}

static void seek_line(struct weir_multipart *parser, char *line)
{
    const char *header = header_behind_delimiter(parser, line);
    if (header == NULL && is_header(line)) {
        /* Headers without a delimiter before them (it comes behind each picture), or behind a line that is
         * one then. */
        if (parser->pending[0] != '\0' && !parser->learned)
            learn(parser, parser->pending);
        header = line;
    }
    if (header != NULL) {
        begin_headers(parser);
        read_header(parser, header);
    } else if (parser->learned ? strcmp(line, parser->delimiter) == 0 : is_named_delimiter(parser, line)) {
        learn(parser, line);
        begin_headers(parser);
    } else if (!parser->learned && strncmp(line, "--", 2) == 0 && strlen(line) < sizeof parser->pending) {
        (void)snprintf(parser->pending, sizeof parser->pending, "%s", line);
    } else if (line[0] != '\0') {
        parser->pending[0] = '\0';
    }
}

static int end_headers(struct weir_multipart *parser, struct weir_error *err)
{
    return begin_body(parser, parser->is_image ? WEIR_MULTIPART_BODY : WEIR_MULTIPART_SKIP, err);
}

static int header_line(struct weir_multipart *parser, const char *line, struct weir_error *err)
{
    if (line[0] == '\0')
        return end_headers(parser, err);
    if (strcmp(line, parser->delimiter) == 0)
        begin_headers(parser); /* a part that ended before it began */
    else
        read_header(parser, line);
    return 0;
}

/* A JPEG that begins without headers, in a stream that has shown no delimiter. */
static bool begins_jpeg(const struct weir_multipart *parser)
{
    const uint8_t *line = (const uint8_t *)parser->line.data;
    return parser->state == WEIR_MULTIPART_SEEK && !parser->learned && parser->line.size >= 2 &&
           line[0] == 0xFF && line[1] == 0xD8;
}

static int take_line(struct weir_multipart *parser, struct weir_error *err)
{
    char *line = parser->line.data;
    size_t size = parser->line.size;
    while (size > 0 && (line[size - 1] == '\n' || line[size - 1] == '\r' || line[size - 1] == ' '))
        size--;
    line[size] = '\0';
    int code = 0;
    if (parser->state == WEIR_MULTIPART_SEEK)
        seek_line(parser, line);
    else
        code = header_line(parser, line, err);
    weir_buf_clear(&parser->line);
    return code;
}

static int too_much(const struct weir_multipart *parser, struct weir_error *err)
{
    if (parser->state == WEIR_MULTIPART_HEADERS)
        return weir_error_set(err, -EPROTO, "the headers of a part are over %d bytes", HEADER_MAX);
    return weir_error_set(err, -EPROTO, "%d bytes without a multipart delimiter or a JPEG", JUNK_MAX);
}

/* Bytes of lines, up to a line end or to the moment when they turn out to be a JPEG. */
static int feed_line(struct weir_multipart *parser, const uint8_t *bytes, size_t size, size_t *used,
                     struct weir_error *err)
{
    const uint8_t *end = memchr(bytes, '\n', size);
    *used = end != NULL ? (size_t)(end - bytes) + 1 : size;
    if (parser->line.size < 2 && size > 0 && bytes[0] >= 0xD8)
        *used = 1; /* one at a time, to look for an SOI */
    weir_buf_append(&parser->line, bytes, *used);
    if (parser->line.failed)
        return weir_error_set(err, -ENOMEM, "no memory for a line");
    bool in_headers = parser->state == WEIR_MULTIPART_HEADERS;
    size_t *total = in_headers ? &parser->header_bytes : &parser->junk;
    *total += *used;
    if (*total > (size_t)(in_headers ? HEADER_MAX : JUNK_MAX))
        return too_much(parser, err);
    if (begins_jpeg(parser)) {
        int code = begin_body(parser, WEIR_MULTIPART_BODY, err);
        if (code == 0) {
            memcpy(parser->body->data, parser->line.data, 2);
            parser->body->size = 2;
        }
        parser->content_length = -1;
        weir_buf_clear(&parser->line);
        return code;
    }
    return parser->line.data[parser->line.size - 1] == '\n' ? take_line(parser, err) : 0;
}

/* Offset of the line feed before a delimiter in the body, or SIZE_MAX. */
static size_t find_delimiter(const struct weir_multipart *parser)
{
    char wanted[sizeof parser->delimiter + 1];
    int size = snprintf(wanted, sizeof wanted, "\n%s", parser->delimiter);
    if (size <= 1)
        return SIZE_MAX;
    const uint8_t *start = parser->body->data + parser->searched;
    const uint8_t *found = memmem(start, parser->body->size - parser->searched, wanted, (size_t)size);
    return found != NULL ? (size_t)(found - parser->body->data) : SIZE_MAX;
}

static void hand_over(struct weir_multipart *parser, size_t size)
{
    struct weir_block *body = parser->body;
    parser->body = NULL;
    body->size = size;
    if (parser->content_length >= 0 && (uint64_t)parser->content_length != size)
        parser->length_mismatches++;
    parser->frames++;
    parser->events->frame(parser->user, body);
}

/* A part that the delimiter ended: its picture has no end of its own. It is a frame all the same if it begins
 * as one: the decoder says what is wrong with it. */
static void end_at_delimiter(struct weir_multipart *parser, size_t size)
{
    const uint8_t *bytes = parser->body->data;
    if (size > 0 && bytes[size - 1] == '\r')
        size--;
    if (parser->state == WEIR_MULTIPART_SKIP || size == 0)
        return;
    if (size > parser->max_frame_bytes)
        parser->events->bad_frame(parser->user, WEIR_REASON_TOO_LARGE);
    else if (size >= 2 && bytes[0] == 0xFF && bytes[1] == 0xD8)
        hand_over(parser, size);
    else
        parser->events->bad_frame(parser->user, WEIR_REASON_JPEG_INVALID);
}

/* Of a part that is skipped only what could be the beginning of a delimiter is kept. */
static void forget(struct weir_multipart *parser)
{
    size_t keep = strlen(parser->delimiter) + 1;
    struct weir_block *body = parser->body;
    if (body->size <= keep)
        return;
    memmove(body->data, body->data + body->size - keep, keep);
    body->size = keep;
    parser->searched = 0;
}

/* A picture that seems to go on behind a delimiter was cut off there, and what follows is the next one's;
 * unless the part's length says that it does go on, and the delimiter stands in a comment. */
static bool picture_is_complete(struct weir_multipart *parser, size_t delimiter)
{
    struct weir_jpeg_end *end = &parser->end;
    if (weir_jpeg_end_find(end, parser->body->data, parser->body->size) != WEIR_JPEG_END_FOUND)
        return false;
    bool agreed = parser->content_length >= 0 && (uint64_t)parser->content_length == end->at;
    return end->at <= parser->max_frame_bytes && (end->at <= delimiter || agreed);
}

/* Takes the whole chunk, then gives back (by *used) what lies behind the picture's end. */
static int feed_body(struct weir_multipart *parser, const uint8_t *bytes, size_t size, size_t *used,
                     struct weir_error *err)
{
    size_t before = parser->body->size;
    if (weir_block_grow(&parser->body, before + size) != 0)
        return weir_error_set(err, -ENOMEM, "no memory for a frame of %zu bytes", before + size);
    memcpy(parser->body->data + before, bytes, size);
    parser->body->size += size;
    *used = size;
    size_t found = find_delimiter(parser);
    if (parser->state == WEIR_MULTIPART_BODY && picture_is_complete(parser, found)) {
        *used = parser->end.at - before;
        hand_over(parser, parser->end.at);
        seek(parser);
        return 0;
    }
    if (found != SIZE_MAX) {
        size_t start = found + 1; /* of the delimiter's line, which seek reads again */
        *used = start > before ? start - before : 0;
        end_at_delimiter(parser, found);
        seek(parser);
        if (start < before) /* the delimiter began in an earlier chunk */
            weir_buf_append(&parser->line, parser->delimiter, before - start);
        return 0;
    }
    size_t overlap = strlen(parser->delimiter) + 1;
    parser->searched = parser->body->size > overlap ? parser->body->size - overlap : 0;
    if (parser->state == WEIR_MULTIPART_BODY && parser->body->size > parser->max_frame_bytes) {
        parser->events->bad_frame(parser->user, WEIR_REASON_TOO_LARGE);
        parser->state = WEIR_MULTIPART_SKIP;
    }
    if (parser->state == WEIR_MULTIPART_SKIP)
        forget(parser);
    return 0;
}

int weir_multipart_feed(struct weir_multipart *parser, const void *bytes, size_t size, struct weir_error *err)
{
    const uint8_t *at = bytes;
    while (size > 0) {
        size_t used = 0;
        bool in_body = parser->state == WEIR_MULTIPART_BODY || parser->state == WEIR_MULTIPART_SKIP;
        int code =
            in_body ? feed_body(parser, at, size, &used, err) : feed_line(parser, at, size, &used, err);
        if (code != 0)
            return code;
        at += used;
        size -= used;
    }
    return 0;
}

void weir_multipart_finish(struct weir_multipart *parser)
{
    if (parser->state == WEIR_MULTIPART_BODY && parser->body != NULL && parser->body->size > 0)
        parser->events->bad_frame(parser->user, WEIR_REASON_JPEG_TRUNCATED);
    seek(parser);
}
