/* Read columns of a query's rows. */
#include "config.h"

#include "report/rows/query_row.h"

#include "common/text.h"
#include "report/print/format.h"

#include <math.h>
#include <signal.h>

int64_t pm_query_int(struct pm_stmt *q, int i)
{
	const int64_t v = pm_db_int(q, i);

	/* NULL reads as 0. */
	return v != 0 || !pm_db_is_null(q, i) ? v : PM_UNKNOWN;
}

double pm_query_real(struct pm_stmt *q, int i)
{
	return pm_db_is_null(q, i) ? NAN : pm_db_real(q, i);
}

int64_t pm_query_whole(double v)
{
	/* Below 2^63; larger sums are no measurements. */
	return v >= -9.2e18 && v <= 9.2e18 ? (int64_t)v : PM_UNKNOWN;
}

int64_t pm_query_sum(struct pm_stmt *q, int i)
{
	return pm_query_whole(pm_query_real(q, i));
}

int pm_query_prepare(struct pm_db *db, const char *sql, int64_t job, struct pm_stmt **q,
		     struct pm_err *e)
{
	if (pm_db_prepare(db, sql, q, e) < 0)
		return -1;
	pm_db_bind_int(*q, 1, job);
	return 0;
}

void pm_query_field(char *dst, size_t cap, struct pm_stmt *q, int i, bool utf8)
{
	size_t n = 0;
	const char *text = pm_db_text(q, i, &n);

	pm_text_safe(dst, cap, text ? text : "", text ? n : 0, utf8);
}

bool pm_query_asks(int64_t signal)
{
	return signal == SIGHUP || signal == SIGINT || signal == SIGPIPE || signal == SIGALRM ||
	       signal == SIGTERM;
}
