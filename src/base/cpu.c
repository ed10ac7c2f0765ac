/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cpu.h"

#include "base/buf.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* v2: cpu.max holds "max 100000" or "50000 100000". */
static double quota_v2(const char *directory)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/cpu.max", directory) >= sizeof path)
        return 0;
    struct weir_buf text = {0};
    double quota = 0, period = 0;
    bool found = weir_buf_read_file(&text, path, 4096) == 0 && text.data != NULL &&
                 sscanf(text.data, "%lf %lf", &quota, &period) == 2;
    weir_buf_fini(&text);
    return found && quota > 0 && period > 0 ? quota / period : 0;
}

static double read_number(const char *directory, const char *file)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, file) >= sizeof path)
        return 0;
    struct weir_buf text = {0};
    double value = 0;
    if (weir_buf_read_file(&text, path, 4096) == 0 && text.data != NULL)
        value = strtod(text.data, NULL);
    weir_buf_fini(&text);
    return value;
}

static double quota_v1(const char *directory)
{
    double quota = read_number(directory, "cpu.cfs_quota_us");
    double period = read_number(directory, "cpu.cfs_period_us");
    return quota > 0 && period > 0 ? quota / period : 0;
}

/* Walks from root + group up to root; group is cut in place. */
static double smallest_on_the_way_up(const char *root, char *group, double (*read)(const char *))
{
    double smallest = 0;
    for (;;) {
        char directory[4096];
        if ((size_t)snprintf(directory, sizeof directory, "%s%s", root, group) < sizeof directory) {
            double quota = read(directory);
            if (quota > 0 && (smallest == 0 || quota < smallest))
                smallest = quota;
        }
        char *slash = strrchr(group, '/');
        if (slash == NULL)
            return smallest;
        *slash = '\0';
    }
}

static bool lists_cpu_controller(const char *controllers)
{
    char copy[256];
    (void)snprintf(copy, sizeof copy, "%s", controllers);
    char *state = NULL;
    for (char *name = strtok_r(copy, ",", &state); name != NULL; name = strtok_r(NULL, ",", &state))
        if (strcmp(name, "cpu") == 0)
            return true;
    return false;
}

/* One line of /proc/self/cgroup is "id:controllers:group"; v2 has no controllers there. */
static double quota_of_line(char *line, const char *root)
{
    char *controllers = strchr(line, ':');
    char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL)
        return 0;
    *group++ = '\0';
    controllers++;
    if (strcmp(group, "/") == 0)
        *group = '\0';
    if (*controllers == '\0')
        return smallest_on_the_way_up(root, group, quota_v2);
    if (!lists_cpu_controller(controllers))
        return 0;
    char mount[4096];
    if ((size_t)snprintf(mount, sizeof mount, "%s/%s", root, controllers) >= sizeof mount)
        return 0;
    char copy[4096];
    (void)snprintf(copy, sizeof copy, "%s", group);
    double quota = smallest_on_the_way_up(mount, copy, quota_v1);
    if (quota > 0 || (size_t)snprintf(mount, sizeof mount, "%s/cpu", root) >= sizeof mount)
        return quota;
    return smallest_on_the_way_up(mount, group, quota_v1);
}

double weir_cpu_quota(const char *proc_self_cgroup, const char *root)
{
    char *copy = strdup(proc_self_cgroup);
    if (copy == NULL)
        return 0;
    double smallest = 0;
    char *state = NULL;
    for (char *line = strtok_r(copy, "\n", &state); line != NULL; line = strtok_r(NULL, "\n", &state)) {
        double quota = quota_of_line(line, root);
        if (quota > 0 && (smallest == 0 || quota < smallest))
            smallest = quota;
    }
    free(copy);
    return smallest;
}

static int affinity_count(void)
{
    for (int cpus = 1024; cpus <= 65536; cpus *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        if (set == NULL)
            return 1;
        int code = sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)cpus), set);
        int count = code == 0 ? CPU_COUNT_S(CPU_ALLOC_SIZE((size_t)cpus), set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return count;
    }
    return 1;
}

int weir_cpu_usable(void)
{
    int cores = affinity_count();
    struct weir_buf cgroup = {0};
    if (weir_buf_read_file(&cgroup, "/proc/self/cgroup", 65536) == 0 && cgroup.data != NULL) {
        double quota = weir_cpu_quota(cgroup.data, "/sys/fs/cgroup");
        if (quota > 0 && ceil(quota) < cores)
            cores = (int)ceil(quota);
    }
    weir_buf_fini(&cgroup);
    return cores > 0 ? cores : 1;
}
