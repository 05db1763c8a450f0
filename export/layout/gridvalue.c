/* Compute the value of a column in a row. */
#include "config.h"

#include "export/layout/gridvalue.h"

#include <math.h>

static const struct pm_export_value unknown = { .type = PM_DB_NULL };

static struct pm_export_value real(double v)
{
	return isfinite(v) ? (struct pm_export_value){ .type = PM_DB_REAL, .real = v } : unknown;
}

static struct pm_export_value whole(int64_t v)
{
	return (struct pm_export_value){ .type = PM_DB_INTEGER, .integer = v };
}

/* Add up the values of A; of whole numbers where they fit. */
static struct pm_export_value sum_value(const struct pm_grid_column *c,
					const struct pm_gridterm *term, size_t n,
					const struct pm_gridcell *cell)
{
	bool fits = c->divisor == 1;
	int64_t sum = 0;
	double v = 0;

	for (size_t i = 0; i < n; i++) {
		const struct pm_gridcell *x = &cell[term[i].series];

		if (!x->known)
			return unknown;
		fits = fits && !__builtin_add_overflow(sum, x->value, &sum);
		v += (double)x->value;
	}
	return fits ? whole(sum) : real(v / c->divisor);
}

/* Add up the values of A, or their differences since the same time, as a whole number. */
static struct pm_export_value whole_value(const struct pm_grid_column *c,
					  const struct pm_gridterm *term, size_t n,
					  const struct pm_gridcell *cell)
{
	const bool step = c->kind == PM_GRID_STEP;
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		const struct pm_gridcell *x = &cell[term[i].series];

		if (step ? !x->differs || x->before_us != cell[term[0].series].before_us
			 : !x->known)
			return unknown;
		if (__builtin_add_overflow(sum, step ? x->difference : x->value, &sum))
			return unknown;
	}
	return whole(sum / (int64_t)c->divisor);
}

/* Add up the values, or differences since the same time, of A and of B, and the time of the
 * differences in us. Returns false where one is unknown. */
static bool add_up(const struct pm_gridterm *term, size_t n, const struct pm_gridcell *cell,
		   bool differences, double sum[2], double *elapsed_us)
{
	sum[0] = sum[1] = 0;
	for (size_t i = 0; i < n; i++) {
		const struct pm_gridcell *x = &cell[term[i].series];

		if (differences ? !x->differs || x->before_us != cell[term[0].series].before_us
				: !x->known)
			return false;
		sum[term[i].second] += (double)(differences ? x->difference : x->value);
		*elapsed_us = x->elapsed_us;
	}
	return n > 0;
}

/* The busy share of an object, of its n terms, since the same time; NaN where it is unknown. */
static double object_value(const struct pm_gridterm *term, size_t n, const struct pm_gridcell *cell)
{
	const struct pm_gridcell *first = &cell[term[0].series];
	double sum[2] = { 0, 0 };

	for (size_t i = 0; i < n; i++) {
		const struct pm_gridcell *x = &cell[term[i].series];

		if (!x->differs || x->before_us != first->before_us)
			return NAN;
		sum[term[i].second] += (double)x->difference;
	}
	return 100 * sum[0] / (sum[0] + sum[1]);
}

/* The least or greatest busy share of several objects, those that are known. */
static double extreme_value(const struct pm_grid_column *c, const struct pm_gridterm *term,
			    size_t n, const struct pm_gridcell *cell)
{
	double found = NAN;

	for (size_t i = 0, end; i < n; i = end) {
		double v;

		for (end = i + 1; end < n && term[end].group == term[i].group; end++)
			;
		v = object_value(&term[i], end - i, cell);
		found = c->kind == PM_GRID_LEAST ? fmin(found, v) : fmax(found, v);
	}
	return found;
}

/* The count of an event since the row before, for all of the time where the kernel counted only a
 * part of it (multiplexing). NaN where it is unknown. */
static double event_value(const struct pm_gridterm *term, const struct pm_gridcell *cell)
{
	double x[PM_GRIDTERM_EVENT] = { 0 };

	for (size_t k = 0; k < PM_GRIDTERM_EVENT; k++) {
		const struct pm_gridcell *of = &cell[term[k].series];

		if (term[k].series == SIZE_MAX)
			continue;
		if (!of->differs || of->before_us != cell[term[0].series].before_us)
			return NAN;
		x[k] = (double)of->difference;
	}
	if (x[PM_GRIDTERM_ENABLED] <= x[PM_GRIDTERM_RUNNING])
		return x[PM_GRIDTERM_COUNT];
	return x[PM_GRIDTERM_RUNNING] > 0
		       ? x[PM_GRIDTERM_COUNT] * x[PM_GRIDTERM_ENABLED] / x[PM_GRIDTERM_RUNNING]
		       : NAN;
}

/* The value of a formula, whose events have to be known since the same time. */
static double formula_value(const struct pm_grid_column *c, const struct pm_gridterm *term,
			    size_t n, const struct pm_gridcell *cell)
{
	const struct pm_gridcell *first = &cell[term[0].series];
	double value[PM_GRID_EVENTS];

	for (size_t i = 0; i < PM_GRID_EVENTS; i++)
		value[i] = NAN;
	for (size_t i = 0; i < n; i += PM_GRIDTERM_EVENT)
		if (term[i].group < PM_GRID_EVENTS &&
		    cell[term[i].series].before_us == first->before_us)
			value[term[i].group] = event_value(&term[i], cell);
	return pm_formula_value(c->formula, value, first->elapsed_us / 1e6);
}

struct pm_export_value pm_gridvalue(const struct pm_grid_column *c, const struct pm_gridterm *term,
				    size_t n, const struct pm_gridcell *cell)
{
	double sum[2], elapsed_us = 0, v;
	bool two = false;

	if (n == 0)
		return unknown;
	for (size_t i = 0; i < n; i++)
		two = two || term[i].second;
	switch (c->kind) {
	case PM_GRID_SUM:
		return sum_value(c, term, n, cell);
	case PM_GRID_WHOLE:
	case PM_GRID_STEP:
		return whole_value(c, term, n, cell);
	case PM_GRID_COUNT:
		v = event_value(term, cell);
		return fabs(v) < 9e18 ? whole(llround(v)) : unknown;
	case PM_GRID_FORMULA:
		return real(formula_value(c, term, n, cell) / c->divisor);
	case PM_GRID_LEAST:
	case PM_GRID_MOST:
		return two ? real(extreme_value(c, term, n, cell)) : sum_value(c, term, n, cell);
	default:
		break;
	}
	if (!add_up(term, n, cell, c->kind == PM_GRID_RATE || c->kind == PM_GRID_BUSY, sum,
		    &elapsed_us))
		return unknown;
	switch (c->kind) {
	case PM_GRID_RATE:
		return real(sum[0] / elapsed_us / c->divisor);
	case PM_GRID_RATIO:
		return real(100 * sum[0] / sum[1]);
	default:
		return real(100 * sum[0] / (sum[0] + sum[1]));
	}
}
