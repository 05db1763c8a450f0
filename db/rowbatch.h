/* Rows of pm_db_insert on their way, in memory. Programs only. */
#ifndef PM_DB_ROWBATCH_H
#define PM_DB_ROWBATCH_H

#include "db/db.h"

/* A value. Text and bytes lie in the batch. */
struct pm_rowcell {
	union {
		int64_t i;
		double d;
		size_t at; /* in pm_rowbatch.text */
	};
	uint32_t n;   /* bytes of a text or blob */
	uint8_t type; /* enum pm_db_type */
};

/* Rows of one table. Whoever holds a batch may use it: the one who fills it, then the thread. */
struct pm_rowbatch {
	void *owner;       /* the statement that it is for */
	int columns, keys; /* of them so many at the beginning are the primary key */
	size_t rows;       /* that are complete; the one that is put together is behind them */
	struct pm_rowcell *cell;
	size_t cells; /* room for so many */
	char *text;
	size_t len, cap;
	uint32_t *order;          /* of the rows, as pm_rowbatch_sort left it */
	struct pm_rowbatch *next; /* of a queue or the free ones */
};

/* Give a value to column i, counted from 0, of the row that is put together. Returns 0, or -1 where
 * it is too long or there is no memory (errno EINVAL, ENOMEM). */
int pm_rowbatch_set(struct pm_rowbatch *b, int i, enum pm_db_type type, const void *p, size_t n);
void pm_rowbatch_int(struct pm_rowbatch *b, int i, int64_t v);
void pm_rowbatch_real(struct pm_rowbatch *b, int i, double v);

/* The row is complete; a new one begins, all NULL. Returns whether the batch is full. */
bool pm_rowbatch_add(struct pm_rowbatch *b);

/* Put the rows into `order`, by their key: what comes in the order of a tree costs it least. Those
 * of the same key stay in theirs. */
void pm_rowbatch_sort(struct pm_rowbatch *b);

/* Begin the row that is put together anew, all NULL. */
void pm_rowbatch_clear(struct pm_rowbatch *b);

#endif
