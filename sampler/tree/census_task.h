/*
 * What the kernel's side of a census (census.bpf.c) tells of a process. Programs only, and what
 * runs in the kernel: both are compiled from this.
 */
#ifndef PM_CENSUS_TASK_H
#define PM_CENSUS_TASK_H

#include "sampler/taskstats_id.h"

#include <linux/types.h>

/* Processes in one census. */
#define PM_CENSUS_MAX 4096

/* CPUs of which a machine may have so many. */
#define PM_CENSUS_CPUS 8192

enum pm_census_state {
	/* Gone, ended with its parent not told yet, or changed while it was being read. */
	PM_CENSUS_UNSURE,
	PM_CENSUS_WHOLE
};

struct pm_census_task {
	__s32 pid;     /* who is asked for */
	__u32 state;   /* enum pm_census_state; the rest is valid where that is whole */
	__s32 ppid;    /* its parent's, 0 for none */
	__u32 threads; /* that have not ended */
	__u32 running; /* how many of them have a CPU: run_ns may be a clock tick behind */
	__u32 unused;
	__u64 start_ns; /* since boot */
	/* CPU time of all threads, those that ended included, in ns. */
	__u64 run_ns;             /* as the scheduler measured it */
	__u64 user_ns, system_ns; /* sampled at clock ticks: how the former is to be divided */
	__u64 waited_user_ns, waited_system_ns; /* of children that were waited for */
	__s64 vms, rss, shared;                 /* pages */
	/* As in proc_pid_io(5), in its order. */
	__u64 io[7];
	char name[16]; /* as it was set: not escaped */
	/* Of its leader, in the units of taskstats.def; without the time since its birth. */
	__s64 leader[PM_TASKSTATS_VALUES];
};

#endif
