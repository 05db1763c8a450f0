/* A trend as text, CSV and JSON. */
#include "config.h"

#include "report/compare/trend.h"

#include "common/text.h"
#include "report/compare/change.h"
#include "report/figure.h"
#include "report/print/format.h"
#include "report/print/table.h"
#include "report/print/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cells of the bars of a figure, least and most. */
#define BAR_LEAST 8
#define BAR_MOST  20

/* Columns besides the figures' two: number, start, change. */
#define OTHERS 3

double pm_trend_value(const struct pm_trend *t, size_t job, size_t figure)
{
	return t->x->value[(t->first + job) * t->x->features + figure];
}

double pm_trend_change_size(const struct pm_changepoint *c)
{
	return c->before == c->after ? 0 : (c->after - c->before) / fabs(c->before);
}

static size_t count_changes(const struct pm_trend *t)
{
	size_t n = 0;

	for (size_t k = 0; k < t->x->features; k++)
		n += t->of[k].changes;
	return n;
}

/* --- text ------------------------------------------------------------------------------------- */

static void print_title(const struct pm_trend *t, const struct pm_page *p, const char *title)
{
	char safe[256], jobs[PM_FORMAT_MAX], changes[PM_FORMAT_MAX], text[512];

	pm_text_safe(safe, sizeof safe, title, strlen(title), p->utf8);
	snprintf(text, sizeof text, "%s: %s, %s", *safe ? safe : "(no name)",
		 pm_format_things(jobs, (int64_t)t->jobs, "run"),
		 pm_format_things(changes, (int64_t)count_changes(t), "change"));
	pm_page_title(p, text);
}

static double largest_of(const struct pm_trend *t, size_t k, size_t from)
{
	double most = 0;

	for (size_t i = from; i < t->jobs; i++)
		most = fmax(most, pm_trend_value(t, i, k));
	return most;
}

/* What changed with a run: "Wall time +10 %, CPU time +12 %". */
static void print_changes(struct pm_table *table, const struct pm_trend *t, size_t job)
{
	char text[512] = "", change[PM_FORMAT_MAX];
	size_t n = 0;

	for (size_t k = 0; k < t->x->features && n < sizeof text; k++) {
		const struct pm_changepoint *c = pm_trend_change(t, k, job);

		if (c)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s", n ? ", " : "",
					      pm_figure_title(t->x->feature[k]->name),
					      pm_change_format(change, pm_trend_change_size(c)));
	}
	pm_table_cell(table, text);
}

int pm_trend_print(const struct pm_trend *t, const struct pm_page *p, int64_t limit,
		   struct pm_err *e)
{
	const size_t figures = t->x->features, from = pm_trend_from(t, limit);
	struct pm_table_column column[PM_TABLE_COLUMNS] = { { "#", true, 0, 0 },
							    { "Start", false, 0, 0 } };
	char *title = pm_jobfeatures_title(&t->x->job[t->first]);
	int cells = (p->width - 50) / (int)figures - 12;
	double most[PM_FEATURES_MAX];
	struct pm_table table;
	char more[64];

	if (!title)
		return pm_err(e, "print a table: out of memory");
	print_title(t, p, title);
	free(title);
	if (p->form)
		pm_trend_picture(t, p);
	cells = cells < BAR_LEAST ? BAR_LEAST : cells > BAR_MOST ? BAR_MOST : cells;
	for (size_t k = 0; k < figures; k++) {
		column[2 + 2 * k] =
			(struct pm_table_column){ pm_figure_title(t->x->feature[k]->name), true, 0,
						  0 };
		most[k] = largest_of(t, k, from);
		column[3 + 2 * k] = (struct pm_table_column){ "", false, 0, k ? 2 : 1 };
	}
	column[2 + 2 * figures] = (struct pm_table_column){ "Change", false, 0, -1 };
	pm_table_init(&table, p, column, 2 * figures + OTHERS, 2);
	for (size_t i = from; i < t->jobs; i++) {
		const struct pm_jobfeatures_job *j = &t->x->job[t->first + i];
		char text[PM_FORMAT_MAX], bar[PM_BAR_SIZE];

		snprintf(text, sizeof text, "%" PRId64, j->id);
		pm_table_cell(&table, text);
		pm_table_cell(&table,
			      pm_format_minute(text, j->start_us ? j->start_us : PM_UNKNOWN));
		for (size_t k = 0; k < figures; k++) {
			const double v = pm_trend_value(t, i, k);

			pm_table_value(&table, v);
			pm_table_cell(&table, pm_figure_format(text, v, t->x->feature[k]->unit));
			pm_table_cell(&table, most[k] > 0 && !isnan(v)
						      ? pm_page_bar(p, bar, v / most[k], cells)
						      : "");
		}
		print_changes(&table, t, i);
	}
	if (pm_table_finish(&table) < 0)
		return pm_err(e, "print a table: out of memory");
	if (from) {
		snprintf(more, sizeof more, "earlier runs, which --limit 0 shows, too: %zu", from);
		pm_page_text(p, "  ", more);
	}
	return 0;
}

