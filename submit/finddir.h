/* Find the job directories that `submit` loads. */
#ifndef PM_FIND_H
#define PM_FIND_H

#include "common/verb.h"
#include "db/db.h"

/*
 * The directory of the job of -j; else this job's where the settings or the batch system name one;
 * else the user's newest closed one that is not fully in the database. Returns its path, to be
 * freed by the caller, or NULL with e filled.
 */
char *pm_find_job(const struct pm_cli *cli, struct pm_db *db, struct pm_err *e);

/* The newest of the user's directories of a job of this id. Returns its path, to be freed, or NULL
 * where there is none (e is empty) or with e filled. */
char *pm_find_named(const char *name, struct pm_db *db, struct pm_err *e);

/* Every closed job of the user that is not fully in the database, the oldest first: an array of
 * paths, both to be freed. Returns 0, with *n 0 and the reason in e where there is none, or -1 with
 * e filled. */
int pm_find_all(struct pm_db *db, char ***list, size_t *n, struct pm_err *e);

#endif
