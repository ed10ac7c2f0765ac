/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CLI_OPTION_H
#define WEIR_CLI_OPTION_H

/* Options of a command: a table of rows gives both the parsing (GNU long options) and the help text.
 *
 * Thread-safety: main thread (getopt).
 * Ownership: text values point into argv. */

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

enum weir_option_kind {
    WEIR_OPTION_FLAG,    /* bool; no argument */
    WEIR_OPTION_TEXT,    /* const char * */
    WEIR_OPTION_NUMBER,  /* double, least to most */
    WEIR_OPTION_INTEGER, /* int, least to most */
};

struct weir_option {
    const char *name;     /* "port": --port */
    const char *argument; /* what the help calls its value: "P"; NULL for a flag */
    const char *help;
    enum weir_option_kind kind;
    void *value; /* where it goes; left alone when the option is not given */
    double least, most;
};

enum weir_option_code {
    WEIR_OPTION_OK,
    WEIR_OPTION_HELP,  /* --help was given */
    WEIR_OPTION_WRONG, /* err says what */
};

/* Parses argv[1..]; *rest is the index of the first argument that is no option. */
enum weir_option_code weir_options_parse(const struct weir_option *rows, size_t count, int argc, char **argv,
                                         int *rest, struct weir_error *err);
/* One line a row. */
void weir_options_print(const struct weir_option *rows, size_t count, FILE *out);

#endif
