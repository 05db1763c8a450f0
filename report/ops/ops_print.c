/* Operations and their figures, as a table, JSON or CSV. */
#include "config.h"

#include "report/ops/ops.h"

#include "analysis/ops/opnumbers.h"
#include "common/text.h"
#include "report/figure.h"
#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/print/values.h"
#include "report/opname.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a table before the figures. */
#define HEAD 11

_Static_assert(HEAD + PM_OPS_FIGURES <= PM_TABLE_COLUMNS, "a column for each figure");

static size_t shown(const struct pm_ops_look *l)
{
	return (uint64_t)l->limit < l->ops.ops ? (size_t)l->limit : l->ops.ops;
}

/* --- text ------------------------------------------------------------------------------------- */

static void value_cell(struct pm_table *t, const struct pm_knownsum *v, const char *unit)
{
	char text[PM_FORMAT_MAX];

	pm_table_cell(
		t, pm_figure_format(text, v->sum == PM_OPS_UNKNOWN ? NAN : (double)v->sum, unit));
}

/* Durations and counts have the same number for what is not known. */
_Static_assert(PM_OPS_UNKNOWN == PM_UNKNOWN, "one number for unknown values");

static int print_op(struct pm_table *t, const struct pm_ops_look *l, const struct pm_op *op,
		    struct pm_err *e)
{
	char text[PM_FORMAT_MAX], safe[256];
	struct pm_ops_job job = { .jobid = "" };

	if (op->job && pm_ops_job(l->db, op->job, &job, e) < 0)
		return -1;
	if (pm_opname_cell(t, op->key) < 0)
		return pm_err(e, "print a table: out of memory");
	pm_text_safe(safe, sizeof safe, job.jobid, strlen(job.jobid), l->page.utf8);
	pm_table_cell(t, safe);
	if (l->jobs > 1 && !l->per_job)
		pm_cell_count(t, op->jobs);
	else
		pm_table_cell(t, "");
	pm_cell_count(t, op->processes);
	pm_cell_count(t, op->value[PM_OPS_THREADS].sum);
	pm_cell_count(t, (int64_t)op->runs.count);
	pm_table_cell(t, pm_format_minute(text, op->start_us));
	pm_cell_duration(t, op->value[PM_OPS_DURATION].sum);
	pm_cell_duration(t, pm_ops_union(op));
	pm_cell_duration(t, pm_ops_span(op));
	if (op->timed < op->processes)
		pm_cell_count(t, op->processes - op->timed);
	else
		pm_table_cell(t, "");
	for (size_t i = PM_OPS_FIXED; i < l->ops.metrics; i++)
		value_cell(t, &op->value[i], l->ops.metric[i]->unit);
	return 0;
}

static int print_text(const struct pm_ops_look *l, struct pm_err *e)
{
	struct pm_table_column columns[PM_TABLE_COLUMNS] = {
		{ "Operation", false, 24, 0 }, { "Job", false, 0, -1 },    { "Jobs", true, 0, -1 },
		{ "Proc.", true, 0, 0 },       { "Thr.", true, 0, 5 },     { "Runs", true, 0, 3 },
		{ "Start", false, 0, 6 },      { "Sum", true, 0, 0 },      { "Union", true, 0, 0 },
		{ "Span", true, 0, 2 },        { "Untimed", true, 0, -1 },
	};
	const size_t figures = l->ops.metrics - PM_OPS_FIXED;
	struct pm_table t;

	if (!l->ops.ops) {
		fputs("no processes with such tags\n", l->page.f);
		return 0;
	}
	for (size_t i = 0; i < figures; i++) {
		columns[HEAD + i] = (struct pm_table_column){
			pm_figure_title(l->ops.metric[PM_OPS_FIXED + i]->name), true, 0, i ? 4 : 0
		};
	}
	pm_table_init(&t, &l->page, columns, HEAD + figures, 0);
	for (size_t i = 0; i < shown(l); i++)
		if (print_op(&t, l, &l->ops.op[i], e) < 0) {
			pm_table_discard(&t);
			return -1;
		}
	if (pm_table_finish(&t) < 0)
		return pm_err(e, "print a table: out of memory");
	if (shown(l) < l->ops.ops)
		fprintf(l->page.f, "further operations, which --limit 0 shows, too: %zu\n",
			l->ops.ops - shown(l));
	return 0;
}

