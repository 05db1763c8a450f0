/* Sample on every tick until the job ends or a signal says so. Programs only. */
#ifndef PM_LOOP_H
#define PM_LOOP_H

#include "common/err.h"
#include "sampler/source.h"

#include <sys/types.h>

struct pm_loop_options {
	const char *root;      /* prefix of /proc and /sys */
	const char *directory; /* of the series file; NULL: standard output */
	pid_t pid;             /* root of the process tree; 0: none */
	int64_t interval_us;   /* > 0 */
	bool selected[PM_SOURCES];
};

/*
 * Sample at once, at every multiple of the interval, and a last time at the end: when every
 * process of the tree has ended, or on SIGTERM, SIGINT or SIGHUP. A full disk loses ticks and
 * does not end it; a reader of standard output that went away does.
 * Returns 0, or -1 with e filled when it cannot begin.
 */
int pm_loop_run(const struct pm_loop_options *options, struct pm_err *e);

#endif
