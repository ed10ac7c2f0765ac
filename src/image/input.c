/* SPDX-License-Identifier: Apache-2.0 */
/* One output row at a time: scale the planes' rows, convert them to RGB, then write each channel through
 * a table of 256 ready-made elements. The table is why every type, mean, std and quantisation costs the same
 * and rounds the same; everything between stays in the L1 cache. */
#include "image/input.h"

#include "image/color.h"
#include "image/scale.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

union element_table {
    float f32[256];
    uint16_t f16[256];
    uint8_t u8[256];
};

struct weir_input_scratch {
    union element_table table[3];
    struct weir_axis across, down, chroma_across, chroma_down;
    struct weir_scaler scaler[3];
    uint8_t *planes[3]; /* one scaled row each */
    uint8_t *packed;    /* a row of three components, interleaved or one after another */
    void *storage;      /* what all of the above point into */
    size_t capacity;
};

/* A row of finished bytes: channel c of pixel x is channel[c][x * step]. */
struct byte_row {
    const uint8_t *channel[3];
    int step;
};

struct job {
    const struct weir_input_spec *spec;
    const struct weir_image *image;
    struct weir_region region;
    struct weir_placement placement;
    int left, top, width, height; /* the part of the input that shows the picture */
    int channels;
};

struct weir_input_scratch *weir_input_scratch_new(void)
{
    return calloc(1, sizeof(struct weir_input_scratch));
}

void weir_input_scratch_free(struct weir_input_scratch **scratch)
{
    if (*scratch != NULL)
        free((*scratch)->storage);
    free(*scratch);
    *scratch = NULL;
}

static int channel_count(const struct weir_input_spec *spec)
{
    return spec->order == WEIR_ORDER_GRAY ? 1 : 3;
}

size_t weir_input_bytes(const struct weir_input_spec *spec)
{
    return (size_t)spec->width * (size_t)spec->height * (size_t)channel_count(spec) *
           weir_dtype_size(spec->dtype);
}

static uint8_t quantise(const struct weir_input_spec *spec, int byte, float real)
{
    int low = spec->dtype == WEIR_DTYPE_I8 ? -128 : 0;
    if (spec->quant_scale == 0.0f)
        return (uint8_t)(byte + low);
    float q = rintf(real / spec->quant_scale) + (float)spec->quant_zero_point;
    return (uint8_t)(int)fminf(fmaxf(q, (float)low), (float)(low + 255));
}

static void fill_table(union element_table *table, const struct weir_input_spec *spec, int channel)
{
    for (int byte = 0; byte < 256; byte++) {
        float real = ((float)byte - spec->mean[channel]) / spec->std[channel];
        if (spec->dtype == WEIR_DTYPE_F32)
            table->f32[byte] = real;
        else if (spec->dtype == WEIR_DTYPE_F16)
            table->f16[byte] = weir_f32_to_f16(real);
        else
            table->u8[byte] = quantise(spec, byte, real);
    }
}

/* n bytes, `from_step` apart, to n elements, `to_step` elements apart. A from_step of 0 repeats one byte. */
#define DEFINE_STORE(name, type)                                                                             \
    static void name(type *to, int to_step, const uint8_t *from, int from_step, const type *table, int n)    \
    {                                                                                                        \
        for (int i = 0; i < n; i++)                                                                          \
            to[(size_t)i * (size_t)to_step] = table[from[(size_t)i * (size_t)from_step]];                    \
    }
DEFINE_STORE(store_table_f32, float)
DEFINE_STORE(store_f16, uint16_t)
DEFINE_STORE(store_u8, uint8_t)

/* The usual case, planes of floats from rows of bytes, four at a time where the compiler can. The factor is
 * the same for all: what it gives may differ from the table's quotient in the last bit. */
static void store_planar_f32(float *restrict to, const uint8_t *restrict from, float mean, float factor,
                             int n)
{
    for (int i = 0; i < n; i++)
        to[i] = ((float)from[i] - mean) * factor;
}

