/* The verb list: print the contents of the database as a table, JSON or CSV. */
#include "config.h"

#include "report/list/list_print.h"
#include "report/list/list_tables.h"
#include "report/list/question.h"
#include "report/print/options.h"

#include "common/cli/verb.h"

#include <stdio.h>
#include <string.h>

/* What list works on. */
struct list {
	struct pm_list_question q;
	struct pm_page page;
	struct pm_list_look look;
};

/* Whether the names of the columns are asked for, instead of rows. */
static bool asks_for_help(const struct pm_cli *cli)
{
	const char *columns = cli->value[PM_OPT_columns];

	return columns && strcmp(columns, "help") == 0;
}

/* Print the names of all columns, one a line: those of any database. Returns an exit status, with e
 * filled unless it is 0. */
static int print_names(const struct pm_list_table *t, struct pm_err *e)
{
	struct pm_list_names names = { .n = 0 };
	struct pm_db *db = NULL;
	int rc = -1;

	if (pm_db_open(&db, "", PM_DB_MEMORY, e) == 0 &&
	    pm_list_names_read(&names, db, t, e) == 0) {
		for (size_t i = 0; i < names.n; i++)
			puts(names.name[i]);
		rc = pm_options_flush(e);
	}
	pm_list_names_free(&names);
	pm_db_close(db);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}

/* Check that the options fit the form. Returns 0, or -1 with e filled. */
static int check_form(const struct list *l, struct pm_err *e)
{
	const struct pm_cli *cli = l->q.cli;
	const struct pm_list_table *t = l->q.table;

	if (cli->given[PM_OPT_json] && cli->given[PM_OPT_csv])
		return pm_err(e, "list: --json or --csv, not both");
	if (cli->value[PM_OPT_order] && t->lines && !cli->value[PM_OPT_columns] &&
	    l->look.form == PM_LIST_TEXT)
		return pm_err(e,
			      "list: --order sorts rows, and lines of %s are made of several: name "
			      "--columns, or ask for --csv or --json",
			      t->name);
	return 0;
}

/* Answer in the database that was opened. Returns an exit status, with e filled unless it is 0. */
static int answer(struct list *l, struct pm_err *e)
{
	const bool text = l->look.form == PM_LIST_TEXT;
	int status = pm_list_question_columns(&l->q, !text, e), rc;

	if (status != PM_EXIT_OK)
		return status;
	if (text && l->q.count > PM_TABLE_COLUMNS) {
		pm_err(e, "list: text has room for %d columns; --csv and --json take more",
		       PM_TABLE_COLUMNS);
		return PM_EXIT_USAGE;
	}
	status = pm_list_question_filter(&l->q, e);
	if (status != PM_EXIT_OK)
		return status;
	l->look.several = l->q.several;
	l->look.columns = l->q.columns;
	l->look.count = l->q.count;
	l->look.names = &l->q.names;
	rc = pm_list_print(l->q.s.db, &l->q.ask, &l->look, e);
	if (rc < 0)
		pm_list_question_explain(&l->q, e);
	if (rc < 0 || pm_options_flush(e) < 0)
		return PM_EXIT_FAILED;
	/* Up to a limit nothing is missing. */
	return rc > 0 ? PM_EXIT_OK : pm_list_question_retired(&l->q, e);
}

/* Open the database, or the job. Returns an exit status, with e filled unless it is 0. */
static int open_database(struct list *l, struct pm_err *e)
{
	const struct pm_list_question *q = &l->q;

	if (pm_list_question_open(&l->q, e) == 0)
		return PM_EXIT_OK;
	/* The operand may be a misspelt table. */
	if (q->job && q->job == q->cli->argv[0]) {
		struct pm_err why = *e;

		pm_err(e, "list takes " PM_LIST_NAMES ", or a job; %s", why.text);
		/* Job ids usually contain digits. */
		if (q->s.unknown && !strpbrk(q->job, "0123456789"))
			return PM_EXIT_USAGE;
	}
	return PM_EXIT_FAILED;
}

int pm_verb_list(const struct pm_cli *cli, struct pm_err *e)
{
	const struct pm_list_table *t = cli->argc > 0 ? pm_list_find(cli->argv[0]) : NULL;
	const int operands = t != NULL;
	struct list l = { .look.page = &l.page };
	int status = PM_EXIT_USAGE;

	if (!t)
		t = pm_list_jobs();
	l.look.form = cli->given[PM_OPT_csv]    ? PM_LIST_CSV
		      : cli->given[PM_OPT_json] ? PM_LIST_JSON
						: PM_LIST_TEXT;
	if (cli->argc > operands + 1)
		pm_err(e, "list %s: " PM_LIST_NAMES ", then one job", cli->argv[0]);
	else if (pm_list_question_take(&l.q, cli, t,
				       cli->argc > operands ? cli->argv[operands] : NULL, e) == 0 &&
		 check_form(&l, e) == 0 && pm_options_page(cli, &l.page, e) == 0)
		status = asks_for_help(cli) ? print_names(t, e) : open_database(&l, e);
	if (status == PM_EXIT_OK && !asks_for_help(cli))
		status = answer(&l, e);
	pm_list_question_free(&l.q);
	return status;
}
