/* The engine's own check of its structures. */
#ifndef PM_DB_INTEGRITY_H
#define PM_DB_INTEGRITY_H

#include "db/db.h"

/* Call `each` with every complaint of the engine about the database. An engine that has no such
 * check (PostgreSQL relies on checksums of its own) never complains. Returns 0, or -1 with e filled
 * or if `each` does. */
int pm_integrity_database(struct pm_db *db,
			  int (*each)(void *ctx, const char *complaint, struct pm_err *e),
			  void *ctx, struct pm_err *e);

#endif
