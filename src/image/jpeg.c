/* SPDX-License-Identifier: Apache-2.0 */
/* libjpeg reports errors by a call that must not return, hence the setjmp; all state that lives across it is
 * in the decoder, none in locals. A warning means that a part of the picture is invented (grey, or shifted):
 * with accept_truncated off the first such warning ends the decoding at once, so a few bytes that claim to
 * be a huge picture cost nothing.
 *
 * A decompressor is made anew for each picture: one that is kept remembers the Huffman and quantisation
 * tables of the last picture, and would use them for a picture that comes without. */
#include "image/jpeg.h"

#include "image/jpeg_setup.h"
#include "image/orient.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>

/* A progressive picture may have any number of scans, each of which walks all its coefficients; real ones
 * have about ten. */
enum { SCANS_MAX = 100, ROWS_MAX = MAX_SAMP_FACTOR * DCTSIZE };

struct weir_jpeg_decoder {
    struct jpeg_decompress_struct cinfo;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf failed;
    struct weir_block_pool *pool;
    uint8_t *spare; /* one row: what lies below the picture, or pixels before they are taken apart */
    size_t spare_bytes;
    /* the picture in work */
    const struct weir_jpeg_params *params;
    struct weir_jpeg_header header;
    struct weir_image *image;
    bool ran_out; /* the data ended and an EOI was made up */
    bool starved, damaged;
    enum weir_jpeg_code code;
    char message[JMSG_LENGTH_MAX];
};

static struct weir_jpeg_decoder *of(j_common_ptr cinfo)
{
    return cinfo->client_data;
}

static _Noreturn void give_up(struct weir_jpeg_decoder *decoder, enum weir_jpeg_code code,
                              const char *message)
{
    decoder->code = code;
    (void)snprintf(decoder->message, sizeof decoder->message, "%s", message);
    longjmp(decoder->failed, 1);
}

static void on_error(j_common_ptr cinfo)
{
    char text[JMSG_LENGTH_MAX];
    cinfo->err->format_message(cinfo, text);
    give_up(of(cinfo), weir_jpeg_code_of(cinfo->err->msg_code), text);
}

static void on_warning(j_common_ptr cinfo, int level)
{
    struct weir_jpeg_decoder *decoder = of(cinfo);
    if (level >= 0)
        return;
    switch (cinfo->err->msg_code) {
    case JWRN_HIT_MARKER:
        decoder->starved = true;
        break;
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
        decoder->damaged = true;
        break;
    default:
        return; /* stray bytes between segments and the like: no pixel is wrong */
    }
    if (decoder->params->accept_truncated)
        return;
    if (decoder->damaged)
        give_up(decoder, WEIR_JPEG_INVALID, "its picture data is damaged");
    give_up(decoder, WEIR_JPEG_TRUNCATED, "its picture data ends too early");
}

static void on_message(j_common_ptr cinfo)
{
    (void)cinfo; /* nothing is printed */
}

static void on_progress(j_common_ptr cinfo)
{
    if (((j_decompress_ptr)cinfo)->input_scan_number > SCANS_MAX)
        give_up(of(cinfo), WEIR_JPEG_UNSUPPORTED, "it has more than 100 scans");
}

static void source_start(j_decompress_ptr cinfo)
{
    (void)cinfo;
}

static boolean source_refill(j_decompress_ptr cinfo)
{
    static const JOCTET end[] = {0xFF, JPEG_EOI};
    of((j_common_ptr)cinfo)->ran_out = true;
    cinfo->src->next_input_byte = end;
    cinfo->src->bytes_in_buffer = sizeof end;
    return TRUE;
}

static void source_skip(j_decompress_ptr cinfo, long count)
{
    struct jpeg_source_mgr *source = cinfo->src;
    if (count <= 0)
        return;
    if ((size_t)count >= source->bytes_in_buffer) {
        (void)source_refill(cinfo);
        return;
    }
    source->next_input_byte += count;
    source->bytes_in_buffer -= (size_t)count;
}

