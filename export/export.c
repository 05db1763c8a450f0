/* The verb export: rows of the database as files for other programs. */
#include "config.h"

#include "export/allexport.h"
#include "export/format.h"
#include "export/jobexport.h"
#include "export/layout.h"
#include "export/oprows.h"
#include "export/otherformat.h"
#include "export/row.h"
#include "export/sendrows.h"
#include "export/target.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/memtext.h"
#include "report/print/options.h"
#include "report/list/question.h"

#include <stdlib.h>
#include <string.h>

/* What export works on. */
struct export
{
	const struct pm_cli *cli;
	const char *kind;
	const struct pm_list_table *table; /* NULL: ops */
	const struct pm_export_format *format;
	const char *path;     /* "-": standard output */
	struct pm_oprows ops; /* where table is NULL */
	struct pm_export_row row;
	struct pm_export_target target;
	struct pm_export_file file;
	struct pm_sendrows send; /* where rows go to a server */
	char *header; /* what a new file begins with, where rows are added to one; owned */
	bool begun;   /* the columns are known, and the file is open */
};

/* Find the format. Returns 0, or -1 with e filled. */
static int find_format(struct export *x, struct pm_err *e)
{
	const char *named = x->cli->value[PM_OPT_format];

	x->format = named                       ? pm_export_format_named(named)
		    : x->cli->given[PM_OPT_url] ? &pm_export_bulk
		    : strcmp(x->path, "-") == 0 ? &pm_export_csv
						: pm_export_format_of(x->path);
	if (x->format)
		return 0;
	if (pm_otherformat_explain(x->cli, x->path, e))
		return -1;
	if (named)
		return pm_err(e, "export: --format is one of " PM_EXPORT_FORMATS);
	return pm_err(e,
		      "export: the name %s says no format: end it in .csv or the like, or name one "
		      "with --format: " PM_EXPORT_FORMATS,
		      x->path);
}

/* What the names of indices begin with. */
#define INDEX_PREFIX "perfmon_"

/* Check that a prefix makes names of indices, as Elasticsearch and OpenSearch have them. */
static bool is_prefix(const char *p)
{
	const size_t n = strlen(p);

	return n < 200 && !strchr("-_+.", *p) &&
	       strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789_-.+") == n;
}

/* Check that the options fit together. Returns 0, or -1 with e filled. */
static int check_usage(const struct export *x, struct pm_err *e)
{
	static const enum pm_option of_one[] = { PM_OPT_offset, PM_OPT_order };
	const struct pm_cli *cli = x->cli;

	if (cli->argc > 1 && cli->value[PM_OPT_job])
		return pm_err(e, "export: jobs as operands or by --job, not both");
	for (size_t i = 0; cli->argc > 2 && i < sizeof of_one / sizeof of_one[0]; i++)
		if (cli->given[of_one[i]])
			return pm_err(e,
				      "export: --%s is for the rows of one job, or of those that "
				      "options such as --after select",
				      pm_option_info[of_one[i]].name);
	if (cli->given[PM_OPT_by] && x->table)
		return pm_err(e, "export: --by is for ops");
	if (cli->given[PM_OPT_measure])
		return pm_err(e, "export: --measure is for folded");
	if (cli->given[PM_OPT_url] && x->format != &pm_export_bulk)
		return pm_err(e, "export: --url is for bulk");
	if (pm_sendrows_usage(cli, e) < 0)
		return -1;
	if (cli->given[PM_OPT_index_prefix] && x->format != &pm_export_bulk)
		return pm_err(e, "export: --index-prefix is for bulk");
	if (cli->given[PM_OPT_index_prefix] && !is_prefix(cli->value[PM_OPT_index_prefix]))
		return pm_err(e,
			      "export: --index-prefix: lower-case letters, digits, _, -, + and ., "
			      "a letter or digit first");
	if (cli->given[PM_OPT_append] && (strcmp(x->path, "-") == 0 || !x->format->fits))
		return pm_err(e, "export: --append needs a file that --file names, of csv, tsv or "
				 "jsonl");
	if (cli->given[PM_OPT_spreadsheet] && x->format != &pm_export_csv &&
	    x->format != &pm_export_tsv)
		return pm_err(e, "export: --spreadsheet is for csv and tsv");
	return 0;
}

/* What a new file begins with goes into x->header, where rows are added to a file, else into the
 * file. Returns 0, or -1 with e filled. */
