/* SPDX-License-Identifier: Apache-2.0 */
#include "config/print.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* jansson's setters take what json_string and others give and refuse NULL, so that one check at the end would
 * not see a missing member; each is looked at here. */
static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static const char *type_name(const struct weir_setting *setting)
{
    switch (setting->kind) {
    case WEIR_SETTING_BOOL:
        return "boolean";
    case WEIR_SETTING_NUMBER:
        return "number";
    case WEIR_SETTING_INTEGER:
        return "integer";
    default:
        return "string";
    }
}

/* Sizes may have a unit and numbers may be "auto" or come from the environment, which only a text can be;
 * what an editor takes for a number, a truth value or nothing (web: off, runtime: null) is a text here. */
static json_t *types(const struct weir_setting *setting)
{
    if (setting->kind == WEIR_SETTING_TEXT)
        return json_pack("[s, s, s, s]", "string", "number", "boolean", "null");
    if (setting->kind == WEIR_SETTING_BYTES)
        return json_pack("[s, s]", "integer", "string");
    if (setting->kind == WEIR_SETTING_POLICY || setting->kind == WEIR_SETTING_SECRET_FILE)
        return json_string("string");
    return json_pack("[s, s]", type_name(setting), "string");
}

static bool put_values(const struct weir_setting *setting, json_t *property)
{
    bool is_size_or_number = setting->kind == WEIR_SETTING_NUMBER || setting->kind == WEIR_SETTING_INTEGER ||
                             setting->kind == WEIR_SETTING_BYTES;
    if (is_size_or_number)
        return put(property, "minimum", json_real(setting->least)) &&
               put(property, "maximum", json_real(setting->most));
    if (setting->choices == NULL)
        return true;
    json_t *choices = json_array();
    bool ok = choices != NULL;
    for (size_t i = 0; ok && setting->choices[i] != NULL; i++)
        ok = json_array_append_new(choices, json_string(setting->choices[i])) == 0;
    ok = ok && (setting->kind != WEIR_SETTING_TEXT || json_array_append_new(choices, json_null()) == 0);
    return put(property, "enum", choices) && ok;
}

static json_t *default_of(const struct weir_setting *setting)
{
    char *end;
    double number = strtod(setting->initial, &end);
    if (setting->kind == WEIR_SETTING_BOOL)
        return json_boolean(strcmp(setting->initial, "true") == 0);
    if (setting->kind == WEIR_SETTING_INTEGER)
        return json_integer((json_int_t)number);
    if (setting->kind == WEIR_SETTING_NUMBER && *end == '\0')
        return json_real(number);
    return json_string(setting->initial);
}

static bool put_setting(const struct weir_setting *setting, json_t *properties)
{
    json_t *property = json_object();
    if (!put(properties, setting->name, property))
        return false;
    return put(property, "description", json_string(setting->help)) &&
           put(property, "type", types(setting)) && put_values(setting, property) &&
           put(property, "default", default_of(setting));
}

static bool put_settings(json_t *properties, bool only_per_camera)
{
    for (size_t i = 0; i < weir_setting_count; i++)
        if ((weir_settings[i].per_camera || !only_per_camera) && !put_setting(&weir_settings[i], properties))
            return false;
    return true;
}

/* A camera in the list needs a name, one in the mapping has it as its key. */
static json_t *camera_schema(bool in_list)
{
    json_t *properties = json_pack("{s:{s:s}, s:{s:s, s:s}, s:{s:s}}", "name", "type", "string", "id", "type",
                                   "string", "pattern", "^[a-z0-9_-]{1,64}$", "url", "type", "string");
    if (properties == NULL || !put_settings(properties, true)) {
        json_decref(properties);
        return NULL;
    }
    if (!in_list)
        json_object_del(properties, "name");
    return json_pack("{s:s, s:o, s:b, s:o}", "type", "object", "properties", properties,
                     "additionalProperties", 0, "required",
                     in_list ? json_pack("[s, s]", "name", "url") : json_pack("[s]", "url"));
}

static json_t *schema(void)
{
    json_t *properties = json_object();
    if (properties == NULL || !put_settings(properties, false)) {
        json_decref(properties);
        return NULL;
    }
    json_t *cameras = json_pack("{s:[{s:s, s:o}, {s:s, s:{s:[{s:s}, o]}}]}", "oneOf", "type", "array",
                                "items", camera_schema(true), "type", "object", "additionalProperties",
                                "oneOf", "type", "string", camera_schema(false));
    if (!put(properties, "cameras", cameras)) {
        json_decref(properties);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:b}", "$schema", "https://json-schema.org/draft/2020-12/schema",
                     "title", "weir " WEIR_VERSION " configuration", "type", "object", "properties",
                     properties, "additionalProperties", 0);
}

static int append(const char *bytes, size_t size, void *out)
{
    weir_buf_append(out, bytes, size);
    return 0;
}

int weir_config_print_schema(struct weir_buf *out, struct weir_error *err)
{
    json_t *root = schema();
    bool ok =
        root != NULL && json_dump_callback(root, append, out, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) == 0;
    json_decref(root);
    weir_buf_text(out, "\n");
    return ok && !out->failed ? 0 : weir_error_set(err, -ENOMEM, "no memory");
}
