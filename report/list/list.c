/* The verb list: print the contents of the database as a table, JSON or CSV. */
#include "config.h"

#include "report/jobwords.h"
#include "report/list/list_columns.h"
#include "report/list/list_tables.h"
#include "report/list/list_print.h"
#include "report/print/options.h"
#include "report/retired.h"
#include "report/select.h"

#include "analysis/select/jobtop.h"
#include "analysis/select/retired.h"
#include "common/cli/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jobs that are looked at one by one, the first in order, before all are. */
#define FIRST_JOBS 4096

/* What list works on. */
struct list {
	const struct pm_cli *cli;
	const struct pm_list_table *table;
	const char *job;        /* operand; NULL: none */
	const char *of_jobs;    /* option that says which jobs; NULL: none */
	const char *of_process; /* option that says which processes; NULL: none */
	struct pm_jobfilter_words jobs;
	struct pm_processfilter_words processes;
	struct pm_selection s;
	struct pm_list_names names;
	struct pm_jobfilter filter, first;
	struct pm_processfilter process;
	struct pm_list_ask ask;
	struct pm_page page;
	struct pm_list_look look;
	char *columns;          /* SQL of those that were asked for; NULL: none were */
	const char *jobs_order; /* a word for that of jobs; NULL: the usual one */
	char *order;            /* SQL of the order; NULL: the usual one */
};

/* Whether the names of the columns are asked for, instead of rows. */
static bool asks_for_help(const struct list *l)
{
	const char *columns = l->cli->value[PM_OPT_columns];

	return columns && strcmp(columns, "help") == 0;
}

/* Print the names of all columns, one a line. */
static void print_names(const struct list *l)
{
	for (size_t i = 0; i < l->names.n; i++)
		puts(l->names.name[i]);
}

/* Print the rows as asked for. Returns 1 if the limit was reached, 0, or -1 with e filled. */
static int print_rows(struct list *l, struct pm_err *e)
{
	const int rc = pm_list_print(l->s.db, &l->ask, &l->look, e);

	if (rc >= 0)
		return rc;
	return l->ask.where ? pm_jobwords_explain(l->s.db, l->table->name, e) : -1;
}

/* Take the options that say which processes. */
static void take_process_words(struct list *l)
{
	static const enum pm_option options[] = { PM_OPT_program, PM_OPT_process_tag, PM_OPT_longer,
						  PM_OPT_pid, PM_OPT_failed };
	const struct pm_cli *cli = l->cli;

	l->processes = (struct pm_processfilter_words){
		.program = cli->value[PM_OPT_program],
		.tag = cli->value[PM_OPT_process_tag],
		.longer = cli->value[PM_OPT_longer],
		.pid = cli->value[PM_OPT_pid],
		.failed = cli->given[PM_OPT_failed],
	};
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (cli->given[options[i]])
			l->of_process = pm_option_info[options[i]].name;
}

/* Check that the options fit together. Returns 0, or -1 with e filled. */
static int check_usage(const struct list *l, struct pm_err *e)
{
	const struct pm_cli *cli = l->cli;
	const struct pm_list_table *t = l->table;
	const bool one = l->job || cli->value[PM_OPT_job];
	const char *jobs = l->of_jobs                                          ? l->of_jobs
			   : t->of == PM_LIST_JOBS && cli->value[PM_OPT_order] ? "order"
									       : NULL;

	if (cli->given[PM_OPT_json] && cli->given[PM_OPT_csv])
		return pm_err(e, "list: --json or --csv, not both");
	if (jobs && (one || t->of == PM_LIST_GENERAL))
		return pm_err(e,
			      "list: --%s says which of all jobs to list, as in: perfmon list %s "
			      "--%s ...",
			      jobs, t->of == PM_LIST_GENERAL ? "jobs" : t->name, jobs);
	if (l->of_process && !t->process)
		return pm_err(e,
			      "list: --%s says which processes, as in: perfmon list processes "
			      "--%s ...%s",
			      l->of_process, l->of_process,
			      cli->given[PM_OPT_failed] && t->of == PM_LIST_JOBS
				      ? "; jobs that failed are those of --status failed"
				      : "");
	if (l->processes.pid && !one && !l->of_jobs)
		return pm_err(e, "list: --pid needs a job, or options that say which jobs, such as "
				 "--host and --when: there is no index of process ids");
	if (cli->value[PM_OPT_order] && t->lines && !cli->value[PM_OPT_columns] &&
	    l->look.form == PM_LIST_TEXT)
		return pm_err(e,
			      "list: --order sorts rows, and lines of %s are made of several: name "
			      "--columns, or ask for --csv or --json",
			      t->name);
	return 0;
}

