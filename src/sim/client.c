/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/state.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

enum { CLIENTS_MAX = 20000, DRIP_BYTES = 400, REQUEST_TIMEOUT_S = 10 };

static void on_closed(uv_handle_t *handle)
{
    struct sim_client *client = handle->data;
    weir_block_unref(&client->body);
    weir_block_unref(&client->drip);
    weir_buf_fini(&client->head);
    free(client);
}

void weir_sim_client_close(struct sim_client *client, bool reset)
{
    if (client->closing)
        return;
    client->closing = true;
    if (client->camera != NULL)
        client->camera->clients--;
    if (client->previous != NULL)
        client->previous->next = client->next;
    else
        client->sim->clients = client->next;
    if (client->next != NULL)
        client->next->previous = client->previous;
    if (!reset || uv_tcp_close_reset(&client->tcp, on_closed) != 0)
        uv_close((uv_handle_t *)&client->tcp, on_closed);
}

static void on_sent(uv_write_t *write, int status)
{
    struct sim_client *client = write->data;
    client->busy = false;
    weir_block_unref(&client->body);
    if (status < 0 || client->close_after_write)
        weir_sim_client_close(client, false);
}

/* Writes head, then what is in body, then the line end of a part (unless `bare`). */
static void write_out(struct sim_client *client, bool bare)
{
    static char line_end[] = "\r\n";
    uv_buf_t bufs[3];
    unsigned count = 0;
    if (client->head.size > 0)
        bufs[count++] = uv_buf_init(client->head.data, (unsigned)client->head.size);
    if (client->body != NULL)
        bufs[count++] = uv_buf_init((char *)client->body->data, (unsigned)client->body_bytes);
    if (!bare)
        bufs[count++] = uv_buf_init(line_end, 2);
    client->busy = true;
    client->write.data = client;
    if (client->head.failed ||
        uv_write(&client->write, (uv_stream_t *)&client->tcp, bufs, count, on_sent) != 0)
        weir_sim_client_close(client, false);
}

/* A copy with some bytes of the scan data changed; headers stay right. */
static struct weir_block *corrupted(struct weir_sim *sim, const struct weir_block *jpeg)
{
    struct weir_block *copy = weir_block_get(sim->pool, jpeg->size);
    if (copy == NULL)
        return NULL;
    memcpy(copy->data, jpeg->data, jpeg->size);
    copy->size = jpeg->size;
    size_t from = jpeg->size / 2;
    for (size_t i = from; i < from + 64 && i + 2 < jpeg->size; i++)
        copy->data[i] = i % 2 == 0 ? 0xFF : 0; /* an escaped FF each: no code of the usual tables */
    return copy;
}

static struct weir_block *garbage(struct weir_sim *sim, size_t size)
{
    struct weir_block *block = weir_block_get(sim->pool, size);
    if (block == NULL)
        return NULL;
    for (size_t i = 0; i < size; i++)
        block->data[i] = (uint8_t)weir_sim_random(sim);
    block->size = size;
    return block;
}

/* What is sent in place of the picture; a new reference. */
static struct weir_block *body_for(struct weir_sim *sim, struct weir_block *jpeg, enum weir_sim_fault fault)
{
    if (fault == WEIR_SIM_FAULT_CORRUPT)
        return corrupted(sim, jpeg);
    if (fault == WEIR_SIM_FAULT_GARBAGE)
        return garbage(sim, jpeg->size);
    return weir_block_ref(jpeg);
}

static void part_head(struct sim_client *client, size_t length, enum weir_sim_fault fault)
{
    struct weir_buf *head = &client->head;
    int64_t wall_us = weir_clock_wall_ns() / 1000;
    weir_buf_clear(head);
    weir_buf_text(head, fault == WEIR_SIM_FAULT_WRONG_BOUNDARY ? "--another" : "--weir");
    weir_buf_text(head, "\r\nContent-Type: image/jpeg\r\n");
    if (fault == WEIR_SIM_FAULT_WRONG_LENGTH)
        length = weir_sim_random(client->sim) % 2 == 0 ? length + 48 : length * 2 / 3;
    if (fault != WEIR_SIM_FAULT_NO_LENGTH)
        weir_buf_printf(head, "Content-Length: %zu\r\n", length);
    weir_buf_printf(head, "X-Frame: %llu\r\nX-Timestamp: %lld.%06lld\r\n\r\n",
                    (unsigned long long)client->camera->position, (long long)(wall_us / 1000000),
                    (long long)(wall_us % 1000000));
}

