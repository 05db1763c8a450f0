/* Sample on every tick until the job ends or a signal says so. Programs only. */
#ifndef PM_LOOP_H
#define PM_LOOP_H

#include "common/err.h"
#include "common/verb.h"
#include "sampler/source.h"

#include <sys/types.h>

struct pm_loop_options {
	const char *root;                 /* prefix of /proc and /sys */
	const char *directory;            /* of the series file; NULL: standard output alone */
	bool stream;                      /* standard output, too */
	pid_t pid;                        /* root of the process tree; 0: none */
	const struct pm_job_marks *marks; /* else those of the job's processes; NULL: none */
	const char *until;                /* the file that says FINISHED (until.h); NULL: none */
	int64_t interval_us;              /* > 0 */
	int64_t checkpoint_us;            /* how often the file is brought to the disk; 0: never */
	uint64_t max_samples;             /* of a source before it is thinned (thin.h); 0: never */
	bool selected[PM_SOURCES];
	const struct pm_source *const *table; /* NULL: pm_source_table */
	/* Read interval, checkpoints, samples and sources anew, on SIGHUP; NULL: they stay. Returns
	 * 0, or -1 with e filled and nothing changed. */
	int (*reload)(struct pm_loop_options *options, struct pm_err *e);
	const char
		*interval; /* for reload: the command line's, which no setting changes, or NULL */
};

/*
 * Sample at once, at every multiple of the interval, and a last time at the end: when every
 * process of the tree has ended, the job is over (jobwatch.h), the file until says so, or on
 * SIGTERM or SIGINT. On SIGHUP settings are read anew and a new file begins. A full disk loses
 * ticks and does not end it; a reader of standard output that went away does where there is no
 * file. Returns 0, or -1 with e filled when it cannot begin.
 */
int pm_loop_run(const struct pm_loop_options *options, struct pm_err *e);

#endif
