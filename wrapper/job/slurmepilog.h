/* Slurm's Epilog: the job is over on this host, whatever became of its tasks. */
#ifndef PM_WRAPPER_SLURMEPILOG_H
#define PM_WRAPPER_SLURMEPILOG_H

#include "common/verb.h"

/*
 * stop --slurm --all, as the job's user: close the job where no TaskEpilog did, note how it ended,
 * and print the path of its directory, of each where it has several. Returns an exit status: that
 * of a job that is not known here is PM_EXIT_OK, too, and prints nothing. e is filled where it is
 * not PM_EXIT_OK.
 */
int pm_slurmepilog_end(const struct pm_cli *cli, struct pm_err *e);

#endif