/* Head, body and line end as one block that is sent by the drop. */
static void start_drip(struct sim_client *client)
{
    size_t size = client->head.size + client->body_bytes + 2;
    struct weir_block *drip = weir_block_get(client->sim->pool, size);
    if (drip != NULL) {
        memcpy(drip->data, client->head.data, client->head.size);
        memcpy(drip->data + client->head.size, client->body->data, client->body_bytes);
        memcpy(drip->data + size - 2, "\r\n", 2);
        drip->size = size;
        client->drip = drip;
        client->drip_at = 0;
    }
    weir_block_unref(&client->body);
}

void weir_sim_client_send(struct sim_client *client, struct weir_block *jpeg, enum weir_sim_fault fault)
{
    if (client->busy || client->drip != NULL) {
        client->camera->skipped++;
        return;
    }
    client->body = body_for(client->sim, jpeg, fault);
    if (client->body == NULL)
        return;
    size_t size = client->body->size;
    client->body_bytes = fault == WEIR_SIM_FAULT_TRUNCATE ? size * 3 / 5
                         : fault == WEIR_SIM_FAULT_CUT    ? size / 2
                                                          : size;
    part_head(client, fault == WEIR_SIM_FAULT_CUT ? size : client->body_bytes, fault);
    client->camera->sent++;
    client->close_after_write = fault == WEIR_SIM_FAULT_CUT;
    if (fault == WEIR_SIM_FAULT_DRIBBLE && !client->head.failed)
        start_drip(client);
    else
        write_out(client, fault == WEIR_SIM_FAULT_CUT);
}

bool weir_sim_client_drip(struct sim_client *client)
{
    if (client->drip == NULL)
        return false;
    if (client->busy)
        return true;
    struct weir_block *drip = client->drip;
    bool still_slow = weir_sim_fault_now(client->camera, weir_clock_ns()) == WEIR_SIM_FAULT_DRIBBLE;
    size_t left = drip->size - client->drip_at;
    size_t piece = still_slow && left > DRIP_BYTES ? DRIP_BYTES : left;
    weir_buf_clear(&client->head);
    weir_buf_append(&client->head, drip->data + client->drip_at, piece);
    client->drip_at += piece;
    if (client->drip_at == drip->size)
        weir_block_unref(&client->drip);
    write_out(client, true);
    return client->drip != NULL;
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct sim_client *client = handle->data;
    (void)suggested;
    /* After the request nothing more is expected; what comes is read over it, only to notice the end. */
    if (client->answered || client->request_bytes == sizeof client->request)
        client->request_bytes = 0;
    *buf = uv_buf_init(client->request + client->request_bytes,
                       (unsigned)(sizeof client->request - client->request_bytes));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct sim_client *client = stream->data;
    (void)buf;
    if (n < 0) {
        weir_sim_client_close(client, false);
        return;
    }
    if (client->answered || client->closing)
        return;
    client->request_bytes += (size_t)n;
    size_t head = weir_sim_request_head_size(client->request, client->request_bytes);
    if (head == 0) {
        if (client->request_bytes == sizeof client->request)
            weir_sim_client_close(client, false);
        return;
    }
    struct weir_sim_request request;
    client->answered = true;
    if (!weir_sim_request_parse(client->request, head, &request)) {
        weir_sim_client_close(client, false);
        return;
    }
    weir_sim_answer(client, &request);
    if (client->head.size > 0 && !client->closing)
        write_out(client, true);
}

void weir_sim_client_accept(struct weir_sim *sim)
{
    struct sim_client *client = calloc(1, sizeof *client);
    if (client == NULL || uv_tcp_init(&sim->loop, &client->tcp) != 0) {
        free(client);
        return;
    }
    client->sim = sim;
    client->tcp.data = client;
    client->deadline_ns = weir_clock_ns() + REQUEST_TIMEOUT_S * WEIR_NS_PER_S;
    client->next = sim->clients;
    if (sim->clients != NULL)
        sim->clients->previous = client;
    sim->clients = client;
    if (uv_accept((uv_stream_t *)&sim->listener, (uv_stream_t *)&client->tcp) != 0 ||
        uv_read_start((uv_stream_t *)&client->tcp, on_allocate, on_read) != 0)
        weir_sim_client_close(client, false);
    else
        (void)uv_tcp_nodelay(&client->tcp, 1);
}
