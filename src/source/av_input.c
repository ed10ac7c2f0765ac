/* SPDX-License-Identifier: Apache-2.0 */
#include "source/av_input.h"

#include "base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavdevice/version.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

struct weir_av_input {
    struct weir_av_input_params params;
    AVFormatContext *format;
    AVCodecContext *codec; /* NULL: Motion JPEG, handed on */
    AVPacket *packet;
    AVFrame *frame;
    struct SwsContext *scaler; /* for pixel formats that weir has none for */
    int stream;
    bool seen_key, draining;
};

static const struct {
    enum AVPixelFormat theirs;
    enum weir_pixel_format ours;
} pixel_formats[] = {
    {AV_PIX_FMT_YUV420P, WEIR_PIXEL_I420}, {AV_PIX_FMT_YUVJ420P, WEIR_PIXEL_I420}, {AV_PIX_FMT_YUV422P, WEIR_PIXEL_I422},
    {AV_PIX_FMT_YUVJ422P, WEIR_PIXEL_I422}, {AV_PIX_FMT_YUV444P, WEIR_PIXEL_I444}, {AV_PIX_FMT_YUVJ444P, WEIR_PIXEL_I444},
    {AV_PIX_FMT_NV12, WEIR_PIXEL_NV12},    {AV_PIX_FMT_GRAY8, WEIR_PIXEL_GRAY},    {AV_PIX_FMT_RGB24, WEIR_PIXEL_RGB},
    {AV_PIX_FMT_BGR24, WEIR_PIXEL_BGR},
};

static const struct {
    int code;
    enum weir_source_reason reason;
} reasons[] = {
    {AVERROR(ECONNREFUSED), WEIR_SOURCE_REASON_REFUSED},    {AVERROR(EHOSTUNREACH), WEIR_SOURCE_REASON_UNREACHABLE},
    {AVERROR(ENETUNREACH), WEIR_SOURCE_REASON_UNREACHABLE}, {AVERROR(ETIMEDOUT), WEIR_SOURCE_REASON_TIMEOUT},
    {AVERROR_EXIT, WEIR_SOURCE_REASON_TIMEOUT},             {AVERROR(ENOENT), WEIR_SOURCE_REASON_NOT_FOUND},
    {AVERROR_HTTP_NOT_FOUND, WEIR_SOURCE_REASON_NOT_FOUND}, {AVERROR_HTTP_UNAUTHORIZED, WEIR_SOURCE_REASON_AUTH},
    {AVERROR_HTTP_FORBIDDEN, WEIR_SOURCE_REASON_AUTH},      {AVERROR_EOF, WEIR_SOURCE_REASON_ENDED},
    {AVERROR(ECONNRESET), WEIR_SOURCE_REASON_ENDED},        {AVERROR(EPIPE), WEIR_SOURCE_REASON_ENDED},
    {AVERROR(EIO), WEIR_SOURCE_REASON_UNREACHABLE},         {AVERROR(ENODEV), WEIR_SOURCE_REASON_NOT_FOUND},
};

static enum weir_source_reason reason_of(int code)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].code == code)
            return reasons[i].reason;
    return WEIR_SOURCE_REASON_CODEC;
}

static int refuse(int code, enum weir_source_reason *reason, struct weir_error *err)
{
    char text[AV_ERROR_MAX_STRING_SIZE] = "";
    (void)av_strerror(code, text, sizeof text);
    *reason = reason_of(code);
    return weir_error_set(err, code == AVERROR(ENOMEM) ? -ENOMEM : -EIO, "%s", text);
}

void weir_av_input_close(struct weir_av_input **out)
{
    struct weir_av_input *input = *out;
    *out = NULL;
    if (input == NULL)
        return;
    sws_freeContext(input->scaler);
    av_frame_free(&input->frame);
    av_packet_free(&input->packet);
    avcodec_free_context(&input->codec);
    avformat_close_input(&input->format);
    free(input);
}

static int interrupt(void *user)
{
    struct weir_av_input *input = user;
    return input->params.interrupted(input->params.user);
}

/* libavdevice brings half a desktop with it (15 MiB of every run): it is loaded for a webcam, not linked for everybody. It stays
 * loaded, since libavformat then knows its devices. */
static const AVInputFormat *find_webcam_format(void)
{
    char name[32];
    void (*register_all)(void) = NULL;
    (void)snprintf(name, sizeof name, "libavdevice.so.%d", LIBAVDEVICE_VERSION_MAJOR);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL)
        *(void **)&register_all = dlsym(library, "avdevice_register_all");
    if (register_all != NULL)
        register_all();
    return av_find_input_format("v4l2");
}

