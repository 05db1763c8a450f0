/* Select the job that a verb works on, and the database to read it from. */
#ifndef PM_REPORT_SELECT_H
#define PM_REPORT_SELECT_H

#include "common/cli/verb.h"
#include "common/err.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_selection {
	struct pm_db *db;
	int64_t job;  /* 0: no job was requested (pm_select_database) */
	bool unknown; /* after a failure: no job has this name, or there is no database */
};

/*
 * Open the database and find the job that `operand` names. If it is NULL, use -j, else the job of
 * this shell, else the batch system's job, else the user's newest job. A directory or archive, of
 * one job, is loaded into a database in memory, and so is a job of the user that is recorded but not loaded. An
 * operand is a job id, JOBID_TASK, USER/JOBID, CLUSTER/USER/JOBID, #NUMBER (id in the database) or
 * a path. It is an error if several jobs match, or none; the message lists the matching or similar
 * jobs. Returns 0, or -1 with e filled. Call pm_select_close() in either case.
 */
int pm_select_job(const struct pm_cli *cli, const char *operand, struct pm_selection *s,
		  struct pm_err *e);

/* Open the database without selecting a job; with an operand or -j as pm_select_job. */
int pm_select_database(const struct pm_cli *cli, const char *operand, struct pm_selection *s,
		       struct pm_err *e);

/*
 * Find the job in an open database that an operand names, as pm_select_job but never a path.
 * Returns 1 with *job set; 0 where there is none; -1 on error. e is filled for 0 and -1.
 */
int pm_select_named(struct pm_db *db, const char *operand, int64_t *job, struct pm_err *e);

/*
 * Find the jobs of a list of operands with commas between, NULL for none, as pm_select_named(), in
 * its order; *id, to be freed in either case, gets *n. Returns 0, or -1 with e filled where one of
 * them is not there.
 */
int pm_select_list(struct pm_db *db, const char *list, int64_t **id, size_t *n, struct pm_err *e);

void pm_select_close(struct pm_selection *s);

#endif