static void begin(struct weir_jpeg_decoder *decoder, const uint8_t *bytes, size_t size)
{
    struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    cinfo->err = jpeg_std_error(&decoder->errors);
    decoder->errors.error_exit = on_error;
    decoder->errors.emit_message = on_warning;
    decoder->errors.output_message = on_message;
    cinfo->client_data = decoder;
    jpeg_create_decompress(cinfo);
    decoder->source = (struct jpeg_source_mgr){
        .next_input_byte = bytes,
        .bytes_in_buffer = size,
        .init_source = source_start,
        .fill_input_buffer = source_refill,
        .skip_input_data = source_skip,
        .resync_to_restart = jpeg_resync_to_restart,
        .term_source = source_start,
    };
    cinfo->src = &decoder->source;
    decoder->progress.progress_monitor = on_progress;
    cinfo->progress = &decoder->progress;
}

static bool turned(const struct weir_jpeg_decoder *decoder)
{
    return decoder->params->apply_orientation && decoder->header.orientation >= 5;
}

static unsigned choose_denominator(const struct weir_jpeg_decoder *decoder)
{
    const struct weir_jpeg_params *params = decoder->params;
    int min_width = turned(decoder) ? params->min_height : params->min_width;
    int min_height = turned(decoder) ? params->min_width : params->min_height;
    if (min_width <= 0 && min_height <= 0)
        return 1;
    for (int denominator = 8; denominator > 1; denominator /= 2)
        if ((decoder->header.width + denominator - 1) / denominator >= min_width &&
            (decoder->header.height + denominator - 1) / denominator >= min_height)
            return (unsigned)denominator;
    return 1;
}

static void new_image(struct weir_jpeg_decoder *decoder, enum weir_pixel_format format)
{
    const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    decoder->image =
        weir_image_new(decoder->pool, format, (int)cinfo->output_width, (int)cinfo->output_height);
    if (decoder->image == NULL)
        give_up(decoder, WEIR_JPEG_NO_MEMORY, "no memory for its pixels");
    decoder->image->source_width = (int)cinfo->image_width;
    decoder->image->source_height = (int)cinfo->image_height;
}

static void reserve_spare(struct weir_jpeg_decoder *decoder, size_t bytes)
{
    if (bytes <= decoder->spare_bytes)
        return;
    free(decoder->spare);
    decoder->spare = malloc(bytes);
    decoder->spare_bytes = decoder->spare == NULL ? 0 : bytes;
    if (decoder->spare == NULL)
        give_up(decoder, WEIR_JPEG_NO_MEMORY, "no memory for a row of pixels");
}

static int block_side(const jpeg_component_info *component)
{
#if JPEG_LIB_VERSION >= 70
    return component->DCT_h_scaled_size;
#else
    return component->DCT_scaled_size;
#endif
}

/* Whether the planes can be taken as they are in the file, and as what. The ratios are those after scaling:
 * at 1/2 libjpeg leaves the chroma of a 4:2:0 picture as it is and the result is 4:4:4. */
static bool planes_fit(const struct jpeg_decompress_struct *cinfo, enum weir_pixel_format *format)
{
    const jpeg_component_info *c = cinfo->comp_info;
    if (cinfo->jpeg_color_space == JCS_GRAYSCALE) {
        *format = WEIR_PIXEL_GRAY;
        return true;
    }
    if (cinfo->jpeg_color_space != JCS_YCbCr || c[0].h_samp_factor != cinfo->max_h_samp_factor ||
        c[0].v_samp_factor != cinfo->max_v_samp_factor || c[1].h_samp_factor != c[2].h_samp_factor ||
        c[1].v_samp_factor != c[2].v_samp_factor || block_side(&c[1]) != block_side(&c[2]))
        return false;
    int luma_x = c[0].h_samp_factor * block_side(&c[0]), chroma_x = c[1].h_samp_factor * block_side(&c[1]);
    int luma_y = c[0].v_samp_factor * block_side(&c[0]), chroma_y = c[1].v_samp_factor * block_side(&c[1]);
    if (luma_x == chroma_x && luma_y == chroma_y)
        *format = WEIR_PIXEL_I444;
    else if (luma_x == 2 * chroma_x && luma_y == chroma_y)
        *format = WEIR_PIXEL_I422;
    else if (luma_x == 2 * chroma_x && luma_y == 2 * chroma_y)
        *format = WEIR_PIXEL_I420;
    else
        return false;
    return true;
}

