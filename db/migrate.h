/*
 * From earlier versions of the schema to the present one. migrate.c says how to add a version.
 * Programs only.
 */
#ifndef PM_MIGRATE_H
#define PM_MIGRATE_H

#include "db/db.h"

struct pm_migrate_step {
	int from; /* leads from this version to the next; 0 ends a list of steps */
	/* What reads the version it leads to finds all it asks for in this one, too. */
	bool reads;
	const char *about;  /* what becomes of the data, for people */
	const char *sql[2]; /* by enum pm_dialect: all but the views and the table metric */
};

/* Called for every step before it is taken. */
typedef void pm_migrate_fn(void *ctx, const struct pm_migrate_step *step);

/* Whether this build can read a database of an earlier version as it is. */
bool pm_migrate_readable(int version);

/*
 * Bring a database that was opened with PM_DB_MIGRATE to the present version, in one transaction;
 * another one that does the same is waited for. With `dry` (PM_DB_LOOK will do) nothing is changed.
 * Returns the version it had, which is the present one where there was nothing to do, or -1 with e
 * filled and the database as it was.
 */
int pm_migrate_run(struct pm_db *db, bool dry, pm_migrate_fn *each, void *ctx, struct pm_err *e);

/* The same by other steps to another version, for tests. */
int pm_migrate_by(struct pm_db *db, const struct pm_migrate_step *step, int to, bool dry,
		  pm_migrate_fn *each, void *ctx, struct pm_err *e);

#endif
