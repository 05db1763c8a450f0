/* Rows of a query as JSON and CSV, every value as the database holds it. */
#ifndef PM_VALUES_H
#define PM_VALUES_H

#include "db/db.h"

#include <jansson.h>
#include <stdio.h>

/* How the text of a table is stored. */
enum pm_values_text {
	PM_VALUES_PLAIN,   /* job, host: as it is; lists and maps as JSON text */
	PM_VALUES_ESCAPED, /* process, thread, counter: as in perfmon-tsv(5) */
};

/* Arguments as an array of strings, each decoded; one that is not valid UTF-8 then becomes
 * {"hex":"6aff"}, a cut list ends in {"cut":{"bytes":N,"fnv1a_64":"..."}}. Returns a new
 * reference, NULL without memory. */
json_t *pm_values_args(const char *list, size_t n);

/*
 * Print the current row as an object, a member per column. Unknown is null, as is what there is
 * none of: the cluster, the unit. Escaped text is decoded; text that is not valid UTF-8 then is an
 * object as above; args are an array as above. Returns 0 or -1 with e filled.
 */
int pm_values_print(FILE *f, struct pm_stmt *q, enum pm_values_text text, struct pm_err *e);

/* Run the query and print its rows as an array of objects, each line indented by `indent`
 * blanks. Returns 0 or -1 with e filled. */
int pm_values_json(FILE *f, struct pm_stmt *q, enum pm_values_text text, int indent,
		   struct pm_err *e);

/* Run the query and print its rows as RFC 4180 has it, names first. Text stands as it is stored,
 * control characters as \xHH. Returns 0 or -1 with e filled. */
int pm_values_csv(FILE *f, struct pm_stmt *q, struct pm_err *e);

/* How JSON is printed everywhere: ASCII only, so that nothing can steer a terminal, and reals
 * without the last digits, in which sums of the engines, each in an order of its own, differ. */
#define PM_VALUES_DUMP                                                                             \
	(JSON_ENSURE_ASCII | JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(13))

#endif
