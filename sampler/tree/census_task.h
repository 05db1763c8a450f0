/*
 * The figures of one process in a census, shared by the BPF programs (census.bpf.c) and user space.
 */
#ifndef PM_SAMPLER_TREE_CENSUS_TASK_H
#define PM_SAMPLER_TREE_CENSUS_TASK_H

#include "sampler/kernel/taskstats_id.h"

#include <linux/types.h>

/* Maximum number of processes in one census. */
#define PM_CENSUS_MAX 4096

/* Maximum number of CPUs of a machine. */
#define PM_CENSUS_CPUS 8192

enum pm_census_state {
	/* The process is gone, a zombie, or changed while it was being read. */
	PM_CENSUS_UNSURE,
	PM_CENSUS_WHOLE
};

struct pm_census_task {
	__s32 pid;     /* of the requested process */
	__u32 state;   /* enum pm_census_state; the rest is valid in state PM_CENSUS_WHOLE */
	__s32 ppid;    /* the parent's pid, 0 for none */
	__u32 threads; /* living threads */
	__u32 running; /* threads on a CPU now: with any, run_ns may be a clock tick behind */
	__u32 unused;
	__u64 start_ns; /* since boot */
	/* CPU time of all threads, ended ones included, in ns. */
	__u64 run_ns;             /* as the scheduler measured it */
	__u64 user_ns, system_ns; /* sampled at clock ticks: the ratio in which to divide run_ns */
	__u64 waited_user_ns, waited_system_ns; /* of waited-for children */
	__s64 vms, rss, shared;                 /* pages */
	/* As in proc_pid_io(5), in its order. */
	__u64 io[7];
	char name[16]; /* command name, not escaped */
	/* Figures of the only thread, in the units of taskstats.def; `elapsed` is 0. With more
	 * threads only the peaks of memory are filled in. */
	__s64 leader[PM_TASKSTATS_VALUES];
};

#endif
