/* Sample on every tick until the job ends or a signal comes. */
#ifndef PM_SAMPLER_LOOP_H
#define PM_SAMPLER_LOOP_H

#include "common/cli/verb.h"
#include "common/err.h"
#include "sampler/publish.h"
#include "sampler/source.h"

#include <sys/types.h>

struct pm_loop_options {
	const char *root;                 /* prefix of /proc and /sys */
	const char *directory;            /* of the series file; NULL: no file */
	bool stream;                      /* write series to standard output */
	pid_t pid;                        /* root of the process tree; 0: none */
	const struct pm_job_marks *marks; /* by which to find the job's processes; NULL: none */
	const char *until;                /* file that ends the sampler (finishfile.h); or NULL */
	int64_t interval_us;              /* > 0 */
	int64_t checkpoint_us;            /* time between syncs of the file to disk; 0: none */
	uint64_t max_samples;             /* ticks until thinning (downsample.h); 0: never */
	uint64_t max_series;              /* bytes of a file (sizelimit.h); 0: any number */
	bool no_cpu_series;               /* none of single CPUs; not changed by reload */
	bool selected[PM_SOURCES];
	struct pm_publish
		*publish; /* shows the latest values, too (publish.h); NULL: nothing does */
	const struct pm_source *const *table; /* NULL: pm_source_table */
	/* Read interval, samples and sources anew, on SIGHUP; NULL: they stay. Returns 0, or -1
	 * with e filled and nothing changed. */
	int (*reload)(struct pm_loop_options *options, struct pm_err *e);
	const char
		*interval; /* for reload: from the command line, overrides the setting; or NULL */
};

/*
 * Sample at once, at every multiple of the interval, and a last time at the end. The loop ends when
 * every process of the tree has ended, the job is over (jobwatch.h), the file `until` begins with
 * FINISHED, or on SIGTERM or SIGINT. On SIGHUP settings are read anew and a new file begins. A full
 * disk loses ticks but does not end the loop; without a file, a closed standard output does.
 * Returns 0, or -1 with e filled when sampling cannot begin.
 */
int pm_loop_run(const struct pm_loop_options *options, struct pm_err *e);

#endif
