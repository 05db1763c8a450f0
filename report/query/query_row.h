/* Columns of a query's rows: unknown is PM_UNKNOWN or NaN. */
#ifndef PM_QUERY_ROW_H
#define PM_QUERY_ROW_H

#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Column i of the current row: an integer or PM_UNKNOWN, a real or NaN. */
int64_t pm_query_int(struct pm_stmt *q, int i);
double pm_query_real(struct pm_stmt *q, int i);

/*
 * Column i: a sum, which the query made of reals so that one absurd value cannot overflow it, as
 * an integer or PM_UNKNOWN. Exact up to 2^53.
 */
int64_t pm_query_sum(struct pm_stmt *q, int i);

/* Prepare a statement and give its first parameter the job. Returns 0 or -1 with e filled. */
int pm_query_prepare(struct pm_db *db, const char *sql, int64_t job, struct pm_stmt **q,
		     struct pm_err *e);

/* Column i as text of the tables job and host, which is not escaped, safe for a terminal. */
void pm_query_field(char *dst, size_t cap, struct pm_stmt *q, int i, bool utf8);

/* For SQL: signals by which processes ask others to end, as a pool its workers, or a reader that has
 * enough the writer: HUP, INT, PIPE, ALRM, TERM. */
#define PM_QUERY_ASKING "1, 2, 13, 14, 15"

#endif
