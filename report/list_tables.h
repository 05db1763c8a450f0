/* The tables of `perfmon list` for people. */
#ifndef PM_LIST_TABLES_H
#define PM_LIST_TABLES_H

#include "report/page.h"

#include "submit/db.h"

#include <stdint.h>

/*
 * Each prints at most `limit` rows of a job, as a table that fits the page: jobs of all (newest
 * first) where job is 0; metrics ignores the job. Returns 0 or -1 with e filled.
 */
int pm_list_jobs(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		 struct pm_err *e);
int pm_list_processes(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		      struct pm_err *e);
int pm_list_threads(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		    struct pm_err *e);
int pm_list_counters(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		     struct pm_err *e);
int pm_list_hosts(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		  struct pm_err *e);
int pm_list_tags(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		 struct pm_err *e);
int pm_list_metrics(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		    struct pm_err *e);

#endif
