/* Batches of rows of pm_db_insert, in memory on their way to the engine. */
#ifndef PM_DB_ROWBATCH_H
#define PM_DB_ROWBATCH_H

#include "db/db.h"

/* A value. Text and bytes are in the batch's `text`. */
struct pm_rowcell {
	union {
		int64_t i;
		double d;
		size_t at; /* in pm_rowbatch.text */
	};
	uint32_t n;   /* bytes of a text or blob */
	uint8_t type; /* enum pm_db_type */
};

/* Rows of one table. A batch has one owner at a time: first the thread that fills the rows, then
 * the thread that writes them. */
struct pm_rowbatch {
	void *owner;       /* the statement that inserts the rows */
	int columns, keys; /* the first `keys` columns are the primary key */
	size_t rows;       /* complete ones; the row being filled follows them */
	struct pm_rowcell *cell;
	size_t cells; /* capacity of `cell` */
	char *text;
	size_t len, cap;
	uint32_t *order;          /* numbers of the rows, sorted by pm_rowbatch_sort */
	struct pm_rowbatch *next; /* in the list of free batches */
};

/* Give a value to column i, counted from 0, of the row being filled. pm_rowbatch_set returns 0, or
 * -1 if the value is too long or there is no memory (errno EINVAL, ENOMEM). */
int pm_rowbatch_set(struct pm_rowbatch *b, int i, enum pm_db_type type, const void *p, size_t n);
void pm_rowbatch_int(struct pm_rowbatch *b, int i, int64_t v);
void pm_rowbatch_real(struct pm_rowbatch *b, int i, double v);

/* Complete the row being filled. Returns true if the batch is full now; else begins the next row,
 * all NULL. */
bool pm_rowbatch_add(struct pm_rowbatch *b);

/* Sort the numbers of the rows by key into `order`, stably: a B-tree takes rows fastest in the
 * order of their keys. */
void pm_rowbatch_sort(struct pm_rowbatch *b);

/* Set every column of the row being filled to NULL. */
void pm_rowbatch_clear(struct pm_rowbatch *b);

#endif
