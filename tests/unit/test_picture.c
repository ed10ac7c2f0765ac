/* SPDX-License-Identifier: Apache-2.0 */
/* Small files written out by hand, and those of the shared test data where it is there. */
#include "image/picture.h"

#include "shared.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct weir_block_pool *pool;
    struct weir_image *image;
    struct weir_error err;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->pool = weir_block_pool_new(1 << 20);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    weir_image_unref(&f->image);
    weir_block_pool_free(&f->pool);
    free(f);
    return 0;
}

/* 2 x 2, bottom row first, rows padded to 4: (1,2,3) (4,5,6) above (7,8,9) (10,11,12), given as B, G, R. */
static const uint8_t bmp[70] = {
    'B', 'M', 70, 0, 0,  0, 0,         0,        0, 0, 54, 0,  0,  0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0,
    0,   0,   1,  0, 24, 0, [34] = 16, [54] = 7, 8, 9, 10, 11, 12, 0, 0,  1, 2, 3, 4, 5, 6, 0, 0,
};

static void a_bmp_by_hand(void **state)
{
    struct fixture *f = *state;
    if (weir_picture_load(&f->image, f->pool, bmp, sizeof bmp, &f->err) < 0)
        fail_msg("%s", f->err.text);
    assert_int_equal(f->image->format, WEIR_PIXEL_BGR);
    assert_memory_equal(f->image->plane[0], ((uint8_t[]){1, 2, 3, 4, 5, 6}), 6);
    assert_memory_equal(f->image->plane[0] + f->image->stride[0], ((uint8_t[]){7, 8, 9, 10, 11, 12}), 6);
}

static void a_ppm_by_hand(void **state)
{
    struct fixture *f = *state;
    static const char ppm[] = "P6 1 2 255\nabcdef";
    assert_int_equal(weir_picture_load(&f->image, f->pool, ppm, sizeof ppm - 1, &f->err), 0);
    assert_memory_equal(f->image->plane[0], "cba", 3);
    assert_memory_equal(f->image->plane[0] + f->image->stride[0], "fed", 3);
}

static void what_is_no_picture_is_refused(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const void *bytes;
        size_t size;
        const char *say;
    } rows[] = {
        {"", 0, "not a picture"},
        {"hello", 5, "not a picture"},
        {"\x89PNG\r\n\x1a\n", 8, "PNG"},
        {"\xFF\xD8\xFF\xD9", 4, "JPEG"},
        {bmp, 60, "BMP"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(weir_picture_load(&f->image, f->pool, rows[i].bytes, rows[i].size, &f->err) < 0);
        assert_null(f->image);
        if (strstr(f->err.text, rows[i].say) == NULL)
            fail_msg("%s", f->err.text);
    }
    assert_int_equal(weir_picture_load_file(&f->image, f->pool, "/nonexistent/x.png", &f->err), -ENOENT);
    assert_non_null(strstr(f->err.text, "/nonexistent/x.png"));
}

static void a_huge_header_is_refused(void **state)
{
    struct fixture *f = *state;
    uint8_t huge[70];
    memcpy(huge, bmp, sizeof bmp);
    huge[20] = huge[24] = 1; /* 65538 x 65538 */
    assert_true(weir_picture_load(&f->image, f->pool, huge, sizeof huge, &f->err) < 0);
}

static bool load_shared(struct fixture *f, const char *name)
{
    char path[PATH_MAX];
    if (!shared_path(path, name))
        return false;
    if (weir_picture_load_file(&f->image, f->pool, path, &f->err) < 0)
        fail_msg("%s", f->err.text);
    return true;
}

static void an_odd_png_has_its_size(void **state)
{
    struct fixture *f = *state;
    if (!load_shared(f, "media/chelsea.png"))
        return;
    assert_int_equal(f->image->width, 451);
    assert_int_equal(f->image->height, 300);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_bmp_by_hand),
        CASE(a_ppm_by_hand),
        CASE(what_is_no_picture_is_refused),
        CASE(a_huge_header_is_refused),
        CASE(an_odd_png_has_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
