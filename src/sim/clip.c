/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/clip.h"

#include "base/buf.h"
#include "image/picture.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>

static const size_t file_bytes_max = (size_t)64 << 20;

struct weir_sim_clip {
    char *path;
    int width, height; /* wanted; 0: as it is */
    struct SwsContext *scaler;
    /* a video */
    AVFormatContext *format;
    AVCodecContext *codec;
    AVPacket *packet;
    AVFrame *frame;
    int stream;
    bool drained;
    /* a folder */
    struct dirent **entries;
    int entry_count, entry_next;
};

void weir_sim_clip_close(struct weir_sim_clip **clip)
{
    struct weir_sim_clip *c = *clip;
    *clip = NULL;
    if (c == NULL)
        return;
    for (int i = 0; i < c->entry_count; i++)
        free(c->entries[i]);
    free(c->entries);
    av_frame_free(&c->frame);
    av_packet_free(&c->packet);
    avcodec_free_context(&c->codec);
    avformat_close_input(&c->format);
    sws_freeContext(c->scaler);
    free(c->path);
    free(c);
}

static struct weir_sim_clip *new_clip(const char *path, int width, int height)
{
    av_log_set_level(AV_LOG_QUIET); /* errors come back as sentences of ours */
    struct weir_sim_clip *clip = calloc(1, sizeof *clip);
    if (clip == NULL)
        return NULL;
    clip->path = strdup(path);
    clip->width = width;
    clip->height = height;
    clip->packet = av_packet_alloc();
    clip->frame = av_frame_alloc();
    if (clip->path == NULL || clip->packet == NULL || clip->frame == NULL)
        weir_sim_clip_close(&clip);
    return clip;
}

static int open_codec(struct weir_sim_clip *clip)
{
    const AVCodec *decoder;
    int rc = avformat_open_input(&clip->format, clip->path, NULL, NULL);
    if (rc >= 0)
        rc = avformat_find_stream_info(clip->format, NULL);
    if (rc >= 0)
        rc = clip->stream = av_find_best_stream(clip->format, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
    if (rc < 0)
        return rc;
    clip->codec = avcodec_alloc_context3(decoder);
    if (clip->codec == NULL)
        return AVERROR(ENOMEM);
    rc = avcodec_parameters_to_context(clip->codec, clip->format->streams[clip->stream]->codecpar);
    clip->codec->thread_count = 1; /* it works ahead of need: no hurry, and no pile of frames in flight */
    return rc < 0 ? rc : avcodec_open2(clip->codec, decoder, NULL);
}

int weir_sim_clip_open(struct weir_sim_clip **out, const char *path, int width, int height,
                       struct weir_error *err)
{
    *out = new_clip(path, width, height);
    if (*out == NULL)
        return weir_error_set(err, -ENOMEM, "%s: no memory to open it", path);
    int rc = open_codec(*out);
    if (rc >= 0)
        return 0;
    weir_sim_clip_close(out);
    return weir_error_set(err, -EINVAL, "%s: no video that can be played: %s", path, av_err2str(rc));
}

static int is_picture_name(const struct dirent *entry)
{
    static const char *const endings[] = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".gif", ".ppm", ".pgm"};
    const char *dot = strrchr(entry->d_name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(dot, endings[i]) == 0)
            return 1;
    return 0;
}

int weir_sim_clip_open_folder(struct weir_sim_clip **out, const char *path, int width, int height,
                              struct weir_error *err)
{
    *out = new_clip(path, width, height);
    if (*out == NULL)
        return weir_error_set(err, -ENOMEM, "%s: no memory to open it", path);
    int count = scandir(path, &(*out)->entries, is_picture_name, alphasort);
    int code = count < 0 ? -errno : -ENOENT;
    if (count > 0) {
        (*out)->entry_count = count;
        return 0;
    }
    weir_sim_clip_close(out);
    return weir_error_set(err, code, "%s: no folder with pictures: %s", path,
                          count < 0 ? strerror(-code) : "none ends in .jpg, .png, .bmp, .webp, .gif or .ppm");
}

/* The next decoded frame into clip->frame: 1, 0 at the end, or libav's error. */
static int read_frame(struct weir_sim_clip *clip)
{
    for (;;) {
        int rc = avcodec_receive_frame(clip->codec, clip->frame);
        if (rc != AVERROR(EAGAIN))
            return rc == AVERROR_EOF ? 0 : rc < 0 ? rc : 1;
        rc = av_read_frame(clip->format, clip->packet);
        if (rc < 0) {
            if (clip->drained)
                return 0;
            clip->drained = true;
            (void)avcodec_send_packet(clip->codec, NULL);
            continue;
        }
        if (clip->packet->stream_index == clip->stream)
            (void)avcodec_send_packet(clip->codec, clip->packet); /* a damaged packet is skipped */
        av_packet_unref(clip->packet);
    }
}

