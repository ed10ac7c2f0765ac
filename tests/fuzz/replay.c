/* SPDX-License-Identifier: Apache-2.0 */
/* A main for fuzz targets where libFuzzer is not: plays the files of the folders and the files that are
 * named. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int play(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    (void)fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    /* Exactly as large as the input, so that a sanitizer sees the first byte too far. */
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    int ok = data != NULL && size >= 0 && fread(data, 1, (size_t)size, file) == (size_t)size;
    (void)fclose(file);
    if (ok)
        (void)LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return ok;
}

static int play_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort), played = 0;
    for (int i = 0; i < count; i++) {
        char name[4096];
        (void)snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            played += play(name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return count >= 0 ? played : play(path);
}

int main(int argc, char **argv)
{
    int played = 0;
    for (int i = 1; i < argc; i++)
        played += play_folder(argv[i]);
    printf("%d inputs\n", played);
    return played > 0 ? 0 : 1;
}
