/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_BASE_CPU_H
#define WEIR_BASE_CPU_H

/* How many cores this process may really use: the affinity mask and the cgroup's quota (v1 and v2),
 * never the host's count.
 * Thread-safety: all functions from any thread. */

/* min(cores in the affinity mask, ceil(cgroup CPU quota)), at least 1. */
int weir_cpu_usable(void);

/* The cgroup quota in cores (1.5 means 150 %), or 0 when there is none.
 * proc_self_cgroup: text of /proc/self/cgroup. root: where the cgroup file systems are mounted
 * ("/sys/fs/cgroup"); a test gives a faked tree. Every level from the process's own group up to the
 * root is read and the smallest quota counts. */
double weir_cpu_quota(const char *proc_self_cgroup, const char *root);

#endif
