/* One record file per host out of one per process. */
#ifndef PM_WRAPPER_COLLATE_H
#define PM_WRAPPER_COLLATE_H

#include "common/err.h"

/*
 * Move the records of this user's <host>-<pid>-<starttime>.tsv files, of processes that are gone,
 * into <host>-<uid>.tsv (or <host>-<uid>.<n>.tsv where that exists), in an open job directory that
 * the caller has locked. Killed at any point, the next call goes on without losing a record.
 * Returns how many files were collated, or -1 with e filled: then all records are where they were.
 */
int pm_collate(int dir, const char *host, struct pm_err *e);

#endif
