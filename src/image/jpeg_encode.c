/* SPDX-License-Identifier: Apache-2.0 */
#include "image/color.h"
#include "image/jpeg_setup.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>

enum { FIRST_BYTES = 16384, UNIT_ROWS = 2 * DCTSIZE };

/* What is handed to libjpeg: planes when the picture is YUV as JPEG wants it, else rows of packed pixels. */
struct encoder {
    struct jpeg_compress_struct cinfo;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    jmp_buf failed;
    struct weir_block *out;
    const struct weir_image *image;
    uint8_t *rows;    /* work space: UNIT_ROWS padded rows of each plane, or rows of pixels */
    int restart_rows; /* MCU rows between restart markers; 0: none */
    int code;
    char message[JMSG_LENGTH_MAX];
};

static void on_error(j_common_ptr cinfo)
{
    struct encoder *encoder = cinfo->client_data;
    cinfo->err->format_message(cinfo, encoder->message);
    encoder->code = weir_jpeg_code_of(cinfo->err->msg_code) == WEIR_JPEG_NO_MEMORY ? -ENOMEM : -EINVAL;
    longjmp(encoder->failed, 1);
}

static void on_message(j_common_ptr cinfo)
{
    (void)cinfo;
}

static void point_at_room(struct encoder *encoder)
{
    struct weir_block *out = encoder->out;
    encoder->destination.next_output_byte = out->data + out->size;
    encoder->destination.free_in_buffer = out->capacity - out->size;
}

static void destination_start(j_compress_ptr cinfo)
{
    point_at_room(cinfo->client_data);
}

static boolean destination_full(j_compress_ptr cinfo)
{
    struct encoder *encoder = cinfo->client_data;
    encoder->out->size = encoder->out->capacity;
    if (weir_block_grow(&encoder->out, encoder->out->capacity * 2) < 0)
        ERREXIT1(cinfo, JERR_OUT_OF_MEMORY, 0);
    point_at_room(encoder);
    return TRUE;
}

static void destination_end(j_compress_ptr cinfo)
{
    struct encoder *encoder = cinfo->client_data;
    encoder->out->size = encoder->out->capacity - encoder->destination.free_in_buffer;
}

static bool is_yuv(enum weir_pixel_format format)
{
    return format != WEIR_PIXEL_GRAY && format != WEIR_PIXEL_RGB && format != WEIR_PIXEL_BGR;
}

static J_COLOR_SPACE color_space_of(const struct weir_image *image)
{
    if (image->format == WEIR_PIXEL_GRAY)
        return JCS_GRAYSCALE;
    if (image->format == WEIR_PIXEL_BGR)
        return JCS_EXT_BGR;
    bool as_jpeg = image->range == WEIR_RANGE_FULL && image->matrix == WEIR_MATRIX_BT601;
    return is_yuv(image->format) && as_jpeg ? JCS_YCbCr : JCS_RGB;
}

static void begin(struct encoder *encoder, int quality)
{
    struct jpeg_compress_struct *cinfo = &encoder->cinfo;
    const struct weir_image *image = encoder->image;
    jpeg_create_compress(cinfo);
    encoder->destination = (struct jpeg_destination_mgr){
        .init_destination = destination_start,
        .empty_output_buffer = destination_full,
        .term_destination = destination_end,
    };
    cinfo->dest = &encoder->destination;
    cinfo->image_width = (JDIMENSION)image->width;
    cinfo->image_height = (JDIMENSION)image->height;
    cinfo->input_components = image->format == WEIR_PIXEL_GRAY ? 1 : 3;
    cinfo->in_color_space = color_space_of(image);
    jpeg_set_defaults(cinfo); /* three components: 4:2:0 */
    jpeg_set_quality(cinfo, quality, TRUE);
    cinfo->restart_in_rows = encoder->restart_rows;
    cinfo->raw_data_in = cinfo->in_color_space == JCS_YCbCr;
    jpeg_start_compress(cinfo, TRUE);
}

static const uint8_t *chroma_at(const struct weir_image *image, int plane, int row, int *step)
{
    bool interleaved = image->format == WEIR_PIXEL_NV12;
    int p = interleaved ? 1 : plane;
    *step = interleaved ? 2 : 1;
    return image->plane[p] + (size_t)row * (size_t)image->stride[p] + (interleaved ? plane - 1 : 0);
}

/* Row y of the half-size chroma, each sample the mean of those it stands for. */
static void chroma_row(const struct weir_image *image, int plane, int y, uint8_t *to, int n)
{
    bool full_x = image->format == WEIR_PIXEL_I444, full_y = full_x || image->format == WEIR_PIXEL_I422;
    int step, upper_row = full_y ? 2 * y : y,
              lower_row = full_y && upper_row + 1 < image->height ? upper_row + 1 : upper_row;
    const uint8_t *upper = chroma_at(image, plane, upper_row, &step),
                  *lower = chroma_at(image, plane, lower_row, &step);
    for (int x = 0; x < n; x++) {
        int left = full_x ? 2 * x : x, right = full_x && left + 1 < image->width ? left + 1 : left;
        to[x] = (uint8_t)((upper[left * step] + upper[right * step] + lower[left * step] +
                           lower[right * step] + 2) /
                          4);
    }
}

static void pad_row(uint8_t *row, int from, int to)
{
    memset(row + from, row[from - 1], (size_t)(to - from));
}

/* One row of MCUs at a time goes through the work space: libjpeg reads whole blocks, and a picture's rows end
 * before the last block does. */
