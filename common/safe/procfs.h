/*
 * Parsers of the /proc files of a task: they take text and do no I/O. All accept hostile text (a
 * command name may hold anything) and report missing fields. Safe in the preload.
 */
#ifndef PM_COMMON_SAFE_PROCFS_H
#define PM_COMMON_SAFE_PROCFS_H

#include "common/safe/tsv.h"

#include <stddef.h>
#include <stdint.h>

/* Fields of /proc/PID/stat, numbered as in proc_pid_stat(5). */
struct pm_procfs_stat {
	int64_t pid;         /* 1, in the pid namespace of the /proc; -1 where invalid */
	struct pm_str comm;  /* 2, without its parentheses, inside the text */
	char state;          /* 3 */
	int64_t ppid;        /* 4 */
	int64_t pgrp;        /* 5 */
	int64_t session;     /* 6 */
	int64_t utime;       /* 14, ticks: user time of all threads, also of ended ones */
	int64_t stime;       /* 15, ticks */
	int64_t cutime;      /* 16, ticks: of waited-for children and their waited-for children */
	int64_t cstime;      /* 17, ticks */
	int64_t num_threads; /* 20 */
	int64_t starttime;   /* 22, ticks after boot */
	int64_t exit_signal; /* 38; -1 for a thread that does not lead its process */
	int64_t processor;   /* 39 */
	int64_t delayacct_blkio; /* 42, ticks */
	int64_t guest_time;      /* 43, ticks */
};

/* Fields of /proc/PID/task/TID/io in the kernel's order. */
enum pm_procfs_io {
	PM_IO_RCHAR,
	PM_IO_WCHAR,
	PM_IO_SYSCR,
	PM_IO_SYSCW,
	PM_IO_READ_BYTES,
	PM_IO_WRITE_BYTES,
	PM_IO_CANCELLED_WRITE_BYTES,
	PM_IO_FIELDS
};

/* Each parser returns 0, or -1 where a field is missing. */
int pm_procfs_stat(const char *text, size_t n, struct pm_procfs_stat *out);
int pm_procfs_io(const char *text, size_t n, int64_t out[PM_IO_FIELDS]);

/* Parse /proc/PID/task/TID/schedstat: ns on a CPU, ns waiting for a CPU, time slices. */
int pm_procfs_schedstat(const char *text, size_t n, int64_t out[3]);

/*
 * Parse VmPeak and VmHWM of /proc/PID/status, kB; only complete lines count. Returns 0 when VmHWM,
 * the later one, was found, else -1; the value of a missing line stays unchanged.
 */
int pm_procfs_peaks(const char *text, size_t n, int64_t *vmpeak_kb, int64_t *rssmax_kb);

/*
 * Parse voluntary_ctxt_switches and nonvoluntary_ctxt_switches of the status file of a process or
 * thread. Returns 0 when the second, which comes later, was found, else -1; the value of a missing
 * line stays unchanged.
 */
int pm_procfs_switches(const char *text, size_t n, int64_t *voluntary, int64_t *involuntary);

/* Parse the real user id of /proc/PID/status, the first number of its Uid line: the user who
 * started the process, even if its program is set-user-ID. */
int pm_procfs_real_uid(const char *text, size_t n, int64_t *uid);

/*
 * Parse the most specific path of /proc/PID/cgroup: that of the unified hierarchy, unless it is the
 * root while the cpu controller of a version 1 hierarchy has a path.
 */
int pm_procfs_cgroup(const char *text, size_t n, struct pm_str *path);

/*
 * Cut a control group's path to that of the batch system's job, which outlives the job's steps and
 * accounts for all of them: Slurm's .../job_12/step_0/user/task_1, OAR's ...-j12.slice/...
 */
void pm_procfs_cgroup_job(char *path);

#endif
