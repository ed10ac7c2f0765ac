/* SPDX-License-Identifier: Apache-2.0 */
/* The MJPEG parser on anything. The first byte chooses the Content-Type of the answer and whether pieces are
 * of one byte or of sizes drawn by it, the rest is the body. */
#include "source/multipart.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAME_MAX = 4096 };

static void on_frame(void *user, struct weir_block *jpeg)
{
    (void)user;
    assert(jpeg->size >= 2 && jpeg->size <= FRAME_MAX);
    assert(jpeg->data[0] == 0xFF && jpeg->data[1] == 0xD8);
    weir_block_unref(&jpeg);
}

static void on_bad_frame(void *user, enum weir_reason reason)
{
    (void)user;
    assert(reason > WEIR_REASON_NONE && reason < WEIR_REASON_COUNT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct weir_multipart_events events = {on_frame, on_bad_frame};
    static const char *const types[] = {
        NULL,
        "multipart/x-mixed-replace;boundary=frame",
        "multipart/x-mixed-replace; boundary=\"--frame\"",
        "multipart/x-mixed-replace; boundary=",
        "multipart/x-mixed-replace; boundary =\"unfinished",
        "image/jpeg",
    };
    static struct weir_block_pool *pool;
    if (size < 1)
        return 0;
    if (pool == NULL && (pool = weir_block_pool_new((size_t)1 << 20)) == NULL)
        abort();
    struct weir_multipart parser;
    struct weir_error err = {0};
    unsigned seed = data[0];
    weir_multipart_init(&parser, &events, NULL, pool, FRAME_MAX,
                        types[data[0] % (sizeof types / sizeof *types)]);
    int code = 0;
    for (size_t at = 1; at < size && code == 0;) {
        size_t piece = data[0] < 128 ? 1 : 1 + (size_t)rand_r(&seed) % 700;
        if (piece > size - at)
            piece = size - at;
        code = weir_multipart_feed(&parser, data + at, piece, &err);
        assert(code == 0 || err.text[0] != '\0');
        assert(parser.body == NULL || parser.body->size <= FRAME_MAX + piece);
        at += piece;
    }
    weir_multipart_finish(&parser);
    weir_multipart_fini(&parser);
    return 0;
}
