/* SPDX-License-Identifier: Apache-2.0 */

/* YAML to a config. The whole document is read into libyaml's nodes first: settings apply to cameras that
 * stand before them in the file too, and each node knows its line and column. */

#include "config/config.h"

#include "base/buf.h"
#include "config/config_private.h"
#include "config/expand.h"
#include "config/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { FILE_MAX = 4 << 20, PATH_MAX_TEXT = 160, PROBLEMS_MAX = 20 };

struct reader {
    yaml_document_t document;
    const char *name; /* of the file */
    weir_config_tell *tell;
    void *user;
    struct weir_error *err; /* the first problem */
    int problems;
};

/* "weir.yaml:3:5: cameras[0].polcy: ..." */
static int complain(struct reader *reader, const yaml_node_t *node, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static int complain(struct reader *reader, const yaml_node_t *node, const char *path, const char *format, ...)
{
    char text[560];
    struct weir_error problem;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    weir_error_set(&problem, -EINVAL, "%s:%zu:%zu: %s%s%s", reader->name, node->start_mark.line + 1,
                   node->start_mark.column + 1, path, path[0] != '\0' ? ": " : "", text);
    if (reader->problems++ == 0 && reader->err != NULL)
        *reader->err = problem;
    if (reader->tell != NULL)
        reader->tell(reader->user, problem.text);
    return -EINVAL;
}

/* A problem with one key does not hide those of the others; there is an end to that, and to what can't be
 * mended by the next key. */
static bool goes_on(const struct reader *reader, int code)
{
    return code == 0 || (code == -EINVAL && reader->problems < PROBLEMS_MAX);
}

static const char *kind_name(const yaml_node_t *node)
{
    switch (node->type) {
    case YAML_SCALAR_NODE:
        return "a single value";
    case YAML_SEQUENCE_NODE:
        return "a list";
    case YAML_MAPPING_NODE:
        return "a mapping";
    default:
        return "nothing";
    }
}

/* NULL, and the complaint is made, when it is no text or holds a NUL byte. */
static const char *scalar(struct reader *reader, const yaml_node_t *node, const char *path)
{
    if (node->type != YAML_SCALAR_NODE) {
        complain(reader, node, path, "expected a single value, found %s", kind_name(node));
        return NULL;
    }
    const char *text = (const char *)node->data.scalar.value;
    if (strlen(text) != node->data.scalar.length) {
        complain(reader, node, path, "expected text, found a NUL byte in it");
        return NULL;
    }
    return text;
}

/* A text that the caller frees, with what it takes from the environment. */
static int expanded(struct reader *reader, const yaml_node_t *node, const char *path, char **out)
{
    struct weir_error why = {0};
    const char *text = scalar(reader, node, path);
    *out = NULL;
    if (text == NULL)
        return -EINVAL;
    return weir_text_expand(text, out, &why) == 0 ? 0 : complain(reader, node, path, "%s", why.text);
}

static int read_setting(struct reader *reader, const struct weir_setting *setting, void *base,
                        const yaml_node_t *value, const char *path)
{
    struct weir_error why = {0};
    char *text;
    int code = expanded(reader, value, path, &text);
    if (code != 0)
        return code;
    code = weir_setting_set(setting, base, text, &why);
    free(text);
    return code != 0 ? complain(reader, value, path, "%s", why.text) : 0;
}

static const char *const camera_keys[] = {"name", "id", "url", NULL};

static int unknown_key(struct reader *reader, const yaml_node_t *key, const char *path, bool in_camera)
{
    struct weir_nearest nearest;
    weir_nearest_init(&nearest, (const char *)key->data.scalar.value);
    for (size_t i = 0; in_camera && camera_keys[i] != NULL; i++)
        weir_nearest_offer(&nearest, camera_keys[i]);
    if (!in_camera)
        weir_nearest_offer(&nearest, "cameras");
    weir_setting_offer_all(&nearest, in_camera);
    return complain(reader, key, path, "there is no such setting%s%s%s%s", in_camera ? " of a camera" : "",
                    nearest.found != NULL ? "; did you mean \"" : "",
                    nearest.found != NULL ? nearest.found : "", nearest.found != NULL ? "\"?" : "");
}

static int read_text(struct reader *reader, char **target, const yaml_node_t *value, const char *path)
{
    char *text;
    int code = expanded(reader, value, path, &text);
    if (code != 0)
        return code;
    free(*target);
    *target = text;
    return 0;
}

static int read_camera_key(struct reader *reader, struct weir_camera_config *camera, const yaml_node_t *key,
                           const yaml_node_t *value, const char *path)
{
    const char *name = (const char *)key->data.scalar.value;
    if (strcmp(name, "name") == 0)
        return read_text(reader, &camera->name, value, path);
    if (strcmp(name, "id") == 0)
        return read_text(reader, &camera->id, value, path);
    if (strcmp(name, "url") == 0)
        return read_text(reader, &camera->url, value, path);
    const struct weir_setting *setting = weir_setting_find(name);
    if (setting == NULL)
        return unknown_key(reader, key, path, true);
    if (!setting->per_camera)
        return complain(reader, key, path,
                        "this is a setting of the whole, not of one camera: write it at the top");
    return read_setting(reader, setting, &camera->settings, value, path);
}

/* Each key once, each a text; calls read for each pair. */
typedef int read_pair(struct reader *reader, void *target, const yaml_node_t *key, const yaml_node_t *value,
                      const char *path);

static const yaml_node_t *same_key_before(struct reader *reader, const yaml_node_pair_t *first,
                                          const yaml_node_pair_t *pair, const char *name)
{
    for (; first < pair; first++) {
        const yaml_node_t *other = yaml_document_get_node(&reader->document, first->key);
        if (other->type == YAML_SCALAR_NODE && strcmp((const char *)other->data.scalar.value, name) == 0)
            return other;
    }
    return NULL;
}

static int read_mapping(struct reader *reader, const yaml_node_t *mapping, const char *path, read_pair *read,
                        void *target)
{
    const yaml_node_pair_t *first = mapping->data.mapping.pairs.start, *end = mapping->data.mapping.pairs.top;
    int result = 0;
    for (const yaml_node_pair_t *pair = first; pair < end && goes_on(reader, result); pair++) {
        const yaml_node_t *key = yaml_document_get_node(&reader->document, pair->key);
        char key_path[PATH_MAX_TEXT];
        const char *name = scalar(reader, key, path);
        int code = -EINVAL;
        if (name != NULL) {
            (void)snprintf(key_path, sizeof key_path, "%s%s%.60s", path, path[0] != '\0' ? "." : "", name);
            const yaml_node_t *other = same_key_before(reader, first, pair, name);
            code = other != NULL
                       ? complain(reader, key, key_path, "this key stands here twice, first in line %zu",
                                  other->start_mark.line + 1)
                       : read(reader, target, key, yaml_document_get_node(&reader->document, pair->value),
                              key_path);
        }
        result = code != 0 ? code : result;
    }
    return result;
}

static int read_camera_pair(struct reader *reader, void *target, const yaml_node_t *key,
                            const yaml_node_t *value, const char *path)
{
    return read_camera_key(reader, target, key, value, path);
}

/* name: the key in the mapping form; NULL in the list form, where it is a key of the camera's own. */
static int read_camera(struct reader *reader, struct weir_config *config, const char *name,
                       const yaml_node_t *node, const char *path)
{
    struct weir_camera_config *camera;
    struct weir_error why = {0};
    bool is_url = name != NULL && node->type == YAML_SCALAR_NODE;
    if (!is_url && node->type != YAML_MAPPING_NODE)
        return complain(reader, node, path, "expected %s, found %s",
                        name != NULL ? "an address, or a mapping with url" : "a mapping with name and url",
                        kind_name(node));
    int code = weir_config_new_camera(config, &camera, reader->err);
    if (code == 0 && name != NULL && (camera->name = strdup(name)) == NULL)
        code = weir_error_set(reader->err, -ENOMEM, "no memory for %s", reader->name);
    if (code == 0)
        code = is_url ? read_text(reader, &camera->url, node, path)
                      : read_mapping(reader, node, path, read_camera_pair, camera);
    if (code == 0 && weir_config_finish_camera(camera, &why) != 0)
        code = complain(reader, node, path, "%s", why.text);
    return code;
}

static int read_named_camera(struct reader *reader, void *config, const yaml_node_t *key,
                             const yaml_node_t *value, const char *path)
{
    return read_camera(reader, config, (const char *)key->data.scalar.value, value, path);
}

static int read_camera_list(struct reader *reader, struct weir_config *config, const yaml_node_t *list)
{
    const yaml_node_item_t *first = list->data.sequence.items.start, *end = list->data.sequence.items.top;
    char path[40];
    int result = 0;
    for (const yaml_node_item_t *item = first; item < end && goes_on(reader, result); item++) {
        (void)snprintf(path, sizeof path, "cameras[%td]", item - first);
        int code = read_camera(reader, config, NULL, yaml_document_get_node(&reader->document, *item), path);
        result = code != 0 ? code : result;
    }
    return result;
}

static int read_cameras(struct reader *reader, struct weir_config *config, const yaml_node_t *cameras)
{
    if (cameras->type == YAML_SCALAR_NODE && cameras->data.scalar.length == 0)
        return 0; /* "cameras:" with nothing after it */
    if (cameras->type == YAML_MAPPING_NODE)
        return read_mapping(reader, cameras, "cameras", read_named_camera, config);
    if (cameras->type == YAML_SEQUENCE_NODE)
        return read_camera_list(reader, config, cameras);
    return complain(reader, cameras, "cameras",
                    "expected a list of cameras, or a mapping of name: address, found %s",
                    kind_name(cameras));
}

struct top {
    struct weir_config *config;
    const yaml_node_t *cameras;
};

static int read_top_pair(struct reader *reader, void *target, const yaml_node_t *key,
                         const yaml_node_t *value, const char *path)
{
    struct top *top = target;
    const char *name = (const char *)key->data.scalar.value;
    if (strcmp(name, "cameras") == 0) {
        top->cameras = value;
        return 0;
    }
    const struct weir_setting *setting = weir_setting_find(name);
    if (setting == NULL)
        return unknown_key(reader, key, path, false);
    void *base = setting->per_camera ? (void *)&top->config->defaults : (void *)top->config;
    return read_setting(reader, setting, base, value, path);
}

static int read_document(struct reader *reader, struct weir_config *config)
{
    struct top top = {config, NULL};
    const yaml_node_t *root = yaml_document_get_root_node(&reader->document);
    if (root == NULL)
        return 0; /* an empty file: every default */
    if (root->type != YAML_MAPPING_NODE)
        return complain(reader, root, "", "expected settings such as \"workers: 2\", found %s",
                        kind_name(root));
    int code = read_mapping(reader, root, "", read_top_pair, &top);
    if (top.cameras == NULL || !goes_on(reader, code))
        return code;
    int cameras_code = read_cameras(reader, config, top.cameras);
    return cameras_code != 0 ? cameras_code : code;
}

static int refuse_yaml(struct reader *reader, const yaml_parser_t *parser)
{
    weir_error_set(reader->err, -EINVAL, "%s:%zu:%zu: not valid YAML: %s%s%s", reader->name,
                   parser->problem_mark.line + 1, parser->problem_mark.column + 1,
                   parser->problem != NULL ? parser->problem : "unreadable",
                   parser->context != NULL ? " " : "", parser->context != NULL ? parser->context : "");
    if (reader->tell != NULL)
        reader->tell(reader->user, reader->err->text);
    return -EINVAL;
}

int weir_config_parse(struct weir_config *config, const char *text, size_t size, const char *name,
                      weir_config_tell *tell, void *user, struct weir_error *err)
{
    struct weir_error unasked = {0};
    struct reader reader = {.name = name, .tell = tell, .user = user, .err = err != NULL ? err : &unasked};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return weir_error_set(err, -ENOMEM, "no memory for %s", name);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    int code;
    if (yaml_parser_load(&parser, &reader.document)) {
        code = read_document(&reader, config);
        yaml_document_delete(&reader.document);
    } else {
        code = refuse_yaml(&reader, &parser);
    }
    yaml_parser_delete(&parser);
    return code;
}

int weir_config_load(struct weir_config *config, const char *path, weir_config_tell *tell, void *user,
                     struct weir_error *err)
{
    struct weir_buf text = {0};
    int code = weir_buf_read_file(&text, path, FILE_MAX);
    if (code != 0)
        weir_error_set(err, code, "can't read the configuration %s: %s", path, strerror(-code));
    else
        code =
            weir_config_parse(config, text.data != NULL ? text.data : "", text.size, path, tell, user, err);
    weir_buf_fini(&text);
    return code;
}
