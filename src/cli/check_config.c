/* SPDX-License-Identifier: Apache-2.0 */

/* weir check-config: is a file right, what does it amount to, and what can be set. */

#include "cli/command.h"

#include "cli/option.h"
#include "config/config.h"
#include "config/print.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct check_settings {
    const char *config;
    bool print, docs, schema;
};

static const char intro[] =
    "Usage: weir check-config -c FILE [--print]\n"
    "  or:  weir check-config --print | --schema | --docs\n"
    "Says whether a configuration is right. Each mistake is named with its line, its column and the nearest\n"
    "right name.\n\n"
    "  -c, --config FILE     the file to check\n";
static const char outro[] = "\nExamples:\n"
                            "  weir check-config -c weir.yaml\n"
                            "  weir check-config --print > weir.yaml      every setting with its default\n";

static int write_out(struct weir_buf *text, struct weir_error *err)
{
    int code = 0;
    if (text->failed)
        code = weir_error_set(err, -ENOMEM, "out of memory");
    else if (fwrite(text->data, 1, text->size, stdout) != text->size || fflush(stdout) != 0)
        code = weir_error_set(err, -errno, "writing to standard output failed: %s", strerror(errno));
    weir_buf_fini(text);
    return code;
}

static void tell(void *count, const char *problem)
{
    ++*(int *)count;
    fprintf(stderr, "%s\n", problem);
}

/* The problems of the file are told as they are met; err is left for what came in their way. */
static int load(struct weir_config *config, const char *path, struct weir_error *err)
{
    int problems = 0;
    int code = weir_config_load(config, path, tell, &problems, err);
    if (code == 0 && weir_config_check(config, err) != 0)
        return weir_error_prefix(err, "%s", path);
    if (problems > 0)
        return weir_error_set(err, code, "%s: %d problem%s", path, problems, problems == 1 ? "" : "s");
    return code;
}

static int print_config(const struct weir_config *config, const struct check_settings *settings,
                        struct weir_error *err)
{
    struct weir_buf text = {0};
    if (settings->print)
        weir_config_print(config, &text);
    else
        weir_buf_printf(&text, "%s: ok, %zu camera%s\n", settings->config, config->camera_count,
                        config->camera_count == 1 ? "" : "s");
    return write_out(&text, err);
}

static int check(const struct check_settings *settings, struct weir_error *err)
{
    struct weir_config config;
    if (weir_config_init(&config) != 0)
        return weir_error_set(err, -ENOMEM, "out of memory");
    int code = settings->config != NULL ? load(&config, settings->config, err) : 0;
    if (code == 0)
        code = print_config(&config, settings, err);
    weir_config_fini(&config);
    return code;
}

static int print_table(const struct check_settings *settings, struct weir_error *err)
{
    struct weir_buf text = {0};
    int code = 0;
    if (settings->docs)
        weir_config_print_docs(&text);
    else
        code = weir_config_print_schema(&text, err);
    if (code == 0)
        return write_out(&text, err);
    weir_buf_fini(&text);
    return code;
}

static enum weir_option_code read_options(struct check_settings *settings, int argc, char **argv,
                                          struct weir_error *err)
{
    static char long_name[] = "--config";
    const struct weir_option rows[] = {
        {"config", "FILE", NULL, WEIR_OPTION_TEXT, &settings->config, 0, 0},
        {"print", NULL, "print every setting as it would be used, without passwords", WEIR_OPTION_FLAG,
         &settings->print, 0, 0},
        {"schema", NULL, "print a JSON Schema of the file, for editors", WEIR_OPTION_FLAG, &settings->schema,
         0, 0},
        {"docs", NULL, "print the settings as a page in Markdown", WEIR_OPTION_FLAG, &settings->docs, 0, 0},
    };
    size_t count = sizeof rows / sizeof *rows;
    int rest = argc;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-c") == 0)
            argv[i] = long_name;
    enum weir_option_code code = weir_options_parse(rows, count, argc, argv, &rest, err);
    if (code == WEIR_OPTION_HELP) {
        fputs(intro, stdout);
        weir_options_print(rows + 1, count - 1, stdout);
        fputs(outro, stdout);
    }
    if (code == WEIR_OPTION_OK && rest < argc && settings->config == NULL)
        settings->config = argv[rest++];
    bool asked = settings->config != NULL || settings->print || settings->docs || settings->schema;
    if (code == WEIR_OPTION_OK && (rest < argc || !asked)) {
        weir_error_set(err, -EINVAL, "expected one file: weir check-config -c FILE");
        code = WEIR_OPTION_WRONG;
    }
    return code;
}

int weir_command_check_config(int argc, char **argv)
{
    struct check_settings settings = {0};
    struct weir_error err = {0};
    enum weir_option_code code = read_options(&settings, argc, argv, &err);
    if (code == WEIR_OPTION_HELP)
        return 0;
    if (code == WEIR_OPTION_OK &&
        (settings.docs || settings.schema ? print_table(&settings, &err) : check(&settings, &err)) == 0)
        return 0;
    fprintf(stderr, "weir check-config: %s\n", err.text);
    return code == WEIR_OPTION_OK ? 1 : 2;
}
