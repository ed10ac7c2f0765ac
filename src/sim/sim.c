/* SPDX-License-Identifier: Apache-2.0 */
/* One timer drives all: each time it fires, plans that are due begin, cameras whose next picture is due show
 * it, parts that dribble get their next piece, and the timer is set to whatever comes next. */
#include "sim/sim.h"

#include "base/clock.h"
#include "sim/state.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BACKLOG = 512, DRIP_INTERVAL_MS = 20, IDLE_MS = 500, OFFSET_FRAMES = 5 };

uint32_t weir_sim_random(struct weir_sim *sim)
{
    sim->random = sim->random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(sim->random >> 33);
}

enum weir_sim_fault weir_sim_fault_now(const struct sim_camera *camera, int64_t now_ns)
{
    return now_ns < camera->fault_until_ns ? camera->fault : WEIR_SIM_FAULT_NONE;
}

/* Connections of a camera that a fault ends at once; later ones are answered by what the fault says. */
static void drop_clients(struct weir_sim *sim, const struct sim_camera *camera, bool reset)
{
    for (struct sim_client *client = sim->clients, *next; client != NULL; client = next) {
        next = client->next;
        if (client->camera == camera)
            weir_sim_client_close(client, reset);
    }
}

static void on_listener_closed(uv_handle_t *handle)
{
    ((struct weir_sim *)handle->data)->listening = false;
}

static void close_listener(struct weir_sim *sim)
{
    if (sim->listening && !uv_is_closing((uv_handle_t *)&sim->listener))
        uv_close((uv_handle_t *)&sim->listener, on_listener_closed);
}

static void set_camera_fault(struct weir_sim *sim, struct sim_camera *camera, enum weir_sim_fault fault,
                             int64_t until_ns)
{
    camera->fault = fault;
    camera->fault_until_ns = until_ns;
    bool reset = fault == WEIR_SIM_FAULT_RESET || fault == WEIR_SIM_FAULT_REFUSE;
    if (reset || weir_sim_fault_status(fault) != 0)
        drop_clients(sim, camera, reset);
}

void weir_sim_set_fault(struct weir_sim *sim, int camera, enum weir_sim_fault fault, int64_t length_ns)
{
    int64_t until = length_ns == 0 ? INT64_MAX : weir_clock_ns() + length_ns;
    for (int i = 0; i < sim->params.cameras; i++)
        if (camera == -1 || camera == i)
            set_camera_fault(sim, &sim->cameras[i], fault, until);
    if (fault == WEIR_SIM_FAULT_REFUSE)
        close_listener(sim);
}

static struct weir_sim_pattern *other_size(struct weir_sim *sim)
{
    if (sim->other_size == NULL) {
        bool same = sim->params.width == 320 && sim->params.height == 240;
        struct weir_sim_pattern_params params = {same ? 400 : 320, same ? 304 : 240, sim->params.quality,
                                                 sim->params.seed};
        sim->other_size = weir_sim_pattern_new(sim->pool, &params);
    }
    return sim->other_size;
}

struct weir_block *weir_sim_next_picture(struct weir_sim *sim, struct sim_camera *camera,
                                         enum weir_sim_fault fault)
{
    struct weir_block *picture = NULL;
    if (fault == WEIR_SIM_FAULT_FREEZE && camera->last != NULL)
        return weir_block_ref(camera->last);
    struct weir_sim_pattern *pattern = fault == WEIR_SIM_FAULT_SIZE ? other_size(sim) : sim->pattern;
    if (pattern != NULL)
        picture = weir_sim_pattern_draw(pattern, camera->number, camera->position + 1);
    else if (sim->reel != NULL)
        picture = weir_sim_reel_get(sim->reel, camera->position + (uint64_t)camera->number * OFFSET_FRAMES);
    if (picture == NULL)
        return NULL;
    camera->position++;
    weir_block_unref(&camera->last);
    camera->last = weir_block_ref(picture);
    return picture;
}

