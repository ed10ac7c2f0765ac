/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/feed.h"

#include "base/clock.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libavformat/avformat.h>

enum { PACKET_BYTES = 1400, SDP_BYTES = 4096 };

struct weir_sim_feed {
    AVFormatContext *in, *out;
    AVPacket *packet; /* read ahead: the next to be sent */
    int stream;
    /* in the clip's time base: */
    int64_t first_dts; /* of the clip; it is played from 0 */
    int64_t offset;    /* of this round */
    int64_t round_end; /* where the last frame sent ends, and the next round begins */
    bool started;
    weir_sim_feed_send *send;
    void *user;
    char sdp[SDP_BYTES];
};

#if LIBAVFORMAT_VERSION_MAJOR >= 61
typedef const uint8_t packet_byte;
#else
typedef uint8_t packet_byte;
#endif

static int on_packet(void *user, packet_byte *bytes, int size)
{
    struct weir_sim_feed *feed = user;
    /* RFC 5761: the types of RTCP packets lie where no RTP packet's second byte does. */
    bool rtcp = size >= 2 && bytes[1] >= 192 && bytes[1] <= 223;
    feed->send(feed->user, rtcp, bytes, (size_t)size);
    return size;
}

void weir_sim_feed_close(struct weir_sim_feed **out)
{
    struct weir_sim_feed *feed = *out;
    *out = NULL;
    if (feed == NULL)
        return;
    if (feed->out != NULL) {
        if (feed->started)
            (void)av_write_trailer(feed->out);
        if (feed->out->pb != NULL) {
            av_freep(&feed->out->pb->buffer);
            avio_context_free(&feed->out->pb);
        }
        avformat_free_context(feed->out);
    }
    av_packet_free(&feed->packet);
    avformat_close_input(&feed->in);
    free(feed);
}

static int open_clip(struct weir_sim_feed *feed, const char *path)
{
    int rc = avformat_open_input(&feed->in, path, NULL, NULL);
    if (rc >= 0)
        rc = avformat_find_stream_info(feed->in, NULL);
    if (rc >= 0)
        rc = feed->stream = av_find_best_stream(feed->in, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
    return rc < 0 ? rc : 0;
}

static int open_packetiser(struct weir_sim_feed *feed)
{
    int rc = avformat_alloc_output_context2(&feed->out, NULL, "rtp", NULL);
    if (rc < 0)
        return rc;
    uint8_t *buffer = av_malloc(PACKET_BYTES);
    AVStream *stream = avformat_new_stream(feed->out, NULL);
    if (buffer != NULL)
        feed->out->pb = avio_alloc_context(buffer, PACKET_BYTES, 1, feed, NULL, on_packet, NULL);
    if (feed->out->pb == NULL || stream == NULL) {
        if (feed->out->pb == NULL)
            av_free(buffer);
        return AVERROR(ENOMEM);
    }
    feed->out->pb->max_packet_size = PACKET_BYTES;
    rc = avcodec_parameters_copy(stream->codecpar, feed->in->streams[feed->stream]->codecpar);
    stream->codecpar->codec_tag = 0;
    stream->time_base = feed->in->streams[feed->stream]->time_base;
    if (rc >= 0)
        rc = avformat_write_header(feed->out, NULL);
    feed->started = rc >= 0;
    if (rc >= 0)
        rc = av_sdp_create(&feed->out, 1, feed->sdp, sizeof feed->sdp - 64);
    if (rc >= 0)
        strcat(feed->sdp, "a=control:streamid=0\r\n");
    return rc < 0 ? rc : 0;
}

/* The next packet of the video into feed->packet, over the end of the clip if need be. */
static int read_ahead(struct weir_sim_feed *feed)
{
    for (int rounds = 0; rounds < 2;) { /* a clip without a usable packet ends it */
        int rc = av_read_frame(feed->in, feed->packet);
        if (rc < 0) {
            rounds++;
            feed->offset = feed->round_end;
            rc = av_seek_frame(feed->in, feed->stream, 0, AVSEEK_FLAG_BACKWARD);
            if (rc < 0)
                return -EIO;
            continue;
        }
        if (feed->packet->stream_index == feed->stream && feed->packet->dts != AV_NOPTS_VALUE) {
            if (feed->first_dts == AV_NOPTS_VALUE)
                feed->first_dts = feed->packet->dts;
            return 0;
        }
        av_packet_unref(feed->packet);
    }
    return -EIO;
}

static int open_all(struct weir_sim_feed *feed, const char *path)
{
    feed->packet = av_packet_alloc();
    feed->first_dts = AV_NOPTS_VALUE;
    if (feed->packet == NULL)
        return AVERROR(ENOMEM);
    int rc = open_clip(feed, path);
    if (rc == 0)
        rc = open_packetiser(feed);
    return rc == 0 && read_ahead(feed) < 0 ? AVERROR_INVALIDDATA : rc;
}

int weir_sim_feed_open(struct weir_sim_feed **out, const char *path, weir_sim_feed_send *send, void *user,
                       struct weir_error *err)
{
    struct weir_sim_feed *feed = *out = calloc(1, sizeof *feed);
    if (feed == NULL)
        return weir_error_set(err, -ENOMEM, "%s: no memory to play it", path);
    feed->send = send;
    feed->user = user;
    int rc = open_all(feed, path);
    if (rc == 0)
        return 0;
    weir_sim_feed_close(out);
    return weir_error_set(err, -EINVAL, "%s: can't be sent over RTP as it is: %s", path, av_err2str(rc));
}

const char *weir_sim_feed_sdp(const struct weir_sim_feed *feed)
{
    return feed->sdp;
}

int weir_sim_feed_next(struct weir_sim_feed *feed, int64_t *due_ns)
{
    const AVStream *from = feed->in->streams[feed->stream], *to = feed->out->streams[0];
    AVPacket *packet = feed->packet;
    int64_t length = packet->duration > 0 ? packet->duration : 1;
    packet->dts += feed->offset - feed->first_dts;
    packet->pts = packet->pts == AV_NOPTS_VALUE ? packet->dts : packet->pts + feed->offset - feed->first_dts;
    feed->round_end = packet->dts + length;
    packet->stream_index = 0;
    av_packet_rescale_ts(packet, from->time_base, to->time_base);
    int rc = av_write_frame(feed->out, packet);
    avio_flush(feed->out->pb);
    av_packet_unref(packet);
    if (rc < 0 || read_ahead(feed) < 0)
        return -EIO;
    int64_t next = packet->dts + feed->offset - feed->first_dts;
    *due_ns = av_rescale_q(next, from->time_base, (AVRational){1, (int)WEIR_NS_PER_S});
    return 0;
}
