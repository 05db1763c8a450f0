/* How the figures of comparable jobs are distributed, as a table and as JSON. */
#include "config.h"

#include "report/outliers/distributions.h"

#include "analysis/numbers/shape.h"
#include "common/text.h"
#include "report/figure.h"
#include "report/print/format.h"
#include "report/print/table.h"
#include "report/print/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A feature of a group. */
struct figure {
	const struct pm_feature *feature;
	struct pm_distribution d;
	struct pm_shape shape;
	bool normal; /* nothing speaks against it */
};

/* Describe the features of jobs, a new array; NULL with e filled. */
static struct figure *describe(const struct pm_jobfeatures *x, size_t first, size_t n,
			       struct pm_err *e)
{
	struct figure *all = calloc(x->features + 1, sizeof *all);
	double *y = malloc((n + 1) * sizeof *y);
	int rc = all && y ? 0 : pm_err(e, "out of memory");

	for (size_t k = 0; rc == 0 && k < x->features; k++) {
		struct figure *f = &all[k];

		f->feature = x->feature[k];
		pm_jobfeatures_values(x, first, n, k, y);
		rc = pm_distribution_of(&f->d, y, n, e);
		if (rc == 0)
			pm_shape_of(&f->shape, &f->d, y, n);
		f->normal = f->shape.p > PM_SHAPE_ALPHA;
	}
	free(y);
	if (rc == 0)
		return all;
	free(all);
	return NULL;
}

static void number_cell(struct pm_table *t, double v)
{
	char text[PM_FORMAT_MAX] = "";

	if (!isnan(v))
		snprintf(text, sizeof text, "%.2f", v);
	pm_table_cell(t, text);
}

int pm_distributions_print(const struct pm_page *p, const struct pm_jobfeatures *x, size_t first,
			   size_t n, struct pm_err *e)
{
	static const struct pm_table_column columns[] = {
		{ "Figure", false, 0, 0 },  { "Known", true, 0, 9 },    { "Least", true, 0, 0 },
		{ "Q1", true, 0, 8 },       { "Median", true, 0, 0 },   { "Q3", true, 0, 7 },
		{ "Most", true, 0, 0 },     { "Mean", true, 0, 4 },     { "Deviation", true, 0, 3 },
		{ "Skewness", true, 0, 6 }, { "Kurtosis", true, 0, 5 }, { "K2", true, 0, 10 },
		{ "p", true, 0, 2 },        { "Normal", false, 0, 1 },
	};
	struct figure *all = describe(x, first, n, e);
	char *title = pm_jobfeatures_title(&x->job[first]);
	char safe[256], text[PM_FORMAT_MAX];
	struct pm_table t;

	if (!all || !title) {
		free(all);
		free(title);
		return pm_err(e, "out of memory");
	}
	pm_text_safe(safe, sizeof safe, title, strlen(title), p->utf8);
	free(title);
	fprintf(p->f, "%s: %s\n", safe, pm_format_things(text, (int64_t)n, "job"));
	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 2);
	for (size_t k = 0; k < x->features; k++) {
		const struct pm_distribution *d = &all[k].d;
		const double shown[] = { d->least,    d->q1,   d->median,   d->q3,
					 d->greatest, d->mean, d->deviation };

		pm_table_cell(&t, all[k].feature->name);
		snprintf(text, sizeof text, "%zu", d->known);
		pm_table_cell(&t, text);
		for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
			pm_table_cell(&t, d->known ? pm_figure_format(text, shown[i],
								      all[k].feature->unit)
						   : "");
		number_cell(&t, all[k].shape.skewness);
		number_cell(&t, all[k].shape.kurtosis);
		number_cell(&t, all[k].shape.k2);
		number_cell(&t, all[k].shape.p);
		pm_table_cell(&t, isnan(all[k].shape.p) ? "unknown"
				  : all[k].normal       ? "may be"
							: "no");
	}
	free(all);
	return pm_table_finish(&t) < 0 ? pm_err(e, "print a table: out of memory") : 0;
}

int pm_distributions_pack(json_t *groups, const struct pm_jobfeatures *x, size_t first, size_t n,
			  struct pm_err *e)
{
	struct figure *all = describe(x, first, n, e);
	char *title = pm_jobfeatures_title(&x->job[first]);
	json_t *list = json_array(), *group;

	for (size_t k = 0; all && k < x->features; k++) {
		const struct pm_distribution *d = &all[k].d;
		const struct pm_shape *s = &all[k].shape;
		json_t *one = json_pack("{s:s, s:s, s:I, s:s}", "name", all[k].feature->name,
					"unit", all[k].feature->unit, "known", (json_int_t)d->known,
					"distribution", all[k].normal ? "norm" : "unknown");
		const struct {
			const char *name;
			double value;
		} values[] = {
			{ "least", d->least },
			{ "q1", d->q1 },
			{ "median", d->median },
			{ "q3", d->q3 },
			{ "greatest", d->greatest },
			{ "mean", d->mean },
			{ "deviation", d->deviation },
			{ "skewness", s->skewness },
			{ "kurtosis", s->kurtosis },
			{ "k2", s->k2 },
			{ "p", s->p },
		};

		for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
			json_object_set_new(one, values[i].name,
					    pm_figure_json(d->known ? values[i].value : NAN));
		json_array_append_new(list, one);
	}
	group = json_pack("{s:o, s:I, s:o}", "group", pm_values_safe(title ? title : ""), "jobs",
			  (json_int_t)n, "features", list);
	free(title);
	if (!all)
		return json_decref(group), -1;
	free(all);
	return json_array_append_new(groups, group) < 0 ? pm_err(e, "out of memory") : 0;
}
