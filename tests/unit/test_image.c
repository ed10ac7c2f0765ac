/* SPDX-License-Identifier: Apache-2.0 */
#include "image/frame.h"
#include "image/image.h"

#include "unit.h"

#include <errno.h>
#include <string.h>

static void planes_are_apart_and_aligned(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(1 << 20);
    for (int format = WEIR_PIXEL_GRAY; format <= WEIR_PIXEL_BGR; format++) {
        struct weir_image *image = weir_image_new(pool, (enum weir_pixel_format)format, 63, 47);
        assert_non_null(image);
        assert_int_equal(image->width, 63);
        assert_int_equal(image->source_height, 47);
        for (int p = 0; p < 3 && image->plane[p] != NULL; p++) {
            assert_int_equal((uintptr_t)image->plane[p] % 64, 0);
            assert_int_equal(image->stride[p] % 64, 0);
        }
        weir_image_unref(&image);
    }
    weir_block_pool_free(&pool);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(0);
    assert_null(weir_image_new(pool, WEIR_PIXEL_RGB, 0, 5));
    assert_null(weir_image_new(pool, WEIR_PIXEL_RGB, 5, 65536));
    assert_null(weir_image_new(pool, WEIR_PIXEL_RGB, -1, 5));
    weir_block_pool_free(&pool);
}

static void a_picture_takes_one_block_and_gives_it_back(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(1 << 20);
    struct weir_block_pool_stats stats;
    for (int i = 0; i < 10; i++) {
        struct weir_image *image = weir_image_new(pool, WEIR_PIXEL_I420, 320, 240);
        struct weir_image *second = weir_image_ref(image);
        weir_image_unref(&image);
        assert_null(image);
        second->plane[2][0] = 7;
        weir_image_unref(&second);
    }
    weir_block_pool_stats(pool, &stats);
    assert_int_equal(stats.allocations, 1);
    assert_int_equal(stats.live_blocks, 0);
    weir_block_pool_free(&pool);
}

static void wrapped_bytes_are_used_in_place(void **state)
{
    (void)state;
    /* NV12 of 3 x 3: 9 bytes of luma, then 2 rows of 2 pairs. */
    uint8_t bytes[17] = {0};
    struct weir_image *image;
    struct weir_error err;
    assert_int_equal(weir_image_wrap(&image, WEIR_PIXEL_NV12, 3, 3, bytes, 17, &err), 0);
    assert_ptr_equal(image->plane[1], bytes + 9);
    assert_int_equal(image->stride[1], 4);
    weir_image_unref(&image);
    assert_int_equal(weir_image_wrap(&image, WEIR_PIXEL_NV12, 3, 3, bytes, 16, &err), -EINVAL);
    assert_non_null(strstr(err.text, "17 bytes, found 16"));
    assert_null(image);
    assert_int_equal(weir_image_wrap(&image, WEIR_PIXEL_GRAY, 0, 3, bytes, 0, &err), -EINVAL);
}

static void a_frame_gives_back_what_it_holds(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(0);
    struct weir_frame *frame = weir_frame_new();
    frame->jpeg = weir_block_get(pool, 10);
    frame->image = weir_image_new(pool, WEIR_PIXEL_GRAY, 4, 4);
    struct weir_frame *second = weir_frame_ref(frame);
    weir_frame_unref(&frame);
    struct weir_block_pool_stats stats;
    weir_block_pool_stats(pool, &stats);
    assert_int_equal(stats.live_blocks, 2);
    weir_frame_unref(&second);
    weir_block_pool_stats(pool, &stats);
    assert_int_equal(stats.live_blocks, 0);
    weir_block_pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_are_apart_and_aligned),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(a_picture_takes_one_block_and_gives_it_back),
        cmocka_unit_test(wrapped_bytes_are_used_in_place),
        cmocka_unit_test(a_frame_gives_back_what_it_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
