/* The tables of `perfmon list` for people. */
#ifndef PM_LIST_TABLES_H
#define PM_LIST_TABLES_H

#include "report/page.h"

#include "db/db.h"

#include <stdint.h>

/* What can be printed: jobs (newest first), and what a job has. */
struct pm_list_table;
extern const struct pm_list_table pm_list_jobs, pm_list_processes, pm_list_threads,
	pm_list_counters, pm_list_hosts, pm_list_summaries, pm_list_phases, pm_list_tags,
	pm_list_metrics;

/*
 * Print at most `limit` rows of a job as a table that fits the page: jobs of all where job is 0;
 * metrics ignores the job. Returns 0 or -1 with e filled.
 */
int pm_list_print(const struct pm_list_table *x, const struct pm_page *p, struct pm_db *db,
		  int64_t job, int64_t limit, struct pm_err *e);

#endif
