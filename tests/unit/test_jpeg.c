/* SPDX-License-Identifier: Apache-2.0 */
/* What cameras and broken networks make of a JPEG. Pixels are compared with those of libjpeg's own RGB or YCC
 * output for the untouched file. */
#include "image/jpeg.h"

#include "base/clock.h"
#include "jpeg_files.h"
#include "unit.h"

#include <stdbool.h>

static const struct weir_jpeg_params defaults = WEIR_JPEG_PARAMS_DEFAULT;
static const struct jpeg_recipe j0_recipe = {
    .width = 64, .height = 48, .components = 3, .h = {2, 1, 1}, .v = {1, 1, 1}};

struct fixture {
    struct weir_block_pool *pool;
    struct weir_jpeg_decoder *decoder;
    struct jpeg_file j0; /* 64 x 48, 4:2:2, standard tables */
    struct weir_image *j0_image;
    struct weir_error err;
};

static enum weir_jpeg_code decode(struct fixture *f, const void *bytes, size_t size,
                                  struct weir_image **image)
{
    f->err = (struct weir_error){0};
    return weir_jpeg_decode(f->decoder, bytes, size, &defaults, image, &f->err);
}

static struct jpeg_file copy_of(const struct jpeg_file *file)
{
    struct jpeg_file copy = {malloc(file->size), file->size};
    memcpy(copy.bytes, file->bytes, file->size);
    return copy;
}

static void planes_of(const struct weir_image *image, int plane, int *width, int *height)
{
    bool chroma = plane > 0;
    *width = chroma && image->format != WEIR_PIXEL_I444 ? (image->width + 1) / 2 : image->width;
    *height = chroma && image->format == WEIR_PIXEL_I420 ? (image->height + 1) / 2 : image->height;
    if (image->format == WEIR_PIXEL_RGB)
        *width *= 3;
}

static void assert_same_pixels(const struct weir_image *a, const struct weir_image *b)
{
    assert_int_equal(a->format, b->format);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    for (int p = 0; p < 3 && a->plane[p] != NULL; p++) {
        int width, height;
        planes_of(a, p, &width, &height);
        for (int y = 0; y < height; y++)
            assert_memory_equal(a->plane[p] + y * a->stride[p], b->plane[p] + y * b->stride[p],
                                (size_t)width);
    }
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->pool = weir_block_pool_new(8 << 20);
    f->j0 = jpeg_make(&j0_recipe);
    if (weir_jpeg_decoder_new(&f->decoder, f->pool) < 0)
        return -1;
    return decode(f, f->j0.bytes, f->j0.size, &f->j0_image) == WEIR_JPEG_OK ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    weir_image_unref(&f->j0_image);
    weir_jpeg_decoder_free(&f->decoder);
    struct weir_block_pool_stats stats;
    weir_block_pool_stats(f->pool, &stats);
    weir_block_pool_free(&f->pool);
    free(f->j0.bytes);
    free(f);
    return stats.live_blocks == 0 ? 0 : -1;
}

/* Decodes to the same pixels as J0. */
static void expect_j0(struct fixture *f, const struct jpeg_file *file)
{
    struct weir_image *image;
    enum weir_jpeg_code code = decode(f, file->bytes, file->size, &image);
    if (code != WEIR_JPEG_OK)
        fail_msg("%s", f->err.text);
    assert_same_pixels(image, f->j0_image);
    weir_image_unref(&image);
}

static void expect_code(struct fixture *f, const void *bytes, size_t size, enum weir_jpeg_code expected)
{
    struct weir_image *image;
    enum weir_jpeg_code code = decode(f, bytes, size, &image);
    if (code != expected)
        fail_msg("code %d, expected %d (%s)", (int)code, (int)expected, f->err.text);
    assert_null(image);
    assert_true(f->err.text[0] != '\0' && f->err.code < 0);
}

