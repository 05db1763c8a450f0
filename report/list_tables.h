/* The tables of `perfmon list` for people. */
#ifndef PM_REPORT_LIST_TABLES_H
#define PM_REPORT_LIST_TABLES_H

#include "report/print/page.h"

#include "analysis/jobfilter.h"
#include "db/db.h"

#include <stdint.h>

/* The tables: jobs (newest first), and the tables of one job. */
struct pm_list_table;
extern const struct pm_list_table pm_list_jobs, pm_list_processes, pm_list_threads,
	pm_list_counters, pm_list_hosts, pm_list_summaries, pm_list_energy, pm_list_phases,
	pm_list_tags, pm_list_analyses, pm_list_metrics;

/* What is asked for. */
struct pm_list_ask {
	int64_t job; /* rows of this job; 0: of no certain one */
	const struct pm_jobfilter
		*filter;       /* which jobs, where job is 0; NULL: rows are not of jobs */
	int64_t limit, offset; /* at most so many rows, behind the first so many */
};

/*
 * Prepare a query of rows. of_job: SQL with one parameter, the job; all: SQL of the rows that are
 * asked for without one, up to their conditions if they are of jobs. Returns 0 or -1 with e filled.
 */
int pm_list_prepare(struct pm_db *db, const char *of_job, const char *all,
		    const struct pm_list_ask *ask, struct pm_stmt **q, struct pm_err *e);

/* Print rows as a table that fits the page. pm_list_metrics has the same for every job. Returns 0
 * or -1 with e filled. */
int pm_list_print(const struct pm_list_table *x, const struct pm_page *p, struct pm_db *db,
		  const struct pm_list_ask *ask, struct pm_err *e);

/* Print the GPUs of the hosts that are asked for, after an empty line; nothing where there is none.
 * Returns 0 or -1 with e filled. */
int pm_list_gpus(const struct pm_page *p, struct pm_db *db, const struct pm_list_ask *ask,
		 struct pm_err *e);

#endif
