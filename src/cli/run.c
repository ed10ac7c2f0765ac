/* SPDX-License-Identifier: Apache-2.0 */

/* weir run: cameras to results. The options are the rows of the settings' table, so that a file and the
 * command line know the same names. */

#include "cli/command.h"

#include "base/clock.h"
#include "cli/default_model.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/summary.h"
#include "config/config.h"
#include "config/options.h"
#include "pipeline/pipeline.h"
#include "result/event.h"
#include "web/dashboard.h"
#include "web/status_json.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTIONS_MAX = 96, NAME_MAX_LENGTH = 48, HELP_COLUMN = 34, CHECK_MS = 100, FIRST_SETTING = 0x100 };

static const char intro[] =
    "Usage: weir run [-c FILE] [--camera NAME=URL]... [OPTION]...\n"
    "Cameras to detections: reads every camera, looks at the newest frames, hands the results on.\n"
    "What is given here wins over the file, for every camera.\n\n"
    "  -c, --config FILE               settings and cameras in YAML; weir check-config --print shows one\n"
    "  --camera NAME=URL               a camera; may be given again\n";
static const char outro[] =
    "\nCtrl-C or SIGTERM: what waits is finished and published, then it ends with a summary; a second one\n"
    "ends it at once.\n\n"
    "Example:\n"
    "  weir run --camera front=http://192.168.1.20/video --jsonl results.jsonl\n";

static void option_name(const char *setting, char name[NAME_MAX_LENGTH])
{
    (void)snprintf(name, NAME_MAX_LENGTH, "%s", setting);
    for (char *p = name; *p != '\0'; p++)
        if (*p == '_')
            *p = '-';
}

static void print_help(void)
{
    fputs(intro, stdout);
    for (size_t i = 0; i < weir_setting_count; i++) {
        char name[NAME_MAX_LENGTH];
        option_name(weir_settings[i].name, name);
        int width = printf("  --%s %s", name, weir_settings[i].argument);
        printf("%*s%s", HELP_COLUMN - width > 1 ? HELP_COLUMN - width : 1, "", weir_settings[i].help);
        if (weir_settings[i].initial[0] != '\0')
            printf(" (default %s)", weir_settings[i].initial);
        putchar('\n');
    }
    fputs(outro, stdout);
}

/* getopt's table over the rows; names must live as long as it. */
static void fill_options(struct option table[OPTIONS_MAX], char names[OPTIONS_MAX][NAME_MAX_LENGTH])
{
    size_t n = 0;
    table[n++] = (struct option){"help", no_argument, NULL, 'h'};
    table[n++] = (struct option){"config", required_argument, NULL, 'c'};
    table[n++] = (struct option){"camera", required_argument, NULL, 'C'};
    for (size_t i = 0; i < weir_setting_count && n < OPTIONS_MAX - 1; i++) {
        option_name(weir_settings[i].name, names[i]);
        /* --json alone means yes; --json=no is possible. */
        int argument = weir_settings[i].kind == WEIR_SETTING_BOOL ? optional_argument : required_argument;
        table[n++] = (struct option){names[i], argument, NULL, FIRST_SETTING + (int)i};
    }
    table[n] = (struct option){0};
}

static int refuse_option(int problem, char **argv, struct weir_error *err)
{
    const char *text = argv[optind - 1];
    if (problem == ':')
        return weir_error_set(err, -EINVAL, "%.60s: expected a value after it", text);
    char name[NAME_MAX_LENGTH];
    (void)snprintf(name, sizeof name, "%s", text + strspn(text, "-"));
    struct weir_nearest nearest;
    weir_nearest_init(&nearest, name);
    weir_nearest_offer(&nearest, "camera");
    weir_nearest_offer(&nearest, "config");
    weir_setting_offer_all(&nearest, false);
    char suggestion[NAME_MAX_LENGTH] = "";
    if (nearest.found != NULL)
        option_name(nearest.found, suggestion);
    return weir_error_set(err, -EINVAL, "%.60s: there is no such option%s%s; --help names them all", text,
                          nearest.found != NULL ? ", did you mean --" : "", suggestion);
}

enum stage { STAGE_FILE, STAGE_SETTINGS, STAGE_CAMERAS, STAGES };

/* One pass over the arguments. The file comes first, then the settings, then the cameras, whatever their
 * order. */
