/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SIM_FEED_H
#define WEIR_SIM_FEED_H

/* A clip as RTP packets, without encoding anything: libav's demuxer and its RTP packetiser. It plays for
 * ever, time stamps go on over the end of the clip.
 *
 * Thread-safety: one thread.
 * Ownership: close frees all. */

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct weir_sim_feed;

/* One packet, RTP or (rtcp 1) RTCP; the bytes are only valid within the call. */
typedef void weir_sim_feed_send(void *user, int rtcp, const uint8_t *bytes, size_t size);

int weir_sim_feed_open(struct weir_sim_feed **out, const char *path, weir_sim_feed_send *send, void *user,
                       struct weir_error *err);
void weir_sim_feed_close(struct weir_sim_feed **feed);
const char *weir_sim_feed_sdp(const struct weir_sim_feed *feed);

/* Sends the next frame; *due_ns is when the one after it is due, counted from the first. 0, or negative errno
 * when the clip can't be read any more. */
int weir_sim_feed_next(struct weir_sim_feed *feed, int64_t *due_ns);

#endif
