/* SPDX-License-Identifier: Apache-2.0 */

/* weir check-config: is a file right, what does it amount to, and what can be set. */

#include "cli/command.h"

#include "cli/option.h"
#include "config/config.h"
#include "config/options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

struct check_settings {
    const char *config;
    bool print, docs;
};

static const char intro[] = "Usage: weir check-config [-c FILE | --config FILE] [--print]\n"
                            "Says whether a configuration is right; a mistake is named with line, column and the nearest right name.\n\n";
static const char outro[] = "\nExamples:\n  weir check-config --config weir.yaml\n  weir check-config --print > weir.yaml\n";

static void print_yaml(const struct weir_config *config)
{
    struct weir_buf out = {0};
    for (size_t i = 0; i < weir_setting_count; i++) {
        const struct weir_setting *setting = &weir_settings[i];
        const void *base = setting->per_camera ? (const void *)&config->defaults : (const void *)config;
        weir_buf_printf(&out, "# %s%s\n", setting->help, setting->per_camera ? "; also for one camera" : "");
        weir_buf_printf(&out, "%s: ", setting->name);
        weir_setting_print(setting, base, &out);
        weir_buf_text(&out, "\n");
    }
    weir_buf_text(&out, config->camera_count == 0 ? "# cameras:\n#   - name: front\n#     url: http://192.168.1.20/video\n" : "cameras:\n");
    for (size_t i = 0; i < config->camera_count; i++)
        weir_buf_printf(&out, "  - {name: \"%s\", id: %s}\n", config->cameras[i].name, config->cameras[i].id);
    if (!out.failed)
        fputs(out.data, stdout);
    weir_buf_fini(&out);
}

/* docs/config.md, from the same rows. */
static void print_docs(void)
{
    puts("# Settings\n\nMade by `weir check-config --docs`. A name is a key in YAML and, with - for _, an option of `weir run`.\n"
         "Those marked \"camera\" can be set for all cameras and again for one.\n\n"
         "| name | for | default | what |\n|---|---|---|---|");
    for (size_t i = 0; i < weir_setting_count; i++)
        printf("| `%s` | %s | %s | %s |\n", weir_settings[i].name, weir_settings[i].per_camera ? "camera" : "all",
               weir_settings[i].initial[0] != '\0' ? weir_settings[i].initial : "none", weir_settings[i].help);
    puts("\nCameras are a list; each has a name and a url, and may have settings of its own:\n\n"
         "```yaml\nstall_timeout_s: 10\ncameras:\n  - name: front\n    url: http://192.168.1.20/video\n"
         "  - name: yard\n    url: http://192.168.1.21/video\n    stall_timeout_s: 90\n```");
}

static int check(const struct check_settings *settings, struct weir_error *err)
{
    struct weir_config config;
    if (weir_config_init(&config) != 0)
        return weir_error_set(err, -ENOMEM, "out of memory");
    int code = settings->config != NULL ? weir_config_load(&config, settings->config, err) : 0;
    if (code == 0 && settings->config != NULL)
        code = weir_config_check(&config, err);
    if (code == 0 && settings->print)
        print_yaml(&config);
    else if (code == 0)
        printf("%s: ok, %zu cameras\n", settings->config, config.camera_count);
    weir_config_fini(&config);
    return code;
}

int weir_command_check_config(int argc, char **argv)
{
    struct check_settings settings = {0};
    struct weir_error err = {0};
    const struct weir_option rows[] = {
        {"config", "FILE", "the file to check", WEIR_OPTION_TEXT, &settings.config, 0, 0},
        {"print", NULL, "print every setting as it would be used, secrets left out", WEIR_OPTION_FLAG, &settings.print, 0, 0},
        {"docs", NULL, "print the table of settings in Markdown", WEIR_OPTION_FLAG, &settings.docs, 0, 0},
    };
    size_t count = sizeof rows / sizeof *rows;
    int rest = argc;
    static char long_form[] = "--config"; /* -c is its short form everywhere */
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1] == 'c' && argv[i][2] == '\0')
            argv[i] = long_form;
    enum weir_option_code code = weir_options_parse(rows, count, argc, argv, &rest, &err);
    if (code == WEIR_OPTION_HELP) {
        fputs(intro, stdout);
        weir_options_print(rows, count, stdout);
        fputs(outro, stdout);
        return 0;
    }
    if (code == WEIR_OPTION_OK && rest < argc && settings.config == NULL)
        settings.config = argv[rest++];
    if (code == WEIR_OPTION_OK && (rest < argc || (settings.config == NULL && !settings.print && !settings.docs)))
        code = weir_error_set(&err, -EINVAL, "expected one file: weir check-config --config FILE") != 0 ? WEIR_OPTION_WRONG : code;
    if (code == WEIR_OPTION_OK && settings.docs) {
        print_docs();
        return 0;
    }
    if (code == WEIR_OPTION_OK && check(&settings, &err) == 0)
        return 0;
    fprintf(stderr, "weir check-config: %s\n", err.text);
    return code == WEIR_OPTION_OK ? 1 : 2;
}
