/* What jobs spend on moving data: the processes of programs such as cp, and of operations named
 * after them. */
#ifndef PM_ANALYSIS_OPS_DATAMOVEMENT_H
#define PM_ANALYSIS_OPS_DATAMOVEMENT_H

#include "common/record/intervals.h"
#include "analysis/ops/ops.h"
#include "common/err.h"
#include "db/db.h"

#include <stddef.h>
#include <stdint.h>

/* Of a job, or of all of them. */
struct pm_datamovement {
	int64_t job;                      /* 0: of all */
	int64_t jobs, retired;            /* whose processes there are; whose processes are gone */
	int64_t processes, timed;         /* that move data; those in `runs` */
	struct pm_knownsum cpu, duration; /* of these processes, without their descendants; us */
	struct pm_intervals runs;
	struct pm_knownsum
		job_cpu; /* cpu_time of jobs; us; of all: of those that are not retired */
};

/*
 * Read what the processes of jobs take that move data: whose program has one of the names in
 * `movers`, separated by blanks, or whose tag op has one of them as value. As ops_costs of EPMT,
 * which goes by the tag alone. d has room for jobs + 1: one for each job, and behind them that of
 * all. They are
 * read over n connections at once. What a job moved whose processes are gone is unknown, and no
 * figure of it is in those of all. Returns 0, or -1 with e filled. To be freed in either case.
 */
int pm_datamovement_read(struct pm_datamovement *d, struct pm_db *const *db, size_t n,
			 const int64_t *job, size_t jobs, const char *movers, struct pm_err *e);

/* A sum of the processes that move data: 0 where the jobs have none, PM_OPS_UNKNOWN where all are
 * retired, or no value is known. */
int64_t pm_datamovement_sum(const struct pm_datamovement *d, const struct pm_knownsum *v);

/* CPU time of moving data over that of the job, from 0 to 1; NaN where one is unknown, or there is
 * none. */
double pm_datamovement_share(const struct pm_datamovement *d);

void pm_datamovement_free(struct pm_datamovement *d, size_t n);

#endif
