/* SPDX-License-Identifier: Apache-2.0 */
#include "base/block.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Capacities are 4 KiB times 1, 1.5, 2, 3, 4, 6, ...: at most a third is wasted, and pictures of one
 * camera, which differ by some percent, share a class. */
enum { SMALLEST = 4096, CLASSES = 56, ALIGNMENT = 64 };

struct owned_block {
    struct weir_block block; /* first: a block pointer is an owned_block pointer */
    atomic_uint refs;
    int size_class;
    struct weir_block_pool *pool;
    struct owned_block *next_free;
};

struct weir_block_pool {
    pthread_mutex_t lock;
    size_t retain_bytes;
    bool closed;
    struct owned_block *free_list[CLASSES];
    struct weir_block_pool_stats stats;
};

static size_t class_capacity(int size_class)
{
    size_t power = (size_t)SMALLEST << (size_class / 2);
    return size_class % 2 == 0 ? power : power + power / 2;
}

static int class_of(size_t capacity)
{
    for (int c = 0; c < CLASSES; c++)
        if (class_capacity(c) >= capacity)
            return c;
    return -1;
}

struct weir_block_pool *weir_block_pool_new(size_t retain_bytes)
{
    struct weir_block_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pool->retain_bytes = retain_bytes;
    return pool;
}

static void free_block(struct owned_block *owned)
{
    free(owned->block.data);
    free(owned);
}

static void destroy(struct weir_block_pool *pool)
{
    for (int c = 0; c < CLASSES; c++) {
        while (pool->free_list[c] != NULL) {
            struct owned_block *owned = pool->free_list[c];
            pool->free_list[c] = owned->next_free;
            free_block(owned);
        }
    }
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

void weir_block_pool_free(struct weir_block_pool **pool)
{
    if (*pool == NULL)
        return;
    pthread_mutex_lock(&(*pool)->lock);
    (*pool)->closed = true;
    bool last = (*pool)->stats.live_blocks == 0;
    pthread_mutex_unlock(&(*pool)->lock);
    if (last)
        destroy(*pool);
    *pool = NULL;
}

static struct owned_block *new_block(struct weir_block_pool *pool, int size_class)
{
    struct owned_block *owned = calloc(1, sizeof *owned);
    if (owned == NULL)
        return NULL;
    owned->block.data = aligned_alloc(ALIGNMENT, class_capacity(size_class));
    if (owned->block.data == NULL) {
        free(owned);
        return NULL;
    }
    owned->block.capacity = class_capacity(size_class);
    owned->size_class = size_class;
    owned->pool = pool;
    return owned;
}

struct weir_block *weir_block_get(struct weir_block_pool *pool, size_t capacity)
{
    int size_class = class_of(capacity);
    if (size_class < 0)
        return NULL;
    pthread_mutex_lock(&pool->lock);
    struct owned_block *owned = pool->free_list[size_class];
    if (owned != NULL) {
        pool->free_list[size_class] = owned->next_free;
        pool->stats.retained_blocks--;
        pool->stats.retained_bytes -= owned->block.capacity;
    } else {
        pool->stats.allocations++;
    }
    pool->stats.live_blocks++;
    pool->stats.live_bytes += class_capacity(size_class);
    pthread_mutex_unlock(&pool->lock);

    if (owned == NULL)
        owned = new_block(pool, size_class);
    if (owned == NULL) {
        pthread_mutex_lock(&pool->lock);
        pool->stats.live_blocks--;
        pool->stats.live_bytes -= class_capacity(size_class);
        pthread_mutex_unlock(&pool->lock);
        return NULL;
    }
    owned->next_free = NULL;
    owned->block.size = 0;
    atomic_store_explicit(&owned->refs, 1, memory_order_relaxed);
    return &owned->block;
}

struct weir_block *weir_block_ref(struct weir_block *block)
{
    struct owned_block *owned = (struct owned_block *)block;
    atomic_fetch_add_explicit(&owned->refs, 1, memory_order_relaxed);
    return block;
}

static void give_back(struct owned_block *owned)
{
    struct weir_block_pool *pool = owned->pool;
    pthread_mutex_lock(&pool->lock);
    pool->stats.live_blocks--;
    pool->stats.live_bytes -= owned->block.capacity;
    bool keep = !pool->closed && pool->stats.retained_bytes + owned->block.capacity <= pool->retain_bytes;
    if (keep) {
        owned->next_free = pool->free_list[owned->size_class];
        pool->free_list[owned->size_class] = owned;
        pool->stats.retained_blocks++;
        pool->stats.retained_bytes += owned->block.capacity;
    }
    bool last = pool->closed && pool->stats.live_blocks == 0;
    pthread_mutex_unlock(&pool->lock);
    if (!keep)
        free_block(owned);
    if (last)
        destroy(pool);
}

void weir_block_unref(struct weir_block **block)
{
    struct owned_block *owned = (struct owned_block *)*block;
    *block = NULL;
    if (owned != NULL && atomic_fetch_sub_explicit(&owned->refs, 1, memory_order_acq_rel) == 1)
        give_back(owned);
}

int weir_block_grow(struct weir_block **block, size_t capacity)
{
    if (capacity <= (*block)->capacity)
        return 0;
    struct owned_block *owned = (struct owned_block *)*block;
    assert(atomic_load(&owned->refs) == 1);
    struct weir_block *bigger = weir_block_get(owned->pool, capacity);
    if (bigger == NULL)
        return -ENOMEM;
    memcpy(bigger->data, (*block)->data, (*block)->size);
    bigger->size = (*block)->size;
    weir_block_unref(block);
    *block = bigger;
    return 0;
}

void weir_block_pool_stats(struct weir_block_pool *pool, struct weir_block_pool_stats *stats)
{
    pthread_mutex_lock(&pool->lock);
    *stats = pool->stats;
    pthread_mutex_unlock(&pool->lock);
}
