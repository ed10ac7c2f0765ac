/* SPDX-License-Identifier: Apache-2.0 */
#include "config/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SECRET_FILE_MAX = 4096 };

#define GLOBAL(member) false, false, offsetof(struct weir_config, member)
#define CAMERA(member) true, false, offsetof(struct weir_camera_settings, member)
#define SECRET(member) true, true, offsetof(struct weir_camera_settings, member)

/* In the order of enum weir_policy. */
static const char *const policies[] = {"auto", "newest", "every", "fifo-drop-newest", "fifo-drop-oldest",
                                       NULL};
static const char *const runtimes[] = {"auto", "openvino", "onnxruntime", "null", NULL};
static const char *const log_levels[] = {"error", "warn", "info", "debug", NULL};

const struct weir_setting weir_settings[] = {
    {"detector", WEIR_SETTING_TEXT, GLOBAL(detector), "local", 0, 0, "WHERE",
     "local, or the address of a service such as http://127.0.0.1:8090/detect"},
    {"detector_timeout_s", WEIR_SETTING_NUMBER, GLOBAL(detector_timeout_s), "10", 0.1, 3600, "S",
     "longest time for a service's answer"},
    {"model", WEIR_SETTING_TEXT, GLOBAL(model), "auto", 0, 0, "FILE", "the model; auto: the default model"},
    {"labels", WEIR_SETTING_TEXT, GLOBAL(labels), "auto", 0, 0, "FILE",
     "its labels, one a line, or coco; auto: from the model"},
    {"runtime", WEIR_SETTING_TEXT, GLOBAL(runtime), "auto", 0, 0, "NAME",
     "what runs the model; auto: the fastest that is installed; null: nothing, for trials", runtimes},
    {"runtime_library", WEIR_SETTING_TEXT, GLOBAL(runtime_library), "auto", 0, 0, "FILE",
     "the runtime's library; auto: searched for"},
    {"device", WEIR_SETTING_TEXT, GLOBAL(device), "auto", 0, 0, "NAME",
     "device of the runtime; auto: by the runtime's rule"},
    {"layout", WEIR_SETTING_TEXT, GLOBAL(layout), "auto", 0, 0, "NAME",
     "what the model's outputs mean (yolox, ssd, ...); auto: found from the model"},
    {"recipe", WEIR_SETTING_TEXT, GLOBAL(recipe), "auto", 0, 0, "WORDS",
     "how pixels become the model's input; auto: found from the model"},
    {"threshold", WEIR_SETTING_NUMBER, GLOBAL(threshold), "auto", 0, 1, "T",
     "lowest score that counts; auto: the model's own"},
    {"nms_iou", WEIR_SETTING_NUMBER, GLOBAL(nms_iou), "auto", 0, 1, "T",
     "overlap above which the weaker of two boxes goes; auto: the model's own"},
    {"null_ms", WEIR_SETTING_NUMBER, GLOBAL(null_ms), "0", 0, 60000, "MS",
     "runtime null: how long a run takes"},
    {"accept_truncated", WEIR_SETTING_BOOL, GLOBAL(accept_truncated), "false", 0, 0, "BOOL",
     "look at JPEGs that end too early; their lower part is grey"},
    {"apply_orientation", WEIR_SETTING_BOOL, GLOBAL(apply_orientation), "true", 0, 0, "BOOL",
     "turn pictures as their EXIF orientation says"},
    {"max_pixels", WEIR_SETTING_BYTES, GLOBAL(max_pixels), "64M", 1, 4294836225.0, "N",
     "most pixels of a picture; a larger one is refused before it is decoded"},
    {"workers", WEIR_SETTING_INTEGER, GLOBAL(workers), "0", 0, 256, "N",
     "inference workers; 0: usable cores, or 8 for a service"},
    {"publishers", WEIR_SETTING_INTEGER, GLOBAL(publishers), "2", 1, 64, "N", "threads that hand results on"},
    {"queue", WEIR_SETTING_INTEGER, GLOBAL(queue), "64", 1, 100000, "N",
     "results that may wait to be published; also the frames in the queue of the fifo policies"},
    {"seconds", WEIR_SETTING_NUMBER, GLOBAL(seconds), "0", 0, 1e9, "S",
     "how long to run; 0: until told to stop"},
    {"shutdown_timeout_s", WEIR_SETTING_NUMBER, GLOBAL(shutdown_timeout_s), "10", 0, 3600, "S",
     "longest time to finish what waits when told to stop"},
    {"jsonl", WEIR_SETTING_TEXT, GLOBAL(jsonl), "", 0, 0, "FILE",
     "results as JSON lines, appended; - for standard output; when not given, none"},
    {"web", WEIR_SETTING_TEXT, GLOBAL(web), "127.0.0.1:8089", 0, 0, "HOST:PORT",
     "address of the dashboard, or off"},
    {"json", WEIR_SETTING_BOOL, GLOBAL(json), "false", 0, 0, "BOOL", "print the summary as JSON"},
    {"log_level", WEIR_SETTING_TEXT, GLOBAL(log_level), "info", 0, 0, "LEVEL",
     "the least important messages that are shown", log_levels},

    {"policy", WEIR_SETTING_POLICY, CAMERA(policy), "auto", 0, 0, "NAME",
     "which frames are looked at; auto: newest for live cameras, every for files", policies},
    {"user_name", WEIR_SETTING_TEXT, CAMERA(user_name), "", 0, 0, "NAME",
     "for the camera; when not given, from its URL"},
    {"password", WEIR_SETTING_TEXT, SECRET(password), "", 0, 0, "TEXT",
     "for the camera; when not given, from its URL; better in a file or the environment: ${NAME}"},
    {"password_file", WEIR_SETTING_SECRET_FILE, SECRET(password), "", 0, 0, "FILE",
     "file whose first line is the password"},
    {"connect_timeout_s", WEIR_SETTING_NUMBER, CAMERA(connect_timeout_s), "5", 0.1, 600, "S",
     "longest time to connect"},
    {"first_frame_timeout_s", WEIR_SETTING_NUMBER, CAMERA(first_frame_timeout_s), "10", 0.1, 600, "S",
     "longest time from connected to the first frame"},
    {"stall_timeout_s", WEIR_SETTING_NUMBER, CAMERA(stall_timeout_s), "10", 0.1, 3600, "S",
     "longest time without a complete frame"},
    {"back_off_min_s", WEIR_SETTING_NUMBER, CAMERA(back_off_min_s), "0.5", 0.01, 3600, "S",
     "wait before the first attempt to reconnect"},
    {"back_off_max_s", WEIR_SETTING_NUMBER, CAMERA(back_off_max_s), "30", 0.01, 86400, "S",
     "longest wait between attempts"},
    {"max_frame_bytes", WEIR_SETTING_BYTES, CAMERA(max_frame_bytes), "16M", 1024, 1073741824.0, "N",
     "largest frame; a larger one is counted as failed"},
    {"tls_verify", WEIR_SETTING_BOOL, CAMERA(tls_verify), "true", 0, 0, "BOOL",
     "check the certificate of an https camera"},
    {"tls_ca", WEIR_SETTING_TEXT, CAMERA(tls_ca), "", 0, 0, "FILE",
     "PEM file to check it against; when not given, the system's"},
    {"proxy", WEIR_SETTING_TEXT, CAMERA(proxy), "", 0, 0, "URL", "proxy to the camera; when not given, none"},
    {"realtime", WEIR_SETTING_BOOL, CAMERA(realtime), "false", 0, 0, "BOOL",
     "play a file at the speed of its recording"},
    {"loop", WEIR_SETTING_BOOL, CAMERA(loop), "false", 0, 0, "BOOL", "begin a file anew at its end"},
};
const size_t weir_setting_count = sizeof weir_settings / sizeof *weir_settings;

