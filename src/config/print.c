/* SPDX-License-Identifier: Apache-2.0 */

/* A config as YAML that reads back as the same config, except for its secrets. */

#include "config/print.h"

#include "config/camera_url.h"
#include "config/expand.h"
#include "config/options.h"

#include <math.h>
#include <string.h>

/* The length of the character at text, which is valid UTF-8, and its code point. */
static size_t decode(const char *text, unsigned *code_point)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t size = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    *code_point = size == 1 ? p[0] : p[0] & (0xFFu >> (size + 1));
    for (size_t i = 1; i < size; i++)
        *code_point = *code_point << 6 | (p[i] & 0x3F);
    return size;
}

/* YAML 1.2, 5.1: what is not printable there, and what would break or mark a line. */
static bool needs_escape(unsigned c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF || c == 0xFFFE ||
           c == 0xFFFF;
}

static void print_text(const char *text, struct weir_buf *out)
{
    weir_buf_text(out, "\"");
    while (*text != '\0') {
        unsigned c;
        size_t size = decode(text, &c);
        if (weir_text_begins_variable(text)) /* that it stays what it is when it is read again */
            weir_buf_text(out, "$");
        if (c == '"' || c == '\\')
            weir_buf_printf(out, "\\%c", (char)c);
        else if (needs_escape(c))
            weir_buf_printf(out, "\\u%04X", c);
        else
            weir_buf_append(out, text, size);
        text += size;
    }
    weir_buf_text(out, "\"");
}

static void print_optional_text(const struct weir_setting *setting, const char *text, struct weir_buf *out)
{
    struct weir_buf masked = {0};
    if (text == NULL) {
        weir_buf_text(out, setting->initial[0] != '\0' ? setting->initial : "\"\"");
        return;
    }
    weir_camera_url_mask(text, &masked); /* a proxy or a service may be an address with a password, too */
    print_text(setting->secret ? "***" : masked.data != NULL ? masked.data : "", out);
    weir_buf_fini(&masked);
}

void weir_setting_print(const struct weir_setting *setting, const void *base, struct weir_buf *out)
{
    const void *value = (const char *)base + setting->offset;
    switch (setting->kind) {
    case WEIR_SETTING_TEXT:
        print_optional_text(setting, *(char *const *)value, out);
        break;
    case WEIR_SETTING_NUMBER:
        if (isnan(*(const double *)value))
            weir_buf_text(out, "auto");
        else
            weir_buf_printf(out, "%.10g", *(const double *)value);
        break;
    case WEIR_SETTING_INTEGER:
        weir_buf_printf(out, "%d", *(const int *)value);
        break;
    case WEIR_SETTING_BYTES:
        weir_buf_printf(out, "%lld", (long long)*(const int64_t *)value);
        break;
    case WEIR_SETTING_BOOL:
        weir_buf_text(out, *(const bool *)value ? "true" : "false");
        break;
    case WEIR_SETTING_POLICY:
        weir_buf_text(out, weir_policy_name(*(const enum weir_policy *)value));
        break;
    case WEIR_SETTING_SECRET_FILE:
        weir_buf_text(out, "\"\"");
        break;
    }
}

static void print_comment(const struct weir_setting *setting, struct weir_buf *out)
{
    weir_buf_printf(out, "# %s", setting->help);
    if (setting->choices != NULL) {
        weir_buf_text(out, ":");
        for (size_t i = 0; setting->choices[i] != NULL; i++)
            weir_buf_printf(out, "%s %s", i > 0 ? "," : "", setting->choices[i]);
    } else if (setting->most > setting->least) {
        weir_buf_printf(out, "; %.10g to %.10g", setting->least, setting->most);
    }
    weir_buf_printf(out, "%s\n", setting->per_camera ? "; also for one camera" : "");
}

static void print_key(const char *indent, const char *key, struct weir_buf *out)
{
    weir_buf_printf(out, "%s%s: ", indent, key);
}

/* What is other for this camera than for all. */
static void print_overrides(const struct weir_camera_config *camera, const struct weir_config *config,
                            struct weir_buf *out)
{
    for (size_t i = 0; i < weir_setting_count; i++) {
        const struct weir_setting *setting = &weir_settings[i];
        struct weir_buf own = {0}, common = {0};
        if (!setting->per_camera)
            continue;
        weir_setting_print(setting, &camera->settings, &own);
        weir_setting_print(setting, &config->defaults, &common);
        if (!own.failed && !common.failed && strcmp(own.data, common.data) != 0) {
            print_key("    ", setting->name, out);
            weir_buf_printf(out, "%s\n", own.data);
        }
        weir_buf_fini(&own);
        weir_buf_fini(&common);
    }
}

static void print_camera(const struct weir_camera_config *camera, const struct weir_config *config,
                         struct weir_buf *out)
{
    struct weir_buf url = {0};
    weir_camera_url_mask(camera->url, &url);
    print_key("  - ", "name", out);
    print_text(camera->name, out);
    weir_buf_printf(out, "\n    id: %s\n    url: ", camera->id);
    print_text(url.data != NULL ? url.data : "", out);
    weir_buf_text(out, "\n");
    print_overrides(camera, config, out);
    weir_buf_fini(&url);
}

void weir_config_print(const struct weir_config *config, struct weir_buf *out)
{
    for (size_t i = 0; i < weir_setting_count; i++) {
        const struct weir_setting *setting = &weir_settings[i];
        const void *base = setting->per_camera ? (const void *)&config->defaults : (const void *)config;
        print_comment(setting, out);
        print_key("", setting->name, out);
        weir_setting_print(setting, base, out);
        weir_buf_text(out, "\n");
    }
    weir_buf_text(out, config->camera_count == 0 ? "# cameras:\n#   front: http://192.168.1.20/video\n"
                                                 : "cameras:\n");
    for (size_t i = 0; i < config->camera_count; i++)
        print_camera(&config->cameras[i], config, out);
}
