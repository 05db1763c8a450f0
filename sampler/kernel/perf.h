/* Counters of the kernel's events, of tasks, control groups or CPUs. */
#ifndef PM_SAMPLER_KERNEL_PERF_H
#define PM_SAMPLER_KERNEL_PERF_H

#include "common/err.h"
#include "common/safe/events.h"

#include <stdint.h>
#include <sys/types.h>

/* Maximum number of events at a time. */
#define PM_PERF_MAX 32

/* Events to count. The events of a group are counted at the same times. */
struct pm_perf_list {
	struct pm_event event[PM_PERF_MAX];
	int leader[PM_PERF_MAX]; /* place of the group's first event; without group: own place */
	int count;
	struct pm_str missing; /* a metric for which this processor has no events; n 0: none */
};

/*
 * Find the events of a comma-separated list. Its items are the kernel's names and codes
 * (pm_event_find()), ids of metrics (formulas.def), and groups of events in braces. A metric stands
 * for a group of the events from which it is computed on the microarchitecture `march`, NULL for an
 * unknown one. An event that metrics share is listed once, in the group of the first metric. The
 * events' texts point into the list, or are constant. Returns 0, or -1 with e filled: a name that
 * is unknown or given twice, too many events, or braces that do not match.
 */
int pm_perf_parse(struct pm_perf_list *l, const char *list, const char *march, struct pm_err *e);

/* The microarchitecture of this host's processors, an id of formulas.def; NULL: unknown. */
const char *pm_perf_march(void);

/* The task or control group whose events are counted, and the CPU. */
struct pm_perf_whom {
	pid_t task; /* counted with the descendants born while the counter is open; -1: any task */
	int cgroup; /* open directory of a control group (groupfd.h); -1: none */
	int cpu;    /* -1: every CPU, for a task only */
};

/*
 * Count an event from now on, in the group of the open counter `leader`, -1 for no group.
 * Returns a descriptor, or -1 with errno set.
 */
int pm_perf_open(const struct pm_event *e, const struct pm_perf_whom *whom, int leader);

/* A counter's value, and how long it was enabled and actually ran, ns. */
struct pm_perf_count {
	uint64_t count, enabled, running;
};

/* Read a counter, descendants of its task included. Returns 0, or -1 with errno set. */
int pm_perf_read(int fd, struct pm_perf_count *out);

#endif
