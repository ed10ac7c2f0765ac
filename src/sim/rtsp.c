/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/rtsp.h"

#include "base/clock.h"
#include "sim/feed.h"
#include "sim/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A client whose connection holds this much unsent is too slow: packets are left out until it has caught up.
 */
enum { QUEUE_BYTES_MAX = 1 << 20, REQUEST_BYTES_MAX = 4096, LOSS_ONE_IN = 10, BACKLOG = 128 };

struct sim_rtsp {
    struct weir_sim *sim;
    uv_tcp_t listener;
    struct rtsp_client *clients;
    int port;
};

struct rtsp_client {
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_udp_t udp[2]; /* RTP, RTCP */
    int handles;     /* not closed yet */
    struct sim_rtsp *rtsp;
    struct rtsp_client *next, *previous;
    struct sim_camera *camera;
    struct weir_sim_feed *feed;
    char in[REQUEST_BYTES_MAX];
    size_t in_bytes;
    bool over_udp, playing, closing;
    int channel; /* of RTP within the connection */
    struct sockaddr_storage peer[2];
    int64_t start_ns;
};

struct rtsp_request {
    char method[24], url[256], transport[160];
    int sequence;
    size_t size; /* with its body */
};

static void on_client_handle_closed(uv_handle_t *handle)
{
    struct rtsp_client *client = handle->data;
    if (--client->handles > 0)
        return;
    weir_sim_feed_close(&client->feed);
    free(client);
}

static void unlink_client(struct rtsp_client *client)
{
    if (client->previous != NULL)
        client->previous->next = client->next;
    else
        client->rtsp->clients = client->next;
    if (client->next != NULL)
        client->next->previous = client->previous;
    if (client->playing)
        client->camera->clients--;
}

static void close_client(struct rtsp_client *client, bool reset)
{
    if (client->closing)
        return;
    client->closing = true;
    unlink_client(client);
    uv_close((uv_handle_t *)&client->timer, on_client_handle_closed);
    for (int i = 0; i < 2; i++)
        uv_close((uv_handle_t *)&client->udp[i], on_client_handle_closed);
    if (!reset || uv_tcp_close_reset(&client->tcp, on_client_handle_closed) != 0)
        uv_close((uv_handle_t *)&client->tcp, on_client_handle_closed);
}

/* Bytes on their way, freed when they are gone. */
struct outgoing {
    uv_write_t write;
    size_t size;
    uint8_t bytes[];
};

static void on_written(uv_write_t *write, int status)
{
    (void)status; /* a broken connection is noticed by the reader */
    free(write);
}

static void send_bytes(struct rtsp_client *client, const void *head, size_t head_size, const void *bytes,
                       size_t size)
{
    struct outgoing *out = malloc(sizeof *out + head_size + size);
    if (out == NULL)
        return;
    memcpy(out->bytes, head, head_size);
    memcpy(out->bytes + head_size, bytes, size);
    uv_buf_t buf = uv_buf_init((char *)out->bytes, (unsigned)(head_size + size));
    if (uv_write(&out->write, (uv_stream_t *)&client->tcp, &buf, 1, on_written) != 0)
        free(out);
}

static void on_rtp(void *user, int rtcp, const uint8_t *bytes, size_t size)
{
    struct rtsp_client *client = user;
    struct weir_sim *sim = client->rtsp->sim;
    if (client->closing || !client->playing)
        return;
    enum weir_sim_fault fault = weir_sim_fault_now(client->camera, weir_clock_ns());
    if (fault == WEIR_SIM_FAULT_STALL ||
        (fault == WEIR_SIM_FAULT_LOSS && weir_sim_random(sim) % LOSS_ONE_IN == 0))
        return;
    if (client->over_udp) {
        uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)size);
        (void)uv_udp_try_send(&client->udp[rtcp], &buf, 1, (const struct sockaddr *)&client->peer[rtcp]);
        return;
    }
    if (uv_stream_get_write_queue_size((uv_stream_t *)&client->tcp) > QUEUE_BYTES_MAX) {
        client->camera->skipped++;
        return;
    }
    uint8_t head[4] = {'$', (uint8_t)(client->channel + rtcp), (uint8_t)(size >> 8), (uint8_t)size};
    send_bytes(client, head, sizeof head, bytes, size);
}

