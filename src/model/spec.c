/* SPDX-License-Identifier: Apache-2.0 */
#include "model/spec.h"

#include "base/buf.h"
#include "model/head.h"
#include "model/metadata.h"
#include "model/recipe.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
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

enum { BATCH_MAX = 64, SIDE_ASSUMED = 640 };

/* Small inputs beside the picture that are known: two numbers about its size. They get the network's own size, so that
 * boxes come back in input pixels, whatever picture was brought to it. */
static const struct {
    const char *name;
    bool height_first;
    float constant; /* both numbers, when not 0 */
} extras[] = {
    {"orig_target_sizes", false, 0},
    {"orig_image_size", false, 0},
    {"im_shape", true, 0},
    {"image_shape", true, 0},
    {"scale_factor", true, 1},
};

static int read_extra(struct weir_model_spec *spec, const struct weir_session_info *info, size_t index,
                      struct weir_error *err)
{
    const struct weir_io_info *io = &info->inputs[index];
    size_t row = 0;
    while (row < sizeof extras / sizeof *extras && strcmp(extras[row].name, io->name) != 0)
        row++;
    bool pair = io->shape.rank >= 1 && io->shape.rank <= 2 && weir_shape_last(&io->shape, 0) == 2;
    bool number = io->dtype == WEIR_DTYPE_F32 || io->dtype == WEIR_DTYPE_I64 || io->dtype == WEIR_DTYPE_I32;
    if (row == sizeof extras / sizeof *extras || !pair || !number || spec->extra_count == WEIR_EXTRA_INPUTS_MAX) {
        char what[256];
        (void)snprintf(what, sizeof what, "input %.64s is not known: expected one picture and at most orig_target_sizes, "
                       "im_shape or scale_factor of two numbers", io->name);
        return refuse(info, err, what);
    }
    struct weir_extra_input *extra = &spec->extra[spec->extra_count++];
    *extra = (struct weir_extra_input){.index = index, .shape = io->shape};
    if (extra->shape.dims[0] == WEIR_DIM_DYNAMIC)
        extra->shape.dims[0] = 1;
    extra->values[0] = extras[row].constant != 0 ? extras[row].constant : extras[row].height_first ? -2 : -1;
    extra->values[1] = extras[row].constant != 0 ? extras[row].constant : extras[row].height_first ? -1 : -2;
    return 0;
}

/* Now that the size is known: -1 stands for the width, -2 for the height. */
static void close_extras(struct weir_model_spec *spec)
{
    for (size_t i = 0; i < spec->extra_count; i++)
        for (int k = 0; k < 2; k++)
            if (spec->extra[i].values[k] < 0)
                spec->extra[i].values[k] = (float)(spec->extra[i].values[k] > -1.5F ? spec->input.width : spec->input.height);
}

