/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CONFIG_CONFIG_H
#define WEIR_CONFIG_CONFIG_H

/* The settings of `weir run`, from YAML and from the command line: one table of options (options.h) gives
 * both their names, types, defaults, help texts and the documentation.
 *
 * Thread-safety: a config belongs to one thread.
 * Ownership: init/fini on the caller's storage; strings belong to the config. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_policy {
    WEIR_POLICY_AUTO,             /* newest for live sources, every for files */
    WEIR_POLICY_NEWEST,           /* one frame a camera, a newer one replaces it; fair choice among cameras */
    WEIR_POLICY_EVERY,            /* lossless: a source waits */
    WEIR_POLICY_FIFO_DROP_NEWEST, /* one bounded queue, put or drop: the reference */
    WEIR_POLICY_FIFO_DROP_OLDEST,
};

/* What can be set for all cameras and again for one. */
struct weir_camera_settings {
    char *user_name, *password;
    double connect_timeout_s, first_frame_timeout_s, stall_timeout_s;
    double back_off_min_s, back_off_max_s;
    int64_t max_frame_bytes;
    bool tls_verify;
    char *tls_ca, *proxy;
    bool realtime, loop;
    enum weir_policy policy;
};

struct weir_camera_config {
    char *name; /* shown to people; any UTF-8 */
    char *id;   /* [a-z0-9_-]+, for URLs, topics and labels; derived from the name unless given; unique */
    char *url;
    struct weir_camera_settings settings;
};

struct weir_config {
    struct weir_camera_config *cameras;
    size_t camera_count;
    struct weir_camera_settings defaults;

    char *detector; /* "local" or a URL */
    double detector_timeout_s;
    char *model, *labels, *runtime, *runtime_library, *device, *layout, *recipe;
    double threshold, nms_iou; /* NAN: the model's own */
    double null_ms;
    bool accept_truncated, apply_orientation;
    int64_t max_pixels;

    int workers;               /* 0: usable cores (local), 8 (http) */
    int publishers;            /* default 2 */
    int queue;                 /* capacity of the fifo queue and of the publish queue; default 64 */
    double seconds;            /* 0: until told to stop */
    double shutdown_timeout_s; /* default 10 */

    char *jsonl; /* path, "-" for stdout, or NULL */
    char *web;   /* "HOST:PORT" or "off" */
    bool json;   /* summary as JSON */
    char *log_level;
};

int weir_config_init(struct weir_config *config); /* every default; 0 or -ENOMEM */
void weir_config_fini(struct weir_config *config);

/* Told of each problem of a file, in its order: "weir.yaml:3:5: cameras.yard.polcy: ..." */
typedef void weir_config_tell(void *user, const char *problem);

/* Reads a YAML file over the present values. err: the first problem, with file, line, column, the key's path,
 * what was expected and the nearest right name. tell: NULL, or called for every problem (up to 20). After a
 * problem the config holds what was right; weir_config_fini frees it as ever. */
int weir_config_load(struct weir_config *config, const char *path, weir_config_tell *tell, void *user,
                     struct weir_error *err);
/* The same from memory; name is for messages. */
int weir_config_parse(struct weir_config *config, const char *text, size_t size, const char *name,
                      weir_config_tell *tell, void *user, struct weir_error *err);
/* Adds a camera "NAME=URL" with the present defaults. */
int weir_config_add_camera(struct weir_config *config, const char *name_and_url, struct weir_error *err);
/* One setting by its name, as the command line gives it ("policy", "newest"); for all cameras there are, too.
 */
int weir_config_set(struct weir_config *config, const char *key, const char *value, struct weir_error *err);
/* What only the whole can tell: names unique, at least one camera, ... */
int weir_config_check(const struct weir_config *config, struct weir_error *err);

const char *weir_policy_name(enum weir_policy policy);

#endif
