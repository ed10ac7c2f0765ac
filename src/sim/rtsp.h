/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SIM_RTSP_H
#define WEIR_SIM_RTSP_H

/* The simulated cameras over RTSP (RFC 2326): OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER and TEARDOWN of
 * rtsp://HOST:PORT/cam0, the clip's own coding over RTP, within the connection or over UDP. Of the faults it
 * has stall, cut, reset, the statuses, and loss; refuse resets.
 *
 * Thread-safety: the simulator's loop.
 * Ownership: close begins the end, the loop's last turn frees. */

#include "base/error.h"

struct sim_rtsp;
struct weir_sim;

/* port 0: a free one. */
int weir_sim_rtsp_open(struct sim_rtsp **out, struct weir_sim *sim, int port, struct weir_error *err);
void weir_sim_rtsp_close(struct sim_rtsp **rtsp);
int weir_sim_rtsp_port(const struct sim_rtsp *rtsp);

#endif
