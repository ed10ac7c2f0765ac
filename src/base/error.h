/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_BASE_ERROR_H
#define WEIR_BASE_ERROR_H

/* An error that a person can act on: a negative errno and one sentence that says what was expected,
 * what was found, where, and what to do. Functions that can fail for an outside reason take a
 * `struct weir_error *` (NULL is allowed) and return the code.
 *
 * Thread-safety: an error belongs to its caller.
 * Ownership: plain value, nothing to free. */

#define WEIR_ERROR_TEXT_MAX 768

struct weir_error {
    int code;                       /* negative errno, 0 when nothing was set */
    char text[WEIR_ERROR_TEXT_MAX]; /* UTF-8, one line, no full stop needed; cut at a character when too long */
};

/* Sets code and text (when err is not NULL) and returns code, so that callers write
 * `return weir_error_set(err, -EINVAL, "...", ...)`. */
int weir_error_set(struct weir_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the present text and returns the present code. */
int weir_error_prefix(struct weir_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
