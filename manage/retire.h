/* Jobs that have been kept for the required time: deleted by retire.c, moved to archives by
 * retire_to.c. */
#ifndef PM_MANAGE_RETIRE_H
#define PM_MANAGE_RETIRE_H

#include "analysis/select/jobfilter.h"
#include "db/userdays.h"
#include "sql/schema.h"

#include <stdbool.h>
#include <stdint.h>

/* Jobs of a transaction. */
#define PM_RETIRE_BATCH 256

/* Time for which a transaction goes on with further jobs, and the pause after it, in which waiting
 * loads get their turn: a load that waits for SQLite tries again every 100 ms. */
#define PM_RETIRE_WORK_US  1000000
#define PM_RETIRE_PAUSE_US 120000

struct pm_retire {
	struct pm_db *db;
	int64_t before_us; /* jobs that ended, or at least began, before this time */
	enum pm_schema_keep
		keep; /* what stays of them here; PM_SCHEMA_PROCESSES: their samples go */
	const struct pm_jobfilter *filter; /* which of them; NULL: all */
	bool where;                        /* a user's condition is in the filter */
	int64_t end_us, id;                /* the last job that was dealt with, in this order */
	const char *to;                    /* directory of the archives; NULL: jobs are deleted */
	bool parquet;                      /* and of Parquet files of their processes */
	size_t stale;                      /* archives whose Parquet files are not right */
	int64_t jobs, processes;           /* so far */
	int64_t left;                      /* jobs that could not be moved; warnings told why */
	bool busy;                         /* another process moves jobs to the directory */
	struct pm_userdays days;           /* changes of the transaction */
};

/* Before any job was dealt with. Times before 2000 are those of broken clocks or records: such a
 * job's age is unknown, and it stays. */
#define PM_RETIRE_EPOCH INT64_C(946684800000000)
#define PM_RETIRE_START .end_us = PM_RETIRE_EPOCH, .id = INT64_MIN

/* Prepare a query of columns `what` of the jobs to retire behind the last one, table job being j,
 * in order if `ordered`, then at most PM_RETIRE_BATCH of them. Until pm_retire_finish(), the
 * connection may only read. Returns 0 or -1 with e filled. */
int pm_retire_prepare(const struct pm_retire *r, const char *what, bool ordered, struct pm_stmt **q,
		      struct pm_err *e);

/* Finish the query, NULL for none, of which the last call returned rc, and where that failed add to
 * the reason in e what to do about a user's condition. Returns rc. */
int pm_retire_finish(const struct pm_retire *r, struct pm_stmt *q, int rc, struct pm_err *e);

/* Give waiting loads their turn. */
void pm_retire_pause(const struct pm_retire *r);

/*
 * Move the jobs to archives below r->to: each is copied, compared and only then deleted. With `dry`
 * say what would be moved and where. Returns 0 or -1 with e filled.
 */
int pm_retire_move(struct pm_retire *r, bool dry, struct pm_err *e);

#endif
