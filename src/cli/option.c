/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/option.h"

#include "base/nearest.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 64, HELP_COLUMN = 22, NAME_SIZE = 64 };

static int take_number(const struct weir_option *row, const char *text, struct weir_error *err)
{
    char *end;
    double number = strtod(text, &end);
    bool whole = row->kind == WEIR_OPTION_INTEGER;
    if (text[0] == '\0' || *end != '\0' || !(number >= row->least && number <= row->most) ||
        (whole && number != floor(number)))
        return weir_error_set(err, -EINVAL, "--%s: expected a %snumber from %.15g to %.15g, found \"%.60s\"",
                              row->name, whole ? "whole " : "", row->least, row->most, text);
    if (whole)
        *(int *)row->value = (int)number;
    else
        *(double *)row->value = number;
    return 0;
}

static int take(const struct weir_option *row, const char *text, struct weir_error *err)
{
    switch (row->kind) {
    case WEIR_OPTION_FLAG:
        *(bool *)row->value = true;
        return 0;
    case WEIR_OPTION_TEXT:
        *(const char **)row->value = text;
        return 0;
    default:
        return take_number(row, text, err);
    }
}

/* getopt leaves optind after what it could not make sense of. */
static int refuse(const struct weir_option *rows, size_t count, int problem, char **argv,
                  struct weir_error *err)
{
    const char *text = argv[optind - 1];
    char name[NAME_SIZE];
    struct weir_nearest nearest;
    if (problem == ':')
        return weir_error_set(err, -EINVAL, "%.60s: expected a value after it", text);
    text += strspn(text, "-");
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    weir_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++)
        weir_nearest_offer(&nearest, rows[i].name);
    if (nearest.found != NULL && nearest.distance == 0)
        return weir_error_set(err, -EINVAL, "--%.60s: this option takes no value", text);
    return weir_error_set(err, -EINVAL, "%.60s: there is no such option%s%s; --help names them all",
                          argv[optind - 1], nearest.found != NULL ? ", did you mean --" : "",
                          nearest.found != NULL ? nearest.found : "");
}

enum weir_option_code weir_options_parse(const struct weir_option *rows, size_t count, int argc, char **argv,
                                         int *rest, struct weir_error *err)
{
    struct option table[ROWS_MAX + 2] = {{"help", no_argument, NULL, 'h'}};
    for (size_t i = 0; i < count && i < ROWS_MAX; i++)
        table[i + 1] = (struct option){
            rows[i].name, rows[i].argument != NULL ? required_argument : no_argument, NULL, 0x100 + (int)i};
    opterr = 0;
    optind = 1;
    for (;;) {
        int found = getopt_long(argc, argv, ":h", table, NULL);
        if (found == -1)
            break;
        if (found == 'h')
            return WEIR_OPTION_HELP;
        if (found < 0x100) {
            (void)refuse(rows, count, found, argv, err);
            return WEIR_OPTION_WRONG;
        }
        if (take(&rows[found - 0x100], optarg, err) != 0)
            return WEIR_OPTION_WRONG;
    }
    *rest = optind;
    return WEIR_OPTION_OK;
}

void weir_options_print(const struct weir_option *rows, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        int width = fprintf(out, "  --%s%s%s", rows[i].name, rows[i].argument != NULL ? " " : "",
                            rows[i].argument != NULL ? rows[i].argument : "");
        int gap = HELP_COLUMN - width > 1 ? HELP_COLUMN - width : 1;
        fprintf(out, "%*s%s\n", gap, "", rows[i].help);
    }
    fprintf(out, "  --help%*sthis text\n", HELP_COLUMN - 8, "");
}
