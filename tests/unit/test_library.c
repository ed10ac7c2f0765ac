/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "runtime/library.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct weir_library_spec spec = {
    .title = "Example",
    .file_prefix = "libweirexample.so",
    .wheel_folder = "example",
    .environment = "WEIR_EXAMPLE_LIBRARY",
    .install = "install it",
};

/* A Python environment with two versions of a file that is no library: the loader's words name the one that was taken. */
struct environment {
    char folder[PATH_MAX / 4];
};

static void make(const struct environment *environment, const char *name, bool is_folder)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", environment->folder, name);
    if (is_folder) {
        assert_int_equal(mkdir(path, 0755), 0);
        return;
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static const char *const folders[] = {"bin", "lib", "lib/python3.11", "lib/python3.11/site-packages",
                                      "lib/python3.11/site-packages/example"};
static const char *const files[] = {"bin/python3", "lib/python3.11/site-packages/example/libweirexample.so.1.9",
                                    "lib/python3.11/site-packages/example/libweirexample.so.1.10"};

static int set_up(void **state)
{
    struct environment *environment = calloc(1, sizeof *environment);
    assert_non_null(environment);
    strcpy(environment->folder, "/tmp/weir-library-XXXXXX");
    assert_non_null(mkdtemp(environment->folder));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        make(environment, folders[i], true);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        make(environment, files[i], false);
    *state = environment;
    return 0;
}

static int tear_down(void **state)
{
    struct environment *environment = *state;
    char path[PATH_MAX];
    for (size_t i = sizeof files / sizeof *files; i-- > 0;) {
        (void)snprintf(path, sizeof path, "%s/%s", environment->folder, files[i]);
        (void)remove(path);
    }
    for (size_t i = sizeof folders / sizeof *folders; i-- > 0;) {
        (void)snprintf(path, sizeof path, "%s/%s", environment->folder, folders[i]);
        (void)remove(path);
    }
    (void)remove(environment->folder);
    free(environment);
    return 0;
}

static int search(struct weir_error *err)
{
    void *handle = NULL;
    struct weir_buf path = {0};
    int code = weir_library_open(&spec, NULL, &handle, &path, err);
    assert_null(handle);
    weir_buf_fini(&path);
    return code;
}

static void the_python_on_path_is_searched(void **state)
{
    const struct environment *environment = *state;
    char path[PATH_MAX];
    struct weir_error err = {0};
    (void)snprintf(path, sizeof path, "/nowhere::%s/bin", environment->folder);
    assert_int_equal(setenv("PATH", path, 1), 0);
    assert_int_equal(search(&err), -ELIBBAD);
    assert_non_null(strstr(err.text, environment->folder));
    assert_non_null(strstr(err.text, "libweirexample.so.1.10"));
}

static void a_relative_path_is_not_searched(void **state)
{
    const struct environment *environment = *state;
    struct weir_error err = {0};
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(environment->folder), 0);
    assert_int_equal(setenv("PATH", ":bin:", 1), 0);
    int code = search(&err);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(code, -ENOENT);
    assert_non_null(strstr(err.text, "install it"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_python_on_path_is_searched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_relative_path_is_not_searched, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
