/* SPDX-License-Identifier: Apache-2.0 */
#include "config/camera_id.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_SIZE = 9 }; /* "-" and 8 hex digits */

/* Length of the well-formed sequence at text (Unicode, table 3-7), or 0. */
static int sequence_size(const unsigned char *text)
{
    static const struct {
        unsigned char first_least, first_most, second_least, second_most, size;
    } rows[] = {
        {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
        {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
        {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    if (text[0] < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (text[0] < rows[i].first_least || text[0] > rows[i].first_most || text[1] < rows[i].second_least ||
            text[1] > rows[i].second_most)
            continue;
        for (int k = 2; k < rows[i].size; k++)
            if ((text[k] & 0xC0) != 0x80)
                return 0;
        return rows[i].size;
    }
    return 0;
}

bool weir_text_is_utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0') {
        int size = sequence_size(at);
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

static bool is_id_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool weir_camera_id_is_valid(const char *id)
{
    size_t size = strlen(id);
    for (size_t i = 0; i < size; i++)
        if (!is_id_byte(id[i]))
            return false;
    return size > 0 && size <= WEIR_CAMERA_ID_MAX;
}

/* FNV-1a, 32 bits. */
static uint32_t hash(const char *text)
{
    uint32_t value = 2166136261u;
    for (; *text != '\0'; text++)
        value = (value ^ (unsigned char)*text) * 16777619u;
    return value;
}

/* ASCII part of the name; true when something of it was lost that a dash does not stand for. */
static bool simplify(const char *name, char *id, size_t room)
{
    size_t size = 0;
    bool lossy = false;
    for (; *name != '\0'; name++) {
        char c = *name >= 'A' && *name <= 'Z' ? (char)(*name + ('a' - 'A')) : *name;
        lossy |= (unsigned char)c >= 0x80 || size == room;
        if (size == room)
            break;
        if (is_id_byte(c))
            id[size++] = c;
        else if (size > 0 && id[size - 1] != '-')
            id[size++] = '-';
    }
    while (size > 0 && id[size - 1] == '-')
        size--;
    id[size] = '\0';
    return lossy || size == 0;
}

char *weir_camera_id_derive(const char *name)
{
    char *id = malloc(WEIR_CAMERA_ID_MAX + 1);
    if (id == NULL)
        return NULL;
    if (simplify(name, id, WEIR_CAMERA_ID_MAX - HASH_SIZE)) {
        if (id[0] == '\0')
            strcpy(id, "camera");
        (void)snprintf(id + strlen(id), HASH_SIZE + 1, "-%08x", hash(name));
    }
    return id;
}
