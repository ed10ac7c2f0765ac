/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CONFIG_OPTIONS_H
#define WEIR_CONFIG_OPTIONS_H

/* The table of settings: name, type, default, range, help. The YAML reader, the command line, `weir
 * check-config
 * --print` and docs/config.md all come from its rows.
 *
 * Thread-safety: the table is constant.
 * Ownership: text values are heap copies that belong to the struct they are in. */

#include "base/buf.h"
#include "base/error.h"
#include "base/nearest.h"
#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>

enum weir_setting_kind {
    WEIR_SETTING_TEXT,        /* char *; where the default is "" or "auto", these set NULL */
    WEIR_SETTING_NUMBER,      /* double; "auto" sets NAN where the default is NAN */
    WEIR_SETTING_INTEGER,     /* int */
    WEIR_SETTING_BYTES,       /* int64_t; K, M, G and KiB, MiB, GiB are powers of 1024 */
    WEIR_SETTING_BOOL,        /* bool: true, false, yes, no, on, off */
    WEIR_SETTING_POLICY,      /* enum weir_policy */
    WEIR_SETTING_SECRET_FILE, /* char *: the first line of the file that is named */
};

struct weir_setting {
    const char *name; /* "stall_timeout_s"; --stall-timeout-s */
    enum weir_setting_kind kind;
    bool per_camera;      /* in weir_camera_settings: global, and again for one camera */
    bool secret;          /* never printed */
    size_t offset;        /* in weir_camera_settings or in weir_config */
    const char *initial;  /* the default, as a person would write it */
    double least, most;   /* numbers */
    const char *argument; /* what the help calls its value */
    const char *help;
    const char *const *choices; /* the only values there are, up to a NULL; NULL: any */
};

extern const struct weir_setting weir_settings[];
extern const size_t weir_setting_count;

/* By name; '-' is taken for '_'. NULL when there is none. */
const struct weir_setting *weir_setting_find(const char *name);
/* Every name, or those of a camera's settings. */
void weir_setting_offer_all(struct weir_nearest *nearest, bool per_camera_only);
/* base: the struct that the row's offset is in. err: what was expected and found, without the name. */
int weir_setting_set(const struct weir_setting *setting, void *base, const char *value,
                     struct weir_error *err);
/* Frees a text; other kinds own nothing. */
void weir_setting_fini(const struct weir_setting *setting, void *base);

#endif
