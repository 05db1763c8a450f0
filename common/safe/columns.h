/* The metric table of columns.def: an enum, and the names and attributes of columns. */
#ifndef PM_COMMON_SAFE_COLUMNS_H
#define PM_COMMON_SAFE_COLUMNS_H

#include <stddef.h>

/* Version of the record format; the first field of every record line. */
#define PM_FORMAT_VERSION 2

enum pm_column {
#define PM_COLUMN(id, kind, unit, scope, records, since, source, help) PM_COL_##id,
#include "common/safe/columns.def"
#undef PM_COLUMN
	PM_COLUMNS /* number of columns */
};

enum pm_kind {
	PM_KIND_KEY,
	PM_KIND_TEXT,
	PM_KIND_LIST,
	PM_KIND_GAUGE,
	PM_KIND_TIME,
	PM_KIND_COUNTER,
	PM_KIND_CHILDREN,
	PM_KIND_PEAK,
	PM_KIND_SPAN,
	PM_KIND_OWN,
	PM_KIND_WORK,
};

enum pm_scope { PM_SCOPE_PROCESS, PM_SCOPE_THREAD };

struct pm_column_info {
	const char *name;
	const char *unit;
	const char *records; /* letters of record kinds, as in columns.def */
	const char *source;
	const char *help;
	unsigned char kind;  /* enum pm_kind */
	unsigned char scope; /* enum pm_scope */
	unsigned char since; /* first format version with this column */
	unsigned char text;  /* 1: the value is text, 0: an integer */
	unsigned char namelen;
};

/* Attributes of each column, indexed by enum pm_column. Programs only: the preload needs names
 * alone, and pointers would cost it relocations. */
extern const struct pm_column_info pm_column_info[PM_COLUMNS];

/* 1 for a column of text, 0 for one of integers; safe in the preload. */
extern const unsigned char pm_column_is_text[PM_COLUMNS];

/* The header line of a record file with its newline: "perfmon-tsv-1", every column name and the
 * terminator, separated by tabs. Safe in the preload. */
extern const char pm_column_header[];
extern const size_t pm_column_header_len;

/* Name of a kind as columns.def spells it, e.g. "COUNTER". Programs only. */
const char *pm_kind_name(enum pm_kind kind);

/* Find a column by its name of `len` bytes. Returns its enum pm_column or -1. Programs only. */
int pm_column_find(const char *name, size_t len);

#endif
