/* Samples of schema version 3, a row each, to the blocks of version 4. */
#ifndef PM_DB_MIGRATE_SAMPLES_H
#define PM_DB_MIGRATE_SAMPLES_H

#include "db/db.h"

/* Code the rows of table sample_3 and drop it. Inside the transaction of the migration. Returns 0
 * or -1 with e filled. */
int pm_migrate_samples(struct pm_db *db, struct pm_err *e);

#endif
