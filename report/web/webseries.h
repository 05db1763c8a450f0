/*
 * The series that samplers recorded, for a page: each on one grid of steps over the job's time, as
 * means with the least and the largest value of a step. Counters become rates. Short series are
 * read sample by sample, long ones by the totals of their blocks.
 */
#ifndef PM_REPORT_WEB_WEBSERIES_H
#define PM_REPORT_WEB_WEBSERIES_H

#include "report/facts/facts.h"
#include "report/web/column.h"

#include "db/db.h"

#include <jansson.h>

struct pm_webseries_one {
	struct pm_column *column; /* NULL: its value never changes, or is never known */
	char id[32];
};

struct pm_webseries {
	int64_t steps, step_us;
	struct pm_webseries_one *one;
	size_t n, room;
	json_t *list;     /* what each is */
	json_t *nodes;    /* figures of nodes, each with the number of its series on each host */
	size_t left_out;  /* details and single CPUs that the page has no room for */
	size_t cut;       /* further series, of the last hosts; none by which nodes are compared */
	bool from_blocks; /* values are means of blocks of samples */
};

/* Read the series of a job. Returns 0 or -1 with e filled; call pm_webseries_free() in either case.
 */
int pm_webseries_read(struct pm_webseries *w, struct pm_db *db, const struct pm_facts *f,
		      struct pm_err *e);
void pm_webseries_free(struct pm_webseries *w);

/* Describe the series, for the index of the page. Returns a new object, NULL if out of memory. */
json_t *pm_webseries_index(const struct pm_webseries *w);

/* Describe the figures by which nodes are compared. Returns a new object, NULL if out of memory. */
json_t *pm_webseries_nodes(const struct pm_webseries *w);

/* Write the series as elements of the page. */
void pm_webseries_write(const struct pm_webseries *w, FILE *f);

#endif
