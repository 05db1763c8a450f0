/*
 * The page of several jobs: a table of them, then a part for each with what the page of a job has
 * without its script. Jobs come one by one; parts wait in a temporary file for the table to end, so
 * that memory does not grow with their number.
 */
#ifndef PM_REPORT_WEB_WEBJOBS_H
#define PM_REPORT_WEB_WEBJOBS_H

#include "common/err.h"
#include "report/print/page.h"
#include "report/print/table.h"
#include "report/facts/facts.h"

#include <stddef.h>
#include <stdio.h>

/* Programs of which a job has figures, unless another number is asked for. */
#define PM_WEBJOBS_PROGRAMS 20

struct pm_webjobs {
	struct pm_page page;   /* where the table stands */
	struct pm_table table; /* refers to page: neither may move */
	FILE *parts;           /* NULL: not begun */
	size_t jobs;
};

/* Begin with what comes before the jobs, on a page in the form of HTML. Returns 0, or -1 with e
 * filled; call pm_webjobs_free() in either case. */
int pm_webjobs_begin(struct pm_webjobs *w, const struct pm_page *p, struct pm_err *e);

/* Add a job, whose facts were read with texts in UTF-8. Returns 0, or -1 with e filled. */
int pm_webjobs_add(struct pm_webjobs *w, const struct pm_facts *f, struct pm_err *e);

/* Write what is left of the table, and the parts. Returns 0, or -1 with e filled; failures of
 * writing the page are left to the caller, who finds them by ferror(3). */
int pm_webjobs_end(struct pm_webjobs *w, struct pm_err *e);

void pm_webjobs_free(struct pm_webjobs *w);

#endif
