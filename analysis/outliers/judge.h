/* Which figures of jobs stand out: beside those of comparable jobs, of good ones, or by a model. */
#ifndef PM_ANALYSIS_OUTLIERS_JUDGE_H
#define PM_ANALYSIS_OUTLIERS_JUDGE_H

#include "analysis/outliers/jobfeatures.h"
#include "analysis/outliers/jobpca.h"
#include "analysis/outliers/model.h"
#include "analysis/numbers/outlier.h"

/* Of fewer, none can be said to stand out. */
#define PM_JUDGE_LEAST 4

/* A job is judged beside so many comparable ones at most, the newest. */
#define PM_JUDGE_PEERS 500

/* How values are judged. */
struct pm_judge_how {
	struct pm_outlier_limits limits;
	unsigned methods;    /* set of methods that judge; a model has its own */
	unsigned score;      /* so many of them have to agree, or all where they are fewer */
	double share;        /* of the variance, for principal components; 0: none */
	const int64_t *good; /* the jobs that are the reference, by id; NULL: all */
	size_t goods;
	const struct pm_model *model; /* in place of a reference; NULL: none */
};

/* A value that stands out. */
struct pm_judge_found {
	size_t job; /* number among those judged */
	size_t feature;
	double value;
	unsigned marks;
	unsigned best; /* score of the job's best feature, which keeps its lines together */
};

/* A job that stands out along principal components. */
struct pm_judge_component {
	size_t job;
	double weighted; /* see pm_pca_weighted() */
};

struct pm_judge {
	const struct pm_judge_how *how;
	/* Jobs that are judged, and those that they are compared with, of the same features: both
	 * may be the same. */
	const struct pm_jobfeatures *x, *by;
	size_t first, jobs, by_first, by_jobs;
	/* What was found out; a feature whose `known` is less than `least` was not judged. */
	size_t least;
	bool trained; /* by a reference or model: `reference` counts, else `of` */
	struct pm_distribution of[PM_FEATURES_MAX];
	struct pm_reference reference[PM_FEATURES_MAX];
	struct pm_judge_found *found; /* the highest scores first */
	size_t count;
	const struct pm_jobpca *pca;          /* NULL: none */
	struct pm_jobpca made;                /* that is it, unless it is a model's */
	double *place;                        /* of job i along component c at i * components + c */
	unsigned *marks;                      /* sets of methods, likewise */
	struct pm_judge_component *component; /* the highest first */
	size_t components;
};

/* Whether a job is one that a model is for: comparable with its jobs, or any where these are not
 * comparable with each other. True without a model. */
bool pm_judge_is_for(const struct pm_judge_how *how, const struct pm_jobfeatures_job *job);

/* Whether there are enough jobs to compare with: good ones, or any. */
bool pm_judge_is_possible(const struct pm_judge *j);

/* Judge the jobs: j has how, x, by and their numbers. Returns 0 or -1 with e filled; to be freed in
 * either case. */
int pm_judge_run(struct pm_judge *j, struct pm_err *e);

/* The methods that mark a value; none where the feature was not judged. */
unsigned pm_judge_marks(const struct pm_judge *j, size_t job, size_t feature);

/* Whether a value with these marks stands out. */
bool pm_judge_stands_out(const struct pm_judge *j, unsigned marks);

/* The least and the greatest value of a feature that does not stand out, or of the reference: NaN
 * where there is none. */
void pm_judge_usual(const struct pm_judge *j, size_t feature, double *from, double *to);

/* Middle of the values that a feature is compared with: their median. */
double pm_judge_middle(const struct pm_judge *j, size_t feature);

void pm_judge_free(struct pm_judge *j);

#endif
