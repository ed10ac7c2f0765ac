/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CLI_COMMAND_H
#define WEIR_CLI_COMMAND_H

/* The commands of the program. argv[0] is the command's name. Each prints its own errors, as one sentence on
 * stderr, and returns the exit code: 0, 1 when it could not do what was asked, 2 when it was asked wrongly.
 *
 * Thread-safety: main thread. */

#include <stdbool.h>

int weir_command_check_config(int argc, char **argv);
int weir_command_detect(int argc, char **argv);
int weir_command_help(int argc, char **argv);
int weir_command_model(int argc, char **argv);
int weir_command_run(int argc, char **argv);
int weir_command_serve(int argc, char **argv);
int weir_command_sim(int argc, char **argv);
int weir_command_version(int argc, char **argv);

/* --help or -h. */
bool weir_is_help(const char *argument);

#endif
