/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include "base/nearest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
};

static const struct command commands[] = {
    {"run", weir_command_run, "cameras to detections"},
    {"detect", weir_command_detect, "what is in these pictures"},
    {"model", weir_command_model, "what a model file is taken for, and why"},
    {"serve", weir_command_serve, "the detector as a service over HTTP"},
    {"sim", weir_command_sim, "simulated cameras, and their faults"},
    {"check-config", weir_command_check_config, "is a configuration right, and what can be set"},
    {"version", weir_command_version, "print the version and those of the libraries"},
    {"help", weir_command_help, "print this text, or more about a command"},
};
static const size_t command_count = sizeof commands / sizeof *commands;

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int refuse_command(const char *name)
{
    struct weir_nearest nearest;
    weir_nearest_init(&nearest, name);
    for (size_t i = 0; i < command_count; i++)
        weir_nearest_offer(&nearest, commands[i].name);
    fprintf(stderr, "weir: there is no command \"%.40s\"%s%s%s; weir help names them all\n", name,
            nearest.found != NULL ? ", did you mean \"" : "", nearest.found != NULL ? nearest.found : "",
            nearest.found != NULL ? "\"?" : "");
    return 2;
}

static void print_commands(FILE *out)
{
    fputs("Usage: weir COMMAND [OPTION]...\n"
          "Turns cameras into detections.\n\n",
          out);
    for (size_t i = 0; i < command_count; i++)
        fprintf(out, "  %-14s%s\n", commands[i].name, commands[i].summary);
    fputs("\n"
          "weir COMMAND --help, or weir help COMMAND, says more about a command.\n"
          "Exit codes: 0 done; 1 it could not be done, and stderr says why; 2 it was asked for wrongly.\n\n"
          "Example:\n"
          "  weir run --camera front=http://192.168.1.20/video\n",
          out);
}

bool weir_is_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

int weir_command_help(int argc, char **argv)
{
    static char option[] = "--help";
    if (argc < 2 || weir_is_help(argv[1])) {
        print_commands(stdout);
        return 0;
    }
    const struct command *command = find_command(argv[1]);
    if (command == NULL)
        return refuse_command(argv[1]);
    char *arguments[] = {argv[1], option, NULL};
    return command->run(2, arguments);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (name[0] == '\0') {
        print_commands(stderr);
        return 2;
    }
    if (weir_is_help(name))
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    const struct command *command = find_command(name);
    return command != NULL ? command->run(argc - 1, argv + 1) : refuse_command(name);
}
