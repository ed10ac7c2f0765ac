/* SPDX-License-Identifier: Apache-2.0 */
#include "base/queue.h"

#include "base/thread.h"

#include <pthread.h>
#include <stdlib.h>

struct weir_queue {
    pthread_mutex_t lock;
    pthread_cond_t has_item, has_room;
    size_t capacity, head, size; /* head: index of the oldest item */
    bool closed;
    void *items[];
};

struct weir_queue *weir_queue_new(size_t capacity)
{
    struct weir_queue *queue = calloc(1, sizeof *queue + capacity * sizeof *queue->items);
    if (queue == NULL)
        return NULL;
    pthread_mutex_init(&queue->lock, NULL);
    weir_cond_init(&queue->has_item);
    weir_cond_init(&queue->has_room);
    queue->capacity = capacity;
    return queue;
}

void weir_queue_free(struct weir_queue **queue)
{
    if (*queue == NULL)
        return;
    pthread_cond_destroy(&(*queue)->has_room);
    pthread_cond_destroy(&(*queue)->has_item);
    pthread_mutex_destroy(&(*queue)->lock);
    free(*queue);
    *queue = NULL;
}

static enum weir_queue_code put(struct weir_queue *queue, void *item)
{
    if (queue->closed)
        return WEIR_QUEUE_CLOSED;
    if (queue->size == queue->capacity)
        return WEIR_QUEUE_FULL;
    queue->items[(queue->head + queue->size) % queue->capacity] = item;
    queue->size++;
    pthread_cond_signal(&queue->has_item);
    return WEIR_QUEUE_OK;
}

enum weir_queue_code weir_queue_try_push(struct weir_queue *queue, void *item)
{
    pthread_mutex_lock(&queue->lock);
    enum weir_queue_code code = put(queue, item);
    pthread_mutex_unlock(&queue->lock);
    return code;
}

/* False when the deadline passed. */
static bool wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t deadline_ns)
{
    if (deadline_ns == INT64_MAX) {
        pthread_cond_wait(cond, lock);
        return true;
    }
    return weir_cond_wait_until(cond, lock, deadline_ns);
}

enum weir_queue_code weir_queue_push(struct weir_queue *queue, void *item, int64_t deadline_ns)
{
    pthread_mutex_lock(&queue->lock);
    bool in_time = true;
    while (in_time && !queue->closed && queue->size == queue->capacity)
        in_time = wait_for(&queue->has_room, &queue->lock, deadline_ns);
    enum weir_queue_code code = put(queue, item);
    pthread_mutex_unlock(&queue->lock);
    return code;
}

enum weir_queue_code weir_queue_pop(struct weir_queue *queue, void **item, int64_t deadline_ns)
{
    pthread_mutex_lock(&queue->lock);
    bool in_time = true;
    while (in_time && !queue->closed && queue->size == 0)
        in_time = wait_for(&queue->has_item, &queue->lock, deadline_ns);
    enum weir_queue_code code = queue->closed ? WEIR_QUEUE_CLOSED : WEIR_QUEUE_EMPTY;
    if (queue->size > 0) {
        *item = queue->items[queue->head];
        queue->head = (queue->head + 1) % queue->capacity;
        queue->size--;
        pthread_cond_signal(&queue->has_room);
        code = WEIR_QUEUE_OK;
    }
    pthread_mutex_unlock(&queue->lock);
    return code;
}

void weir_queue_close(struct weir_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_cond_broadcast(&queue->has_item);
    pthread_cond_broadcast(&queue->has_room);
    pthread_mutex_unlock(&queue->lock);
}

size_t weir_queue_size(struct weir_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    size_t size = queue->size;
    pthread_mutex_unlock(&queue->lock);
    return size;
}

size_t weir_queue_capacity(const struct weir_queue *queue)
{
    return queue->capacity;
}
