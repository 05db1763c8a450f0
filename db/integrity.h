/* What the engine itself finds wrong with its structures. Programs only. */
#ifndef PM_INSPECT_H
#define PM_INSPECT_H

#include "db/db.h"

/* Call `each` with every complaint of the engine about the database. One that keeps checksums and
 * the like by itself has none. Returns 0, or -1 with e filled or where `each` does. */
int pm_inspect_database(struct pm_db *db,
			int (*each)(void *ctx, const char *complaint, struct pm_err *e), void *ctx,
			struct pm_err *e);

#endif