static int read_arguments(struct weir_config *config, enum stage stage, int argc, char **argv, bool *help,
                          struct weir_error *err)
{
    struct option table[OPTIONS_MAX];
    char names[OPTIONS_MAX][NAME_MAX_LENGTH];
    fill_options(table, names);
    opterr = 0;
    optind = 1;
    int found, code = 0;
    while (code == 0 && (found = getopt_long(argc, argv, ":hc:", table, NULL)) != -1) {
        if (found == 'h')
            *help = true;
        else if (found == 'c')
            code = stage == STAGE_FILE ? weir_config_load(config, optarg, NULL, NULL, err) : 0;
        else if (found == 'C')
            code = stage == STAGE_CAMERAS ? weir_config_add_camera(config, optarg, err) : 0;
        else if (found < FIRST_SETTING)
            code = refuse_option(found, argv, err);
        else if (stage == STAGE_SETTINGS)
            code = weir_config_set(config, weir_settings[found - FIRST_SETTING].name,
                                   optarg != NULL ? optarg : "true", err);
    }
    if (code == 0 && optind < argc)
        code = weir_error_set(err, -EINVAL, "\"%.60s\": expected options only; a camera is --camera NAME=URL",
                              argv[optind]);
    return code;
}

static bool needs_default_model(const struct weir_config *config)
{
    return config->model == NULL && strcmp(config->detector, "local") == 0 &&
           (config->runtime == NULL || strcmp(config->runtime, "null") != 0);
}

static int settle_model(struct weir_config *config, struct weir_error *err)
{
    char path[PATH_MAX];
    if (!needs_default_model(config))
        return 0;
    int code = weir_default_model(path, err);
    return code == 0 ? weir_config_set(config, "model", path, err) : code;
}

static int read_config(struct weir_config *config, int argc, char **argv, bool *help, struct weir_error *err)
{
    int code = 0;
    for (int stage = 0; code == 0 && stage < STAGES && !*help; stage++)
        code = read_arguments(config, (enum stage)stage, argc, argv, help, err);
    if (code == 0 && !*help)
        code = weir_config_check(config, err);
    return code;
}

/* Until it is told to stop, has run its time, is finished, or can't go on. True when it was told. */
static bool watch(const struct weir_config *config, struct weir_pipeline *pipeline)
{
    struct weir_progress progress;
    weir_progress_init(&progress);
    int64_t now_ns = weir_clock_ns();
    int64_t end_ns = config->seconds > 0 ? now_ns + (int64_t)(config->seconds * WEIR_NS_PER_S) : INT64_MAX;
    int64_t show_ns = now_ns + weir_progress_interval_ns(&progress);
    bool signalled = false;
    while (!signalled && now_ns < end_ns && !weir_pipeline_failed(pipeline, NULL) &&
           !weir_pipeline_finished(pipeline)) {
        int64_t next_ns = now_ns + CHECK_MS * WEIR_NS_PER_MS;
        signalled = weir_signals_wait(next_ns < end_ns ? next_ns : end_ns);
        now_ns = weir_clock_ns();
        struct weir_snapshot *snapshot = NULL;
        if (now_ns >= show_ns && weir_pipeline_snapshot(pipeline, &snapshot) == 0) {
            weir_progress_show(&progress, snapshot);
            weir_snapshot_free(&snapshot);
            show_ns = now_ns + weir_progress_interval_ns(&progress);
        }
    }
    weir_progress_clear(&progress);
    return signalled;
}

/* A run that never saw a frame did not do what it was asked to, however orderly it ended. */
static int check_that_frames_came(struct weir_pipeline *pipeline, struct weir_error *err)
{
    struct weir_snapshot *snapshot;
    int code = 0;
    if (weir_pipeline_snapshot(pipeline, &snapshot) != 0)
        return 0;
    const struct weir_camera_snapshot *first = &snapshot->cameras[0];
    if (snapshot->total.read == 0)
        code = weir_error_set(err, -ENODATA, "no frame came from any camera; %.60s: %s%s%s", first->name,
                              weir_source_reason_name(first->source.reason),
                              first->source.detail[0] != '\0' ? ": " : "", first->source.detail);
    weir_snapshot_free(&snapshot);
    return code;
}

static void format_summary(const struct weir_config *config, const struct weir_snapshot *snapshot,
                           struct weir_buf *text)
{
    if (!config->json) {
        weir_summary_print(snapshot, text);
        return;
    }
    json_t *status = weir_status_json(snapshot, weir_clock_ns());
    text->failed |= status == NULL || weir_json_write(status, text) != 0;
    weir_buf_text(text, "\n");
    json_decref(status);
}

