/* Change archives of one job. */
#ifndef PM_WRAPPER_STAGE_REPACK_H
#define PM_WRAPPER_STAGE_REPACK_H

#include "common/job/jobdir.h"

/* Change the unpacked files of an archive, in an open directory; names stay. Returns 1, 0 if
 * nothing needed to change, or -1 with e filled. */
typedef int pm_repack_change(void *ctx, const struct pm_jobdir *d, struct pm_err *e);

/*
 * Change an archive of one job: write a new archive beside it, read that back, and give it the old
 * one's name, owner and mode. Returns 0, or -1 with e filled and the archive unchanged.
 */
int pm_repack(const char *path, pm_repack_change *change, void *ctx, struct pm_err *e);

#endif
