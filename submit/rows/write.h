/* Write a gathered job's rows to the database. */
#ifndef PM_SUBMIT_ROWS_WRITE_H
#define PM_SUBMIT_ROWS_WRITE_H

#include "db/db.h"
#include "db/programs.h"
#include "db/tagsums.h"
#include "submit/job/gather.h"
#include "submit/rows/jobtotals.h"
#include "submit/tree/lineage.h"

/* Keys of this load's rows: ids continue from the job's highest ones. */
struct pm_write_base {
	int64_t job_id;
	/* highest ids in use */
	int64_t host, process, tag_set, series, tick_block, load, reject;
};

/* What processes are added to as they are written. */
struct pm_write_totals {
	struct pm_jobtotals *job;
	struct pm_programs *programs;
	struct pm_tagsums *tags; /* NULL: not wanted */
};

/* Write processes with threads, counters and tags of a gathered job whose row exists, inside the
 * caller's transaction. Returns 0 or -1 with e filled. */
int pm_write_processes(struct pm_db *db, struct pm_gather *g, struct pm_lineage *t,
		       const struct pm_write_base *base, const struct pm_write_totals *totals,
		       struct pm_err *e);

/* Write the job's hosts, their series with samples, and other rows about them. Call this after
 * pm_write_processes, which fills SQLite's cache: pages that the summary changes again are then
 * still cached. Returns 0 or -1 with e filled. */
int pm_write_hosts(struct pm_db *db, struct pm_gather *g, const struct pm_lineage *t,
		   const struct pm_write_base *base, struct pm_err *e);

/* excluded.c: excluded programs, summed up per host and name. Returns 0 or -1 with e filled. */
int pm_write_excluded(struct pm_db *db, struct pm_gather *g, const struct pm_lineage *t,
		      const struct pm_write_base *base, struct pm_err *e);

/* write_nodes.c: summaries of each node's samples. Returns 0 or -1 with e filled. */
int pm_write_nodes(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		   struct pm_err *e);

/* write_samples.c: samples in blocks, n of them, as pm_series_order() ordered them, and the ticks
 * that they were read at. With g->spend the blocks cannot be read again. Returns 0 or -1 with e
 * filled. */
int pm_write_samples(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		     const uint32_t *order, size_t n, struct pm_err *e);

/* write_phases.c: phases that applications marked. Returns 0 or -1 with e filled. */
int pm_write_phases(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		    struct pm_err *e);

/* write_tally.c: counts of the tallies. Returns 0 or -1 with e filled. */
int pm_write_tallies(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		     struct pm_err *e);

/*
 * Bind the metadata of section job or, with `host_table`, of sections host, start and stop, to the
 * parameters from `at` on, in the order of job.def; `m` may be NULL. Returns the next parameter.
 */
int pm_write_bind_meta(struct pm_stmt *q, int at, const struct pm_meta *m, bool host_table);

#endif
