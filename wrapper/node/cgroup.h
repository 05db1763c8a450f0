/* The control group of this process: CPU time, memory limit, out-of-memory kills, allowed CPUs. */
#ifndef PM_WRAPPER_NODE_CGROUP_H
#define PM_WRAPPER_NODE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Evidence that a control group belongs to the job alone; job metadata has it as
 * start.cgroup_own. */
enum pm_cgroup_own { PM_CGROUP_SHARED, PM_CGROUP_NAMED, PM_CGROUP_ALONE };

/*
 * Find the control group to account for, the first of these:
 * - the group that the batch system named after `job` (NULL: no batch job);
 * - our group if it holds only this process and, with `ancestors`, the ancestors of this process;
 * - our group, even if other processes share it: that in the unified hierarchy or, if that is the
 *   root, that of v1's cpuacct or cpu controller, if there is one.
 * Returns an enum pm_cgroup_own, or -1 if our group is unknown.
 */
int pm_cgroup_find(const char *job, bool ancestors, char *path, size_t size);

/* Read the CPU time in µs that the group of this path has used (cpu.stat, or cpuacct.usage of v1).
 * Returns 0, or -1 if it is unknown, as always for the machine's root group, which no job owns. */
int pm_cgroup_cpu_us(const char *path, int64_t *us);

/* Get the path of our group in the v1 hierarchy that has the memory controller; in a Slurm step,
 * the path of the job's group. Returns 0, or -1 without such a hierarchy. */
int pm_cgroup_memory(char *path, size_t size);

/* Count the processes that the kernel killed for want of memory in the group of this path and below
 * it (memory.events). Where v1 has the memory controller, count in the group `memory` instead
 * (memory.oom_control; NULL: no such group). Returns 0, or -1 if the count is unknown, as always
 * for the root. */
int pm_cgroup_oom_kills(const char *path, const char *memory, int64_t *kills);

/* The lowest memory limit of our group and its parents, in bytes; -1: no limit. */
int64_t pm_cgroup_memory_limit(void);

/* The number of CPUs that our affinity and the quotas of our group and its parents allow, rounded
 * up; -1: unknown. */
int64_t pm_cgroup_cpus_allowed(void);

#endif