/* Whether a fault ends the session now. */
static bool ended_by_fault(struct rtsp_client *client)
{
    enum weir_sim_fault fault = weir_sim_fault_now(client->camera, weir_clock_ns());
    bool reset = fault == WEIR_SIM_FAULT_RESET || fault == WEIR_SIM_FAULT_REFUSE;
    if (!reset && fault != WEIR_SIM_FAULT_CUT && weir_sim_fault_status(fault) == 0)
        return false;
    close_client(client, reset);
    return true;
}

static void on_timer(uv_timer_t *timer)
{
    struct rtsp_client *client = timer->data;
    int64_t due_ns, wait_ns = 0;
    if (ended_by_fault(client))
        return;
    while (wait_ns <= 0) {
        if (weir_sim_feed_next(client->feed, &due_ns) < 0) {
            close_client(client, false);
            return;
        }
        client->camera->position++;
        client->camera->sent++;
        wait_ns = client->start_ns + due_ns - weir_clock_ns();
        if (wait_ns < -WEIR_NS_PER_S) /* the machine slept: go on from here, no burst */
            client->start_ns -= wait_ns;
    }
    uv_timer_start(&client->timer, on_timer, (uint64_t)(wait_ns / WEIR_NS_PER_MS), 0);
}

static void answer(struct rtsp_client *client, const struct rtsp_request *request, const char *status,
                   const char *headers, const char *body)
{
    char head[1024];
    int size = snprintf(head, sizeof head, "RTSP/1.0 %s\r\nCSeq: %d\r\n%sContent-Length: %zu\r\n\r\n", status,
                        request->sequence, headers, strlen(body));
    if (size > 0 && (size_t)size < sizeof head)
        send_bytes(client, head, (size_t)size, body, strlen(body));
}

/* The camera of "rtsp://host:port/cam3/streamid=0". */
static struct sim_camera *camera_of(struct weir_sim *sim, const char *url)
{
    const char *path = strstr(url, "/cam");
    char *end;
    long number = path == NULL ? -1 : strtol(path + 4, &end, 10);
    bool whole = path != NULL && end != path + 4 && (*end == '\0' || *end == '/');
    return whole && number >= 0 && number < sim->params.cameras ? &sim->cameras[number] : NULL;
}

static void answer_describe(struct rtsp_client *client, const struct rtsp_request *request)
{
    struct weir_sim *sim = client->rtsp->sim;
    struct weir_error err = {0};
    char headers[512], status[64];
    client->camera = camera_of(sim, request->url);
    if (client->camera == NULL) {
        answer(client, request, "404 Not Found", "", "");
        return;
    }
    enum weir_sim_fault fault = weir_sim_fault_now(client->camera, weir_clock_ns());
    if (weir_sim_fault_status(fault) >= 400) {
        (void)snprintf(status, sizeof status, "%d As Told", weir_sim_fault_status(fault));
        answer(client, request, status,
               fault == WEIR_SIM_FAULT_401 ? "WWW-Authenticate: Basic realm=\"camera\"\r\n" : "", "");
        return;
    }
    if (client->feed == NULL &&
        weir_sim_feed_open(&client->feed, sim->params.clip, on_rtp, client, &err) < 0) {
        answer(client, request, "500 Internal Server Error", "", "");
        return;
    }
    (void)snprintf(headers, sizeof headers, "Content-Type: application/sdp\r\nContent-Base: %s/\r\n",
                   request->url);
    answer(client, request, "200 OK", headers, weir_sim_feed_sdp(client->feed));
}

static int port_of(uv_udp_t *udp)
{
    struct sockaddr_storage address;
    int size = sizeof address;
    if (uv_udp_getsockname(udp, (struct sockaddr *)&address, &size) != 0)
        return 0;
    return ntohs(((const struct sockaddr_in *)&address)->sin_port); /* at the same place for IPv6 */
}