static int print_summary(const struct weir_config *config, struct weir_pipeline *pipeline,
                         struct weir_error *err)
{
    struct weir_snapshot *snapshot;
    struct weir_buf text = {0};
    int code = 0;
    if (weir_pipeline_snapshot(pipeline, &snapshot) != 0)
        return weir_error_set(err, -ENOMEM, "no memory for the summary");
    format_summary(config, snapshot, &text);
    /* Standard output may be the results'. */
    bool to_stderr = config->jsonl != NULL && strcmp(config->jsonl, "-") == 0;
    FILE *out = to_stderr ? stderr : stdout;
    if (text.failed)
        code = weir_error_set(err, -ENOMEM, "no memory for the summary");
    else if (fputs(text.data, out) == EOF || fflush(out) != 0 || ferror(out))
        code = weir_error_set(err, -EIO, "the summary could not be written to standard %s: %s",
                              to_stderr ? "error" : "output", strerror(errno));
    weir_buf_fini(&text);
    weir_snapshot_free(&snapshot);
    return code;
}

static void print_heading(const struct weir_config *config, struct weir_pipeline *pipeline,
                          const char *dashboard_url)
{
    struct weir_snapshot *snapshot;
    if (weir_pipeline_snapshot(pipeline, &snapshot) != 0)
        return;
    bool to_stderr = config->json || (config->jsonl != NULL && strcmp(config->jsonl, "-") == 0);
    FILE *out = to_stderr ? stderr : stdout;
    fprintf(out, "%zu cameras, %d inference workers\n", snapshot->camera_count, snapshot->workers);
    fflush(out);
    fprintf(stderr, "detector: %s\n", snapshot->detector);
    if (dashboard_url != NULL)
        fprintf(stderr, "dashboard: %s\n", dashboard_url);
    weir_snapshot_free(&snapshot);
}

static int start_dashboard(const struct weir_config *config, struct weir_pipeline *pipeline,
                           struct weir_log *log, struct weir_dashboard **dashboard, struct weir_error *err)
{
    *dashboard = NULL;
    if (config->web == NULL || strcmp(config->web, "off") == 0)
        return 0;
    return weir_dashboard_start(dashboard, config->web, pipeline, log, err);
}

/* A thread that would not end still uses what would be freed on the way out. */
static _Noreturn void leave_with(const struct weir_error *err)
{
    fprintf(stderr, "weir run: %s\n", err->text);
    fflush(NULL);
    _exit(1);
}

static int run_pipeline(const struct weir_config *config, struct weir_pipeline *pipeline,
                        struct weir_log *log, struct weir_error *err)
{
    struct weir_dashboard *dashboard;
    int code = start_dashboard(config, pipeline, log, &dashboard, err);
    if (code != 0)
        return code;
    print_heading(config, pipeline, dashboard != NULL ? weir_dashboard_url(dashboard) : NULL);
    code = weir_pipeline_start(pipeline, err);
    if (code == 0) {
        bool signalled = watch(config, pipeline);
        weir_signals_release();
        code = weir_pipeline_drain(pipeline, err);
        /* What went wrong first is what is told. */
        int summary_code = print_summary(config, pipeline, code == 0 ? err : NULL);
        if (code == -ETIMEDOUT)
            leave_with(err);
        code = code == 0 ? summary_code : code;
        if (code == 0 && !signalled)
            code = check_that_frames_came(pipeline, err);
    }
    weir_dashboard_stop(&dashboard);
    return code;
}

static int run(const struct weir_config *config, struct weir_log *log, struct weir_error *err)
{
    struct weir_pipeline *pipeline;
    weir_signals_hold();
    int code = weir_pipeline_new(&pipeline, config, log, err);
    if (code != 0)
        return code;
    code = run_pipeline(config, pipeline, log, err);
    weir_pipeline_free(&pipeline);
    return code;
}

static int with_log(struct weir_config *config, struct weir_error *err)
{
    enum weir_log_level level;
    if (!weir_log_level_parse(config->log_level, &level))
        return weir_error_set(err, -EINVAL, "log_level: expected error, warn, info or debug, found \"%.60s\"",
                              config->log_level);
    struct weir_log *log = weir_log_new(level, NULL, NULL);
    int code = settle_model(config, err);
    if (code == 0)
        code = run(config, log, err);
    weir_log_free(&log);
    return code;
}

int weir_command_run(int argc, char **argv)
{
    struct weir_config config;
    struct weir_error err = {0};
    bool help = false;
    if (weir_config_init(&config) != 0) {
        fputs("weir run: out of memory\n", stderr);
        return 1;
    }
    int exit_code = 0;
    if (read_config(&config, argc, argv, &help, &err) != 0)
        exit_code = 2;
    else if (help)
        print_help();
    else if (with_log(&config, &err) != 0)
        exit_code = 1;
    if (exit_code != 0)
        fprintf(stderr, "weir run: %s\n", err.text);
    weir_config_fini(&config);
    return exit_code;
}
