/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_WEB_PAGE_H
#define WEIR_WEB_PAGE_H

/* The dashboard's own files, from web/, put into the binary by tools/embed.py.
 * Thread-safety: constant. */

#include <stddef.h>

struct weir_page_file {
    const char *path; /* "/style.css"; the page itself is "/" */
    const char *type; /* Content-Type */
    const unsigned char *data;
    size_t size;
};

extern const struct weir_page_file weir_page_files[];
extern const size_t weir_page_file_count;

#endif
