/* Facts of a job that need each of its processes: the parts of pm_query_pass(), a file for each. */
#ifndef PM_REPORT_PASS_PROCESSPARTS_H
#define PM_REPORT_PASS_PROCESSPARTS_H

#include "report/facts/facts.h"
#include "report/rows/processpass.h"

/* The job, and the facts to fill in. */
struct pm_processpart_job {
	struct pm_db *db;
	int64_t job;
	bool utf8;
	struct pm_facts *f;
	struct pm_labels *labels; /* of the processes taken */
};

struct pm_processpart {
	/* Begin: *part, NULL before, gets what the others are called with; where it stays NULL,
	 * they are not. Returns 0, or -1 with e filled. */
	int (*begin)(void **part, const struct pm_processpart_job *j, struct pm_err *e);
	/* As of struct pm_processpass_taker: processes come by id. */
	int (*take)(void *part, const struct pm_processpass_row *row, struct pm_err *e);
	/* Fill in the facts; other statements may run again. Returns 0, or -1 with e filled. */
	int (*finish)(void *part, const struct pm_processpart_job *j, struct pm_err *e);
	void (*free)(void *part);
};

/* In this order, since the later ones read facts of those before. */
extern const struct pm_processpart pm_processpart_counts, pm_processpart_failures,
	pm_processpart_unrecorded, pm_processpart_phases, pm_processpart_path, pm_processpart_fold;

#endif
