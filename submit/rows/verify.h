/* Consistency check of a database's rows: computed values are computed again. */
#ifndef PM_SUBMIT_ROWS_VERIFY_H
#define PM_SUBMIT_ROWS_VERIFY_H

#include "db/db.h"

#include <stdint.h>

/* An inconsistency. All texts are as in the database: not safe for a terminal. */
struct pm_verify_fault {
	int64_t job; /* 0: belongs to no job */
	/* Which check failed: database, foreign keys, tree, times, threads, files, content,
	 * samples, programs, days or summary. */
	const char *check;
	const char *what;     /* the row: "process 12" */
	const char *stored;   /* what the row has */
	const char *expected; /* what the row should have */
};

/* Receives a fault. Returns 0, or -1 with e filled to stop. */
typedef int pm_verify_fn(void *ctx, const struct pm_verify_fault *f, struct pm_err *e);

/*
 * Check the rows of a job: foreign keys, the tree of processes with depths and times, threads and
 * counters, files with their rejected lines and stored content, samples, programs, the summary of
 * job and hosts; of a job whose detail was retired, what is left. Calls `each` for every fault.
 * Returns 1; 0 if there is no such job; -1 with e filled or if `each` does.
 */
int pm_verify_job(struct pm_db *db, int64_t job, pm_verify_fn *each, void *ctx, struct pm_err *e);

/* Check what belongs to no job: the engine's own structures, rows of jobs that do not exist, the
 * totals of users by day. Returns 0, or -1 with e filled or if `each` does. */
int pm_verify_database(struct pm_db *db, pm_verify_fn *each, void *ctx, struct pm_err *e);

#endif
