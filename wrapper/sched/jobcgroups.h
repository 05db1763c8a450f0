/* The batch jobs that run on this host, found by their control groups, for the service that follows
 * all jobs. */
#ifndef PM_WRAPPER_SCHED_JOBCGROUPS_H
#define PM_WRAPPER_SCHED_JOBCGROUPS_H

#include "common/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A job's control group. */
struct pm_jobgroup {
	char id[128];    /* the job's id */
	char named[128]; /* as it stands in the group's name: another for an SLUID, whose job root's
			  * slurmstepd tells (common/job/slurmstep.h) */
	char path[PATH_MAX];
	int64_t uid; /* the job's user, if the path names the user; else -1 */
};

/* A process of a job. */
struct pm_jobgroup_process {
	pid_t pid;
	uid_t uid; /* real user id, which a set-user-ID program keeps */
	int fd;    /* its /proc directory, which never shows another process that reuses the pid */
};

struct pm_jobcgroups {
	const char *root; /* directory to search, owned by the caller; NULL: the usual mounts */
	int fd;           /* readable after directories came or went; -1: no inotify(7) */
	struct pm_jobgroup *group;
	size_t count, capacity;
	size_t visited; /* directories that this scan has searched */
};

/* Prepare to scan and watch below root, or with NULL below /sys/fs/cgroup and /dev/cpuset. Only
 * pm_jobcgroups_scan finds groups. Never fails: without inotify(7) g->fd is -1. */
void pm_jobcgroups_open(struct pm_jobcgroups *g, const char *root);

/* Free the groups and close g->fd. */
void pm_jobcgroups_close(struct pm_jobcgroups *g);

/* Find the present groups, one per job: group[0..count). Discards the events queued at g->fd. */
void pm_jobcgroups_scan(struct pm_jobcgroups *g);

/*
 * Find a process, in a group or below it, that the job's user started. That user is the one that
 * the path names, else any user but root, whose processes in the group are the batch system's. A
 * plain user finds only own processes. Returns 0 with p->fd open for the caller to close, or -1 if
 * there is no such process.
 */
int pm_jobcgroups_process(const struct pm_jobgroup *group, struct pm_jobgroup_process *p);

#endif
