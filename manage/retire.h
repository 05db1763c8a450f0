/* Jobs that have been kept for the required time: deleted by retire.c, moved to archives by
 * retire_to.c. */
#ifndef PM_MANAGE_RETIRE_H
#define PM_MANAGE_RETIRE_H

#include "db/userdays.h"

#include <stdbool.h>
#include <stdint.h>

/* Time for which a transaction goes on with further jobs, and the pause after it, in which waiting
 * loads get their turn: a load that waits for SQLite tries again every 100 ms. */
#define PM_RETIRE_WORK_US  1000000
#define PM_RETIRE_PAUSE_US 120000

struct pm_retire {
	struct pm_db *db;
	int64_t before_us;
	bool keep_summary;
	const char *to;          /* directory of the archives; NULL: jobs are deleted */
	int64_t jobs, processes; /* so far */
	int64_t left;            /* jobs that could not be moved; warnings told why */
	struct pm_userdays days; /* changes of the transaction */
};

/* Prepare a query of columns `what` of the jobs to retire, table job being j, with SQL behind its
 * condition. Its first parameter is bound. Returns 0 or -1 with e filled. */
int pm_retire_prepare(const struct pm_retire *r, const char *what, const char *tail,
		      struct pm_stmt **q, struct pm_err *e);

/* Give waiting loads their turn. */
void pm_retire_pause(const struct pm_retire *r);

/*
 * Move the jobs to archives below r->to: each is copied, compared and only then deleted. With `dry`
 * say what would be moved and where. Returns 0 or -1 with e filled.
 */
int pm_retire_move(struct pm_retire *r, bool dry, struct pm_err *e);

#endif
