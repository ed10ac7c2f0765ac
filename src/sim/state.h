/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SIM_STATE_H
#define WEIR_SIM_STATE_H

/* What the files of the simulator share: its cameras and its clients. Only for this room.
 *
 * Thread-safety: the loop's thread.
 * Ownership: the simulator owns cameras and clients; a client owns references to the picture it is sending.
 */

#include "base/block.h"
#include "base/buf.h"
#include "sim/fault.h"
#include "sim/pattern.h"
#include "sim/reel.h"
#include "sim/request.h"
#include "sim/rtsp.h"
#include "sim/sim.h"

#include <uv.h>

struct sim_camera {
    int number;
    uint64_t position; /* pictures shown so far */
    int64_t due_ns;    /* when the next is */
    enum weir_sim_fault fault;
    int64_t fault_until_ns;  /* INT64_MAX: until changed */
    struct weir_block *last; /* the picture shown last */
    int clients;
    uint64_t connections, sent, skipped;
};

struct sim_client {
    uv_tcp_t tcp;
    uv_write_t write;
    struct weir_sim *sim;
    struct sim_client *next, *previous;
    struct sim_camera *camera; /* NULL until a stream was asked for */
    char request[4096];
    size_t request_bytes;
    int64_t deadline_ns; /* for the whole request */
    bool answered, closing, busy, close_after_write;
    struct weir_buf head;    /* of the part or the answer being written */
    struct weir_block *body; /* being written */
    size_t body_bytes;       /* may be less than the whole */
    struct weir_block *drip; /* a part that is sent in small pieces */
    size_t drip_at;
};

struct weir_sim {
    struct weir_sim_params params;
    double fps;
    uv_loop_t loop;
    uv_tcp_t listener;
    uv_timer_t timer;
    uv_async_t stop;
    uv_signal_t signals[2];
    bool listening, stopping;
    int port;
    struct weir_block_pool *pool;
    struct weir_sim_reel *reel;          /* or */
    struct weir_sim_pattern *pattern;    /* generated */
    struct weir_sim_pattern *other_size; /* for the fault of that kind */
    struct sim_camera *cameras;
    struct sim_client *clients;
    struct sim_rtsp *rtsp; /* NULL: not asked for */
    struct weir_sim_plan plans[WEIR_SIM_PLANS_MAX];
    int plan_count;
    uint32_t plan_started[(WEIR_SIM_PLANS_MAX + 31) / 32];
    uint64_t random;
    int64_t start_ns;
};

uint32_t weir_sim_random(struct weir_sim *sim);

/* client.c */
void weir_sim_client_accept(struct weir_sim *sim);
void weir_sim_client_close(struct sim_client *client, bool reset);
/* Sends `jpeg` as one part, changed as the fault asks; skipped and counted when the client is still busy. */
void weir_sim_client_send(struct sim_client *client, struct weir_block *jpeg, enum weir_sim_fault fault);
/* Sends the next piece of a part that dribbles. True when there is more to come. */
bool weir_sim_client_drip(struct sim_client *client);

/* answer.c: what is not a stream */
void weir_sim_answer(struct sim_client *client, const struct weir_sim_request *request);

/* sim.c */
enum weir_sim_fault weir_sim_fault_now(const struct sim_camera *camera, int64_t now_ns);
/* camera -1: all. length_ns 0: until changed. */
void weir_sim_set_fault(struct weir_sim *sim, int camera, enum weir_sim_fault fault, int64_t length_ns);
/* Listens at the simulator's address; 0 or libuv's error. The listener is to be closed by the caller in both
 * cases. */
int weir_sim_listen(struct weir_sim *sim, uv_tcp_t *listener, void *data, int port,
                    uv_connection_cb on_connect, int *bound_port);
/* The picture a camera shows next, a new reference; NULL: none is ready. */
struct weir_block *weir_sim_next_picture(struct weir_sim *sim, struct sim_camera *camera,
                                         enum weir_sim_fault fault);

#endif
