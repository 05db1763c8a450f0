/* The rows that `perfmon list` prints, read from one job after another. */
#ifndef PM_REPORT_LIST_LISTING_H
#define PM_REPORT_LIST_LISTING_H

#include "report/list/list_tables.h"

#include "analysis/select/jobfilter.h"
#include "analysis/select/processfilter.h"
#include "db/db.h"

#include <stdint.h>

/* What is asked for. */
struct pm_list_ask {
	const struct pm_list_table *table;
	int64_t job; /* rows of this job; 0: of those that the filter selects, or of none */
	const struct pm_jobfilter *filter;      /* where job is 0 and rows are of jobs */
	const struct pm_jobfilter *first;       /* the same of the first jobs alone; NULL: none */
	const struct pm_processfilter *process; /* NULL: of all processes */
	const char *where;     /* condition by the user, pm_condition_check()ed; NULL: none */
	const char *order;     /* of all rows, which are r; NULL: as the table has it, job by job */
	int64_t limit, offset; /* at most so many rows, behind the first so many */
};

struct pm_listing {
	struct pm_db *db;
	const struct pm_list_ask *ask;
	struct pm_stmt *q; /* the current row */
	bool started;      /* q is running */
	bool joined;       /* q has sums of a job, too */
	bool by_job;       /* q has the rows of one job after another */
	bool by_part;      /* and of these part by part, as the table has them */
	int64_t job;       /* whose row it is; 0 where by_job is not */
	int64_t left, skip;
	struct pm_stmt *parts; /* what the parts of this job are; NULL: to be asked for */
	struct pm_stmt *jobs;  /* numbers of the jobs whose rows come next; NULL: to be asked for */
	int64_t want, got;     /* of these at most, and so far */
	int64_t seen;          /* jobs so far */
	bool first;            /* they are among the first jobs */
	bool last;             /* there are no more */
};

/* How many rows are needed for `limit` of them behind the first `offset`. */
static inline int64_t pm_listing_needs(int64_t limit, int64_t offset)
{
	return limit > INT64_MAX - offset ? INT64_MAX : limit + offset;
}

/*
 * Begin to read rows: of each `columns`, SQL over r; for people, as lines, or as they are. The
 * names of the columns are known then. Returns 0, or -1 with e filled. To be closed in either case.
 */
int pm_listing_open(struct pm_listing *l, struct pm_db *db, const struct pm_list_ask *ask,
		    const char *columns, bool lines, struct pm_err *e);

/* Read the next row into l->q. Returns 1, 0 at the end, or -1 with e filled. */
int pm_listing_next(struct pm_listing *l, struct pm_err *e);

void pm_listing_close(struct pm_listing *l);

#endif
