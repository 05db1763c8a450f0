/* Rows of pm_db_insert on their way into tables by COPY. Programs only. */
#ifndef PM_DB_BULK_H
#define PM_DB_BULK_H

#include "db/copyrow.h"
#include "db/pgwire.h"

struct pm_bulk;

/* What is collected for one connection. NULL without memory. */
struct pm_bulk *pm_bulk_new(struct pm_pgwire *w);
void pm_bulk_free(struct pm_bulk *k);

/* Where the rows of a table are put together; `first` as pm_db_insert has it. Owned by k; NULL
 * without memory. */
struct pm_copyrow *pm_bulk_rows(struct pm_bulk *k, const struct pm_schema_table *t, bool first);

/* Take the row that was put together, and send what is enough to be sent. Returns 0 or -1 with e
 * filled. */
int pm_bulk_add(struct pm_bulk *k, struct pm_copyrow *rows, struct pm_err *e);

/* Send everything: the connection is free afterwards. Returns 0 or -1 with e filled. */
int pm_bulk_send(struct pm_bulk *k, struct pm_err *e);

/* Forget everything, and have the server forget what it has of an open COPY. */
void pm_bulk_drop(struct pm_bulk *k);

#endif