/* Elements x to x + n - 1 of row y of one channel. */
static void store(const struct job *job, const union element_table *table, void *data, int channel, int x,
                  int y, const uint8_t *from, int from_step, int n)
{
    const struct weir_input_spec *spec = job->spec;
    size_t row = (size_t)y * (size_t)spec->width + (size_t)x;
    size_t plane = (size_t)spec->width * (size_t)spec->height;
    bool planar = spec->layout == WEIR_LAYOUT_NCHW;
    size_t at = planar ? (size_t)channel * plane + row : row * (size_t)job->channels + (size_t)channel;
    int step = planar ? 1 : job->channels;
    if (spec->dtype == WEIR_DTYPE_F32 && step == 1 && from_step == 1)
        store_planar_f32((float *)data + at, from, spec->mean[channel], 1 / spec->std[channel], n);
    else if (spec->dtype == WEIR_DTYPE_F32)
        store_table_f32((float *)data + at, step, from, from_step, table->f32, n);
    else if (spec->dtype == WEIR_DTYPE_F16)
        store_f16((uint16_t *)data + at, step, from, from_step, table->f16, n);
    else
        store_u8((uint8_t *)data + at, step, from, from_step, table->u8, n);
}

static void store_row(const struct job *job, const struct weir_input_scratch *scratch, void *data, int y,
                      const struct byte_row *row)
{
    int right = job->left + job->width;
    const uint8_t *pad = &job->spec->pad;
    for (int c = 0; c < job->channels; c++) {
        const union element_table *table = &scratch->table[c];
        store(job, table, data, c, 0, y, pad, 0, job->left);
        store(job, table, data, c, job->left, y, row->channel[c], row->step, job->width);
        store(job, table, data, c, right, y, pad, 0, job->spec->width - right);
    }
}

static void store_pad_rows(const struct job *job, const struct weir_input_scratch *scratch, void *data,
                           int first, int end)
{
    for (int y = first; y < end; y++)
        for (int c = 0; c < job->channels; c++)
            store(job, &scratch->table[c], data, c, 0, y, &job->spec->pad, 0, job->spec->width);
}

static bool is_packed(enum weir_pixel_format format)
{
    return format == WEIR_PIXEL_RGB || format == WEIR_PIXEL_BGR;
}

static struct byte_row one_plane(const uint8_t *plane)
{
    return (struct byte_row){{plane, plane, plane}, 1};
}

static struct byte_row luma_row(const struct job *job, struct weir_input_scratch *scratch, int y)
{
    const struct weir_image *image = job->image;
    weir_scaler_row(&scratch->scaler[0], y, scratch->planes[0]);
    if (image->format != WEIR_PIXEL_GRAY && image->range == WEIR_RANGE_LIMITED)
        weir_color_expand_luma(scratch->planes[0], job->width);
    return one_plane(scratch->planes[0]);
}

static struct byte_row packed_row(const struct job *job, struct weir_input_scratch *scratch, int y)
{
    weir_scaler_row(&scratch->scaler[0], y, scratch->packed);
    int red = job->image->format == WEIR_PIXEL_RGB ? 0 : 2, blue = 2 - red;
    if (job->spec->order == WEIR_ORDER_GRAY) {
        weir_color_row_to_luma(scratch->packed, red, blue, scratch->planes[0], job->width);
        return one_plane(scratch->planes[0]);
    }
    bool rgb = job->spec->order == WEIR_ORDER_RGB;
    const uint8_t *at = scratch->packed;
    return (struct byte_row){{at + (rgb ? red : blue), at + 1, at + (rgb ? blue : red)}, 3};
}

static struct byte_row yuv_row(const struct job *job, struct weir_input_scratch *scratch, int y)
{
    const struct weir_image *image = job->image;
    uint8_t *const *planes = scratch->planes;
    for (int p = 0; p < 3; p++)
        weir_scaler_row(&scratch->scaler[p], y, planes[p]);
    uint8_t *red = scratch->packed, *green = red + job->width, *blue = green + job->width;
    weir_color_row_to_rgb(image->range, image->matrix, planes[0], planes[1], planes[2], red, green, blue,
                          job->width);
    bool rgb = job->spec->order == WEIR_ORDER_RGB;
    return (struct byte_row){{rgb ? red : blue, green, rgb ? blue : red}, 1};
}

