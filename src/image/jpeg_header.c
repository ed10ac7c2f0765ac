/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the marker segments of ITU-T T.81 (Annex B) without decoding anything. Every length is checked
 * against what is there; nothing is allocated. */
#include "image/jpeg.h"

#include <errno.h>
#include <string.h>

enum marker {
    M_SOF0 = 0xC0,
    M_SOF2 = 0xC2,
    M_DHT = 0xC4,
    M_SOF9 = 0xC9,
    M_SOF10 = 0xCA,
    M_JPG = 0xC8,
    M_DAC = 0xCC,
    M_SOF15 = 0xCF,
    M_RST0 = 0xD0,
    M_RST7 = 0xD7,
    M_SOI = 0xD8,
    M_EOI = 0xD9,
    M_SOS = 0xDA,
    M_APP1 = 0xE1,
    M_TEM = 0x01,
};

struct walk {
    const uint8_t *bytes;
    size_t size, at;
    unsigned tables; /* a bit for each Huffman table seen: class * 4 + number */
};

static unsigned be16(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

static bool is_frame(int marker)
{
    return marker >= M_SOF0 && marker <= M_SOF15 && marker != M_DHT && marker != M_JPG && marker != M_DAC;
}

static bool is_bare(int marker)
{
    return (marker >= M_RST0 && marker <= M_SOI) || marker == M_TEM;
}

/* The next marker; what is not one is skipped (cameras put stray bytes there, decoders skip them too). -1 at
 * the end. Used within headers and, as FF 00 and RSTn are skipped, within scan data. */
static int next_marker(struct walk *walk, bool in_scan)
{
    while (walk->at < walk->size) {
        const uint8_t *ff = memchr(walk->bytes + walk->at, 0xFF, walk->size - walk->at);
        if (ff == NULL)
            break;
        walk->at = (size_t)(ff - walk->bytes) + 1;
        while (walk->at < walk->size && walk->bytes[walk->at] == 0xFF)
            walk->at++;
        if (walk->at == walk->size)
            break;
        int marker = walk->bytes[walk->at++];
        bool restart = marker >= M_RST0 && marker <= M_RST7;
        if (marker != 0 && !(in_scan && restart))
            return marker;
    }
    walk->at = walk->size;
    return -1;
}

static unsigned exif16(const uint8_t *p, bool little)
{
    return little ? (unsigned)p[1] << 8 | p[0] : be16(p);
}

static uint32_t exif32(const uint8_t *p, bool little)
{
    uint32_t first = exif16(p, little), second = exif16(p + 2, little);
    return little ? second << 16 | first : first << 16 | second;
}

/* Orientation from an APP1 body: "Exif\0\0", then a TIFF header and the entries of IFD 0. 0 when there is
 * none. */
static int read_orientation(const uint8_t *body, size_t size)
{
    enum { TAG_ORIENTATION = 0x0112, TYPE_SHORT = 3, ENTRY_BYTES = 12 };
    if (size < 6 + 8 || memcmp(body, "Exif\0\0", 6) != 0)
        return 0;
    const uint8_t *tiff = body + 6;
    size_t tiff_size = size - 6;
    bool little = memcmp(tiff, "II", 2) == 0;
    if ((!little && memcmp(tiff, "MM", 2) != 0) || exif16(tiff + 2, little) != 42)
        return 0;
    uint32_t ifd = exif32(tiff + 4, little);
    if (ifd > tiff_size - 2)
        return 0;
    unsigned entries = exif16(tiff + ifd, little);
    size_t at = (size_t)ifd + 2;
    for (unsigned i = 0; i < entries && tiff_size - at >= ENTRY_BYTES; i++, at += ENTRY_BYTES) {
        const uint8_t *entry = tiff + at;
        if (exif16(entry, little) == TAG_ORIENTATION && exif16(entry + 2, little) == TYPE_SHORT)
            return (int)exif16(entry + 8, little);
    }
    return 0;
}

/* A frame header's body: precision, height, width, components. */
static enum weir_jpeg_code read_frame(int marker, const uint8_t *body, size_t size,
                                      struct weir_jpeg_header *header, struct weir_error *err)
{
    bool known = marker <= M_SOF2 || marker == M_SOF9 || marker == M_SOF10;
    if (size < 6)
        return (void)weir_error_set(err, -EBADMSG, "JPEG frame header of %zu bytes, expected at least 6",
                                    size),
               WEIR_JPEG_INVALID;
    header->height = (int)be16(body + 1);
    header->width = (int)be16(body + 3);
    header->components = body[5];
    header->progressive = marker == M_SOF2 || marker == M_SOF10;
    header->arithmetic = marker == M_SOF9 || marker == M_SOF10;
    if (!known || body[0] != 8)
        return (void)weir_error_set(
                   err, -ENOTSUP,
                   "JPEG of type SOF%d with %d bits a sample; expected baseline, extended, progressive "
                   "or arithmetic with 8 bits",
                   marker - M_SOF0, body[0]),
               WEIR_JPEG_UNSUPPORTED;
    if (header->width == 0 || header->height == 0)
        return (void)weir_error_set(err, -EBADMSG, "JPEG says it is %d x %d pixels: a side is 0",
                                    header->width, header->height),
               WEIR_JPEG_INVALID;
    if (header->components != 1 && header->components != 3 && header->components != 4)
        return (void)weir_error_set(err, -ENOTSUP, "JPEG with %d components, expected 1, 3 or 4",
                                    header->components),
               WEIR_JPEG_UNSUPPORTED;
    return WEIR_JPEG_OK;
}

static enum weir_jpeg_code cut(struct weir_error *err, size_t size)
{
    (void)weir_error_set(err, -EBADMSG, "JPEG ends after %zu bytes, within its headers", size);
    return WEIR_JPEG_TRUNCATED;
}

static enum weir_jpeg_code invalid(struct weir_error *err, const char *what)
{
    (void)weir_error_set(err, -EBADMSG, "not a JPEG that can be decoded: %s", what);
    return WEIR_JPEG_INVALID;
}

/* From the first scan's data to the end of the picture. An EOI that comes twice belongs to it. */
static void find_end(struct walk *walk, struct weir_jpeg_header *header)
{
    int marker;
    while ((marker = next_marker(walk, true)) != -1) {
        if (marker == M_EOI) {
            header->complete = true;
            if (walk->size - walk->at >= 2 && walk->bytes[walk->at] == 0xFF &&
                walk->bytes[walk->at + 1] == M_EOI)
                walk->at += 2;
            break;
        }
        if (marker == M_SOI) {
            walk->at -= 2; /* the next picture begins: this one was cut */
            break;
        }
        if (is_bare(marker))
            continue;
        size_t left = walk->size - walk->at;
        size_t length = left < 2 ? 0 : be16(walk->bytes + walk->at);
        if (length >= 2 && length <= left)
            walk->at += length;
        else
            walk->at = walk->size;
    }
    header->picture_bytes = walk->at;
}

struct segment {
    int marker;
    const uint8_t *body;
    size_t size;
};

/* The next marker segment with a body. */
static enum weir_jpeg_code next_segment(struct walk *walk, struct segment *segment, struct weir_error *err)
{
    int marker;
    do {
        marker = next_marker(walk, false);
    } while (marker != -1 && is_bare(marker));
    if (marker == M_EOI)
        return invalid(err, "it ends before any picture data");
    if (marker == -1 || walk->size - walk->at < 2)
        return cut(err, walk->size);
    size_t length = be16(walk->bytes + walk->at);
    if (length < 2)
        return invalid(err, "a header segment has a length below 2");
    if (length > walk->size - walk->at)
        return cut(err, walk->size);
    *segment = (struct segment){marker, walk->bytes + walk->at + 2, length - 2};
    walk->at += length;
    return WEIR_JPEG_OK;
}

static void note_tables(struct walk *walk, const uint8_t *body, size_t size)
{
    while (size >= 17) {
        size_t values = 0;
        for (int i = 1; i <= 16; i++)
            values += body[i];
        if ((body[0] & 0xEC) == 0)
            walk->tables |= 1u << ((body[0] >> 4) * 4 + (body[0] & 3));
        size_t table = 17 + values;
        if (table > size)
            break;
        body += table;
        size -= table;
    }
}

/* Whether every table that a sequential scan refers to was defined. */
static bool tables_complete(const struct walk *walk, const uint8_t *body, size_t size)
{
    for (size_t i = 0; size > 0 && i < body[0] && 2 + 2 * i < size; i++) {
        uint8_t used = body[2 + 2 * i];
        if ((walk->tables >> (used >> 4 & 3) & 1) == 0 || (walk->tables >> (4 + (used & 3)) & 1) == 0)
            return false;
    }
    return true;
}

static enum weir_jpeg_code take_segment(struct walk *walk, const struct segment *segment,
                                        struct weir_jpeg_header *header, struct weir_error *err)
{
    if ((segment->marker == M_DHT || segment->marker == M_SOS) && header->tables_at == 0)
        header->tables_at = (size_t)(segment->body - walk->bytes) - 4;
    if (segment->marker == M_DHT)
        note_tables(walk, segment->body, segment->size);
    if (segment->marker == M_SOS)
        header->has_huffman_tables =
            header->progressive || header->arithmetic || tables_complete(walk, segment->body, segment->size);
    if (segment->marker == M_APP1) {
        int orientation = read_orientation(segment->body, segment->size);
        if (orientation >= 1 && orientation <= 8 && header->orientation == 1)
            header->orientation = orientation;
    }
    if (!is_frame(segment->marker))
        return WEIR_JPEG_OK;
    if (header->components != 0)
        return invalid(err, "it has two frame headers");
    return read_frame(segment->marker, segment->body, segment->size, header, err);
}

enum weir_jpeg_code weir_jpeg_read_header(const void *bytes, size_t size, struct weir_jpeg_header *header,
                                          struct weir_error *err)
{
    *header = (struct weir_jpeg_header){.orientation = 1};
    struct walk walk = {bytes, size, 2, 0};
    if (size < 2 || walk.bytes[0] != 0xFF || walk.bytes[1] != M_SOI)
        return invalid(err, size == 0 ? "it is empty" : "it does not begin with FF D8");
    struct segment segment = {0};
    while (segment.marker != M_SOS) {
        enum weir_jpeg_code code = next_segment(&walk, &segment, err);
        if (code == WEIR_JPEG_OK)
            code = take_segment(&walk, &segment, header, err);
        if (code != WEIR_JPEG_OK)
            return code;
    }
    if (header->components == 0)
        return invalid(err, "picture data comes before the frame header");
    find_end(&walk, header);
    return WEIR_JPEG_OK;
}