static void show(struct weir_sim *sim, struct sim_camera *camera, enum weir_sim_fault fault)
{
    if (camera->clients == 0 || fault == WEIR_SIM_FAULT_STALL)
        return;
    struct weir_block *picture = weir_sim_next_picture(sim, camera, fault);
    if (picture == NULL)
        return;
    for (struct sim_client *client = sim->clients, *next; client != NULL; client = next) {
        next = client->next;
        if (client->camera == camera && !client->closing)
            weir_sim_client_send(client, picture, fault);
    }
    weir_block_unref(&picture);
}

/* Shows what is due and returns when the camera is due again. */
static int64_t tick(struct weir_sim *sim, struct sim_camera *camera, int64_t now)
{
    if (now < camera->due_ns)
        return camera->due_ns;
    enum weir_sim_fault fault = weir_sim_fault_now(camera, now);
    double factor = fault == WEIR_SIM_FAULT_SLOW ? 0.1 : fault == WEIR_SIM_FAULT_FPS ? 4 : 1;
    int64_t interval = (int64_t)((double)WEIR_NS_PER_S / (sim->fps * factor));
    show(sim, camera, fault);
    camera->due_ns += interval;
    if (camera->due_ns < now)
        camera->due_ns = now + interval; /* late: go on from here, no burst */
    return camera->due_ns;
}

static void start_plans(struct weir_sim *sim, int64_t now)
{
    for (int i = 0; i < sim->plan_count; i++) {
        const struct weir_sim_plan *plan = &sim->plans[i];
        uint32_t bit = 1u << (i % 32);
        if ((sim->plan_started[i / 32] & bit) != 0 || now - sim->start_ns < plan->start_ns)
            continue;
        sim->plan_started[i / 32] |= bit;
        weir_sim_set_fault(sim, plan->camera, plan->fault, plan->length_ns);
    }
}

static void on_connection(uv_stream_t *listener, int status)
{
    if (status == 0)
        weir_sim_client_accept(listener->data);
}

int weir_sim_listen(struct weir_sim *sim, uv_tcp_t *listener, void *data, int port,
                    uv_connection_cb on_connect, int *bound_port)
{
    struct sockaddr_storage address;
    int rc = uv_ip4_addr(sim->params.address, port, (struct sockaddr_in *)&address);
    if (rc != 0)
        rc = uv_ip6_addr(sim->params.address, port, (struct sockaddr_in6 *)&address);
    listener->data = data;
    (void)uv_tcp_init(&sim->loop, listener);
    if (rc == 0)
        rc = uv_tcp_bind(listener, (const struct sockaddr *)&address, 0);
    if (rc == 0)
        rc = uv_listen((uv_stream_t *)listener, BACKLOG, on_connect);
    int size = sizeof address;
    if (rc == 0)
        rc = uv_tcp_getsockname(listener, (struct sockaddr *)&address, &size);
    if (rc == 0) /* the port stands at the same place in both kinds of address */
        *bound_port = ntohs(((const struct sockaddr_in *)&address)->sin_port);
    return rc;
}

static int listen_on(struct weir_sim *sim, int port)
{
    sim->listening = true;
    return weir_sim_listen(sim, &sim->listener, sim, port, on_connection, &sim->port);
}

static void listen_again(struct weir_sim *sim, int64_t now)
{
    if (!sim->listening && weir_sim_fault_now(&sim->cameras[0], now) != WEIR_SIM_FAULT_REFUSE &&
        listen_on(sim, sim->port) != 0)
        close_listener(sim); /* tried again at the next tick */
}

static bool serve_clients(struct weir_sim *sim, int64_t now)
{
    bool dripping = false;
    for (struct sim_client *client = sim->clients, *next; client != NULL; client = next) {
        next = client->next;
        if (!client->answered && now > client->deadline_ns)
            weir_sim_client_close(client, false);
        else
            dripping |= weir_sim_client_drip(client);
    }
    return dripping;
}

