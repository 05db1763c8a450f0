/* What every format writes: columns with a type, and the values of a row. */
#ifndef PM_EXPORT_VALUE_H
#define PM_EXPORT_VALUE_H

#include "db/db.h"

#include <stddef.h>
#include <stdint.h>

enum pm_export_type {
	PM_EXPORT_INTEGER,
	PM_EXPORT_REAL,
	PM_EXPORT_TEXT, /* UTF-8 */
	PM_EXPORT_JSON, /* a text that is JSON */
};

struct pm_export_column {
	const char *name;
	enum pm_export_type type;
	const char *unit; /* "" or NULL: none */
	const char *kind; /* how the metric combines, as table metric has it; NULL: it is none */
	const char *help; /* NULL: none */
};

/* A value; that of a damaged database may be of another type than its column. */
struct pm_export_value {
	enum pm_db_type type; /* no PM_DB_BLOB: bytes come as text */
	int64_t integer;
	double real;
	const char *text; /* of `length` bytes, UTF-8 without NUL */
	size_t length;
};

/* Room for a number as text, with its NUL. */
#define PM_EXPORT_NUMBER 32

/* Write a number as text that reads back as the same: with as few digits as that takes; inf, -inf
 * and nan where it is none. Both return the length. */
size_t pm_export_integer(char s[PM_EXPORT_NUMBER], int64_t v);
size_t pm_export_real(char s[PM_EXPORT_NUMBER], double v);

#endif
