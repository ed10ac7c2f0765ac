/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SIM_FAULT_H
#define WEIR_SIM_FAULT_H

/* What a simulated camera can be made to do wrong, and when: `cam1:stall@5s+3s` stalls camera 1 for three
 * seconds, five seconds after the start.
 *
 * Thread-safety: pure.
 * Ownership: plans are plain values in the caller's storage. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_sim_fault {
    WEIR_SIM_FAULT_NONE,
    WEIR_SIM_FAULT_STALL,          /* nothing is sent, the connection stays */
    WEIR_SIM_FAULT_CUT,            /* closed in the middle of a picture */
    WEIR_SIM_FAULT_RESET,          /* connections are reset */
    WEIR_SIM_FAULT_REFUSE,         /* nobody listens; all cameras at once, as they share a port */
    WEIR_SIM_FAULT_SLOW,           /* a tenth of the frame rate */
    WEIR_SIM_FAULT_FPS,            /* four times the frame rate */
    WEIR_SIM_FAULT_DRIBBLE,        /* a few hundred bytes at a time */
    WEIR_SIM_FAULT_FREEZE,         /* the same picture again and again */
    WEIR_SIM_FAULT_SIZE,           /* pictures of another size */
    WEIR_SIM_FAULT_CORRUPT,        /* bytes inside the JPEG are wrong */
    WEIR_SIM_FAULT_TRUNCATE,       /* the JPEG ends early, the part is well formed */
    WEIR_SIM_FAULT_GARBAGE,        /* parts are no JPEG at all */
    WEIR_SIM_FAULT_WRONG_LENGTH,   /* Content-Length says too much or too little */
    WEIR_SIM_FAULT_NO_LENGTH,      /* no Content-Length */
    WEIR_SIM_FAULT_WRONG_BOUNDARY, /* another boundary than announced */
    WEIR_SIM_FAULT_LOSS,           /* RTSP: one packet in ten is lost */
    WEIR_SIM_FAULT_HTML,           /* a login page instead of a stream */
    WEIR_SIM_FAULT_401,
    WEIR_SIM_FAULT_403,
    WEIR_SIM_FAULT_404,
    WEIR_SIM_FAULT_500,
    WEIR_SIM_FAULT_503,
    WEIR_SIM_FAULT_COUNT,
};

const char *
weir_sim_fault_name(enum weir_sim_fault fault); /* "stall"; what is written in plans and requests */
const char *weir_sim_fault_help(enum weir_sim_fault fault);
bool weir_sim_fault_parse(const char *name, size_t size, enum weir_sim_fault *fault);
/* The HTTP status that a fault answers requests with; 0 when it is not of that kind. */
int weir_sim_fault_status(enum weir_sim_fault fault);

struct weir_sim_plan {
    int camera; /* -1: all */
    enum weir_sim_fault fault;
    int64_t start_ns;  /* after the start of the simulator */
    int64_t length_ns; /* 0: until the end */
};

#define WEIR_SIM_PLANS_MAX 256

/* A comma-separated list of CAMERA:KIND[@START][+LENGTH]. CAMERA is a number, camNUMBER or all; times are
 * 5s, 2.5 or 300ms. The number of plans, or -EINVAL with a sentence. */
int weir_sim_plan_parse(struct weir_sim_plan plans[WEIR_SIM_PLANS_MAX], const char *text, int cameras,
                        struct weir_error *err);

#endif
