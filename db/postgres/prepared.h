/*
 * Statements that a PostgreSQL server has prepared for a connection. There are few texts, so each
 * is prepared once and stays until the connection ends; but one about partitioned tables is
 * prepared again after some runs. The next one would make the server plan it for all parameters,
 * for which it locks every partition.
 */
#ifndef PM_DB_POSTGRES_PREPARED_H
#define PM_DB_POSTGRES_PREPARED_H

#include "db/postgres/wire.h"

struct pm_pgprepared {
	char *sql;
	char name[32];
	int params;
	bool there;    /* prepared on the connection */
	bool parted;   /* about partitioned tables */
	unsigned runs; /* of such a statement, since it was prepared */
	struct pm_pgwire_shape *shape;
};

/* All zero is an empty list. */
struct pm_pgprepared_list {
	struct pm_pgprepared **item;
	size_t count;
};

/* The statement with a text, added if it is new; owned by the list. NULL if out of memory. */
struct pm_pgprepared *pm_pgprepared_find(struct pm_pgprepared_list *l, const char *sql);

/* Note a run. The next one needs pm_pgprepared_prepare() if it is not `there` any more. */
void pm_pgprepared_ran(struct pm_pgprepared *k);

/* Have the server prepare a statement. Returns 0 or -1 with e filled and errno set. */
int pm_pgprepared_prepare(struct pm_pgprepared *k, struct pm_pgwire *w, struct pm_err *e);

/* Note that a new connection has no prepared statements. */
void pm_pgprepared_forget(struct pm_pgprepared_list *l);

void pm_pgprepared_free(struct pm_pgprepared_list *l);

#endif
