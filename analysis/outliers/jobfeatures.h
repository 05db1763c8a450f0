/* Figures of many jobs, as features that jobs are compared by, and which of the jobs are
 * comparable. */
#ifndef PM_ANALYSIS_OUTLIERS_JOBFEATURES_H
#define PM_ANALYSIS_OUTLIERS_JOBFEATURES_H

#include "analysis/select/jobfilter.h"
#include "common/err.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A feature: a figure of a job. */
struct pm_feature {
	const char *name; /* column of table job */
	const char *unit; /* "" for none */
	bool level;       /* a share or a largest value: not to be added up over jobs */
};

#define PM_FEATURES_MAX 64

struct pm_jobfeatures_job {
	int64_t id, start_us; /* start_us 0: unknown */
	char *jobid;          /* as people see it; owned */
	char *user;           /* owned */
	/* Comparable jobs have the same, unless it is empty: see analysis/select/jobgroup.h. Owned.
	 */
	char *group;
	char *component, *segment; /* tags exp_component and exp_time; NULL: none; owned */
};

/* Jobs of a group follow each other; groups come by name, their jobs in the order of the filter. */
struct pm_jobfeatures {
	struct pm_jobfeatures_job *job;
	double *value; /* of job i and feature k at i * features + k; NaN: unknown */
	size_t jobs;
	const struct pm_feature *feature[PM_FEATURES_MAX];
	size_t features;
};

/*
 * Read the features of jobs. words: their names, separated by commas; "*" for all; NULL for
 * duration_us, cpu_time and processes. Comparable are jobs with the same values of the tags
 * exp_name and exp_component, or with the same name where they have neither. Returns 0, or -1 with
 * e filled, and errno EINVAL where the words cannot be meant. To be freed in either case.
 */
int pm_jobfeatures_read(struct pm_jobfeatures *x, struct pm_db *db, const struct pm_jobfilter *f,
			const char *words, struct pm_err *e);

/* Begin with the features that words name, and no jobs. Returns as pm_jobfeatures_read(). */
int pm_jobfeatures_choose(struct pm_jobfeatures *x, const char *words, struct pm_err *e);

/* Whether words name features, as pm_jobfeatures_read() takes them. Returns 0, or -1 with e filled.
 */
int pm_jobfeatures_check(const char *words, struct pm_err *e);

/* Find a feature by its name of n bytes. Returns NULL where there is none. */
const struct pm_feature *pm_jobfeatures_find(const char *name, size_t n);

/* Number of a feature among those read; x->features where it is not among them. */
size_t pm_jobfeatures_at(const struct pm_jobfeatures *x, const struct pm_feature *feature);

/* Copy the values of a feature of n jobs from number `first` on to y. */
void pm_jobfeatures_values(const struct pm_jobfeatures *x, size_t first, size_t n, size_t feature,
			   double *y);

/* Number of jobs from number `first` on that are of its group. */
size_t pm_jobfeatures_group(const struct pm_jobfeatures *x, size_t first);

/* What the comparable jobs of a job have in common, for people: a name, or experiment and
 * component. A new text, NULL if out of memory. */
char *pm_jobfeatures_title(const struct pm_jobfeatures_job *j);

void pm_jobfeatures_free(struct pm_jobfeatures *x);

#endif
