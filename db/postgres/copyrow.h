/*
 * Rows of a table as PostgreSQL's COPY takes them in its binary format (PostgreSQL's manual, COPY,
 * "Binary Format"), collected in memory.
 */
#ifndef PM_DB_POSTGRES_COPYROW_H
#define PM_DB_POSTGRES_COPYROW_H

#include "common/err.h"
#include "sql/schema.h"

#include <stdint.h>

/* A value of the row being filled. Texts and bytes are the caller's. */
struct pm_copyrow_value {
	bool known; /* else NULL */
	enum pm_schema_type type;
	int64_t i;
	double r;
	const char *p;
	size_t n;
};

struct pm_copyrow {
	const struct pm_schema_table *table;
	struct pm_copyrow_value *value; /* one per column */
	char *data;                     /* complete rows, without header and trailer */
	size_t len, cap;
	bool overflow; /* the row has a parameter that the table has no column for */
};

/* Begin a buffer for a table: no rows, every value NULL. Returns 0, or -1 if out of memory. */
int pm_copyrow_init(struct pm_copyrow *c, const struct pm_schema_table *table);
void pm_copyrow_free(struct pm_copyrow *c);

/* Set the value of column i, counted from 1. */
void pm_copyrow_set(struct pm_copyrow *c, int i, struct pm_copyrow_value v);

/* Append the row being filled to `data`, and set its values to NULL. Returns 0 or -1 with e filled
 * and errno set: EINVAL if a value does not fit the column. */
int pm_copyrow_add(struct pm_copyrow *c, struct pm_err *e);

/* Set all values NULL. */
void pm_copyrow_clear(struct pm_copyrow *c);

/* Rows sorted by their first columns, as far as these are integers and never NULL: the primary key
 * begins with them. Rows of the same key keep their order. */
struct pm_copyrow_order {
	uint32_t *at; /* offset of each row */
	size_t rows, cap;
	bool sorted; /* the rows are in order as they are */
};

/* Find the order of n bytes of rows of a table. Returns 0, or -1 if out of memory. */
int pm_copyrow_sort(struct pm_copyrow_order *o, const struct pm_schema_table *t, const char *rows,
		    size_t n);

/* Length of a row of a table, bytes. */
size_t pm_copyrow_length(const struct pm_schema_table *t, const char *row);

/* Header and trailer around all rows. */
#define PM_COPYROW_HEAD     "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"
#define PM_COPYROW_HEAD_LEN 19
#define PM_COPYROW_END      "\377\377"
#define PM_COPYROW_END_LEN  2

#endif
