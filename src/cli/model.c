/* SPDX-License-Identifier: Apache-2.0 */

/* weir model info: what a model file is taken for, from where, and what was assumed. */

#include "cli/command.h"

#include "base/buf.h"
#include "cli/option.h"
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char intro[] = "Usage: weir model info [OPTION]... FILE\n"
                            "What a model expects and means: what was found, from where, and what was assumed.\n\n";
static const char outro[] = "\nWhat was assumed wrongly is set with layout, recipe and labels, here and in every other command.\n\n"
                            "Example:\n  weir model info yolox_nano.onnx\n";

static enum weir_option_code read_options(struct weir_model_params *model, int argc, char **argv, int *rest,
                                          struct weir_error *err)
{
    const struct weir_option rows[] = {
        {"labels", "FILE", "its labels, one a line, or coco, or none", WEIR_OPTION_TEXT, &model->labels, 0, 0},
        {"runtime", "NAME", "auto, openvino or onnxruntime (default auto)", WEIR_OPTION_TEXT, &model->runtime, 0, 0},
        {"runtime-library", "FILE", "the runtime's library; searched for when not given", WEIR_OPTION_TEXT,
         &model->runtime_library, 0, 0},
        {"device", "NAME", "device of the runtime; by its rule when not given", WEIR_OPTION_TEXT, &model->device, 0, 0},
        {"layout", "NAME", "what the outputs mean: yolox, ssd, ...; found when not given", WEIR_OPTION_TEXT, &model->layout, 0, 0},
        {"recipe", "WORDS", "how pixels become the input: \"letterbox-tl bgr 0..255\"", WEIR_OPTION_TEXT, &model->recipe, 0, 0},
    };
    size_t count = sizeof rows / sizeof *rows;
    enum weir_option_code code = weir_options_parse(rows, count, argc, argv, rest, err);
    if (code == WEIR_OPTION_HELP) {
        fputs(intro, stdout);
        weir_options_print(rows, count, stdout);
        fputs(outro, stdout);
    }
    return code;
}

static int print_info(const struct weir_model_params *params, struct weir_error *err)
{
    struct weir_model *model;
    struct weir_buf text = {0};
    int code = weir_model_load(&model, params, NULL, err);
    if (code != 0)
        return code;
    weir_model_describe(model, &text);
    weir_model_free(&model);
    if (text.failed)
        code = weir_error_set(err, -ENOMEM, "out of memory");
    else if (fputs(text.data, stdout) == EOF || fflush(stdout) != 0)
        code = weir_error_set(err, -errno, "writing to standard output failed: %s", strerror(errno));
    weir_buf_fini(&text);
    return code;
}

int weir_command_model(int argc, char **argv)
{
    struct weir_model_params params = WEIR_MODEL_PARAMS_DEFAULT;
    struct weir_error err = {0};
    int rest = argc, exit_code = 2;
    bool info = argc > 1 && strcmp(argv[1], "info") == 0;
    if (info) {
        argc--;
        argv++;
    }
    enum weir_option_code code = read_options(&params, argc, argv, &rest, &err);
    if (code == WEIR_OPTION_HELP)
        return 0;
    if (code == WEIR_OPTION_OK && (!info || rest + 1 != argc))
        (void)weir_error_set(&err, -EINVAL, "expected \"info\" and one FILE; weir model --help says more");
    if (err.code == 0) {
        params.path = argv[rest];
        exit_code = print_info(&params, &err) == 0 ? 0 : 1;
    }
    if (err.code != 0)
        fprintf(stderr, "weir model: %s\n", err.text);
    return exit_code;
}