static int begin_format(struct export *x, struct pm_err *e)
{
	FILE *f = x->file.f;
	size_t n;
	int rc;

	if (!x->target.append)
		return x->format->begin(&x->file, e);
	x->file.f = open_memstream(&x->header, &n);
	if (!x->file.f) {
		x->file.f = f;
		return pm_err(e, "out of memory");
	}
	rc = x->format->begin(&x->file, e);
	if (!pm_memtext_end(x->file.f, &x->header))
		rc = pm_err(e, "out of memory");
	x->file.f = f;
	return rc;
}

/* Open the file, once the columns are known. Returns 0, or -1 with e filled. */
static int begin_file(struct export *x, struct pm_err *e)
{
	const struct pm_cli *cli = x->cli;

	if (cli->given[PM_OPT_url]
		    ? pm_sendrows_begin(&x->send, cli, e) < 0
		    : pm_export_target_open(&x->target, x->path, cli->given[PM_OPT_append],
					    cli->argv + 1, (size_t)cli->argc - 1, e) < 0)
		return -1;
	x->file.f = x->send.bulk ? pm_bulk_stream(x->send.bulk) : x->target.f;
	x->file.name = x->path;
	x->file.kind = x->kind;
	x->file.column = x->row.column;
	x->file.columns = x->row.n;
	x->file.spreadsheet = cli->given[PM_OPT_spreadsheet];
	x->file.index_prefix =
		cli->value[PM_OPT_index_prefix] ? cli->value[PM_OPT_index_prefix] : INDEX_PREFIX;
	x->begun = true;
	return begin_format(x, e);
}

/* Write the current row. Returns 0, or -1 with e filled. */
static int write_row(struct export *x, struct pm_err *e)
{
	if (x->format->row(&x->file, x->row.value, e) < 0)
		return -1;
	x->file.rows++;
	return x->send.bulk ? pm_bulk_fit(x->send.bulk, e) : 0;
}

/* Write the rows that a question asks for. Returns 0, or -1 with e filled. */
static int write_rows(struct export *x, struct pm_list_question *q, struct pm_err *e)
{
	struct pm_listing rows;
	int rc = pm_listing_open(&rows, q->s.db, &q->ask, q->columns, false, e);

	if (rc == 0 && !x->begun)
		rc = pm_export_row_init(&x->row, x->table, rows.q, e) < 0 ? -1 : begin_file(x, e);
	else if (rc == 0 && !pm_export_row_fits(&x->row, rows.q))
		rc = pm_err(e, "%s has other columns than the jobs before it", q->job);
	x->file.db = q->s.db;
	while (rc >= 0 && (rc = pm_listing_next(&rows, e)) > 0) {
		rc = pm_export_row_take(&x->row, rows.q, e);
		if (rc == 0)
			rc = write_row(x, e);
	}
	pm_listing_close(&rows);
	return rc;
}

/* Check that the numbers of jobs are of one database: a directory, archive or job that was not
 * loaded has its own, from 1 on. Returns 0, or -1 with e filled. */
static int check_numbers(const struct export *x, const struct pm_db *db, const char *job,
			 struct pm_err *e)
{
	if (x->cli->argc < 3 || !pm_db_is_memory(db))
		return 0;
	return pm_err(e,
		      "export: %s is not in the database, so its job_id is not its own: export it "
		      "alone, or load it first: perfmon submit %s",
		      job, job);
}

/* Write the operations of the jobs that are open. Returns 0, or -1 with e filled. */
static int write_operations(struct export *x, int64_t limit, int64_t skip, struct pm_err *e)
{
	int rc;

	if (!x->begun && begin_file(x, e) < 0)
		return -1;
	x->file.db = x->ops.s.db;
	while (x->file.rows < (uint64_t)limit && (rc = pm_oprows_next(&x->ops, &x->row, e)) != 0)
		if (rc < 0 || (skip-- <= 0 && write_row(x, e) < 0))
			return -1;
	return pm_oprows_retired(&x->ops, e);
}

/* Write the operations of a job, or of those that options select. Returns an exit status, with e
 * filled unless it is 0. */
static int write_ops(struct export *x, const char *job, struct pm_err *e)
{
	int64_t limit, skip;
	int status;

	if (pm_options_limit(x->cli, 0, &limit, e) < 0 || pm_options_offset(x->cli, &skip, e) < 0)
		return PM_EXIT_USAGE;
	status = pm_oprows_open(&x->ops, job, e);
	if (status == PM_EXIT_OK &&
	    (check_numbers(x, x->ops.s.db, job, e) < 0 || write_operations(x, limit, skip, e) < 0))
		status = PM_EXIT_FAILED;
	pm_oprows_close(&x->ops);
	return status;
}

