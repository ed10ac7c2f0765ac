/* SPDX-License-Identifier: Apache-2.0 */
#include "source/jpeg_end.h"

#include <stdbool.h>
#include <string.h>

enum { SOI = 0xD8, EOI = 0xD9, SOS = 0xDA, TEM = 0x01, RST0 = 0xD0, RST7 = 0xD7 };

static bool stands_alone(uint8_t marker)
{
    return marker == TEM || marker == SOI || (marker >= RST0 && marker <= RST7);
}

/* To the next marker that is no restart; false when it has not arrived. */
static bool leave_scan(struct weir_jpeg_end *end, const uint8_t *bytes, size_t size)
{
    while (end->at < size) {
        const uint8_t *ff = memchr(bytes + end->at, 0xFF, size - end->at);
        if (ff == NULL) {
            end->at = size;
            return false;
        }
        end->at = (size_t)(ff - bytes);
        if (end->at + 1 >= size)
            return false;
        uint8_t next = bytes[end->at + 1];
        if (next != 0 && next != 0xFF && !(next >= RST0 && next <= RST7)) {
            end->in_scan = 0;
            return true;
        }
        end->at += next == 0xFF ? 1 : 2;
    }
    return false;
}

enum weir_jpeg_end_code weir_jpeg_end_find(struct weir_jpeg_end *end, const uint8_t *bytes, size_t size)
{
    while (!end->broken) {
        if (end->in_scan && !leave_scan(end, bytes, size))
            return WEIR_JPEG_END_MORE;
        if (size < 2 || end->at > size - 2)
            return WEIR_JPEG_END_MORE;
        uint8_t marker = bytes[end->at + 1];
        if (bytes[end->at] != 0xFF || marker == 0 || (end->at == 0) != (marker == SOI)) {
            end->broken = 1;
        } else if (marker == 0xFF) {
            end->at++; /* fill bytes before a marker are allowed */
        } else if (marker == EOI) {
            end->at += 2;
            return WEIR_JPEG_END_FOUND;
        } else if (stands_alone(marker)) {
            end->at += 2;
        } else {
            if (size - end->at < 4)
                return WEIR_JPEG_END_MORE;
            size_t length = (size_t)bytes[end->at + 2] << 8 | bytes[end->at + 3];
            end->at += 2 + length;
            end->in_scan = marker == SOS;
            end->broken = length < 2;
        }
    }
    return WEIR_JPEG_END_BROKEN;
}
