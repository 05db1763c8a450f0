/* The control group of this process: CPU time charged and CPUs allowed. */
#ifndef PM_WRAPPER_CGROUP_H
#define PM_WRAPPER_CGROUP_H

#include <stddef.h>
#include <stdint.h>

/* The path of our group, in a step of Slurm that of the job; the unified hierarchy's unless we are
 * in its root and not in that of the cpu controller (v1). Returns 0, or -1 where it is not known.
 */
int pm_cgroup_path(char *path, size_t size);

/* CPU time in µs that the group of this path has used (cpu.stat, or cpuacct.usage of v1).
 * Returns 0, or -1 where it is unknown: always for the root, which is not the job's own. */
int pm_cgroup_cpu_us(const char *path, int64_t *us);

/* Processes that the kernel killed in the group of this path, and below it, for want of memory
 * (memory.events; of v1 memory.oom_control, as long as we are in it). Returns 0, or -1 where it is
 * unknown: always for the root. */
int pm_cgroup_oom_kills(const char *path, int64_t *kills);

/* CPUs that affinity and the quotas of our group and those above it leave us, rounded up; -1
 * where unknown. */
int64_t pm_cgroup_cpus_allowed(void);

#endif
