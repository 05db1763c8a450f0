/*
 * Jobs of a database of EPMT in SQLite: each as the members of an archive would be, metadata of
 * ours and papiex's CSV. Programs only.
 */
#ifndef PM_EPMT_DB_H
#define PM_EPMT_DB_H

#include "common/archive.h"
#include "common/err.h"

struct pm_epmt_db;

/* 1 when an open file begins as a database of SQLite does; its offset stays. */
int pm_epmt_db_is(int fd);

/* Open one; nothing of it is changed. Returns it, to be closed by the caller, or NULL with e
 * filled: it cannot be read, or is of something else. */
struct pm_epmt_db *pm_epmt_db_open(const char *path, struct pm_err *e);
void pm_epmt_db_close(struct pm_epmt_db *x);

/* Go to the next job, in the order of their ids; to the first one at first. Returns 1, 0 where
 * there is none, or -1 with e filled. */
int pm_epmt_db_next(struct pm_epmt_db *x, struct pm_err *e);

/* Hand on the current job: JOB/job-epmt.json and JOB/papiex.csv. Returns 0 or -1 with e filled. */
int pm_epmt_db_read(struct pm_epmt_db *x, const struct pm_archive_sink *sink, struct pm_err *e);

#endif
