/* Slurm's Epilog: the job is over on this host, however its tasks ended. */
#ifndef PM_WRAPPER_JOB_SLURMEPILOG_H
#define PM_WRAPPER_JOB_SLURMEPILOG_H

#include "common/cli/verb.h"

/*
 * stop --slurm --all, run as the job's user: close the job unless a TaskEpilog has done so, note
 * how it ended, and print the path of each of its directories. Returns an exit status, with e
 * filled unless it is PM_EXIT_OK. For a job without a directory here returns PM_EXIT_OK and prints
 * nothing.
 */
int pm_slurmepilog_end(const struct pm_cli *cli, struct pm_err *e);

#endif