static int read_picture(struct weir_model_spec *spec, const struct weir_session_info *info, struct weir_error *err)
{
    const struct weir_io_info *io = &info->inputs[spec->input_index];
    int channels = channel_dimension(&io->shape);
    if (channels < 0)
        return refuse(info, err, "can't tell which dimension of the input holds the 3 colours: expected [1, 3, H, W] or "
                                 "[1, H, W, 3]");
    if (io->dtype == WEIR_DTYPE_NONE || io->dtype == WEIR_DTYPE_I32 || io->dtype == WEIR_DTYPE_I64)
        return refuse(info, err, "expected an input of float32, float16, uint8 or int8");
    spec->batch = io->shape.dims[0] == WEIR_DIM_DYNAMIC ? 1 : io->shape.dims[0];
    if (spec->batch < 1 || spec->batch > BATCH_MAX)
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

static int read_inputs(struct weir_model_spec *spec, const struct weir_session_info *info, struct weir_error *err)
{
    size_t pictures = 0;
    for (size_t i = 0; i < info->input_count; i++) {
        if (info->inputs[i].shape.rank != 4)
            continue;
        pictures++;
        spec->input_index = i;
    }
    if (pictures != 1 || info->output_count == 0)
        return refuse(info, err, "expected one input of 4 dimensions, a picture [1, 3, H, W] or [1, H, W, 3]");
    for (size_t i = 0; i < info->input_count; i++) {
        int code = i == spec->input_index ? 0 : read_extra(spec, info, i, err);
        if (code != 0)
            return code;
    }
    return read_picture(spec, info, err);
}

/* An open side is as long as the one that is given; with none given, what most exports are trained for. */
static void assume_size(struct weir_model_spec *spec, struct weir_input_spec *wished)
{
    if (wished->width > 0 && wished->height > 0)
        return;
    int side = wished->width > 0 ? wished->width : wished->height > 0 ? wished->height : SIDE_ASSUMED;
    wished->width = wished->height = side;
    spec->size_assumed = true;
    spec->size_from = "nowhere: assumed, since the model leaves it open; WIDTHxHEIGHT in the recipe sets it";
}

/* Sizes that the model leaves open come from the recipe, or from what its exporter noted. */
static int close_input_size(struct weir_model_spec *spec, const struct weir_session_info *info, const char *recipe,
                            struct weir_error *err)
{
    struct weir_input_spec wished = spec->input;
    wished.std[0] = wished.std[1] = wished.std[2] = 1;
    if (recipe != NULL) {
        int code = weir_recipe_parse(&wished, recipe, err);
        if (code != 0)
            return code;
    }
    int noted[2] = {0, 0}; /* height, width */
    if (weir_metadata_pair(info, "imgsz", noted) && (noted[0] < 1 || noted[1] < 1 || noted[0] > 8192 || noted[1] > 8192))
        return refuse(info, err, "the model's metadata \"imgsz\" is no picture size");
    spec->size_from = spec->input.width > 0 && spec->input.height > 0 ? "the model" : "the option recipe";
    if (wished.width == 0 && wished.height == 0 && noted[0] > 0) {
        wished.height = noted[0];
        wished.width = noted[1];
        spec->size_from = "the model's metadata";
    }
    assume_size(spec, &wished);
    if (spec->input.width == 0)
        spec->input.width = wished.width;
    if (spec->input.height == 0)
        spec->input.height = wished.height;
    if (spec->input.width != wished.width || spec->input.height != wished.height)
        return refuse(info, err, "the recipe's size is not the model's");
    bool nchw = spec->input.layout == WEIR_LAYOUT_NCHW;
    spec->input_shape.dims[0] = spec->batch;
    spec->input_shape.dims[nchw ? 2 : 1] = spec->input.height;
    spec->input_shape.dims[nchw ? 3 : 2] = spec->input.width;
    return 0;
}

/* The names of heads that match at `level`, "yolox, yolov8". */
static size_t list_heads(const struct weir_session_info *info, const struct weir_model_spec *spec, enum weir_match level,
                         size_t classes, const struct weir_head **one, struct weir_buf *names)
{
    size_t count = 0;
    for (size_t i = 0; weir_heads[i] != NULL; i++) {
        struct weir_model_spec attempt = *spec;
        bool matches = weir_heads[i]->match(&attempt, info) == level && (classes == 0 || attempt.classes == classes);
        free(attempt.anchors);
        if (!matches)
            continue;
        weir_buf_printf(names, "%s%s", count == 0 ? "" : ", ", weir_heads[i]->name);
        *one = weir_heads[i];
        count++;
    }
    return count;
}

static int refuse_ambiguous(const struct weir_session_info *info, const char *names, struct weir_error *err)
{
    char what[320];
    (void)snprintf(what, sizeof what, "the outputs alone do not tell what they mean: set layout to one of %.220s", names);
    return refuse(info, err, what);
}

/* From the surest match down. Between equals the one with as many classes as there are names, or as COCO has. */
static int find_head(struct weir_model_spec *spec, const struct weir_session_info *info, struct weir_error *err)
{
    enum { COCO_CLASSES = 80 };
    struct weir_buf names = {0}, fitting = {0};
    size_t count = 0;
    enum weir_match level = WEIR_MATCH_NAMES;
    for (; level > WEIR_MATCH_NO; level--) {
        count = list_heads(info, spec, level, 0, &spec->head, &names);
        if (count > 0)
            break;
    }
    if (count > 1 && level > WEIR_MATCH_IF_ASKED) {
        /* With names that fit none, the usual reading: that their number is wrong is then what the user hears. */
        count = spec->labels.count > 0 ? list_heads(info, spec, level, spec->labels.count, &spec->head, &fitting) : 0;
        if (count == 0)
            count = list_heads(info, spec, level, COCO_CLASSES, &spec->head, &fitting);
    }
    int code = 0;
    if (level == WEIR_MATCH_NO)
        code = refuse(info, err, "no known family of models has these outputs");
    else if (count != 1 || level == WEIR_MATCH_IF_ASKED)
        code = refuse_ambiguous(info, names.data, err);
    else
        (void)spec->head->match(spec, info);
    spec->layout_from = "names and shapes of its outputs";
    weir_buf_fini(&names);
    weir_buf_fini(&fitting);
    return code;
}

static int unknown_layout(const char *layout, struct weir_error *err)
{
    struct weir_buf names = {0};
    for (size_t i = 0; weir_heads[i] != NULL; i++)
        weir_buf_printf(&names, "%s%s", i == 0 ? "" : ", ", weir_heads[i]->name);
    int code = weir_error_set(err, -EINVAL, "layout: expected one of %s, with -norm after it when boxes are 0..1; found \"%s\"",
                              names.data != NULL ? names.data : "", layout);
    weir_buf_fini(&names);
    return code;
}

static int choose_head(struct weir_model_spec *spec, const struct weir_session_info *info, const char *layout,
                       struct weir_error *err)
{
    static const char suffix[] = "-norm";
    char name[32];
    if (layout == NULL)
        return find_head(spec, info, err);
    size_t length = strlen(layout), cut = sizeof suffix - 1;
    spec->normalized = length > cut && strcmp(layout + length - cut, suffix) == 0;
    (void)snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length - (spec->normalized ? cut : 0) : 0), layout);
    spec->head = weir_head_find(name);
    if (spec->head == NULL)
        return unknown_layout(layout, err);
    spec->layout_from = "the option layout";
    return spec->head->match(spec, info) != WEIR_MATCH_NO
               ? 0
               : refuse(info, err, "the outputs are not of the layout that was asked for");
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

