/*
 * The end of a Parquet file: its schema, and where the columns of each row group are. What there is
 * to say of row groups goes to a temporary file where it gets long.
 */
#ifndef PM_EXPORT_PARQUET_FOOTER_H
#define PM_EXPORT_PARQUET_FOOTER_H

#include "common/err.h"
#include "export/parquet/chunk.h"
#include "export/parquet/thrift.h"

#include <stdio.h>

/* All zero: of a file without rows. */
struct pm_parquet_footer {
	struct pm_bytes groups; /* RowGroups, as far as they are in no file */
	FILE *spill;            /* those before them; NULL: none */
	size_t spilled;         /* bytes of it */
	size_t group_count;
	int64_t rows;
	struct pm_bytes notes; /* KeyValues */
	size_t note_count;
	struct pm_bytes text; /* one that is made valid UTF-8 */
	struct pm_thrift t;   /* of the row group that is being described */
	int64_t raw, packed;  /* bytes of it */
	int64_t begin;        /* its offset in the file */
};

void pm_parquet_footer_free(struct pm_parquet_footer *f);

/* Add a key and its value. Failures are told by pm_parquet_footer_write. */
void pm_parquet_footer_note(struct pm_parquet_footer *f, const char *key, const char *value);

/* Describe a row group: begin with its number of columns, add each, complete but not reset, with
 * its offset in the file, and end. End returns 0, or -1 with e filled. */
void pm_parquet_footer_begin_group(struct pm_parquet_footer *f, size_t columns);
void pm_parquet_footer_add_chunk(struct pm_parquet_footer *f,
				 const struct pm_parquet_column *column,
				 const struct pm_parquet_chunk *c, int64_t offset);
int pm_parquet_footer_end_group(struct pm_parquet_footer *f, int64_t rows, struct pm_err *e);

/* Write the footer of a file with these columns. Returns 0, or -1 with e filled. */
int pm_parquet_footer_write(struct pm_parquet_footer *f, FILE *out,
			    const struct pm_parquet_column *column, size_t columns,
			    struct pm_err *e);

#endif