/* Make the filters of jobs and processes. Returns an exit status, with e filled unless it is 0. */
static int make_filters(struct list *l, struct pm_err *e)
{
	int status;

	if (l->of_process) {
		if (pm_processfilter_make(&l->process, &l->processes, e) < 0)
			return PM_EXIT_USAGE;
		l->ask.process = &l->process;
	}
	if (l->s.job || l->table->of == PM_LIST_GENERAL)
		return PM_EXIT_OK;
	/* That of a column is set below. */
	l->jobs.order = l->order ? NULL : l->jobs_order;
	status = pm_jobwords_filter(&l->jobs, l->s.db, &l->filter, e);
	if (status != PM_EXIT_OK)
		return status;
	if (l->order)
		l->filter.order = l->table->of == PM_LIST_JOBS ? l->order : l->filter.order;
	if (l->ask.where && l->table->of == PM_LIST_JOBS &&
	    pm_jobfilter_add(&l->filter, l->ask.where, NULL, e) < 0)
		return PM_EXIT_FAILED;
	l->ask.filter = &l->filter;
	if (l->table->of == PM_LIST_JOBS && l->ask.limit &&
	    pm_jobtop_narrow(&l->filter, l->s.db, pm_listing_needs(l->ask.limit, l->ask.offset),
			     e) < 0)
		return PM_EXIT_FAILED;
	if (!l->of_process || !*l->process.jobs)
		return PM_EXIT_OK;
	if (pm_jobfilter_first(&l->first, &l->filter, FIRST_JOBS, l->process.few,
			       &l->process.job_values, e) < 0 ||
	    pm_jobfilter_add(&l->filter, l->process.jobs, &l->process.job_values, e) < 0)
		return PM_EXIT_FAILED;
	l->ask.first = &l->first;
	return PM_EXIT_OK;
}

/* Find the columns that are asked for, and the order. Returns an exit status, with e filled unless
 * it is 0. */
static int find_columns(struct list *l, struct pm_err *e)
{
	const char *order = l->cli->value[PM_OPT_order], *named = l->cli->value[PM_OPT_columns];
	const bool raw = l->look.form != PM_LIST_TEXT;
	struct pm_err of_jobs;

	if (named || raw)
		l->columns = pm_list_columns_sql(&l->names, l->table, named, &l->look.count, e);
	if ((named || raw) && !l->columns)
		return PM_EXIT_USAGE;
	if (!raw && l->look.count > PM_TABLE_COLUMNS) {
		pm_err(e, "list: text has room for %d columns; --csv and --json take more",
		       PM_TABLE_COLUMNS);
		return PM_EXIT_USAGE;
	}
	l->look.columns = l->columns;
	l->look.names = &l->names;
	if (!order || (l->table->of == PM_LIST_JOBS && pm_joborder_find(order, &of_jobs))) {
		l->jobs_order = order;
		return PM_EXIT_OK;
	}
	l->order = pm_list_columns_order(&l->names, l->table, order, e);
	l->ask.order = l->order;
	if (l->order)
		return PM_EXIT_OK;
	/* Jobs have names for some orders; the rows of several may come in one of them. */
	if (l->table->of == PM_LIST_JOBS) {
		struct pm_err why = *e;

		pm_err(e, "%s; or %s", of_jobs.text, why.text);
	} else if (l->look.several && pm_joborder_find(order, &of_jobs)) {
		e->text[0] = '\0';
		l->jobs_order = order;
		return PM_EXIT_OK;
	}
	return PM_EXIT_USAGE;
}

/* Tell of the jobs that are asked for and have no processes any more. Returns an exit status, with
 * e filled unless it is 0. */
static int tell_retired(struct list *l, struct pm_err *e)
{
	struct pm_jobfilter f = { .where = NULL };
	int64_t retired = 0;
	int status = PM_EXIT_OK;

	if (l->s.job) {
		if (pm_retired_among(l->s.db, &l->s.job, 1, &retired, e) < 0)
			status = PM_EXIT_FAILED;
	} else {
		/* l->filter has what their processes have to be. */
		status = pm_jobwords_filter(&l->jobs, l->s.db, &f, e);
		if (status == PM_EXIT_OK && pm_retired_count(l->s.db, &f, &retired, e) < 0)
			status = PM_EXIT_FAILED;
		pm_jobfilter_free(&f);
	}
	pm_retired_warn(retired);
	return status;
}

