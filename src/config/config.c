/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config.h"

#include "base/log.h"
#include "config/camera_id.h"
#include "config/camera_url.h"
#include "config/config_private.h"
#include "config/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CAMERAS_MAX = 4096 };

static void *base_of(struct weir_config *config, const struct weir_setting *setting)
{
    return setting->per_camera ? (void *)&config->defaults : (void *)config;
}

int weir_config_init(struct weir_config *config)
{
    memset(config, 0, sizeof *config);
    for (size_t i = 0; i < weir_setting_count; i++) {
        const struct weir_setting *setting = &weir_settings[i];
        int code = weir_setting_set(setting, base_of(config, setting), setting->initial, NULL);
        if (code != 0) {
            weir_config_fini(config);
            return code;
        }
    }
    return 0;
}

static void settings_fini(struct weir_camera_settings *settings)
{
    for (size_t i = 0; i < weir_setting_count; i++)
        if (weir_settings[i].per_camera)
            weir_setting_fini(&weir_settings[i], settings);
}

static void camera_fini(struct weir_camera_config *camera)
{
    free(camera->name);
    free(camera->id);
    free(camera->url);
    settings_fini(&camera->settings);
}

void weir_config_fini(struct weir_config *config)
{
    for (size_t i = 0; i < config->camera_count; i++)
        camera_fini(&config->cameras[i]);
    free(config->cameras);
    for (size_t i = 0; i < weir_setting_count; i++)
        weir_setting_fini(&weir_settings[i], base_of(config, &weir_settings[i]));
    memset(config, 0, sizeof *config);
}

int weir_config_set(struct weir_config *config, const char *key, const char *value, struct weir_error *err)
{
    const struct weir_setting *setting = weir_setting_find(key);
    if (setting == NULL) {
        struct weir_nearest nearest;
        weir_nearest_init(&nearest, key);
        weir_setting_offer_all(&nearest, false);
        return weir_error_set(err, -EINVAL, "there is no setting \"%.60s\"%s%s%s", key,
                              nearest.found != NULL ? "; did you mean \"" : "",
                              nearest.found != NULL ? nearest.found : "", nearest.found != NULL ? "\"?" : "");
    }
    if (weir_setting_set(setting, base_of(config, setting), value, err) != 0)
        return weir_error_prefix(err, "%s", setting->name);
    for (size_t i = 0; setting->per_camera && i < config->camera_count; i++)
        if (weir_setting_set(setting, &config->cameras[i].settings, value, err) != 0)
            return weir_error_prefix(err, "%s", setting->name);
    return 0;
}

/* Texts are the only members that can't be copied as they are. */
static int copy_settings(struct weir_camera_settings *to, const struct weir_camera_settings *from)
{
    *to = *from;
    bool failed = false;
    for (size_t i = 0; i < weir_setting_count; i++) {
        const struct weir_setting *setting = &weir_settings[i];
        if (!setting->per_camera || setting->kind != WEIR_SETTING_TEXT)
            continue;
        char *const *source = (char *const *)((const char *)from + setting->offset);
        char **target = (char **)((char *)to + setting->offset);
        *target = *source != NULL ? strdup(*source) : NULL;
        failed |= *source != NULL && *target == NULL;
    }
    return failed ? -ENOMEM : 0;
}