static void on_timer(uv_timer_t *timer)
{
    struct weir_sim *sim = timer->data;
    int64_t now = weir_clock_ns(), next = now + IDLE_MS * WEIR_NS_PER_MS;
    size_t kept;
    start_plans(sim, now);
    listen_again(sim, now);
    for (int i = 0; i < sim->params.cameras; i++) {
        int64_t due = tick(sim, &sim->cameras[i], now);
        next = due < next ? due : next;
    }
    if (serve_clients(sim, now) && next > now + DRIP_INTERVAL_MS * WEIR_NS_PER_MS)
        next = now + DRIP_INTERVAL_MS * WEIR_NS_PER_MS;
    if (sim->reel != NULL && weir_sim_reel_was_cut(sim->reel, &kept))
        fprintf(stderr, "weir sim: the first %zu pictures fill --memory %d; cameras begin again after them\n",
                kept, sim->params.memory_mib);
    uv_update_time(&sim->loop);
    int64_t wait = next - weir_clock_ns();
    uv_timer_start(&sim->timer, on_timer,
                   wait <= 0 ? 0 : (uint64_t)((wait + WEIR_NS_PER_MS - 1) / WEIR_NS_PER_MS), 0);
}

static void shut_down(struct weir_sim *sim)
{
    if (sim->stopping)
        return;
    sim->stopping = true;
    close_listener(sim);
    weir_sim_rtsp_close(&sim->rtsp);
    while (sim->clients != NULL)
        weir_sim_client_close(sim->clients, false);
    uv_close((uv_handle_t *)&sim->timer, NULL);
    uv_close((uv_handle_t *)&sim->stop, NULL);
    for (int i = 0; i < 2; i++)
        uv_close((uv_handle_t *)&sim->signals[i], NULL);
}

static void on_stop(uv_async_t *async)
{
    shut_down(async->data);
}

static void on_signal(uv_signal_t *handle, int number)
{
    (void)number;
    shut_down(handle->data);
}

static int open_pictures(struct weir_sim *sim, struct weir_error *err)
{
    struct weir_sim_params *params = &sim->params;
    if (params->clip != NULL || params->folder != NULL) {
        struct weir_sim_reel_params reel = {
            .clip = params->clip,
            .folder = params->folder,
            .width = params->width,
            .height = params->height,
            .quality = params->quality,
            .memory_bytes = (size_t)params->memory_mib << 20,
        };
        int rc = weir_sim_reel_new(&sim->reel, sim->pool, &reel, err);
        if (rc == 0 && sim->fps == 0)
            sim->fps = weir_sim_reel_fps(sim->reel);
        return rc;
    }
    struct weir_sim_pattern_params pattern = {params->width > 0 ? params->width : 640,
                                              params->height > 0 ? params->height : 480, params->quality,
                                              params->seed};
    sim->pattern = weir_sim_pattern_new(sim->pool, &pattern);
    return sim->pattern == NULL ? weir_error_set(err, -ENOMEM, "no memory for pictures") : 0;
}

static int open_loop(struct weir_sim *sim, struct weir_error *err)
{
    static const int numbers[2] = {SIGINT, SIGTERM};
    int rc = uv_loop_init(&sim->loop);
    assert(rc == 0); /* fails only without memory or descriptors, at the very start */
    (void)uv_timer_init(&sim->loop, &sim->timer);
    (void)uv_async_init(&sim->loop, &sim->stop, on_stop);
    sim->timer.data = sim->stop.data = sim;
    for (int i = 0; i < 2; i++) {
        (void)uv_signal_init(&sim->loop, &sim->signals[i]);
        sim->signals[i].data = sim;
        (void)uv_signal_start(&sim->signals[i], on_signal, numbers[i]);
    }
    rc = listen_on(sim, sim->params.port);
    return rc == 0 ? 0
                   : weir_error_set(err, rc, "can't listen at %s port %d: %s", sim->params.address,
                                    sim->params.port, uv_strerror(rc));
}

