/* Keep the totals of users by day while jobs change. */
#include "config.h"

#include "db/userdays.h"

#include "common/grow.h"
#include "common/memtext.h"
#include "db/engine.h"
#include "sql/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums from here on are unknown: below, adding two of them does not overflow. */
#define BEYOND_SQL "9.2e18"
#define BEYOND     (INT64_C(9200000000) * 1000000000)

#define DAY PM_SCHEMA_JOB_DAY
#define KEY "cluster = ? AND \"user\" = ? AND day_us = ?"

#define FAILED "CASE WHEN " PM_SCHEMA_JOB_FAILED " THEN 1 ELSE 0 END"

static const char part_sql[] =
	"SELECT cluster, \"user\", " DAY ", " FAILED ", coalesce(processes, 0)"
#define PM_USERDAYVALUE(id, column, unit, sql, help) ", " sql
#include "sql/userdayvalues.def"
#undef PM_USERDAYVALUE
	" FROM job WHERE id = ?";

/*
 * Rows computed from the jobs: a sum in two parts, as it would be an error in SQLite where it
 * overflows.
 */
#define SUM_OF(x)                                                                                  \
	"CASE WHEN abs(CAST(sum(" x " / 1048576) AS double precision) * 1048576 +"                 \
	" CAST(sum(" x " % 1048576) AS double precision)) < " BEYOND_SQL " THEN CAST(sum(" x       \
	" / 1048576) AS bigint) * 1048576 + CAST(sum(" x " % 1048576) AS bigint) END"
static const char columns_sql[] = /* in the order of the table */
	"cluster, \"user\", day_us, jobs, failed, processes"
#define PM_USERDAYVALUE(id, column, unit, sql, help) ", " column ", " column "_jobs"
#include "sql/userdayvalues.def"
#undef PM_USERDAYVALUE
	;
static const char computed_sql[] =
	"SELECT cluster, \"user\", " DAY " AS day_us, count(*) AS jobs, sum(" FAILED
	") AS failed, CAST(sum(coalesce(processes, 0)) AS bigint) AS processes"
#define PM_USERDAYVALUE(id, column, unit, sql, help)                                               \
	", " SUM_OF("(" sql ")") " AS " column ", count(" sql ") AS " column "_jobs"
#include "sql/userdayvalues.def"
#undef PM_USERDAYVALUE
	" FROM job";
#define GROUPED " GROUP BY 1, 2, 3"

/* Add a change to the row, or make the row. A sum that was beyond stays so: see renew_row(). */
static const char values_sql[] = "VALUES (?, ?, ?, ?, ?, ?"
#define PM_USERDAYVALUE(id, column, unit, sql, help) ", ?, ?"
#include "sql/userdayvalues.def"
#undef PM_USERDAYVALUE
				 ")";
#define OLD(x) "coalesce(user_day." x ", 0)"
#define NEW(x) "coalesce(excluded." x ", 0)"
static const char change_sql[] =
	" ON CONFLICT (cluster, \"user\", day_us) DO UPDATE SET"
	" jobs = user_day.jobs + excluded.jobs, failed = user_day.failed + excluded.failed,"
	" processes = user_day.processes + excluded.processes"
#define PM_USERDAYVALUE(id, column, unit, sql, help)                                               \
	", " column " = CASE WHEN user_day." column "_jobs + excluded." column                     \
	"_jobs = 0 OR (user_day." column " IS NULL AND user_day." column                           \
	"_jobs <> 0) OR abs(CAST(" OLD(column) " AS double precision) + CAST(" NEW(                \
		column) " AS double precision)) >= " BEYOND_SQL                                    \
			" THEN NULL ELSE " OLD(column) " + " NEW(                                  \
				column) " END, " column "_jobs = user_day." column                 \
					"_jobs + excluded." column "_jobs"
#include "sql/userdayvalues.def"
#undef PM_USERDAYVALUE
	;

static const char beyond_sql[] = "SELECT 1 FROM user_day WHERE " KEY " AND (1 = 0"
#define PM_USERDAYVALUE(id, column, unit, sql, help)                                               \
	" OR (" column " IS NULL AND " column "_jobs <> 0)"
#include "sql/userdayvalues.def"
#undef PM_USERDAYVALUE
				 ")";

static const char *const column_name[PM_USERDAY_COLUMNS] = {
	"jobs",
	"failed",
	"processes",
#define PM_USERDAYVALUE(id, column, unit, sql, help) column, column "_jobs",
#include "sql/userdayvalues.def"
#undef PM_USERDAYVALUE
};