const char *weir_policy_name(enum weir_policy policy)
{
    return policies[policy];
}

static bool same_name(const char *a, const char *b)
{
    struct weir_nearest nearest;
    weir_nearest_init(&nearest, a);
    weir_nearest_offer(&nearest, b);
    return nearest.distance == 0;
}

const struct weir_setting *weir_setting_find(const char *name)
{
    for (size_t i = 0; i < weir_setting_count; i++)
        if (same_name(weir_settings[i].name, name))
            return &weir_settings[i];
    return NULL;
}

void weir_setting_offer_all(struct weir_nearest *nearest, bool per_camera_only)
{
    for (size_t i = 0; i < weir_setting_count; i++)
        if (weir_settings[i].per_camera || !per_camera_only)
            weir_nearest_offer(nearest, weir_settings[i].name);
}

static void name_choices(const char *const *choices, struct weir_buf *out)
{
    for (size_t i = 0; choices[i] != NULL; i++)
        weir_buf_printf(out, "%s%s", i == 0 ? "" : choices[i + 1] == NULL ? " or " : ", ", choices[i]);
}

/* The number of the one that was meant, or -EINVAL. */
static int choose(const char *const *choices, const char *value, struct weir_error *err)
{
    struct weir_nearest nearest;
    weir_nearest_init(&nearest, value);
    for (int i = 0; choices[i] != NULL; i++) {
        weir_nearest_offer(&nearest, choices[i]);
        if (nearest.distance == 0)
            return i;
    }
    struct weir_buf all = {0};
    name_choices(choices, &all);
    weir_error_set(err, -EINVAL, "expected %s, found \"%.60s\"%s%s%s",
                   all.data != NULL ? all.data : "another", value,
                   nearest.found != NULL ? "; did you mean \"" : "",
                   nearest.found != NULL ? nearest.found : "", nearest.found != NULL ? "\"?" : "");
    weir_buf_fini(&all);
    return -EINVAL;
}

