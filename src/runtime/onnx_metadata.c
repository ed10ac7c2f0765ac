/* SPDX-License-Identifier: Apache-2.0 */

/* Protobuf as far as needed here: a field is a varint tag (number << 3 | wire type) and its content; of ModelProto field 14,
 * metadata_props, repeated StringStringEntryProto {1: key, 2: value}. Source: onnx.proto and the protobuf encoding guide. */

#include "runtime/onnx_metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES, WIRE_FIXED32 = 5 };
enum { FIELD_METADATA = 14, FIELD_KEY = 1, FIELD_VALUE = 2, ENTRY_MAX = 4 << 20, VARINT_BYTES_MAX = 10 };

static bool file_varint(FILE *file, uint64_t *value)
{
    *value = 0;
    for (int i = 0; i < VARINT_BYTES_MAX; i++) {
        int c = fgetc(file);
        if (c == EOF)
            return false;
        *value |= (uint64_t)(c & 0x7F) << (7 * i);
        if ((c & 0x80) == 0)
            return true;
    }
    return false;
}

/* Bytes in memory, eaten from the front. */
struct span {
    const unsigned char *at, *end;
};

static bool span_varint(struct span *span, uint64_t *value)
{
    *value = 0;
    for (int i = 0; i < VARINT_BYTES_MAX && span->at < span->end; i++) {
        unsigned char c = *span->at++;
        *value |= (uint64_t)(c & 0x7F) << (7 * i);
        if ((c & 0x80) == 0)
            return true;
    }
    return false;
}

/* Both fields are bytes; anything else is not what this message has. */
static bool read_entry(struct span span, struct weir_metadata *entry)
{
    uint64_t tag, length;
    while (span.at < span.end) {
        if (!span_varint(&span, &tag) || (tag & 7) != WIRE_BYTES || !span_varint(&span, &length) ||
            length > (uint64_t)(span.end - span.at))
            return false;
        char **text = tag >> 3 == FIELD_KEY ? &entry->key : tag >> 3 == FIELD_VALUE ? &entry->value : NULL;
        if (text != NULL) {
            free(*text);
            *text = strndup((const char *)span.at, (size_t)length);
        }
        span.at += length;
    }
    return entry->key != NULL && entry->value != NULL;
}

static bool take_entry(FILE *file, size_t length, struct weir_session_info *info)
{
    unsigned char *bytes = malloc(length + 1);
    struct weir_metadata entry = {0};
    bool read = bytes != NULL && fread(bytes, 1, length, file) == length;
    if (read && read_entry((struct span){bytes, bytes + length}, &entry)) {
        info->metadata[info->metadata_count++] = entry;
    } else {
        free(entry.key);
        free(entry.value);
    }
    free(bytes);
    return read;
}

/* One field of the file's outermost message; false at the end or where it makes no sense. */
static bool take_field(FILE *file, off_t size, struct weir_session_info *info)
{
    uint64_t tag, length;
    if (!file_varint(file, &tag))
        return false;
    switch (tag & 7) {
    case WIRE_VARINT: return file_varint(file, &length);
    case WIRE_FIXED64: return fseeko(file, 8, SEEK_CUR) == 0;
    case WIRE_FIXED32: return fseeko(file, 4, SEEK_CUR) == 0;
    case WIRE_BYTES: break;
    default: return false;
    }
    off_t at;
    if (!file_varint(file, &length) || (at = ftello(file)) < 0 || at > size || length > (uint64_t)(size - at))
        return false;
    if (tag >> 3 == FIELD_METADATA && length <= ENTRY_MAX && info->metadata_count < WEIR_ONNX_METADATA_MAX)
        return take_entry(file, (size_t)length, info);
    return fseeko(file, (off_t)length, SEEK_CUR) == 0;
}

void weir_onnx_metadata_read(const char *path, struct weir_session_info *info)
{
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return;
    info->metadata = calloc(WEIR_ONNX_METADATA_MAX, sizeof *info->metadata);
    off_t size = fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : 0;
    if (info->metadata != NULL && size > 0 && fseeko(file, 0, SEEK_SET) == 0)
        while (take_field(file, size, info))
            continue;
    (void)fclose(file);
}
