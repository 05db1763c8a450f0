/* The record of the command's end that only its parent can write. */
#ifndef PM_WRAPPER_REAPED_H
#define PM_WRAPPER_REAPED_H

#include "common/jobdir.h"
#include "wrapper/child.h"

/*
 * Append a `reaped` line (perfmon-tsv(5)) about the ended child to the job's record file, in the
 * layout of the setting options. Returns 0, or -1 with e filled and errno.
 */
int pm_reaped_write(const struct pm_jobdir *d, const struct pm_child *c, struct pm_err *e);

#endif
