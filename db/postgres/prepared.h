/* Statements that a PostgreSQL server has prepared for a connection. There are few texts: each is
 * prepared once and stays until the connection ends. Programs only. */
#ifndef PM_DB_PGKNOWN_H
#define PM_DB_PGKNOWN_H

#include "db/pgwire.h"

struct pm_pgknown {
	char *sql;
	char name[32];
	int params;
	bool there; /* on the connection */
	struct pm_pgwire_shape *shape;
};

/* All zero is an empty list. */
struct pm_pgknown_list {
	struct pm_pgknown **item;
	size_t count;
};

/* The statement of a text, new where there is none; owned by the list. NULL without memory. */
struct pm_pgknown *pm_pgknown_find(struct pm_pgknown_list *l, const char *sql);

/* Have the server prepare one that is not there. Returns 0 or -1 with e filled and errno set. */
int pm_pgknown_prepare(struct pm_pgknown *k, struct pm_pgwire *w, struct pm_err *e);

/* The connection is a new one: nothing is there. */
void pm_pgknown_forget(struct pm_pgknown_list *l);

void pm_pgknown_free(struct pm_pgknown_list *l);

#endif
