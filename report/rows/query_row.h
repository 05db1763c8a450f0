/* Read columns of a query's rows; NULL becomes PM_UNKNOWN or NaN. */
#ifndef PM_REPORT_ROWS_QUERY_ROW_H
#define PM_REPORT_ROWS_QUERY_ROW_H

#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Column i of the current row: an integer or PM_UNKNOWN; a real or NaN. */
int64_t pm_query_int(struct pm_stmt *q, int i);
double pm_query_real(struct pm_stmt *q, int i);

/*
 * Column i, a sum of reals, as an integer or PM_UNKNOWN. The query sums reals so that one absurd
 * value cannot overflow the sum. Exact up to 2^53.
 */
int64_t pm_query_sum(struct pm_stmt *q, int i);

/* Such a sum that was added up elsewhere. */
int64_t pm_query_whole(double v);

/* Prepare a statement and bind the job to its first parameter. Returns 0 or -1 with e filled. */
int pm_query_prepare(struct pm_db *db, const char *sql, int64_t job, struct pm_stmt **q,
		     struct pm_err *e);

/* Column i as text made safe for a terminal; for the tables job and host, whose text is not
 * escaped. */
void pm_query_field(char *dst, size_t cap, struct pm_stmt *q, int i, bool utf8);

/* Whether a signal requests termination, as a pool sends it to its workers, or the kernel to a
 * writer whose reader has closed the pipe. */
bool pm_query_asks(int64_t signal);

#endif