/* Where to send over UDP: the client's address, the ports that it names. */
static bool set_peers(struct rtsp_client *client, int first, int second)
{
    for (int i = 0; i < 2; i++) {
        int size = sizeof client->peer[i], port = i == 0 ? first : second;
        struct sockaddr_storage any;
        if (uv_tcp_getpeername(&client->tcp, (struct sockaddr *)&client->peer[i], &size) != 0)
            return false;
        ((struct sockaddr_in *)&client->peer[i])->sin_port = htons((uint16_t)port);
        bool ipv6 = client->peer[i].ss_family == AF_INET6;
        int rc = ipv6 ? uv_ip6_addr("::", 0, (struct sockaddr_in6 *)&any)
                      : uv_ip4_addr("0.0.0.0", 0, (struct sockaddr_in *)&any);
        if (rc != 0 || (port_of(&client->udp[i]) == 0 &&
                        uv_udp_bind(&client->udp[i], (const struct sockaddr *)&any, 0) != 0))
            return false;
    }
    return true;
}

static void answer_setup(struct rtsp_client *client, const struct rtsp_request *request)
{
    char headers[320];
    int first = 0, second = 0;
    const char *at;
    if (client->feed == NULL) {
        answer(client, request, "455 Method Not Valid in This State", "", "");
        return;
    }
    client->over_udp = strstr(request->transport, "/TCP") == NULL;
    if (!client->over_udp) {
        if ((at = strstr(request->transport, "interleaved=")) != NULL)
            client->channel = atoi(at + strlen("interleaved=")) & 0xFE;
        (void)snprintf(headers, sizeof headers,
                       "Transport: RTP/AVP/TCP;unicast;interleaved=%d-%d\r\nSession: 1;timeout=60\r\n",
                       client->channel, client->channel + 1);
    } else {
        at = strstr(request->transport, "client_port=");
        if (at == NULL || sscanf(at, "client_port=%d-%d", &first, &second) != 2 || first < 1 || second < 1 ||
            first > 65535 || second > 65535 || !set_peers(client, first, second)) {
            answer(client, request, "461 Unsupported Transport", "", "");
            return;
        }
        (void)snprintf(
            headers, sizeof headers,
            "Transport: RTP/AVP;unicast;client_port=%d-%d;server_port=%d-%d\r\nSession: 1;timeout=60\r\n",
            first, second, port_of(&client->udp[0]), port_of(&client->udp[1]));
    }
    answer(client, request, "200 OK", headers, "");
}

static void answer_play(struct rtsp_client *client, const struct rtsp_request *request)
{
    if (client->feed == NULL) {
        answer(client, request, "455 Method Not Valid in This State", "", "");
        return;
    }
    answer(client, request, "200 OK", "Session: 1;timeout=60\r\nRange: npt=0.000-\r\n", "");
    if (client->playing)
        return;
    client->playing = true;
    client->camera->clients++;
    client->camera->connections++;
    client->start_ns = weir_clock_ns();
    uv_timer_start(&client->timer, on_timer, 0, 0);
}

static void handle(struct rtsp_client *client, const struct rtsp_request *request)
{
    const char *method = request->method;
    if (strcmp(method, "OPTIONS") == 0)
        answer(client, request, "200 OK",
               "Public: OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN\r\n", "");
    else if (strcmp(method, "DESCRIBE") == 0)
        answer_describe(client, request);
    else if (strcmp(method, "SETUP") == 0)
        answer_setup(client, request);
    else if (strcmp(method, "PLAY") == 0)
        answer_play(client, request);
    else if (strcmp(method, "GET_PARAMETER") == 0 || strcmp(method, "SET_PARAMETER") == 0)
        answer(client, request, "200 OK", "Session: 1;timeout=60\r\n", "");
    else if (strcmp(method, "TEARDOWN") == 0)
        close_client(client, false);
    else
        answer(client, request, "501 Not Implemented", "", "");
}

static const char *header_value(const char *head, const char *name)
{
    size_t size = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, name, size) == 0 && line[2 + size] == ':')
            return line + 3 + size + strspn(line + 3 + size, " ");
    return "";
}

