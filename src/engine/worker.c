/* SPDX-License-Identifier: Apache-2.0 */

/* One thread's way through a picture: planes, tensor (written once, into memory the runtime reads in place), run, head (read in
 * place), NMS, source pixels. Everything is allocated when the worker is made or grows to its size once. */

#include "engine/model_private.h"

#include "base/clock.h"
#include "model/head.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POOL_RETAIN_BYTES = 16 << 20,
    TOP_K = 3000, /* candidates that NMS looks at */
    KEEP = 300,   /* detections of one picture */
};

struct weir_worker {
    struct weir_model *model;
    struct weir_request *request;
    struct weir_block_pool *pool;
    struct weir_jpeg_decoder *decoder;
    struct weir_input_scratch *scratch;
    struct weir_box_list boxes;
    float *widened[WEIR_RUNTIME_IO_MAX]; /* outputs of other types as float32 */
    size_t widened_size[WEIR_RUNTIME_IO_MAX];
};

void weir_worker_free(struct weir_worker **out)
{
    struct weir_worker *worker = *out;
    *out = NULL;
    if (worker == NULL)
        return;
    if (worker->request != NULL)
        worker->model->ops->request_free(worker->request);
    weir_jpeg_decoder_free(&worker->decoder);
    weir_input_scratch_free(&worker->scratch);
    weir_box_list_fini(&worker->boxes);
    for (int i = 0; i < WEIR_RUNTIME_IO_MAX; i++)
        free(worker->widened[i]);
    weir_block_pool_free(&worker->pool);
    free(worker);
}

static int lend_input(struct weir_worker *worker, struct weir_tensor *input, struct weir_error *err)
{
    struct weir_model *model = worker->model;
    return model->ops->input(worker->request, model->spec.input_index, &model->spec.input_shape, input, err);
}

/* Constant, so written once: the request lends the same memory from run to run. */
static int fill_extra_inputs(struct weir_worker *worker, struct weir_error *err)
{
    const struct weir_model_spec *spec = &worker->model->spec;
    for (size_t i = 0; i < spec->extra_count; i++) {
        const struct weir_extra_input *extra = &spec->extra[i];
        struct weir_tensor tensor;
        int code = worker->model->ops->input(worker->request, extra->index, &extra->shape, &tensor, err);
        if (code != 0)
            return code;
        size_t count = tensor.size / weir_dtype_size(tensor.dtype);
        for (size_t k = 0; k < count; k++) {
            if (tensor.dtype == WEIR_DTYPE_I64)
                ((int64_t *)tensor.data)[k] = (int64_t)extra->values[k % 2];
            else if (tensor.dtype == WEIR_DTYPE_I32)
                ((int32_t *)tensor.data)[k] = (int32_t)extra->values[k % 2];
            else
                ((float *)tensor.data)[k] = extra->values[k % 2];
        }
    }
    return 0;
}

/* The first run builds what the library builds lazily; it must not be somebody's first frame. */
static int warm_up(struct weir_worker *worker, struct weir_error *err)
{
    struct weir_tensor input;
    if (worker->model->sees_nothing)
        return 0;
    int code = lend_input(worker, &input, err);
    if (code == 0)
        code = fill_extra_inputs(worker, err);
    if (code == 0)
        code = worker->model->ops->run(worker->request, err);
    return code;
}

static int make(struct weir_worker *worker, struct weir_error *err)
{
    worker->pool = weir_block_pool_new(POOL_RETAIN_BYTES);
    worker->scratch = weir_input_scratch_new();
    if (worker->pool == NULL || worker->scratch == NULL || weir_jpeg_decoder_new(&worker->decoder, worker->pool) != 0)
        return weir_error_set(err, -ENOMEM, "no memory for a worker");
    int code = worker->model->ops->request_new(worker->model->session, &worker->request, err);
    return code == 0 ? warm_up(worker, err) : code;
}

