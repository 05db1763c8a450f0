/* Reference models in a database of EPMT: its tables refmodels and refmodel_job_associations. */
#ifndef PM_SUBMIT_FOREIGN_EPMT_MODELS_H
#define PM_SUBMIT_FOREIGN_EPMT_MODELS_H

#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest name of a model, in bytes. */
#define PM_EPMT_MODEL_NAME 64

/* EPMT's methods that perfmon has, too. */
enum pm_epmt_method { PM_EPMT_IQR, PM_EPMT_MADZ, PM_EPMT_Z, PM_EPMT_METHODS };

/* What a method keeps of a feature: of iqr 0 and the pseudo-quartiles, of the others the largest
 * score, the centre and the spread. Its texts are the model's. */
struct pm_epmt_reference {
	const char *operation; /* its tags as JSON, "": the jobs as a whole */
	const char *feature;   /* perfmon's name of it */
	enum pm_epmt_method method;
	double value[3];
};

struct pm_epmt_model {
	/* That of EPMT. One that is no name in perfmon has - for other characters, is cut, and ends
	 * in -ID; without one it is epmt-ID. */
	char name[PM_EPMT_MODEL_NAME + 1];
	bool enabled;
	const char *damaged; /* why its values cannot be read; NULL: they can */
	char *tags;          /* its tag as JSON, NULL: none; owned */
	char **job;          /* ids of its jobs, by order; owned */
	size_t jobs, job_room;
	/* By operation, feature and method; owned. */
	struct pm_epmt_reference *reference;
	size_t references, room;
	char **operation; /* texts; owned */
	size_t operations, operation_room;
	size_t left_out; /* values that perfmon cannot judge by */
};

/* Call `each` for every model, by EPMT's number of it. Returns 0, also where there are no such
 * tables, or -1 with e filled or if `each` does. */
int pm_epmt_models_each(struct pm_db *db,
			int (*each)(void *ctx, const struct pm_epmt_model *m, struct pm_err *e),
			void *ctx, struct pm_err *e);

#endif
