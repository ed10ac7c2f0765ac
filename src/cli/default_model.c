/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/default_model.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char file_name[] = "ssd_mobilenetv2_oidv4_fp16.tflite";

static bool is_there(char path[PATH_MAX], const char *folder, const char *below)
{
    return snprintf(path, PATH_MAX, "%s/%s/%s", folder, below, file_name) < PATH_MAX &&
           access(path, R_OK) == 0;
}

static bool above_the_binary(char path[PATH_MAX])
{
    char folder[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (n <= 0)
        return false;
    folder[n] = '\0';
    char *slash;
    while ((slash = strrchr(folder, '/')) != NULL) {
        *slash = '\0';
        if (is_there(path, folder, ".weir/models"))
            return true;
    }
    return false;
}

static bool in_user_data(char path[PATH_MAX])
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data != NULL && data[0] != '\0')
        return is_there(path, data, "weir/models");
    return home != NULL && is_there(path, home, ".local/share/weir/models");
}

int weir_default_model(char path[PATH_MAX], struct weir_error *err)
{
    const char *given = getenv("WEIR_MODEL");
    if (given != NULL && given[0] != '\0' && snprintf(path, PATH_MAX, "%s", given) < PATH_MAX)
        return 0;
    if (above_the_binary(path) || is_there(path, ".", ".weir/models") || in_user_data(path) ||
        is_there(path, "/usr/local/share", "weir/models") || is_there(path, "/usr/share", "weir/models"))
        return 0;
    return weir_error_set(err, -ENOENT,
                          "no model is given and the default model (%s) is not installed: give --model FILE, "
                          "or run tools/fetch.sh, which ./demo does by itself",
                          file_name);
}
