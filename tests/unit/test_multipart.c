/* SPDX-License-Identifier: Apache-2.0 */
#include "source/multipart.h"

#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 6, LIMIT = 20000 };

/* A small JPEG by its markers only: SOI, a comment, a scan with stuffed bytes and a restart, EOI. n tells
 * parts apart. */
static size_t make_jpeg(uint8_t *out, int n, const char *comment)
{
    uint8_t *at = out;
    size_t size = strlen(comment);
    const uint8_t scan[] = {0xFF, 0xDA, 0,          3,    1,    0x12, 0xFF, 0x00, 0x34,
                            0xFF, 0xD0, (uint8_t)n, 0x0D, 0x0A, 0x2D, 0xFF, 0xD9};
    *at++ = 0xFF;
    *at++ = 0xD8;
    *at++ = 0xFF;
    *at++ = 0xFE;
    *at++ = (uint8_t)((size + 2) >> 8);
    *at++ = (uint8_t)(size + 2);
    memcpy(at, comment, size);
    memcpy(at + size, scan, sizeof scan);
    return (size_t)(at - out) + size + sizeof scan;
}

struct seen {
    struct weir_buf frames[2 * PARTS];
    size_t count, bad;
    enum weir_reason reason;
};

static void on_frame(void *user, struct weir_block *jpeg)
{
    struct seen *seen = user;
    assert_true(seen->count < 2 * PARTS);
    weir_buf_append(&seen->frames[seen->count++], jpeg->data, jpeg->size);
    weir_block_unref(&jpeg);
}

static void on_bad(void *user, enum weir_reason reason)
{
    struct seen *seen = user;
    seen->bad++;
    seen->reason = reason;
}

static const struct weir_multipart_events events = {on_frame, on_bad};

static void seen_fini(struct seen *seen)
{
    for (size_t i = 0; i < seen->count; i++)
        weir_buf_fini(&seen->frames[i]);
    memset(seen, 0, sizeof *seen);
}

/* way 0: one piece; 1: byte by byte; 2 and more: pieces of random sizes, drawn by that seed. */
static int feed(const char *type, const struct weir_buf *wire, unsigned way, struct seen *seen,
                uint64_t *mismatches)
{
    struct weir_block_pool *pool = weir_block_pool_new(1 << 20);
    struct weir_multipart parser;
    struct weir_error err = {0};
    weir_multipart_init(&parser, &events, seen, pool, LIMIT, type);
    int code = 0;
    for (size_t at = 0; at < wire->size && code == 0;) {
        size_t piece = way == 0 ? wire->size : way == 1 ? 1 : 1 + (size_t)rand_r(&way) % 1460;
        if (piece > wire->size - at)
            piece = wire->size - at;
        code = weir_multipart_feed(&parser, wire->data + at, piece, &err);
        at += piece;
    }
    weir_multipart_finish(&parser);
    if (mismatches != NULL)
        *mismatches = parser.length_mismatches;
    weir_multipart_fini(&parser);
    weir_block_pool_free(&pool);
    return code;
}

enum { WAYS = 12 };

/* Every part's JPEG arrives byte for byte, whatever the pieces. */
static void assert_all_parts(const char *what, const char *type, const struct weir_buf *wire,
                             const char *comment)
{
    for (unsigned way = 0; way < WAYS; way++) {
        struct seen seen = {0};
        assert_int_equal(feed(type, wire, way, &seen, NULL), 0);
        if (seen.count != PARTS || seen.bad != 0)
            fail_msg("%s, way %u: %zu frames, %zu bad", what, way, seen.count, seen.bad);
        for (int i = 0; i < PARTS; i++) {
            uint8_t jpeg[2048];
            assert_int_equal(seen.frames[i].size, make_jpeg(jpeg, i, comment));
            assert_memory_equal(seen.frames[i].data, jpeg, seen.frames[i].size);
        }
        seen_fini(&seen);
    }
}

