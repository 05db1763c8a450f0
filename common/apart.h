/* Run a function in a process of its own, within a limit of time. Programs only. */
#ifndef PM_COMMON_APART_H
#define PM_COMMON_APART_H

#include "common/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct pm_apart {
	/* What the process does: returns its exit status, or becomes another program. */
	int (*run)(void *ctx);
	void *ctx;
	int64_t limit_us; /* after which the process and its group are killed; 0: never */
	/* In shared memory: when the process last made progress, us by the monotonic clock. The
	 * limit counts from then on. NULL: from its start. */
	const volatile int64_t *progress_us;
	/* Once it is set, the group gets SIGTERM, and is killed patience_us later. NULL: never. */
	const volatile sig_atomic_t *stop;
	int64_t patience_us;
	/* The function becomes a program that starts others: they die with the caller, too, unless
	 * they leave the process group. It costs one more process. */
	bool family;
	const char *setting; /* the setting that the limit comes from, for messages */
};

/*
 * Run a function in a new process with a process group of its own, which dies with the caller, and
 * wait for its end. Returns 0 with its exit status, or -1 with e filled: it could not be started, a
 * signal ended it, or it was killed. One that even SIGKILL does not end, as in a file system that
 * hangs, is left behind, and no other is started until it has gone.
 */
int pm_apart_run(const struct pm_apart *a, int *status, struct pm_err *e);

/* In the function, after it changed the users or groups that it runs as: the kernel then forgets
 * that the process is to die with its caller. */
void pm_apart_rebind(void);

#endif
