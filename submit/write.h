/* A gathered job's rows into the database. Programs only. */
#ifndef PM_WRITE_H
#define PM_WRITE_H

#include "submit/db.h"
#include "submit/gather.h"
#include "submit/lineage.h"

/* Where the rows of this load go: numbers are counted on from what the job has already. */
struct pm_write_base {
	int64_t job_id;
	int64_t host, process, series, load, reject; /* highest ids so far */
};

/*
 * Write hosts, processes with threads, counters and tags, series with samples of a gathered job
 * whose row exists, inside the caller's transaction. Returns 0 or -1 with e filled.
 */
int pm_write_rows(struct pm_db *db, struct pm_gather *g, const struct pm_lineage *t,
		  const struct pm_write_base *base, struct pm_err *e);

/* write_process.c: processes with threads, counters and tags. Returns as above. */
int pm_write_processes(struct pm_db *db, struct pm_gather *g, const struct pm_lineage *t,
		       const struct pm_write_base *base, struct pm_err *e);

/*
 * excluded.c: programs that were excluded, summed up per host and name. Returns as above.
 */
int pm_write_excluded(struct pm_db *db, struct pm_gather *g, const struct pm_lineage *t,
		      const struct pm_write_base *base, struct pm_err *e);

/* Prepare the INSERT of every column of a table. Returns 0 or -1 with e filled. */
int pm_write_prepare(struct pm_db *db, const char *table, struct pm_stmt **q, struct pm_err *e);

/*
 * Bind the values of metadata in `section` or, for the host table, of host, start and stop, to the
 * parameters from `at` on, in the order of job.def. Returns the next parameter.
 */
int pm_write_bind_meta(struct pm_stmt *q, int at, const struct pm_meta *m, bool host_table);

/* Compute the job's summary from its rows and store it. Returns 0 or -1 with e filled. */
int pm_summary_write(struct pm_db *db, int64_t job_id, struct pm_err *e);

#endif
