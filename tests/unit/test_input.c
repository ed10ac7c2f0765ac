/* SPDX-License-Identifier: Apache-2.0 */
/* The fast kernel against a plain one in double precision that follows the definition: bilinear at half-pixel
 * centres of each plane, edges repeated, then colour by the matrix of the standard. */
#include "image/input.h"

#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

/* The plane (step bytes a pixel) at a point in samples. */
static double sample(const uint8_t *plane, int stride, int step, int width, int height, double x, double y)
{
    x = clamp(x, 0, width - 1);
    y = clamp(y, 0, height - 1);
    int x0 = (int)x, y0 = (int)y, x1 = x0 + 1 < width ? x0 + 1 : x0, y1 = y0 + 1 < height ? y0 + 1 : y0;
    const uint8_t *upper = plane + (size_t)y0 * (size_t)stride, *lower = plane + (size_t)y1 * (size_t)stride;
    double top = upper[x0 * step] + (x - x0) * (upper[x1 * step] - upper[x0 * step]);
    double bottom = lower[x0 * step] + (x - x0) * (lower[x1 * step] - lower[x0 * step]);
    return top + (y - y0) * (bottom - top);
}

/* Red, green, blue of the source at a point given in luma pixels from the corner. */
static void reference_rgb(const struct weir_image *image, double x, double y, double rgb[3])
{
    int w = image->width, h = image->height;
    bool packed = image->format == WEIR_PIXEL_RGB || image->format == WEIR_PIXEL_BGR;
    if (packed) {
        for (int c = 0; c < 3; c++) {
            int offset = image->format == WEIR_PIXEL_RGB ? c : 2 - c;
            rgb[c] = sample(image->plane[0] + offset, image->stride[0], 3, w, h, x - 0.5, y - 0.5);
        }
        return;
    }
    double luma = sample(image->plane[0], image->stride[0], 1, w, h, x - 0.5, y - 0.5);
    if (image->format == WEIR_PIXEL_GRAY) {
        rgb[0] = rgb[1] = rgb[2] = luma;
        return;
    }
    int sub_x = image->format == WEIR_PIXEL_I444 ? 1 : 2;
    int sub_y = image->format == WEIR_PIXEL_I420 || image->format == WEIR_PIXEL_NV12 ? 2 : 1;
    bool pairs = image->format == WEIR_PIXEL_NV12;
    double chroma[2];
    for (int p = 0; p < 2; p++) {
        const uint8_t *plane = pairs ? image->plane[1] + p : image->plane[p + 1];
        chroma[p] = sample(plane, image->stride[pairs ? 1 : p + 1], pairs ? 2 : 1, (w + sub_x - 1) / sub_x,
                           (h + sub_y - 1) / sub_y, x / sub_x - 0.5, y / sub_y - 0.5) -
                    128;
    }
    bool limited = image->range == WEIR_RANGE_LIMITED, hd = image->matrix == WEIR_MATRIX_BT709;
    double kr = hd ? 0.2126 : 0.299, kb = hd ? 0.0722 : 0.114, kg = 1 - kr - kb;
    double scale = limited ? 255.0 / 224 : 1;
    luma = limited ? (luma - 16) * 255 / 219 : luma;
    double u = chroma[0] * scale, v = chroma[1] * scale;
    rgb[0] = clamp(luma + 2 * (1 - kr) * v, 0, 255);
    rgb[1] = clamp(luma - 2 * kb * (1 - kb) / kg * u - 2 * kr * (1 - kr) / kg * v, 0, 255);
    rgb[2] = clamp(luma + 2 * (1 - kb) * u, 0, 255);
}