/* --- CSV -------------------------------------------------------------------------------------- */

void pm_trend_csv_names(const struct pm_jobfeatures *x)
{
	fputs("job,id,jobid,user,start_us", stdout);
	for (size_t k = 0; k < x->features; k++)
		printf(",%s,%s_change", x->feature[k]->name, x->feature[k]->name);
	fputs("\r\n", stdout);
}

static void put_text(const char *text)
{
	pm_values_csv_text(stdout, text, strlen(text));
}

/* A number as JSON has it, nothing where it is not known. */
static void put_number(double v)
{
	if (isnan(v) || isinf(v))
		return;
	if (v == floor(v) && fabs(v) < 9007199254740992.0)
		printf("%.0f", v);
	else
		printf("%.6g", v);
}

void pm_trend_csv(const struct pm_trend *t, int64_t limit)
{
	char *title = pm_jobfeatures_title(&t->x->job[t->first]);

	for (size_t i = pm_trend_from(t, limit); i < t->jobs; i++) {
		const struct pm_jobfeatures_job *j = &t->x->job[t->first + i];

		put_text(title ? title : "");
		printf(",%" PRId64 ",", j->id);
		put_text(j->jobid);
		putchar(',');
		put_text(j->user);
		putchar(',');
		if (j->start_us)
			printf("%" PRId64, j->start_us);
		for (size_t k = 0; k < t->x->features; k++) {
			const struct pm_changepoint *c = pm_trend_change(t, k, i);

			putchar(',');
			put_number(pm_trend_value(t, i, k));
			putchar(',');
			if (c)
				put_number(pm_trend_change_size(c));
		}
		fputs("\r\n", stdout);
	}
	free(title);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *pack_change(const struct pm_trend *t, const struct pm_changepoint *c)
{
	return json_pack("{s:I, s:o, s:o, s:o}", "id", (json_int_t)t->x->job[t->first + c->at].id,
			 "before", pm_figure_json(c->before), "after", pm_figure_json(c->after),
			 "change", pm_figure_json(pm_trend_change_size(c)));
}

static json_t *pack_run(const struct pm_trend *t, size_t i)
{
	const struct pm_jobfeatures_job *j = &t->x->job[t->first + i];
	json_t *values = json_object();

	for (size_t k = 0; k < t->x->features; k++)
		json_object_set_new(values, t->x->feature[k]->name,
				    pm_figure_json(pm_trend_value(t, i, k)));
	return json_pack("{s:I, s:o, s:o, s:o, s:o}", "id", (json_int_t)j->id, "jobid",
			 pm_values_safe(j->jobid), "user", pm_values_safe(j->user), "start_us",
			 j->start_us ? json_integer(j->start_us) : json_null(), "figures", values);
}

json_t *pm_trend_pack(const struct pm_trend *t, int64_t limit)
{
	char *title = pm_jobfeatures_title(&t->x->job[t->first]);
	json_t *runs = json_array(), *figures = json_array(), *all;

	for (size_t k = 0; k < t->x->features; k++) {
		json_t *changes = json_array();

		for (size_t i = 0; i < t->of[k].changes; i++)
			json_array_append_new(changes, pack_change(t, &t->of[k].change[i]));
		json_array_append_new(
			figures, json_pack("{s:s, s:s, s:o}", "figure", t->x->feature[k]->name,
					   "unit", t->x->feature[k]->unit, "changes", changes));
	}
	for (size_t i = pm_trend_from(t, limit); i < t->jobs; i++)
		json_array_append_new(runs, pack_run(t, i));
	all = json_pack("{s:o, s:I, s:o, s:o}", "job", pm_values_safe(title ? title : ""), "jobs",
			(json_int_t)t->jobs, "figures", figures, "runs", runs);
	free(title);
	return all;
}
