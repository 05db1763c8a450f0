/*
 * Tables as Parquet files, written row by row, in bounded memory. Every column is OPTIONAL. Texts
 * and numbers that repeat are kept in a dictionary, other integers by their differences; pages are
 * compressed by zstd, else by gzip, else not, as the build allows.
 *
 * A writer takes less than 24 MB, whatever the rows are and however many; only a row that is larger
 * than 10 MB is in memory whole, with three copies of its largest value. It is meant for up to some
 * thousand columns: with more of them row groups get short.
 */
#ifndef PM_EXPORT_PARQUET_PARQUET_H
#define PM_EXPORT_PARQUET_PARQUET_H

#include "common/err.h"
#include "export/parquet/format.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pm_parquet;

/*
 * Begin a file of n > 0 columns. f, which is written from its beginning on and need not be
 * seekable, and the columns with their names outlive the writer; pm_parquet_free does not close f.
 * Returns the writer, or NULL with e filled: out of memory.
 */
struct pm_parquet *pm_parquet_new(FILE *f, const struct pm_parquet_column *column, size_t n,
				  struct pm_err *e);
void pm_parquet_free(struct pm_parquet *p);

/* Add a key and its value to the metadata of the file, at any time before the end. */
void pm_parquet_note(struct pm_parquet *p, const char *key, const char *value);

/*
 * Give the row's value of a column, by its number, which counts from 0. A column that is not given
 * is NULL in this row. Of a text each byte that is not part of valid UTF-8 becomes U+FFFD; `text`
 * may be NULL where length is 0. Failures are told by pm_parquet_row: out of memory, a file that
 * cannot be written, a column that is of another type or given twice, a value longer than 1 GB.
 */
void pm_parquet_int(struct pm_parquet *p, size_t column, int64_t v);
void pm_parquet_real(struct pm_parquet *p, size_t column, double v);
void pm_parquet_text(struct pm_parquet *p, size_t column, const char *text, size_t length);

/* End the row. Returns 0, or -1 with e filled; after a failure it, and pm_parquet_finish, fail with
 * the same message. */
int pm_parquet_row(struct pm_parquet *p, struct pm_err *e);

/* Write the end of the file and flush f. A file without rows is a valid one. Returns 0, or -1 with
 * e filled. Nothing but pm_parquet_free may follow. */
int pm_parquet_finish(struct pm_parquet *p, struct pm_err *e);

#endif