/* RGB as libjpeg itself gives it, without its smooth chroma upsampling. */
static uint8_t *plain_rgb(const struct jpeg_file *file, J_COLOR_SPACE space)
{
    struct jpeg_decompress_struct cinfo;
    struct jpeg_error_mgr errors;
    cinfo.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&cinfo);
    jpeg_mem_src(&cinfo, file->bytes, file->size);
    (void)jpeg_read_header(&cinfo, TRUE);
    cinfo.out_color_space = space;
    cinfo.do_fancy_upsampling = FALSE;
    (void)jpeg_start_decompress(&cinfo);
    size_t row_bytes = cinfo.output_width * (size_t)cinfo.output_components;
    uint8_t *pixels = malloc(row_bytes * cinfo.output_height);
    while (cinfo.output_scanline < cinfo.output_height) {
        JSAMPROW row = pixels + cinfo.output_scanline * row_bytes;
        (void)jpeg_read_scanlines(&cinfo, &row, 1);
    }
    jpeg_destroy_decompress(&cinfo);
    return pixels;
}

/* Luma exactly, chroma to `slack` (libjpeg's upsampling of the odd ratios is smooth in the product). */
static void expect_ycc(struct fixture *f, const struct jpeg_recipe *recipe, enum weir_pixel_format format,
                       int slack)
{
    struct jpeg_file file = jpeg_make(recipe);
    struct weir_image *image;
    if (decode(f, file.bytes, file.size, &image) != WEIR_JPEG_OK)
        fail_msg("%s", f->err.text);
    assert_int_equal(image->format, format);
    uint8_t *pixels = plain_rgb(&file, JCS_YCbCr);
    int sub_x = format == WEIR_PIXEL_I444 ? 1 : 2, sub_y = format == WEIR_PIXEL_I420 ? 2 : 1;
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            const uint8_t *want = pixels + 3 * (y * image->width + x);
            assert_int_equal(image->plane[0][y * image->stride[0] + x], want[0]);
            for (int p = 1; p < 3; p++) {
                int got = image->plane[p][y / sub_y * image->stride[p] + x / sub_x];
                assert_in_range(got + 300, want[p] + 300 - slack, want[p] + 300 + slack);
            }
        }
    }
    free(pixels);
    weir_image_unref(&image);
    free(file.bytes);
}

