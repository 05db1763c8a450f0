/* Compute totals again and compare them with what is stored. */
#include "config.h"

#include "submit/rows/verify_rollups.h"

#include "db/programs.h"
#include "db/seriestotal.h"
#include "db/userdays.h"
#include "submit/rows/jobtotals.h"

#include <inttypes.h>
#include <math.h>
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

static int compare_integers(const struct report *r, const char *what, const char *column,
			    bool is_known, int64_t is, bool should_known, int64_t should,
			    struct pm_err *e)
{
	char stored[64], expected[64];

	if (is_known == should_known && (!is_known || is == should))
		return 0;
	format_number(stored, sizeof stored, column, is_known, is);
	format_number(expected, sizeof expected, column, should_known, should);
	return r->each(r->ctx, what, stored, expected, e);
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

/* Columns of programs that add up to the job's of the same name; the last is a largest value. */
static const int summed[] = {
	PM_PROGRAM_PROCESSES,
	PM_PROGRAM_FAILED,
	PM_PROGRAM_KILLED,
	PM_PROGRAM_COUNTS + PM_PROGRAM_CPU,
	PM_PROGRAM_COUNTS + PM_PROGRAM_SYSTEM,
	PM_PROGRAM_COUNTS + PM_PROGRAM_RCHAR,
	PM_PROGRAM_COUNTS + PM_PROGRAM_WCHAR,
	PM_PROGRAM_COUNTS + PM_PROGRAM_SYSCR,
	PM_PROGRAM_COUNTS + PM_PROGRAM_SYSCW,
	PM_PROGRAM_COUNTS + PM_PROGRAM_READ,
	PM_PROGRAM_COUNTS + PM_PROGRAM_WRITE,
	PM_PROGRAM_COUNTS + PM_PROGRAM_RSS,
};

#define SUMMED (int)(sizeof summed / sizeof summed[0])

static void add_number(struct pm_total *to, int64_t v, bool peak)
{
	if (v == PM_PROGRAM_UNKNOWN)
		return;
	if (peak)
		to->v = to->known && to->v > v ? to->v : v;
	else if (__builtin_add_overflow(to->v, v, &to->v))
		to->beyond = true;
	to->known = !to->beyond;
}

/* Add up the programs of a job. Returns 0 or -1 with e filled. */
static int add_programs(struct pm_db *db, int64_t job, struct pm_total sum[SUMMED],
			struct pm_err *e)
{
	struct pm_stmt *q;
	char sql[512];
	int rc;

	snprintf(sql, sizeof sql, "SELECT %s FROM program_summary WHERE job_id = ?",
		 pm_programs_columns);
	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_program p;

		pm_programs_take(&p, q, 0);
		for (int i = 0; i < SUMMED; i++)
			add_number(&sum[i], pm_programs_number(&p, summed[i]), i == SUMMED - 1);
	}
	pm_db_finish(q);
	return rc;
}

int pm_verify_program_sums(struct pm_db *db, int64_t job, pm_verify_rollups_fn *each, void *ctx,
			   struct pm_err *e)
{
	const struct report r = { each, ctx };
	struct pm_total sum[SUMMED] = { 0 };
	struct pm_stmt *q;
	int rc;

