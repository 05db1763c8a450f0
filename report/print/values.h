/* Print rows of a query as JSON and CSV, every value as the database stores it. */
#ifndef PM_REPORT_PRINT_VALUES_H
#define PM_REPORT_PRINT_VALUES_H

#include "db/db.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* How the text of a table is stored. */
enum pm_values_text {
	PM_VALUES_PLAIN,   /* job, host: unescaped; lists and maps as JSON text */
	PM_VALUES_ESCAPED, /* process, thread, counter: as in perfmon-tsv(5) */
};

/* A text as it is. One that is no UTF-8, such as a path or one of a damaged database, is made safe
 * as by pm_text_safe() and cut at some 2 kB. Returns a new reference, NULL if out of memory. */
json_t *pm_values_safe(const char *text);

/* Whether a column of the tables job and host holds JSON text. */
bool pm_values_is_json(const char *column);

/* Bytes as a string where they are UTF-8, else as {"hex":"6aff"}. Returns a new reference, NULL if
 * out of memory. */
json_t *pm_values_bytes(const char *p, size_t n);

/* A field as the database has it (perfmon-tsv(5)), decoded; malformed text stays unchanged. What is
 * not UTF-8 becomes {"hex":"6aff"}. Returns a new reference, NULL if out of memory. */
json_t *pm_values_escaped(const char *p, size_t n);

/* Convert arguments to an array of decoded strings. A string that is not valid UTF-8 becomes
 * {"hex":"6aff"}; a cut list ends in {"cut":{"bytes":N,"fnv1a_64":"..."}}. Returns a new reference,
 * NULL if out of memory. */
json_t *pm_values_args(const char *list, size_t n);

/*
 * Print the current row as an object with a member per column. Unknown values are null, and so is a
 * missing cluster or unit. Escaped text is decoded; if it is not valid UTF-8 then, it becomes
 * {"hex":...}; args are an array as in pm_values_args(). Returns 0 or -1 with e filled.
 */
int pm_values_print(FILE *f, struct pm_stmt *q, enum pm_values_text text, struct pm_err *e);

/* Run the query and print its rows as an array of objects, each line indented by `indent`
 * blanks. Returns 0 or -1 with e filled. */
int pm_values_json(FILE *f, struct pm_stmt *q, enum pm_values_text text, int indent,
		   struct pm_err *e);

/* Print the names of the first columns of a query, and the current row, as lines of CSV (RFC 4180).
 * Text is printed as stored, control characters as \xHH. */
void pm_values_csv_names(FILE *f, struct pm_stmt *q, int columns);
void pm_values_csv_row(FILE *f, struct pm_stmt *q, int columns);

/* Print a text as a value of CSV, as pm_values_csv() does. */
void pm_values_csv_text(FILE *f, const char *p, size_t n);

/* Print a value on standard output, with a newline, and release it; NULL: there was no memory for
 * it. Returns 0 or -1 with e filled. */
int pm_values_dump(json_t *value, struct pm_err *e);

/* Flags for printing JSON: ASCII only, so that no text can control a terminal, and reals without
 * the last digits, which differ between engines because each sums in its own order. */
#define PM_VALUES_DUMP                                                                             \
	(JSON_ENSURE_ASCII | JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(13))

#endif
