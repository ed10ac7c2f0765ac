/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures put together from old and new rows are whole JPEGs, and only what should differ does. */
#include "sim/pattern.h"

#include "image/jpeg.h"
#include "unit.h"

#include <stdbool.h>
#include <string.h>

static const struct weir_jpeg_params defaults = WEIR_JPEG_PARAMS_DEFAULT;

static struct weir_image *draw(struct weir_sim_pattern *pattern, struct weir_jpeg_decoder *decoder,
                               int camera, uint64_t frame)
{
    struct weir_block *jpeg = weir_sim_pattern_draw(pattern, camera, frame);
    assert_non_null(jpeg);
    struct weir_image *image;
    struct weir_error err = {0};
    if (weir_jpeg_decode(decoder, jpeg->data, jpeg->size, &defaults, &image, &err) != WEIR_JPEG_OK)
        fail_msg("%s", err.text);
    weir_block_unref(&jpeg);
    return image;
}

static bool same_luma(const struct weir_image *a, const struct weir_image *b, int from, int to)
{
    for (int y = from; y < to; y++)
        if (memcmp(a->plane[0] + y * a->stride[0], b->plane[0] + y * b->stride[0], (size_t)a->width) != 0)
            return false;
    return true;
}

static void frames_differ_in_the_strip_alone(void **state)
{
    (void)state;
    static const int sizes[][2] = {{640, 480}, {64, 64}, {321, 243}, {1920, 1080}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct weir_block_pool *pool = weir_block_pool_new(8 << 20);
        struct weir_sim_pattern_params params = {sizes[i][0], sizes[i][1], 80, 1};
        struct weir_sim_pattern *pattern = weir_sim_pattern_new(pool, &params);
        struct weir_jpeg_decoder *decoder;
        assert_int_equal(weir_jpeg_decoder_new(&decoder, pool), 0);
        struct weir_image *first = draw(pattern, decoder, 3, 1), *later = draw(pattern, decoder, 3, 77);
        struct weir_image *again = draw(pattern, decoder, 3, 1), *other = draw(pattern, decoder, 4, 1);
        assert_int_equal(first->width, sizes[i][0]);
        assert_int_equal(first->height, sizes[i][1]);
        assert_false(same_luma(first, later, 0, 48));
        assert_true(same_luma(first, later, 48, first->height));
        assert_true(same_luma(first, again, 0, first->height));
        assert_false(same_luma(first, other, 48, first->height));
        weir_image_unref(&first);
        weir_image_unref(&later);
        weir_image_unref(&again);
        weir_image_unref(&other);
        weir_jpeg_decoder_free(&decoder);
        weir_sim_pattern_free(&pattern);
        struct weir_block_pool_stats stats;
        weir_block_pool_stats(pool, &stats);
        assert_int_equal(stats.live_blocks, 0);
        weir_block_pool_free(&pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_differ_in_the_strip_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
