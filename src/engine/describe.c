/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/model_private.h"

#include "model/head.h"
#include "model/recipe.h"

#include <string.h>

enum { NAMES_SHOWN = 6, METADATA_SHOWN = 60 };

static void describe_ios(struct weir_buf *text, const char *what, const struct weir_io_info *ios, size_t count)
{
    char shape[WEIR_SHAPE_TEXT_MAX];
    for (size_t i = 0; i < count; i++)
        weir_buf_printf(text, "%-10s %s %s %s\n", what, ios[i].name, weir_dtype_name(ios[i].dtype),
                        weir_shape_text(&ios[i].shape, shape));
}

static void describe_metadata(struct weir_buf *text, const struct weir_session_info *info)
{
    for (size_t i = 0; i < info->metadata_count; i++) {
        const char *value = info->metadata[i].value != NULL ? info->metadata[i].value : "";
        weir_buf_printf(text, "%-10s %s = %.*s%s\n", "metadata", info->metadata[i].key, (int)strcspn(value, "\n") < METADATA_SHOWN
                        ? (int)strcspn(value, "\n") : METADATA_SHOWN, value, strlen(value) > METADATA_SHOWN ? "..." : "");
    }
}

static void describe_labels(struct weir_buf *text, const struct weir_model_spec *spec)
{
    weir_buf_printf(text, "%-10s ", "labels");
    if (spec->labels.count == 0) {
        weir_buf_text(text, "none: classes are called class_0 and so on\n");
        return;
    }
    weir_buf_printf(text, "%zu: ", spec->labels.count);
    for (size_t i = 0; i < spec->labels.count && i < NAMES_SHOWN; i++) {
        char name[WEIR_LABEL_MAX];
        weir_labels_copy(&spec->labels, (int32_t)i, name, sizeof name);
        weir_buf_printf(text, "%s%s", i == 0 ? "" : ", ", name);
    }
    weir_buf_printf(text, "%s; %s\n", spec->labels.count > NAMES_SHOWN ? ", ..." : "",
                    spec->labels_from != NULL ? spec->labels_from : "assumed by their number");
}

void weir_model_describe(const struct weir_model *model, struct weir_buf *text)
{
    char recipe[WEIR_RECIPE_TEXT_MAX];
    weir_buf_printf(text, "%-10s %s\n", "model", model->summary);
    if (model->sees_nothing)
        return;
    const struct weir_session_info *info = model->ops->session_info(model->session);
    const struct weir_model_spec *spec = &model->spec;
    describe_ios(text, "input", info->inputs, info->input_count);
    describe_ios(text, "output", info->outputs, info->output_count);
    describe_metadata(text, info);
    weir_buf_printf(text, "%-10s %s%s; from %s\n", "layout", spec->head->name, spec->normalized ? "-norm" : "", spec->layout_from);
    weir_buf_printf(text, "%-10s %s; %s\n", "recipe", weir_recipe_text(&spec->input, recipe),
                    spec->recipe_given ? "the option recipe, over what the layout's exports usually want"
                                       : "assumed: what the layout's exports usually want");
    weir_buf_printf(text, "%-10s %dx%d %s %s; from %s\n", "size", spec->input.width, spec->input.height,
                    spec->input.layout == WEIR_LAYOUT_NCHW ? "NCHW" : "NHWC", weir_dtype_name(spec->input.dtype), spec->size_from);
    if (spec->head->kind != WEIR_RESULT_EMBEDDING)
        describe_labels(text, spec);
    if (spec->head->kind == WEIR_RESULT_DETECTIONS)
        weir_buf_printf(text, "%-10s %g\n", "threshold", (double)spec->threshold);
    if (spec->head->suppress)
        weir_buf_printf(text, "%-10s %g\n", "nms-iou", (double)spec->nms_iou);
}
