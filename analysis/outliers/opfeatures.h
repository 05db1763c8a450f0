/* Figures of operations, as features that the same operation is compared by over many jobs. */
#ifndef PM_ANALYSIS_OUTLIERS_OPFEATURES_H
#define PM_ANALYSIS_OUTLIERS_OPFEATURES_H

#include "analysis/outliers/jobfeatures.h"
#include "analysis/ops/ops.h"
#include "analysis/select/opselect.h"

/* An operation of a job. */
struct pm_opfeatures_row {
	size_t group; /* number of the first job of those that are comparable */
	size_t job;   /* number in `jobs` */
	const struct pm_op *op;
};

struct pm_opfeatures {
	struct pm_jobfeatures jobs; /* those that were asked for, whose values do not count */
	struct pm_jobfeatures none; /* the features, and no jobs */
	struct pm_ops ops;
	size_t metric[PM_FEATURES_MAX]; /* of each feature, its number in ops */
	struct pm_opfeatures_row *row;  /* by group, then by operation, then by job */
	size_t rows;
	bool together;  /* all jobs are comparable; to be set before pm_opfeatures_read() */
	size_t partial; /* values that are known of some processes of an operation alone */
};

/* An operation in comparable jobs: x has these jobs, by reference, and its own values. */
struct pm_opfeatures_view {
	const char *key; /* see pm_opselect_apply() */
	size_t group;    /* number of the first of the comparable jobs */
	struct pm_jobfeatures x;
};

/* Begin with the jobs of a filter and the features that words name, as pm_rowfeatures_choose()
 * takes them. Returns 0, or -1 with e filled, and errno EINVAL where the words cannot be meant. To
 * be freed in either case. */
int pm_opfeatures_begin(struct pm_opfeatures *x, struct pm_db *db, const struct pm_jobfilter *f,
			const char *words, struct pm_err *e);

/*
 * Read the operations of the jobs over n connections. duration_us is the sum of the processes'
 * durations. A value is unknown where it is known of some processes of the operation alone, as
 * their sum is that of another operation. select has to outlive x. Returns 0, or -1 with e filled.
 */
int pm_opfeatures_read(struct pm_opfeatures *x, struct pm_db *const *db, size_t n,
		       const struct pm_opselect *select, struct pm_err *e);

/* Take the next operation of the next comparable jobs from row *at on, which is 0 at first. Returns
 * 1, 0 behind the last, or -1 with e filled; the view is to be freed where it is 1. */
int pm_opfeatures_next(struct pm_opfeatures *x, size_t *at, struct pm_opfeatures_view *v,
		       struct pm_err *e);

/* Read one operation of the jobs of a filter into y, which has the jobs that have it, and is to be
 * freed with pm_jobfeatures_free(). Returns as pm_opfeatures_begin(). */
int pm_opfeatures_one(struct pm_jobfeatures *y, struct pm_db *const *db, size_t n,
		      const struct pm_jobfilter *f, const struct pm_opselect *select,
		      const char *words, struct pm_err *e);

void pm_opfeatures_view_free(struct pm_opfeatures_view *v);

void pm_opfeatures_free(struct pm_opfeatures *x);

#endif
