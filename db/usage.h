/* How much room a database takes, and what for. Programs only. */
#ifndef PM_SIZE_H
#define PM_SIZE_H

#include "db/db.h"

/* What the engine cannot tell. */
#define PM_SIZE_UNKNOWN (-1)

/* A table or an index. */
struct pm_size_part {
	const char *name;
	const char *table; /* it belongs to; of a table its name */
	bool index;
	int64_t bytes; /* or PM_SIZE_UNKNOWN */
};

/* Call `each` for every table and index of a database, others' included. Returns 0, or -1 with e
 * filled or where `each` does. */
int pm_size_parts(struct pm_db *db,
		  int (*each)(void *ctx, const struct pm_size_part *part, struct pm_err *e),
		  void *ctx, struct pm_err *e);

/* Bytes of all of it, and of them those that are free for later loads; either may be unknown.
 * Returns 0 or -1 with e filled. */
int pm_size_whole(struct pm_db *db, int64_t *bytes, int64_t *unused, struct pm_err *e);

/* Call `each` with the name of every tablespace there is and its bytes. Returns as pm_size_parts; 1
 * where the engine has no such thing. */
int pm_size_spaces(struct pm_db *db,
		   int (*each)(void *ctx, const char *name, int64_t bytes, struct pm_err *e),
		   void *ctx, struct pm_err *e);

#endif
