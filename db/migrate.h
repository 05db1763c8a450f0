/* From earlier versions of the schema to the present one. migrate.c says how to add a version. */
#ifndef PM_DB_MIGRATE_H
#define PM_DB_MIGRATE_H

#include "db/db.h"

/* What a step does for each row of a table that the versions before it have. */
struct pm_migrate_cost {
	const char *table;
	struct {
		int added, changed; /* bytes of new rows, and of rows that are written anew */
		int ns;             /* time, of a machine that bench/RESULTS.md names */
	} of[2];                    /* by enum pm_dialect */
};

struct pm_migrate_step {
	int from; /* leads from this version to the next; 0 ends a list of steps */
	/* Queries for the next version also work on version `from`. */
	bool reads;
	const char *about;  /* what the step does to the data, for people */
	const char *sql[2]; /* by enum pm_dialect: all but the views and the table metric */
	/* What SQL cannot do, after that; or NULL. */
	int (*convert)(struct pm_db *db, struct pm_err *e);
	struct pm_migrate_cost costs[4]; /* up to one without a table */
};

/* The steps from each earlier version to the present one. */
const struct pm_migrate_step *pm_migrate_steps(void);

/* Called for every step before it runs. */
typedef void pm_migrate_fn(void *ctx, const struct pm_migrate_step *step);

/* Whether this build can read a database of an earlier version as it is. */
bool pm_migrate_readable(int version);

/*
 * Bring a database that was opened with PM_DB_MIGRATE to the present version, in one transaction;
 * waits for another process that migrates it. With `dry` (PM_DB_LOOK will do) nothing is changed,
 * and `each` may be NULL.
 * Returns the version that the database had, which is the present one if there was nothing to do,
 * or -1 with e filled and the database as it was.
 */
int pm_migrate_run(struct pm_db *db, bool dry, pm_migrate_fn *each, void *ctx, struct pm_err *e);

/* As pm_migrate_run, by other steps to another version, for tests. */
int pm_migrate_by(struct pm_db *db, const struct pm_migrate_step *step, int to, bool dry,
		  pm_migrate_fn *each, void *ctx, struct pm_err *e);

#endif