	if (add_programs(db, job, sum, e) < 0 ||
	    pm_db_prepare(db,
			  "SELECT processes, failed, killed, cpu_time, systemtime, rchar, wchar,"
			  " syscr, syscw, read_bytes, write_bytes, rssmax FROM job WHERE id = ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	/* A number is unknown where no process has it, and where a sum is too large. */
	for (int i = 0; i < SUMMED && rc > 0; i++)
		if (sum[i].known && !pm_db_is_null(q, i) &&
		    compare_integers(&r, "all programs", pm_programs_column(summed[i]), true,
				     sum[i].v, true, pm_db_int(q, i), e) < 0)
			rc = -1;
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* --- series ----------------------------------------------------------------------------------- */

/* Difference up to which two means are equal, relative to the largest value. */
#define EPSILON 1e-9

/* Compare the row of totals that q is at, behind the number of its series. */
static int compare_series(const struct report *r, struct pm_stmt *q,
			  const struct pm_seriestotal *should, struct pm_err *e)
{
	const struct pm_seriestotal is = pm_seriestotal_take(q, 1);
	const struct {
		const char *name;
		int64_t is, should;
	} column[] = {
		{ "samples", is.samples, should->samples },
		{ "known", is.known, should->known },
		{ "begin_us", is.begin_us, should->begin_us },
		{ "end_us", is.end_us, should->end_us },
		{ "minimum", is.minimum, should->minimum },
		{ "maximum", is.maximum, should->maximum },
	};
	double size = fmax(fabs((double)should->minimum), fabs((double)should->maximum));
	bool known = should->known > 0, has = !pm_db_is_null(q, 7);
	char what[48], stored[64] = "no mean", expected[64] = "no mean";

	snprintf(what, sizeof what, "series %" PRId64, pm_db_int(q, 0));
	for (int i = 0; i < (int)(sizeof column / sizeof column[0]); i++)
		if (compare_integers(r, what, column[i].name, !pm_db_is_null(q, 1 + i),
				     column[i].is, i < 4 || known, column[i].should, e) < 0)
			return -1;
	if (has == known && (!known || fabs(is.mean - should->mean) <= EPSILON * size))
		return 0;
	if (has)
		snprintf(stored, sizeof stored, "mean %.17g", is.mean);
	if (known)
		snprintf(expected, sizeof expected, "mean %.17g", should->mean);
	return r->each(r->ctx, what, stored, expected, e);
}

/* Report the rows of totals before a series, of which there are no samples. */
static int report_alone(const struct report *r, struct pm_stmt *q, int *has, int64_t before,
			struct pm_err *e)
{
	char what[48];

	for (; *has > 0 && pm_db_int(q, 0) < before; *has = pm_db_step(q, e)) {
		snprintf(what, sizeof what, "series %" PRId64, pm_db_int(q, 0));
		if (r->each(r->ctx, what, "totals", "none: it has no samples", e) < 0)
			return -1;
	}
	return *has < 0 ? -1 : 0;
}

/* Compare the rows of q with what the blocks add up to, both by series. */
static int compare_all(const struct report *r, struct pm_stmt *q, struct pm_seriestotals *all,
		       struct pm_err *e)
{
	int has = pm_db_step(q, e), rc = has < 0 ? -1 : 0;
	struct pm_seriestotal should;
	int64_t job, series;
	char what[48];

	while (rc == 0 && (rc = pm_seriestotals_next(all, &job, &series, &should, e)) > 0) {
		if (report_alone(r, q, &has, series, e) < 0)
			return -1;
		if (has && pm_db_int(q, 0) == series) {
			rc = compare_series(r, q, &should, e);
			has = rc < 0 ? -1 : pm_db_step(q, e);
		} else {
			snprintf(what, sizeof what, "series %" PRId64, series);
			rc = r->each(r->ctx, what, "no totals", "totals of its samples", e);
		}
		if (has < 0)
			return -1;
	}
	return rc < 0 ? -1 : report_alone(r, q, &has, INT64_MAX, e);
}

int pm_verify_series(struct pm_db *db, int64_t job, pm_verify_rollups_fn *each, void *ctx,
		     struct pm_err *e)
{
	const struct report r = { each, ctx };
	struct pm_seriestotals all;
	struct pm_stmt *q;
	char sql[192];
	int rc;

	if (pm_seriestotals_begin(&all, db, job, e) < 0)
		return -1;
	snprintf(sql, sizeof sql,
		 "SELECT series_id, %s FROM series_summary WHERE job_id = ? ORDER BY series_id",
		 pm_seriestotal_columns);
	rc = pm_db_prepare(db, sql, &q, e);
	if (rc == 0) {
		pm_db_bind_int(q, 1, job);
		rc = compare_all(&r, q, &all, e);
		pm_db_finish(q);
	}
	pm_seriestotals_end(&all);
	return rc;
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