/* libjpeg writes whole blocks: the row must have room for the last one. */
static bool rows_have_room(const struct jpeg_decompress_struct *cinfo, const struct weir_image *image)
{
    for (int i = 0; i < cinfo->num_components; i++) {
        const jpeg_component_info *component = &cinfo->comp_info[i];
        if (component->width_in_blocks * (unsigned)block_side(component) > (unsigned)image->stride[i])
            return false;
    }
    return true;
}

static void read_planes(struct weir_jpeg_decoder *decoder)
{
    struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    struct weir_image *image = decoder->image;
    JSAMPROW rows[3][ROWS_MAX];
    JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
    reserve_spare(decoder, (size_t)image->stride[0]);
    for (unsigned unit = 0; cinfo->output_scanline < cinfo->output_height; unit++) {
        for (int i = 0; i < cinfo->num_components; i++) {
            const jpeg_component_info *component = &cinfo->comp_info[i];
            unsigned count = (unsigned)(component->v_samp_factor * block_side(component));
            for (unsigned r = 0; r < count; r++) {
                unsigned y = unit * count + r;
                rows[i][r] = y < component->downsampled_height
                                 ? image->plane[i] + (size_t)y * (size_t)image->stride[i]
                                 : decoder->spare;
            }
        }
        (void)jpeg_read_raw_data(cinfo, planes, ROWS_MAX);
    }
}

static void split_ycc(const struct weir_image *image, int y, const uint8_t *pixels)
{
    for (int i = 0; i < 3; i++) {
        uint8_t *row = image->plane[i] + (size_t)y * (size_t)image->stride[i];
        for (int x = 0; x < image->width; x++)
            row[x] = pixels[3 * x + i];
    }
}

/* Adobe's programs store CMYK inverted and say so by their marker. */
static void cmyk_to_rgb(const struct weir_image *image, int y, const uint8_t *pixels, bool inverted)
{
    uint8_t *row = image->plane[0] + (size_t)y * (size_t)image->stride[0];
    unsigned flip = inverted ? 0 : 255;
    for (int x = 0; x < image->width; x++)
        for (int c = 0; c < 3; c++)
            row[3 * x + c] = (uint8_t)(((pixels[4 * x + c] ^ flip) * (pixels[4 * x + 3] ^ flip) + 127) / 255);
}

static void read_pixels(struct weir_jpeg_decoder *decoder)
{
    struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    struct weir_image *image = decoder->image;
    reserve_spare(decoder, (size_t)image->width * 4);
    while (cinfo->output_scanline < cinfo->output_height) {
        int y = (int)cinfo->output_scanline;
        bool direct = cinfo->out_color_space == JCS_RGB;
        JSAMPROW row = direct ? image->plane[0] + (size_t)y * (size_t)image->stride[0] : decoder->spare;
        (void)jpeg_read_scanlines(cinfo, &row, 1);
        if (cinfo->out_color_space == JCS_YCbCr)
            split_ycc(image, y, decoder->spare);
        else if (!direct)
            cmyk_to_rgb(image, y, decoder->spare, cinfo->saw_Adobe_marker);
    }
}

/* A picture in several scans can end between two of them: no warning then, but planes or bits are missing. */
static bool scans_missing(const struct weir_jpeg_decoder *decoder)
{
    const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    for (int i = 0; i < cinfo->num_components; i++) {
        if (cinfo->comp_info[i].quant_table == NULL)
            return true;
        if (cinfo->coef_bits == NULL || !decoder->ran_out)
            continue;
        for (int k = 0; k < DCTSIZE2; k++)
            if (cinfo->coef_bits[i][k] != 0)
                return true;
    }
    return false;
}

