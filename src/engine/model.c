/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/model_private.h"

#include "base/clock.h"
#include "model/head.h"
#include "model/recipe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void weir_model_free(struct weir_model **out)
{
    struct weir_model *model = *out;
    *out = NULL;
    if (model == NULL)
        return;
    weir_model_spec_fini(&model->spec);
    if (model->session != NULL)
        model->ops->session_free(model->session);
    if (model->runtime != NULL)
        model->ops->close(model->runtime);
    free(model);
}

static int open_session(struct weir_model *model, const struct weir_model_params *params, struct weir_error *err)
{
    struct weir_runtime_params runtime_params = {.library = params->runtime_library};
    struct weir_load_params load_params = {
        .path = params->path,
        .device = params->device,
        .require_device = params->require_device,
        .workers = params->workers,
        .threads_per_worker = 1,
        .null_run_ns = params->null_run_ns,
    };
    int code = weir_runtime_open(params->runtime, params->path, &runtime_params, model->log, &model->ops, &model->runtime,
                                 err);
    if (code == 0)
        code = model->ops->session_new(model->runtime, &load_params, &model->session, err);
    return code;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void summarise(struct weir_model *model, const struct weir_model_params *params)
{
    const struct weir_session_info *info = model->ops->session_info(model->session);
    if (model->sees_nothing)
        (void)snprintf(model->summary, sizeof model->summary, "null, %g ms a picture",
                       (double)params->null_run_ns / WEIR_NS_PER_MS);
    else
        (void)snprintf(model->summary, sizeof model->summary, "%.80s (%s) on %s %s, %.60s", file_name(params->path),
                       model->spec.head->title, model->ops->title, model->ops->version(model->runtime), info->device_used);
    if (info->fallback_reason[0] != '\0')
        (void)snprintf(model->device, sizeof model->device, "%.31s", info->device_used);
}

/* Once, with what was assumed: weir model info says the rest. */
static void log_what_was_found(const struct weir_model *model)
{
    char recipe[WEIR_RECIPE_TEXT_MAX];
    const struct weir_model_spec *spec = &model->spec;
    weir_log_info(model->log, "model", "%s: input %dx%d %s, threshold %g, layout from %s, recipe %s, %zu labels %s, library=%s",
                  model->summary, spec->input.width, spec->input.height, weir_recipe_text(&spec->input, recipe),
                  (double)spec->threshold, spec->layout_from, spec->recipe_given ? "from the option" : "assumed by the layout",
                  spec->labels.count, spec->labels_from != NULL ? spec->labels_from : "known",
                  model->ops->library(model->runtime));
}

static int load(struct weir_model *model, const struct weir_model_params *params, struct weir_error *err)
{
    int code = open_session(model, params, err);
    if (code != 0)
        return code;
    model->jpeg = params->jpeg;
    model->sees_nothing = !model->ops->needs_library;
    if (model->sees_nothing) {
        summarise(model, params);
        return 0;
    }
    struct weir_spec_params spec_params = {
        .layout = params->layout,
        .recipe = params->recipe,
        .labels = params->labels,
        .threshold = params->threshold,
        .nms_iou = params->nms_iou,
    };
    code = weir_model_spec_init(&model->spec, model->ops->session_info(model->session), &spec_params, model->log, err);
    if (code != 0) {
        weir_error_prefix(err, "model %s", params->path);
        return code;
    }
    summarise(model, params);
    log_what_was_found(model);
    return 0;
}

int weir_model_load(struct weir_model **out, const struct weir_model_params *params, struct weir_log *log,
                    struct weir_error *err)
{
    *out = NULL;
    struct weir_model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a model");
    model->log = log;
    int code = load(model, params, err);
    if (code != 0) {
        weir_model_free(&model);
        return code;
    }
    *out = model;
    return 0;
}

const char *weir_model_summary(const struct weir_model *model)
{
    return model->summary;
}
