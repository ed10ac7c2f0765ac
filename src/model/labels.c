/* SPDX-License-Identifier: Apache-2.0 */
#include "model/labels.h"

#include "base/buf.h"
#include "model/known_labels.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 4 << 20, COUNT_MAX = 65536 };

bool weir_labels_set(struct weir_labels *labels, size_t index, const char *name, size_t length)
{
    if (index >= labels->count) {
        char **names = reallocarray(labels->names, index + 1, sizeof *names);
        if (names == NULL)
            return false;
        memset(names + labels->count, 0, (index + 1 - labels->count) * sizeof *names);
        labels->names = names;
        labels->count = index + 1;
    }
    free(labels->names[index]);
    labels->names[index] = strndup(name, length);
    return labels->names[index] != NULL;
}

void weir_labels_fini(struct weir_labels *labels)
{
    for (size_t i = 0; i < labels->count; i++)
        free(labels->names[i]);
    free(labels->names);
    memset(labels, 0, sizeof *labels);
}

static int take_known(struct weir_labels *labels, const struct weir_known_labels *known)
{
    for (size_t i = 0; i < known->count; i++)
        if (!weir_labels_set(labels, i, known->names[i], strlen(known->names[i])))
            return -ENOMEM;
    return 0;
}

int weir_labels_known(struct weir_labels *labels, const char *name)
{
    for (size_t i = 0; i < weir_known_labels_count; i++)
        if (strcmp(weir_known_labels[i].name, name) == 0)
            return take_known(labels, &weir_known_labels[i]);
    return -ENOENT;
}

bool weir_labels_for_count(struct weir_labels *labels, size_t classes)
{
    for (size_t i = 0; i < weir_known_labels_count; i++)
        if (classes > 1 && weir_known_labels[i].count == classes) /* one class could be anything */
            return take_known(labels, &weir_known_labels[i]) == 0;
    return false;
}

/* One line without its end, blanks at both ends cut. */
struct line {
    const char *text;
    size_t length;
};

static bool next_line(const char **at, const char *end, struct line *line)
{
    if (*at >= end)
        return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    if (stop == NULL)
        stop = end;
    line->text = *at;
    line->length = (size_t)(stop - *at);
    *at = stop + 1;
    while (line->length > 0 && isspace((unsigned char)line->text[line->length - 1]))
        line->length--;
    while (line->length > 0 && isspace((unsigned char)*line->text))
        line->text++, line->length--;
    return true;
}

/* "90 toothbrush" or "90: toothbrush": the index, with *name at what follows; -1 when the line is not of this form. */
static long leading_index(const struct line *line, struct line *name)
{
    size_t digits = 0;
    long index = 0;
    while (digits < line->length && digits < 6 && isdigit((unsigned char)line->text[digits]))
        index = index * 10 + (line->text[digits++] - '0');
    size_t at = digits;
    if (at < line->length && (line->text[at] == ':' || line->text[at] == ','))
        at++;
    size_t blanks = at;
    while (blanks < line->length && isspace((unsigned char)line->text[blanks]))
        blanks++;
    if (digits == 0 || blanks == digits || blanks == line->length || index >= COUNT_MAX)
        return -1;
    *name = (struct line){line->text + blanks, line->length - blanks};
    return index;
}

static bool every_line_has_an_index(const char *text, const char *end)
{
    struct line line, name;
    bool any = false;
    while (next_line(&text, end, &line)) {
        if (line.length > 0 && leading_index(&line, &name) < 0)
            return false;
        any = any || line.length > 0;
    }
    return any;
}

static int parse_lines(struct weir_labels *labels, const char *text, const char *end, bool indexed, const char *name,
                       struct weir_error *err)
{
    struct line line, label;
    size_t number = 0, place = 0;
    while (next_line(&text, end, &line)) {
        number++;
        if (number > COUNT_MAX)
            return weir_error_set(err, -EFBIG, "labels %s: expected at most %d lines", name, COUNT_MAX);
        if (line.length == 0 && (indexed || text >= end))
            continue; /* a blank line at the end is no class */
        size_t index = place++;
        label = line;
        if (indexed)
            index = (size_t)leading_index(&line, &label);
        if (label.length > 0 && !weir_labels_set(labels, index, label.text, label.length))
            return weir_error_set(err, -ENOMEM, "no memory for labels");
    }
    return 0;
}

int weir_labels_parse(struct weir_labels *labels, const char *text, size_t size, const char *name, struct weir_error *err)
{
    const char *end = text + size;
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    int code = parse_lines(labels, text, end, every_line_has_an_index(text, end), name, err);
    if (code == 0 && labels->count == 0)
        code = weir_error_set(err, -EINVAL, "labels %s: expected one class name a line, found none", name);
    if (code != 0)
        weir_labels_fini(labels);
    return code;
}

int weir_labels_load(struct weir_labels *labels, const char *path, struct weir_error *err)
{
    struct weir_buf text = {0};
    int code = weir_buf_read_file(&text, path, FILE_MAX);
    if (code != 0)
        weir_error_set(err, code, "labels %s: %s", path, strerror(-code));
    else
        code = weir_labels_parse(labels, text.data != NULL ? text.data : "", text.size, path, err);
    weir_buf_fini(&text);
    return code;
}

/* Cut at a whole UTF-8 character. */
static void copy_cut(char *text, size_t size, const char *name)
{
    size_t length = strlen(name);
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80)
            length--;
    }
    memcpy(text, name, length);
    text[length] = '\0';
}

void weir_labels_copy(const struct weir_labels *labels, int32_t class_index, char *text, size_t size)
{
    if (class_index >= 0 && (size_t)class_index < labels->count && labels->names[class_index] != NULL)
        copy_cut(text, size, labels->names[class_index]);
    else
        (void)snprintf(text, size, "class_%d", (int)class_index);
}
