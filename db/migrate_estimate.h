/* What an upgrade of a database will take. */
#ifndef PM_DB_MIGRATE_ESTIMATE_H
#define PM_DB_MIGRATE_ESTIMATE_H

#include "db/migrate.h"

struct pm_migrate_estimate {
	int64_t bytes, unused; /* as of pm_usage_whole() */
	int64_t added;         /* bytes of new rows and indexes */
	int64_t changed;       /* bytes of rows that are written anew */
	int64_t us;            /* time */
	int64_t dangling;      /* rows that refer to missing ones, with which the upgrade fails */
	struct pm_err fault;   /* says which, of one key and job */
};

/*
 * Estimate what pm_migrate_run() will take on a database that was opened with PM_DB_LOOK. Reads
 * every row once; changes nothing. Returns 0 or -1 with e filled.
 */
int pm_migrate_estimate(struct pm_db *db, struct pm_migrate_estimate *x, struct pm_err *e);

#endif
