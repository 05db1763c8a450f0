/* Write EPMT's reference models. */
#ifndef PM_SUBMIT_REFMODELS_H
#define PM_SUBMIT_REFMODELS_H

#include "db/db.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_epmt_db;

/* Where jobs of a database of EPMT are here. */
struct pm_refmodels_job {
	char *jobid; /* owned */
	int64_t id;
};

/* What is needed to load models. */
struct pm_refmodels {
	struct pm_db *db;
	struct pm_db *real;           /* in a dry run, the database whose models count; else NULL */
	const char *path;             /* of the database of EPMT */
	const char *untrusted;        /* why its models are not taken; NULL: they are */
	struct pm_refmodels_job *job; /* by jobid, as strcmp() compares; owned */
	size_t jobs, room;
	json_t *names; /* of the models that were met, as keys of an object; owned */
	bool failed;   /* a model could not be written, which was said */
};

/* Note where a job is; jobs come in the order of their ids. Returns 0, or -1 if out of memory. */
int pm_refmodels_note(struct pm_refmodels *l, const char *jobid, int64_t id);

/* Write the reference models of a database of EPMT whose jobs were loaded, each in a transaction of
 * its own, and say so; those whose name is taken stay as they are. Returns 0 or -1 with e filled.
 */
int pm_refmodels_load(struct pm_refmodels *l, struct pm_epmt_db *x, struct pm_err *e);

void pm_refmodels_free(struct pm_refmodels *l);

#endif
