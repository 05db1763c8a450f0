/* The values of a family of figures, and their statistics. */
#include "config.h"

#include "analysis/numbers/family.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define A     PM_DIFFERENCE_A
#define B     PM_DIFFERENCE_B
#define SIDES PM_DIFFERENCE_SIDES

void pm_family_add_up(struct pm_family *f)
{
	const size_t m = f->figures;

	for (int s = 0; s < SIDES; s++) {
		memset(f->sum[s], 0, m * sizeof *f->sum[s]);
		memset(f->count[s], 0, m * sizeof *f->count[s]);
	}
	for (size_t i = 0; i < f->d->runs; i++) {
		double *sum = f->sum[f->side[i]], *count = f->count[f->side[i]];
		const double *value = f->value + i * m;
		const unsigned char *known = f->known + i * m;

		for (size_t k = 0; k < m; k++) {
			sum[k] += value[k];
			count[k] += known[k];
		}
	}
}

double pm_family_variance(const struct pm_family *f, size_t k, double *freedom)
{
	double within = f->square[k];

	*freedom = 0;
	for (int s = 0; s < SIDES; s++)
		if (f->count[s][k] > 0) {
			within -= f->sum[s][k] * f->sum[s][k] / f->count[s][k];
			*freedom += f->count[s][k] - 1;
		}
	return *freedom > 0 && within > 0 ? within / *freedom : 0;
}

double pm_family_statistic(const struct pm_family *f, size_t k)
{
	const double a = f->count[A][k], b = f->count[B][k];
	double freedom, variance, spread;

	if (a == 0 || b == 0)
		return 0;
	variance = pm_family_variance(f, k, &freedom);
	if (freedom == 0)
		return 0;
	spread = sqrt(variance * (1 / a + 1 / b) + f->least2[k]);
	return spread > 0 ? fabs(f->sum[A][k] / a - f->sum[B][k] / b) / spread : 0;
}

void pm_family_free(struct pm_family *f)
{
	free(f->figure);
	free(f->value);
	free(f->known);
	free(f->square);
	free(f->least2);
	free(f->own);
	for (int s = 0; s < SIDES; s++) {
		free(f->sum[s]);
		free(f->count[s]);
	}
	free(f->reached);
	free(f->side);
}

int pm_family_alloc(struct pm_family *f, struct pm_err *e)
{
	const size_t m = f->d->figures + 1, n = f->d->runs + 1;
	bool all;

	f->figure = calloc(m, sizeof *f->figure);
	f->value = calloc(m * n, sizeof *f->value);
	f->known = calloc(m * n, sizeof *f->known);
	f->square = calloc(m, sizeof *f->square);
	f->least2 = calloc(m, sizeof *f->least2);
	f->own = calloc(m, sizeof *f->own);
	f->reached = calloc(m, sizeof *f->reached);
	f->side = calloc(n, sizeof *f->side);
	all = f->figure && f->value && f->known && f->square && f->least2 && f->own && f->reached &&
	      f->side;
	for (int s = 0; s < SIDES; s++) {
		f->sum[s] = calloc(m, sizeof *f->sum[s]);
		f->count[s] = calloc(m, sizeof *f->count[s]);
		all = all && f->sum[s] && f->count[s];
	}
	return all ? 0 : pm_err(e, "out of memory");
}

void pm_family_take(struct pm_family *f)
{
	const struct pm_differences *d = f->d;

	for (size_t k = 0; k < f->figures; k++) {
		double mean = 0, n = 0;

		for (size_t i = 0; i < d->runs; i++) {
			const double v = d->value[i * d->figures + f->figure[k]];

			if (!isnan(v))
				mean += (v - mean) / ++n;
		}
		f->square[k] = 0;
		f->least2[k] = d->figure[f->figure[k]].least * d->figure[f->figure[k]].least;
		for (size_t i = 0; i < d->runs; i++) {
			const double v = d->value[i * d->figures + f->figure[k]];
			const size_t at = i * f->figures + k;

			f->known[at] = !isnan(v);
			f->value[at] = isnan(v) ? 0 : v - mean;
			f->square[k] += f->value[at] * f->value[at];
		}
	}
	memcpy(f->side, d->side, d->runs * sizeof *f->side);
	pm_family_add_up(f);
	for (size_t k = 0; k < f->figures; k++)
		f->own[k] = pm_family_statistic(f, k);
}
