/* Send rows of pm_db_insert into tables by COPY. */
#ifndef PM_DB_POSTGRES_COPYIN_H
#define PM_DB_POSTGRES_COPYIN_H

#include "db/postgres/copyrow.h"
#include "db/postgres/wire.h"

struct pm_copyin;

/* Create the row buffers of a connection. NULL if out of memory. */
struct pm_copyin *pm_copyin_new(struct pm_pgwire *w);
void pm_copyin_free(struct pm_copyin *k);

/* The row buffer of a table; `first` as in pm_db_insert. Owned by k; NULL if out of memory. */
struct pm_copyrow *pm_copyin_rows(struct pm_copyin *k, const struct pm_schema_table *t, bool first);

/* Complete the row being filled, and send buffers that are full. Returns 0 or -1 with e filled. */
int pm_copyin_add(struct pm_copyin *k, struct pm_copyrow *rows, struct pm_err *e);

/* Send all buffered rows; the connection is free afterwards. Returns 0 or -1 with e filled. */
int pm_copyin_send(struct pm_copyin *k, struct pm_err *e);

/* Drop all buffered rows, and abort an open COPY. */
void pm_copyin_drop(struct pm_copyin *k);

#endif
