/* SPDX-License-Identifier: Apache-2.0 */
#include "image/picture.h"

#include "base/buf.h"
#include "image/jpeg.h"

#include <errno.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavutil/log.h>
#include <libswscale/swscale.h>

static const struct weir_jpeg_params jpeg_params = WEIR_JPEG_PARAMS_DEFAULT;
static const size_t file_bytes_max = (size_t)256 << 20;

static const struct magic {
    const char *bytes;
    size_t size, offset;
    enum AVCodecID codec;
} magics[] = {
    {"\x89PNG\r\n\x1a\n", 8, 0, AV_CODEC_ID_PNG},
    {"BM", 2, 0, AV_CODEC_ID_BMP},
    {"WEBP", 4, 8, AV_CODEC_ID_WEBP},
    {"GIF8", 4, 0, AV_CODEC_ID_GIF},
    {"P5", 2, 0, AV_CODEC_ID_PGM},
    {"P6", 2, 0, AV_CODEC_ID_PPM},
};

static enum AVCodecID identify(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        const struct magic *magic = &magics[i];
        if (size >= magic->offset + magic->size &&
            memcmp(bytes + magic->offset, magic->bytes, magic->size) == 0)
            return magic->codec;
    }
    return AV_CODEC_ID_NONE;
}

static int load_jpeg(struct weir_image **out, struct weir_block_pool *pool, const void *bytes, size_t size,
                     struct weir_error *err)
{
    struct weir_jpeg_decoder *decoder;
    if (weir_jpeg_decoder_new(&decoder, pool) < 0)
        return weir_error_set(err, -ENOMEM, "no memory for a JPEG decoder");
    struct weir_error local = {0};
    enum weir_jpeg_code code = weir_jpeg_decode(decoder, bytes, size, &jpeg_params, out, &local);
    weir_jpeg_decoder_free(&decoder);
    return code == WEIR_JPEG_OK ? 0 : weir_error_set(err, local.code, "%s", local.text);
}

/* One packet in, one frame out; the frame is the caller's to free. */
static int decode_frame(AVCodecContext *context, const uint8_t *bytes, size_t size, AVFrame *frame)
{
    AVPacket *packet = av_packet_alloc();
    int rc = packet == NULL ? AVERROR(ENOMEM) : av_new_packet(packet, (int)size);
    if (rc == 0) {
        memcpy(packet->data, bytes, size);
        rc = avcodec_send_packet(context, packet);
    }
    if (rc == 0)
        rc = avcodec_send_packet(context, NULL);
    if (rc == 0)
        rc = avcodec_receive_frame(context, frame);
    av_packet_free(&packet);
    return rc;
}

static int to_bgr(struct weir_image **out, struct weir_block_pool *pool, const AVFrame *frame,
                  struct weir_error *err)
{
    struct weir_image *image = weir_image_new(pool, WEIR_PIXEL_BGR, frame->width, frame->height);
    if (image == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a picture of %d x %d pixels", frame->width,
                              frame->height);
    struct SwsContext *scaler =
        sws_getContext(frame->width, frame->height, frame->format, frame->width, frame->height,
                       AV_PIX_FMT_BGR24, SWS_ACCURATE_RND | SWS_BILINEAR, NULL, NULL, NULL);
    if (scaler == NULL) {
        weir_image_unref(&image);
        return weir_error_set(err, -ENOTSUP, "its pixel format can't be converted");
    }
    uint8_t *planes[4] = {image->plane[0]};
    int strides[4] = {image->stride[0]};
    (void)sws_scale(scaler, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, planes,
                    strides);
    sws_freeContext(scaler);
    *out = image;
    return 0;
}

static int decode(struct weir_image **out, struct weir_block_pool *pool, AVCodecContext *context,
                  const AVCodec *codec, const uint8_t *bytes, size_t size, struct weir_error *err)
{
    context->max_pixels = jpeg_params.max_pixels;
    context->err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE; /* no half pictures */
    AVFrame *frame = av_frame_alloc();
    int rc = frame == NULL ? AVERROR(ENOMEM) : avcodec_open2(context, codec, NULL);
    if (rc == 0)
        rc = decode_frame(context, bytes, size, frame);
    if (rc == 0)
        rc = to_bgr(out, pool, frame, err);
    else
        rc = weir_error_set(err, rc == AVERROR(ENOMEM) ? -ENOMEM : -EBADMSG, "%s that can't be decoded: %s",
                            codec->long_name, av_err2str(rc));
    av_frame_free(&frame);
    return rc;
}

int weir_picture_load(struct weir_image **out, struct weir_block_pool *pool, const void *bytes, size_t size,
                      struct weir_error *err)
{
    const uint8_t *head = bytes;
    *out = NULL;
    if (size >= 2 && head[0] == 0xFF && head[1] == 0xD8)
        return load_jpeg(out, pool, bytes, size, err);
    enum AVCodecID id = identify(head, size);
    if (id == AV_CODEC_ID_NONE)
        return weir_error_set(err, -EBADMSG,
                              "not a picture that weir knows: expected JPEG, PNG, BMP, WebP, GIF or PNM");
    if (size > file_bytes_max)
        return weir_error_set(err, -EFBIG, "a picture of %zu bytes, expected at most %zu", size,
                              file_bytes_max);
    const AVCodec *codec = avcodec_find_decoder(id);
    if (codec == NULL)
        return weir_error_set(err, -ENOTSUP, "this libavcodec was built without %s", avcodec_get_name(id));
    /* What its decoders have to say comes back as an error here; they would print it too. */
    av_log_set_level(AV_LOG_QUIET);
    AVCodecContext *context = avcodec_alloc_context3(codec);
    if (context == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a picture decoder");
    int rc = decode(out, pool, context, codec, bytes, size, err);
    avcodec_free_context(&context);
    return rc;
}

int weir_picture_load_file(struct weir_image **out, struct weir_block_pool *pool, const char *path,
                           struct weir_error *err)
{
    struct weir_buf buf = {0};
    *out = NULL;
    int rc = weir_buf_read_file(&buf, path, file_bytes_max);
    if (rc < 0)
        rc = weir_error_set(err, rc, "%s: can't be read: %s", path, strerror(-rc));
    else if ((rc = weir_picture_load(out, pool, buf.data, buf.size, err)) < 0)
        (void)weir_error_prefix(err, "%s", path);
    weir_buf_fini(&buf);
    return rc;
}
