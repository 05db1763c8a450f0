/* Which job a verb is about, and the database it is read from. */
#ifndef PM_SELECT_H
#define PM_SELECT_H

#include "common/err.h"
#include "common/verb.h"
#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_selection {
	struct pm_db *db;
	int64_t job;  /* 0: none was asked for (pm_select_database) */
	bool unknown; /* of a failure: there is no job of this name, or no database */
};

/*
 * Open the database and find the job that `operand` names, or, where it is NULL, -j, or the job
 * that this shell belongs to, or the batch system's, or the user's newest. A directory or archive
 * is loaded into a database in memory, and so is a job of the user that is recorded but not loaded.
 * An operand is a job id, JOBID_TASK, USER/JOBID, CLUSTER/USER/JOBID, #NUMBER (number in the
 * database) or a path. Several jobs that fit are an error that lists them; so is none, with similar
 * ones. Returns 0, or -1 with e filled. pm_select_close is due after either.
 */
int pm_select_job(const struct pm_cli *cli, const char *operand, struct pm_selection *s,
		  struct pm_err *e);

/* Open the database alone; with an operand or -j as pm_select_job. */
int pm_select_database(const struct pm_cli *cli, const char *operand, struct pm_selection *s,
		       struct pm_err *e);

/*
 * The number of the job of an open database that an operand names, as pm_select_job but never a
 * path. Returns 1 with *job, or 0 where there is none and -1, both with e filled.
 */
int pm_select_named(struct pm_db *db, const char *operand, int64_t *job, struct pm_err *e);

void pm_select_close(struct pm_selection *s);

#endif