/* 1 and the request, 0 when it is not whole yet, -1 when it is none. */
static int parse(char *head, size_t available, struct rtsp_request *request)
{
    char *end = memmem(head, available, "\r\n\r\n", 4);
    if (end == NULL)
        return available == REQUEST_BYTES_MAX ? -1 : 0;
    *request = (struct rtsp_request){0};
    end[2] = '\0'; /* the text ends with its last line */
    if (sscanf(head, "%23s %255s", request->method, request->url) != 2)
        return -1;
    request->sequence = atoi(header_value(head, "CSeq"));
    int body = atoi(header_value(head, "Content-Length"));
    (void)snprintf(request->transport, sizeof request->transport, "%.*s",
                   (int)strcspn(header_value(head, "Transport"), "\r\n"), header_value(head, "Transport"));
    request->size = (size_t)(end - head) + 4 + (body > 0 && body < REQUEST_BYTES_MAX ? (size_t)body : 0);
    end[2] = '\r';
    return request->size <= available ? 1 : request->size > REQUEST_BYTES_MAX ? -1 : 0;
}

/* Takes one request, or one packet that the client sent within the connection. Bytes taken; 0: more are
 * needed; -1: close. */
static ssize_t take_one(struct rtsp_client *client)
{
    if (client->in_bytes >= 4 && client->in[0] == '$') {
        size_t size = 4u + ((size_t)(uint8_t)client->in[2] << 8 | (uint8_t)client->in[3]);
        return size > sizeof client->in ? -1 : size <= client->in_bytes ? (ssize_t)size : 0;
    }
    struct rtsp_request request;
    int rc =
        client->in_bytes == 0 || client->in[0] == '$' ? 0 : parse(client->in, client->in_bytes, &request);
    if (rc <= 0)
        return rc;
    handle(client, &request);
    return (ssize_t)request.size;
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct rtsp_client *client = handle->data;
    (void)suggested;
    *buf = uv_buf_init(client->in + client->in_bytes, (unsigned)(sizeof client->in - client->in_bytes));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct rtsp_client *client = stream->data;
    (void)buf;
    if (n < 0) {
        close_client(client, false);
        return;
    }
    client->in_bytes += (size_t)n;
    ssize_t taken;
    while (!client->closing && (taken = take_one(client)) != 0) {
        if (taken < 0) {
            close_client(client, false);
            return;
        }
        client->in_bytes -= (size_t)taken;
        memmove(client->in, client->in + taken, client->in_bytes);
    }
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct sim_rtsp *rtsp = listener->data;
    struct rtsp_client *client = status == 0 ? calloc(1, sizeof *client) : NULL;
    if (client == NULL)
        return;
    uv_loop_t *loop = listener->loop;
    client->rtsp = rtsp;
    client->camera = &rtsp->sim->cameras[0];
    (void)uv_tcp_init(loop, &client->tcp);
    (void)uv_timer_init(loop, &client->timer);
    (void)uv_udp_init(loop, &client->udp[0]);
    (void)uv_udp_init(loop, &client->udp[1]);
    client->handles = 4;
    client->tcp.data = client->timer.data = client->udp[0].data = client->udp[1].data = client;
    client->next = rtsp->clients;
    if (rtsp->clients != NULL)
        rtsp->clients->previous = client;
    rtsp->clients = client;
    if (uv_accept(listener, (uv_stream_t *)&client->tcp) != 0 ||
        uv_read_start((uv_stream_t *)&client->tcp, on_allocate, on_read) != 0)
        close_client(client, false);
    else
        (void)uv_tcp_nodelay(&client->tcp, 1);
}

int weir_sim_rtsp_open(struct sim_rtsp **out, struct weir_sim *sim, int port, struct weir_error *err)
{
    struct sim_rtsp *rtsp = *out = calloc(1, sizeof *rtsp);
    if (rtsp == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for RTSP");
    rtsp->sim = sim;
    int rc = weir_sim_listen(sim, &rtsp->listener, rtsp, port, on_connection, &rtsp->port);
    if (rc != 0)
        return weir_error_set(err, rc, "can't listen for RTSP at %s port %d: %s", sim->params.address, port,
                              uv_strerror(rc));
    return 0;
}

static void on_listener_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void weir_sim_rtsp_close(struct sim_rtsp **out)
{
    struct sim_rtsp *rtsp = *out;
    *out = NULL;
    if (rtsp == NULL)
        return;
    while (rtsp->clients != NULL)
        close_client(rtsp->clients, false);
    uv_close((uv_handle_t *)&rtsp->listener, on_listener_closed);
}

int weir_sim_rtsp_port(const struct sim_rtsp *rtsp)
{
    return rtsp->port;
}
