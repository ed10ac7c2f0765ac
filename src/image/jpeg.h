/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_IMAGE_JPEG_H
#define WEIR_IMAGE_JPEG_H

/* JPEG in and out, over libjpeg-turbo. Decoding gives YUV planes as they are in the file (GRAY, I420,
 * I422, I444; other subsamplings and RGB or CMYK files come out as I444 or RGB), never a partly grey
 * picture: what is incomplete is refused unless accept_truncated is set.
 *
 * Thread-safety: a decoder belongs to one thread. */

#include "image/image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the headers say, found without decoding and without trusting them. */
struct weir_jpeg_header {
    int width, height, components;
    int orientation; /* EXIF, 1 to 8; 1 when absent or bad */
    bool progressive, arithmetic;
    bool has_huffman_tables; /* false: the standard ones are implied; decoders know them, browsers need not */
    size_t tables_at;        /* where tables may be put: before the first DHT, else before the first scan */
    size_t
        picture_bytes; /* from SOI to the end of the last EOI, or to the end of the data when there is none */
    bool complete;     /* an EOI was found */
};

enum weir_jpeg_code {
    WEIR_JPEG_OK,
    WEIR_JPEG_TRUNCATED,
    WEIR_JPEG_INVALID,
    WEIR_JPEG_UNSUPPORTED,
    WEIR_JPEG_TOO_LARGE,
    WEIR_JPEG_NO_MEMORY,
};

struct weir_jpeg_params {
    int64_t max_pixels;     /* default 64 Mi; a header over it is refused before anything is allocated */
    bool accept_truncated;  /* default false */
    bool apply_orientation; /* default true: the picture and its boxes are as a viewer shows them */
    int min_width,
        min_height; /* > 0: may decode at 1/2, 1/4 or 1/8 while both sides stay at least this; 0: full size */
};
#define WEIR_JPEG_PARAMS_DEFAULT                                                                             \
    {                                                                                                        \
        .max_pixels = 64LL << 20, .apply_orientation = true                                                  \
    }

struct weir_jpeg_decoder;

int weir_jpeg_decoder_new(struct weir_jpeg_decoder **out, struct weir_block_pool *pool);
void weir_jpeg_decoder_free(struct weir_jpeg_decoder **decoder);

/* On OK *image holds a new reference, else NULL and err says what is wrong. */
enum weir_jpeg_code weir_jpeg_decode(struct weir_jpeg_decoder *decoder, const void *bytes, size_t size,
                                     const struct weir_jpeg_params *params, struct weir_image **image,
                                     struct weir_error *err);

enum weir_jpeg_code weir_jpeg_read_header(const void *bytes, size_t size, struct weir_jpeg_header *header,
                                          struct weir_error *err);

/* What is passed on to other programs must say what a camera left out (motion JPEG often has no Huffman
 * tables): *out is a new reference, to `jpeg` itself when nothing is missing, else to a new block from the
 * pool with the standard tables put in. -EBADMSG or -ENOMEM with a sentence. */
int weir_jpeg_add_huffman_tables(struct weir_block **out, struct weir_block_pool *pool,
                                 struct weir_block *jpeg, struct weir_error *err);

/* Any format to a JPEG (4:2:0) in a new block from the pool. quality 1 to 100. 0 or negative errno. */
int weir_jpeg_encode(struct weir_block **out, struct weir_block_pool *pool, const struct weir_image *image,
                     int quality, struct weir_error *err);
/* The same with a restart marker after each row of MCUs (16 pixels): rows of pictures of one width and
 * quality can then be exchanged without encoding them anew. */
int weir_jpeg_encode_in_rows(struct weir_block **out, struct weir_block_pool *pool,
                             const struct weir_image *image, int quality, struct weir_error *err);

#endif
