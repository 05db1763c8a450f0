/* Read the foreign keys of the schema, and check that every row satisfies them. */
#ifndef PM_DB_FOREIGNKEYS_H
#define PM_DB_FOREIGNKEYS_H

#include "db/db.h"

#define PM_FOREIGNKEYS_COLUMNS 4

/* A foreign key: columns of a table that refer to a row of its parent table. */
struct pm_foreignkey {
	const char *table;
	char parent[64];
	size_t columns;
	char column[PM_FOREIGNKEYS_COLUMNS][64]; /* columns of `table` */
	char to[PM_FOREIGNKEYS_COLUMNS][64];     /* columns of `parent`, in the same order */
};

/*
 * Read the next foreign key out of a table's constraints (struct pm_schema_table). *at is the
 * position in their text, at first its start. Returns 1, 0 if there is none left, or -1 with e
 * filled for a form that sql/tables.c does not use.
 */
int pm_foreignkeys_next(const char *table, const char **at, struct pm_foreignkey *f,
			struct pm_err *e);

/* Called for each key of a table and job with so many rows that refer to a missing row; job 0: the
 * rows are no job's. Returns 0, or -1 to end the check. */
typedef int pm_foreignkeys_fn(void *ctx, const struct pm_foreignkey *f, int64_t job, int64_t rows,
			      struct pm_err *e);

/* Say that rows of a job break a key. Returns -1 with e filled. */
int pm_foreignkeys_fail(const struct pm_foreignkey *f, int64_t job, int64_t rows, struct pm_err *e);

/*
 * Count the rows of every table, of one job or with 0 of all, that refer to a missing row, and call
 * `each` for every key and job with such rows. Returns 0, or -1 as soon as `each` does, or with e
 * filled if the database fails.
 */
int pm_foreignkeys_check(struct pm_db *db, int64_t job, pm_foreignkeys_fn *each, void *ctx,
			 struct pm_err *e);

/* The same for one table of the schema and all jobs. */
int pm_foreignkeys_check_table(struct pm_db *db, const char *table, pm_foreignkeys_fn *each,
			       void *ctx, struct pm_err *e);

#endif
