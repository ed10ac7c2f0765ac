/* SPDX-License-Identifier: Apache-2.0 */
#include "image/jpeg_setup.h"

#include <errno.h>
#include <string.h>

enum { TABLE_BYTES_MAX = 1 + 16 + 256, SEGMENT_BYTES_MAX = 4 + 4 * TABLE_BYTES_MAX };

static size_t put_table(uint8_t *to, uint8_t class_and_number, const JHUFF_TBL *table)
{
    size_t values = 0;
    to[0] = class_and_number;
    for (int i = 1; i <= 16; i++) {
        to[i] = table->bits[i];
        values += table->bits[i];
    }
    memcpy(to + 17, table->huffval, values);
    return 17 + values;
}

/* A DHT segment with the four tables of T.81, K.3.3, which libjpeg gives to every new compressor. Its size.
 */
static size_t standard_tables(uint8_t segment[SEGMENT_BYTES_MAX])
{
    struct jpeg_compress_struct cinfo;
    struct jpeg_error_mgr errors;
    cinfo.err = jpeg_std_error(&errors); /* nothing below can fail but for want of a few hundred bytes */
    jpeg_create_compress(&cinfo);
    cinfo.in_color_space = JCS_YCbCr;
    cinfo.input_components = 3;
    jpeg_set_defaults(&cinfo);
    size_t size = 4;
    for (int number = 0; number < 2; number++) {
        size += put_table(segment + size, (uint8_t)number, cinfo.dc_huff_tbl_ptrs[number]);
        size += put_table(segment + size, (uint8_t)(0x10 + number), cinfo.ac_huff_tbl_ptrs[number]);
    }
    jpeg_destroy_compress(&cinfo);
    segment[0] = 0xFF;
    segment[1] = 0xC4;
    segment[2] = (uint8_t)((size - 2) >> 8);
    segment[3] = (uint8_t)(size - 2);
    return size;
}

int weir_jpeg_add_huffman_tables(struct weir_block **out, struct weir_block_pool *pool,
                                 struct weir_block *jpeg, struct weir_error *err)
{
    struct weir_jpeg_header header;
    *out = NULL;
    if (weir_jpeg_read_header(jpeg->data, jpeg->size, &header, err) != WEIR_JPEG_OK)
        return -EBADMSG;
    if (header.has_huffman_tables) {
        *out = weir_block_ref(jpeg);
        return 0;
    }
    /* Before the camera's own tables, when it left out only some: the later definition counts. */
    uint8_t tables[SEGMENT_BYTES_MAX];
    size_t size = standard_tables(tables);
    *out = weir_block_get(pool, jpeg->size + size);
    if (*out == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a JPEG of %zu bytes", jpeg->size + size);
    uint8_t *to = (*out)->data;
    memcpy(to, jpeg->data, header.tables_at);
    memcpy(to + header.tables_at, tables, size);
    memcpy(to + header.tables_at + size, jpeg->data + header.tables_at, jpeg->size - header.tables_at);
    (*out)->size = jpeg->size + size;
    return 0;
}
