/*
 * Which operations a process is of, by the number of its set of tags (column tag_set), which many
 * processes of a job share: so no process costs a comparison of texts.
 */
#ifndef PM_ANALYSIS_OPS_OPSETS_H
#define PM_ANALYSIS_OPS_OPSETS_H

#include "analysis/select/opselect.h"
#include "common/err.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An operation. */
struct pm_opsets_op {
	char *key;   /* see pm_opselect_apply(); owned */
	int64_t job; /* 0: of all jobs */
};

struct pm_opsets {
	const struct pm_opselect *select;
	bool per_job;            /* operations of different jobs are different */
	struct pm_opsets_op *op; /* in the order in which they came up; owned */
	size_t ops, op_room;
	uint32_t *place; /* hash table of op, 0 for none, else its number + 1 */
	size_t places;
	struct pm_opsets_set {
		int64_t job, id;
		size_t first, count; /* of `member` */
	} * set;                     /* by job, then by id */
	size_t sets, set_room;
	uint32_t *member; /* numbers of operations */
	size_t members, member_room;
	size_t job_first, job_sets; /* sets of the job that was asked for last */
};

/* select has to outlive it. */
void pm_opsets_init(struct pm_opsets *x, const struct pm_opselect *select, bool per_job);

/* Add the sets of a job, whose number is above those of the jobs before it. Returns 0 or -1 with e
 * filled. */
int pm_opsets_add(struct pm_opsets *x, struct pm_db *db, int64_t job, struct pm_err *e);

/* The number of an operation, new if it is not there. Returns -1 if out of memory. */
int64_t pm_opsets_number(struct pm_opsets *x, const char *key, int64_t job);

/* Forget the sets of jobs, but not the operations. */
void pm_opsets_clear(struct pm_opsets *x);

/* The operations that processes with a set are of: *n of them, none twice. Valid until the next
 * addition. */
const uint32_t *pm_opsets_of(struct pm_opsets *x, int64_t job, int64_t set, size_t *n);

void pm_opsets_free(struct pm_opsets *x);

#endif
