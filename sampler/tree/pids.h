/*
 * Which processes may be new since the last look.
 *
 * Reading all of /proc at every tick costs more than everything else on a node of a thousand
 * processes. The kernel hands out pids in rising order and /proc/loadavg shows the last one, so
 * only the pids between two ticks need a look. A full look is taken first, then now and then, and
 * whenever the last pid cannot be trusted: a recorded tree, another pid namespace's /proc, pids
 * that wrapped around.
 */
#ifndef PM_SAMPLER_TREE_PIDS_H
#define PM_SAMPLER_TREE_PIDS_H

#include "sampler/kernel/procfile.h"

#include <sys/types.h>

struct pm_pids {
	int proc_fd;    /* /proc below root; owned by the caller */
	bool countable; /* /proc/loadavg can be trusted */
	struct pm_procfile loadavg;
	pid_t last[2];  /* last pid handed out at the latest look [0] and at the one before [1] */
	unsigned looks; /* partial looks since the last full one */
	bool full;      /* the latest look was a full one */
	pid_t *pid;     /* result of the latest look, owned */
	size_t count, capacity;
};

/* Start; proc_fd stays the caller's. Never fails: without a usable /proc/loadavg all looks are full
 * ones. */
void pm_pids_open(struct pm_pids *p, const char *root, int proc_fd);

/*
 * Put into p->pid every process that may be new since the previous call; threads, old and ended
 * processes may be among them. New pids of the previous call are given again: a process appears in
 * /proc only some time after its pid was handed out.
 * Returns 0, or -1 with errno set when /proc cannot be listed or memory is short: p->pid is
 * incomplete then.
 */
int pm_pids_look(struct pm_pids *p);

/* Release what is held. */
void pm_pids_close(struct pm_pids *p);

#endif
