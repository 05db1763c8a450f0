/*
 * What the kernel tells of a task by taskstats (Documentation/accounting/taskstats-struct.rst):
 * when asked, and by itself at the task's end. Programs only.
 */
#ifndef PM_TASKSTATS_H
#define PM_TASKSTATS_H

#include "sampler/netlink.h"
#include "sampler/taskstats_id.h"

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
	pid_t tgid;    /* its process; that is tid where the kernel does not tell */
	bool last;     /* at its end: it was the last task of its process */
	char name[16]; /* its command name */
	size_t values; /* how many of the first values the kernel's version has */
	int64_t value[PM_TASKSTATS_VALUES];
};

/*
 * Decode the kernel's struct, of any version and so of any length n.
 * Returns 0, or -1 where it is too short to tell whose it is.
 */
int pm_taskstats_decode(struct pm_taskstats *t, const char *p, size_t n);

/*
 * Decode the record of one task in a netlink message's attributes. The sum over a process, which
 * the kernel adds when its last task ends, is not looked at.
 * Returns 0, or -1 where there is none.
 */
int pm_taskstats_message(struct pm_taskstats *t, struct pm_netlink_part attributes);

#endif
