/* The rows of kind ops. */
#include "config.h"

#include "export/oprows.h"

#include "analysis/ops/opnumbers.h"
#include "analysis/select/retired.h"
#include "common/safe/columns.h"
#include "report/jobwords.h"
#include "report/opname.h"
#include "report/retired.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns: these, the numbers of an operation but that of jobs, which is 1, and each figure
 * with the number of processes in which it is known. */
enum { AT_JOB, AT_NAME, AT_TAGS, AT_ONLY, AT_NUMBERS };

static const struct pm_export_column head[AT_NUMBERS] = {
	[AT_JOB] = { "job_id", PM_EXPORT_INTEGER, NULL, NULL, "job" },
	[AT_NAME] = { "operation", PM_EXPORT_TEXT, NULL, NULL, "its tags, NAME:VALUE;NAME:VALUE" },
	[AT_TAGS] = { "tags", PM_EXPORT_JSON, NULL, NULL, "its tags, as an object" },
	[AT_ONLY] = { "only", PM_EXPORT_INTEGER, NULL, NULL,
		      "1: the processes that have these tags alone; 0: whatever their other tags" },
};

#define AT_FIGURES (AT_NUMBERS + PM_OPNUMBERS - 1)
#define MOST       (AT_FIGURES + 2 * PM_TAGSUM_FIGURES)

/* The columns that there are, with their names. */
struct columns {
	size_t n;
	struct pm_export_column at[MOST];
	char name[PM_TAGSUM_FIGURES][64]; /* of those that say in how many a figure is known */
};

static void add_figure(struct columns *c, const struct pm_tagfigure *figure)
{
	const int column = pm_column_find(figure->name, strlen(figure->name));
	char *known = c->name[(c->n - AT_FIGURES) / 2];

	snprintf(known, sizeof c->name[0], "%s_known", figure->name);
	c->at[c->n++] = (struct pm_export_column){
		figure->name, PM_EXPORT_INTEGER, figure->unit,
		column < 0 ? NULL : pm_kind_name(pm_column_info[column].kind),
		figure->peak ? "the largest of the processes" : "sum over the processes"
	};
	c->at[c->n++] = (struct pm_export_column){ known, PM_EXPORT_INTEGER, NULL, NULL,
						   "processes in which it is known" };
}

static void list_columns(struct columns *c, const struct pm_ops *ops)
{
	memcpy(c->at, head, sizeof head);
	for (size_t i = 1; i < PM_OPNUMBERS; i++)
		c->at[AT_NUMBERS + i - 1] =
			(struct pm_export_column){ pm_opnumbers[i].name, PM_EXPORT_INTEGER,
						   pm_opnumbers[i].unit, NULL,
						   pm_opnumbers[i].help };
	c->n = AT_FIGURES;
	for (size_t i = PM_OPS_FIXED; i < ops->metrics; i++)
		add_figure(c, ops->metric[i]);
}

/* Find the columns that --columns names, of all that there are; all without it. Returns 0, or -1
 * with e filled. */
static int choose_columns(struct pm_oprows *o, const struct columns *all, struct columns *chosen,
			  struct pm_err *e)
{
	const char *words = o->cli->value[PM_OPT_columns];

	o->from = calloc(all->n, sizeof *o->from);
	if (!o->from)
		return pm_err(e, "out of memory");
	for (size_t i = 0; !words && i < all->n; i++)
		o->from[chosen->n++] = i;
	while (words) {
		const size_t length = strcspn(words, ",");
		size_t i = 0;

		while (i < all->n && (strlen(all->at[i].name) != length ||
				      memcmp(all->at[i].name, words, length) != 0))
			i++;
		if (i == all->n)
			return pm_err(
				e,
				"ops have no column '%.*s'; the first line of "
				"perfmon export ops --format csv names them, exact is always there",
				length < 60 ? (int)length : 60, words);
		for (size_t k = 0; k < chosen->n; k++)
			if (o->from[k] == i)
				return pm_err(e, "--columns: %s is named twice", all->at[i].name);
		o->from[chosen->n++] = i;
		words = words[length] ? words + length + 1 : NULL;
	}
	for (size_t i = 0; i < chosen->n; i++)
		chosen->at[i] = all->at[o->from[i]];
	return 0;
}

/* Check that the options fit. Returns 0, or -1 with e filled. */
static int check_usage(const struct pm_cli *cli, struct pm_err *e)
{
	static const enum pm_option of_rows[] = { PM_OPT_program, PM_OPT_longer, PM_OPT_pid,
						  PM_OPT_failed };
	const bool one = cli->argc > 1 || cli->value[PM_OPT_job];

	for (size_t i = 0; i < sizeof of_rows / sizeof of_rows[0]; i++)
		if (cli->given[of_rows[i]])
			return pm_err(e,
				      "export ops: --%s says which processes; those of an "
				      "operation are told by their tags: --process-tag, --by",
				      pm_option_info[of_rows[i]].name);
	if (one && (pm_jobwords_given(cli) || cli->given[PM_OPT_order]))
		return pm_err(e, "export ops: jobs, or options that say which, not both");
	return pm_jobwords_check(cli, e);
}

int pm_oprows_init(struct pm_oprows *o, const struct pm_cli *cli, struct pm_export_row *row,
		   struct pm_err *e)
{
	struct columns all = { .n = 0 }, chosen = { .n = 0 };

