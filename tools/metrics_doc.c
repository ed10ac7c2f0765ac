/* SPDX-License-Identifier: Apache-2.0 */

/* Prints docs/metrics.md, or with a file name compares it: `meson compile -C build docs-metrics` writes it.
 */

#include "web/metrics.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct weir_buf wanted = {0}, found = {0};
    weir_metrics_document(&wanted);
    if (wanted.failed)
        return 2;
    int code = 0;
    if (argc < 2) {
        code = fwrite(wanted.data, 1, wanted.size, stdout) == wanted.size ? 0 : 1;
    } else if (weir_buf_read_file(&found, argv[1], 1 << 20) != 0 || found.size != wanted.size ||
               memcmp(found.data, wanted.data, wanted.size) != 0) {
        fprintf(
            stderr,
            "%s is not what the table in src/web/metrics.c says: run meson compile -C build docs-metrics\n",
            argv[1]);
        code = 1;
    }
    weir_buf_fini(&wanted);
    weir_buf_fini(&found);
    return code;
}