int weir_worker_new(struct weir_worker **out, struct weir_model *model, struct weir_error *err)
{
    *out = NULL;
    struct weir_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a worker");
    worker->model = model;
    int code = make(worker, err);
    if (code != 0) {
        weir_worker_free(&worker);
        return code;
    }
    *out = worker;
    return 0;
}

static float widen_one(const struct weir_tensor *tensor, size_t i)
{
    switch (tensor->dtype) {
    case WEIR_DTYPE_F16: return weir_f16_to_f32(((const uint16_t *)tensor->data)[i]);
    case WEIR_DTYPE_U8: return ((const uint8_t *)tensor->data)[i];
    case WEIR_DTYPE_I8: return ((const int8_t *)tensor->data)[i];
    case WEIR_DTYPE_I32: return (float)((const int32_t *)tensor->data)[i];
    case WEIR_DTYPE_I64: return (float)((const int64_t *)tensor->data)[i];
    default: return ((const float *)tensor->data)[i];
    }
}

static bool widen(struct weir_worker *worker, size_t index, struct weir_tensor *tensor)
{
    size_t count = tensor->size / weir_dtype_size(tensor->dtype);
    if (worker->widened_size[index] < count) {
        float *grown = reallocarray(worker->widened[index], count, sizeof *grown);
        if (grown == NULL)
            return false;
        worker->widened[index] = grown;
        worker->widened_size[index] = count;
    }
    for (size_t i = 0; i < count; i++)
        worker->widened[index][i] = widen_one(tensor, i);
    tensor->data = worker->widened[index];
    tensor->dtype = WEIR_DTYPE_F32;
    tensor->size = count * sizeof(float);
    return true;
}

static bool agrees(const struct weir_shape *declared, const struct weir_shape *actual)
{
    bool same = declared->rank == actual->rank;
    for (int i = 0; same && i < actual->rank; i++)
        same = declared->dims[i] == WEIR_DIM_DYNAMIC || declared->dims[i] == actual->dims[i];
    return same;
}

/* Of a batch the first picture's part, which lies first. */
static void cut_to_first(struct weir_tensor *tensor, int64_t batch)
{
    if (batch > 1 && tensor->shape.rank > 1 && tensor->shape.dims[0] == batch) {
        tensor->shape.dims[0] = 1;
        tensor->size /= (size_t)batch;
    }
}

/* One output as the head wants it. What was declared at load time is checked again: a library may answer otherwise. */
static int read_output(struct weir_worker *worker, size_t index, struct weir_tensor *tensor, struct weir_error *err)
{
    struct weir_model *model = worker->model;
    const struct weir_io_info *io = &model->ops->session_info(model->session)->outputs[index];
    int code = model->ops->output(worker->request, index, tensor, err);
    if (code != 0)
        return code;
    size_t count, element = weir_dtype_size(tensor->dtype);
    if (element == 0 || !agrees(&io->shape, &tensor->shape) || !weir_shape_count(&tensor->shape, element, &count) ||
        tensor->size != count * element) {
        char expected[WEIR_SHAPE_TEXT_MAX], found[WEIR_SHAPE_TEXT_MAX];
        return weir_error_set(err, -EIO, "output %.40s: expected numbers of shape %.60s, found %zu bytes of %s %.60s", io->name,
                              weir_shape_text(&io->shape, expected), tensor->size, weir_dtype_name(tensor->dtype),
                              weir_shape_text(&tensor->shape, found));
    }
    cut_to_first(tensor, model->spec.batch);
    if (tensor->dtype != WEIR_DTYPE_F32 && !widen(worker, index, tensor))
        return weir_error_set(err, -ENOMEM, "no memory for output %s", io->name);
    return 0;
}

static int read_outputs(struct weir_worker *worker, struct weir_tensor outputs[WEIR_RUNTIME_IO_MAX], struct weir_error *err)
{
    size_t count = worker->model->ops->session_info(worker->model->session)->output_count;
    int code = 0;
    for (size_t i = 0; code == 0 && i < count; i++)
        code = read_output(worker, i, &outputs[i], err);
    return code;
}