int weir_config_new_camera(struct weir_config *config, struct weir_camera_config **out,
                           struct weir_error *err)
{
    if (config->camera_count == CAMERAS_MAX)
        return weir_error_set(err, -E2BIG, "more than %d cameras", CAMERAS_MAX);
    struct weir_camera_config *grown =
        reallocarray(config->cameras, config->camera_count + 1, sizeof *config->cameras);
    if (grown == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for one more camera");
    config->cameras = grown;
    struct weir_camera_config *camera = &grown[config->camera_count];
    memset(camera, 0, sizeof *camera);
    config->camera_count++;
    *out = camera;
    return copy_settings(&camera->settings, &config->defaults) == 0
               ? 0
               : weir_error_set(err, -ENOMEM, "no memory for one more camera");
}

int weir_config_finish_camera(struct weir_camera_config *camera, struct weir_error *err)
{
    if (camera->name == NULL || camera->name[0] == '\0')
        return weir_error_set(err, -EINVAL, "a camera needs a name");
    if (!weir_text_is_utf8(camera->name))
        return weir_error_set(err, -EINVAL, "the camera's name is not valid UTF-8");
    if (camera->url == NULL || camera->url[0] == '\0')
        return weir_error_set(err, -EINVAL, "camera \"%.60s\" needs a url", camera->name);
    if (weir_camera_url_check(camera->url, err) != 0)
        return weir_error_prefix(err, "camera \"%.60s\"", camera->name);
    if (camera->id == NULL)
        camera->id = weir_camera_id_derive(camera->name);
    if (camera->id == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for camera \"%.60s\"", camera->name);
    if (!weir_camera_id_is_valid(camera->id))
        return weir_error_set(err, -EINVAL,
                              "camera \"%.60s\": id: expected 1 to %d of a-z, 0-9, _ and -, found \"%.80s\"",
                              camera->name, WEIR_CAMERA_ID_MAX, camera->id);
    return 0;
}

int weir_config_add_camera(struct weir_config *config, const char *name_and_url, struct weir_error *err)
{
    /* An address alone may have a '=' of its own, and a password, which is not repeated here. */
    const char *equals = strchr(name_and_url, '='), *scheme = strstr(name_and_url, "://");
    if (equals == NULL || equals == name_and_url || equals[1] == '\0' || (scheme != NULL && scheme < equals))
        return weir_error_set(err, -EINVAL,
                              "camera: expected NAME=URL such as front=http://192.168.1.20/video, found %s",
                              scheme != NULL ? "no name before the address" : "no name, '=' and address");
    struct weir_camera_config *camera;
    int code = weir_config_new_camera(config, &camera, err);
    if (code != 0)
        return code;
    camera->name = strndup(name_and_url, (size_t)(equals - name_and_url));
    camera->url = strdup(equals + 1);
    if (camera->name == NULL || camera->url == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for one more camera");
    return weir_config_finish_camera(camera, err);
}

static int check_unique(const struct weir_config *config, struct weir_error *err)
{
    for (size_t i = 0; i < config->camera_count; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct weir_camera_config *a = &config->cameras[j], *b = &config->cameras[i];
            if (strcmp(a->name, b->name) == 0)
                return weir_error_set(err, -EINVAL, "two cameras are named \"%.60s\": give each its own name",
                                      a->name);
            if (strcmp(a->id, b->id) == 0)
                return weir_error_set(
                    err, -EINVAL,
                    "cameras \"%.60s\" and \"%.60s\" both have the id %s: give one of them another id",
                    a->name, b->name, a->id);
        }
    }
    return 0;
}

int weir_config_check(const struct weir_config *config, struct weir_error *err)
{
    enum weir_log_level level;
    if (config->camera_count == 0)
        return weir_error_set(err, -EINVAL,
                              "no camera: give at least one with --camera NAME=URL, or under cameras: in "
                              "a configuration file");
    if (!weir_log_level_parse(config->log_level, &level))
        return weir_error_set(err, -EINVAL, "log_level: expected error, warn, info or debug, found \"%.60s\"",
                              config->log_level);
    for (size_t i = 0; i < config->camera_count; i++) {
        const struct weir_camera_settings *settings = &config->cameras[i].settings;
        if (settings->back_off_min_s > settings->back_off_max_s)
            return weir_error_set(
                err, -EINVAL, "camera \"%.60s\": back_off_min_s (%g) is more than back_off_max_s (%g)",
                config->cameras[i].name, settings->back_off_min_s, settings->back_off_max_s);
    }
    return check_unique(config, err);
}