/* The change of a row. */
struct pm_userdays_change {
	char *cluster, *user;
	int64_t day_us;
	int64_t jobs, failed, processes;
	bool less; /* a job was subtracted */
	struct {
		int64_t sum, jobs;
		bool beyond; /* the sum is not representable */
	} value[PM_USERDAY_VALUES];
};

/* Find the change of a key, or add it. Returns NULL if out of memory. */
static struct pm_userdays_change *change_of(struct pm_userdays *d, const char *cluster,
					    const char *user, int64_t day_us)
{
	struct pm_userdays_change *c;

	for (size_t i = 0; i < d->n; i++) {
		c = &d->change[i];
		if (c->day_us == day_us && strcmp(c->user, user) == 0 &&
		    strcmp(c->cluster, cluster) == 0)
			return c;
	}
	if (!PM_GROW(d->change, d->n, d->room, 4))
		return NULL;
	c = &d->change[d->n];
	*c = (struct pm_userdays_change){ .cluster = strdup(cluster),
					  .user = strdup(user),
					  .day_us = day_us };
	if (c->cluster && c->user) {
		d->n++;
		return c;
	}
	free(c->cluster);
	free(c->user);
	return NULL;
}

/* Add to a sum of a change. */
static void add_sum(struct pm_userdays_change *c, int i, int64_t v)
{
	int64_t *sum = &c->value[i].sum;

	if (v >= BEYOND || v <= -BEYOND || __builtin_add_overflow(*sum, v, sum) || *sum >= BEYOND ||
	    *sum <= -BEYOND)
		c->value[i].beyond = true;
}

int pm_userdays_note(struct pm_userdays *d, struct pm_db *db, int64_t job, int sign,
		     struct pm_err *e)
{
	struct pm_userdays_change *c;
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, part_sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	c = rc > 0 ? change_of(d, pm_db_text(q, 0, NULL), pm_db_text(q, 1, NULL), pm_db_int(q, 2))
		   : NULL;
	if (rc > 0 && !c)
		rc = pm_err(e, "out of memory");
	if (c) {
		c->less = c->less || sign < 0;
		c->jobs += sign;
		c->failed += sign * pm_db_int(q, 3);
		c->processes += sign * pm_db_int(q, 4);
	}
	for (int i = 0; c && i < PM_USERDAY_VALUES; i++) {
		int64_t v = pm_db_int(q, 5 + i);

		if (pm_db_is_null(q, 5 + i))
			continue;
		c->value[i].jobs += sign;
		add_sum(c, i, sign < 0 && v != INT64_MIN ? -v : v);
	}
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "totals of the user") : 0;
}

/* Subtract the row of computed_sql: sums of some jobs. Returns 0, or -1 if out of memory. */
static int subtract_row(struct pm_userdays *d, struct pm_stmt *q)
{
	struct pm_userdays_change *c =
		change_of(d, pm_db_text(q, 0, NULL), pm_db_text(q, 1, NULL), pm_db_int(q, 2));

	if (!c)
		return -1;
	c->less = true;
	c->jobs -= pm_db_int(q, 3);
	c->failed -= pm_db_int(q, 4);
	c->processes -= pm_db_int(q, 5);
	for (int i = 0; i < PM_USERDAY_VALUES; i++) {
		c->value[i].jobs -= pm_db_int(q, 7 + 2 * i);
		if (!pm_db_is_null(q, 6 + 2 * i))
			add_sum(c, i, -pm_db_int(q, 6 + 2 * i));
		else if (pm_db_int(q, 7 + 2 * i) > 0)
			c->value[i].beyond = true;
	}
	return 0;
}

int pm_userdays_note_range(struct pm_userdays *d, struct pm_db *db, int64_t first, int64_t last,
			   struct pm_err *e)
{
	struct pm_stmt *q;
	char *sql;
	int rc;

	if (asprintf(&sql, "%s WHERE id BETWEEN ? AND ?" GROUPED, computed_sql) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	pm_db_bind_int(q, 1, first);
	pm_db_bind_int(q, 2, last);
	while ((rc = pm_db_step(q, e)) > 0)
		if (subtract_row(d, q) < 0) {
			rc = pm_err(e, "out of memory");
			break;
		}
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "totals of the users") : 0;
}

