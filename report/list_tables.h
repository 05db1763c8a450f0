/* The tables of `perfmon list` for people. */
#ifndef PM_REPORT_LIST_TABLES_H
#define PM_REPORT_LIST_TABLES_H

#include "report/print/page.h"

#include "db/db.h"

#include <stdint.h>

/* The tables: jobs (newest first), and the tables of one job. */
struct pm_list_table;
extern const struct pm_list_table pm_list_jobs, pm_list_processes, pm_list_threads,
	pm_list_counters, pm_list_hosts, pm_list_summaries, pm_list_energy, pm_list_phases, pm_list_tags,
	pm_list_metrics;

/*
 * Print at most `limit` rows of a job as a table that fits the page. pm_list_jobs prints all jobs
 * if `job` is 0; pm_list_metrics ignores `job`. Returns 0 or -1 with e filled.
 */
int pm_list_print(const struct pm_list_table *x, const struct pm_page *p, struct pm_db *db,
		  int64_t job, int64_t limit, struct pm_err *e);

#endif
