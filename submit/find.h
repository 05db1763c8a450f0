/* Which job directory `submit` without operands means. */
#ifndef PM_FIND_H
#define PM_FIND_H

#include "common/verb.h"
#include "db/db.h"

/*
 * The directory of the job of -j; else this job's where the settings or the batch system name one;
 * else the user's newest closed one that is not in the database. Returns its path, to be freed
 * by the caller, or NULL with e filled.
 */
char *pm_find_job(const struct pm_cli *cli, struct pm_db *db, struct pm_err *e);

#endif
