/* The foreign keys of the schema, and whether every row keeps them. Programs only. */
#ifndef PM_FOREIGN_H
#define PM_FOREIGN_H

#include "db/db.h"

#define PM_FOREIGN_COLUMNS 4

/* A foreign key: columns of a table that name a row of another one. */
struct pm_foreign {
	const char *table;
	char parent[64];
	size_t columns;
	char column[PM_FOREIGN_COLUMNS][64]; /* of the table */
	char to[PM_FOREIGN_COLUMNS][64];     /* of the parent, in the same order */
};

/*
 * Read the next foreign key out of a table's constraints (struct pm_schema_table); *at is where to
 * go on, at first the text. Returns 1, 0 where there is none, or -1 with e filled: a form that is
 * not the one of sql/tables.c.
 */
int pm_foreign_next(const char *table, const char **at, struct pm_foreign *f, struct pm_err *e);

/*
 * Count the rows of every table, of one job or with 0 of all, that point to a row which is not
 * there; call `each` for every key and job that has any. Stops and returns -1 where `each` does, or
 * with e filled where the database fails; else 0.
 */
int pm_foreign_check(struct pm_db *db, int64_t job,
		     int (*each)(void *ctx, const struct pm_foreign *f, int64_t job, int64_t rows,
				 struct pm_err *e),
		     void *ctx, struct pm_err *e);

#endif
