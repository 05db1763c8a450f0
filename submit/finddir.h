/* Find the job directories that `submit` loads. */
#ifndef PM_SUBMIT_FINDDIR_H
#define PM_SUBMIT_FINDDIR_H

#include "common/cli/verb.h"
#include "db/db.h"

/*
 * Find the directory to load: that of the job given with -j; else of the current job, as named by
 * the settings or the batch system; else the user's newest closed job that is not fully in the
 * database. Returns its path, to be freed by the caller, or NULL with e filled.
 */
char *pm_finddir_job(const struct pm_cli *cli, struct pm_db *db, struct pm_err *e);

/* Find the user's newest directory of the job with this id. Returns its path, to be freed, or NULL,
 * with e empty if there is none, else filled. */
char *pm_finddir_named(const char *name, struct pm_db *db, struct pm_err *e);

/* Find every closed job of the user that is not fully in the database, the oldest first: an array
 * of paths; array and paths are to be freed. Returns 0, with *n 0 and the reason in e if there is
 * none, or -1 with e filled. */
int pm_finddir_all(struct pm_db *db, char ***list, size_t *n, struct pm_err *e);

#endif
