/* Write the record of the command's end, which only its parent can do. */
#ifndef PM_WRAPPER_PROCESS_REAPED_H
#define PM_WRAPPER_PROCESS_REAPED_H

#include "common/job/jobdir.h"
#include "wrapper/process/child.h"

/*
 * Append a `reaped` line (perfmon-tsv(5)) about the ended child to a record file of the job: that
 * of this process if the setting options has PER_PROCESS, else that of this host and user. Returns
 * 0, or -1 with e filled and errno.
 */
int pm_reaped_write(const struct pm_jobdir *d, const struct pm_child *c, struct pm_err *e);

#endif