static struct weir_image *random_image(struct weir_block_pool *pool, enum weir_pixel_format format, int width,
                                       int height)
{
    struct weir_image *image = weir_image_new(pool, format, width, height);
    assert_non_null(image);
    for (int p = 0; p < 3 && image->plane[p] != NULL; p++) {
        bool half = p > 0 && (format == WEIR_PIXEL_I420 || format == WEIR_PIXEL_NV12);
        int rows = half ? (height + 1) / 2 : height;
        for (int i = 0; i < rows * image->stride[p]; i++)
            image->plane[p][i] = (uint8_t)rand();
    }
    return image;
}

/* Levels: the scaler, like OpenCV's, cuts up to 1/16 once and 1/4 twice and then rounds; to get blue by
 * BT.709 of limited range, luma's error counts 1.16 times and chroma's 2.11 times. */
static double tolerance(const struct weir_image *image)
{
    return image->format >= WEIR_PIXEL_I420 && image->format <= WEIR_PIXEL_NV12 ? 4.7 : 1.25;
}

static void compare(const struct weir_image *image, const struct weir_input_spec *spec,
                    const struct weir_region *region)
{
    struct weir_input_scratch *scratch = weir_input_scratch_new();
    size_t count = weir_input_bytes(spec) / sizeof(float);
    float *data = test_malloc(count * sizeof *data);
    struct weir_placement placed;
    assert_int_equal(weir_input_fill(scratch, spec, image, region, data, &placed), 0);
    int rx = region ? region->x : 0, ry = region ? region->y : 0;
    int rw = region ? region->width : image->width, rh = region ? region->height : image->height;
    for (int y = 0; y < spec->height; y++) {
        for (int x = 0; x < spec->width; x++) {
            double sx = (x + 0.5 - (double)placed.offset_x) / (double)placed.scale_x;
            double sy = (y + 0.5 - (double)placed.offset_y) / (double)placed.scale_y;
            bool inside = sx > rx && sx < rx + rw && sy > ry && sy < ry + rh;
            double want[3] = {spec->pad, spec->pad, spec->pad};
            if (inside && region == NULL)
                reference_rgb(image, sx, sy, want);
            else if (inside) /* nothing from outside the region bleeds in */
                reference_rgb(image, clamp(sx, rx + 0.5, rx + rw - 0.5), clamp(sy, ry + 0.5, ry + rh - 0.5),
                              want);
            for (int c = 0; c < 3; c++) {
                int from = spec->order == WEIR_ORDER_RGB ? c : 2 - c;
                bool planar = spec->layout == WEIR_LAYOUT_NCHW;
                size_t at =
                    planar ? ((size_t)c * (size_t)spec->height + (size_t)y) * (size_t)spec->width + (size_t)x
                           : ((size_t)y * (size_t)spec->width + (size_t)x) * 3 + (size_t)c;
                double got = (double)data[at] * (double)spec->std[c] + (double)spec->mean[c];
                if (fabs(got - want[from]) > tolerance(image))
                    fail_msg("%s %dx%d to %dx%d fit %d at %d,%d channel %d: got %f, want %f",
                             weir_pixel_format_name(image->format), image->width, image->height, spec->width,
                             spec->height, (int)spec->fit, x, y, c, got, want[from]);
            }
        }
    }
    test_free(data);
    weir_input_scratch_free(&scratch);
}

static int random_side(void)
{
    static const int special[] = {1, 2, 3, 8, 15, 16, 17, 63, 64, 65};
    return rand() % 3 == 0 ? special[rand() % 10] : 1 + rand() % 200;
}

static void random_sizes_agree_with_the_plain_kernel(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(1 << 22);
    srand(7);
    for (int round = 0; round < 420; round++) {
        struct weir_image *image =
            random_image(pool, (enum weir_pixel_format)(round % 7), random_side(), random_side());
        image->range = rand() % 2 ? WEIR_RANGE_FULL : WEIR_RANGE_LIMITED;
        image->matrix = rand() % 2 ? WEIR_MATRIX_BT601 : WEIR_MATRIX_BT709;
        struct weir_input_spec spec = {
            .width = random_side(),
            .height = random_side(),
            .layout = rand() % 2 ? WEIR_LAYOUT_NCHW : WEIR_LAYOUT_NHWC,
            .dtype = WEIR_DTYPE_F32,
            .order = rand() % 2 ? WEIR_ORDER_RGB : WEIR_ORDER_BGR,
            .fit = (enum weir_fit)(rand() % 4),
            .pad = (uint8_t)rand(),
            .mean = {0, 10, 20},
            .std = {1, 2, 58.395f},
        };
        compare(image, &spec, NULL);
        weir_image_unref(&image);
    }
    weir_block_pool_free(&pool);
}

