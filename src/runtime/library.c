/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool weir_library_newest_in(const char *folder, const char *prefix, struct weir_buf *out)
{
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return false;
    char best[NAME_MAX + 1] = "";
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        size_t length = strlen(prefix);
        if (strncmp(entry->d_name, prefix, length) != 0 ||
            (entry->d_name[length] != '\0' && entry->d_name[length] != '.'))
            continue;
        if (best[0] == '\0' || strverscmp(entry->d_name, best) > 0)
            (void)snprintf(best, sizeof best, "%s", entry->d_name);
    }
    closedir(directory);
    if (best[0] == '\0')
        return false;
    weir_buf_printf(out, "%s/%s", folder, best);
    return true;
}

/* A search under way: the first folder that has the library ends it. */
struct search {
    const struct weir_library_spec *spec;
    struct weir_buf found;  /* the path, once found */
};

static bool look_in(struct search *search, const char *folder)
{
    return weir_library_newest_in(folder, search->spec->file_prefix, &search->found);
}

/* A pattern of folders, as glob takes it. */
static bool look_in_pattern(struct search *search, const char *pattern)
{
    glob_t matches;
    bool found = false;
    if (glob(pattern, GLOB_ONLYDIR, NULL, &matches) != 0)
        return false;
    for (size_t i = 0; !found && i < matches.gl_pathc; i++)
        found = look_in(search, matches.gl_pathv[i]);
    globfree(&matches);
    return found;
}

/* Debian's own Python has dist-packages where others have site-packages. */
static bool look_in_environment_folder(struct search *search, const char *environment)
{
    char pattern[PATH_MAX];
    if (environment == NULL || (size_t)snprintf(pattern, sizeof pattern, "%s/lib/python3*/*-packages/%s", environment,
                                                search->spec->wheel_folder) >= sizeof pattern)
        return false;
    return look_in_pattern(search, pattern);
}

static bool binary_folder(char *folder, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    if (n <= 0)
        return false;
    folder[n] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

static bool look_beside_the_binary(struct search *search)
{
    char folder[PATH_MAX], path[PATH_MAX + 32];
    if (!binary_folder(folder, sizeof folder))
        return false;
    (void)snprintf(path, sizeof path, "%s/../lib/weir", folder);
    if (look_in(search, folder) || look_in(search, path))
        return true;
    for (;;) {
        (void)snprintf(path, sizeof path, "%s/.weir/venv", folder);
        if (look_in_environment_folder(search, path))
            return true;
        char *slash = strrchr(folder, '/');
        if (slash == NULL || slash == folder)
            return false;
        *slash = '\0';
    }
}

/* The environments of the python3 programs on $PATH. Relative entries are left out: a library is never loaded from
 * wherever weir happens to be started. */
static bool look_in_path(struct search *search)
{
    const char *rest = getenv("PATH");
    for (; rest != NULL && *rest != '\0'; rest += strspn(rest, ":")) {
        char program[PATH_MAX], prefix[PATH_MAX];
        int length = (int)strcspn(rest, ":");
        bool fits = (size_t)snprintf(program, sizeof program, "%.*s/python3", length, rest) < sizeof program &&
                    (size_t)snprintf(prefix, sizeof prefix, "%.*s/..", length, rest) < sizeof prefix;
        if (fits && rest[0] == '/' && access(program, X_OK) == 0 && look_in_environment_folder(search, prefix))
            return true;
        rest += length;
    }
    return false;
}

static bool look_in_python(struct search *search)
{
    char local[PATH_MAX];
    const char *home = getenv("HOME");
    if (look_in_environment_folder(search, getenv("VIRTUAL_ENV")) ||
        look_in_environment_folder(search, getenv("CONDA_PREFIX")))
        return true;
    if (home != NULL && (size_t)snprintf(local, sizeof local, "%s/.local", home) < sizeof local &&
        look_in_environment_folder(search, local))
        return true;
    return look_in_path(search) || look_in_environment_folder(search, "/usr/local");
}

static bool look_in_system(struct search *search)
{
    static const char *const folders[] = {
        "/usr/local/lib", "/usr/lib", "/usr/lib/*-linux-gnu*", "/usr/local/lib/*-linux-gnu*",
        "/opt/intel/openvino*/runtime/lib/*", "/usr/lib64",
    };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (look_in_pattern(search, folders[i]))
            return true;
    return false;
}

/* What an environment variable or option gives may be the file or its folder. */
static bool take_given(struct search *search, const char *given)
{
    struct stat st;
    if (stat(given, &st) == 0 && S_ISDIR(st.st_mode))
        return look_in(search, given);
    weir_buf_text(&search->found, given);
    return true;
}

static bool find(struct search *search, const char *given)
{
    const char *environment = getenv(search->spec->environment);
    if (given != NULL && given[0] != '\0')
        return take_given(search, given);
    if (environment != NULL && environment[0] != '\0')
        return take_given(search, environment);
    return look_beside_the_binary(search) || look_in_python(search) || look_in_system(search);
}

static int load(const struct weir_library_spec *spec, const char *found, void **handle, struct weir_buf *path,
                struct weir_error *err)
{
    /* Plugins are looked up beside the real file, so a link elsewhere is resolved first. */
    char *real = realpath(found, NULL);
    if (real == NULL)
        return weir_error_set(err, -errno, "%s: can't read %s: %s", spec->title, found, strerror(errno));
    *handle = dlopen(real, RTLD_NOW | RTLD_LOCAL);
    int code = 0;
    if (*handle == NULL)
        code = weir_error_set(err, -ELIBBAD, "%s: %s can't be loaded: %s", spec->title, real, dlerror());
    else
        weir_buf_append(path, real, strlen(real) + 1);
    free(real);
    return code;
}

int weir_library_open(const struct weir_library_spec *spec, const char *given, void **handle, struct weir_buf *path,
                      struct weir_error *err)
{
    struct search search = {.spec = spec};
    int code;
    if (find(&search, given) && search.found.data != NULL)
        code = load(spec, search.found.data, handle, path, err);
    else
        code = weir_error_set(err, -ENOENT, "%s is not installed: looked for %s* beside the binary, in .weir/venv, in "
                              "Python environments and in the system's folders; %s, or set %s to its path",
                              spec->title, spec->file_prefix, spec->install, spec->environment);
    weir_buf_fini(&search.found);
    return code;
}
