/* The rows of kind ops: operations of jobs, by the tags of their processes. */
#ifndef PM_EXPORT_OPROWS_H
#define PM_EXPORT_OPROWS_H

#include "export/row.h"

#include "analysis/ops/ops.h"
#include "analysis/select/opselect.h"
#include "common/cli/verb.h"
#include "common/err.h"
#include "report/select.h"

#include <stddef.h>
#include <stdint.h>

#define PM_OPROWS "ops"

struct pm_oprows {
	const struct pm_cli *cli;
	struct pm_opselect select;
	size_t *from; /* of each column of the row but the last, which one it is; owned */
	/* Of the jobs that are being read. */
	struct pm_selection s;
	struct pm_db *db; /* that of s, or the caller's */
	int64_t *job;     /* owned */
	size_t jobs, next;
	struct pm_ops ops; /* of the job before `next` */
	size_t at;         /* operations of it that were taken */
	char *name, *tags; /* texts of the current row; owned */
};

/*
 * Take the options that say which operations and columns, and prepare the row for them. The command
 * line has to outlive both. Returns PM_EXIT_OK, or another exit status with e filled. To be freed
 * in either case.
 */
int pm_oprows_init(struct pm_oprows *o, const struct pm_cli *cli, struct pm_export_row *row,
		   struct pm_err *e);

/* Begin with the job that `job` names, or NULL: those that options select, or the one that is meant
 * without any. Returns as pm_oprows_init(). */
int pm_oprows_open(struct pm_oprows *o, const char *job, struct pm_err *e);

/* Begin with a job of an open database, which stays the caller's. Returns 0, or -1 with e filled.
 */
int pm_oprows_begin(struct pm_oprows *o, struct pm_db *db, int64_t job, struct pm_err *e);

/* Put the next operation into the row: job by job, by their names. Returns 1, 0
 * at the end, or -1 with e filled. */
int pm_oprows_next(struct pm_oprows *o, struct pm_export_row *row, struct pm_err *e);

/* Warn of the jobs whose processes were retired. Returns 0, or -1 with e filled. */
int pm_oprows_retired(const struct pm_oprows *o, struct pm_err *e);

/* End with these jobs, and close their database, unless it is the caller's. */
void pm_oprows_close(struct pm_oprows *o);

void pm_oprows_free(struct pm_oprows *o);

#endif
