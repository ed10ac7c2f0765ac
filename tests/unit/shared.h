/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_TESTS_UNIT_SHARED_H
#define WEIR_TESTS_UNIT_SHARED_H

/* Where the shared test data (models, media) is: $WEIR_SHARED, or `shared` beside the source tree. A test
 * that finds nothing there says so and passes: cmocka's own skip is no valid TAP. */

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The path of a file of the test data; false, with a line of output, when it is not there. */
static inline bool shared_path(char path[PATH_MAX], const char *name)
{
    const char *shared = getenv("WEIR_SHARED"), *root = getenv("WEIR_SOURCE_ROOT");
    if (shared != NULL)
        (void)snprintf(path, PATH_MAX, "%s/%s", shared, name);
    else
        (void)snprintf(path, PATH_MAX, "%s/../shared/%s", root == NULL ? "." : root, name);
    if (access(path, R_OK) == 0)
        return true;
    printf("# skipped: no %s; set WEIR_SHARED to the test data\n", path);
    return false;
}

#endif
