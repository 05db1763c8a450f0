/*
 * A column of the row group that is being gathered. Values come row by row; pages are made of them
 * as soon as there are enough for one, and kept compressed until the row group is written.
 */
#ifndef PM_EXPORT_PARQUET_CHUNK_H
#define PM_EXPORT_PARQUET_CHUNK_H

#include "export/parquet/dictionary.h"
#include "export/parquet/hybrid.h"
#include "export/parquet/bounds.h"
#include "export/parquet/page.h"

/* What the columns of a file have in common. */
struct pm_parquet_store {
	struct pm_parquet_press press;
	size_t page;           /* bytes of values that make a page */
	size_t held;           /* bytes of memory that the columns have */
	bool failed;           /* memory ran out: the row group is lost */
	struct pm_bytes index; /* numbers of dictionary entries of a page, as uint32_t */
};

struct pm_parquet_chunk {
	enum pm_parquet_type type;
	size_t rows;            /* rows that are in it: with a value, or NULL */
	size_t nulls;           /* those of them that are NULL */
	size_t present;         /* the last of them that have a value, and no level yet */
	size_t page_begin;      /* first row of the page that is being gathered */
	size_t values;          /* in this page */
	struct pm_bytes raw;    /* these values, in encoding PLAIN */
	struct pm_bytes levels; /* definition levels: which rows have a value */
	struct pm_hybrid level;
	struct pm_dictionary dictionary;
	bool undictionary; /* no further page is made with the dictionary */
	struct pm_parquet_bounds bounds;
	struct pm_parquet_page *page, *last;
	size_t pages[PM_PARQUET_ENCODINGS]; /* number of data pages, by encoding */
	size_t held;                        /* its part of the store's */
};

/* Begin the store of a file of n columns. Returns 0 or -1: out of memory. */
int pm_parquet_store_init(struct pm_parquet_store *s, size_t n);
void pm_parquet_store_free(struct pm_parquet_store *s);

/* Begin a column, empty. */
void pm_parquet_chunk_init(struct pm_parquet_chunk *c, enum pm_parquet_type type);

/* Add the value of a row, which is not before c->rows; the rows between have none. A number is 64
 * bits, those of an int64_t or a double; a text has n bytes. Failures are in the store. */
void pm_parquet_chunk_number(struct pm_parquet_chunk *c, struct pm_parquet_store *s, size_t row,
			     uint64_t bits);
void pm_parquet_chunk_text(struct pm_parquet_chunk *c, struct pm_parquet_store *s, size_t row,
			   const void *p, size_t n);

/* Complete the pages of a row group of so many rows, that of the dictionary in front where there is
 * one. Failures are in the store. */
void pm_parquet_chunk_finish(struct pm_parquet_chunk *c, struct pm_parquet_store *s, size_t rows);

/* Whether its first page is that of a dictionary. */
bool pm_parquet_chunk_has_dictionary(const struct pm_parquet_chunk *c);

/* Free the pages and all other memory; the column is empty again. */
void pm_parquet_chunk_reset(struct pm_parquet_chunk *c, struct pm_parquet_store *s);

#endif
