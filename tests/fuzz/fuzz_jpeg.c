/* SPDX-License-Identifier: Apache-2.0 */
/* Header scan and decoding of anything. The first byte chooses the options, the rest is the file. */
#include "image/jpeg.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void touch(const struct weir_image *image)
{
    volatile uint8_t sum = 0;
    assert(image->width >= 1 && image->height >= 1);
    for (int y = 0; y < image->height; y++)
        sum =
            (uint8_t)(sum + image->plane[0][(size_t)y * (size_t)image->stride[0] + (size_t)image->width - 1]);
}

static void check_header(const uint8_t *file, size_t size)
{
    struct weir_jpeg_header header;
    struct weir_error err = {0};
    if (weir_jpeg_read_header(file, size, &header, &err) == WEIR_JPEG_OK) {
        assert(header.picture_bytes <= size && header.width > 0 && header.height > 0);
        assert(header.orientation >= 1 && header.orientation <= 8);
    } else {
        assert(err.text[0] != '\0' && err.code < 0);
    }
}

/* What gets the standard tables has them afterwards. */
static void check_tables(struct weir_block_pool *pool, const uint8_t *file, size_t size)
{
    struct weir_block *jpeg = weir_block_get(pool, size + 1), *out;
    if (jpeg == NULL)
        abort();
    memcpy(jpeg->data, file, size);
    jpeg->size = size;
    struct weir_jpeg_header header;
    if (weir_jpeg_add_huffman_tables(&out, pool, jpeg, NULL) == 0) {
        assert(weir_jpeg_read_header(out->data, out->size, &header, NULL) == WEIR_JPEG_OK);
        assert(out->size >= size);
    }
    weir_block_unref(&out);
    weir_block_unref(&jpeg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct weir_block_pool *pool;
    if (size < 1)
        return 0;
    if (pool == NULL && (pool = weir_block_pool_new((size_t)4 << 20)) == NULL)
        abort();
    struct weir_jpeg_params params = {
        .max_pixels = 1 << 20,
        .accept_truncated = (data[0] & 1) != 0,
        .apply_orientation = (data[0] & 2) != 0,
        .min_width = (data[0] & 4) != 0 ? 16 : 0,
    };
    check_header(data + 1, size - 1);
    check_tables(pool, data + 1, size - 1);
    struct weir_jpeg_decoder *decoder;
    if (weir_jpeg_decoder_new(&decoder, pool) < 0)
        abort();
    struct weir_image *image;
    enum weir_jpeg_code code = weir_jpeg_decode(decoder, data + 1, size - 1, &params, &image, NULL);
    assert((code == WEIR_JPEG_OK) == (image != NULL));
    if (image != NULL)
        touch(image);
    weir_image_unref(&image);
    weir_jpeg_decoder_free(&decoder);
    return 0;
}
