/* Merge the record files of processes into one record file per host and user. */
#ifndef PM_WRAPPER_JOB_COLLATE_H
#define PM_WRAPPER_JOB_COLLATE_H

#include "common/err.h"

/*
 * Move the records from this user's <host>-<pid>-<starttime>.tsv files whose processes have ended
 * into <host>-<uid>.tsv (or <host>-<uid>.<n>.tsv if that exists), in an open job directory that the
 * caller has locked. If we are killed at any point, the next call completes the work without losing
 * a record. Returns the number of files collated, or -1 with e filled: no record is lost.
 */
int pm_collate(int dir, const char *host, struct pm_err *e);

#endif
