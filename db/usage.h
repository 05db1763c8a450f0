/* Disk space of a database, its tables and indexes. */
#ifndef PM_DB_USAGE_H
#define PM_DB_USAGE_H

#include "db/db.h"

/* A size that the engine cannot tell. */
#define PM_USAGE_UNKNOWN (-1)

/* A table or an index. */
struct pm_usage_part {
	const char *name;
	const char *table; /* an index's table; a table's own name */
	bool index;
	int64_t bytes; /* or PM_USAGE_UNKNOWN */
};

/* Call `each` for every table and index of a database, including tables that are not perfmon's.
 * Returns 0, or -1 with e filled or if `each` does. */
int pm_usage_parts(struct pm_db *db,
		   int (*each)(void *ctx, const struct pm_usage_part *part, struct pm_err *e),
		   void *ctx, struct pm_err *e);

/* Whether a table, view or index of this name is there. Returns 1, 0 or -1 with e filled. */
int pm_usage_has(struct pm_db *db, const char *name, struct pm_err *e);

/* Number of tables for whose rows the engine's planner has no statistics; -1 with e filled. */
int64_t pm_usage_unanalyzed(struct pm_db *db, struct pm_err *e);

/* Whether this user sees the rows of all jobs. Returns 1, 0 or -1 with e filled. */
int pm_usage_sees_all(struct pm_db *db, struct pm_err *e);

/* Bytes of the whole database, and how many of them are free for later loads; either may be
 * PM_USAGE_UNKNOWN. Returns 0 or -1 with e filled. */
int pm_usage_whole(struct pm_db *db, int64_t *bytes, int64_t *unused, struct pm_err *e);

/* Call `each` with the name and the bytes of every tablespace. Returns the same as
 * pm_usage_parts(), or 1 if the engine has no tablespaces. */
int pm_usage_spaces(struct pm_db *db,
		    int (*each)(void *ctx, const char *name, int64_t bytes, struct pm_err *e),
		    void *ctx, struct pm_err *e);

#endif
