/* Principal components of standardized features. */
#include "config.h"

#include "analysis/numbers/pca.h"

#include "analysis/numbers/eigen.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int pm_pca_alloc(struct pm_pca *p, size_t features, size_t components, struct pm_err *e)
{
	const size_t n = features + 1, k = components + 1;

	*p = (struct pm_pca){
		.features = features,
		.components = components,
		.centre = calloc(n, sizeof *p->centre),
		.deviation = calloc(n, sizeof *p->deviation),
		.share = calloc(k, sizeof *p->share),
		.loading = calloc(n * k, sizeof *p->loading),
	};
	return p->centre && p->deviation && p->share && p->loading ? 0 : pm_err(e, "out of memory");
}

/* Mean and deviation of each feature, of the population. */
static void standardize(struct pm_pca *p, const double *x, size_t n)
{
	for (size_t k = 0; k < p->features; k++) {
		double sum = 0, squares = 0;
		bool same = true;

		for (size_t i = 0; i < n; i++) {
			sum += x[i * p->features + k];
			same = same && x[i * p->features + k] == x[k];
		}
		/* The rounding of the sum makes a mean of equal values another value. */
		p->centre[k] = same ? x[k] : sum / (double)n;
		for (size_t i = 0; i < n; i++)
			squares += pow(x[i * p->features + k] - p->centre[k], 2);
		p->deviation[k] = sqrt(squares / (double)n);
	}
}

/* A standardized value; what does not vary has no place in a component. */
static double standard(const struct pm_pca *p, size_t k, double v)
{
	if (p->deviation[k] > 0)
		return (v - p->centre[k]) / p->deviation[k];
	return isnan(v) ? NAN : 0;
}

/* The correlations between the features: the upper triangle. */
static void correlate(const struct pm_pca *p, const double *x, size_t n, double *matrix,
		      double *row)
{
	const size_t f = p->features;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < f; k++)
			row[k] = standard(p, k, x[i * f + k]);
		for (size_t k = 0; k < f; k++)
			for (size_t m = k; m < f; m++)
				matrix[k * f + m] += row[k] * row[m] / (double)n;
	}
}

/* Take a component from an eigenvector, whose sign may be either. */
static void take_component(struct pm_pca *p, size_t c, const double *vector)
{
	double largest = 0;

	for (size_t k = 0; k < p->features; k++)
		if (fabs(vector[k]) > fabs(largest) * (1 + 1e-9))
			largest = vector[k];
	for (size_t k = 0; k < p->features; k++)
		p->loading[c * p->features + k] = largest < 0 ? -vector[k] : vector[k];
}

int pm_pca_of(struct pm_pca *p, const double *x, size_t n, size_t features, double share,
	      struct pm_err *e)
{
	double *matrix = calloc(features * features + 1, sizeof *matrix);
	double *value = calloc(features + 1, sizeof *value), all = 0, sum = 0;
	int rc = pm_pca_alloc(p, features, features, e);

	p->components = 0;
	if (rc == 0 && (!matrix || !value))
		rc = pm_err(e, "out of memory");
	if (rc < 0 || n == 0 || features == 0)
		goto out;
	standardize(p, x, n);
	correlate(p, x, n, matrix, value);
	rc = pm_eigen_symmetric(matrix, features, value, e);
	for (size_t i = 0; i < features && rc == 0; i++)
		all += fmax(value[i], 0);
	/* Shares add up but for rounding. */
	for (size_t i = features; i-- > 0 && rc == 0 && all > 0 && sum / all < share - 1e-12;) {
		sum += fmax(value[i], 0);
		p->share[p->components] = fmax(value[i], 0) / all;
		take_component(p, p->components++, matrix + i * features);
	}
out:
	free(matrix);
	free(value);
	return rc;
}

void pm_pca_project(const struct pm_pca *p, const double *row, double *component)
{
	for (size_t c = 0; c < p->components; c++) {
		component[c] = 0;
		for (size_t k = 0; k < p->features; k++)
			component[c] += p->loading[c * p->features + k] * standard(p, k, row[k]);
	}
}

double pm_pca_weighted(const struct pm_pca *p, const unsigned *marks)
{
	double sum = 0;

	for (size_t c = 0; c < p->components; c++)
		sum += marks[c] * p->share[c] / p->share[p->components - 1];
	return sum;
}

double pm_pca_importance(const struct pm_pca *p, size_t feature)
{
	double sum = 0;

	for (size_t c = 0; c < p->components; c++)
		sum += p->share[c] * fabs(p->loading[c * p->features + feature]);
	return sum;
}

void pm_pca_free(struct pm_pca *p)
{
	free(p->centre);
	free(p->deviation);
	free(p->share);
	free(p->loading);
	memset(p, 0, sizeof *p);
}
