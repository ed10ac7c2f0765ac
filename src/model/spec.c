/* SPDX-License-Identifier: Apache-2.0 */
#include "model/spec.h"

#include "base/buf.h"
#include "model/head.h"
#include "model/recipe.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void weir_model_spec_fini(struct weir_model_spec *spec)
{
    weir_labels_fini(&spec->labels);
    free(spec->anchors);
    memset(spec, 0, sizeof *spec);
}

/* "inputs images float32 [1, 3, 416, 416]; outputs output float32 [1, 3549, 85]", for messages. */
static void describe(const struct weir_session_info *info, struct weir_buf *text)
{
    char shape[WEIR_SHAPE_TEXT_MAX];
    for (size_t i = 0; i < info->input_count; i++)
        weir_buf_printf(text, "%s%s %s %s", i == 0 ? "inputs " : ", ", info->inputs[i].name,
                        weir_dtype_name(info->inputs[i].dtype), weir_shape_text(&info->inputs[i].shape, shape));
    for (size_t i = 0; i < info->output_count; i++)
        weir_buf_printf(text, "%s%s %s %s", i == 0 ? "; outputs " : ", ", info->outputs[i].name,
                        weir_dtype_name(info->outputs[i].dtype), weir_shape_text(&info->outputs[i].shape, shape));
}

static int refuse(const struct weir_session_info *info, struct weir_error *err, const char *what)
{
    struct weir_buf text = {0};
    describe(info, &text);
    int code = weir_error_set(err, -ENOTSUP, "%s; found %s", what, text.data != NULL ? text.data : "nothing");
    weir_buf_fini(&text);
    return code;
}

/* Which dimension holds the channels, by their number: 1 (NCHW), 3 (NHWC), or -1 when neither or both could. */
static int channel_dimension(const struct weir_shape *shape)
{
    bool first = shape->dims[1] == 3 || shape->dims[1] == 1;
    bool last = shape->dims[3] == 3 || shape->dims[3] == 1;
    if (first == last)
        return -1;
    return first ? 1 : 3;
}

static int read_input(struct weir_model_spec *spec, const struct weir_session_info *info, struct weir_error *err)
{
    if (info->input_count != 1 || info->inputs[0].shape.rank != 4)
        return refuse(info, err, "expected one input of 4 dimensions, a picture [1, 3, H, W] or [1, H, W, 3]");
    const struct weir_io_info *io = &info->inputs[0];
    int channels = channel_dimension(&io->shape);
    if (channels < 0)
        return refuse(info, err, "can't tell which dimension of the input holds the 3 colours: expected [1, 3, H, W] or "
                                 "[1, H, W, 3]");
    if (io->dtype == WEIR_DTYPE_NONE || io->dtype == WEIR_DTYPE_I32 || io->dtype == WEIR_DTYPE_I64)
        return refuse(info, err, "expected an input of float32, float16, uint8 or int8");
    if (io->shape.dims[0] != 1 && io->shape.dims[0] != WEIR_DIM_DYNAMIC)
        return refuse(info, err, "expected a batch of 1: export the model with batch 1 or an open batch");
    spec->input.layout = channels == 1 ? WEIR_LAYOUT_NCHW : WEIR_LAYOUT_NHWC;
    spec->input.dtype = io->dtype;
    spec->input.order = io->shape.dims[channels] == 1 ? WEIR_ORDER_GRAY : WEIR_ORDER_RGB;
    int64_t height = io->shape.dims[channels == 1 ? 2 : 1], width = io->shape.dims[channels == 1 ? 3 : 2];
    if (height > 8192 || width > 8192 || height == 0 || width == 0)
        return refuse(info, err, "expected an input of 1 to 8192 pixels a side");
    spec->input.height = height > 0 ? (int)height : 0;
    spec->input.width = width > 0 ? (int)width : 0;
    spec->input_shape = io->shape;
    return 0;
}