static int set_text(const struct weir_setting *setting, char **target, const char *value,
                    struct weir_error *err)
{
    bool is_auto = strcmp(setting->initial, "auto") == 0;
    if (setting->choices != NULL && choose(setting->choices, value, err) < 0)
        return -EINVAL;
    bool none = value[0] == '\0' || (is_auto && strcmp(value, "auto") == 0);
    if (none && !is_auto && setting->initial[0] != '\0')
        return weir_error_set(err, -EINVAL, "expected a text, found nothing");
    char *copy = none ? NULL : strdup(value);
    if (!none && copy == NULL)
        return weir_error_set(err, -ENOMEM, "no memory");
    free(*target);
    *target = copy;
    return 0;
}

static int set_policy(const struct weir_setting *setting, enum weir_policy *target, const char *value,
                      struct weir_error *err)
{
    int chosen = choose(setting->choices, value, err);
    if (chosen >= 0)
        *target = (enum weir_policy)chosen;
    return chosen < 0 ? chosen : 0;
}

static int set_from_file(char **target, const char *path, struct weir_error *err)
{
    struct weir_buf text = {0};
    if (path[0] == '\0')
        return 0;
    int code = weir_buf_read_file(&text, path, SECRET_FILE_MAX);
    char *line =
        code == 0 ? strndup(text.size > 0 ? text.data : "", strcspn(text.size > 0 ? text.data : "", "\r\n"))
                  : NULL;
    weir_buf_fini(&text);
    if (code != 0)
        return weir_error_set(err, code, "can't read %.200s: %s", path, strerror(-code));
    if (line == NULL || line[0] == '\0') {
        free(line);
        return weir_error_set(err, -EINVAL, "expected a password in the first line of %.200s, found nothing",
                              path);
    }
    free(*target);
    *target = line;
    return 0;
}

static int set_number(const struct weir_setting *setting, void *target, const char *value,
                      struct weir_error *err)
{
    char *end;
    if (setting->kind == WEIR_SETTING_NUMBER && strcmp(setting->initial, "auto") == 0 &&
        strcmp(value, "auto") == 0) {
        *(double *)target = NAN;
        return 0;
    }
    double number = strtod(value, &end);
    bool whole = setting->kind != WEIR_SETTING_NUMBER;
    if (setting->kind == WEIR_SETTING_BYTES && end != value) {
        const char *units = "KMG";
        const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
        for (const char *u = units; unit != NULL && u <= unit; u++)
            number *= 1024;
        end += unit != NULL;
        if (unit != NULL && strcmp(end, "iB") == 0)
            end += 2;
    }
    if (end == value || *end != '\0' || !(number >= setting->least && number <= setting->most) ||
        (whole && number != floor(number)))
        return weir_error_set(err, -EINVAL, "expected a %snumber from %.10g to %.10g, found \"%.60s\"",
                              whole ? "whole " : "", setting->least, setting->most, value);
    if (setting->kind == WEIR_SETTING_NUMBER)
        *(double *)target = number;
    else if (setting->kind == WEIR_SETTING_INTEGER)
        *(int *)target = (int)number;
    else
        *(int64_t *)target = (int64_t)number;
    return 0;
}

static int set_bool(bool *target, const char *value, struct weir_error *err)
{
    static const struct {
        const char *word;
        bool value;
    } words[] = {{"true", true}, {"false", false}, {"yes", true},
                 {"no", false},  {"on", true},     {"off", false}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(value, words[i].word) == 0) {
            *target = words[i].value;
            return 0;
        }
    }
    return weir_error_set(err, -EINVAL, "expected true or false, found \"%.60s\"", value);
}

int weir_setting_set(const struct weir_setting *setting, void *base, const char *value,
                     struct weir_error *err)
{
    void *target = (char *)base + setting->offset;
    switch (setting->kind) {
    case WEIR_SETTING_TEXT:
        return set_text(setting, target, value, err);
    case WEIR_SETTING_BOOL:
        return set_bool(target, value, err);
    case WEIR_SETTING_POLICY:
        return set_policy(setting, target, value, err);
    case WEIR_SETTING_SECRET_FILE:
        return set_from_file(target, value, err);
    default:
        return set_number(setting, target, value, err);
    }
}

void weir_setting_fini(const struct weir_setting *setting, void *base)
{
    if (setting->kind != WEIR_SETTING_TEXT)
        return;
    char **text = (char **)((char *)base + setting->offset);
    free(*text);
    *text = NULL;
}
