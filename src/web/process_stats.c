/* SPDX-License-Identifier: Apache-2.0 */
#include "web/process_stats.h"

#include "base/clock.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static double entries(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return 0;
    int count = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static double resident_bytes(void)
{
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    int read = fscanf(file, "%ld %ld", &total, &resident);
    fclose(file);
    return read == 2 ? (double)resident * (double)sysconf(_SC_PAGESIZE) : 0;
}

void weir_process_stats_read(struct weir_process_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    stats->cpu_s = (double)weir_clock_process_cpu_ns() / WEIR_NS_PER_S;
    stats->resident_bytes = resident_bytes();
    stats->open_fds = entries("/proc/self/fd");
    stats->threads = entries("/proc/self/task");
}