static int open_rtsp(struct weir_sim *sim, struct weir_error *err)
{
    if (sim->params.clip == NULL)
        return weir_error_set(err, -EINVAL, "RTSP sends a video as it is: name one with --clip");
    return weir_sim_rtsp_open(&sim->rtsp, sim, sim->params.rtsp_port, err);
}

int weir_sim_new(struct weir_sim **out, const struct weir_sim_params *params, struct weir_error *err)
{
    struct weir_sim *sim = *out = calloc(1, sizeof *sim);
    if (sim == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for the simulator");
    sim->params = *params;
    sim->fps = params->fps;
    sim->random = params->seed;
    sim->pool = weir_block_pool_new((size_t)16 << 20);
    sim->cameras = calloc((size_t)params->cameras, sizeof *sim->cameras);
    int rc = open_loop(sim, err);
    if (rc == 0 && (sim->pool == NULL || sim->cameras == NULL))
        rc = weir_error_set(err, -ENOMEM, "no memory for %d cameras", params->cameras);
    if (rc == 0 && params->faults != NULL)
        rc = sim->plan_count = weir_sim_plan_parse(sim->plans, params->faults, params->cameras, err);
    if (rc >= 0)
        rc = open_pictures(sim, err);
    if (rc >= 0 && params->rtsp_port >= 0)
        rc = open_rtsp(sim, err);
    if (rc < 0) {
        weir_sim_free(out);
        return rc;
    }
    if (sim->fps == 0)
        sim->fps = 10;
    for (int i = 0; i < params->cameras; i++)
        sim->cameras[i].number = i;
    return 0;
}

void weir_sim_free(struct weir_sim **out)
{
    struct weir_sim *sim = *out;
    *out = NULL;
    if (sim == NULL)
        return;
    shut_down(sim);
    (void)uv_run(&sim->loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&sim->loop);
    weir_sim_reel_free(&sim->reel);
    weir_sim_pattern_free(&sim->pattern);
    weir_sim_pattern_free(&sim->other_size);
    for (int i = 0; sim->cameras != NULL && i < sim->params.cameras; i++)
        weir_block_unref(&sim->cameras[i].last);
    free(sim->cameras);
    if (sim->pool != NULL)
        weir_block_pool_free(&sim->pool);
    free(sim);
}

int weir_sim_port(const struct weir_sim *sim)
{
    return sim->port;
}

int weir_sim_rtsp_port_of(const struct weir_sim *sim)
{
    return sim->rtsp == NULL ? -1 : weir_sim_rtsp_port(sim->rtsp);
}

void weir_sim_run(struct weir_sim *sim)
{
    sim->start_ns = weir_clock_ns();
    for (int i = 0; i < sim->params.cameras; i++) /* spread over one interval */
        sim->cameras[i].due_ns =
            sim->start_ns + (int64_t)((double)WEIR_NS_PER_S / sim->fps * i / sim->params.cameras);
    uv_timer_start(&sim->timer, on_timer, 0, 0);
    sim->timer.data = sim;
    (void)uv_run(&sim->loop, UV_RUN_DEFAULT);
}

void weir_sim_stop(struct weir_sim *sim)
{
    (void)uv_async_send(&sim->stop);
}

void weir_sim_totals(const struct weir_sim *sim, struct weir_sim_totals *totals)
{
    *totals = (struct weir_sim_totals){.seconds =
                                           (double)(weir_clock_ns() - sim->start_ns) / (double)WEIR_NS_PER_S};
    for (int i = 0; i < sim->params.cameras; i++) {
        totals->connections += sim->cameras[i].connections;
        totals->sent += sim->cameras[i].sent;
        totals->skipped += sim->cameras[i].skipped;
    }
}
