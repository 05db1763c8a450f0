/*
 * Taskstats records (Documentation/accounting/taskstats-struct.rst): the kernel sends one for a
 * task on request, and unasked at the task's end.
 */
#ifndef PM_SAMPLER_KERNEL_TASKSTATS_H
#define PM_SAMPLER_KERNEL_TASKSTATS_H

#include "sampler/kernel/netlink.h"
#include "sampler/kernel/taskstats_id.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum pm_taskstats_how { PM_TASKSTATS_SUM, PM_TASKSTATS_TOP };
enum pm_taskstats_needs { PM_TASKSTATS_ALWAYS, PM_TASKSTATS_DELAY, PM_TASKSTATS_SCHED };

struct pm_taskstats_info {
	const char *name, *unit, *help;
	unsigned offset, scale;
	enum pm_taskstats_how how;
	enum pm_taskstats_needs needs;
};

extern const struct pm_taskstats_info pm_taskstats_info[PM_TASKSTATS_VALUES];

/* A task's record. */
struct pm_taskstats {
	unsigned version;
	pid_t tid, ppid;
	pid_t tgid;    /* pid of its process; tid where the kernel's record lacks the pid */
	bool last;     /* in a record of a task's end: the last task of its process */
	char name[16]; /* command name */
	size_t values; /* values present: the kernel's version has the first so many */
	int64_t value[PM_TASKSTATS_VALUES];
};

/*
 * Decode the kernel's struct, of any version and so of any length n.
 * Returns 0, or -1 where it is too short to have the pids.
 */
int pm_taskstats_decode(struct pm_taskstats *t, const char *p, size_t n);

/*
 * Decode the record of one task in a netlink message's attributes. Ignores the sum over a process,
 * which the kernel adds when the last task ends.
 * Returns 0, or -1 where there is none.
 */
int pm_taskstats_message(struct pm_taskstats *t, struct pm_netlink_part attributes);

#endif
