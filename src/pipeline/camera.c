/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/camera.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

static char *without_secrets(const char *url)
{
    char *shown = strdup(url);
    char *authority = shown != NULL ? strstr(shown, "://") : NULL;
    if (authority == NULL)
        return shown;
    authority += 3;
    size_t length = strcspn(authority, "/?#");
    char *at = memrchr(authority, '@', length);
    if (at != NULL)
        memmove(authority, at + 1, strlen(at + 1) + 1);
    return shown;
}

struct weir_camera *weir_camera_new(const struct weir_camera_config *config, uint32_t index, size_t ring_size)
{
    struct weir_camera *camera = calloc(1, sizeof *camera);
    if (camera == NULL)
        return NULL;
    camera->index = index;
    camera->config = config;
    camera->policy = config->settings.policy;
    if (camera->policy == WEIR_POLICY_AUTO)
        camera->policy = weir_source_url_is_live(config->url) ? WEIR_POLICY_NEWEST : WEIR_POLICY_EVERY;
    camera->shown_url = without_secrets(config->url);
    camera->ring_size = ring_size;
    camera->finished = calloc(ring_size, sizeof *camera->finished);
    camera->served_ns = weir_clock_ns();
    camera->status.since_ns = camera->served_ns;
    weir_result_init(&camera->picture_result);
    if (camera->shown_url == NULL || camera->finished == NULL)
        weir_camera_free(&camera);
    return camera;
}

void weir_camera_free(struct weir_camera **camera)
{
    if (*camera == NULL)
        return;
    weir_frame_list_fini(&(*camera)->mailbox);
    weir_frame_unref(&(*camera)->picture);
    weir_result_fini(&(*camera)->picture_result);
    free((*camera)->finished);
    free((*camera)->shown_url);
    free(*camera);
    *camera = NULL;
}

bool weir_camera_has_place(const struct weir_camera *camera)
{
    return camera->tickets_given - camera->tickets_gone < camera->ring_size;
}

uint64_t weir_camera_ticket(struct weir_camera *camera)
{
    return camera->tickets_given++;
}

void weir_camera_finish(struct weir_camera *camera, uint64_t ticket, struct weir_event *event)
{
    camera->finished[ticket % camera->ring_size] = event;
}

struct weir_event *weir_camera_next_finished(struct weir_camera *camera)
{
    struct weir_event **place = &camera->finished[camera->tickets_gone % camera->ring_size];
    struct weir_event *event = *place;
    if (event != NULL) {
        *place = NULL;
        camera->tickets_gone++;
    }
    return event;
}

void weir_camera_keep_picture(struct weir_camera *camera, struct weir_frame *frame, const struct weir_result *result)
{
    weir_frame_unref(&camera->picture);
    if (weir_result_copy(&camera->picture_result, result) == 0)
        camera->picture = weir_frame_ref(frame);
}
