/* Which processes a question is about: conditions on table process as SQL with parameters, of what
 * the user wrote, and which jobs can have such processes. */
#ifndef PM_ANALYSIS_SELECT_PROCESSFILTER_H
#define PM_ANALYSIS_SELECT_PROCESSFILTER_H

#include "analysis/select/conditions.h"
#include "common/err.h"

#include <stdbool.h>

/* What the user wrote; NULL where nothing. Lists as in struct pm_jobfilter_words. */
struct pm_processfilter_words {
	const char *program; /* list of names of executables */
	const char *tag;     /* list of pairs */
	const char *longer;  /* duration: not shorter than this */
	const char *pid;     /* list of numbers */
	bool failed;         /* ended with a status other than 0 or by a signal */
};

struct pm_processfilter {
	char *rows;                      /* condition on table process; ""; owned */
	struct pm_parameters row_values; /* of its parameters, in order */
	/* Condition on table job that every job with such a process meets, so that others are not
	 * looked at; ""; owned. The same for few jobs, each of which is looked up by itself. */
	char *jobs, *few;
	struct pm_parameters job_values; /* of either */
};

/* Make the conditions. Returns 0, or -1 with e filled: what the user wrote cannot be meant, or
 * there is no memory. To be freed in either case. */
int pm_processfilter_make(struct pm_processfilter *f, const struct pm_processfilter_words *w,
			  struct pm_err *e);

void pm_processfilter_free(struct pm_processfilter *f);

#endif
