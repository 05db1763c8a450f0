/*
 * Annotations: what people note about a job, name to value. The verb is the wrapper's, for jobs in
 * directories and archives; report/annotate.c has those of the database. Programs only.
 */
#ifndef PM_ANNOTATE_H
#define PM_ANNOTATE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Longest name, bytes: that of a key of the database. */
#define PM_ANNOTATION_NAME 512

struct pm_annotation {
	const char *name;
	const char *value;
};

/*
 * Note them at the job of the database that `operand` names (JOBID, JOBID_TASK, USER/JOBID,
 * CLUSTER/USER/JOBID, #NUMBER); with `replace` they take the place of all that it has.
 * Returns 0; 1 where there is no database or no such job in it, and -1, both with e filled.
 */
int pm_annotate_loaded(const char *operand, const struct pm_annotation *list, size_t n,
		       bool replace, struct pm_err *e);

#endif
