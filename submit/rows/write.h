/* A gathered job's rows into the database. Programs only. */
#ifndef PM_WRITE_H
#define PM_WRITE_H

#include "db/db.h"
#include "submit/gather.h"
#include "submit/lineage.h"
#include "submit/sums.h"

/* Where the rows of this load go: numbers are counted on from what the job has already. */
struct pm_write_base {
	int64_t job_id;
	int64_t host, process, tag_set, series, load, reject; /* highest ids so far */
};

/*
 * Write processes with threads, counters and tags, and samples, of a gathered job whose row exists,
 * inside the caller's transaction. The processes are added to `sums`. Returns 0 or -1 with e
 * filled.
 */
int pm_write_rows(struct pm_db *db, struct pm_gather *g, struct pm_lineage *t,
		  const struct pm_write_base *base, struct pm_sums *sums, struct pm_err *e);

/* Write its hosts and what is told of them, behind what fills SQLite's cache: a page that the
 * summary changes again has not left it yet. Returns as above. */
int pm_write_hosts(struct pm_db *db, struct pm_gather *g, const struct pm_lineage *t,
		   const struct pm_write_base *base, struct pm_err *e);

/* write_process.c: processes with threads, counters and tags. Returns as above. */
int pm_write_processes(struct pm_db *db, struct pm_gather *g, struct pm_lineage *t,
		       const struct pm_write_base *base, struct pm_sums *sums, struct pm_err *e);

/*
 * excluded.c: programs that were excluded, summed up per host and name. Returns as above.
 */
int pm_write_excluded(struct pm_db *db, struct pm_gather *g, const struct pm_lineage *t,
		      const struct pm_write_base *base, struct pm_err *e);

/* write_nodes.c: what the samples of each node make. Returns as above. */
int pm_write_nodes(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		   struct pm_err *e);

/* write_phases.c: phases that applications marked. Returns as above. */
int pm_write_phases(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		    struct pm_err *e);

/* write_tally.c: what the tallies say. Returns as above. */
int pm_write_tallies(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		     struct pm_err *e);

/*
 * Bind the values of metadata in `section` or, for the host table, of host, start and stop, to the
 * parameters from `at` on, in the order of job.def. Returns the next parameter.
 */
int pm_write_bind_meta(struct pm_stmt *q, int at, const struct pm_meta *m, bool host_table);

#endif
