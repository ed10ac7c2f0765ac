/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/reel.h"

#include "base/thread.h"
#include "image/jpeg.h"
#include "sim/clip.h"

#include <errno.h>
#include <stdlib.h>

/* How far the thread works ahead of the foremost camera: enough for a burst, little at the start. */
enum { AHEAD = 16 };

struct weir_sim_reel {
    struct weir_block_pool *pool;
    struct weir_sim_clip *clip; /* the thread's, once it runs */
    int quality;
    size_t memory_bytes;
    double fps;
    bool started;
    pthread_t thread;

    pthread_mutex_t lock; /* all below */
    pthread_cond_t wanted_more;
    struct weir_block **blocks;
    size_t count, capacity, bytes;
    uint64_t wanted; /* the foremost index asked for */
    bool ended, cut, stop;
};

/* The next picture as JPEG: 1, 0 at the end, or negative errno. */
static int make_next(struct weir_sim_reel *reel, struct weir_block **jpeg, struct weir_error *err)
{
    struct weir_image *image;
    int rc = weir_sim_clip_next(reel->clip, reel->pool, &image, jpeg, err);
    if (rc == 1 && image != NULL) {
        rc = weir_jpeg_encode(jpeg, reel->pool, image, reel->quality, err);
        rc = rc < 0 ? rc : 1;
        weir_image_unref(&image);
    }
    return rc;
}

/* Takes over the picture; false, and the picture stays the caller's, when there is no room. */
static bool append(struct weir_sim_reel *reel, struct weir_block *jpeg)
{
    if (reel->count > 0 && reel->bytes + jpeg->capacity > reel->memory_bytes) {
        reel->cut = true;
        return false;
    }
    if (reel->count == reel->capacity) {
        size_t capacity = reel->capacity == 0 ? 256 : reel->capacity * 2;
        struct weir_block **blocks = realloc(reel->blocks, capacity * sizeof *blocks);
        if (blocks == NULL)
            return false;
        reel->blocks = blocks;
        reel->capacity = capacity;
    }
    reel->bytes += jpeg->capacity;
    reel->blocks[reel->count++] = jpeg;
    return true;
}

static void *work_ahead(void *argument)
{
    struct weir_sim_reel *reel = argument;
    pthread_mutex_lock(&reel->lock);
    while (!reel->stop && !reel->ended) {
        if (reel->count > reel->wanted + AHEAD) {
            pthread_cond_wait(&reel->wanted_more, &reel->lock);
            continue;
        }
        pthread_mutex_unlock(&reel->lock);
        struct weir_block *jpeg = NULL;
        /* What fails after the first picture ends the reel: it plays what it has. */
        int rc = make_next(reel, &jpeg, NULL);
        pthread_mutex_lock(&reel->lock);
        if (rc != 1 || !append(reel, jpeg)) {
            weir_block_unref(&jpeg);
            reel->ended = true;
        }
    }
    pthread_mutex_unlock(&reel->lock);
    return NULL;
}

int weir_sim_reel_new(struct weir_sim_reel **out, struct weir_block_pool *pool,
                      const struct weir_sim_reel_params *params, struct weir_error *err)
{
    struct weir_sim_reel *reel = *out = calloc(1, sizeof *reel);
    if (reel == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for the pictures to play");
    pthread_mutex_init(&reel->lock, NULL);
    weir_cond_init(&reel->wanted_more);
    reel->pool = pool;
    reel->quality = params->quality;
    reel->memory_bytes = params->memory_bytes;
    int rc = params->clip != NULL
                 ? weir_sim_clip_open(&reel->clip, params->clip, params->width, params->height, err)
                 : weir_sim_clip_open_folder(&reel->clip, params->folder, params->width, params->height, err);
    struct weir_block *first = NULL;
    if (rc == 0) {
        reel->fps = weir_sim_clip_fps(reel->clip);
        rc = make_next(reel, &first, err);
        if (rc == 0)
            rc = weir_error_set(err, -EINVAL, "%s: it holds no picture",
                                params->clip != NULL ? params->clip : params->folder);
    }
    if (rc == 1 && !append(reel, first))
        rc = weir_error_set(err, -ENOMEM, "no memory for the pictures to play");
    else
        first = NULL;
    weir_block_unref(&first);
    if (rc == 1)
        rc = weir_thread_start(&reel->thread, "sim-reel", work_ahead, reel);
    if (rc < 0) {
        weir_sim_reel_free(out);
        return rc;
    }
    reel->started = true;
    return 0;
}

void weir_sim_reel_free(struct weir_sim_reel **out)
{
    struct weir_sim_reel *reel = *out;
    *out = NULL;
    if (reel == NULL)
        return;
    if (reel->started) {
        pthread_mutex_lock(&reel->lock);
        reel->stop = true;
        pthread_cond_signal(&reel->wanted_more);
        pthread_mutex_unlock(&reel->lock);
        pthread_join(reel->thread, NULL);
    }
    for (size_t i = 0; i < reel->count; i++)
        weir_block_unref(&reel->blocks[i]);
    free(reel->blocks);
    weir_sim_clip_close(&reel->clip);
    pthread_cond_destroy(&reel->wanted_more);
    pthread_mutex_destroy(&reel->lock);
    free(reel);
}

struct weir_block *weir_sim_reel_get(struct weir_sim_reel *reel, uint64_t index)
{
    struct weir_block *block = NULL;
    pthread_mutex_lock(&reel->lock);
    if (reel->ended)
        index %= reel->count;
    if (index > reel->wanted) {
        reel->wanted = index;
        pthread_cond_signal(&reel->wanted_more);
    }
    if (index < reel->count)
        block = weir_block_ref(reel->blocks[index]);
    pthread_mutex_unlock(&reel->lock);
    return block;
}

double weir_sim_reel_fps(const struct weir_sim_reel *reel)
{
    return reel->fps;
}

bool weir_sim_reel_was_cut(struct weir_sim_reel *reel, size_t *kept)
{
    pthread_mutex_lock(&reel->lock);
    bool cut = reel->cut;
    reel->cut = false;
    *kept = reel->count;
    pthread_mutex_unlock(&reel->lock);
    return cut;
}