/* Any pixels to full-range I420, of the wanted size. */
static int convert(struct weir_sim_clip *clip, struct weir_block_pool *pool, const uint8_t *const planes[4],
                   const int strides[4], int width, int height, enum AVPixelFormat format,
                   struct weir_image **image)
{
    int to_width = clip->width > 0 ? clip->width : width,
        to_height = clip->height > 0 ? clip->height : height;
    clip->scaler = sws_getCachedContext(clip->scaler, width, height, format, to_width, to_height,
                                        AV_PIX_FMT_YUVJ420P, SWS_AREA, NULL, NULL, NULL);
    if (clip->scaler == NULL)
        return -ENOTSUP;
    *image = weir_image_new(pool, WEIR_PIXEL_I420, to_width, to_height);
    if (*image == NULL)
        return -ENOMEM;
    (void)sws_scale(clip->scaler, planes, strides, 0, height, (*image)->plane, (*image)->stride);
    return 0;
}

static int next_of_video(struct weir_sim_clip *clip, struct weir_block_pool *pool, struct weir_image **image,
                         struct weir_error *err)
{
    int rc = read_frame(clip);
    if (rc < 0)
        return weir_error_set(err, -EBADMSG, "%s: can't be decoded: %s", clip->path, av_err2str(rc));
    if (rc == 0)
        return 0;
    const AVFrame *frame = clip->frame;
    bool full = frame->color_range == AVCOL_RANGE_JPEG && frame->format == AV_PIX_FMT_YUV420P;
    rc = convert(clip, pool, (const uint8_t *const *)frame->data, frame->linesize, frame->width,
                 frame->height, full ? AV_PIX_FMT_YUVJ420P : frame->format, image);
    av_frame_unref(clip->frame);
    return rc < 0 ? weir_error_set(err, rc, "%s: a frame can't be converted", clip->path) : 1;
}

static enum AVPixelFormat av_format(const struct weir_image *image)
{
    switch (image->format) {
    case WEIR_PIXEL_GRAY:
        return AV_PIX_FMT_GRAY8;
    case WEIR_PIXEL_I422:
        return AV_PIX_FMT_YUVJ422P;
    case WEIR_PIXEL_I444:
        return AV_PIX_FMT_YUVJ444P;
    case WEIR_PIXEL_NV12:
        return AV_PIX_FMT_NV12;
    case WEIR_PIXEL_RGB:
        return AV_PIX_FMT_RGB24;
    case WEIR_PIXEL_BGR:
        return AV_PIX_FMT_BGR24;
    default:
        return AV_PIX_FMT_YUVJ420P;
    }
}

static int load_picture(struct weir_sim_clip *clip, struct weir_block_pool *pool, const struct weir_buf *file,
                        struct weir_image **image, struct weir_block **jpeg, struct weir_error *err)
{
    int rc = weir_picture_load(image, pool, file->data, file->size, err);
    if (rc < 0)
        return rc;
    if (clip->width == 0 && (uint8_t)file->data[0] == 0xFF) { /* a JPEG: proven good, sent as it is */
        weir_image_unref(image);
        *jpeg = weir_block_get(pool, file->size);
        if (*jpeg == NULL)
            return weir_error_set(err, -ENOMEM, "no memory for it");
        memcpy((*jpeg)->data, file->data, file->size);
        (*jpeg)->size = file->size;
        return 1;
    }
    struct weir_image *loaded = *image;
    const uint8_t *planes[4] = {loaded->plane[0], loaded->plane[1], loaded->plane[2]};
    int strides[4] = {loaded->stride[0], loaded->stride[1], loaded->stride[2]};
    *image = NULL;
    rc = convert(clip, pool, planes, strides, loaded->width, loaded->height, av_format(loaded), image);
    weir_image_unref(&loaded);
    return rc < 0 ? weir_error_set(err, rc, "it can't be converted") : 1;
}

static int next_of_folder(struct weir_sim_clip *clip, struct weir_block_pool *pool, struct weir_image **image,
                          struct weir_block **jpeg, struct weir_error *err)
{
    if (clip->entry_next == clip->entry_count)
        return 0;
    const char *name = clip->entries[clip->entry_next++]->d_name;
    char path[4352];
    (void)snprintf(path, sizeof path, "%.4000s/%s", clip->path, name);
    struct weir_buf file = {0};
    int rc = weir_buf_read_file(&file, path, file_bytes_max);
    if (rc < 0)
        rc = weir_error_set(err, rc, "%s: can't be read: %s", path, strerror(-rc));
    else if ((rc = load_picture(clip, pool, &file, image, jpeg, err)) < 0)
        (void)weir_error_prefix(err, "%s", path);
    weir_buf_fini(&file);
    return rc;
}

int weir_sim_clip_next(struct weir_sim_clip *clip, struct weir_block_pool *pool, struct weir_image **image,
                       struct weir_block **jpeg, struct weir_error *err)
{
    *image = NULL;
    *jpeg = NULL;
    if (clip->entries != NULL)
        return next_of_folder(clip, pool, image, jpeg, err);
    return next_of_video(clip, pool, image, err);
}

double weir_sim_clip_fps(const struct weir_sim_clip *clip)
{
    if (clip->format == NULL)
        return 0;
    AVRational rate = clip->format->streams[clip->stream]->avg_frame_rate;
    return rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0;
}