/* Answer in the database that was opened. Returns an exit status, with e filled unless it is 0. */
static int answer(struct list *l, struct pm_err *e)
{
	int status, rc;

	if (pm_list_names_read(&l->names, l->s.db, l->table, e) < 0)
		return PM_EXIT_FAILED;
	if (asks_for_help(l)) {
		print_names(l);
		return pm_options_flush(e) < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
	}
	status = find_columns(l, e);
	if (status == PM_EXIT_OK)
		status = make_filters(l, e);
	if (status != PM_EXIT_OK)
		return status;
	if (l->ask.where && pm_jobwords_guard(l->s.db, e) < 0)
		return PM_EXIT_FAILED;
	rc = print_rows(l, e);
	pm_db_unguard(l->s.db);
	if (rc < 0 || pm_options_flush(e) < 0)
		return PM_EXIT_FAILED;
	/* Up to a limit nothing is missing. */
	return rc > 0 || !l->table->process ? PM_EXIT_OK : tell_retired(l, e);
}

/* Open the database, or the job. Returns an exit status, with e filled unless it is 0. */
static int open_database(struct list *l, struct pm_err *e)
{
	const bool some = l->table->of == PM_LIST_OF_JOBS && !l->look.several;

	/* The names are those of any database. */
	if (asks_for_help(l) && pm_db_open(&l->s.db, "", PM_DB_MEMORY, e) == 0)
		return PM_EXIT_OK;
	if ((some ? pm_select_job : pm_select_database)(l->cli, l->job, &l->s, e) == 0)
		return PM_EXIT_OK;
	/* The operand may be a misspelt table. */
	if (l->job && l->job == l->cli->argv[0]) {
		struct pm_err why = *e;

		pm_err(e, "list takes " PM_LIST_NAMES ", or a job; %s", why.text);
		/* Job ids usually contain digits. */
		if (l->s.unknown && !strpbrk(l->job, "0123456789"))
			return PM_EXIT_USAGE;
	}
	return PM_EXIT_FAILED;
}

int pm_verb_list(const struct pm_cli *cli, struct pm_err *e)
{
	struct list l = { .cli = cli, .look.page = &l.page };
	int operands, status;

	l.table = cli->argc > 0 ? pm_list_find(cli->argv[0]) : NULL;
	operands = l.table != NULL;
	if (!l.table)
		l.table = pm_list_jobs();
	l.job = cli->argc > operands ? cli->argv[operands] : NULL;
	l.of_jobs = pm_jobwords_take(cli, &l.jobs);
	take_process_words(&l);
	l.ask.table = l.table;
	l.look.form = cli->given[PM_OPT_csv]    ? PM_LIST_CSV
		      : cli->given[PM_OPT_json] ? PM_LIST_JSON
						: PM_LIST_TEXT;
	l.ask.where = cli->value[PM_OPT_where];
	l.look.several = l.table->of == PM_LIST_OF_JOBS && !l.job && !cli->value[PM_OPT_job] &&
			 (l.of_jobs || l.of_process || l.ask.where);
	if (cli->argc > operands + 1) {
		pm_err(e, "list %s: " PM_LIST_NAMES ", then one job", cli->argv[0]);
		return PM_EXIT_USAGE;
	}
	if (check_usage(&l, e) < 0 || pm_options_page(cli, &l.page, e) < 0 ||
	    pm_options_limit(cli, 0, &l.ask.limit, e) < 0 ||
	    pm_options_offset(cli, &l.ask.offset, e) < 0)
		return PM_EXIT_USAGE;
	if (pm_jobwords_check(cli, e) < 0)
		return PM_EXIT_USAGE;
	status = open_database(&l, e);
	l.ask.job = l.s.job;
	if (status == PM_EXIT_OK)
		status = answer(&l, e);
	free(l.columns);
	free(l.order);
	pm_list_names_free(&l.names);
	pm_processfilter_free(&l.process);
	pm_jobfilter_free(&l.filter);
	pm_jobfilter_free(&l.first);
	pm_select_close(&l.s);
	return status;
}