static struct byte_row make_row(const struct job *job, struct weir_input_scratch *scratch, int y)
{
    if (is_packed(job->image->format))
        return packed_row(job, scratch, y);
    if (job->image->format == WEIR_PIXEL_GRAY || job->spec->order == WEIR_ORDER_GRAY)
        return luma_row(job, scratch, y);
    return yuv_row(job, scratch, y);
}

/* Takes `bytes` from the storage, 64-byte aligned, or only counts them while there is no storage yet. */
static void *carve(uint8_t *storage, size_t *used, size_t bytes)
{
    void *piece = storage == NULL ? NULL : storage + *used;
    *used += (bytes + 63) & ~(size_t)63;
    return piece;
}

static size_t lay_out(struct weir_input_scratch *scratch, const struct job *job, uint8_t *storage)
{
    size_t used = 0;
    struct weir_axis *axes[] = {&scratch->across, &scratch->down, &scratch->chroma_across,
                                &scratch->chroma_down};
    for (int i = 0; i < 4; i++) {
        size_t count = (size_t)(i % 2 == 0 ? job->width : job->height);
        axes[i]->at = carve(storage, &used, count * sizeof *axes[i]->at);
        axes[i]->weight = carve(storage, &used, count * sizeof *axes[i]->weight);
    }
    for (int p = 0; p < 3; p++) {
        for (int i = 0; i < 2; i++)
            scratch->scaler[p].rows[i] = carve(storage, &used, 3 * (size_t)job->width * sizeof(int16_t));
        scratch->planes[p] = carve(storage, &used, (size_t)job->width);
    }
    scratch->packed = carve(storage, &used, 3 * (size_t)job->width);
    return used;
}

static int reserve(struct weir_input_scratch *scratch, const struct job *job)
{
    size_t needed = lay_out(scratch, job, NULL);
    if (needed > scratch->capacity) {
        free(scratch->storage);
        scratch->storage = aligned_alloc(64, needed);
        scratch->capacity = scratch->storage == NULL ? 0 : needed;
        if (scratch->storage == NULL)
            return -ENOMEM;
    }
    (void)lay_out(scratch, job, scratch->storage);
    return 0;
}

/* One axis of one plane. samples: how many the plane has; density: samples a source pixel. */
static void compute_axis(struct weir_axis *axis, int first, int count, int resized, int origin, int extent,
                         int samples, double density)
{
    int highest = (int)ceil((origin + extent) * density) - 1;
    struct weir_axis_params params = {
        .first = first,
        .count = count,
        .step = (double)extent / resized,
        .origin = origin,
        .density = density,
        .lowest = (int)(origin * density),
        .highest = highest < samples ? highest : samples - 1,
    };
    if (params.lowest > params.highest)
        params.lowest = params.highest;
    weir_axis_compute(axis, &params);
}

static void compute_axes(struct weir_input_scratch *scratch, const struct job *job)
{
    const struct weir_image *image = job->image;
    const struct weir_region *region = &job->region;
    const struct weir_placement *placed = &job->placement;
    int first_x = job->spec->fit == WEIR_FIT_CROP ? (int)-placed->offset_x : 0;
    int first_y = job->spec->fit == WEIR_FIT_CROP ? (int)-placed->offset_y : 0;
    double dense_x = (double)image->width / image->source_width;
    double dense_y = (double)image->height / image->source_height;
    compute_axis(&scratch->across, first_x, job->width, placed->resized_width, region->x, region->width,
                 image->width, dense_x);
    compute_axis(&scratch->down, first_y, job->height, placed->resized_height, region->y, region->height,
                 image->height, dense_y);
    bool half_x = image->format != WEIR_PIXEL_I444, half_y = half_x && image->format != WEIR_PIXEL_I422;
    compute_axis(&scratch->chroma_across, first_x, job->width, placed->resized_width, region->x,
                 region->width, half_x ? (image->width + 1) / 2 : image->width,
                 half_x ? dense_x / 2 : dense_x);
    compute_axis(&scratch->chroma_down, first_y, job->height, placed->resized_height, region->y,
                 region->height, half_y ? (image->height + 1) / 2 : image->height,
                 half_y ? dense_y / 2 : dense_y);
}

