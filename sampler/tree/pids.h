/*
 * Which processes may be new since the last look. Programs only.
 *
 * Reading all of /proc at every tick costs more than everything else on a node of a thousand
 * processes. The kernel hands out pids in rising order and /proc/loadavg tells the last one, so
 * only the pids between two ticks need a look. A full look is taken first, then now and then, and
 * always where that reckoning cannot be trusted: a recorded tree, another pid namespace's /proc,
 * pids that began again from the low end.
 */
#ifndef PM_PIDS_H
#define PM_PIDS_H

#include "sampler/procfile.h"

#include <sys/types.h>

struct pm_pids {
	int proc_fd;    /* the caller's, of /proc below root */
	bool countable; /* /proc/loadavg can be trusted */
	struct pm_procfile loadavg;
	pid_t last[2];  /* last pid handed out: at the latest look, and one look before */
	unsigned looks; /* since the last full one */
	bool full;      /* the latest one was */
	pid_t *pid;     /* the answer, owned */
	size_t count, capacity;
};

/* Start; proc_fd stays the caller's. Never fails: what is missing makes every look a full one. */
void pm_pids_open(struct pm_pids *p, const char *root, int proc_fd);

/*
 * Put into p->pid every process that may be new since the previous call; others and threads
 * may be among them. Pids of the call before are given again: a process appears in /proc only
 * some time after its pid was handed out.
 * Returns 0, or -1 with errno set when /proc cannot be listed or memory is short: there is a part.
 */
int pm_pids_look(struct pm_pids *p);

/* Release what is held. */
void pm_pids_close(struct pm_pids *p);

#endif
