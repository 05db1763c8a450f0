/* The tally of a host in a job directory: created when recording begins, read when it ends. */
#ifndef PM_WRAPPER_JOB_TALLYFILE_H
#define PM_WRAPPER_JOB_TALLYFILE_H

#include "common/err.h"
#include "common/safe/tally.h"

/*
 * Create the tally of this host and user in an open job directory with all blocks allocated, unless
 * it exists. Returns 0, or -1 with e filled: recording works without a tally.
 */
int pm_tallyfile_create(int dir, const char *host, struct pm_err *e);

/*
 * Call `take` with every used slot of this host's tallies; a result other than 0 ends the walk.
 * Returns the number of tallies read, or -1 with e filled.
 */
typedef int pm_tallyfile_fn(void *ctx, const struct pm_tally *t);
int pm_tallyfile_each(int dir, const char *host, pm_tallyfile_fn *take, void *ctx,
		      struct pm_err *e);

#endif