int pm_userdays_move(struct pm_userdays *d, struct pm_userdays *from, struct pm_err *e)
{
	for (size_t k = 0; k < from->n; k++) {
		const struct pm_userdays_change *x = &from->change[k];
		struct pm_userdays_change *c = change_of(d, x->cluster, x->user, x->day_us);

		if (!c)
			return pm_err(e, "out of memory");
		c->less = c->less || x->less;
		c->jobs += x->jobs;
		c->failed += x->failed;
		c->processes += x->processes;
		for (int i = 0; i < PM_USERDAY_VALUES; i++) {
			c->value[i].jobs += x->value[i].jobs;
			c->value[i].beyond = c->value[i].beyond || x->value[i].beyond;
			add_sum(c, i, x->value[i].sum);
		}
	}
	pm_userdays_free(from);
	return 0;
}

static void bind_key(struct pm_stmt *q, const struct pm_userdays_change *c)
{
	pm_db_bind_str(q, 1, c->cluster);
	pm_db_bind_str(q, 2, c->user);
	pm_db_bind_int(q, 3, c->day_us);
}

/* Run a statement whose parameters are the key. Returns 1 if it has a row, 0, or -1 with e filled.
 */
static int run_keyed(struct pm_db *db, const char *sql, const struct pm_userdays_change *c,
		     struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	bind_key(q, c);
	rc = pm_db_step(q, e);
	pm_db_finish(q);
	return rc;
}

/* Prepare a statement about the table's columns, put together from two parts. Returns 0 or -1. */
static int prepare_joined(struct pm_db *db, const char *begin, const char *end, struct pm_stmt **q,
			  struct pm_err *e)
{
	char *sql;
	int rc;

	if (asprintf(&sql, "INSERT INTO user_day (%s) %s%s", columns_sql, begin, end) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, q, e);
	free(sql);
	return rc;
}

/* Compute a row again from all jobs of the user: for sums that were beyond and may not be so any
 * more. Jobs that others load meanwhile wait for the row. Returns 0 or -1 with e filled. */
static int renew_row(struct pm_db *db, const struct pm_userdays_change *c, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (run_keyed(db, "DELETE FROM user_day WHERE " KEY, c, e) < 0 ||
	    prepare_joined(db, computed_sql,
			   " WHERE cluster = ? AND \"user\" = ? AND " DAY " = ?" GROUPED, &q,
			   e) < 0)
		return -1;
	bind_key(q, c);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

static bool changes_nothing(const struct pm_userdays_change *c)
{
	bool nothing = c->jobs == 0 && c->failed == 0 && c->processes == 0;

	for (int i = 0; i < PM_USERDAY_VALUES; i++)
		nothing = nothing && c->value[i].sum == 0 && c->value[i].jobs == 0 &&
			  !c->value[i].beyond;
	return nothing;
}

/* Write a change. Returns 0 or -1 with e filled. */
static int apply_change(struct pm_db *db, struct pm_stmt *q, const struct pm_userdays_change *c,
			struct pm_err *e)
{
	bool beyond = false;
	int at = 4, rc;

	bind_key(q, c);
	pm_db_bind_int(q, at++, c->jobs);
	pm_db_bind_int(q, at++, c->failed);
	pm_db_bind_int(q, at++, c->processes);
	for (int i = 0; i < PM_USERDAY_VALUES; i++, at += 2) {
		if (!c->value[i].beyond && (c->value[i].jobs != 0 || c->value[i].sum != 0))
			pm_db_bind_int(q, at, c->value[i].sum);
		pm_db_bind_int(q, at + 1, c->value[i].jobs);
		beyond = beyond || c->value[i].beyond;
	}
	rc = pm_db_run(q, e);
	if (rc == 0 && !beyond && c->less)
		rc = run_keyed(db, beyond_sql, c, e);
	if (rc < 0)
		return -1;
	if (beyond || rc > 0)
		return renew_row(db, c, e);
	return c->less ? run_keyed(db, "DELETE FROM user_day WHERE " KEY " AND jobs <= 0", c, e)
		       : 0;
}

static int by_key(const void *a, const void *b)
{
	const struct pm_userdays_change *x = a, *y = b;
	int order = strcmp(x->cluster, y->cluster);

	if (order == 0)
		order = strcmp(x->user, y->user);
	return order ? order : (x->day_us > y->day_us) - (x->day_us < y->day_us);
}

int pm_userdays_apply(struct pm_userdays *d, struct pm_db *db, struct pm_err *e)
{
	struct pm_stmt *q = NULL;
	int rc = 0;

	if (d->n)
		qsort(d->change, d->n, sizeof *d->change, by_key);
	for (size_t i = 0; i < d->n && rc == 0; i++) {
		if (changes_nothing(&d->change[i]))
			continue;
		if (!q)
			rc = prepare_joined(db, values_sql, change_sql, &q, e);
		if (rc == 0)
			rc = apply_change(db, q, &d->change[i], e);
	}
	pm_db_finish(q);
	pm_userdays_free(d);
	return rc < 0 ? pm_err_prefix(e, "totals of the user") : 0;
}

void pm_userdays_free(struct pm_userdays *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->change[i].cluster);
		free(d->change[i].user);
	}
	free(d->change);
	*d = (struct pm_userdays){ 0 };
}

