/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_TESTS_UNIT_FAKE_MODEL_H
#define WEIR_TESTS_UNIT_FAKE_MODEL_H

/* A model that is only a description and numbers: what a head sees of one. */

#include "model/head.h"

#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fake_model {
    struct weir_io_info inputs[3], outputs[WEIR_RUNTIME_IO_MAX];
    struct weir_metadata metadata[4];
    struct weir_session_info info;
    struct weir_tensor tensors[WEIR_RUNTIME_IO_MAX];
    struct weir_spec_params params;
    struct weir_model_spec spec;
    struct weir_box_list boxes;
    struct weir_error err;
};

#define SHAPE(...)                                                                                                \
    ((struct weir_shape){sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), {__VA_ARGS__}})

static inline void fake_input(struct fake_model *m, const char *name, enum weir_dtype dtype, struct weir_shape shape)
{
    m->inputs[m->info.input_count++] = (struct weir_io_info){.name = (char *)name, .dtype = dtype, .shape = shape};
}

/* Starts a model with a picture input of size x size. */
static inline void fake_init(struct fake_model *m, int64_t size)
{
    *m = (struct fake_model){0};
    m->info.inputs = m->inputs;
    m->info.outputs = m->outputs;
    m->info.metadata = m->metadata;
    m->params = (struct weir_spec_params){.threshold = NAN, .nms_iou = NAN};
    fake_input(m, "images", WEIR_DTYPE_F32, SHAPE(1, 3, size, size));
}

static inline void fake_metadata(struct fake_model *m, const char *key, const char *value)
{
    m->metadata[m->info.metadata_count++] = (struct weir_metadata){(char *)key, (char *)value};
}

/* Its numbers, all 0. `declared` may have open sizes, `actual` not. */
static inline float *fake_open_output(struct fake_model *m, const char *name, struct weir_shape declared,
                                      struct weir_shape actual)
{
    size_t count = 0, i = m->info.output_count++;
    assert_true(weir_shape_count(&actual, sizeof(float), &count));
    float *values = calloc(count + 1, sizeof *values);
    m->outputs[i] = (struct weir_io_info){.name = (char *)name, .dtype = WEIR_DTYPE_F32, .shape = declared};
    m->tensors[i] = (struct weir_tensor){name, WEIR_DTYPE_F32, actual, values, count * sizeof *values};
    return values;
}

static inline float *fake_output(struct fake_model *m, const char *name, struct weir_shape shape)
{
    return fake_open_output(m, name, shape, shape);
}

static inline int fake_load(struct fake_model *m)
{
    return weir_model_spec_init(&m->spec, &m->info, &m->params, NULL, &m->err);
}

/* Loads as the head `name` and decodes. */
static inline void fake_read(struct fake_model *m, const char *name)
{
    if (fake_load(m) != 0)
        fail_msg("%s", m->err.text);
    assert_string_equal(m->spec.head->name, name);
    assert_int_equal(weir_head_read(&m->spec, m->tensors, &m->boxes), 0);
}

static inline void fake_expect(const struct fake_model *m, size_t at, int32_t class_index, float score, float x1, float y1,
                               float x2, float y2)
{
    const float box[] = {x1, y1, x2, y2};
    assert_true(at < m->boxes.count);
    assert_int_equal(m->boxes.boxes[at].class_index, class_index);
    assert_float_equal(m->boxes.boxes[at].score, score, 1e-4F);
    for (int i = 0; i < 4; i++)
        assert_float_equal(m->boxes.boxes[at].box[i], box[i], 1e-2F);
}

static inline void fake_fini(struct fake_model *m)
{
    for (size_t i = 0; i < m->info.output_count; i++)
        free(m->tensors[i].data);
    weir_box_list_fini(&m->boxes);
    weir_model_spec_fini(&m->spec);
}

#endif
