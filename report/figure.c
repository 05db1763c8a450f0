/* Figures of jobs in units for people, and as JSON. */
#include "config.h"

#include "report/figure.h"

#include "report/print/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const method_name[PM_OUTLIER_METHODS] = { "IQR", "MADZ", "z" };

const char *pm_figure_format(char *text, double value, const char *unit)
{
	if (!isfinite(value))
		return pm_format_count(text, PM_UNKNOWN);
	/* What was loaded may be beyond any number of units. */
	if (fabs(value) > 9e15) {
		snprintf(text, PM_FORMAT_MAX, "%.3g%s%s", value, *unit ? " " : "", unit);
		return text;
	}
	if (strcmp(unit, "us") == 0)
		return pm_format_duration(text, (int64_t)value);
	if (strcmp(unit, "ns") == 0)
		return pm_format_duration(text, (int64_t)(value / 1000));
	if (strcmp(unit, "uJ") == 0)
		return pm_format_joules(text, (int64_t)value);
	if (strcmp(unit, "B") == 0)
		return pm_format_bytes(text, (int64_t)value);
	if (strcmp(unit, "kB") == 0)
		return pm_format_bytes(text, (int64_t)value * PM_KERNEL_KB);
	if (value == floor(value))
		return pm_format_count(text, (int64_t)value);
	return pm_format_number(text, value);
}

/* Titles of figures that tables usually have. */
static const struct {
	const char *name, *title;
} titles[] = {
	{ "duration_us", "Wall time" }, { "cpu_time", "CPU time" },
	{ "rssmax", "Peak mem." },      { "rchar", "Read" },
	{ "wchar", "Written" },         { "energy_uj", "Energy" },
};

const char *pm_figure_title(const char *name)
{
	for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
		if (strcmp(titles[i].name, name) == 0)
			return titles[i].title;
	return name;
}

json_t *pm_figure_json(double v)
{
	if (isnan(v) || isinf(v))
		return json_null();
	return fabs(v) < 9007199254740992.0 && v == floor(v) ? json_integer((json_int_t)v)
							     : json_real(v);
}

double pm_figure_value(const json_t *v)
{
	return json_is_number(v) ? json_number_value(v) : NAN;
}

const char *pm_figure_methods(char *text, unsigned marks)
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t m = 0; m < PM_OUTLIER_METHODS; m++)
		if (marks & 1U << m)
			n += (size_t)snprintf(text + n, PM_FIGURE_METHODS - n, "%s%s", n ? " " : "",
					      method_name[m]);
	return text;
}

json_t *pm_figure_methods_json(unsigned marks)
{
	json_t *names = json_array();

	for (size_t m = 0; m < PM_OUTLIER_METHODS; m++)
		if (marks & 1U << m)
			json_array_append_new(names, json_string(method_name[m]));
	return names;
}

json_t *pm_figure_reference_json(const struct pm_reference *r)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:{s:o, s:o, s:o}}", "least",
			 pm_figure_json(r->least), "greatest", pm_figure_json(r->greatest), "low",
			 pm_figure_json(r->low), "high", pm_figure_json(r->high), "madz", "score",
			 pm_figure_json(r->madz.score), "centre", pm_figure_json(r->madz.centre),
			 "spread", pm_figure_json(r->madz.spread), "z", "score",
			 pm_figure_json(r->z.score), "centre", pm_figure_json(r->z.centre),
			 "spread", pm_figure_json(r->z.spread));
}

json_t *pm_figure_loadings_json(const struct pm_jobpca *p, size_t component)
{
	json_t *loadings = json_object();

	for (size_t k = 0; k < p->pca.features; k++)
		json_object_set_new(loadings, p->feature[k]->name,
				    json_real(p->pca.loading[component * p->pca.features + k]));
	return loadings;
}
