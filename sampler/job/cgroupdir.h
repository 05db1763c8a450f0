/* The directories of a process' control groups: version 1, version 2, hybrid. */
#ifndef PM_SAMPLER_JOB_CGROUPDIR_H
#define PM_SAMPLER_JOB_CGROUPDIR_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Hierarchies: the unified one, and those of version 1 by controller. X(name, controller) */
#define PM_CGROUPDIRS(X)                                                                           \
	X(UNIFIED, "")                                                                             \
	X(CPUACCT, "cpuacct")                                                                      \
	X(CPU, "cpu")                                                                              \
	X(MEMORY, "memory")                                                                        \
	X(BLKIO, "blkio")                                                                          \
	X(PIDS, "pids")                                                                            \
	X(PERF, "perf_event")

enum pm_cgroupdir_id {
#define PM_CGROUPDIR(name, controller) PM_CGROUPDIR_##name,
	PM_CGROUPDIRS(PM_CGROUPDIR)
#undef PM_CGROUPDIR
		PM_CGROUPDIR_COUNT
};

/* The directories of a job's group below the sampler's root, without a leading slash. */
struct pm_cgroupdir {
	char *path[PM_CGROUPDIR_COUNT];     /* owned; NULL where the job has no group of its own */
	size_t mount_n[PM_CGROUPDIR_COUNT]; /* length of the mount point at its start */
};

/*
 * Find the directories of the groups in the text of a /proc/PID/cgroup (proc_pid_cgroup(5)), by the
 * mounts in the text of a mountinfo file (proc_pid_mountinfo(5)). The group of a batch system's job
 * stands for those of its steps. The root of a hierarchy is the whole node's and no job's.
 * Returns how many were found.
 */
int pm_cgroupdir_find(struct pm_cgroupdir *d, const char *root, const char *cgroup,
		      const char *mountinfo);

/*
 * Find a group in all hierarchies by its directory in one of them (/sys/fs/cgroup/...). Returns how
 * many were found: 0 where the directory is not that of a control group.
 */
int pm_cgroupdir_at(struct pm_cgroupdir *d, const char *root, const char *directory,
		    const char *mountinfo);

/*
 * The path of a control group in its hierarchy, as in /proc/PID/cgroup, by its directory. Returns
 * memory that the caller frees, or NULL for another directory or the root of a hierarchy.
 */
char *pm_cgroupdir_name(const char *directory, const char *mountinfo);

/* Release what is held. */
void pm_cgroupdir_free(struct pm_cgroupdir *d);

#endif
