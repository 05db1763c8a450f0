/* Permutation tests of many figures at once. */
#include "config.h"

#include "analysis/numbers/difference.h"

#include "analysis/numbers/family.h"
#include "analysis/numbers/median.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define A       PM_DIFFERENCE_A
#define B       PM_DIFFERENCE_B
#define EARLIER PM_DIFFERENCE_EARLIER
#define SIDES   PM_DIFFERENCE_SIDES

/* All assignments are tried up to so many, else so many are drawn. */
#define ASSIGNMENTS 5000

/* Additions that drawing may take, some tenths of a second, and assignments drawn at least. */
#define WORK        300e6
#define DRAWN_LEAST 999

/* Equal statistics may differ by the order of additions. */
#define SAME (1 - 1e-9)

/* Of few values nobody knows how far the extreme ones are: taken to be those of Student's
 * distribution of so many degrees of freedom. */
#define TAIL 3

/* MAD of a normal distribution is this part of its standard deviation. */
#define MAD_OF_NORMAL 0.674489750196082

/* --- noise ------------------------------------------------------------------------------------ */

/* Median of each side, and noise. y and far have room for all runs. */
static void describe(const struct pm_differences *d, size_t k, double *y, double *far)
{
	struct pm_difference *f = &d->figure[k];
	size_t n = 0, freedom = 0;

	for (int s = 0; s < SIDES; s++) {
		size_t m = 0;

		for (size_t i = 0; i < d->runs; i++)
			if ((int)d->side[i] == s && !isnan(d->value[i * d->figures + k]))
				y[m++] = d->value[i * d->figures + k];
		f->known[s] = m;
		f->median[s] = pm_median_of(y, m);
		freedom += m ? m - 1 : 0;
		/* The one in the middle is not far from itself, which says nothing. */
		for (size_t i = 0; i < m; i++)
			if (m % 2 == 0 || i != m / 2)
				far[n++] = fabs(y[i] - f->median[s]);
	}
	f->noise = freedom >= 2 ? pm_median_of(far, n) / MAD_OF_NORMAL : NAN;
}

/* --- statistics ------------------------------------------------------------------------------- */

/* Count for which figures the largest statistic of the present assignment reaches their own. */
static void try_assignment(struct pm_family *f)
{
	double most = 0;

	pm_family_add_up(f);
	for (size_t k = 0; k < f->figures; k++) {
		most = fmax(most, pm_family_statistic(f, k));
		f->reached[k] += most >= f->own[k] * SAME;
	}
	f->tried++;
}

/* --- assignments ------------------------------------------------------------------------------ */

/* Number of assignments: a multinomial coefficient. */
static double count_assignments(const size_t of[SIDES])
{
	size_t n = 0;
	double ways = 1;

	for (int s = 0; s < SIDES; s++)
		for (size_t i = 1; i <= of[s]; i++)
			ways = ways * (double)++n / (double)i;
	return round(ways);
}

/* Binomial coefficient. */
static double choices(size_t n, size_t k)
{
	double ways = 1;

	for (size_t i = 1; i <= k; i++)
		ways = ways * (double)(n - k + i) / (double)i;
	return ways;
}

/*
 * Whether p can fall low enough: where one side is unlike all other runs, it is so in all
 * assignments that have it together, on either side if both are of one size.
 */
static bool can_permute(const size_t of[SIDES])
{
	const size_t n = of[A] + of[B] + of[EARLIER];
	const double ways = fmin(choices(n, of[A]), choices(n, of[B]));

	return (of[A] == of[B] ? 2 : 1) <= PM_DIFFERENCE_ALPHA * ways;
}

/* Try every assignment of the runs from number `run` on. */
static void try_all(struct pm_family *f, size_t run, size_t left[SIDES])
{
	if (run == f->d->runs) {
		try_assignment(f);
		return;
	}
	for (int s = 0; s < SIDES; s++) {
		if (left[s] == 0)
			continue;
		left[s]--;
		f->side[run] = (enum pm_difference_side)s;
		try_all(f, run + 1, left);
		left[s]++;
	}
}

/* Try the assignment that is there, and random ones. */
static void try_some(struct pm_family *f)
{
	const double afford = WORK / ((double)f->d->runs * (double)f->figures);
	const size_t drawn = afford > ASSIGNMENTS - 1 ? ASSIGNMENTS - 1
			     : afford < DRAWN_LEAST   ? DRAWN_LEAST
						      : (size_t)afford;

	memcpy(f->side, f->d->side, f->d->runs * sizeof *f->side);
	try_assignment(f);
	for (size_t n = 0; n < drawn; n++) {
		for (size_t i = f->d->runs - 1; i > 0; i--) {
			const size_t other = pm_drawing_below(&f->random, i + 1);
			const enum pm_difference_side s = f->side[i];

			f->side[i] = f->side[other];
			f->side[other] = s;
		}
		try_assignment(f);
	}
}

/* --- the family ------------------------------------------------------------------------------- */

static int by_statistic(const void *a, const void *b, void *ctx)
{
	const struct pm_differences *d = ctx;
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;
	const double x = d->figure[i].statistic, y = d->figure[k].statistic;

	return x != y ? (x > y) - (x < y) : (i > k) - (i < k);
}

