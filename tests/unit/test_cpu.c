/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cpu.h"

#include "unit.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/weir-cgroup-XXXXXX";

static void put(const char *folder, const char *file, const char *text)
{
    char path[512], command[1024];
    (void)snprintf(command, sizeof command, "mkdir -p '%s/%s'", root, folder);
    assert_int_equal(system(command), 0);
    (void)snprintf(path, sizeof path, "%s/%s/%s", root, folder, file);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) != NULL ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void the_smallest_quota_on_the_way_up_counts(void **state)
{
    (void)state;
    put("", "cpu.max", "max 100000\n");
    put("system.slice", "cpu.max", "150000 100000\n");
    put("system.slice/weir.service", "cpu.max", "300000 100000\n");
    put("open.slice", "cpu.max", "max 100000\n");
    assert_float_equal(weir_cpu_quota("0::/system.slice/weir.service\n", root), 1.5, 1e-9);
    assert_float_equal(weir_cpu_quota("0::/open.slice\n", root), 0, 0);
    assert_float_equal(weir_cpu_quota("0::/\n", root), 0, 0);
    assert_float_equal(weir_cpu_quota("0::/not/there\n", root), 0, 0);
    assert_float_equal(weir_cpu_quota("", root), 0, 0);
    assert_float_equal(weir_cpu_quota("nonsense\n::\n:", root), 0, 0);
}

static void version_1_has_a_folder_a_controller(void **state)
{
    (void)state;
    put("cpu,cpuacct/docker/abc", "cpu.cfs_quota_us", "50000\n");
    put("cpu,cpuacct/docker/abc", "cpu.cfs_period_us", "100000\n");
    put("cpu,cpuacct", "cpu.cfs_quota_us", "-1\n");
    put("cpu,cpuacct", "cpu.cfs_period_us", "100000\n");
    const char *text = "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n";
    assert_float_equal(weir_cpu_quota(text, root), 0.5, 1e-9);
    assert_float_equal(weir_cpu_quota("4:cpuset:/docker/abc\n", root), 0, 0);
}

static void the_affinity_mask_counts(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    int first = 0;
    while (!CPU_ISSET(first, &before))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(weir_cpu_usable(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_true(weir_cpu_usable() >= 1 && weir_cpu_usable() <= CPU_COUNT(&before));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_quota_on_the_way_up_counts),
        cmocka_unit_test(version_1_has_a_folder_a_controller),
        cmocka_unit_test(the_affinity_mask_counts),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
