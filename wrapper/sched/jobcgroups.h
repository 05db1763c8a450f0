/* The jobs that run on this host, as control groups tell: a service that follows all of them. */
#ifndef PM_WRAPPER_JOBGROUPS_H
#define PM_WRAPPER_JOBGROUPS_H

#include "common/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A job's control group. */
struct pm_jobgroup {
	char id[128]; /* of the job, as the group is named by it */
	char path[PATH_MAX];
	int64_t uid; /* whose job it is, where the batch system says so in the path; else -1 */
};

/* A process of a job. */
struct pm_jobgroup_process {
	pid_t pid;
	uid_t uid; /* who started it: its real user, whatever its program became */
	int fd;    /* its directory in /proc: no other process ever takes its place there */
};

struct pm_jobgroups {
	const char *root; /* the caller's: where to look; NULL: wherever groups are mounted */
	int fd;           /* readable when directories came or went; -1 where that cannot be had */
	struct pm_jobgroup *group;
	size_t count, capacity;
	size_t visited; /* directories in this scan */
};

/* Begin to watch below root, or with NULL below /sys/fs/cgroup and /dev/cpuset. Nothing is found
 * yet. Never fails: without inotify(7) only pm_jobgroups_scan finds. */
void pm_jobgroups_open(struct pm_jobgroups *g, const char *root);

/* Release what is held. */
void pm_jobgroups_close(struct pm_jobgroups *g);

/* Find the groups there are now, one per job: group[0..count). What is said at fd is taken. */
void pm_jobgroups_scan(struct pm_jobgroups *g);

/*
 * Find a process, in a group or below it, that the job's user started: the user in the path, else
 * any but root, since the batch system's own processes are in groups, too. For a plain user: one of
 * our own. Returns 0 with p->fd open, to be closed by the caller, or -1 where there is none.
 */
int pm_jobgroups_process(const struct pm_jobgroup *group, struct pm_jobgroup_process *p);

#endif