/* Whether a figure is the same in all runs in which it is known. */
static bool is_constant(const struct pm_differences *d, size_t k)
{
	double first = NAN;

	for (size_t i = 0; i < d->runs; i++) {
		const double v = d->value[i * d->figures + k];

		if (isnan(first))
			first = v;
		else if (!isnan(v) && v != first)
			return false;
	}
	return true;
}

/* Choose the figures of the family, and sort them by their statistics. */
static void choose(struct pm_family *f, struct pm_differences *d)
{
	for (size_t k = 0; k < d->figures; k++) {
		struct pm_difference *x = &d->figure[k];

		if (!x->known[A] || !x->known[B] || isnan(x->noise))
			continue;
		d->judged++;
		x->statistic = 0;
		x->p = 1;
		if (!is_constant(d, k))
			f->figure[f->figures++] = k;
	}
	pm_family_take(f);
	for (size_t k = 0; k < f->figures; k++)
		d->figure[f->figure[k]].statistic = f->own[k];
	qsort_r(f->figure, f->figures, sizeof *f->figure, by_statistic, d);
	pm_family_take(f);
}

/* Sum of squares within a side of which two runs, x and y, are left out. */
static double within_without(double n, double sum, double square, double x, double y)
{
	n -= 2;
	sum -= x + y;
	square -= x * x + y * y;
	return n > 0 ? fmax(0, square - sum * sum / n) : 0;
}

/* The largest statistic of the k-th figure between two runs of a side, each by the noise of the
 * others: as a run of another side has it. */
static double largest_between_runs(const struct pm_family *f, size_t k)
{
	const enum pm_difference_side *side = f->d->side;
	const size_t m = f->figures;
	double square[SIDES] = { 0 }, within = 0, freedom = 0, most = 0;

	for (size_t i = 0; i < f->d->runs; i++)
		square[side[i]] += f->value[i * m + k] * f->value[i * m + k];
	for (int s = 0; s < SIDES; s++)
		if (f->count[s][k] > 0) {
			within += square[s] - f->sum[s][k] * f->sum[s][k] / f->count[s][k];
			freedom += f->count[s][k] - 1;
		}
	for (size_t i = 0; i < f->d->runs; i++)
		for (size_t j = 0; j < i; j++) {
			const double x = f->value[i * m + k], y = f->value[j * m + k];
			const double n = f->count[side[i]][k], sum = f->sum[side[i]][k];
			double others, left;

			if (side[i] != side[j] || !f->known[i * m + k] || !f->known[j * m + k])
				continue;
			others = within - (square[side[i]] - sum * sum / n) +
				 within_without(n, sum, square[side[i]], x, y);
			left = freedom - (n > 2 ? 2 : 1);
			others = left > 0 && others > 0 ? others / left : 0;
			most = fmax(most, fabs(x - y) / sqrt(2 * others + f->least2[k]));
		}
	return most;
}

static void judge_few(struct pm_family *f, struct pm_differences *d)
{
	double most = 1;

	d->method = PM_DIFFERENCE_FEW;
	for (size_t k = 0; k < f->figures; k++)
		most = fmax(most, largest_between_runs(f, k));
	for (size_t k = 0; k < f->figures; k++) {
		struct pm_difference *x = &d->figure[f->figure[k]];
		double freedom;

		pm_family_variance(f, k, &freedom);
		x->p = fmin(1, 2 / (2 + freedom) * pow(most / x->statistic, TAIL));
	}
}

static void judge_permutations(struct pm_family *f, struct pm_differences *d, size_t of[SIDES])
{
	double p = 0;

	d->method = PM_DIFFERENCE_PERMUTATIONS;
	pm_drawing_begin(&f->random);
	if (d->partitions <= ASSIGNMENTS)
		try_all(f, 0, of);
	else
		try_some(f);
	/* A figure is not surer than one with a larger statistic. */
	for (size_t k = f->figures; k-- > 0;) {
		p = fmax(p, (double)f->reached[k] / (double)f->tried);
		d->figure[f->figure[k]].p = p;
	}
}

int pm_differences_judge(struct pm_differences *d, struct pm_err *e)
{
	struct pm_family f = { .d = d };
	size_t of[SIDES] = { 0 };
	double *y = malloc((d->runs + 1) * sizeof *y), *far = malloc((d->runs + 1) * sizeof *far);
	int rc = y && far ? pm_family_alloc(&f, e) : pm_err(e, "out of memory");

	d->method = PM_DIFFERENCE_NONE;
	d->judged = 0;
	for (size_t i = 0; i < d->runs; i++)
		of[d->side[i]]++;
	d->partitions = count_assignments(of);
	for (size_t k = 0; rc == 0 && k < d->figures; k++) {
		describe(d, k, y, far);
		d->figure[k].statistic = d->figure[k].p = NAN;
		d->figure[k].differs = false;
	}
	if (rc == 0)
		choose(&f, d);
	if (rc == 0 && d->judged) {
		if (can_permute(of))
			judge_permutations(&f, d, of);
		else
			judge_few(&f, d);
	}
	for (size_t k = 0; rc == 0 && k < d->figures; k++)
		d->figure[k].differs = d->figure[k].p <= PM_DIFFERENCE_ALPHA;
	pm_family_free(&f);
	free(y);
	free(far);
	return rc;
}
