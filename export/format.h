/* The formats of `perfmon export`. */
#ifndef PM_EXPORT_FORMAT_H
#define PM_EXPORT_FORMAT_H

#include "export/value.h"

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A file that is being written. */
struct pm_export_file {
	FILE *f;
	const char *name; /* for messages */
	const char *kind; /* of the rows */
	const struct pm_export_column *column;
	size_t columns;
	bool spreadsheet;            /* no text looks like a formula */
	struct pm_db *db;            /* the database of the current row */
	const char *index_prefix;    /* of bulk */
	const char *note_key, *note; /* of parquet: kept in its metadata; NULL: none */
	size_t rows;                 /* so far */
	void *own;                   /* of the format */
};

/*
 * A format writes what `begin`, `row` for each row, and `end` say; each returns 0 or -1 with e
 * filled, and faults of the stream may be left to its closing. `release`, NULL: nothing to do, is
 * called once after `begin`, whatever became of the file.
 */
struct pm_export_format {
	const char *name;     /* as --format has it */
	const char *suffixes; /* of files, with blanks between */
	int (*begin)(struct pm_export_file *x, struct pm_err *e);
	int (*row)(struct pm_export_file *x, const struct pm_export_value *v, struct pm_err *e);
	int (*end)(struct pm_export_file *x, struct pm_err *e);
	void (*release)(struct pm_export_file *x);
	/* Whether a file whose first line is this one, its end included, has the same columns;
	 * NULL: no rows can be added to a file. */
	bool (*fits)(const struct pm_export_file *x, const char *line, size_t n);
};

extern const struct pm_export_format pm_export_csv, pm_export_tsv, pm_export_json, pm_export_jsonl,
	pm_export_parquet, pm_export_hdf5, pm_export_bulk;

/* Find a format by its name. Returns NULL where there is none. */
const struct pm_export_format *pm_export_format_named(const char *name);

/* Find the format of a file by its suffix. Returns NULL where there is none. */
const struct pm_export_format *pm_export_format_of(const char *path);

/* Whether a path ends in one of the suffixes, which have blanks between; the case does not count.
 */
bool pm_export_format_ends(const char *path, const char *suffixes);

/* The names of all formats, with commas between: for messages. */
#define PM_EXPORT_FORMATS "csv, tsv, json, jsonl, parquet, hdf5, bulk"

#endif
