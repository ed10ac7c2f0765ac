/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void weir_buf_fini(struct weir_buf *buf)
{
    free(buf->data);
    memset(buf, 0, sizeof *buf);
}

void weir_buf_clear(struct weir_buf *buf)
{
    buf->size = 0;
    buf->failed = false;
    if (buf->data != NULL)
        buf->data[0] = '\0';
}

bool weir_buf_reserve(struct weir_buf *buf, size_t more)
{
    if (buf->failed)
        return false;
    if (buf->data != NULL && more < buf->capacity - buf->size)
        return true;
    size_t capacity = buf->capacity < 128 ? 128 : buf->capacity;
    while (capacity - buf->size <= more) {
        if (capacity > SIZE_MAX / 2) {
            buf->failed = true;
            return false;
        }
        capacity *= 2;
    }
    char *data = realloc(buf->data, capacity);
    if (data == NULL) {
        buf->failed = true;
        return false;
    }
    buf->data = data;
    buf->capacity = capacity;
    buf->data[buf->size] = '\0';
    return true;
}

void weir_buf_append(struct weir_buf *buf, const void *bytes, size_t size)
{
    if (size == 0 || !weir_buf_reserve(buf, size))
        return;
    memcpy(buf->data + buf->size, bytes, size);
    buf->size += size;
    buf->data[buf->size] = '\0';
}

void weir_buf_text(struct weir_buf *buf, const char *text)
{
    weir_buf_append(buf, text, strlen(text));
}

void weir_buf_printf(struct weir_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n <= 0 || !weir_buf_reserve(buf, (size_t)n))
        return;
    va_start(args, format);
    (void)vsnprintf(buf->data + buf->size, (size_t)n + 1, format, args);
    va_end(args);
    buf->size += (size_t)n;
}

static int read_all(struct weir_buf *buf, int fd, size_t max_size)
{
    size_t start = buf->size;
    for (;;) {
        if (!weir_buf_reserve(buf, 65536))
            return -ENOMEM;
        ssize_t n = read(fd, buf->data + buf->size, 65536);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            return 0;
        buf->size += (size_t)n;
        buf->data[buf->size] = '\0';
        if (buf->size - start > max_size)
            return -EFBIG;
    }
}

int weir_buf_read_file(struct weir_buf *buf, const char *path, size_t max_size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= max_size)
        (void)weir_buf_reserve(buf, (size_t)st.st_size + 65536);
    int code = read_all(buf, fd, max_size);
    close(fd);
    return code;
}
