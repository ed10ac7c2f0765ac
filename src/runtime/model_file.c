/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool weir_model_file_ends_in(const char *path, const char *const *endings)
{
    size_t length = strlen(path);
    for (; *endings != NULL; endings++) {
        size_t ending = strlen(*endings);
        if (length >= ending && strcasecmp(path + length - ending, *endings) == 0)
            return true;
    }
    return false;
}

static bool is_text(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] < 0x20 && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t')
            return false;
    return size > 0;
}

/* What the first bytes say that it is, when that is not a model; else NULL. */
static const char *known_impostor(const char *path, const unsigned char *head, size_t size)
{
    static const char lfs[] = "version https://git-lfs";
    static const char *const text_models[] = {".xml", ".json", NULL};
    if (size == 0)
        return "an empty file: download it again";
    if (size >= sizeof lfs - 1 && memcmp(head, lfs, sizeof lfs - 1) == 0)
        return "a Git LFS pointer, not the model itself: run git lfs pull";
    if (size >= 3 && memcmp(head, "\xFF\xD8\xFF", 3) == 0)
        return "a JPEG picture";
    if (size >= 8 && memcmp(head, "\x89PNG\r\n\x1A\n", 8) == 0)
        return "a PNG picture";
    if (size >= 4 && memcmp(head, "PK\x03\x04", 4) == 0)
        return "a zip archive (a PyTorch checkpoint?): export it to ONNX";
    if (is_text(head, size) && !weir_model_file_ends_in(path, text_models))
        return "a text file (an error page that was saved?)";
    return NULL;
}

int weir_model_file_check(const char *path, struct weir_error *err)
{
    if (path == NULL || path[0] == '\0')
        return weir_error_set(err, -EINVAL, "no model is given: expected the path of a model file (--model FILE)");
    struct stat st;
    if (stat(path, &st) != 0)
        return weir_error_set(err, -errno, "model %s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return weir_error_set(err, -EISDIR, "model %s: expected a file, found a directory", path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return weir_error_set(err, -errno, "model %s: %s", path, strerror(errno));
    unsigned char head[64];
    ssize_t size = read(fd, head, sizeof head);
    int read_error = errno;
    close(fd);
    if (size < 0)
        return weir_error_set(err, -read_error, "model %s: %s", path, strerror(read_error));
    const char *impostor = known_impostor(path, head, (size_t)size);
    if (impostor != NULL)
        return weir_error_set(err, -EINVAL, "model %s: expected a model, found %s", path, impostor);
    return 0;
}
