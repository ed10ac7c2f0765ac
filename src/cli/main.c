/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"run", weir_command_run, "cameras to detections"},
    {"detect", weir_command_detect, "what is in these pictures"},
    {"model", weir_command_model, "what a model file is taken for, and why"},
    {"serve", weir_command_serve, "the detector as a service over HTTP"},
    {"sim", weir_command_sim, "simulated cameras, and their faults"},
    {"check-config", weir_command_check_config, "is a configuration right, and what can be set"},
    {"version", weir_command_version, "print the version"},
    {"help", weir_command_help, "print this text"},
};

static void print_commands(FILE *out)
{
    fputs("Usage: weir COMMAND [OPTION]...\n"
          "Turns cameras into detections.\n\n",
          out);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-14s%s\n", commands[i].name, commands[i].summary);
    fputs("\nweir COMMAND --help says more about a command.\n", out);
}

int weir_command_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("weir " WEIR_VERSION);
    return 0;
}

int weir_command_help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    print_commands(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (name[0] == '\0')
        print_commands(stderr);
    else
        fprintf(stderr, "weir: there is no command \"%.40s\"; weir help names them all\n", name);
    return 2;
}