static void without_scaling_every_byte_stays(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(1 << 22);
    static const enum weir_pixel_format formats[] = {WEIR_PIXEL_RGB, WEIR_PIXEL_GRAY};
    for (int width = 1; width < 70; width += 3) {
        for (int f = 0; f < 2; f++) {
            struct weir_image *image = random_image(pool, formats[f], width, 5);
            struct weir_input_spec spec = {.width = width,
                                           .height = 5,
                                           .dtype = WEIR_DTYPE_U8,
                                           .std = {1, 1, 1},
                                           .layout = WEIR_LAYOUT_NHWC,
                                           .order = f == 0 ? WEIR_ORDER_RGB : WEIR_ORDER_GRAY};
            int row = (int)weir_input_bytes(&spec) / 5;
            struct weir_input_scratch *scratch = weir_input_scratch_new();
            uint8_t data[3 * 70 * 5];
            assert_int_equal(weir_input_fill(scratch, &spec, image, NULL, data, NULL), 0);
            for (int y = 0; y < 5; y++)
                assert_memory_equal(data + y * row, image->plane[0] + y * image->stride[0], (size_t)row);
            /* A window of the same picture, to its very edges. */
            for (int x = 0; x < width; x++) {
                struct weir_region region = {x, 2, width - x, 3};
                spec.width = width - x;
                spec.height = 3;
                assert_int_equal(weir_input_fill(scratch, &spec, image, &region, data, NULL), 0);
                const uint8_t *want = image->plane[0] + 4 * image->stride[0] + x * (row / width);
                assert_memory_equal(data + 2 * (row - x * (row / width)), want,
                                    (size_t)(row - x * (row / width)));
            }
            weir_input_scratch_free(&scratch);
            weir_image_unref(&image);
        }
    }
    weir_block_pool_free(&pool);
}

