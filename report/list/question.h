/* What a command line asks of a table of `perfmon list`: which rows, columns and order. */
#ifndef PM_REPORT_LIST_QUESTION_H
#define PM_REPORT_LIST_QUESTION_H

#include "report/list/list_columns.h"
#include "report/list/listing.h"
#include "report/select.h"

#include "analysis/select/jobfilter.h"
#include "analysis/select/processfilter.h"
#include "common/cli/verb.h"

#include <stdbool.h>
#include <stddef.h>

struct pm_list_question {
	const struct pm_cli *cli;
	const struct pm_list_table *table;
	const char *job;        /* operand; NULL: none */
	const char *of_jobs;    /* option that says which jobs; NULL: none */
	const char *of_process; /* option that says which processes; NULL: none */
	bool several;           /* rows are of several jobs */
	struct pm_jobfilter_words jobs;
	struct pm_processfilter_words processes;
	struct pm_selection s;
	struct pm_list_names names; /* of all columns */
	struct pm_jobfilter filter, first;
	struct pm_processfilter process;
	struct pm_list_ask ask; /* for pm_listing_open() */
	char *columns;          /* SQL of those that were asked for; NULL: none were */
	size_t count;           /* of these */
	const char *jobs_order; /* a word for that of jobs; NULL: the usual one */
	char *order;            /* SQL of the order; NULL: the usual one */
};

/*
 * Take the options that say which rows of a table, those of the job that `job` names where it is
 * not NULL, and check that they fit together. The command line must outlive the question. Returns
 * 0, or -1 with e filled: a fault of usage. To be freed in either case.
 */
int pm_list_question_take(struct pm_list_question *q, const struct pm_cli *cli,
			  const struct pm_list_table *table, const char *job, struct pm_err *e);

/* Open the database, or the job, and read the names of the columns. Returns 0, or -1 with e filled;
 * then q->s.unknown tells whether there is no such job. */
int pm_list_question_open(struct pm_list_question *q, struct pm_err *e);

/*
 * Find the columns that --columns names, all of them without it if `all`, and the order. Returns
 * PM_EXIT_OK, or another exit status with e filled.
 */
int pm_list_question_columns(struct pm_list_question *q, bool all, struct pm_err *e);

/* Make the filters of jobs and processes, and guard a condition by the user until
 * pm_list_question_free(). Returns PM_EXIT_OK, or another exit status with e filled. */
int pm_list_question_filter(struct pm_list_question *q, struct pm_err *e);

/* Warn of the jobs that are asked for and were retired, where the rows went with their processes.
 * Returns PM_EXIT_OK, or another exit status with e filled. */
int pm_list_question_retired(struct pm_list_question *q, struct pm_err *e);

/* Add to the reason in e why rows could not be read what to do. Returns -1. */
int pm_list_question_explain(const struct pm_list_question *q, struct pm_err *e);

/* Free everything and close the database. */
void pm_list_question_free(struct pm_list_question *q);

#endif
