/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_BASE_BUF_H
#define WEIR_BASE_BUF_H

/* A growing run of bytes, always followed by a NUL so that text can be used as a C string.
 * An append that finds no memory sets `failed` and does nothing from then on: check once, at the end.
 *
 * Thread-safety: one thread at a time.
 * Ownership: the caller's storage; weir_buf_fini frees the bytes. A zeroed struct is a valid empty buffer. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_buf {
    char *data;      /* NULL while nothing was appended */
    size_t size;     /* bytes in use, without the NUL */
    size_t capacity; /* bytes allocated */
    bool failed;     /* an append ran out of memory */
};

void weir_buf_fini(struct weir_buf *buf);
void weir_buf_clear(struct weir_buf *buf); /* keeps the memory; resets failed */
bool weir_buf_reserve(struct weir_buf *buf, size_t more);
void weir_buf_append(struct weir_buf *buf, const void *bytes, size_t size);
void weir_buf_text(struct weir_buf *buf, const char *text);
void weir_buf_printf(struct weir_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whole file into buf (appended). Refuses more than max_size bytes with -EFBIG; else 0 or negative errno. */
int weir_buf_read_file(struct weir_buf *buf, const char *path, size_t max_size);

#endif
