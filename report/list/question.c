/* What a command line asks of a table of `perfmon list`. */
#include "config.h"

#include "report/list/question.h"

#include "report/jobwords.h"
#include "report/print/options.h"
#include "report/retired.h"

#include "analysis/select/jobtop.h"
#include "analysis/select/retired.h"
#include "sql/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jobs that are looked at one by one, the first in order, before all are. */
#define FIRST_JOBS 4096

static const char *verb(const struct pm_list_question *q)
{
	return pm_verb_info[q->cli->verb].name;
}

/* Take the options that say which processes. */
static void take_process_words(struct pm_list_question *q)
{
	static const enum pm_option options[] = { PM_OPT_program, PM_OPT_process_tag, PM_OPT_longer,
						  PM_OPT_pid, PM_OPT_failed };
	const struct pm_cli *cli = q->cli;

	q->processes = (struct pm_processfilter_words){
		.program = cli->value[PM_OPT_program],
		.tag = cli->value[PM_OPT_process_tag],
		.longer = cli->value[PM_OPT_longer],
		.pid = cli->value[PM_OPT_pid],
		.failed = cli->given[PM_OPT_failed],
	};
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (cli->given[options[i]])
			q->of_process = pm_option_info[options[i]].name;
}

/* Check that the options fit together. Returns 0, or -1 with e filled. */
static int check_usage(const struct pm_list_question *q, struct pm_err *e)
{
	const struct pm_cli *cli = q->cli;
	const struct pm_list_table *t = q->table;
	const bool one = q->job || cli->value[PM_OPT_job];
	const char *jobs = q->of_jobs                                          ? q->of_jobs
			   : t->of == PM_LIST_JOBS && cli->value[PM_OPT_order] ? "order"
									       : NULL;

	if (jobs && (one || t->of == PM_LIST_GENERAL))
		return pm_err(e, "%s: --%s says which of all jobs, as in: perfmon %s %s --%s ...",
			      verb(q), jobs, verb(q), t->of == PM_LIST_GENERAL ? "jobs" : t->name,
			      jobs);
	if (q->of_process && !t->process)
		return pm_err(e,
			      "%s: --%s says which processes, as in: perfmon %s processes --%s "
			      "...%s",
			      verb(q), q->of_process, verb(q), q->of_process,
			      cli->given[PM_OPT_failed] && t->of == PM_LIST_JOBS
				      ? "; jobs that failed are those of --status failed"
				      : "");
	if (q->processes.pid && !one && !q->of_jobs)
		return pm_err(e,
			      "%s: --pid needs a job, or options that say which jobs, such as "
			      "--host and --when: there is no index of process ids",
			      verb(q));
	return 0;
}

int pm_list_question_take(struct pm_list_question *q, const struct pm_cli *cli,
			  const struct pm_list_table *table, const char *job, struct pm_err *e)
{
	*q = (struct pm_list_question){ .cli = cli, .table = table, .job = job };
	q->of_jobs = pm_jobwords_take(cli, &q->jobs);
	take_process_words(q);
	q->ask.table = table;
	q->ask.where = cli->value[PM_OPT_where];
	q->several = table->of == PM_LIST_OF_JOBS && !job && !cli->value[PM_OPT_job] &&
		     (q->of_jobs || q->of_process || q->ask.where);
	if (check_usage(q, e) < 0 || pm_options_limit(cli, 0, &q->ask.limit, e) < 0 ||
	    pm_options_offset(cli, &q->ask.offset, e) < 0)
		return -1;
	return pm_jobwords_check(cli, e);
}

int pm_list_question_open(struct pm_list_question *q, struct pm_err *e)
{
	const bool one = q->table->of == PM_LIST_OF_JOBS && !q->several;

	if ((one ? pm_select_job : pm_select_database)(q->cli, q->job, &q->s, e) < 0)
		return -1;
	q->ask.job = q->s.job;
	return pm_list_names_read(&q->names, q->s.db, q->table, e);
}