static void write_planes(struct encoder *encoder)
{
    struct jpeg_compress_struct *cinfo = &encoder->cinfo;
    const struct weir_image *image = encoder->image;
    int luma_bytes = (image->width + 15) / 16 * 16, chroma_bytes = luma_bytes / 2;
    int half_width = (image->width + 1) / 2, half_height = (image->height + 1) / 2;
    JSAMPROW rows[3][UNIT_ROWS];
    JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
    uint8_t *at = encoder->rows;
    for (int r = 0; r < UNIT_ROWS; r++, at += luma_bytes)
        rows[0][r] = at;
    for (int p = 1; p < 3; p++)
        for (int r = 0; r < DCTSIZE; r++, at += chroma_bytes)
            rows[p][r] = at;
    while (cinfo->next_scanline < cinfo->image_height) {
        int top = (int)cinfo->next_scanline;
        for (int r = 0; r < UNIT_ROWS; r++) {
            int y = top + r < image->height ? top + r : image->height - 1;
            memcpy(rows[0][r], image->plane[0] + (size_t)y * (size_t)image->stride[0], (size_t)image->width);
            pad_row(rows[0][r], image->width, luma_bytes);
        }
        for (int p = 1; p < 3; p++) {
            for (int r = 0; r < DCTSIZE; r++) {
                int y = top / 2 + r < half_height ? top / 2 + r : half_height - 1;
                chroma_row(image, p, y, rows[p][r], half_width);
                pad_row(rows[p][r], half_width, chroma_bytes);
            }
        }
        (void)jpeg_write_raw_data(cinfo, planes, UNIT_ROWS);
    }
}

/* YUV that is not as JPEG wants it (limited range, BT.709) goes through RGB. */
static void rgb_row(const struct weir_image *image, int y, uint8_t *work, uint8_t *rgb)
{
    bool full_x = image->format == WEIR_PIXEL_I444, full_y = full_x || image->format == WEIR_PIXEL_I422;
    uint8_t *chroma[2] = {work, work + image->width};
    for (int p = 1; p < 3; p++) {
        int step;
        const uint8_t *from = chroma_at(image, p, full_y ? y : y / 2, &step);
        for (int x = 0; x < image->width; x++)
            chroma[p - 1][x] = from[(full_x ? x : x / 2) * step];
    }
    uint8_t *component[3];
    for (int c = 0; c < 3; c++)
        component[c] = work + (c + 2) * image->width;
    weir_color_row_to_rgb(image->range, image->matrix, image->plane[0] + (size_t)y * (size_t)image->stride[0],
                          chroma[0], chroma[1], component[0], component[1], component[2], image->width);
    for (int x = 0; x < image->width; x++)
        for (int c = 0; c < 3; c++)
            rgb[3 * x + c] = component[c][x];
}

static void write_pixels(struct encoder *encoder)
{
    struct jpeg_compress_struct *cinfo = &encoder->cinfo;
    const struct weir_image *image = encoder->image;
    while (cinfo->next_scanline < cinfo->image_height) {
        int y = (int)cinfo->next_scanline;
        JSAMPROW row = image->plane[0] + (size_t)y * (size_t)image->stride[0];
        if (is_yuv(image->format)) {
            row = encoder->rows + 5 * (size_t)image->width;
            rgb_row(image, y, encoder->rows, row);
        }
        (void)jpeg_write_scanlines(cinfo, &row, 1);
    }
}

static void encode_guarded(struct encoder *encoder, int quality)
{
    encoder->cinfo.err = jpeg_std_error(&encoder->errors);
    encoder->errors.error_exit = on_error;
    encoder->errors.output_message = on_message;
    encoder->cinfo.client_data = encoder;
    if (setjmp(encoder->failed) == 0) {
        begin(encoder, quality);
        if (encoder->cinfo.raw_data_in)
            write_planes(encoder);
        else
            write_pixels(encoder);
        jpeg_finish_compress(&encoder->cinfo);
    }
    jpeg_destroy_compress(&encoder->cinfo);
}

static int encode(struct weir_block **out, struct weir_block_pool *pool, const struct weir_image *image,
                  int quality, int restart_rows, struct weir_error *err)
{
    *out = NULL;
    struct encoder *encoder = calloc(1, sizeof *encoder);
    size_t padded = ((size_t)image->width + 15) / 16 * 16;
    uint8_t *rows = malloc(padded * UNIT_ROWS * 2);
    struct weir_block *block = weir_block_get(pool, FIRST_BYTES);
    int code = -ENOMEM;
    if (encoder != NULL && rows != NULL && block != NULL) {
        encoder->image = image;
        encoder->restart_rows = restart_rows;
        encoder->rows = rows;
        encoder->out = block;
        encode_guarded(encoder, quality);
        block = encoder->out;
        code = encoder->code;
    }
    if (code < 0) {
        (void)weir_error_set(err, code, "a picture of %d x %d pixels can't be encoded as JPEG: %s",
                             image->width, image->height,
                             code == -ENOMEM ? "out of memory" : encoder->message);
        weir_block_unref(&block);
    }
    *out = block;
    free(rows);
    free(encoder);
    return code;
}

int weir_jpeg_encode(struct weir_block **out, struct weir_block_pool *pool, const struct weir_image *image,
                     int quality, struct weir_error *err)
{
    return encode(out, pool, image, quality, 0, err);
}

int weir_jpeg_encode_in_rows(struct weir_block **out, struct weir_block_pool *pool,
                             const struct weir_image *image, int quality, struct weir_error *err)
{
    return encode(out, pool, image, quality, 1, err);
}
