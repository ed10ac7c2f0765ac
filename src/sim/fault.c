/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fault.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *help;
    int status;
} faults[WEIR_SIM_FAULT_COUNT] = {
    [WEIR_SIM_FAULT_NONE] = {"none", "all is well", 0},
    [WEIR_SIM_FAULT_STALL] = {"stall", "nothing is sent, the connection stays", 0},
    [WEIR_SIM_FAULT_CUT] = {"cut", "closed in the middle of a picture", 0},
    [WEIR_SIM_FAULT_RESET] = {"reset", "connections are reset", 0},
    [WEIR_SIM_FAULT_REFUSE] = {"refuse", "nobody listens (all cameras at once)", 0},
    [WEIR_SIM_FAULT_SLOW] = {"slow", "a tenth of the frame rate", 0},
    [WEIR_SIM_FAULT_FPS] = {"fps", "four times the frame rate", 0},
    [WEIR_SIM_FAULT_DRIBBLE] = {"dribble", "a few hundred bytes at a time", 0},
    [WEIR_SIM_FAULT_FREEZE] = {"freeze", "the same picture again and again", 0},
    [WEIR_SIM_FAULT_SIZE] = {"size", "pictures of another size", 0},
    [WEIR_SIM_FAULT_CORRUPT] = {"corrupt", "wrong bytes inside the JPEG", 0},
    [WEIR_SIM_FAULT_TRUNCATE] = {"truncate", "the JPEG ends early", 0},
    [WEIR_SIM_FAULT_GARBAGE] = {"garbage", "parts that are no JPEG", 0},
    [WEIR_SIM_FAULT_WRONG_LENGTH] = {"wrong-length", "Content-Length too large or too small", 0},
    [WEIR_SIM_FAULT_NO_LENGTH] = {"no-length", "no Content-Length", 0},
    [WEIR_SIM_FAULT_WRONG_BOUNDARY] = {"wrong-boundary", "another boundary than announced", 0},
    [WEIR_SIM_FAULT_LOSS] = {"loss", "RTSP: one packet in ten is lost", 0},
    [WEIR_SIM_FAULT_HTML] = {"html", "a login page instead of a stream", 200},
    [WEIR_SIM_FAULT_401] = {"401", "HTTP status 401", 401},
    [WEIR_SIM_FAULT_403] = {"403", "HTTP status 403", 403},
    [WEIR_SIM_FAULT_404] = {"404", "HTTP status 404", 404},
    [WEIR_SIM_FAULT_500] = {"500", "HTTP status 500", 500},
    [WEIR_SIM_FAULT_503] = {"503", "HTTP status 503", 503},
};

const char *weir_sim_fault_name(enum weir_sim_fault fault)
{
    return faults[fault].name;
}

const char *weir_sim_fault_help(enum weir_sim_fault fault)
{
    return faults[fault].help;
}

int weir_sim_fault_status(enum weir_sim_fault fault)
{
    return faults[fault].status;
}

bool weir_sim_fault_parse(const char *name, size_t size, enum weir_sim_fault *fault)
{
    for (int i = 0; i < WEIR_SIM_FAULT_COUNT; i++) {
        if (strlen(faults[i].name) == size && memcmp(faults[i].name, name, size) == 0) {
            *fault = (enum weir_sim_fault)i;
            return true;
        }
    }
    return false;
}

/* "5s", "2.5", "300ms" at *at, which moves on. */
static bool parse_time(const char **at, int64_t *ns)
{
    char *end;
    double value = strtod(*at, &end);
    if (end == *at || !(value >= 0 && value <= 1e6))
        return false;
    bool ms = strncmp(end, "ms", 2) == 0;
    end += ms ? 2 : *end == 's' ? 1 : 0;
    *ns = (int64_t)(value * (double)(ms ? WEIR_NS_PER_MS : WEIR_NS_PER_S));
    *at = end;
    return true;
}

static bool parse_camera(const char **at, int cameras, int *camera)
{
    if (strncmp(*at, "all", 3) == 0) {
        *at += 3;
        *camera = -1;
        return true;
    }
    if (strncmp(*at, "cam", 3) == 0)
        *at += 3;
    char *end;
    long number = strtol(*at, &end, 10);
    if (end == *at || number < 0 || number >= cameras)
        return false;
    *at = end;
    *camera = (int)number;
    return true;
}

static const char *parse_one(struct weir_sim_plan *plan, const char *text, int cameras, const char **wrong)
{
    const char *at = text;
    *plan = (struct weir_sim_plan){0};
    *wrong = "a camera: cam0, cam1, ... or all";
    if (!parse_camera(&at, cameras, &plan->camera) || *at++ != ':')
        return NULL;
    *wrong = "a kind of fault: see weir sim --help";
    size_t size = strcspn(at, "@+,");
    if (!weir_sim_fault_parse(at, size, &plan->fault))
        return NULL;
    at += size;
    *wrong = "times such as @5s+3s or @500ms";
    if (*at == '@' && (at++, !parse_time(&at, &plan->start_ns)))
        return NULL;
    if (*at == '+' && (at++, !parse_time(&at, &plan->length_ns)))
        return NULL;
    if (*at != ',' && *at != '\0')
        return NULL;
    *wrong = "all: cameras share a port, it is refused to all or to none";
    return plan->fault == WEIR_SIM_FAULT_REFUSE && plan->camera != -1 ? NULL : at;
}

int weir_sim_plan_parse(struct weir_sim_plan plans[WEIR_SIM_PLANS_MAX], const char *text, int cameras,
                        struct weir_error *err)
{
    int count = 0;
    for (const char *at = text; at != NULL && *at != '\0'; count++) {
        const char *wrong;
        if (count == WEIR_SIM_PLANS_MAX)
            return weir_error_set(err, -EINVAL, "more than %d faults", WEIR_SIM_PLANS_MAX);
        const char *end = parse_one(&plans[count], at, cameras, &wrong);
        if (end == NULL)
            return weir_error_set(err, -EINVAL, "fault \"%.*s\": expected %s", (int)strcspn(at, ","), at,
                                  wrong);
        at = *end == ',' ? end + 1 : end;
    }
    return count;
}