static void a_region_is_placed_like_a_picture(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(1 << 22);
    srand(9);
    struct weir_input_spec spec = {
        .width = 64, .height = 48, .dtype = WEIR_DTYPE_F32, .std = {1, 1, 1}, .pad = 3};
    for (int round = 0; round < 60; round++) {
        struct weir_image *image = random_image(pool, WEIR_PIXEL_BGR, 40 + rand() % 100, 40 + rand() % 100);
        struct weir_region region = {rand() % 20, rand() % 20, 1 + rand() % 20, 1 + rand() % 20};
        spec.fit = (enum weir_fit)(rand() % 3);
        compare(image, &spec, &region);
        weir_image_unref(&image);
    }
    weir_block_pool_free(&pool);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    struct weir_block_pool *pool = weir_block_pool_new(1 << 20);
    struct weir_image *image = random_image(pool, WEIR_PIXEL_GRAY, 10, 10);
    struct weir_input_scratch *scratch = weir_input_scratch_new();
    struct weir_input_spec spec = {.width = 4, .height = 4, .dtype = WEIR_DTYPE_F32, .std = {1, 1, 1}};
    float data[48];
    static const struct weir_region bad[] = {
        {0, 0, 11, 1}, {10, 0, 1, 1}, {-1, 0, 1, 1}, {0, 0, 0, 1}, {5, 5, 6, 5}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(weir_input_fill(scratch, &spec, image, &bad[i], data, NULL), -EINVAL);
    spec.dtype = WEIR_DTYPE_I64;
    assert_int_equal(weir_input_fill(scratch, &spec, image, NULL, data, NULL), -EINVAL);
    weir_input_scratch_free(&scratch);
    weir_image_unref(&image);
    weir_block_pool_free(&pool);
}

/* A picture of one colour gives one value a channel in every type; the values are worked out by hand. */
static void every_type_holds_the_right_value(void **state)
{
    (void)state;
    uint8_t pixel[3] = {114, 255, 1}; /* R, G, B */
    struct weir_image *image;
    assert_int_equal(weir_image_wrap(&image, WEIR_PIXEL_RGB, 1, 1, pixel, 3, NULL), 0);
    struct weir_input_scratch *scratch = weir_input_scratch_new();
    struct weir_input_spec spec = {.width = 1, .height = 1, .dtype = WEIR_DTYPE_F16, .std = {255, 255, 255}};
    uint16_t f16[3];
    assert_int_equal(weir_input_fill(scratch, &spec, image, NULL, f16, NULL), 0);
    assert_int_equal(f16[0], 0x3727); /* 114/255 */
    assert_int_equal(f16[1], 0x3C00);
    assert_int_equal(f16[2], 0x1C04); /* 1/255 */

    spec.dtype = WEIR_DTYPE_U8;
    spec.order = WEIR_ORDER_BGR;
    uint8_t u8[3];
    assert_int_equal(weir_input_fill(scratch, &spec, image, NULL, u8, NULL), 0);
    assert_memory_equal(u8, ((uint8_t[]){1, 255, 114}), 3);

    spec.dtype = WEIR_DTYPE_I8;
    int8_t i8[3];
    assert_int_equal(weir_input_fill(scratch, &spec, image, NULL, i8, NULL), 0);
    assert_memory_equal(i8, ((int8_t[]){-127, 127, -14}), 3);
    spec.quant_scale = 1.0f / 64;
    spec.quant_zero_point = -10; /* 114/255 * 64 - 10 = 18.6; 64 - 10 = 54; 0.25 - 10 = -9.7 */
    assert_int_equal(weir_input_fill(scratch, &spec, image, NULL, i8, NULL), 0);
    assert_memory_equal(i8, ((int8_t[]){-10, 54, 19}), 3);

    spec.dtype = WEIR_DTYPE_F32;
    spec.order = WEIR_ORDER_GRAY;
    spec.std[0] = 1;
    float gray; /* 0.299 * 114 + 0.587 * 255 + 0.114 = 183.9 */
    assert_int_equal(weir_input_fill(scratch, &spec, image, NULL, &gray, NULL), 0);
    assert_true(gray == 184.0f);
    weir_input_scratch_free(&scratch);
    weir_image_unref(&image);
}

static void limited_luma_is_stretched_for_gray_models(void **state)
{
    (void)state;
    uint8_t bytes[3] = {235, 128, 128};
    struct weir_image *image;
    assert_int_equal(weir_image_wrap(&image, WEIR_PIXEL_I420, 1, 1, bytes, 3, NULL), 0);
    image->range = WEIR_RANGE_LIMITED;
    struct weir_input_scratch *scratch = weir_input_scratch_new();
    struct weir_input_spec spec = {.width = 1, .height = 1, .dtype = WEIR_DTYPE_U8, .order = WEIR_ORDER_GRAY};
    spec.std[0] = 1;
    uint8_t gray;
    assert_int_equal(weir_input_fill(scratch, &spec, image, NULL, &gray, NULL), 0);
    assert_int_equal(gray, 255);
    weir_input_scratch_free(&scratch);
    weir_image_unref(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sizes_agree_with_the_plain_kernel),
        cmocka_unit_test(without_scaling_every_byte_stays),
        cmocka_unit_test(a_region_is_placed_like_a_picture),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(every_type_holds_the_right_value),
        cmocka_unit_test(limited_luma_is_stretched_for_gray_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