/* Make the filters of jobs and processes. Returns an exit status, with e filled unless it is 0. */
static int make_filters(struct pm_list_question *q, struct pm_err *e)
{
	int status;

	if (q->of_process) {
		if (pm_processfilter_make(&q->process, &q->processes, e) < 0)
			return PM_EXIT_USAGE;
		q->ask.process = &q->process;
	}
	if (q->s.job || q->table->of == PM_LIST_GENERAL)
		return PM_EXIT_OK;
	/* That of a column is set below. */
	q->jobs.order = q->order ? NULL : q->jobs_order;
	status = pm_jobwords_filter(&q->jobs, q->s.db, &q->filter, e);
	if (status != PM_EXIT_OK)
		return status;
	if (q->order)
		q->filter.order = q->table->of == PM_LIST_JOBS ? q->order : q->filter.order;
	if (q->ask.where && q->table->of == PM_LIST_JOBS &&
	    pm_jobfilter_add(&q->filter, q->ask.where, NULL, e) < 0)
		return PM_EXIT_FAILED;
	q->ask.filter = &q->filter;
	if (q->table->of == PM_LIST_JOBS && q->ask.limit &&
	    pm_jobtop_narrow(&q->filter, q->s.db, pm_listing_needs(q->ask.limit, q->ask.offset),
			     e) < 0)
		return PM_EXIT_FAILED;
	if (!q->of_process || !*q->process.jobs)
		return PM_EXIT_OK;
	if (pm_jobfilter_first(&q->first, &q->filter, FIRST_JOBS, q->process.few,
			       &q->process.job_values, e) < 0 ||
	    pm_jobfilter_add(&q->filter, q->process.jobs, &q->process.job_values, e) < 0)
		return PM_EXIT_FAILED;
	q->ask.first = &q->first;
	return PM_EXIT_OK;
}

int pm_list_question_filter(struct pm_list_question *q, struct pm_err *e)
{
	const int status = make_filters(q, e);

	if (status == PM_EXIT_OK && q->ask.where && pm_jobwords_guard(q->s.db, e) < 0)
		return PM_EXIT_FAILED;
	return status;
}

int pm_list_question_columns(struct pm_list_question *q, bool all, struct pm_err *e)
{
	const char *order = q->cli->value[PM_OPT_order], *named = q->cli->value[PM_OPT_columns];
	struct pm_err of_jobs;

	if (named || all)
		q->columns = pm_list_columns_sql(&q->names, q->table, named, &q->count, e);
	if ((named || all) && !q->columns)
		return PM_EXIT_USAGE;
	if (!order || (q->table->of == PM_LIST_JOBS && pm_joborder_find(order, &of_jobs))) {
		q->jobs_order = order;
		return PM_EXIT_OK;
	}
	q->order = pm_list_columns_order(&q->names, q->table, order, e);
	q->ask.order = q->order;
	if (q->order)
		return PM_EXIT_OK;
	/* Jobs have names for some orders; the rows of several may come in one of them. */
	if (q->table->of == PM_LIST_JOBS) {
		struct pm_err why = *e;

		pm_err(e, "%s; or %s", of_jobs.text, why.text);
	} else if (q->several && pm_joborder_find(order, &of_jobs)) {
		e->text[0] = '\0';
		q->jobs_order = order;
		return PM_EXIT_OK;
	}
	return PM_EXIT_USAGE;
}

/* Whether rows of a table are deleted when a job is retired and its summary stays. */
static bool goes_by_retiring(const struct pm_list_table *t)
{
	const struct pm_schema_table *stored = pm_schema_find(t->as);

	/* What is a view has rows of processes or samples. */
	return t->of == PM_LIST_OF_JOBS && (!stored || stored->kept_with > PM_SCHEMA_SUMMARY);
}

int pm_list_question_retired(struct pm_list_question *q, struct pm_err *e)
{
	struct pm_jobfilter f = { .where = NULL };
	int64_t retired = 0;
	int status = PM_EXIT_OK;

	pm_db_unguard(q->s.db);
	if (!goes_by_retiring(q->table))
		return status;
	if (q->s.job) {
		if (pm_retired_among(q->s.db, &q->s.job, 1, &retired, e) < 0)
			status = PM_EXIT_FAILED;
	} else {
		/* q->filter has what their processes have to be. */
		status = pm_jobwords_filter(&q->jobs, q->s.db, &f, e);
		if (status == PM_EXIT_OK && pm_retired_count(q->s.db, &f, &retired, e) < 0)
			status = PM_EXIT_FAILED;
		pm_jobfilter_free(&f);
	}
	pm_retired_warn(retired);
	return status;
}

int pm_list_question_explain(const struct pm_list_question *q, struct pm_err *e)
{
	return q->ask.where ? pm_jobwords_explain(q->s.db, q->table->name, e) : -1;
}

void pm_list_question_free(struct pm_list_question *q)
{
	if (q->s.db)
		pm_db_unguard(q->s.db);
	free(q->columns);
	free(q->order);
	pm_list_names_free(&q->names);
	pm_processfilter_free(&q->process);
	pm_jobfilter_free(&q->filter);
	pm_jobfilter_free(&q->first);
	pm_select_close(&q->s);
}