int pm_userdays_fill(struct pm_db *db, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (prepare_joined(db, computed_sql, GROUPED, &q, e) < 0)
		return -1;
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

int pm_userdays_renew(struct pm_db *db, struct pm_err *e)
{
	/* In SQLite the transaction keeps others away. */
	if (db->engine->dialect == PM_DIALECT_POSTGRESQL &&
	    pm_db_exec(db, "LOCK TABLE user_day IN EXCLUSIVE MODE", e) < 0)
		return -1;
	return pm_db_exec(db, "DELETE FROM user_day", e) < 0 ? -1 : pm_userdays_fill(db, e);
}

/* --- verify ----------------------------------------------------------------------------------- */

/* Compare the columns of a row: its key, what it has, what it should have. */
static int compare_row(struct pm_stmt *q,
		       int (*each)(void *ctx, const struct pm_userdays_fault *f, struct pm_err *e),
		       void *ctx, struct pm_err *e)
{
	for (int i = 0; i < PM_USERDAY_COLUMNS; i++) {
		struct pm_userdays_fault f = {
			.cluster = pm_db_text(q, 0, NULL),
			.user = pm_db_text(q, 1, NULL),
			.column = column_name[i],
			.day_us = pm_db_int(q, 2),
			.stored = { !pm_db_is_null(q, 3 + i), pm_db_int(q, 3 + i) },
			.expected = { !pm_db_is_null(q, 3 + PM_USERDAY_COLUMNS + i),
				      pm_db_int(q, 3 + PM_USERDAY_COLUMNS + i) },
		};

		if (f.stored.known == f.expected.known && f.stored.v == f.expected.v)
			continue;
		if (each(ctx, &f, e) < 0)
			return -1;
	}
	return 0;
}

/* Write the columns of a row; with `t` NULL as unknown. */
static void put_columns(FILE *out, const char *t)
{
	for (int i = 0; i < PM_USERDAY_COLUMNS; i++)
		fprintf(out, ", %s%s", t ? t : "NULL", t ? column_name[i] : "");
}

/* Prepare the query of rows that should be there, with what is there, or with `extra` of those that
 * should not. Returns 0 or -1 with e filled. */
static int prepare_rows(struct pm_db *db, bool extra, struct pm_stmt **q, struct pm_err *e)
{
	static const char on[] = " ON x.cluster = u.cluster AND x.\"user\" = u.\"user\" AND "
				 "x.day_us = u.day_us";
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int rc;

	if (!out)
		return pm_err(e, "out of memory");
	fprintf(out, "SELECT %1$s.cluster, %1$s.\"user\", %1$s.day_us", extra ? "u" : "x");
	put_columns(out, "u.");
	put_columns(out, extra ? NULL : "x.");
	if (extra)
		fprintf(out,
			" FROM user_day u LEFT JOIN (SELECT DISTINCT cluster, \"user\", " DAY
			" AS day_us FROM job) x%s WHERE x.cluster IS NULL",
			on);
	else
		fprintf(out, " FROM (%s" GROUPED ") x LEFT JOIN user_day u%s", computed_sql, on);
	fputs(" ORDER BY 1, 2, 3", out);
	rc = pm_memtext_end(out, &sql) ? pm_db_prepare(db, sql, q, e) : pm_err(e, "out of memory");
	free(sql);
	return rc;
}

int pm_userdays_verify(struct pm_db *db,
		       int (*each)(void *ctx, const struct pm_userdays_fault *f, struct pm_err *e),
		       void *ctx, struct pm_err *e)
{
	int rc = 0;

	for (int extra = 0; extra < 2 && rc == 0; extra++) {
		struct pm_stmt *q;

		if (prepare_rows(db, extra, &q, e) < 0)
			return -1;
		while ((rc = pm_db_step(q, e)) > 0)
			if (compare_row(q, each, ctx, e) < 0) {
				rc = -1;
				break;
			}
		pm_db_finish(q);
	}
	return rc;
}