static void plan_output(struct weir_jpeg_decoder *decoder)
{
    struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    enum weir_pixel_format format;
    cinfo->scale_num = 1;
    cinfo->scale_denom = choose_denominator(decoder);
    jpeg_calc_output_dimensions(cinfo);
    if (planes_fit(cinfo, &format)) {
        new_image(decoder, format);
        cinfo->raw_data_out = rows_have_room(cinfo, decoder->image);
        if (cinfo->raw_data_out) {
            cinfo->out_color_space = cinfo->jpeg_color_space;
            return;
        }
        weir_image_unref(&decoder->image);
    }
    bool ycc = cinfo->jpeg_color_space == JCS_YCbCr, rgb = cinfo->jpeg_color_space == JCS_RGB;
    cinfo->out_color_space = ycc ? JCS_YCbCr : rgb ? JCS_RGB : JCS_CMYK;
    new_image(decoder, ycc ? WEIR_PIXEL_I444 : WEIR_PIXEL_RGB);
}

static void decode_picture(struct weir_jpeg_decoder *decoder)
{
    struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    (void)jpeg_read_header(cinfo, TRUE);
    /* The scan before libjpeg's own is not relied on alone: they might read an odd file differently. */
    if ((int64_t)cinfo->image_width * cinfo->image_height > decoder->params->max_pixels)
        give_up(decoder, WEIR_JPEG_TOO_LARGE, "it has more pixels than allowed");
    plan_output(decoder);
    (void)jpeg_start_decompress(cinfo);
    bool missing = jpeg_has_multiple_scans(cinfo) && scans_missing(decoder);
    if (missing && !decoder->params->accept_truncated)
        give_up(decoder, WEIR_JPEG_TRUNCATED, "some of its scans are missing");
    if (cinfo->raw_data_out)
        read_planes(decoder);
    else
        read_pixels(decoder);
    int orientation = decoder->params->apply_orientation ? decoder->header.orientation : 1;
    if (orientation == 1)
        return;
    struct weir_image *upright = weir_orient(decoder->pool, decoder->image, orientation);
    weir_image_unref(&decoder->image);
    decoder->image = upright;
    if (upright == NULL)
        give_up(decoder, WEIR_JPEG_NO_MEMORY, "no memory to turn it");
}

static void decode_guarded(struct weir_jpeg_decoder *decoder, const void *bytes, size_t size)
{
    decoder->code = WEIR_JPEG_OK;
    decoder->image = NULL;
    decoder->ran_out = decoder->starved = decoder->damaged = false;
    if (setjmp(decoder->failed) == 0) {
        begin(decoder, bytes, size);
        decode_picture(decoder);
    } else {
        weir_image_unref(&decoder->image);
    }
    jpeg_destroy_decompress(&decoder->cinfo);
}

int weir_jpeg_decoder_new(struct weir_jpeg_decoder **out, struct weir_block_pool *pool)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return -ENOMEM;
    (*out)->pool = pool;
    return 0;
}

void weir_jpeg_decoder_free(struct weir_jpeg_decoder **decoder)
{
    if (*decoder != NULL)
        free((*decoder)->spare);
    free(*decoder);
    *decoder = NULL;
}

static int errno_of(enum weir_jpeg_code code)
{
    return code == WEIR_JPEG_NO_MEMORY ? -ENOMEM : code == WEIR_JPEG_UNSUPPORTED ? -ENOTSUP : -EBADMSG;
}

enum weir_jpeg_code weir_jpeg_decode(struct weir_jpeg_decoder *decoder, const void *bytes, size_t size,
                                     const struct weir_jpeg_params *params, struct weir_image **image,
                                     struct weir_error *err)
{
    *image = NULL;
    enum weir_jpeg_code code = weir_jpeg_read_header(bytes, size, &decoder->header, err);
    if (code != WEIR_JPEG_OK)
        return code;
    const struct weir_jpeg_header *header = &decoder->header;
    if ((int64_t)header->width * header->height > params->max_pixels) {
        (void)weir_error_set(err, -EFBIG, "JPEG says it is %d x %d pixels, over the limit of %lld pixels",
                             header->width, header->height, (long long)params->max_pixels);
        return WEIR_JPEG_TOO_LARGE;
    }
    decoder->params = params;
    decode_guarded(decoder, bytes, size);
    if (decoder->code != WEIR_JPEG_OK) {
        (void)weir_error_set(err, errno_of(decoder->code),
                             "JPEG of %d x %d pixels in %zu bytes can't be used: %s", header->width,
                             header->height, size, decoder->message);
        return decoder->code;
    }
    *image = decoder->image;
    decoder->image = NULL;
    return WEIR_JPEG_OK;
}
