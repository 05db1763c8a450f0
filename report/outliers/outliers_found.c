/* Gather, rank and print what stands out of operations, processes and threads. */
#include "config.h"

#include "report/outliers/outliers_found.h"

#include "common/grow.h"
#include "common/text.h"
#include "report/figure.h"
#include "report/outliers/outliers_json.h"
#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/print/table.h"
#include "report/print/values.h"
#include "report/opname.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pm_outliers_add(struct pm_outliers_list *list, const struct pm_judge *g,
		    const struct pm_outliers_found *like, struct pm_err *e)
{
	double from[PM_FEATURES_MAX], to[PM_FEATURES_MAX];
	bool has[PM_FEATURES_MAX] = { false };

	for (size_t i = 0; i < g->count; i++) {
		const struct pm_judge_found *f = &g->found[i];
		const struct pm_reference *r = &g->reference[f->feature];

		if (!has[f->feature])
			pm_judge_usual(g, f->feature, &from[f->feature], &to[f->feature]);
		has[f->feature] = true;
		if (!PM_GROW(list->found, list->count, list->room, 64))
			return pm_err(e, "out of memory");
		list->found[list->count++] = (struct pm_outliers_found){
			.program = like->program,
			.key = like->key,
			.job = g->x->job[g->first + f->job],
			.feature = g->x->feature[f->feature],
			.value = f->value,
			.from = from[f->feature],
			.to = to[f->feature],
			.marks = f->marks,
			.distance = pm_reference_score(r, PM_OUTLIER_MADZ, f->value),
		};
	}
	return 0;
}

/* Equal ones in an order that does not depend on how they were read. */
static int by_rank(const void *a, const void *b)
{
	const struct pm_outliers_found *x = a, *y = b;
	const unsigned one = pm_outlier_score(x->marks), other = pm_outlier_score(y->marks);
	int order = (one < other) - (one > other);

	if (!order)
		order = (x->distance < y->distance) - (x->distance > y->distance);
	if (!order && x->program && y->program)
		order = strcmp(x->program, y->program);
	if (!order)
		order = strcmp(x->key, y->key);
	if (!order)
		order = (x->job.id > y->job.id) - (x->job.id < y->job.id);
	if (!order)
		order = (x->process > y->process) - (x->process < y->process);
	if (!order)
		order = (x->thread > y->thread) - (x->thread < y->thread);
	return order ? order : (x->feature > y->feature) - (x->feature < y->feature);
}

void pm_outliers_rank(struct pm_outliers_list *list)
{
	if (list->count)
		qsort(list->found, list->count, sizeof *list->found, by_rank);
}

static size_t shown(const struct pm_outliers_look *l, const struct pm_outliers_list *list)
{
	return (uint64_t)l->limit < list->count ? (size_t)l->limit : list->count;
}

/* --- which process ---------------------------------------------------------------------------- */

enum { AT_PID, AT_HOST, AT_START, AT_TID };

static int prepare(const struct pm_outliers_look *l, const struct pm_outliers_list *list,
		   struct pm_stmt **q, struct pm_err *e)
{
	if (list->kind == PM_ROWS_OPERATIONS) {
		*q = NULL;
		return 0;
	}
	return pm_db_prepare(l->db,
			     "SELECT p.pid, h.hostname, p.start_us, coalesce(t.tid, p.tid, p.pid) "
			     "FROM process p JOIN host h ON h.job_id = p.job_id AND "
			     "h.id = p.host_id LEFT JOIN thread_row t ON t.job_id = p.job_id AND "
			     "t.process_id = p.id AND t.id = ? WHERE p.job_id = ? AND p.id = ?",
			     q, e);
}

/* Read the row of a process; q has it then. Returns 1, 0 where it is gone, or -1 with e filled. */
static int look_up(struct pm_stmt *q, const struct pm_outliers_found *f, struct pm_err *e)
{
	pm_db_reset(q);
	pm_db_bind_int(q, 1, f->thread);
	pm_db_bind_int(q, 2, f->job.id);
	pm_db_bind_int(q, 3, f->process);
	return pm_db_step(q, e);
}

/* --- text ------------------------------------------------------------------------------------- */

static void safe_cell(struct pm_table *t, const char *text)
{
	char safe[256];

	pm_text_safe(safe, sizeof safe, text, strlen(text), t->page->utf8);
	pm_table_cell(t, safe);
}

/* The cells that say which process, and thread. Returns 0 or -1 with e filled. */
static int print_process(struct pm_table *t, const struct pm_outliers_found *f, bool thread,
			 struct pm_stmt *q, struct pm_err *e)
{
	const int found = look_up(q, f, e);
	char safe[256];

	if (found < 0)
		return -1;
	pm_text_field(safe, sizeof safe, f->program, t->page->utf8);
	pm_table_cell(t, safe);
	if (found == 0) {
		for (int i = 0; i < 2 + thread; i++)
			pm_table_cell(t, "");
		return 0;
	}
	pm_cell_host(t, q, AT_HOST);
	pm_cell_plain(t, q, AT_PID);
	if (thread)
		pm_cell_plain(t, q, AT_TID);
	return 0;
}

static int print_row(struct pm_table *t, const struct pm_outliers_found *f, enum pm_rowkind kind,
		     struct pm_stmt *q, struct pm_err *e)
{
	const char *unit = f->feature->unit;
	char text[PM_FORMAT_MAX], methods[PM_FIGURE_METHODS];