/* Names that are there before the head is known: they may decide between two. */
static int read_labels(struct weir_model_spec *spec, const struct weir_session_info *info, const char *labels,
                       struct weir_log *log, struct weir_error *err)
{
    if (labels != NULL) {
        int code = weir_labels_known(&spec->labels, labels);
        spec->labels_from = "from the option labels";
        return code == -ENOENT ? weir_labels_load(&spec->labels, labels, err) : code;
    }
    const char *names = weir_metadata_find(info, "names");
    if (names == NULL)
        return 0;
    if (weir_labels_parse_names(&spec->labels, names) == 0)
        spec->labels_from = "from the model's metadata";
    else
        weir_log_warn(log, "model", "the model's metadata \"names\" is not understood: %.40s", names);
    return 0;
}

static int settle_labels(struct weir_model_spec *spec, const char *labels, struct weir_log *log, struct weir_error *err)
{
    bool counts = spec->labels.count > 0 && spec->classes > 0 && spec->head->kind != WEIR_RESULT_EMBEDDING;
    if (counts && spec->labels.count != spec->classes)
        return weir_error_set(err, -EINVAL, "labels %s: the model has %zu classes, the list has %zu names%s",
                              labels != NULL ? labels : "in the model's metadata", spec->classes, spec->labels.count,
                              labels != NULL ? "" : "; set labels, or layout if it was found wrongly");
    if (spec->labels_from != NULL)
        return 0;
    if (spec->head->labels != NULL && (spec->classes <= 1 || spec->head->kind == WEIR_RESULT_EMBEDDING)) {
        spec->labels_from = "assumed for the family";
        return weir_labels_known(&spec->labels, spec->head->labels);
    }
    if (weir_labels_for_count(&spec->labels, spec->classes))
        spec->labels_from = "assumed by their number";
    else
        weir_log_warn(log, "model", "no labels are known for %zu classes: they are called class_0 and so on; set labels",
                      spec->classes);
    return 0;
}

