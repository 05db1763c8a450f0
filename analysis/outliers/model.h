/*
 * Reference models: what is kept of jobs that are known to be good, in the tables model, model_job,
 * model_feature and model_component, so that other jobs are judged by it.
 */
#ifndef PM_ANALYSIS_OUTLIERS_MODEL_H
#define PM_ANALYSIS_OUTLIERS_MODEL_H

#include "analysis/outliers/jobfeatures.h"
#include "analysis/outliers/jobpca.h"
#include "analysis/outliers/opfeatures.h"
#include "analysis/numbers/outlier.h"

#include <stdbool.h>

/* Of two jobs, each is as far from their middle as the other, and a third is beyond either. */
#define PM_MODEL_LEAST 3

/* Longest name, in bytes. */
#define PM_MODEL_NAME 64

/* What is kept of a feature of an operation. */
struct pm_model_feature {
	const struct pm_feature *feature;
	struct pm_reference reference;
};

/* An operation of the jobs of a model. */
struct pm_model_op {
	char *key; /* see pm_opselect_apply(); owned */
	struct pm_model_feature *feature;
	size_t features, room;
};

struct pm_model {
	char *name; /* owned, as are all texts */
	bool enabled;
	int64_t created_us; /* 0: unknown */
	char *created_by;   /* NULL: unknown */
	size_t jobs;        /* of which it was made */
	char *group;        /* as in struct pm_jobfeatures_job; NULL: its jobs are not comparable */
	char *tags;         /* that all its jobs have, as JSON */
	unsigned methods;   /* set of methods that judge by it */
	const struct pm_feature *feature[PM_FEATURES_MAX];
	struct pm_reference reference[PM_FEATURES_MAX]; /* of each of them */
	size_t features;
	struct pm_jobpca pca;           /* without components: none */
	struct pm_reference *component; /* reference of each component */
	struct pm_model_op *op;
	size_t ops, op_room;
};

/*
 * Make a model of jobs that were read; pca: with components that explain `share` of the variance,
 * from 0 to 1, unless that is 0. A feature that is known of fewer than PM_MODEL_LEAST of them is
 * left out. Returns 0 or -1 with e filled; to be freed in either case.
 */
int pm_model_make(struct pm_model *m, const char *name, const struct pm_jobfeatures *x,
		  unsigned methods, double share, struct pm_err *e);

/* Add the operations that enough of the jobs have. x: those of all jobs of the model together, as
 * pm_opfeatures_read() leaves them. Returns 0 or -1 with e filled. */
int pm_model_add_ops(struct pm_model *m, struct pm_opfeatures *x, struct pm_err *e);

/* Make a model of an operation in place of the jobs as a whole: `of` refers to m, and is not to be
 * freed. Returns false where m does not have the operation. */
bool pm_model_of_op(struct pm_model *of, const struct pm_model *m, const char *key);

/* Select the operations of a model, in s, which is new. Returns 0 or -1 with e filled; to be freed
 * in either case. */
int pm_model_select(const struct pm_model *m, struct pm_opselect *s, struct pm_err *e);

/* Names of the features that a model has of operations, with commas between: a new text, NULL if
 * out of memory. */
char *pm_model_op_words(const struct pm_model *m);

/* An operation as it is stored: its tags as JSON. A new text; NULL where memory is short, or they
 * are no UTF-8. And back: NULL where memory is short, or the text is no such thing. */
char *pm_model_op_text(const char *key);
char *pm_model_op_key(const char *text);

/* Write a new model, and of which jobs it is, inside the caller's transaction. Fails where the name
 * is taken. Returns 0 or -1 with e filled. */
int pm_model_write(struct pm_db *db, struct pm_model *m, const struct pm_jobfeatures *x,
		   struct pm_err *e);

/* Read a model by its name. Returns 1, 0 where there is none, or -1, with e filled for 0 and -1; to
 * be freed in any case. */
int pm_model_read(struct pm_model *m, struct pm_db *db, const char *name, struct pm_err *e);

/* Whether a model says anything of jobs as a whole: one of EPMT may not. */
bool pm_model_knows_jobs(const struct pm_model *m);

/* Models of a database. */
struct pm_models {
	struct pm_model *model;
	size_t count, room;
};

/* Read all models that are enabled, by name. Returns 0 or -1 with e filled; to be freed in either
 * case. */
int pm_models_read(struct pm_models *all, struct pm_db *db, struct pm_err *e);

void pm_models_free(struct pm_models *all);

/* What makes the jobs of a model comparable, for people: a new text, NULL if out of memory. */
char *pm_model_title(const struct pm_model *m);

void pm_model_free(struct pm_model *m);

#endif