static void sampling_is_kept_as_it_is(void **state)
{
    struct fixture *f = *state;
    static const struct {
        struct jpeg_recipe recipe;
        enum weir_pixel_format format;
        int slack;
    } rows[] = {
        {{63, 47, 3, {2, 1, 1}, {2, 1, 1}}, WEIR_PIXEL_I420, 0},
        {{63, 47, 3, {2, 1, 1}, {1, 1, 1}}, WEIR_PIXEL_I422, 0},
        {{63, 47, 3, {2, 1, 1}, {2, 2, 2}},
         WEIR_PIXEL_I422,
         0}, /* the same ratio, written with other factors */
        {{63, 47, 3, {1, 1, 1}, {1, 1, 1}}, WEIR_PIXEL_I444, 0},
        {{63, 47, 3, {1, 1, 1}, {2, 1, 1}}, WEIR_PIXEL_I444, 2}, /* 4:4:0 */
        {{63, 47, 3, {4, 1, 1}, {1, 1, 1}}, WEIR_PIXEL_I444, 4}, /* 4:1:1 */
        {{64, 48, 3, {2, 1, 1}, {2, 1, 1}, .restart_interval = 2}, WEIR_PIXEL_I420, 0},
        {{64, 48, 3, {2, 1, 1}, {2, 1, 1}, .progressive = 1}, WEIR_PIXEL_I420, 0},
        {{64, 48, 3, {2, 1, 1}, {2, 1, 1}, .arithmetic = 1}, WEIR_PIXEL_I420, 0},
        {{64, 48, 3, {2, 1, 1}, {2, 1, 1}, .optimize = 1}, WEIR_PIXEL_I420, 0},
        {{1, 1, 3, {2, 1, 1}, {2, 1, 1}}, WEIR_PIXEL_I420, 0},
        {{1, 300, 3, {2, 1, 1}, {2, 1, 1}}, WEIR_PIXEL_I420, 0},
        {{300, 1, 3, {2, 1, 1}, {2, 1, 1}}, WEIR_PIXEL_I420, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_ycc(f, &rows[i].recipe, rows[i].format, rows[i].slack);
}

static void j01_missing_huffman_tables_are_the_standard_ones(void **state)
{
    struct fixture *f = *state;
    struct jpeg_file file = copy_of(&f->j0);
    jpeg_remove_segments(&file, 0xC4);
    jpeg_remove_segments(&file, 0xE0);
    uint8_t avi1[35] = {0xFF, 0xE0, 0, 0x21, 'A', 'V', 'I', '1', 0, 1, 1, 1, 0, 0x78, 0, 0x78};
    jpeg_insert(&file, 2, avi1, sizeof avi1);

    /* A picture with tables of its own in between must not leave them behind. */
    struct jpeg_recipe own = j0_recipe;
    own.optimize = 1;
    struct jpeg_file optimized = jpeg_make(&own);
    expect_j0(f, &optimized);
    expect_j0(f, &file);
    struct weir_jpeg_header header;
    assert_int_equal(weir_jpeg_read_header(file.bytes, file.size, &header, NULL), WEIR_JPEG_OK);
    assert_false(header.has_huffman_tables);
    free(file.bytes);
    free(optimized.bytes);
}

/* Decoders here know the standard tables, so the segment itself is looked at, too. What is passed on has each
 * table that is used, once, before the camera's own. */
static void j01_what_is_passed_on_has_tables(void **state)
{
    struct fixture *f = *state;
    for (int kind = 0; kind < 3; kind++) {
        struct jpeg_file file = copy_of(&f->j0);
        if (kind == 1)
            jpeg_remove_segments(&file, 0xC4);
        if (kind == 2) { /* the two for chroma */
            for (size_t at = 0; (at = jpeg_find(&file, 0xC4, at)) < file.size;) {
                if ((file.bytes[at + 4] & 0x0F) == 1)
                    jpeg_remove(&file, at, 2u + (size_t)(file.bytes[at + 2] << 8 | file.bytes[at + 3]));
                else
                    at++;
            }
        }
        struct weir_block *block = weir_block_get(f->pool, file.size), *passed;
        memcpy(block->data, file.bytes, file.size);
        block->size = file.size;
        assert_int_equal(weir_jpeg_add_huffman_tables(&passed, f->pool, block, NULL), 0);
        struct jpeg_file result = {passed->data, passed->size};
        if (kind == 0)
            assert_ptr_equal(passed, block);
        else /* DHT, its length, and the 12 + 162 values of T.81 K.3 twice, each table with 17 bytes before */
            assert_int_equal(passed->size, file.size + 4 + 2 * (17 + 12) + 2 * (17 + 162));
        struct weir_jpeg_header header;
        assert_int_equal(weir_jpeg_read_header(passed->data, passed->size, &header, NULL), WEIR_JPEG_OK);
        assert_true(header.has_huffman_tables);
        expect_j0(f, &result);
        if (kind == 1) { /* the same bytes as in the file that always had them, in whichever order */
            size_t dht = jpeg_find(&result, 0xC4, 0), own = jpeg_find(&f->j0, 0xC4, 0);
            assert_memory_equal(result.bytes + dht + 4, f->j0.bytes + own + 4, 17 + 12);
        }
        weir_block_unref(&passed);
        weir_block_unref(&block);
        free(file.bytes);
    }
}

static void j01_missing_chroma_tables(void **state)
{
    struct fixture *f = *state;
    struct jpeg_file file = copy_of(&f->j0);
    for (size_t at = 0; (at = jpeg_find(&file, 0xC4, at)) < file.size;) {
        if ((file.bytes[at + 4] & 0x0F) == 1)
            jpeg_remove(&file, at, 2u + (size_t)(file.bytes[at + 2] << 8 | file.bytes[at + 3]));
        else
            at++;
    }
    assert_true(file.size < f->j0.size - 180);
    expect_j0(f, &file);
    free(file.bytes);
}

static void j02_only_the_end_marker_is_missing(void **state)
{
    struct fixture *f = *state;
    struct jpeg_file file = f->j0;
    file.size -= 2;
    expect_j0(f, &file);
    struct weir_jpeg_header header;
    assert_int_equal(weir_jpeg_read_header(file.bytes, file.size, &header, NULL), WEIR_JPEG_OK);
    assert_false(header.complete);
    assert_int_equal(header.picture_bytes, file.size);
}

static void j02_every_cut_is_truncated(void **state)
{
    struct fixture *f = *state;
    size_t data = jpeg_find(&f->j0, 0xDA, 0) + 14;
    for (size_t size = 2; size < f->j0.size * 9 / 10; size++) {
        expect_code(f, f->j0.bytes, size, WEIR_JPEG_TRUNCATED);
        if (size > data && size % 16 == 0) {
            struct weir_jpeg_params params = defaults;
            params.accept_truncated = true;
            struct weir_image *image;
            assert_int_equal(weir_jpeg_decode(f->decoder, f->j0.bytes, size, &params, &image, NULL),
                             WEIR_JPEG_OK);
            weir_image_unref(&image);
        }
    }
    expect_j0(f, &f->j0);
}

static void j02_progressive_cut_between_scans(void **state)
{
    struct fixture *f = *state;
    struct jpeg_recipe recipe = j0_recipe;
    recipe.progressive = 1;
    struct jpeg_file file = jpeg_make(&recipe);
    expect_j0(f, &file);
    int scans = 0;
    for (size_t at = jpeg_find(&file, 0xDA, 0) + 1; (at = jpeg_find(&file, 0xDA, at)) < file.size; at++) {
        expect_code(f, file.bytes, at, WEIR_JPEG_TRUNCATED);
        scans++;
    }
    assert_true(scans >= 5);
    file.size -= 2;
    expect_j0(f, &file);
    free(file.bytes);
}

static void damage_is_not_passed_on(void **state)
{
    struct fixture *f = *state;
    struct jpeg_file file = copy_of(&f->j0);
    size_t data = jpeg_find(&file, 0xDA, 0) + 14;
    assert_true(data + 60 < file.size);
    for (size_t i = 0; i < 40;
         i++) /* FF 00 stands for FF: a run of ones, which is no code of the standard tables */
        file.bytes[data + 20 + i] = i % 2 == 0 ? 0xFF : 0;
    expect_code(f, file.bytes, file.size, WEIR_JPEG_INVALID);
    free(file.bytes);
}

static void j03_bytes_around_the_end(void **state)
{
    struct fixture *f = *state;
    size_t end = f->j0.size;
    uint8_t *zeros = calloc(1, 100 << 10);
    const struct {
        size_t at;
        const void *bytes;
        size_t size;
        size_t picture_bytes;
    } rows[] = {
        {end, "dhav\1\2\3\4", 8, end},     {end, "\0\0\0", 3, end},       {end, "\xFF\xD9", 2, end + 2},
        {end - 2, "\xFF\xFF", 2, end + 2}, {end - 2, "\x7F", 1, end + 1}, {end, zeros, 100 << 10, end},
        {end, f->j0.bytes, end, end}, /* two pictures in one part: the first counts */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct jpeg_file file = copy_of(&f->j0);
        jpeg_insert(&file, rows[i].at, rows[i].bytes, rows[i].size);
        expect_j0(f, &file);
        struct weir_jpeg_header header;
        assert_int_equal(weir_jpeg_read_header(file.bytes, file.size, &header, NULL), WEIR_JPEG_OK);
        assert_true(header.complete);
        assert_int_equal(header.picture_bytes, rows[i].picture_bytes);
        free(file.bytes);
    }
    free(zeros);
}

/* An APP1 with an IFD of one entry, the orientation; 36 bytes. */
static void exif(uint8_t out[36], bool little, int orientation)
{
    static const uint8_t head[10] = {0xFF, 0xE1, 0, 34, 'E', 'x', 'i', 'f', 0, 0};
    static const uint8_t big[26] = {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1};
    static const uint8_t small[26] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0};
    memcpy(out, head, 10);
    memcpy(out + 10, little ? small : big, 26);
    out[10 + (little ? 18 : 19)] = (uint8_t)orientation;
}

static int luma_at(const struct weir_image *image, int x, int y)
{
    return image->plane[0][y * image->stride[0] + x];
}

/* J0 gets brighter to the right and, half as much, downward: its top left corner is the darkest. Where that
 * corner and the top right one are after each turn is what EXIF 2.3 says of 0th row and 0th column. */
static void j05_orientation(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int first_x, first_y, right_x, right_y;
        bool swap;
    } corner[9] = {
        {0},
        {0, 0, 1, 0, false},
        {1, 0, 0, 0, false},
        {1, 1, 0, 1, false},
        {0, 1, 1, 1, false},
        {0, 0, 0, 1, true},
        {1, 0, 1, 1, true},
        {1, 1, 1, 0, true},
        {0, 1, 0, 0, true},
    };
    for (int o = 1; o <= 8; o++) {
        for (int little = 0; little < 2; little++) {
            uint8_t segment[36];
            exif(segment, little != 0, o);
            struct jpeg_file file = copy_of(&f->j0);
            jpeg_insert(&file, 2, segment, sizeof segment);
            struct weir_image *image;
            assert_int_equal(decode(f, file.bytes, file.size, &image), WEIR_JPEG_OK);
            int right = image->width - 1, bottom = image->height - 1;
            assert_int_equal(image->width, corner[o].swap ? 48 : 64);
            assert_int_equal(image->source_width, image->width);
            assert_int_equal(luma_at(image, corner[o].first_x * right, corner[o].first_y * bottom),
                             luma_at(f->j0_image, 0, 0));
            assert_int_equal(luma_at(image, corner[o].right_x * right, corner[o].right_y * bottom),
                             luma_at(f->j0_image, 63, 0));
            weir_image_unref(&image);
            struct weir_jpeg_params params = defaults;
            params.apply_orientation = false;
            assert_int_equal(weir_jpeg_decode(f->decoder, file.bytes, file.size, &params, &image, NULL),
                             WEIR_JPEG_OK);
            assert_same_pixels(image, f->j0_image);
            weir_image_unref(&image);
            free(file.bytes);
        }
    }
}