static int check_numbers(const struct weir_model_spec *spec, struct weir_error *err)
{
    if (!(spec->threshold > 0 && spec->threshold < 1))
        return weir_error_set(err, -EINVAL, "threshold: expected a number over 0 and under 1, found %g", (double)spec->threshold);
    if (!(spec->nms_iou > 0 && spec->nms_iou <= 1))
        return weir_error_set(err, -EINVAL, "nms_iou: expected a number over 0 and up to 1, found %g", (double)spec->nms_iou);
    return 0;
}

static const char *unless_auto(const char *option)
{
    return option == NULL || option[0] == '\0' || strcmp(option, "auto") == 0 ? NULL : option;
}

/* What a head sees of a model with more than one picture a run: the first one's outputs. */
static struct weir_session_info first_of_batch(const struct weir_model_spec *spec, const struct weir_session_info *info,
                                               struct weir_io_info outputs[WEIR_RUNTIME_IO_MAX])
{
    struct weir_session_info first = *info;
    memcpy(outputs, info->outputs, info->output_count * sizeof *outputs);
    first.outputs = outputs;
    for (size_t i = 0; i < info->output_count; i++)
        if (outputs[i].shape.rank > 1 && outputs[i].shape.dims[0] == spec->batch)
            outputs[i].shape.dims[0] = 1;
    return first;
}

int weir_model_spec_init(struct weir_model_spec *spec, const struct weir_session_info *info,
                         const struct weir_spec_params *params, struct weir_log *log, struct weir_error *err)
{
    struct weir_io_info outputs[WEIR_RUNTIME_IO_MAX];
    struct weir_session_info first;
    const char *layout = unless_auto(params->layout), *recipe = unless_auto(params->recipe);
    const char *labels = unless_auto(params->labels);
    memset(spec, 0, sizeof *spec);
    int code = read_inputs(spec, info, err);
    if (code == 0)
        code = close_input_size(spec, info, recipe, err);
    if (code == 0)
        code = read_labels(spec, info, labels, log, err);
    if (code == 0) {
        first = first_of_batch(spec, info, outputs);
        code = choose_head(spec, &first, layout, err);
    }
    if (code == 0 && spec->size_assumed)
        weir_log_warn(log, "model", "the model leaves its input size open: %dx%d is taken; add the size to the recipe",
                      spec->input.width, spec->input.height);
    if (code == 0 && spec->batch > 1)
        weir_log_warn(log, "model", "the model takes %d pictures a run, one is given at a time: export it with batch 1",
                      (int)spec->batch);
    if (code == 0)
        code = choose_recipe(spec, recipe, err);
    if (code == 0)
        code = settle_labels(spec, labels, log, err);
    close_extras(spec);
    spec->recipe_given = recipe != NULL;
    if (code == 0) {
        spec->threshold = isnan(params->threshold) ? spec->head->threshold : params->threshold;
        spec->nms_iou = isnan(params->nms_iou) ? spec->head->nms_iou : params->nms_iou;
        code = check_numbers(spec, err);
    }
    if (code != 0)
        weir_model_spec_fini(spec);
    return code;
}
