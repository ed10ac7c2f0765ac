/* SPDX-License-Identifier: Apache-2.0 */
#include "config/print.h"

static const char head[] =
    "# Settings\n\n"
    "Made from the table in `src/config/options.c` by `weir check-config --docs`; change it there.\n\n"
    "A name is a key in YAML and, with `-` for `_`, an option of `weir run`. The command line wins over the "
    "file.\n"
    "`weir check-config -c weir.yaml` says whether a file is right, `--print` prints what it amounts to "
    "(without a file:\n"
    "every default), `--schema` a JSON Schema for editors.\n\n"
    "```yaml\n"
    "stall_timeout_s: 10                       # for every camera\n"
    "cameras:\n"
    "  front: http://192.168.1.20/video        # name: address\n"
    "  yard:                                   # or with settings of its own\n"
    "    url: http://192.168.1.21/video\n"
    "    user_name: viewer\n"
    "    password: ${YARD_PASSWORD}            # from the environment\n"
    "    stall_timeout_s: 90\n"
    "```\n\n"
    "Cameras may also be a list of mappings with `name` and `url`. A name is any text; `id`, for addresses "
    "and labels, is\n"
    "derived from it unless given (1 to 64 of `a-z`, `0-9`, `_` and `-`). Names and ids must differ.\n\n"
    "`${NAME}` in a value is the environment's `NAME`; `$${NAME}` is the text itself. In an address, special "
    "characters of\n"
    "user and password are written as `%XX`; given apart as `user_name` and `password` they stand for "
    "themselves.\n"
    "Passwords are never printed. Sizes take `K`, `M` and `G`, each 1024 of the one before.\n";

static void print_values(const struct weir_setting *setting, struct weir_buf *out)
{
    if (setting->choices != NULL) {
        for (size_t i = 0; setting->choices[i] != NULL; i++)
            weir_buf_printf(out, "%s`%s`", i > 0 ? ", " : "", setting->choices[i]);
        return;
    }
    switch (setting->kind) {
    case WEIR_SETTING_BOOL:
        weir_buf_text(out, "`true`, `false`");
        break;
    case WEIR_SETTING_NUMBER:
        weir_buf_printf(out, "%.10g to %.10g", setting->least, setting->most);
        break;
    case WEIR_SETTING_INTEGER:
    case WEIR_SETTING_BYTES:
        weir_buf_printf(out, "whole, %.10g to %.10g", setting->least, setting->most);
        break;
    default:
        weir_buf_text(out, "text");
    }
}

static void print_rows(bool per_camera, struct weir_buf *out)
{
    weir_buf_text(out, "\n| name | values | default | what |\n|---|---|---|---|\n");
    for (size_t i = 0; i < weir_setting_count; i++) {
        const struct weir_setting *setting = &weir_settings[i];
        if (setting->per_camera != per_camera)
            continue;
        weir_buf_printf(out, "| `%s` | ", setting->name);
        print_values(setting, out);
        weir_buf_printf(out, " | %s%s%s | %s |\n", setting->initial[0] != '\0' ? "`" : "",
                        setting->initial[0] != '\0' ? setting->initial : "none",
                        setting->initial[0] != '\0' ? "`" : "", setting->help);
    }
}

void weir_config_print_docs(struct weir_buf *out)
{
    weir_buf_text(out, head);
    weir_buf_text(out, "\n## For the whole\n");
    print_rows(false, out);
    weir_buf_text(out, "\n## For all cameras, and again for one\n");
    print_rows(true, out);
}
