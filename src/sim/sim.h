/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SIM_SIM_H
#define WEIR_SIM_SIM_H

/* The simulator: N cameras that send MJPEG over HTTP at /cam0, /cam1, ... and can be made to misbehave, by
 * plan or by request. One thread, one event loop; what a slow client can't take is skipped for it, never
 * queued.
 *
 *   GET  /cam0            the stream          GET /cam0.jpg    one picture
 *   POST /fault?camera=0&kind=stall&seconds=3  (camera=all; without seconds: until kind=none)
 *   GET  /status          what was sent, as JSON
 *
 * Each part carries X-Frame, the number of the picture that camera has sent, and X-Timestamp.
 *
 * Thread-safety: new, run and free on one thread; stop from any thread.
 * Ownership: free after run has returned. */

#include "base/error.h"

#include <stdint.h>

struct weir_sim;

struct weir_sim_params {
    int cameras;         /* 1 to 4096 */
    double fps;          /* frames a second of each; 0: the clip's own, else 10 */
    const char *address; /* to listen at: "127.0.0.1" */
    int port;            /* 0: a free one */
    int rtsp_port;       /* for RTSP, which needs a clip; 0: a free one; -1: no RTSP */
    const char *clip;    /* a video file; or */
    const char *folder;  /* a folder of pictures; both NULL: generated pictures */
    int width, height;   /* pixels; 0: the clip's, else 640 x 480 */
    int quality;         /* JPEG, 1 to 100 */
    int memory_mib;      /* of encoded pictures kept, at most */
    const char *faults;  /* weir_sim_plan_parse; NULL: none */
    unsigned seed;       /* of colours and of what is random in faults */
};
#define WEIR_SIM_PARAMS_DEFAULT                                                                              \
    {                                                                                                        \
        .cameras = 4, .address = "127.0.0.1", .port = 8091, .rtsp_port = -1, .quality = 80,                  \
        .memory_mib = 256, .seed = 1                                                                         \
    }

int weir_sim_new(struct weir_sim **out, const struct weir_sim_params *params, struct weir_error *err);
void weir_sim_free(struct weir_sim **sim);
int weir_sim_port(const struct weir_sim *sim);
int weir_sim_rtsp_port_of(const struct weir_sim *sim); /* -1: no RTSP */

/* Until stop, SIGINT or SIGTERM. */
void weir_sim_run(struct weir_sim *sim);
void weir_sim_stop(struct weir_sim *sim);

struct weir_sim_totals {
    uint64_t connections, sent,
        skipped; /* streams opened; pictures sent to a client; not sent as it was slow */
    double seconds;
};
void weir_sim_totals(const struct weir_sim *sim, struct weir_sim_totals *totals);

#endif