	*o = (struct pm_oprows){ .cli = cli };
	if (check_usage(cli, e) < 0 || pm_opselect_make(&o->select, cli->value[PM_OPT_process_tag],
							cli->value[PM_OPT_by], e) < 0)
		return PM_EXIT_USAGE;
	/* The same operation has the same name, however it is asked for. */
	pm_opselect_sort(&o->select);
	if (pm_ops_choose(&o->ops, "*", e) < 0)
		return PM_EXIT_FAILED;
	list_columns(&all, &o->ops);
	if (choose_columns(o, &all, &chosen, e) < 0)
		return PM_EXIT_USAGE;
	return pm_export_row_make(row, PM_VALUES_ESCAPED, chosen.at, chosen.n, e) < 0
		       ? PM_EXIT_FAILED
		       : PM_EXIT_OK;
}

int pm_oprows_begin(struct pm_oprows *o, struct pm_db *db, int64_t job, struct pm_err *e)
{
	o->next = 0;
	o->db = db;
	o->job = malloc(sizeof *o->job);
	if (!o->job)
		return pm_err(e, "out of memory");
	*o->job = job;
	o->jobs = 1;
	return 0;
}

int pm_oprows_open(struct pm_oprows *o, const char *job, struct pm_err *e)
{
	o->next = 0;
	if (!job && pm_jobwords_given(o->cli)) {
		if (pm_select_database(o->cli, NULL, &o->s, e) < 0)
			return PM_EXIT_FAILED;
		o->db = o->s.db;
		return pm_jobwords_find(o->cli, o->db, INT64_MAX, &o->job, &o->jobs, e);
	}
	if (pm_select_job(o->cli, job, &o->s, e) < 0 ||
	    pm_oprows_begin(o, o->s.db, o->s.job, e) < 0)
		return PM_EXIT_FAILED;
	return PM_EXIT_OK;
}

/* Read the operations of the next job. Returns 1, 0 where there is none, or -1 with e filled. */
static int read_job(struct pm_oprows *o, struct pm_err *e)
{
	struct pm_ops_ask ask = { .jobs = 1, .select = &o->select, .per_job = true };

	pm_ops_free(&o->ops);
	o->at = 0;
	if (o->next == o->jobs)
		return 0;
	ask.job = &o->job[o->next++];
	if (pm_ops_choose(&o->ops, "*", e) < 0)
		return -1;
	return pm_ops_read(&o->ops, &o->db, 1, &ask, e) < 0 ? -1 : 1;
}

static struct pm_export_value number(int64_t v)
{
	return (struct pm_export_value){ .type = v == PM_OPS_UNKNOWN ? PM_DB_NULL : PM_DB_INTEGER,
					 .integer = v };
}

/* The tags of an operation, as the text of an object; NULL if out of memory. */
static char *tags_of(const char *key)
{
	json_t *o = json_object();
	char *text =
		o && pm_opname_pack(o, key) == 0
			? json_dumps(json_object_get(o, "tags"), JSON_COMPACT | JSON_PRESERVE_ORDER)
			: NULL;

	json_decref(o);
	return text;
}

/* Put a column's value of an operation into the row. Returns 0, or -1 if out of memory. */
static int put_value(struct pm_oprows *o, const struct pm_op *op, const int64_t *numbers,
		     struct pm_export_row *row, size_t i)
{
	const size_t at = o->from[i];

	if (at == AT_NAME)
		return pm_export_row_text(row, i, o->name, strlen(o->name));
	if (at == AT_TAGS)
		row->value[i] = (struct pm_export_value){ .type = PM_DB_TEXT,
							  .text = o->tags,
							  .length = strlen(o->tags) };
	else if (at == AT_JOB)
		row->value[i] = number(op->job);
	else if (at == AT_ONLY)
		row->value[i] = number(o->select.mode == PM_OPSELECT_ALL);
	else if (at < AT_FIGURES)
		row->value[i] = number(numbers[1 + at - AT_NUMBERS]);
	else {
		const struct pm_knownsum *v = &op->value[PM_OPS_FIXED + (at - AT_FIGURES) / 2];

		row->value[i] = number((at - AT_FIGURES) % 2 ? v->known : v->sum);
	}
	return 0;
}

int pm_oprows_next(struct pm_oprows *o, struct pm_export_row *row, struct pm_err *e)
{
	int64_t numbers[PM_OPNUMBERS];
	const struct pm_op *op;
	int rc;

	while (o->at == o->ops.ops)
		if ((rc = read_job(o, e)) <= 0)
			return rc;
	op = &o->ops.op[o->at++];
	pm_opnumbers_of(op, numbers);
	free(o->name);
	free(o->tags);
	o->name = pm_opselect_text(op->key);
	o->tags = tags_of(op->key);
	if (!o->name || !o->tags)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i + 1 < row->n; i++)
		if (put_value(o, op, numbers, row, i) < 0)
			return pm_err(e, "out of memory");
	return pm_export_row_end(row, e) < 0 ? -1 : 1;
}

int pm_oprows_retired(const struct pm_oprows *o, struct pm_err *e)
{
	int64_t retired = 0;

	if (pm_retired_among(o->db, o->job, o->jobs, &retired, e) < 0)
		return -1;
	pm_retired_warn(retired);
	return 0;
}

void pm_oprows_close(struct pm_oprows *o)
{
	pm_ops_free(&o->ops);
	free(o->job);
	o->job = NULL;
	o->jobs = o->at = 0;
	o->db = NULL;
	pm_select_close(&o->s);
}

void pm_oprows_free(struct pm_oprows *o)
{
	pm_oprows_close(o);
	pm_opselect_free(&o->select);
	free(o->from);
	free(o->name);
	free(o->tags);
}