static void j05_bad_orientation_means_upright(void **state)
{
    struct fixture *f = *state;
    for (int kind = 0; kind < 3; kind++) {
        uint8_t segment[36];
        exif(segment, true, kind == 0 ? 0 : kind == 1 ? 9 : 6);
        if (kind == 2)
            segment[3] = 20; /* cut within the IFD */
        struct jpeg_file file = copy_of(&f->j0);
        jpeg_insert(&file, 2, segment, kind == 2 ? 22 : 36);
        expect_j0(f, &file);
        free(file.bytes);
    }
}

static void j06_gray_rgb_cmyk(void **state)
{
    struct fixture *f = *state;
    static const struct {
        struct jpeg_recipe recipe;
        enum weir_pixel_format format;
        J_COLOR_SPACE plain;
    } rows[] = {
        {{64, 48, 1}, WEIR_PIXEL_GRAY, JCS_GRAYSCALE},
        {{64, 48, 1, {2}, {2}},
         WEIR_PIXEL_GRAY,
         JCS_GRAYSCALE}, /* factors that mean nothing with one component */
        {{64, 48, 3, .space = JCS_RGB}, WEIR_PIXEL_RGB, JCS_RGB},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct jpeg_file file = jpeg_make(&rows[i].recipe);
        struct weir_image *image;
        if (decode(f, file.bytes, file.size, &image) != WEIR_JPEG_OK)
            fail_msg("%s", f->err.text);
        assert_int_equal(image->format, rows[i].format);
        uint8_t *pixels = plain_rgb(&file, rows[i].plain);
        size_t row_bytes = 64u * (size_t)rows[i].recipe.components;
        for (size_t y = 0; y < 48; y++)
            assert_memory_equal(image->plane[0] + y * (size_t)image->stride[0], pixels + y * row_bytes,
                                row_bytes);
        free(pixels);
        weir_image_unref(&image);
        free(file.bytes);
    }
}

