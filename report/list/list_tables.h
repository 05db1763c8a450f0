/* The tables of `perfmon list`: what their rows are, and how they look for people. */
#ifndef PM_REPORT_LIST_LIST_TABLES_H
#define PM_REPORT_LIST_LIST_TABLES_H

#include "report/print/table.h"
#include "report/print/values.h"

#include "db/db.h"

#include <stdbool.h>

/* A column for people: its layout, and the function that writes its cell from the query's columns,
 * starting with number `from`. */
struct pm_list_column {
	struct pm_table_column look;
	void (*cell)(struct pm_table *t, struct pm_stmt *q, int from);
	int from;
};

struct pm_list_ask;

struct pm_list_table {
	const char *name; /* as the user says it */
	const char *rows; /* SELECT of all rows with every column */
	const char *as;   /* what they are called in conditions: the table, as in the schema */
	enum {
		PM_LIST_JOBS,    /* rows are jobs, by column id */
		PM_LIST_OF_JOBS, /* rows belong to jobs, by column job_id */
		PM_LIST_GENERAL, /* rows are the same for all jobs */
	} of;
	const char *order; /* of the rows, of one job where they belong to one, which are r */
	/* Where all rows of a job would have to be sorted before the first one is there: a column
	 * by which they are asked for part by part, and SQL of its values of a job, in order. */
	const char *part, *parts;
	const char *process; /* the column that says whose process the row is; NULL: none */
	enum pm_values_text text;

	/* For people: what is selected from rows r, what is joined to them, and, where several rows
	 * become one line or one becomes several, how they are grouped and sorted. */
	const char *select, *join, *group, *lines;
	/* Where sums of a job are joined, what comes behind the condition on job_id that `join`
	 * ends with: they are made once, not for each row. */
	const char *joined;
	/* What follows the lines of one job; NULL: nothing. */
	int (*more)(const struct pm_page *p, struct pm_db *db, const struct pm_list_ask *ask,
		    struct pm_err *e);
	const char *none;                               /* instead of a table without lines */
	struct pm_list_column column[PM_TABLE_COLUMNS]; /* ends at the first one without a title */
};

/* Find a table by its name. Returns NULL where there is none. */
const struct pm_list_table *pm_list_find(const char *name);

/* Print the GPUs of the hosts that are asked for, after an empty line; nothing where there is none.
 * Returns 0 or -1 with e filled. */
int pm_list_gpus(const struct pm_page *p, struct pm_db *db, const struct pm_list_ask *ask,
		 struct pm_err *e);

/* The table of jobs. */
const struct pm_list_table *pm_list_jobs(void);

/* The names of all tables, with commas between: for messages. */
#define PM_LIST_NAMES                                                                              \
	"jobs, processes, threads, counters, hosts, summaries, energy, phases, tags, "             \
	"annotations, analyses, series, samples, rejects or metrics"

#endif
