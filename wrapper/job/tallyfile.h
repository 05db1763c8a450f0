/* The tally of this host in a job directory: made when recording begins, read when it ends. */
#ifndef PM_WRAPPER_TALLYFILE_H
#define PM_WRAPPER_TALLYFILE_H

#include "common/err.h"
#include "common/tally.h"

/*
 * Make the tally of this host and user in an open job directory, its blocks allocated, unless it is
 * there already. Returns 0, or -1 with e filled: recording works without it.
 */
int pm_tallyfile_create(int dir, const char *host, struct pm_err *e);

/*
 * Hand every slot in use of this host's tallies to `take`, whose result other than 0 ends the walk.
 * Returns how many tallies there are, or -1 with e filled.
 */
typedef int pm_tallyfile_fn(void *ctx, const struct pm_tally *t);
int pm_tallyfile_each(int dir, const char *host, pm_tallyfile_fn *take, void *ctx,
		      struct pm_err *e);

#endif
