/* Compute totals again and compare them with what is stored. */
#include "config.h"

#include "submit/rows/verify_rollups.h"

#include "db/programs.h"
#include "db/userdays.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct report {
	pm_verify_rollups_fn *each;
	void *ctx;
};

static void format_number(char *dst, size_t cap, const char *column, bool known, int64_t v)
{
	if (known)
		snprintf(dst, cap, "%s %" PRId64, column, v);
	else
		snprintf(dst, cap, "no %s", column);
}

/* --- programs --------------------------------------------------------------------------------- */

static int compare_program(const struct report *r, const struct pm_program *is,
			   const struct pm_program *should, struct pm_err *e)
{
	char what[PM_PROCESSNAME_MAX + 16], stored[64], expected[64];

	snprintf(what, sizeof what, "program %s", is->label);
	for (int i = 0; i < PM_PROGRAM_COLUMNS; i++) {
		int64_t a = pm_programs_number(is, i), b = pm_programs_number(should, i);

		if (a == b)
			continue;
		format_number(stored, sizeof stored, pm_programs_column(i), a != PM_PROGRAM_UNKNOWN,
			      a);
		format_number(expected, sizeof expected, pm_programs_column(i),
			      b != PM_PROGRAM_UNKNOWN, b);
		if (r->each(r->ctx, what, stored, expected, e) < 0)
			return -1;
	}
	return 0;
}

/* Compare the rows of a query, sorted by label, with those that should be there. */
static int compare_programs(const struct report *r, struct pm_stmt *q,
			    const struct pm_program *should, size_t n, struct pm_err *e)
{
	char what[PM_PROCESSNAME_MAX + 16];
	size_t i = 0;
	int rc;

	do {
		struct pm_program is;
		int order;

		rc = pm_db_step(q, e);
		if (rc < 0)
			return -1;
		if (rc > 0)
			pm_programs_take(&is, q, 0);
		for (; i < n && (rc == 0 || strcmp(should[i].label, is.label) < 0); i++) {
			snprintf(what, sizeof what, "program %s", should[i].label);
			if (r->each(r->ctx, what, "no row", "a row: processes have this label", e) <
			    0)
				return -1;
		}
		if (rc == 0)
			return 0;
		order = i < n ? strcmp(should[i].label, is.label) : 1;
		snprintf(what, sizeof what, "program %s", is.label);
		rc = order == 0 ? compare_program(r, &is, &should[i++], e)
				: r->each(r->ctx, what, "a row",
					  "no row: no process has this label", e);
	} while (rc == 0);
	return rc;
}

int pm_verify_programs(struct pm_db *db, int64_t job, pm_verify_rollups_fn *each, void *ctx,
		       struct pm_err *e)
{
	const struct report r = { each, ctx };
	struct pm_programs *s = pm_programs_new();
	struct pm_program *should = NULL;
	struct pm_stmt *q = NULL;
	char sql[512];
	size_t n = 0;
	int rc = s ? pm_programs_query(s, db, job, e) : pm_err(e, "out of memory");

	snprintf(sql, sizeof sql,
		 "SELECT %s FROM program_summary WHERE job_id = ? ORDER BY program",
		 pm_programs_columns);
	if (rc == 0 && !(should = pm_programs_rows(s, &n)))
		rc = pm_err(e, "out of memory");
	if (rc == 0)
		rc = pm_db_prepare(db, sql, &q, e);
	if (rc == 0) {
		pm_db_bind_int(q, 1, job);
		rc = compare_programs(&r, q, should, n, e);
	}
	pm_db_finish(q);
	free(should);
	pm_programs_free(s);
	return rc < 0 ? -1 : 0;
}

/* --- days ------------------------------------------------------------------------------------- */

static int report_day(void *ctx, const struct pm_userdays_fault *f, struct pm_err *e)
{
	const struct report *r = ctx;
	char what[320], day[32] = "?", stored[64], expected[64];
	time_t at = (time_t)(f->day_us / 1000000);
	struct tm tm;

	if (gmtime_r(&at, &tm))
		strftime(day, sizeof day, "%Y-%m-%d", &tm);
	snprintf(what, sizeof what, "day %s of user %s%s%s", day, f->user,
		 f->cluster[0] ? ", cluster " : "", f->cluster);
	format_number(stored, sizeof stored, f->column, f->stored.known, f->stored.v);
	format_number(expected, sizeof expected, f->column, f->expected.known, f->expected.v);
	return r->each(r->ctx, what, stored, expected, e);
}

int pm_verify_days(struct pm_db *db, pm_verify_rollups_fn *each, void *ctx, struct pm_err *e)
{
	struct report r = { each, ctx };

	return pm_userdays_verify(db, report_day, &r, e);
}