/* before, headers, after: formats in which %zu stands for the length. */
static void write_parts(struct weir_buf *wire, const char *before, const char *headers, const char *after,
                        const char *comment)
{
    for (int i = 0; i < PARTS; i++) {
        uint8_t jpeg[2048];
        char text[512];
        size_t size = make_jpeg(jpeg, i, comment);
        const char *length = strstr(headers, "%zu");
        (void)snprintf(text, sizeof text, "%.*s",
                       length != NULL ? (int)(length - headers) : (int)strlen(headers), headers);
        weir_buf_text(wire, before);
        weir_buf_text(wire, text);
        if (length != NULL)
            weir_buf_printf(wire, "%zu%s", size, length + 3);
        weir_buf_append(wire, jpeg, size);
        weir_buf_text(wire, after);
    }
}

static const char mp[] = "multipart/x-mixed-replace;boundary=frame";
static const char usual[] = "Content-Type: image/jpeg\r\nContent-Length: %zu\r\n\r\n";

static const struct {
    const char *what, *type, *before, *headers, *after;
} good[] = {
    {"plain", mp, "--frame\r\n", usual, "\r\n"},
    {"no length", mp, "--frame\r\n", "Content-Type: image/jpeg\r\n\r\n", "\r\n"},
    {"no part headers", mp, "--frame\r\n", "\r\n", "\r\n"},
    {"no type at all", NULL, "--frame\r\n", usual, "\r\n"},
    {"dashes in the header", "multipart/x-mixed-replace; boundary=--frame", "--frame\r\n", usual, "\r\n"},
    {"quoted", "multipart/x-mixed-replace; boundary=\"frame\"", "--frame\r\n", usual, "\r\n"},
    {"quoted with dashes", "multipart/x-mixed-replace; boundary=\"--frame\"", "--frame\r\n", usual, "\r\n"},
    {"spaces round the sign", "multipart/x-mixed-replace; boundary = frame", "--frame\r\n", usual, "\r\n"},
    {"upper case", "MULTIPART/X-MIXED-REPLACE; BOUNDARY=frame", "--frame\r\n", usual, "\r\n"},
    {"parameter behind", "multipart/x-mixed-replace; boundary=frame; charset=x", "--frame\r\n", usual,
     "\r\n"},
    {"empty boundary", "multipart/x-mixed-replace; boundary=", "--frame\r\n", usual, "\r\n"},
    {"odd characters", "multipart/x-mixed-replace; boundary=\"a'()+_,-./:=?b\"", "--a'()+_,-./:=?b\r\n",
     usual, "\r\n"},
    {"wire without dashes", mp, "frame\r\n", usual, "\r\n"},
    {"wire with four dashes", mp, "----frame\r\n", usual, "\r\n"},
    {"another boundary on the wire", mp, "--other\r\n", usual, "\r\n"},
    {"delimiter behind each picture", mp, "", usual, "\r\n--frame\r\n"},
    {"LF only", mp, "--frame\n", "Content-Type: image/jpeg\nContent-Length: %zu\n\n", "\n"},
    {"one LF among CRLF", mp, "--frame\r\n",
     "Content-Type: image/jpeg\r\nX-Channel: 2\nContent-Length: %zu\r\n\r\n", "\r\n"},
    {"no space, lower case", mp, "--frame\r\n", "content-length:%zu\r\ncontent-type:image/jpeg\r\n\r\n",
     "\r\n"},
    {"two spaces, upper case", mp, "--frame\r\n",
     "CONTENT-LENGTH:  %zu\r\nCONTENT-TYPE:  image/jpeg;size=1\r\n\r\n", "\r\n"},
    {"vendor headers", mp, "--frame\r\n",
     "X-Tags: a=b,c\r\nContent-Length: %zu\r\nDate: Tue, 01 Dec 2026\r\n\r\n", "\r\n"},
    {"delimiter and header in one line", mp, "--frame",
     "Content-Type: image/jpeg\r\nContent-length: %zu\r\n\r\n", "\r\n"},
    {"length 0", mp, "--frame\r\n", "Content-Length: 0\r\n\r\n", "\r\n"},
    {"length too small", mp, "--frame\r\n", "Content-Length: 5\r\n\r\n", "\r\n"},
    {"length too large", mp, "--frame\r\n", "Content-Length: 9000\r\n\r\n", "\r\n"},
    {"length that is no number", mp, "--frame\r\n", "Content-Length: abc\r\n\r\n", "\r\n"},
    {"negative length", mp, "--frame\r\n", "Content-Length: -1\r\n\r\n", "\r\n"},
    {"absurd length", mp, "--frame\r\n", "Content-Length: 99999999999999999999\r\n\r\n", "\r\n"},
    {"garbage behind the picture", mp, "--frame\r\n", usual, "\0garbage\r\n"},
    {"pictures one behind the other", "image/jpeg", "", "", ""},
};