static int print_intervals(const struct pm_ops_look *l, struct pm_err *e)
{
	static const struct pm_table_column columns[] = {
		{ "Operation", false, 16, 0 }, { "Job", false, 0, -1 },
		{ "Run", true, 0, 0 },         { "Start", false, 0, 0 },
		{ "Finish", false, 0, 1 },     { "Wall time", true, 0, 0 },
		{ "Gap before", true, 0, 2 },
	};
	char safe[256], text[PM_FORMAT_MAX];
	int64_t untimed = 0;
	struct pm_table t;

	pm_table_init(&t, &l->page, columns, sizeof columns / sizeof columns[0], 0);
	for (size_t i = 0; i < shown(l); i++) {
		const struct pm_op *op = &l->ops.op[i];
		struct pm_ops_job job = { .jobid = "" };

		untimed += op->processes - op->timed;

		if (op->job && pm_ops_job(l->db, op->job, &job, e) < 0) {
			pm_table_discard(&t);
			return -1;
		}
		pm_text_safe(safe, sizeof safe, job.jobid, strlen(job.jobid), l->page.utf8);
		for (size_t k = 0; k < op->runs.count; k++) {
			const struct pm_interval *run = &op->runs.at[k];

			if (pm_opname_cell(&t, op->key) < 0) {
				pm_table_discard(&t);
				return pm_err(e, "print a table: out of memory");
			}
			pm_table_cell(&t, safe);
			pm_cell_count(&t, (int64_t)k + 1);
			pm_table_cell(&t, pm_format_time(text, run->start_us));
			pm_table_cell(&t, pm_format_time(text, run->end_us));
			pm_cell_duration(&t, run->end_us - run->start_us);
			if (k)
				pm_cell_duration(&t, run->start_us - run[-1].end_us);
			else
				pm_table_cell(&t, "");
		}
	}
	if (pm_table_finish(&t) < 0)
		return pm_err(e, "print a table: out of memory");
	if (untimed)
		fprintf(l->page.f, "processes in no run, as their start or end is not known: %s\n",
			pm_format_count(text, untimed));
	return 0;
}

/* --- JSON and CSV ------------------------------------------------------------------------------
 */

static json_t *pack_values(const struct pm_ops_look *l, const struct pm_op *op)
{
	json_t *all = json_object();

	for (size_t i = PM_OPS_FIXED; all && i < l->ops.metrics; i++) {
		const struct pm_tagfigure *m = l->ops.metric[i];

		json_object_set_new(all, m->name,
				    json_pack("{s:o, s:I, s:s}", m->peak ? "max" : "sum",
					      pm_ops_number(op->value[i].sum), "known",
					      (json_int_t)op->value[i].known, "unit", m->unit));
	}
	return all;
}

static json_t *pack_runs(const struct pm_op *op)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < op->runs.count; i++)
		json_array_append_new(list, json_pack("[I, I]", (json_int_t)op->runs.at[i].start_us,
						      (json_int_t)op->runs.at[i].end_us));
	return list;
}

/* Which job an operation is of. */
static int add_job(json_t *o, const struct pm_ops_look *l, const struct pm_op *op, struct pm_err *e)
{
	struct pm_ops_job job;

	if (!op->job)
		return 0;
	if (pm_ops_job(l->db, op->job, &job, e) < 0)
		return -1;
	json_object_set_new(o, "job_id", json_integer(op->job));
	json_object_set_new(o, "jobid", pm_values_safe(job.jobid));
	json_object_set_new(o, "user", pm_values_safe(job.user));
	return 0;
}

