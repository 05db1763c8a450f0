/* Counters of the kernel's events, of tasks, control groups or CPUs. Programs only. */
#ifndef PM_PERF_H
#define PM_PERF_H

#include "common/err.h"
#include "common/events.h"

#include <stdint.h>
#include <sys/types.h>

/* Most events at a time. */
#define PM_PERF_MAX 32

/* Events to count, some of them in groups: those of a group are counted at the same times. */
struct pm_perf_list {
	struct pm_event event[PM_PERF_MAX];
	int leader[PM_PERF_MAX]; /* place of the first of its group; of one that is alone, its own
				  */
	int count;
	struct pm_str missing; /* a metric that no events of this processor make; n 0: none */
};

/*
 * Find the events of a comma-separated list: the kernel's names and codes (pm_event_find()), ids of
 * metrics (formulas.def), which stand for a group of the events that make them on the
 * microarchitecture `march`, NULL for an unknown one, and groups of events in braces. The events'
 * texts point into it, or are constant. An event that metrics share is there once, in the first
 * one's group. Returns 0, or -1 with e filled: an unknown name, one that is there twice, too many,
 * or braces that do not match.
 */
int pm_perf_parse(struct pm_perf_list *l, const char *list, const char *march, struct pm_err *e);

/* The microarchitecture of this host's processors, an id of formulas.def; NULL: not known. */
const char *pm_perf_march(void);

/* What to count for. */
struct pm_perf_whom {
	pid_t task; /* and, as long as the counter is open, all that are born of it; -1: any */
	int cgroup; /* open directory of a control group, of the one hierarchy that has such; -1:
		       none */
	int cpu;    /* where; -1: everywhere, for a task only */
};

/*
 * Count an event from now on, in the group of the open counter `leader`, -1 for none.
 * Returns a descriptor, or -1 with errno set.
 */
int pm_perf_open(const struct pm_event *e, const struct pm_perf_whom *whom, int leader);

/* What a counter has counted, and for how long it should have and did, ns. */
struct pm_perf_count {
	uint64_t count, enabled, running;
};

/* Read a counter, with what was born of its task. Returns 0, or -1 with errno set. */
int pm_perf_read(int fd, struct pm_perf_count *out);

#endif
