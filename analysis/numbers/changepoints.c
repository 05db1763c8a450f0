/* Changes of the level of a series. */
#include "config.h"

#include "analysis/numbers/changepoints.h"

#include "analysis/numbers/drawing.h"
#include "analysis/numbers/median.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Permutations of a series: fewer of long ones, which take so many steps, some tenths of a second.
 */
#define PERMUTATIONS       9999
#define PERMUTATIONS_LEAST 999
#define STEPS              20e6

/* Equal statistics may differ by the order of additions. */
#define SAME (1 - 1e-9)

struct series {
	double *y;     /* known values */
	size_t *place; /* of each in what the caller gave */
	size_t n;
	double *rank, *sorted; /* room */
	bool *begins;          /* whether a level begins at value i */
	struct pm_drawing random;
};

/* Ranks of n values less their mean; equal values have the mean of their ranks. */
static void rank_values(struct series *s, const double *y, size_t n)
{
	memcpy(s->sorted, y, n * sizeof *y);
	pm_median_sort(s->sorted, n);
	for (size_t i = 0; i < n; i++) {
		size_t below = 0, equal = 0;

		for (size_t high = n; below < high;) {
			const size_t mid = below + (high - below) / 2;

			if (s->sorted[mid] < y[i])
				below = mid + 1;
			else
				high = mid;
		}
		while (below + equal < n && s->sorted[below + equal] == y[i])
			equal++;
		s->rank[i] = (double)below + ((double)equal - 1) / 2 - ((double)n - 1) / 2;
	}
}

/* The largest statistic of n ranks, and where: before value *at. */
static double largest(const double *rank, size_t n, size_t *at)
{
	double sum = 0, most = 0;

	for (size_t k = 1; k + PM_CHANGEPOINT_RUN <= n; k++) {
		double t;

		sum += rank[k - 1];
		t = sum * sum / ((double)k * (double)(n - k));
		if (k >= PM_CHANGEPOINT_RUN && t > most) {
			most = t;
			*at = k;
		}
	}
	return most;
}

/* Whether so large a statistic is no chance. */
static bool is_sure(struct series *s, size_t n, double t)
{
	const double afford = fmax(PERMUTATIONS_LEAST, fmin(PERMUTATIONS, STEPS / (double)n));
	const size_t permutations = (size_t)afford;
	const size_t allowed = (size_t)(PM_CHANGEPOINT_ALPHA * (double)(permutations + 1));
	size_t reached = 1, ignored;

	for (size_t i = 0; i < permutations && reached <= allowed; i++) {
		for (size_t k = n - 1; k > 0; k--) {
			const size_t other = pm_drawing_below(&s->random, k + 1);
			const double r = s->rank[k];

			s->rank[k] = s->rank[other];
			s->rank[other] = r;
		}
		reached += largest(s->rank, n, &ignored) >= t * SAME;
	}
	return reached <= allowed;
}

static double median_of(struct series *s, size_t from, size_t to)
{
	memcpy(s->sorted, s->y + from, (to - from) * sizeof *s->y);
	return pm_median_of(s->sorted, to - from);
}

/* Look for changes from value `from` up to `to`. */
static void divide(struct series *s, size_t from, size_t to)
{
	const size_t n = to - from;
	size_t at = 0;
	double t;

	if (n < 2 * PM_CHANGEPOINT_RUN)
		return;
	rank_values(s, s->y + from, n);
	t = largest(s->rank, n, &at);
	if (t <= 0 || !is_sure(s, n, t))
		return;
	at += from;
	s->begins[at] = true;
	divide(s, from, at);
	divide(s, at, to);
}

/* The end of the level of value `at`. */
static size_t end_of(const struct series *s, size_t at)
{
	for (at++; at < s->n && !s->begins[at]; at++)
		;
	return at;
}

/* Write down the changes, with the medians of their levels. Returns the one of which least is to
 * be seen, of those that nobody cares for; none: `changes`. */
static size_t collect(struct series *s, struct pm_changepoint *change, size_t *changes)
{
	double least = PM_CHANGEPOINT_LEAST;
	size_t weakest = SIZE_MAX;

	*changes = 0;
	for (size_t from = 0, at; (at = end_of(s, from)) < s->n; from = at) {
		struct pm_changepoint *c = &change[*changes];
		double part;

		*c = (struct pm_changepoint){ at, median_of(s, from, at),
					      median_of(s, at, end_of(s, at)) };
		part = c->before == 0 ? (c->after == 0 ? 0 : 1)
				      : fabs(c->after - c->before) / fabs(c->before);
		if (part < least) {
			least = part;
			weakest = *changes;
		}
		++*changes;
	}
	return weakest == SIZE_MAX ? *changes : weakest;
}

/* Forget changes of which nobody cares, one by one, since each that goes changes its neighbours. */
static void choose(struct series *s, struct pm_changepoint *change, size_t *changes)
{
	size_t weakest;

	while ((weakest = collect(s, change, changes)) < *changes)
		s->begins[change[weakest].at] = false;
	for (size_t i = 0; i < *changes; i++)
		change[i].at = s->place[change[i].at];
}

int pm_changepoints_find(const double *y, size_t n, struct pm_changepoint **change, size_t *changes,
			 struct pm_err *e)
{
	struct series s = { .y = malloc((n + 1) * sizeof *s.y),
			    .place = malloc((n + 1) * sizeof *s.place),
			    .rank = malloc((n + 1) * sizeof *s.rank),
			    .sorted = malloc((n + 1) * sizeof *s.sorted),
			    .begins = calloc(n + 1, sizeof *s.begins) };
	int rc = 0;

	*change = malloc((n + 1) * sizeof **change);
	*changes = 0;
	if (!s.y || !s.place || !s.rank || !s.sorted || !s.begins || !*change)
		rc = pm_err(e, "out of memory");
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (!isnan(y[i])) {
			s.y[s.n] = y[i];
			s.place[s.n++] = i;
		}
	if (rc == 0) {
		pm_drawing_begin(&s.random);
		divide(&s, 0, s.n);
		choose(&s, *change, changes);
	}
	free(s.y);
	free(s.place);
	free(s.rank);
	free(s.sorted);
	free(s.begins);
	return rc;
}
