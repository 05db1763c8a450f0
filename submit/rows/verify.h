/* Whether the rows of a database agree with each other: what is computed from others is computed
 * again. Programs only. */
#ifndef PM_VERIFY_H
#define PM_VERIFY_H

#include "db/db.h"

#include <stdint.h>

/* Something that does not agree. All texts are as the database has them: not safe for a terminal.
 */
struct pm_verify_fault {
	int64_t job; /* 0: of no job */
	const char
		*check; /* database, foreign keys, tree, times, threads, files, content, summary */
	const char *what;     /* the row: "process 12" */
	const char *stored;   /* what it says */
	const char *expected; /* what it should */
};

/* Return 0, or -1 with e filled to stop. */
typedef int pm_verify_fn(void *ctx, const struct pm_verify_fault *f, struct pm_err *e);

/*
 * Check the rows of a job: foreign keys, the tree of processes with depths and times, threads and
 * counters, files with their rejected lines and kept content, the summary of job and hosts; of a
 * job whose detail was retired, what is left. Calls `each` for every fault. Returns 1; 0 where
 * there is no such job; -1 with e filled or where `each` does.
 */
int pm_verify_job(struct pm_db *db, int64_t job, pm_verify_fn *each, void *ctx, struct pm_err *e);

/* Check what is of no job: the engine's own structures, rows of jobs that are not there. Returns 0
 * or -1 as above. */
int pm_verify_database(struct pm_db *db, pm_verify_fn *each, void *ctx, struct pm_err *e);

#endif
