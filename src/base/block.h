/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_BASE_BLOCK_H
#define WEIR_BASE_BLOCK_H

/* Ref-counted runs of bytes from a pool: what encoded frames and picture planes are made of. In steady
 * state a block that is released is the block that is handed out next, so the data path neither
 * allocates nor faults pages in.
 *
 * Thread-safety: get, ref and unref from any thread; the bytes are written by one owner while the
 * count is one and are read-only after that.
 * Ownership: get returns a reference; ref adds one; unref gives one back. A pool is freed when it
 * has been closed by its owner and its last block is back: blocks may outlive weir_block_pool_free. */

#include <stddef.h>
#include <stdint.h>

struct weir_block_pool;

struct weir_block {
    uint8_t *data;   /* 64-byte aligned */
    size_t capacity; /* bytes that may be written */
    size_t size;     /* bytes in use; for the owner to set */
};

/* retain_bytes: how much memory of released blocks is kept for reuse at most. NULL when out of memory. */
struct weir_block_pool *weir_block_pool_new(size_t retain_bytes);
void weir_block_pool_free(struct weir_block_pool **pool);

/* A block of at least capacity bytes, size 0, contents undefined. NULL when out of memory. */
struct weir_block *weir_block_get(struct weir_block_pool *pool, size_t capacity);
struct weir_block *weir_block_ref(struct weir_block *block);
void weir_block_unref(struct weir_block **block); /* NULL is allowed; nulls the pointer */

/* Makes room for capacity bytes, keeping `size` bytes of content. Only while the count is one. On success
 * *block may be another block; on failure (-ENOMEM) it is unchanged. */
int weir_block_grow(struct weir_block **block, size_t capacity);

struct weir_block_pool_stats {
    size_t live_blocks, live_bytes;     /* handed out now */
    size_t retained_blocks, retained_bytes;
    uint64_t allocations;               /* times the system allocator was asked */
};
void weir_block_pool_stats(struct weir_block_pool *pool, struct weir_block_pool_stats *stats);

#endif