static void start_scalers(struct weir_input_scratch *scratch, const struct weir_image *image)
{
    bool packed = is_packed(image->format);
    for (int p = 0; p < 3; p++) {
        struct weir_scaler *scaler = &scratch->scaler[p];
        bool pairs = p > 0 && image->format == WEIR_PIXEL_NV12;
        scaler->base = pairs ? image->plane[1] + (p - 1) : image->plane[p];
        scaler->stride = image->stride[pairs ? 1 : p];
        scaler->step = packed ? 3 : pairs ? 2 : 1;
        scaler->components = packed ? 3 : 1;
        scaler->across = p == 0 ? &scratch->across : &scratch->chroma_across;
        scaler->down = p == 0 ? &scratch->down : &scratch->chroma_down;
        scaler->held[0] = scaler->held[1] = -1;
    }
}

static void place(struct job *job)
{
    struct weir_placement *placed = &job->placement;
    weir_placement_compute(job->spec, job->region.width, job->region.height, placed);
    bool crop = job->spec->fit == WEIR_FIT_CROP;
    job->left = crop ? 0 : (int)placed->offset_x;
    job->top = crop ? 0 : (int)placed->offset_y;
    job->width = crop ? job->spec->width : placed->resized_width;
    job->height = crop ? job->spec->height : placed->resized_height;
}

/* What the caller gets speaks of the whole picture, also when only a region was placed. */
static struct weir_placement placement_in_source(const struct job *job)
{
    struct weir_placement placed = job->placement;
    placed.offset_x -= (float)job->region.x * placed.scale_x;
    placed.offset_y -= (float)job->region.y * placed.scale_y;
    placed.source_width = job->image->source_width;
    placed.source_height = job->image->source_height;
    return placed;
}

static bool spec_ok(const struct weir_input_spec *spec)
{
    bool type_ok = spec->dtype == WEIR_DTYPE_F32 || spec->dtype == WEIR_DTYPE_F16 ||
                   spec->dtype == WEIR_DTYPE_U8 || spec->dtype == WEIR_DTYPE_I8;
    return type_ok && spec->width >= 1 && spec->width <= 65535 && spec->height >= 1 && spec->height <= 65535;
}

static bool region_ok(const struct weir_region *region, const struct weir_image *image)
{
    return region->x >= 0 && region->y >= 0 && region->width >= 1 && region->height >= 1 &&
           region->width <= image->source_width && region->height <= image->source_height &&
           region->x <= image->source_width - region->width &&
           region->y <= image->source_height - region->height;
}

int weir_input_fill(struct weir_input_scratch *scratch, const struct weir_input_spec *spec,
                    const struct weir_image *image, const struct weir_region *region, void *data,
                    struct weir_placement *placement)
{
    struct job job = {.spec = spec, .image = image, .channels = channel_count(spec)};
    job.region =
        region != NULL ? *region : (struct weir_region){0, 0, image->source_width, image->source_height};
    if (!spec_ok(spec) || !region_ok(&job.region, image))
        return -EINVAL;
    place(&job);
    if (reserve(scratch, &job) < 0)
        return -ENOMEM;
    compute_axes(scratch, &job);
    start_scalers(scratch, image);
    for (int c = 0; c < job.channels; c++)
        fill_table(&scratch->table[c], spec, c);

    store_pad_rows(&job, scratch, data, 0, job.top);
    for (int y = 0; y < job.height; y++) {
        struct byte_row row = make_row(&job, scratch, y);
        store_row(&job, scratch, data, job.top + y, &row);
    }
    store_pad_rows(&job, scratch, data, job.top + job.height, spec->height);
    if (placement != NULL)
        *placement = placement_in_source(&job);
    return 0;
}
