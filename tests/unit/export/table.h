/* A Parquet file that is written and read back, with what is to be read beside it. */
#ifndef PM_TESTS_UNIT_EXPORT_TABLE_H
#define PM_TESTS_UNIT_EXPORT_TABLE_H

#include "export/parquet/parquet.h"
#include "tests/unit/export/reader.h"

#include <stdbool.h>
#include <stdio.h>

#define COLUMNS(...)                                                                               \
	(const struct pm_parquet_column[])                                                         \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define INT  PM_PARQUET_INT
#define REAL PM_PARQUET_REAL
#define TEXT PM_PARQUET_TEXT

struct table {
	const struct pm_parquet_column *column;
	size_t columns, rows, room;
	struct reader_cell *want;
	char *file;
	size_t size;
	FILE *f;
	struct pm_parquet *p;
	struct reader *r;
};

/* Begin; the columns outlive the table. */
void table_begin(struct table *t, const struct pm_parquet_column *column, size_t n);

/* Give the row's value of a column; table_give_as: a text that is to be read as another. */
void table_give_int(struct table *t, size_t column, int64_t v);
void table_give_real(struct table *t, size_t column, double v);
void table_give_as(struct table *t, size_t column, const void *p, size_t n, const void *as,
		   size_t as_n);
void table_give(struct table *t, size_t column, const void *p, size_t n);
void table_give_text(struct table *t, size_t column, const char *text);
void table_row(struct table *t);

/* End the file, read it, and compare all values; t->r is for further questions until table_end. */
void table_check(struct table *t);
void table_end(struct table *t);

/* Printable text that hardly packs. To be freed. */
char *table_noise(size_t n);

#endif