/* Write the rows of a job, or of those that options select. Returns an exit status, with e filled
 * unless it is 0. */
static int write_job(struct export *x, const char *job, struct pm_err *e)
{
	struct pm_list_question q;
	int status = PM_EXIT_USAGE;

	if (!x->table)
		return write_ops(x, job, e);
	if (pm_list_question_take(&q, x->cli, x->table, job, e) == 0) {
		/* The limit is one of all jobs together. */
		if (q.ask.limit != INT64_MAX)
			q.ask.limit -= (int64_t)x->file.rows;
		status = pm_list_question_open(&q, e) < 0 || check_numbers(x, q.s.db, job, e) < 0
				 ? PM_EXIT_FAILED
				 : pm_list_question_columns(&q, true, e);
	}
	if (status == PM_EXIT_OK)
		status = pm_list_question_filter(&q, e);
	if (status == PM_EXIT_OK && write_rows(x, &q, e) < 0) {
		pm_list_question_explain(&q, e);
		status = PM_EXIT_FAILED;
	}
	if (status == PM_EXIT_OK)
		status = pm_list_question_retired(&q, e);
	pm_list_question_free(&q);
	return status;
}

/* Complete the file. Returns an exit status, with e filled unless it is 0. */
static int finish(struct export *x, struct pm_err *e)
{
	int rc = x->format->end(&x->file, e);

	if (rc == 0 && x->send.bulk)
		rc = pm_sendrows_end(&x->send, e);
	else if (rc == 0)
		rc = x->target.append
			     ? pm_export_target_add(&x->target, x->format, &x->file, x->header, e)
			     : pm_export_target_commit(&x->target, e);
	if (rc < 0)
		return PM_EXIT_FAILED;
	if (!x->send.bulk)
		pm_info("%zu rows written to %s", x->file.rows, x->path);
	if (x->row.odd == 0)
		return PM_EXIT_OK;
	pm_err(e,
	       "%zu values are not of the type of their column, such as some of %s: the database "
	       "is "
	       "damaged, or was edited; the column " PM_EXPORT_EXACT " has them",
	       x->row.odd, x->row.odd_column);
	return PM_EXIT_FAILED;
}

int pm_verb_export(const struct pm_cli *cli, struct pm_err *e)
{
	struct export x = { .cli = cli };
	int status = PM_EXIT_USAGE;

	if (cli->given[PM_OPT_layout])
		return pm_layout_export(cli, e);
	if (cli->given[PM_OPT_names]) {
		pm_err(e, "export: --names is for --layout mlflow");
		return PM_EXIT_USAGE;
	}
	if (cli->argc > 0 && strcmp(cli->argv[0], PM_ALLEXPORT) == 0)
		return pm_allexport(cli, e);
	if (cli->argc > 0 && pm_jobexport_knows(cli->argv[0]))
		return pm_jobexport(cli, e);
	x.path = cli->value[PM_OPT_file] ? cli->value[PM_OPT_file] : "-";
	x.kind = cli->argc > 0 ? cli->argv[0] : "";
	x.table = pm_list_find(x.kind);
	if (!x.table && strcmp(x.kind, PM_OPROWS) != 0) {
		pm_err(e,
		       "export %s: what to export is one of " PM_ALLEXPORT
		       ", trace, folded, " PM_OPROWS ", " PM_LIST_NAMES,
		       cli->argc > 0 ? cli->argv[0] : "KIND");
		return PM_EXIT_USAGE;
	}
	if (find_format(&x, e) == 0 && check_usage(&x, e) == 0)
		status = x.table ? PM_EXIT_OK : pm_oprows_init(&x.ops, cli, &x.row, e);
	if (status == PM_EXIT_OK)
		status = write_job(&x, cli->argc > 1 ? cli->argv[1] : NULL, e);
	for (int i = 2; status == PM_EXIT_OK && i < cli->argc; i++)
		if (!pm_cli_repeats(cli, 1, i))
			status = write_job(&x, cli->argv[i], e);
	if (status == PM_EXIT_OK)
		status = finish(&x, e);
	if (x.begun && x.format->release)
		x.format->release(&x.file);
	if (x.begun && !x.send.bulk)
		pm_export_target_abandon(&x.target);
	pm_sendrows_free(&x.send);
	free(x.header);
	pm_oprows_free(&x.ops);
	pm_export_row_free(&x.row);
	return status;
}
