/* Find the series that the terms of a column name. */
#include "config.h"

#include "export/layout/gridterms.h"

#include "common/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The list being made. */
struct list {
	struct pm_gridterm *term;
	size_t n, room;
	bool each; /* a term is of several objects */
};

/* A part of a text. */
struct word {
	const char *p;
	size_t n;
};

static bool is_text(struct word w, const char *text)
{
	return strlen(text) == w.n && memcmp(text, w.p, w.n) == 0;
}

static struct word upto(const char *p, const char *end, char mark)
{
	const char *at = memchr(p, mark, (size_t)(end - p));

	return (struct word){ p, (size_t)((at ? at : end) - p) };
}

/* Add the series that a term names. Returns 0, or -1 if out of memory. */
static int add_term(struct list *l, struct word term, bool second, const char *usual,
		    const struct pm_grid_series *series, size_t n)
{
	const char *end = term.p + term.n;
	const struct word source = upto(term.p, end, '.');
	const struct word metric = upto(source.p + source.n + 1, end, ':');
	const char *rest = metric.p + metric.n;
	const struct word object = rest < end ? (struct word){ rest + 1, (size_t)(end - rest - 1) }
					      : (struct word){ usual, strlen(usual) };
	const bool each = is_text(object, "*") && rest < end;

	for (size_t i = 0; i < n; i++) {
		const struct pm_grid_series *x = &series[i];

		if (!is_text(source, x->source) || !is_text(metric, x->metric) ||
		    (each ? !*x->object : !is_text(object, x->object)))
			continue;
		if (!PM_GROW(l->term, l->n, l->room, 8))
			return -1;
		l->term[l->n] = (struct pm_gridterm){ i, second, 0 };
		l->each = l->each || each;
		l->n++;
	}
	return 0;
}

/* Add the terms of one alternative; none where there are no samples of the first. Returns 0, or -1
 * if out of memory. */
static int add_terms(struct list *l, struct word terms, const char *usual,
		     const struct pm_grid_series *series, size_t n)
{
	const char *end = terms.p + terms.n;
	bool second = false, first = true;

	for (const char *p = terms.p; p < end; p++) {
		const struct word term = upto(p, end, ' ');

		p += term.n;
		if (is_text(term, "/"))
			second = true;
		else if (term.n > 0 && add_term(l, term, second, usual, series, n) < 0)
			return -1;
		if (first && term.n > 0 && l->n == 0)
			return 0;
		first = first && term.n == 0;
	}
	return 0;
}

/* Add the three series of an event; none where it was not counted. Returns 0, or -1 if out of
 * memory. */
static int add_event(struct list *l, const char *event, size_t place,
		     const struct pm_grid_series *series, size_t n)
{
	static const char *const metric[PM_GRIDTERM_EVENT] = { "count", "enabled", "running" };

	if (!PM_GROW_BY(l->term, l->n, PM_GRIDTERM_EVENT, l->room, 8))
		return -1;
	for (size_t k = 0; k < PM_GRIDTERM_EVENT; k++) {
		size_t i = 0;

		while (i < n && (strcmp(series[i].source, "perf") != 0 ||
				 strcmp(series[i].metric, metric[k]) != 0 ||
				 strcmp(series[i].object, event) != 0))
			i++;
		if (i == n && k == PM_GRIDTERM_COUNT)
			return 0;
		l->term[l->n + k] = (struct pm_gridterm){ i == n ? SIZE_MAX : i, false, place };
	}
	l->n += PM_GRIDTERM_EVENT;
	return 0;
}

static int by_object(const void *a, const void *b, void *series)
{
	const struct pm_gridterm *x = a, *y = b;
	const struct pm_grid_series *of = series;
	const int order = strcmp(of[x->series].object, of[y->series].object);

	return order ? order : (x->series > y->series) - (x->series < y->series);
}

/* Put the terms of an object side by side, and number the objects. */
static void group_terms(struct list *l, const struct pm_grid_series *series)
{
	qsort_r(l->term, l->n, sizeof *l->term, by_object, (void *)(uintptr_t)series);
	for (size_t i = 1; i < l->n; i++)
		l->term[i].group =
			l->term[i - 1].group + (strcmp(series[l->term[i - 1].series].object,
						       series[l->term[i].series].object) != 0);
}

int pm_gridterms_find(const struct pm_grid_column *c, const struct pm_grid_series *series, size_t n,
		      struct pm_gridterm **out, size_t *count)
{
	const char *usual = c->object ? c->object : "";
	struct list l = { .term = NULL };
	int rc = 0;

	if (c->kind == PM_GRID_COUNT)
		rc = add_event(&l, usual, 0, series, n);
	for (size_t i = 0; c->formula && rc == 0 && i < c->formula->terms; i++) {
		const size_t before = l.n;

		rc = add_event(&l, c->event[c->formula->term[i]], c->formula->term[i], series, n);
		/* A formula needs all of its events. */
		if (l.n == before) {
			l.n = 0;
			break;
		}
	}
	for (const char *p = c->terms; p && *p && rc == 0 && l.n == 0;) {
		const struct word terms = upto(p, p + strlen(p), '|');

		rc = add_terms(&l, terms, usual, series, n);
		p += terms.n;
		p += *p == '|';
	}
	if (l.each)
		group_terms(&l, series);
	*out = l.term;
	*count = l.n;
	return rc;
}