/* False when out of memory. Points that are no numbers are counted as suspect. */
static bool add_points(struct weir_worker *worker, const struct weir_tensor *outputs, const struct weir_candidate_box *box,
                       const struct weir_placement *placement, struct weir_detection *detection, struct weir_result *result)
{
    const struct weir_model_spec *spec = &worker->model->spec;
    struct weir_point points[WEIR_HEAD_POINTS_MAX];
    size_t count = spec->head->points != NULL ? spec->head->points(spec, outputs, box, points) : 0;
    detection->points_at = (uint32_t)result->point_count;
    detection->points = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        struct weir_point *point = weir_result_add_point(result);
        if (point == NULL)
            return false;
        if (!isfinite(points[i].x) || !isfinite(points[i].y) || !isfinite(points[i].score))
            worker->boxes.suspect++;
        float corners[4] = {points[i].x, points[i].y, points[i].x, points[i].y};
        weir_placement_undo(placement, corners);
        *point = (struct weir_point){corners[0], corners[1], points[i].score};
    }
    return true;
}

static void add_detections(struct weir_worker *worker, const struct weir_tensor *outputs,
                           const struct weir_placement *placement, struct weir_result *result)
{
    for (size_t i = 0; i < worker->boxes.count; i++) {
        const struct weir_candidate_box *box = &worker->boxes.boxes[i];
        struct weir_detection *detection = weir_result_add_detection(result);
        if (detection == NULL || !add_points(worker, outputs, box, placement, detection, result)) {
            weir_result_fail(result, WEIR_REASON_OUT_OF_MEMORY, "no memory for %zu detections", worker->boxes.count);
            return;
        }
        memcpy(detection->box, box->box, sizeof detection->box);
        weir_placement_undo(placement, detection->box);
        detection->score = box->score;
        detection->angle = box->angle;
        detection->class_index = box->class_index;
        weir_labels_copy(&worker->model->spec.labels, box->class_index, detection->label, sizeof detection->label);
    }
}

static void suspect(struct weir_result *result, uint64_t rows)
{
    weir_result_fail(result, WEIR_REASON_MODEL_OUTPUT_SUSPECT, "%llu rows of the model's output can't be true (not a number, a "
                     "score over 1, a box inside out or inside one pixel): check recipe and layout",
                     (unsigned long long)rows);
}

static void detect(struct weir_worker *worker, const struct weir_tensor *outputs, const struct weir_placement *placement,
                   struct weir_result *result)
{
    const struct weir_model_spec *spec = &worker->model->spec;
    worker->boxes.count = 0;
    worker->boxes.suspect = 0;
    if (weir_head_read(spec, outputs, &worker->boxes) != 0) {
        weir_result_fail(result, WEIR_REASON_OUT_OF_MEMORY, "no memory for candidates");
        return;
    }
    if (worker->boxes.suspect > 0) {
        suspect(result, worker->boxes.suspect);
        return;
    }
    if (spec->head->suppress)
        weir_nms(&worker->boxes, spec->nms_iou, false, TOP_K, KEEP);
    else
        weir_box_list_sort(&worker->boxes, KEEP);
    add_detections(worker, outputs, placement, result);
    if (worker->boxes.suspect > 0)
        suspect(result, worker->boxes.suspect);
}

static void postprocess(struct weir_worker *worker, const struct weir_placement *placement, struct weir_result *result)
{
    const struct weir_head *head = worker->model->spec.head;
    struct weir_tensor outputs[WEIR_RUNTIME_IO_MAX];
    struct weir_error err = {0};
    if (read_outputs(worker, outputs, &err) != 0) {
        weir_result_fail(result, WEIR_REASON_INFERENCE_FAILED, "%.240s", err.text);
        return;
    }
    if (head->describe == NULL) {
        detect(worker, outputs, placement, result);
        return;
    }
    int code = head->describe(&worker->model->spec, outputs, result);
    if (code == -EDOM)
        suspect(result, 1);
    else if (code != 0)
        weir_result_fail(result, WEIR_REASON_OUT_OF_MEMORY, "no memory for the result");
}

