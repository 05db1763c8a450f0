/*
 * A file by which a job script tells the sampler that the job is over: its first word becomes
 * FINISHED.
 */
#ifndef PM_SAMPLER_FINISHFILE_H
#define PM_SAMPLER_FINISHFILE_H

#include "common/err.h"

#include <stdbool.h>

/*
 * Announce the sampler in the file of a batch job, .ipc-<job> in the working directory: write
 * INPROGRESS, unless FINISHED was written after this process began. A file that cannot be written
 * is no error: it is watched all the same. Returns the file's name, which the caller frees, or NULL
 * with e filled (no memory).
 */
char *pm_finishfile_announce(const char *job, struct pm_err *e);

/* Whether the file says FINISHED now. Neither a missing file nor an empty one does. */
bool pm_finishfile_over(const char *path);

#endif