static void each_way_of_cameras_gives_every_picture(void **state)
{
    (void)state;
    static const char *const comments[] = {"", "a picture\r\n--fram"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        for (size_t c = 0; c < 2; c++) {
            struct weir_buf wire = {0};
            write_parts(&wire, good[i].before, good[i].headers, good[i].after, comments[c]);
            assert_all_parts(good[i].what, good[i].type, &wire, comments[c]);
            weir_buf_fini(&wire);
        }
    }
}

static void a_delimiter_inside_a_picture_is_no_delimiter_when_the_length_says_so(void **state)
{
    (void)state;
    struct weir_buf wire = {0};
    write_parts(&wire, "--frame\r\n", usual, "\r\n", "x\r\n--frame\r\ny");
    struct seen seen = {0};
    assert_int_equal(feed(mp, &wire, 0, &seen, NULL), 0);
    assert_int_equal(seen.count, PARTS);
    seen_fini(&seen);
    weir_buf_fini(&wire);
}

static void a_wrong_length_is_counted(void **state)
{
    (void)state;
    struct weir_buf wire = {0};
    struct seen seen = {0};
    uint64_t mismatches = 0;
    write_parts(&wire, "--frame\r\n", "Content-Length: 5\r\n\r\n", "\r\n", "");
    assert_int_equal(feed(mp, &wire, 0, &seen, &mismatches), 0);
    assert_int_equal(mismatches, PARTS);
    seen_fini(&seen);
    weir_buf_fini(&wire);
}

/* The frame is there with its own last byte: waiting for the next delimiter would make each one a frame late.
 */
static void a_frame_is_handed_over_with_its_last_byte(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(1 << 20);
    struct weir_multipart parser;
    struct seen seen = {0};
    uint8_t jpeg[2048];
    size_t size = make_jpeg(jpeg, 1, "");
    weir_multipart_init(&parser, &events, &seen, pool, LIMIT, mp);
    assert_int_equal(weir_multipart_feed(&parser, "--frame\r\n\r\n", 11, NULL), 0);
    assert_int_equal(weir_multipart_feed(&parser, jpeg, size - 1, NULL), 0);
    assert_int_equal(seen.count, 0);
    assert_int_equal(weir_multipart_feed(&parser, jpeg + size - 1, 1, NULL), 0);
    assert_int_equal(seen.count, 1);
    seen_fini(&seen);
    weir_multipart_fini(&parser);
    weir_block_pool_free(&pool);
}

static void a_cut_picture_costs_only_itself(void **state)
{
    (void)state;
    for (unsigned way = 0; way < WAYS; way++) {
        struct weir_buf wire = {0};
        struct seen seen = {0};
        uint8_t jpeg[2048];
        for (int i = 0; i < 3; i++) {
            size_t size = make_jpeg(jpeg, i, "hello");
            weir_buf_text(&wire, "--frame\r\nContent-Type: image/jpeg\r\n\r\n");
            weir_buf_append(&wire, jpeg, i == 1 ? size - 6 : size);
            weir_buf_text(&wire, "\r\n");
        }
        assert_int_equal(feed(mp, &wire, way, &seen, NULL), 0);
        assert_int_equal(seen.count, 3); /* the cut one too: the decoder says what is wrong with it */
        assert_int_equal(seen.frames[2].size, make_jpeg(jpeg, 2, "hello"));
        assert_memory_equal(seen.frames[2].data, jpeg, seen.frames[2].size);
        seen_fini(&seen);
        weir_buf_fini(&wire);
    }
}

