/* Principal components of the features of jobs. */
#include "config.h"

#include "analysis/outliers/jobpca.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Share of the jobs of which a feature has to be known. */
#define KNOWN 0.9

static bool is_in(const bool *in, size_t i)
{
	return !in || in[i];
}

/* Choose the features that are known of enough jobs. Returns how many. */
static size_t choose_features(struct pm_jobpca *p, const struct pm_jobfeatures *x, size_t first,
			      size_t n, const bool *in)
{
	size_t features = 0;

	for (size_t k = 0; k < x->features; k++) {
		size_t known = 0, all = 0;

		for (size_t i = 0; i < n; i++)
			if (is_in(in, i)) {
				all++;
				known += !isnan(x->value[(first + i) * x->features + k]);
			}
		if (known > 0 && (double)known >= KNOWN * (double)all)
			p->feature[features++] = x->feature[k];
	}
	return features;
}

/* The values of a job for the components. Returns whether all are known. */
static bool take_row(const struct pm_jobpca *p, size_t features, const struct pm_jobfeatures *x,
		     size_t job, double *row)
{
	bool all = true;

	for (size_t k = 0; k < features; k++) {
		const size_t at = pm_jobfeatures_at(x, p->feature[k]);

		row[k] = at < x->features ? x->value[job * x->features + at] : NAN;
		all = all && !isnan(row[k]);
	}
	return all;
}

/* Describe the places of the jobs along each component. Returns 0 or -1 with e filled. */
static int describe(struct pm_jobpca *p, const double *rows, struct pm_err *e)
{
	const size_t components = p->pca.components;
	double *places = malloc((p->jobs * components + 1) * sizeof *places);
	double *one = malloc((p->jobs + 1) * sizeof *one);
	int rc = 0;

	p->of = calloc(components + 1, sizeof *p->of);
	if (!places || !one || !p->of)
		rc = pm_err(e, "out of memory");
	for (size_t i = 0; rc == 0 && i < p->jobs; i++)
		pm_pca_project(&p->pca, rows + i * p->pca.features, places + i * components);
	for (size_t c = 0; rc == 0 && c < components; c++) {
		for (size_t i = 0; i < p->jobs; i++)
			one[i] = places[i * components + c];
		rc = pm_distribution_of(&p->of[c], one, p->jobs, e);
	}
	free(places);
	free(one);
	return rc;
}

int pm_jobpca_of(struct pm_jobpca *p, const struct pm_jobfeatures *x, size_t first, size_t n,
		 const bool *in, double share, struct pm_err *e)
{
	double *rows;
	size_t features;
	int rc;

	*p = (struct pm_jobpca){ .jobs = 0 };
	features = choose_features(p, x, first, n, in);
	rows = malloc((n * features + 1) * sizeof *rows);
	if (!rows)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < n; i++)
		if (is_in(in, i) && take_row(p, features, x, first + i, rows + p->jobs * features))
			p->jobs++;
	rc = pm_pca_of(&p->pca, rows, p->jobs, features, share, e);
	if (rc == 0)
		rc = describe(p, rows, e);
	free(rows);
	return rc;
}

void pm_jobpca_project(const struct pm_jobpca *p, const struct pm_jobfeatures *x, size_t job,
		       double *component)
{
	double row[PM_FEATURES_MAX];

	take_row(p, p->pca.features, x, job, row);
	pm_pca_project(&p->pca, row, component);
}

const char *pm_jobpca_name(char *text, size_t component)
{
	snprintf(text, PM_JOBPCA_NAME, "pca_%02zu", component + 1);
	return text;
}

void pm_jobpca_free(struct pm_jobpca *p)
{
	pm_pca_free(&p->pca);
	free(p->of);
	memset(p, 0, sizeof *p);
}