static void j06_four_components(void **state)
{
    struct fixture *f = *state;
    static const J_COLOR_SPACE spaces[] = {JCS_CMYK, JCS_YCCK};
    for (int i = 0; i < 2; i++) {
        struct jpeg_recipe recipe = {.width = 64, .height = 48, .components = 4, .space = spaces[i]};
        struct jpeg_file file = jpeg_make(&recipe); /* with Adobe's marker: inverted */
        struct weir_image *image;
        if (decode(f, file.bytes, file.size, &image) != WEIR_JPEG_OK)
            fail_msg("%s", f->err.text);
        assert_int_equal(image->format, WEIR_PIXEL_RGB);
        /* The gradient's first pixel is 40, 90, 140, 190: red 40 * 190 / 255 = 30, green 67, blue 104. */
        assert_in_range(image->plane[0][0], 30 - 4, 30 + 4);
        assert_in_range(image->plane[0][1], 67 - 4, 67 + 4);
        assert_in_range(image->plane[0][2], 104 - 4, 104 + 4);
        weir_image_unref(&image);
        free(file.bytes);
    }
}

static void j06_what_is_not_for_us_is_named(void **state)
{
    struct fixture *f = *state;
    size_t sof = jpeg_find(&f->j0, 0xC0, 0);
    static const struct {
        size_t offset;
        uint8_t value;
    } patches[] = {
        {4, 12},   {4, 16},                         /* bits a sample */
        {1, 0xC3}, {1, 0xC5}, {1, 0xC7}, {1, 0xCB}, /* lossless, hierarchical */
        {9, 2},    {9, 5},                          /* components */
    };
    for (size_t i = 0; i < sizeof patches / sizeof patches[0]; i++) {
        struct jpeg_file file = copy_of(&f->j0);
        file.bytes[sof + patches[i].offset] = patches[i].value;
        expect_code(f, file.bytes, file.size, WEIR_JPEG_UNSUPPORTED);
        free(file.bytes);
    }
}

