/* Where the control groups of a process are, in both versions and in hybrid systems. Programs only.
 */
#ifndef PM_CGROUPDIR_H
#define PM_CGROUPDIR_H

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
	size_t mount_n[PM_CGROUPDIR_COUNT]; /* how much of it is the mount point */
};

/*
 * Find the groups that the text of a /proc/PID/cgroup names, by the mounts that the text of a
 * mountinfo says; proc_pid_cgroup(5), proc_pid_mountinfo(5). The group of a batch system's job
 * stands for those of its steps. The root of a hierarchy is the whole node's and no job's.
 * Returns how many were found, or -1 when memory is short.
 */
int pm_cgroupdir_find(struct pm_cgroupdir *d, const char *root, const char *cgroup,
		      const char *mountinfo);

/*
 * Find the same group in all hierarchies by its directory in one of them, as the machine has it:
 * /sys/fs/cgroup/... Returns as above; 0 also where the directory is not one of a control group.
 */
int pm_cgroupdir_at(struct pm_cgroupdir *d, const char *root, const char *directory,
		    const char *mountinfo);

/*
 * The path of a control group in its hierarchy, as /proc/PID/cgroup has it, by its directory.
 * Returns memory of the caller, or NULL where it is none, or the root of a hierarchy.
 */
char *pm_cgroupdir_name(const char *directory, const char *mountinfo);

/* Release what is held. */
void pm_cgroupdir_free(struct pm_cgroupdir *d);

#endif
