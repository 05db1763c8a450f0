/* What the parts of the verb outliers share. */
#ifndef PM_REPORT_OUTLIERS_OUTLIERS_LOOK_H
#define PM_REPORT_OUTLIERS_OUTLIERS_LOOK_H

#include "analysis/select/jobfilter.h"
#include "analysis/outliers/judge.h"
#include "analysis/select/opselect.h"
#include "analysis/outliers/rowfeatures.h"
#include "common/cli/verb.h"
#include "report/print/page.h"

/* What is asked for. */
struct pm_outliers_look {
	struct pm_page page;
	bool json, distributions;
	int64_t limit;        /* rows of each table */
	const char *features; /* as pm_jobfeatures_read() takes them */
	struct pm_db *db;
	struct pm_jobfilter filter; /* the jobs */
	size_t named;               /* number of jobs that the user named; 0: a filter */
	struct pm_opselect select;  /* of operations, processes and threads */
	struct pm_judge_how how;
};

/* The parts, on standard output. They return an exit status, with e filled unless it is PM_EXIT_OK.
 */
int pm_outliers_ops(const struct pm_outliers_look *l, struct pm_err *e);
int pm_outliers_rows(const struct pm_outliers_look *l, enum pm_rowkind kind, struct pm_err *e);

#endif
