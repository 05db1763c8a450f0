/* A comparison as JSON. */
#include "config.h"

#include "report/compare/compare.h"

#include "report/figure.h"
#include "report/opname.h"
#include "report/print/jsonvalue.h"
#include "report/print/values.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const side_name[PM_DIFFERENCE_SIDES] = { "a", "b", "earlier" };
static const char *const scope_name[PM_COMPARE_SCOPES] = { "job", "program", "phase", "operation" };
static const char *const about_name[PM_COMPARE_ABOUT] = {
	[PM_COMPARE_ENVIRONMENT] = "environment", [PM_COMPARE_MODULES] = "module",
	[PM_COMPARE_SETTING] = "setting",         [PM_COMPARE_HOST] = "host",
	[PM_COMPARE_BINARY] = "binary",           [PM_COMPARE_ONLY_PROGRAM] = "program",
};

static json_t *pack_job(const struct pm_compare_job *j)
{
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:b, s:b}", "id", (json_int_t)j->id, "jobid",
			 pm_values_safe(j->jobid), "user", pm_values_safe(j->user), "name",
			 j->name ? pm_values_safe(j->name) : json_null(), "start_us",
			 pm_json_int(j->start_us),
			 "failed", j->failed, "running", j->running);
}

static json_t *pack_jobs(const struct pm_compare *c)
{
	json_t *all = json_object();

	for (size_t s = 0; s < PM_DIFFERENCE_SIDES; s++) {
		json_t *list = json_array();

		for (size_t i = 0; i < c->jobs; i++)
			if (c->job[i].side == s)
				json_array_append_new(list, pack_job(&c->job[i]));
		json_object_set_new(all, side_name[s], list);
	}
	return all;
}

/* The name of what a figure is of; an operation has its tags, too. */
static int pack_name(json_t *o, const struct pm_compare_figure *f)
{
	switch (f->scope) {
	case PM_COMPARE_JOB:
		return json_object_set_new(o, "name", json_null());
	case PM_COMPARE_OPERATION:
		return pm_opname_pack(o, f->of);
	case PM_COMPARE_PHASE:
		return json_object_set_new(o, "name", pm_values_escaped(f->of, strlen(f->of)));
	default:
		return json_object_set_new(o, "name", pm_values_safe(f->of));
	}
}

static json_t *pack_figure(const struct pm_compare_figure *f, const struct pm_difference *d)
{
	json_t *o = json_object(), *known = json_object(), *more;

	for (size_t s = 0; s < PM_DIFFERENCE_SIDES; s++)
		json_object_set_new(known, side_name[s], json_integer((json_int_t)d->known[s]));
	more = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "of",
			 scope_name[f->scope], "figure", f->kind->name, "unit", f->kind->unit, "a",
			 pm_figure_json(d->median[PM_DIFFERENCE_A]), "b",
			 pm_figure_json(d->median[PM_DIFFERENCE_B]), "change",
			 pm_figure_json(pm_compare_change(d)), "noise", pm_figure_json(d->noise),
			 "known", known, "least", pm_figure_json(d->least), "statistic",
			 pm_figure_json(d->statistic), "p", pm_figure_json(d->p), "differs",
			 isnan(d->p) ? json_null() : json_boolean(d->differs));
	if (!more || pack_name(o, f) < 0 || json_object_update(o, more) < 0) {
		json_decref(o);
		o = NULL;
	}
	json_decref(more);
	return o;
}

static json_t *pack_value(const struct pm_compare_fact *f, const char *v)
{
	if (!v)
		return json_null();
	if (f->about == PM_COMPARE_ONLY_PROGRAM || f->about == PM_COMPARE_MODULES)
		return json_true();
	return f->about == PM_COMPARE_BINARY ? pm_values_escaped(v, strlen(v)) : pm_values_safe(v);
}

static json_t *pack_fact(const struct pm_compare_fact *f)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:b}", "about", about_name[f->about], "name",
			 f->about == PM_COMPARE_BINARY ? pm_values_escaped(f->name, strlen(f->name))
						       : pm_values_safe(f->name),
			 "a", pack_value(f, f->a), "b", pack_value(f, f->b), "varies_earlier",
			 f->varies);
}

int pm_compare_dump(const struct pm_compare *c, struct pm_err *e)
{
	static const char *const method[] = {
		[PM_DIFFERENCE_NONE] = "none",
		[PM_DIFFERENCE_FEW] = "few",
		[PM_DIFFERENCE_PERMUTATIONS] = "permutations",
	};
	json_t *figures = json_array(), *facts = json_array();

	for (size_t k = 0; k < c->figures; k++)
		json_array_append_new(figures, pack_figure(&c->figure[k], &c->difference[k]));
	for (size_t i = 0; i < c->facts; i++)
		json_array_append_new(facts, pack_fact(&c->fact[i]));
	return pm_values_dump(json_pack("{s:o, s:b, s:s, s:f, s:I, s:o, s:o, s:o}", "jobs",
					pack_jobs(c), "comparable", c->comparable, "method",
					method[c->method], "alpha", PM_DIFFERENCE_ALPHA,
					"figures_judged", (json_int_t)c->judged, "assignments",
					pm_figure_json(c->partitions), "figures", figures, "facts",
					facts),
			      e);
}