static int open_format(struct weir_av_input *input)
{
    AVDictionary *options = NULL;
    const AVInputFormat *device = NULL;
    input->format = avformat_alloc_context();
    if (input->format == NULL)
        return AVERROR(ENOMEM);
    input->format->interrupt_callback = (AVIOInterruptCB){interrupt, input};
    if (strncmp(input->params.url, "/dev/video", 10) == 0 && (device = find_webcam_format()) == NULL) {
        avformat_free_context(input->format);
        input->format = NULL;
        return AVERROR_DEMUXER_NOT_FOUND;
    }
    /* UDP loses packets without a word; whoever wants it can have it in the URL (rtsp://...?udp). */
    (void)av_dict_set(&options, "rtsp_transport", "tcp", 0);
    int code = avformat_open_input(&input->format, input->params.url, device, &options); /* frees the context when it fails */
    av_dict_free(&options);
    return code < 0 ? code : avformat_find_stream_info(input->format, NULL);
}

static int open_codec(struct weir_av_input *input)
{
    const AVCodec *decoder = NULL;
    int stream = av_find_best_stream(input->format, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
    if (stream < 0)
        return stream;
    const AVCodecParameters *parameters = input->format->streams[stream]->codecpar;
    input->stream = stream;
    for (unsigned i = 0; i < input->format->nb_streams; i++)
        input->format->streams[i]->discard = (int)i == stream ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    if (parameters->codec_id == AV_CODEC_ID_MJPEG)
        return 0;
    input->codec = avcodec_alloc_context3(decoder);
    if (input->codec == NULL)
        return AVERROR(ENOMEM);
    input->codec->thread_count = 1; /* a camera is one thread; frame threads would also hold frames back */
    int code = avcodec_parameters_to_context(input->codec, parameters);
    return code < 0 ? code : avcodec_open2(input->codec, decoder, NULL);
}

int weir_av_input_open(struct weir_av_input **out, const struct weir_av_input_params *params,
                       enum weir_source_reason *reason, struct weir_error *err)
{
    *out = NULL;
    av_log_set_level(AV_LOG_QUIET); /* errors come back as sentences of ours */
    struct weir_av_input *input = calloc(1, sizeof *input);
    if (input == NULL)
        return refuse(AVERROR(ENOMEM), reason, err);
    input->params = *params;
    input->packet = av_packet_alloc();
    input->frame = av_frame_alloc();
    int code = input->packet != NULL && input->frame != NULL ? open_format(input) : AVERROR(ENOMEM);
    if (code >= 0)
        code = open_codec(input);
    if (code < 0) {
        weir_av_input_close(&input);
        return refuse(code, reason, err);
    }
    *out = input;
    return 0;
}

static const enum weir_pixel_format *our_format(enum AVPixelFormat theirs)
{
    for (size_t i = 0; i < sizeof pixel_formats / sizeof *pixel_formats; i++)
        if (pixel_formats[i].theirs == theirs)
            return &pixel_formats[i].ours;
    return NULL;
}

static void set_colour(struct weir_image *image, const AVFrame *frame)
{
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get((enum AVPixelFormat)frame->format);
    bool is_full = frame->color_range == AVCOL_RANGE_JPEG || (format != NULL && strncmp(format->name, "yuvj", 4) == 0) ||
                   frame->format == AV_PIX_FMT_GRAY8;
    /* Untagged video is BT.709 from 720 lines on: what players assume. */
    bool is_709 = frame->colorspace == AVCOL_SPC_BT709 ||
                  (frame->colorspace == AVCOL_SPC_UNSPECIFIED && frame->height >= 720);
    image->range = is_full ? WEIR_RANGE_FULL : WEIR_RANGE_LIMITED;
    image->matrix = is_709 ? WEIR_MATRIX_BT709 : WEIR_MATRIX_BT601;
}

/* Into planes of the pool: the decoder's own buffers go round in the decoder. */
static struct weir_image *copy_image(struct weir_av_input *input)
{
    const AVFrame *frame = input->frame;
    const enum weir_pixel_format *format = our_format((enum AVPixelFormat)frame->format);
    struct weir_image *image = weir_image_new(input->params.pool, format != NULL ? *format : WEIR_PIXEL_I420, frame->width,
                                              frame->height);
    if (image == NULL)
        return NULL;
    uint8_t *planes[4] = {image->plane[0], image->plane[1], image->plane[2], NULL};
    int strides[4] = {image->stride[0], image->stride[1], image->stride[2], 0};
    set_colour(image, frame);
    if (format != NULL) {
        av_image_copy(planes, strides, (const uint8_t **)frame->data, frame->linesize, (enum AVPixelFormat)frame->format,
                      frame->width, frame->height);
        return image;
    }
    input->scaler = sws_getCachedContext(input->scaler, frame->width, frame->height, (enum AVPixelFormat)frame->format,
                                         frame->width, frame->height, AV_PIX_FMT_YUV420P, SWS_BILINEAR, NULL, NULL, NULL);
    if (input->scaler == NULL)
        weir_image_unref(&image);
    else
        (void)sws_scale(input->scaler, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, planes, strides);
    return image;
}

static struct weir_block *copy_packet(struct weir_av_input *input)
{
    struct weir_block *block = weir_block_get(input->params.pool, (size_t)input->packet->size);
    if (block != NULL) {
        memcpy(block->data, input->packet->data, (size_t)input->packet->size);
        block->size = (size_t)input->packet->size;
    }
    return block;
}

/* Takes image or jpeg. */
static enum weir_av_code make_frame(struct weir_image *image, struct weir_block *jpeg, struct weir_frame **out)
{
    struct weir_frame *frame = weir_frame_new();
    if (frame == NULL || (image == NULL && jpeg == NULL)) {
        weir_image_unref(&image);
        weir_block_unref(&jpeg);
        weir_frame_unref(&frame);
        return WEIR_AV_DAMAGED;
    }
    frame->image = image;
    frame->jpeg = jpeg;
    frame->capture_ns = frame->arrival_ns = weir_clock_ns();
    frame->capture_wall_ns = weir_clock_wall_ns();
    *out = frame;
    return WEIR_AV_FRAME;
}

static int64_t time_of(const struct weir_av_input *input, int64_t timestamp)
{
    const AVStream *stream = input->format->streams[input->stream];
    if (timestamp == AV_NOPTS_VALUE)
        return 0;
    if (stream->start_time != AV_NOPTS_VALUE)
        timestamp -= stream->start_time;
    return av_rescale_q(timestamp, stream->time_base, (AVRational){1, 1000000000});
}

/* The next packet of our stream. 0, or an error of libav's. */
static int read_packet(struct weir_av_input *input)
{
    for (;;) {
        av_packet_unref(input->packet);
        int code = av_read_frame(input->format, input->packet);
        if (code < 0)
            return code;
        if (input->packet->stream_index != input->stream)
            continue;
        input->seen_key |= (input->packet->flags & AV_PKT_FLAG_KEY) != 0;
        /* What comes before the first key frame decodes to grey. */
        if (!input->params.live || input->seen_key)
            return 0;
    }
}

static enum weir_av_code next_jpeg(struct weir_av_input *input, struct weir_frame **frame, int64_t *time_ns,
                                   enum weir_source_reason *reason, struct weir_error *err)
{
    int code = read_packet(input);
    if (code == AVERROR_EOF)
        return WEIR_AV_END;
    if (code < 0) {
        (void)refuse(code, reason, err);
        return WEIR_AV_ERROR;
    }
    *time_ns = time_of(input, input->packet->pts);
    return make_frame(NULL, copy_packet(input), frame);
}

/* Feeds the decoder. END when it has everything, FRAME when it may have one. */
static enum weir_av_code feed(struct weir_av_input *input, enum weir_source_reason *reason, struct weir_error *err)
{
    if (input->draining)
        return WEIR_AV_END;
    int code = read_packet(input);
    if (code == AVERROR_EOF) {
        input->draining = true;
        (void)avcodec_send_packet(input->codec, NULL);
        return WEIR_AV_FRAME;
    }
    if (code < 0) {
        (void)refuse(code, reason, err);
        return WEIR_AV_ERROR;
    }
    code = avcodec_send_packet(input->codec, input->packet);
    return code < 0 && code != AVERROR(EAGAIN) ? WEIR_AV_DAMAGED : WEIR_AV_FRAME;
}

static bool is_damaged(const AVFrame *frame)
{
    return frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0;
}

enum weir_av_code weir_av_input_next(struct weir_av_input *input, struct weir_frame **frame, int64_t *time_ns,
                                     enum weir_source_reason *reason, struct weir_error *err)
{
    if (input->codec == NULL)
        return next_jpeg(input, frame, time_ns, reason, err);
    for (;;) {
        int code = avcodec_receive_frame(input->codec, input->frame);
        if (code == 0) {
            *time_ns = time_of(input, input->frame->best_effort_timestamp);
            return is_damaged(input->frame) ? WEIR_AV_DAMAGED : make_frame(copy_image(input), NULL, frame);
        }
        if (code != AVERROR(EAGAIN) && code != AVERROR_EOF)
            return WEIR_AV_DAMAGED;
        enum weir_av_code fed = feed(input, reason, err);
        if (fed != WEIR_AV_FRAME)
            return fed;
    }
}

int weir_av_input_rewind(struct weir_av_input *input)
{
    int code = av_seek_frame(input->format, input->stream, 0, AVSEEK_FLAG_BACKWARD);
    if (input->codec != NULL)
        avcodec_flush_buffers(input->codec);
    input->draining = false;
    return code < 0 ? -EIO : 0;
}
