/* SPDX-License-Identifier: Apache-2.0 */

/* weir serve: the detector as a service over HTTP. */

#include "cli/command.h"

#include "base/cpu.h"
#include "cli/default_model.h"
#include "cli/option.h"
#include "cli/signals.h"
#include "web/service.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PORT_DEFAULT = 8090,
    NULL_WORKERS = 8, /* the null runtime only waits: as many as the reference pipeline asks at once */
};

struct serve_settings {
    struct weir_service_params params;
    const char *host, *log_level;
    double threshold, null_ms;
    int port, workers;
};

static const char intro[] =
    "Usage: weir serve [OPTION]...\n"
    "Looks at the pictures that other programs post: POST /detect, a JPEG in, {\"detections\": [...]} out.\n"
    "GET /healthz and GET /metrics say how it is.\n\n";

static const char outro[] = "\nCtrl-C or SIGTERM: nothing new is taken, what was taken is answered, then it "
                            "ends; a second one ends it at once.\n"
                            "\n"
                            "Example:\n"
                            "  weir serve --port 8090 &\n"
                            "  curl --data-binary @street.jpg http://127.0.0.1:8090/detect\n";

/* With err NULL only the help is printed. */
static enum weir_option_code read_options(struct serve_settings *settings, int argc, char **argv, int *rest,
                                          struct weir_error *err)
{
    struct weir_model_params *model = &settings->params.model;
    const struct weir_option rows[] = {
        {"model", "FILE", "the model; the default model when not given", WEIR_OPTION_TEXT, &model->path, 0,
         0},
        {"labels", "FILE", "its labels, one a line, or \"coco\"; when not given, the model's own",
         WEIR_OPTION_TEXT, &model->labels, 0, 0},
        {"runtime", "NAME", "auto, openvino, onnxruntime or null (default auto)", WEIR_OPTION_TEXT,
         &model->runtime, 0, 0},
        {"runtime-library", "FILE", "the runtime's library; searched for when not given", WEIR_OPTION_TEXT,
         &model->runtime_library, 0, 0},
        {"device", "NAME", "device of the runtime; by its rule when not given", WEIR_OPTION_TEXT,
         &model->device, 0, 0},
        {"threshold", "T", "lowest score that counts, 0 to 1; the model's own when not given",
         WEIR_OPTION_NUMBER, &settings->threshold, 0, 1},
        {"null-ms", "MS", "runtime null: how long a run takes (default 0)", WEIR_OPTION_NUMBER,
         &settings->null_ms, 0, 60000},
        {"host", "HOST", "address to listen on (default 127.0.0.1: this machine only)", WEIR_OPTION_TEXT,
         &settings->host, 0, 0},
        {"port", "P", "port to listen on, 0 for a free one (default 8090)", WEIR_OPTION_INTEGER,
         &settings->port, 0, 65535},
        {"workers", "N", "pictures looked at at once (default: usable cores; 8 with runtime null)",
         WEIR_OPTION_INTEGER, &settings->workers, 1, 256},
        {"queue", "N", "pictures that may wait for a worker; the next is answered 503 (default 32)",
         WEIR_OPTION_INTEGER, &settings->params.max_waiting, 1, 100000},
        {"log-level", "LEVEL", "error, warn, info or debug (default info)", WEIR_OPTION_TEXT,
         &settings->log_level, 0, 0},
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

static int settle(struct serve_settings *settings, char path[PATH_MAX], struct weir_error *err)
{
    struct weir_model_params *model = &settings->params.model;
    model->threshold = (float)settings->threshold;
    model->null_run_ns = (int64_t)(settings->null_ms * 1e6);
    bool is_null = strcmp(model->runtime, "null") == 0;
    model->workers = settings->workers != 0 ? settings->workers : is_null ? NULL_WORKERS : weir_cpu_usable();
    if (model->path != NULL || is_null)
        return 0;
    model->path = path;
    return weir_default_model(path, err);
}

static int serve(struct serve_settings *settings, struct weir_log *log, struct weir_error *err)
{
    char address[300];
    bool v6 = strchr(settings->host, ':') != NULL && settings->host[0] != '[';
    if (snprintf(address, sizeof address, "%s%s%s:%d", v6 ? "[" : "", settings->host, v6 ? "]" : "",
                 settings->port) >= (int)sizeof address)
        return weir_error_set(err, -EINVAL, "--host: expected a host name or address, found one of %zu bytes",
                              strlen(settings->host));
    settings->params.address = address;
    settings->params.log = log;
    struct weir_service *service = NULL;
    weir_signals_hold();
    int code = weir_service_start(&service, &settings->params, err);
    if (code != 0)
        return code;
    printf("%s, %d workers\nlistening on %sdetect\n", weir_service_summary(service),
           settings->params.model.workers, weir_service_url(service));
    fflush(stdout);
    (void)weir_signals_wait(INT64_MAX);
    weir_signals_release();
    weir_service_stop(&service);
    return 0;
}

int weir_command_serve(int argc, char **argv)
{
    struct serve_settings settings = {.params = WEIR_SERVICE_PARAMS_DEFAULT,
                                      .host = "127.0.0.1",
                                      .port = PORT_DEFAULT,
                                      .threshold = NAN,
                                      .log_level = "info"};
    struct weir_error err = {0};
    enum weir_log_level level;
    int rest = argc;
    enum weir_option_code code = read_options(&settings, argc, argv, &rest, &err);
    if (code == WEIR_OPTION_HELP)
        return 0;
    if (code == WEIR_OPTION_OK && rest < argc)
        weir_error_set(&err, -EINVAL, "\"%.60s\": expected options only; --help names them all", argv[rest]);
    else if (code == WEIR_OPTION_OK && !weir_log_level_parse(settings.log_level, &level))
        weir_error_set(&err, -EINVAL, "--log-level: expected error, warn, info or debug, found \"%.60s\"",
                       settings.log_level);
    if (err.code != 0) {
        fprintf(stderr, "weir serve: %s\n", err.text);
        return 2;
    }
    char path[PATH_MAX];
    struct weir_log *log = weir_log_new(level, NULL, NULL);
    int result = settle(&settings, path, &err);
    if (result == 0)
        result = serve(&settings, log, &err);
    weir_log_free(&log);
    if (result != 0)
        fprintf(stderr, "weir serve: %s\n", err.text);
    return result == 0 ? 0 : 1;
}
