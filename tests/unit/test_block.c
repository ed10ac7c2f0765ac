/* SPDX-License-Identifier: Apache-2.0 */
#include "base/block.h"

#include "unit.h"

#include <string.h>

static void a_released_block_comes_back(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(1 << 20);
    struct weir_block *a = weir_block_get(pool, 50000);
    assert_true(a->capacity >= 50000);
    assert_int_equal((uintptr_t)a->data % 64, 0);
    struct weir_block *first = a;
    weir_block_unref(&a);
    assert_null(a);
    struct weir_block *b = weir_block_get(pool, 64000);
    assert_ptr_equal(b, first);
    struct weir_block_pool_stats stats;
    weir_block_pool_stats(pool, &stats);
    assert_int_equal(stats.allocations, 1);
    assert_int_equal(stats.live_blocks, 1);
    weir_block_unref(&b);
    weir_block_pool_free(&pool);
}

static void what_is_kept_is_bounded(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(10000);
    struct weir_block *blocks[4];
    for (int i = 0; i < 4; i++)
        blocks[i] = weir_block_get(pool, 4096);
    for (int i = 0; i < 4; i++)
        weir_block_unref(&blocks[i]);
    struct weir_block_pool_stats stats;
    weir_block_pool_stats(pool, &stats);
    assert_int_equal(stats.live_bytes, 0);
    assert_int_equal(stats.retained_bytes, 8192);
    weir_block_pool_free(&pool);
}

static void growing_keeps_the_content(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(1 << 20);
    struct weir_block *block = weir_block_get(pool, 100);
    memcpy(block->data, "weir", 5);
    block->size = 5;
    assert_int_equal(weir_block_grow(&block, 1 << 18), 0);
    assert_true(block->capacity >= 1 << 18);
    assert_string_equal((const char *)block->data, "weir");
    weir_block_unref(&block);
    weir_block_pool_free(&pool);
}

static void blocks_outlive_their_pool(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(1 << 20);
    struct weir_block *block = weir_block_get(pool, 100);
    struct weir_block *second = weir_block_ref(block);
    weir_block_pool_free(&pool);
    weir_block_unref(&block);
    second->data[99] = 1;
    weir_block_unref(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_released_block_comes_back),
        cmocka_unit_test(what_is_kept_is_bounded),
        cmocka_unit_test(growing_keeps_the_content),
        cmocka_unit_test(blocks_outlive_their_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
