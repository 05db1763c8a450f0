/* The control group of this process: CPU time charged and CPUs allowed. */
#ifndef PM_WRAPPER_CGROUP_H
#define PM_WRAPPER_CGROUP_H

#include <stddef.h>
#include <stdint.h>

/* The path of our group, the unified hierarchy's unless we are in its root and not in that of
 * the cpu controller (v1). Returns 0, or -1 where it is not known. */
int pm_cgroup_path(char *path, size_t size);

/* CPU time in µs that the group of this path has used (cpu.stat, or cpuacct.usage of v1).
 * Returns 0, or -1 where it is unknown: always for the root, which is not the job's own. */
int pm_cgroup_cpu_us(const char *path, int64_t *us);

/* CPUs that affinity and the quotas of our group and those above it leave us, rounded up; -1
 * where unknown. */
int64_t pm_cgroup_cpus_allowed(void);

#endif
