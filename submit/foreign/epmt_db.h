/*
 * Jobs of an EPMT database in SQLite, each presented as members of an archive: perfmon's metadata
 * and papiex's CSV.
 */
#ifndef PM_SUBMIT_FOREIGN_EPMT_DB_H
#define PM_SUBMIT_FOREIGN_EPMT_DB_H

#include "common/archive.h"
#include "common/err.h"

struct pm_epmt_db;

/* Whether an open file begins like an SQLite database; its offset does not change. */
int pm_epmt_db_is(int fd);

/* Open a database read-only. Returns it, to be closed by the caller, or NULL with e filled: it
 * cannot be read, or is not EPMT's. */
struct pm_epmt_db *pm_epmt_db_open(const char *path, struct pm_err *e);
void pm_epmt_db_close(struct pm_epmt_db *x);

/* Step to the next job, in the order of job ids; the first call steps to the first job. Returns 1,
 * 0 at the end, or -1 with e filled. */
int pm_epmt_db_next(struct pm_epmt_db *x, struct pm_err *e);

/* Pass the current job to the sink as JOB/job-epmt.json and JOB/papiex.csv. Returns 0 or -1 with e
 * filled. */
int pm_epmt_db_read(struct pm_epmt_db *x, const struct pm_archive_sink *sink, struct pm_err *e);

/* The id of the current job, NULL: it has none. Valid until the next step. */
const char *pm_epmt_db_jobid(struct pm_epmt_db *x);

/* The analyses of the current job, as JSON: an object of results by name. Valid until the next
 * step; NULL if there are none. */
const char *pm_epmt_db_analyses(struct pm_epmt_db *x);

/* Call `each` for every reference model of the database. Returns 0, or -1 with e filled or if
 * `each` does. */
struct pm_epmt_model;
int pm_epmt_db_models(struct pm_epmt_db *x,
		      int (*each)(void *ctx, const struct pm_epmt_model *m, struct pm_err *e),
		      void *ctx, struct pm_err *e);

#endif