/* Sizes that the model leaves open come from the recipe. */
static int close_input_size(struct weir_model_spec *spec, const struct weir_session_info *info, const char *recipe,
                            struct weir_error *err)
{
    struct weir_input_spec wished = spec->input;
    if (recipe != NULL) {
        int code = weir_recipe_parse(&wished, recipe, err);
        if (code != 0)
            return code;
    }
    if (spec->input.width == 0)
        spec->input.width = wished.width;
    if (spec->input.height == 0)
        spec->input.height = wished.height;
    if (spec->input.width == 0 || spec->input.height == 0)
        return refuse(info, err, "the model leaves its input size open: add it to the recipe, \"640x640\"");
    if (spec->input.width != wished.width || spec->input.height != wished.height)
        return refuse(info, err, "the recipe's size is not the model's");
    bool nchw = spec->input.layout == WEIR_LAYOUT_NCHW;
    spec->input_shape.dims[0] = 1;
    spec->input_shape.dims[nchw ? 2 : 1] = spec->input.height;
    spec->input_shape.dims[nchw ? 3 : 2] = spec->input.width;
    return 0;
}

static int choose_head(struct weir_model_spec *spec, const struct weir_session_info *info, const char *layout,
                       struct weir_error *err)
{
    if (layout != NULL) {
        spec->head = weir_head_find(layout);
        if (spec->head == NULL)
            return weir_error_set(err, -EINVAL, "layout: expected yolox or ssd, found \"%s\"", layout);
        return spec->head->prepare(spec, info) ? 0 : refuse(info, err, "the outputs are not of the layout that was asked for");
    }
    for (size_t i = 0; weir_heads[i] != NULL; i++) {
        spec->head = weir_heads[i];
        if (spec->head->prepare(spec, info))
            return 0;
    }
    return refuse(info, err, "no known detector has these outputs: expected YOLOX [1, N, 5 + classes] or SSD "
                             "[1, N, 4] and [1, N, classes]");
}

static int choose_recipe(struct weir_model_spec *spec, const char *recipe, struct weir_error *err)
{
    /* A range that no recipe names, so that the words below always set one. */
    spec->input.std[0] = spec->input.std[1] = spec->input.std[2] = 1;
    int code = weir_recipe_parse(&spec->input, spec->head->recipe, err);
    if (code == 0 && recipe != NULL)
        code = weir_recipe_parse(&spec->input, recipe, err);
    return code;
}

static int choose_labels(struct weir_model_spec *spec, const char *labels, struct weir_log *log, struct weir_error *err)
{
    if (labels == NULL || labels[0] == '\0') {
        if (!weir_labels_for_count(&spec->labels, spec->classes))
            weir_log_warn(log, "model", "no labels are known for %zu classes: they are called class_0 and so on; set labels",
                          spec->classes);
        return 0;
    }
    int code = weir_labels_known(&spec->labels, labels);
    if (code == -ENOENT)
        code = weir_labels_load(&spec->labels, labels, err);
    if (code == 0 && spec->labels.count > 0 && spec->labels.count != spec->classes)
        code = weir_error_set(err, -EINVAL, "labels %s: the model has %zu classes, the list has %zu names", labels,
                              spec->classes, spec->labels.count);
    return code;
}

static int check_numbers(const struct weir_model_spec *spec, struct weir_error *err)
{
    if (!(spec->threshold > 0 && spec->threshold < 1))
        return weir_error_set(err, -EINVAL, "threshold: expected a number over 0 and under 1, found %g", (double)spec->threshold);
    if (!(spec->nms_iou > 0 && spec->nms_iou <= 1))
        return weir_error_set(err, -EINVAL, "nms_iou: expected a number over 0 and up to 1, found %g", (double)spec->nms_iou);
    return 0;
}

int weir_model_spec_init(struct weir_model_spec *spec, const struct weir_session_info *info,
                         const struct weir_spec_params *params, struct weir_log *log, struct weir_error *err)
{
    memset(spec, 0, sizeof *spec);
    int code = read_input(spec, info, err);
    if (code == 0)
        code = close_input_size(spec, info, params->recipe, err);
    if (code == 0)
        code = choose_head(spec, info, params->layout, err);
    if (code == 0)
        code = choose_recipe(spec, params->recipe, err);
    if (code == 0)
        code = choose_labels(spec, params->labels, log, err);
    if (code == 0) {
        spec->threshold = isnan(params->threshold) ? spec->head->threshold : params->threshold;
        spec->nms_iou = isnan(params->nms_iou) ? spec->head->nms_iou : params->nms_iou;
        code = check_numbers(spec, err);
    }
    if (code != 0)
        weir_model_spec_fini(spec);
    return code;
}
