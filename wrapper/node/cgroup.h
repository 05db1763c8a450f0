/* The control group of this process: CPU time charged and CPUs allowed. */
#ifndef PM_WRAPPER_CGROUP_H
#define PM_WRAPPER_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Evidence that a control group is the job's alone; as metadata start.cgroup_own. */
enum pm_cgroup_own { PM_CGROUP_SHARED, PM_CGROUP_NAMED, PM_CGROUP_ALONE };

/*
 * Find the control group to account for: the one that the batch system named after `job` (NULL:
 * none); else one in which nothing runs but this process and, with `ancestors`, its ancestors; else
 * our own, which others may share: that of the unified hierarchy, unless we are in its root and not
 * in the root of the cpu controller's (v1). Returns which of them it is, or -1 where no path is
 * known.
 */
int pm_cgroup_find(const char *job, bool ancestors, char *path, size_t size);

/* CPU time in µs that the group of this path has used (cpu.stat, or cpuacct.usage of v1).
 * Returns 0, or -1 where it is unknown: always for the root of the machine, which is no job's. */
int pm_cgroup_cpu_us(const char *path, int64_t *us);

/* The path of our group, in a step of Slurm that of the job, in the hierarchy of version 1 that has the
 * memory controller. Returns 0, or -1 where there is none. */
int pm_cgroup_memory(char *path, size_t size);

/* Processes that the kernel killed for want of memory in the group of this path and below it
 * (memory.events), or in that of `memory` where version 1 has that controller (memory.oom_control),
 * NULL: none. Returns 0, or -1 where it is unknown: always for the root. */
int pm_cgroup_oom_kills(const char *path, const char *memory, int64_t *kills);

/* The lowest limit of memory, bytes, of our group and those above it; -1: none. */
int64_t pm_cgroup_memory_limit(void);

/* CPUs that affinity and the quotas of our group and those above it leave us, rounded up; -1
 * where unknown. */
int64_t pm_cgroup_cpus_allowed(void);

#endif