static void j07_sizes(void **state)
{
    struct fixture *f = *state;
    struct jpeg_file file = copy_of(&f->j0);
    jpeg_set_size(&file, 64, 0);
    expect_code(f, file.bytes, file.size, WEIR_JPEG_INVALID);
    jpeg_set_size(&file, 0, 48);
    expect_code(f, file.bytes, file.size, WEIR_JPEG_INVALID);
    free(file.bytes);
    static const int sizes[][2] = {{16384, 64}, {16384, 1}, {65500, 1}};
    for (size_t i = 0; i < 3; i++) {
        struct jpeg_recipe recipe = {.width = sizes[i][0], .height = sizes[i][1], .components = 1};
        struct weir_image *image;
        file = jpeg_make(&recipe);
        assert_int_equal(decode(f, file.bytes, file.size, &image), WEIR_JPEG_OK);
        assert_int_equal(image->width, sizes[i][0]);
        weir_image_unref(&image);
        free(file.bytes);
    }
}

static void j08_bombs_cost_nothing(void **state)
{
    struct fixture *f = *state;
    for (int progressive = 0; progressive < 2; progressive++) {
        struct jpeg_recipe recipe = j0_recipe;
        recipe.progressive = progressive;
        struct jpeg_file file = jpeg_make(&recipe);
        struct weir_block_pool_stats before, after;
        weir_block_pool_stats(f->pool, &before);
        int64_t start = weir_clock_thread_cpu_ns();
        jpeg_set_size(&file, 65500, 65500);
        expect_code(f, file.bytes, file.size, WEIR_JPEG_TOO_LARGE);
        weir_block_pool_stats(f->pool, &after);
        assert_int_equal(after.allocations, before.allocations);
        /* Within the limit, but with data for a corner only: given up at the first block that is not there.
         */
        jpeg_set_size(&file, 65285, 1000);
        expect_code(f, file.bytes, file.size, WEIR_JPEG_TRUNCATED);
        assert_true(weir_clock_thread_cpu_ns() - start < WEIR_NS_PER_S);
        free(file.bytes);
    }
}

