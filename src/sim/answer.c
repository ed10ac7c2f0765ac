/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/state.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

static const char *status_text(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 500:
        return "Internal Server Error";
    default:
        return "Service Unavailable";
    }
}

static void begin_answer(struct sim_client *client, int status, const char *type, size_t length)
{
    struct weir_buf *head = &client->head;
    weir_buf_clear(head);
    weir_buf_printf(head, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n", status,
                    status_text(status), type, length);
    if (status == 401)
        weir_buf_text(head, "WWW-Authenticate: Basic realm=\"camera\"\r\n");
    weir_buf_text(head, "Cache-Control: no-store\r\nConnection: close\r\n\r\n");
    client->close_after_write = true;
}

static void answer_text(struct sim_client *client, int status, const char *type, const char *text)
{
    begin_answer(client, status, type, strlen(text));
    weir_buf_text(&client->head, text);
}

static void answer_stream(struct sim_client *client, struct sim_camera *camera)
{
    client->camera = camera;
    camera->clients++;
    camera->connections++;
    weir_buf_clear(&client->head);
    weir_buf_text(&client->head,
                  "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=weir\r\n"
                  "Cache-Control: no-store\r\nConnection: close\r\n\r\n");
}

static void answer_still(struct sim_client *client, struct sim_camera *camera)
{
    struct weir_block *jpeg =
        weir_sim_next_picture(client->sim, camera, weir_sim_fault_now(camera, weir_clock_ns()));
    if (jpeg == NULL) {
        answer_text(client, 503, "text/plain", "no picture is ready yet\n");
        return;
    }
    begin_answer(client, 200, "image/jpeg", jpeg->size);
    client->body = jpeg;
    client->body_bytes = jpeg->size;
}

static void answer_camera(struct sim_client *client, struct sim_camera *camera, bool still)
{
    enum weir_sim_fault fault = weir_sim_fault_now(camera, weir_clock_ns());
    int status = weir_sim_fault_status(fault);
    if (fault == WEIR_SIM_FAULT_RESET)
        weir_sim_client_close(client, true);
    else if (fault == WEIR_SIM_FAULT_HTML)
        answer_text(
            client, status, "text/html",
            "<!DOCTYPE html><html><title>Login</title><form>User <input> Password <input></form></html>\n");
    else if (status != 0)
        answer_text(client, status, "text/plain", "the camera was told to answer so\n");
    else if (still)
        answer_still(client, camera);
    else
        answer_stream(client, camera);
}

static bool parse_fault(const struct weir_sim *sim, const struct weir_sim_request *request, int *camera,
                        enum weir_sim_fault *fault, double *seconds)
{
    char text[32], *end;
    *seconds = 0;
    if (!weir_sim_request_argument(request, "kind", text, sizeof text) ||
        !weir_sim_fault_parse(text, strlen(text), fault))
        return false;
    if (weir_sim_request_argument(request, "seconds", text, sizeof text)) {
        *seconds = strtod(text, &end);
        if (end == text || *end != '\0' || !(*seconds >= 0 && *seconds <= 1e6))
            return false;
    }
    if (!weir_sim_request_argument(request, "camera", text, sizeof text))
        return false;
    if (strcmp(text, "all") == 0) {
        *camera = -1;
        return true;
    }
    long number = strtol(text, &end, 10);
    *camera = (int)number;
    return end != text && *end == '\0' && number >= 0 && number < sim->params.cameras &&
           *fault != WEIR_SIM_FAULT_REFUSE;
}

static void answer_fault(struct sim_client *client, const struct weir_sim_request *request)
{
    int camera;
    enum weir_sim_fault fault;
    double seconds;
    if (strcmp(request->method, "POST") != 0) {
        answer_text(client, 405, "text/plain", "POST /fault?camera=0&kind=stall&seconds=3\n");
        return;
    }
    if (!parse_fault(client->sim, request, &camera, &fault, &seconds)) {
        answer_text(
            client, 400, "text/plain",
            "expected camera=NUMBER or all, kind=KIND (weir sim --help names them; refuse only for all) and "
            "perhaps seconds=S\n");
        return;
    }
    answer_text(client, 200, "application/json", "{\"status\": \"ok\"}\n");
    weir_sim_set_fault(client->sim, camera, fault, (int64_t)(seconds * (double)WEIR_NS_PER_S));
}

static void answer_status(struct sim_client *client)
{
    const struct weir_sim *sim = client->sim;
    struct weir_buf json = {0};
    int64_t now = weir_clock_ns();
    weir_buf_text(&json, "{\"cameras\": [");
    for (int i = 0; i < sim->params.cameras; i++) {
        const struct sim_camera *camera = &sim->cameras[i];
        weir_buf_printf(&json,
                        "%s{\"camera\": %d, \"fault\": \"%s\", \"clients\": %d, \"connections\": %llu, "
                        "\"frame\": %llu, \"sent\": %llu, \"skipped\": %llu}",
                        i == 0 ? "" : ", ", i, weir_sim_fault_name(weir_sim_fault_now(camera, now)),
                        camera->clients, (unsigned long long)camera->connections,
                        (unsigned long long)camera->position, (unsigned long long)camera->sent,
                        (unsigned long long)camera->skipped);
    }
    weir_buf_text(&json, "]}\n");
    if (json.failed)
        answer_text(client, 500, "text/plain", "out of memory\n");
    else
        answer_text(client, 200, "application/json", json.data);
    weir_buf_fini(&json);
}

static void answer_index(struct sim_client *client)
{
    struct weir_buf page = {0};
    weir_buf_text(&page, "<!DOCTYPE html><html><title>weir sim</title><body>\n");
    for (int i = 0; i < client->sim->params.cameras; i++)
        weir_buf_printf(&page, "<a href=\"/cam%d\">cam%d</a>\n", i, i);
    weir_buf_text(&page, "</body></html>\n");
    answer_text(client, page.failed ? 500 : 200, "text/html", page.failed ? "" : page.data);
    weir_buf_fini(&page);
}

void weir_sim_answer(struct sim_client *client, const struct weir_sim_request *request)
{
    struct weir_sim *sim = client->sim;
    int camera;
    bool still;
    if (weir_sim_request_camera(request, sim->params.cameras, &camera, &still))
        answer_camera(client, &sim->cameras[camera], still);
    else if (strcmp(request->path, "/fault") == 0)
        answer_fault(client, request);
    else if (strcmp(request->path, "/status") == 0)
        answer_status(client);
    else if (strcmp(request->path, "/") == 0)
        answer_index(client);
    else
        answer_text(client, 404, "text/plain", "there is no such camera\n");
}
