/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_TESTS_UNIT_JPEG_FILES_H
#define WEIR_TESTS_UNIT_JPEG_FILES_H

/* JPEG files for tests, made with libjpeg and then cut and patched byte by byte. Header only; a test that
 * uses it links libjpeg. Buffers are malloc'ed and freed by the test. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

struct jpeg_file {
    unsigned char *bytes;
    unsigned long size;
};

struct jpeg_recipe {
    int width, height, components; /* 1, 3 or 4 */
    int h[3], v[3];                /* sampling; 0: libjpeg's default */
    J_COLOR_SPACE space;           /* in the file; JCS_UNKNOWN: default */
    int progressive, arithmetic, optimize, restart_interval;
};

/* The picture is a gradient; with 4 components it is CMYK. */
static void jpeg_gradient_row(const struct jpeg_recipe *recipe, int y, unsigned char *row)
{
    for (int x = 0; x < recipe->width; x++)
        for (int c = 0; c < recipe->components; c++)
            row[x * recipe->components + c] = (unsigned char)(40 + x + y / 2 + 50 * c);
}

static struct jpeg_file jpeg_make(const struct jpeg_recipe *recipe)
{
    struct jpeg_compress_struct cinfo;
    struct jpeg_error_mgr errors;
    struct jpeg_file file = {NULL, 0};
    cinfo.err = jpeg_std_error(&errors);
    jpeg_create_compress(&cinfo);
    jpeg_mem_dest(&cinfo, &file.bytes, &file.size);
    cinfo.image_width = (JDIMENSION)recipe->width;
    cinfo.image_height = (JDIMENSION)recipe->height;
    cinfo.input_components = recipe->components;
    cinfo.in_color_space = recipe->components == 1   ? JCS_GRAYSCALE
                           : recipe->components == 3 ? JCS_RGB
                                                     : JCS_CMYK;
    jpeg_set_defaults(&cinfo);
    if (recipe->space != JCS_UNKNOWN)
        jpeg_set_colorspace(&cinfo, recipe->space);
    jpeg_set_quality(&cinfo, 85, TRUE);
    for (int c = 0; c < recipe->components && c < 3 && recipe->h[0] != 0; c++) {
        cinfo.comp_info[c].h_samp_factor = recipe->h[c];
        cinfo.comp_info[c].v_samp_factor = recipe->v[c];
    }
    cinfo.arith_code = recipe->arithmetic != 0;
    cinfo.optimize_coding = recipe->optimize != 0;
    cinfo.restart_interval = (unsigned)recipe->restart_interval;
    if (recipe->progressive)
        jpeg_simple_progression(&cinfo);
    jpeg_start_compress(&cinfo, TRUE);
    unsigned char *row = malloc((size_t)recipe->width * 4);
    for (int y = 0; y < recipe->height; y++) {
        jpeg_gradient_row(recipe, y, row);
        (void)jpeg_write_scanlines(&cinfo, &row, 1);
    }
    free(row);
    jpeg_finish_compress(&cinfo);
    jpeg_destroy_compress(&cinfo);
    return file;
}

/* Where the first marker FF `code` stands (its FF), from `from` on; not found: the size. */
static size_t jpeg_find(const struct jpeg_file *file, unsigned char code, size_t from)
{
    for (size_t i = from; i + 1 < file->size; i++)
        if (file->bytes[i] == 0xFF && file->bytes[i + 1] == code)
            return i;
    return file->size;
}

static inline void jpeg_remove(struct jpeg_file *file, size_t at, size_t count)
{
    memmove(file->bytes + at, file->bytes + at + count, file->size - at - count);
    file->size -= count;
}

static inline void jpeg_insert(struct jpeg_file *file, size_t at, const void *bytes, size_t count)
{
    unsigned char *bigger = malloc(file->size + count);
    memcpy(bigger, file->bytes, at);
    memcpy(bigger + at, bytes, count);
    memcpy(bigger + at + count, file->bytes + at, file->size - at);
    free(file->bytes);
    file->bytes = bigger;
    file->size += count;
}

/* Takes out every segment of a marker. */
static inline void jpeg_remove_segments(struct jpeg_file *file, unsigned char code)
{
    size_t at;
    while ((at = jpeg_find(file, code, 0)) < file->size)
        jpeg_remove(file, at, 2u + (size_t)(file->bytes[at + 2] << 8 | file->bytes[at + 3]));
}

static inline void jpeg_set_size(struct jpeg_file *file, unsigned width, unsigned height)
{
    size_t at = jpeg_find(file, 0xC0, 0);
    if (at == file->size)
        at = jpeg_find(file, 0xC2, 0);
    file->bytes[at + 5] = (unsigned char)(height >> 8);
    file->bytes[at + 6] = (unsigned char)height;
    file->bytes[at + 7] = (unsigned char)(width >> 8);
    file->bytes[at + 8] = (unsigned char)width;
}

#endif