static json_t *pack_op(const struct pm_ops_look *l, const struct pm_op *op, bool intervals,
		       struct pm_err *e)
{
	json_t *o = json_object();
	int64_t number[PM_OPNUMBERS];

	pm_opnumbers_of(op, number);
	if (!o || pm_opname_pack(o, op->key) < 0) {
		json_decref(o);
		pm_err(e, "print JSON: out of memory");
		return NULL;
	}
	if (add_job(o, l, op, e) < 0) {
		json_decref(o);
		return NULL;
	}
	for (size_t i = 0; i < PM_OPNUMBERS; i++)
		json_object_set_new(o, pm_opnumbers[i].name, pm_ops_number(number[i]));
	if (intervals)
		json_object_set_new(o, "intervals", pack_runs(op));
	json_object_set_new(o, "metrics", pack_values(l, op));
	return o;
}

/* One by one, since there may be as many as processes. */
static int print_json(const struct pm_ops_look *l, bool intervals, struct pm_err *e)
{
	printf("{\"jobs\":%zu,\"operations\":[", l->jobs);
	for (size_t i = 0; i < shown(l); i++) {
		json_t *o = pack_op(l, &l->ops.op[i], intervals, e);
		int rc;

		if (!o)
			return -1;
		rc = json_dumpf(o, stdout, PM_VALUES_DUMP);
		json_decref(o);
		if (rc < 0)
			return pm_err(e, "print JSON: out of memory or not writable");
		if (i + 1 < shown(l))
			fputs(",\n", stdout);
	}
	printf("],\"operations_left_out\":%zu,\"jobs_retired\":%lld}\n", l->ops.ops - shown(l),
	       (long long)l->retired);
	return 0;
}

static void csv_number(int64_t v)
{
	putchar(',');
	if (v != PM_OPS_UNKNOWN)
		printf("%lld", (long long)v);
}

static int print_csv(const struct pm_ops_look *l, struct pm_err *e)
{
	fputs("operation,job_id", stdout);
	for (size_t i = 0; i < PM_OPNUMBERS; i++)
		printf(",%s", pm_opnumbers[i].name);
	for (size_t i = PM_OPS_FIXED; i < l->ops.metrics; i++)
		printf(",%s,%s_known", l->ops.metric[i]->name, l->ops.metric[i]->name);
	fputs("\r\n", stdout);
	for (size_t i = 0; i < shown(l); i++) {
		const struct pm_op *op = &l->ops.op[i];
		char *text = pm_opselect_text(op->key);
		int64_t number[PM_OPNUMBERS];

		if (!text)
			return pm_err(e, "out of memory");
		pm_values_csv_text(stdout, text, strlen(text));
		free(text);
		csv_number(op->job ? op->job : PM_OPS_UNKNOWN);
		pm_opnumbers_of(op, number);
		for (size_t k = 0; k < PM_OPNUMBERS; k++)
			csv_number(number[k]);
		for (size_t k = PM_OPS_FIXED; k < l->ops.metrics; k++) {
			csv_number(op->value[k].sum);
			csv_number(op->value[k].known);
		}
		fputs("\r\n", stdout);
	}
	return 0;
}

int pm_ops_print(struct pm_ops_look *l, bool intervals, struct pm_err *e)
{
	const struct pm_ops_ask ask = {
		.job = l->job, .jobs = l->jobs, .select = &l->select, .per_job = l->per_job
	};

	if (pm_ops_read(&l->ops, l->connection.db, l->connection.count, &ask, e) < 0)
		return -1;
	switch (l->form) {
	case PM_OPS_JSON:
		return print_json(l, intervals, e);
	case PM_OPS_CSV:
		return print_csv(l, e);
	case PM_OPS_TEXT:
		break;
	}
	return intervals ? print_intervals(l, e) : print_text(l, e);
}