static void a_part_over_the_limit_is_dropped_and_the_next_one_found(void **state)
{
    (void)state;
    for (unsigned way = 0; way < WAYS; way++) {
        struct weir_buf wire = {0};
        struct seen seen = {0};
        uint8_t jpeg[2048];
        size_t size = make_jpeg(jpeg, 1, "");
        weir_buf_text(&wire, "--frame\r\n\r\n\xff\xd8");
        for (int i = 0; i < LIMIT / 8 + 100; i++)
            weir_buf_text(&wire, "fillfill");
        weir_buf_text(&wire, "\r\n--frame\r\n\r\n");
        weir_buf_append(&wire, jpeg, size);
        assert_int_equal(feed(mp, &wire, way, &seen, NULL), 0);
        assert_int_equal(seen.bad, 1);
        assert_int_equal(seen.reason, WEIR_REASON_TOO_LARGE);
        assert_int_equal(seen.count, 1);
        assert_memory_equal(seen.frames[seen.count - 1].data, jpeg, size);
        seen_fini(&seen);
        weir_buf_fini(&wire);
    }
}

static void a_part_of_another_kind_is_passed_over(void **state)
{
    (void)state;
    struct weir_buf wire = {0};
    struct seen seen = {0};
    weir_buf_text(&wire, "--frame\r\nContent-Type: text/plain\r\n\r\nmotion=1\r\n");
    write_parts(&wire, "--frame\r\n", usual, "\r\n", "");
    assert_int_equal(feed(mp, &wire, 0, &seen, NULL), 0);
    assert_int_equal(seen.count, PARTS);
    assert_int_equal(seen.bad, 0);
    seen_fini(&seen);
    weir_buf_fini(&wire);
}

static void what_is_no_mjpeg_is_an_error_and_not_a_growing_buffer(void **state)
{
    (void)state;
    struct weir_buf junk = {0}, headers = {0};
    struct seen seen = {0};
    for (int i = 0; i < 10000; i++)
        weir_buf_text(&junk, "not at all\n");
    weir_buf_text(&headers, "--frame\r\n");
    for (int i = 0; i < 2000; i++)
        weir_buf_text(&headers, "X-Header: value\r\n");
    assert_int_equal(feed(mp, &junk, 0, &seen, NULL), -EPROTO);
    assert_int_equal(feed(mp, &junk, 1, &seen, NULL), -EPROTO);
    assert_int_equal(feed(mp, &headers, 0, &seen, NULL), -EPROTO);
    assert_int_equal(seen.count, 0);
    weir_buf_fini(&junk);
    weir_buf_fini(&headers);
}

static void a_stream_that_ends_in_a_picture_has_one_bad_frame(void **state)
{
    (void)state;
    struct weir_buf wire = {0};
    struct seen seen = {0};
    weir_buf_text(&wire, "--frame\r\n\r\n\xff\xd8\xff");
    assert_int_equal(feed(mp, &wire, 0, &seen, NULL), 0);
    assert_int_equal(seen.bad, 1);
    assert_int_equal(seen.reason, WEIR_REASON_JPEG_TRUNCATED);
    weir_buf_fini(&wire);
}

static void types_that_can_be_mjpeg(void **state)
{
    (void)state;
    assert_true(weir_multipart_accepts(NULL));
    assert_true(weir_multipart_accepts("Multipart/x-mixed-replace"));
    assert_true(weir_multipart_accepts("image/jpeg"));
    assert_false(weir_multipart_accepts("text/html; charset=utf-8"));
    assert_false(weir_multipart_accepts("image/png"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_way_of_cameras_gives_every_picture),
        cmocka_unit_test(a_delimiter_inside_a_picture_is_no_delimiter_when_the_length_says_so),
        cmocka_unit_test(a_wrong_length_is_counted),
        cmocka_unit_test(a_frame_is_handed_over_with_its_last_byte),
        cmocka_unit_test(a_cut_picture_costs_only_itself),
        cmocka_unit_test(a_part_over_the_limit_is_dropped_and_the_next_one_found),
        cmocka_unit_test(a_part_of_another_kind_is_passed_over),
        cmocka_unit_test(what_is_no_mjpeg_is_an_error_and_not_a_growing_buffer),
        cmocka_unit_test(a_stream_that_ends_in_a_picture_has_one_bad_frame),
        cmocka_unit_test(types_that_can_be_mjpeg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