static int64_t lap(int64_t *since_ns)
{
    int64_t now_ns = weir_clock_ns();
    int64_t took_ns = now_ns - *since_ns;
    *since_ns = now_ns;
    return took_ns;
}

/* From planes on. */
static void look(struct weir_worker *worker, const struct weir_image *image, const struct weir_region *region,
                 struct weir_result *result)
{
    struct weir_model *model = worker->model;
    struct weir_placement placement;
    struct weir_tensor input;
    struct weir_error err = {0};
    int64_t since_ns = weir_clock_ns();
    result->image_width = image->source_width;
    result->image_height = image->source_height;
    (void)memcpy(result->device, model->device, sizeof result->device);
    int code = lend_input(worker, &input, &err);
    if (code == 0 && weir_input_fill(worker->scratch, &model->spec.input, image, region, input.data, &placement) != 0)
        code = weir_error_set(&err, -EINVAL, "the picture of %dx%d can't be brought to the model's input", image->width,
                              image->height);
    result->timings.preprocess_ns = lap(&since_ns);
    if (code == 0)
        code = model->ops->run(worker->request, &err);
    result->timings.inference_ns = lap(&since_ns);
    if (code != 0)
        weir_result_fail(result, WEIR_REASON_INFERENCE_FAILED, "%.240s", err.text);
    else
        postprocess(worker, &placement, result);
    result->timings.postprocess_ns = lap(&since_ns);
}

static void see_nothing(struct weir_worker *worker, struct weir_result *result)
{
    struct weir_error err = {0};
    int64_t since_ns = weir_clock_ns();
    if (worker->model->ops->run(worker->request, &err) != 0)
        weir_result_fail(result, WEIR_REASON_INFERENCE_FAILED, "%.240s", err.text);
    result->timings.inference_ns = lap(&since_ns);
}

static enum weir_reason reason_of(enum weir_jpeg_code code)
{
    switch (code) {
    case WEIR_JPEG_TRUNCATED: return WEIR_REASON_JPEG_TRUNCATED;
    case WEIR_JPEG_UNSUPPORTED: return WEIR_REASON_JPEG_UNSUPPORTED;
    case WEIR_JPEG_TOO_LARGE: return WEIR_REASON_TOO_LARGE;
    case WEIR_JPEG_NO_MEMORY: return WEIR_REASON_OUT_OF_MEMORY;
    default: return WEIR_REASON_JPEG_INVALID;
    }
}

void weir_worker_detect_jpeg(struct weir_worker *worker, const void *bytes, size_t size, struct weir_result *result)
{
    weir_result_clear(result);
    if (worker->model->sees_nothing) {
        see_nothing(worker, result);
        return;
    }
    struct weir_image *image = NULL;
    struct weir_error err = {0};
    int64_t since_ns = weir_clock_ns();
    enum weir_jpeg_code code = weir_jpeg_decode(worker->decoder, bytes, size, &worker->model->jpeg, &image, &err);
    result->timings.decode_ns = lap(&since_ns);
    if (code != WEIR_JPEG_OK) {
        weir_result_fail(result, reason_of(code), "%.240s", err.text);
        return;
    }
    look(worker, image, NULL, result);
    weir_image_unref(&image);
}

void weir_worker_detect_image(struct weir_worker *worker, const struct weir_image *image, const struct weir_region *region,
                              struct weir_result *result)
{
    weir_result_clear(result);
    if (worker->model->sees_nothing)
        see_nothing(worker, result);
    else
        look(worker, image, region, result);
}