	if (q && print_process(t, f, kind == PM_ROWS_THREADS, q, e) < 0)
		return -1;
	if (pm_opname_cell(t, f->key) < 0)
		return pm_err(e, "print a table: out of memory");
	pm_cell_id(t, f->job.id);
	safe_cell(t, f->job.jobid);
	safe_cell(t, f->job.user);
	pm_table_cell(t, f->feature->name);
	pm_table_cell(t, pm_figure_format(text, f->value, unit));
	pm_table_cell(t, pm_figure_format(text, f->from, unit));
	pm_table_cell(t, pm_figure_format(text, f->to, unit));
	pm_cell_count(t, pm_outlier_score(f->marks));
	pm_table_cell(t, pm_figure_methods(methods, f->marks));
	return 0;
}

#define REST                                                                                       \
	{ "#", true, 0, 7 }, { "Job", false, 0, 0 }, { "User", false, 0, 6 },                      \
		{ "Figure", false, 0, 0 }, { "Value", true, 0, 0 }, { "Usual: from", true, 0, 2 }, \
		{ "to", true, 0, 1 }, { "Score", true, 0, 3 },                                     \
	{                                                                                          \
		"By", false, 0, 4                                                                  \
	}

#define COLUMNS(name) name, sizeof name / sizeof name[0]

static void begin(struct pm_table *t, const struct pm_page *p, enum pm_rowkind kind)
{
	static const struct pm_table_column ops[] = { { "Operation", false, 12, 0 }, REST };
	static const struct pm_table_column processes[] = { { "Program", false, 8, 0 },
							    { "Host", false, 0, 8 },
							    { "PID", true, 0, 0 },
							    { "Tags", false, 12, -1 },
							    REST };
	static const struct pm_table_column threads[] = {
		{ "Program", false, 8, 0 }, { "Host", false, 0, 8 },   { "PID", true, 0, 0 },
		{ "TID", true, 0, 0 },      { "Tags", false, 12, -1 }, REST
	};

	switch (kind) {
	case PM_ROWS_OPERATIONS:
		pm_table_init(t, p, COLUMNS(ops), 2);
		break;
	case PM_ROWS_PROCESSES:
		pm_table_init(t, p, COLUMNS(processes), 0);
		break;
	case PM_ROWS_THREADS:
		pm_table_init(t, p, COLUMNS(threads), 0);
		break;
	}
}

int pm_outliers_print(const struct pm_outliers_look *l, const struct pm_outliers_list *list,
		      struct pm_err *e)
{
	const size_t n = shown(l, list);
	char number[PM_FORMAT_MAX];
	struct pm_table t;
	struct pm_stmt *q;
	int rc;

	if (!n)
		return 0;
	if (prepare(l, list, &q, e) < 0)
		return -1;
	begin(&t, &l->page, list->kind);
	for (size_t i = 0; i < n; i++)
		if (print_row(&t, &list->found[i], list->kind, q, e) < 0) {
			pm_db_finish(q);
			pm_table_discard(&t);
			return -1;
		}
	pm_db_finish(q);
	rc = pm_table_finish(&t) < 0 ? pm_err(e, "print a table: out of memory") : 0;
	if (rc == 0 && n < list->count)
		fprintf(l->page.f, "%sleft out: %s; --limit 0 prints all\n",
			list->kind == PM_ROWS_OPERATIONS ? "  " : "",
			pm_format_things(number, (int64_t)(list->count - n), "row"));
	return rc;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *integer(struct pm_stmt *q, int at)
{
	return pm_db_is_null(q, at) ? json_null() : json_integer(pm_db_int(q, at));
}

/* Members that say which process, and thread. Returns 0 or -1 with e filled. */
static int pack_process(json_t *one, const struct pm_outliers_found *f, bool thread,
			struct pm_stmt *q, struct pm_err *e)
{
	const int found = look_up(q, f, e);
	const char *host;

	if (found < 0)
		return -1;
	json_object_set_new(one, "program", pm_values_escaped(f->program, strlen(f->program)));
	json_object_set_new(one, "process_id", json_integer(f->process));
	if (thread)
		json_object_set_new(one, "thread_id", json_integer(f->thread));
	if (!found)
		return 0;
	host = pm_db_text(q, AT_HOST, NULL);
	json_object_set_new(one, "hostname", host ? pm_values_safe(host) : json_null());
	json_object_set_new(one, "pid", integer(q, AT_PID));
	if (thread)
		json_object_set_new(one, "tid", integer(q, AT_TID));
	else
		json_object_set_new(one, "process_start_us", integer(q, AT_START));
	return 0;
}

static int pack_row(json_t *list, const struct pm_outliers_found *f, enum pm_rowkind kind,
		    struct pm_stmt *q, struct pm_err *e)
{
	json_t *one = pm_outliers_pack_job(&f->job);

	if (!one || json_array_append_new(list, one) < 0 || pm_opname_pack(one, f->key) < 0)
		return pm_err(e, "print JSON: out of memory");
	if (q && pack_process(one, f, kind == PM_ROWS_THREADS, q, e) < 0)
		return -1;
	json_object_update_new(one, json_pack("{s:s, s:s, s:o, s:[o, o], s:i, s:o}", "feature",
					      f->feature->name, "unit", f->feature->unit, "value",
					      pm_figure_json(f->value), "usual",
					      pm_figure_json(f->from), pm_figure_json(f->to),
					      "score", (int)pm_outlier_score(f->marks), "methods",
					      pm_figure_methods_json(f->marks)));
	return 0;
}

json_t *pm_outliers_pack_found(const struct pm_outliers_look *l,
			       const struct pm_outliers_list *list, struct pm_err *e)
{
	json_t *rows = json_array();
	struct pm_stmt *q = NULL;
	int rc = rows ? prepare(l, list, &q, e) : pm_err(e, "print JSON: out of memory");

	for (size_t i = 0; rc == 0 && i < shown(l, list); i++)
		rc = pack_row(rows, &list->found[i], list->kind, q, e);
	pm_db_finish(q);
	if (rc == 0)
		return rows;
	json_decref(rows);
	return NULL;
}