static void j10_bad_parts_in_a_row(void **state)
{
    struct fixture *f = *state;
    struct jpeg_file bad_table = copy_of(&f->j0), bad_dqt = copy_of(&f->j0);
    bad_table.bytes[jpeg_find(&bad_table, 0xDA, 0) + 6] = 0x99;
    bad_dqt.bytes[jpeg_find(&bad_dqt, 0xDB, 0) + 4] = 0x0F;
    const struct {
        const void *bytes;
        size_t size;
        enum weir_jpeg_code code;
    } rows[] = {
        {"", 0, WEIR_JPEG_INVALID},
        {"\xFF\xD8", 2, WEIR_JPEG_TRUNCATED},
        {"\xFF\xD8\xFF\xD9", 4, WEIR_JPEG_INVALID},
        {"<html>login</html>", 18, WEIR_JPEG_INVALID},
        {bad_table.bytes, bad_table.size, WEIR_JPEG_INVALID},
        {bad_dqt.bytes, bad_dqt.size, WEIR_JPEG_INVALID},
    };
    struct weir_block_pool_stats stats;
    for (int round = 0; round < 1000; round++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            expect_code(f, rows[i].bytes, rows[i].size, rows[i].code);
    weir_block_pool_stats(f->pool, &stats);
    assert_int_equal(stats.live_blocks, 1);
    expect_j0(f, &f->j0);
    free(bad_table.bytes);
    free(bad_dqt.bytes);
}

static void random_damage_never_does_worse_than_fail(void **state)
{
    struct fixture *f = *state;
    srand(3);
    for (int round = 0; round < 3000; round++) {
        struct jpeg_file file = copy_of(&f->j0);
        for (int i = 0; i < 1 + rand() % 4; i++)
            file.bytes[(size_t)rand() % file.size] = (uint8_t)rand();
        struct weir_image *image;
        enum weir_jpeg_code code = decode(f, file.bytes, file.size, &image);
        assert_true((code == WEIR_JPEG_OK) == (image != NULL));
        weir_image_unref(&image);
        free(file.bytes);
    }
}

static void smaller_decoding_keeps_the_source_size(void **state)
{
    struct fixture *f = *state;
    struct jpeg_recipe recipe = {.width = 1000, .height = 501, .components = 3};
    struct jpeg_file file = jpeg_make(&recipe);
    static const struct {
        int min_width, min_height, width, height;
    } rows[] = {
        {0, 0, 1000, 501},   {416, 200, 500, 251}, {500, 0, 500, 251},
        {501, 0, 1000, 501}, {100, 50, 125, 63},   {1, 200, 500, 251},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct weir_jpeg_params params = defaults;
        params.min_width = rows[i].min_width;
        params.min_height = rows[i].min_height;
        struct weir_image *image;
        assert_int_equal(weir_jpeg_decode(f->decoder, file.bytes, file.size, &params, &image, NULL),
                         WEIR_JPEG_OK);
        assert_int_equal(image->width, rows[i].width);
        assert_int_equal(image->height, rows[i].height);
        assert_int_equal(image->source_width, 1000);
        assert_int_equal(image->source_height, 501);
        weir_image_unref(&image);
    }
    free(file.bytes);
}

/* Encode, then decode with plain libjpeg: each format and range comes back as the same colour. */
static void what_is_encoded_comes_back(void **state)
{
    struct fixture *f = *state;
    for (int format = WEIR_PIXEL_GRAY; format <= WEIR_PIXEL_BGR; format++) {
        for (int limited = 0; limited < 2; limited++) {
            struct weir_image *image = weir_image_new(f->pool, (enum weir_pixel_format)format, 63, 47);
            /* Orange, 255 128 0, by BT.601: full range Y 151, U 42, V 202; limited Y 146, U 53, V 193. */
            static const uint8_t yuv[2][3] = {{151, 42, 202}, {146, 53, 193}};
            bool packed = format >= WEIR_PIXEL_RGB;
            image->range = limited ? WEIR_RANGE_LIMITED : WEIR_RANGE_FULL;
            for (int p = 0; p < 3 && image->plane[p] != NULL; p++) {
                int rows = p > 0 && (format == WEIR_PIXEL_I420 || format == WEIR_PIXEL_NV12) ? 24 : 47;
                for (int i = 0; i < rows * image->stride[p]; i++) {
                    int component = format == WEIR_PIXEL_NV12 && p == 1 ? 1 + i % 2 : p;
                    image->plane[p][i] = yuv[limited][component];
                    if (packed) {
                        static const uint8_t rgb[3] = {255, 128, 0};
                        int c = i % image->stride[0] % 3;
                        image->plane[p][i] = rgb[format == WEIR_PIXEL_RGB ? c : 2 - c];
                    }
                }
            }
            struct weir_block *jpeg;
            assert_int_equal(weir_jpeg_encode(&jpeg, f->pool, image, 95, NULL), 0);
            struct jpeg_file file = {jpeg->data, jpeg->size};
            uint8_t *pixels = plain_rgb(&file, JCS_RGB);
            const uint8_t *middle = pixels + 3 * (46 * 63 + 62);
            if (format == WEIR_PIXEL_GRAY) {
                assert_in_range(middle[0], yuv[limited][0] - 2, yuv[limited][0] + 2);
            } else {
                assert_in_range(middle[0], 250, 255);
                assert_in_range(middle[1], 124, 132);
                assert_in_range(middle[2], 0, 5);
            }
            free(pixels);
            weir_block_unref(&jpeg);
            weir_image_unref(&image);
        }
    }
}

static void a_big_noisy_picture_is_encoded_whole(void **state)
{
    struct fixture *f = *state;
    struct weir_image *image = weir_image_new(f->pool, WEIR_PIXEL_I420, 641, 481);
    srand(5);
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < image->stride[p] * (p ? 241 : 481); i++)
            image->plane[p][i] = (uint8_t)rand();
    struct weir_block *jpeg;
    assert_int_equal(weir_jpeg_encode(&jpeg, f->pool, image, 90, NULL), 0);
    assert_true(jpeg->size > 200000);
    struct weir_image *back;
    assert_int_equal(decode(f, jpeg->data, jpeg->size, &back), WEIR_JPEG_OK);
    assert_int_equal(back->format, WEIR_PIXEL_I420);
    weir_image_unref(&back);
    weir_block_unref(&jpeg);
    weir_image_unref(&image);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(sampling_is_kept_as_it_is),
        CASE(j01_missing_huffman_tables_are_the_standard_ones),
        CASE(j01_missing_chroma_tables),
        CASE(j01_what_is_passed_on_has_tables),
        CASE(j02_only_the_end_marker_is_missing),
        CASE(j02_every_cut_is_truncated),
        CASE(j02_progressive_cut_between_scans),
        CASE(damage_is_not_passed_on),
        CASE(j03_bytes_around_the_end),
        CASE(j05_orientation),
        CASE(j05_bad_orientation_means_upright),
        CASE(j06_gray_rgb_cmyk),
        CASE(j06_four_components),
        CASE(j06_what_is_not_for_us_is_named),
        CASE(j07_sizes),
        CASE(j08_bombs_cost_nothing),
        CASE(j10_bad_parts_in_a_row),
        CASE(random_damage_never_does_worse_than_fail),
        CASE(smaller_decoding_keeps_the_source_size),
        CASE(what_is_encoded_comes_back),
        CASE(a_big_noisy_picture_is_encoded_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
