/*
 * A file by which a job script tells the sampler that the job is over: one whose first word is
 * FINISHED. Programs only.
 */
#ifndef PM_UNTIL_H
#define PM_UNTIL_H

#include "common/err.h"

#include <stdbool.h>

/*
 * Announce the sampler in the file of a batch job, .ipc-<job> in the working directory: write
 * INPROGRESS, unless a FINISHED was written after this process began, which counts. Where the file
 * cannot be written, nothing happens: it is watched all the same. Returns its name, to be freed, or
 * NULL with e filled (no memory).
 */
char *pm_until_announce(const char *job, struct pm_err *e);

/* Whether the file says FINISHED now. Neither a missing file nor an empty one does. */
bool pm_until_over(const char *path);

#endif
