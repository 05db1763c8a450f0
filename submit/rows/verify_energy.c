/* Compute the energy of a job again, and compare it with what is stored. */
#include "config.h"

#include "submit/rows/verify_energy.h"

#include "db/energy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative difference up to which two shares are equal. */
#define EPSILON 1e-9

struct comparing {
	pm_verify_rollups_fn *each;
	void *ctx;
	struct pm_stmt *q; /* rows of table energy, by host and number */
	int has;           /* whether q is at a row */
};

enum { HOST, PART, SOURCE, METER, METHOD, REASON, NUMBERS };

static void format_number(char dst[64], const char *column, int64_t v)
{
	if (v < 0)
		snprintf(dst, 64, "no %s", column);
	else
		snprintf(dst, 64, "%s %" PRId64, column, v);
}

/* --- meters ----------------------------------------------------------------------------------- */

static void name_meter(char what[320], int64_t host, const char *part, const char *source,
		       const char *meter)
{
	snprintf(what, 320, "host %" PRId64 ", %s by %s %s", host, part, source, meter);
}

/* Report the rows of hosts before a host: no sample makes them. Returns 0 or -1 with e filled. */
static int report_rows(struct comparing *c, int64_t before, struct pm_err *e)
{
	char what[320];

	for (; c->has > 0 && pm_db_int(c->q, HOST) < before; c->has = pm_db_step(c->q, e)) {
		name_meter(what, pm_db_int(c->q, HOST), pm_db_text(c->q, PART, NULL),
			   pm_db_text(c->q, SOURCE, NULL), pm_db_text(c->q, METER, NULL));
		if (c->each(c->ctx, what, "a row", "none: it has no samples", e) < 0)
			return -1;
	}
	return c->has < 0 ? -1 : 0;
}

static bool are_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Whether the row that q is at is that of a meter. */
static bool is_row(const struct comparing *c, int64_t host, const struct pm_energy_meter *m)
{
	return c->has > 0 && pm_db_int(c->q, HOST) == host &&
	       are_equal(pm_db_text(c->q, PART, NULL), pm_energy_part_name[m->kind->part]) &&
	       are_equal(pm_db_text(c->q, SOURCE, NULL), m->kind->family) &&
	       are_equal(pm_db_text(c->q, METER, NULL), m->object);
}

/* Compare a meter with its row, which q is at. Returns 0 or -1 with e filled. */
static int compare_meter(struct comparing *c, const char *what, const struct pm_energy_meter *m,
			 struct pm_err *e)
{
	const char *method = pm_db_text(c->q, METHOD, NULL),
		   *reason = pm_db_text(c->q, REASON, NULL);
	char stored[64], expected[64];

	for (int k = 0; k < PM_ENERGY_COLUMNS; k++) {
		bool known = !pm_db_is_null(c->q, NUMBERS + k);
		int64_t is = pm_db_int(c->q, NUMBERS + k),
			should = pm_energy_number(m, (enum pm_energy_column)k);

		if (known ? is == should : should < 0)
			continue;
		format_number(expected, pm_energy_column_name[k], should);
		if (known)
			snprintf(stored, sizeof stored, "%s %" PRId64, pm_energy_column_name[k],
				 is);
		else
			format_number(stored, pm_energy_column_name[k], -1);
		if (c->each(c->ctx, what, stored, expected, e) < 0)
			return -1;
	}
	if (!are_equal(method, pm_energy_method(m)) &&
	    c->each(c->ctx, what, method ? method : "no method", pm_energy_method(m), e) < 0)
		return -1;
	if (are_equal(reason, m->reason))
		return 0;
	return c->each(c->ctx, what, reason ? reason : "no reason",
		       m->reason ? m->reason : "no reason", e);
}

static int compare_host(void *ctx, int64_t job, int64_t host, const struct pm_energy_meters *m,
			bool damaged, struct pm_err *e)
{
	struct comparing *c = ctx;
	char what[320];

	(void)job;
	if (report_rows(c, host, e) < 0)
		return -1;
	/* What cannot be read is reported with the samples. */
	while (damaged && c->has > 0 && pm_db_int(c->q, HOST) == host)
		c->has = pm_db_step(c->q, e);
	for (size_t i = 0; i < m->n && !damaged && c->has >= 0; i++) {
		const struct pm_energy_meter *x = &m->meter[i];
		bool there = is_row(c, host, x);

		name_meter(what, host, pm_energy_part_name[x->kind->part], x->kind->family,
			   x->object);
		if ((there ? compare_meter(c, what, x, e)
			   : c->each(c->ctx, what, "no row", "a row: it has samples", e)) < 0)
			return -1;
		if (there)
			c->has = pm_db_step(c->q, e);
	}
	return c->has < 0 ? -1 : report_rows(c, host + 1, e);
}

int pm_verify_meters(struct pm_db *db, int64_t job, pm_verify_rollups_fn *each, void *ctx,
		     struct pm_err *e)
{
	struct comparing c = { .each = each, .ctx = ctx };
	char sql[320];
	int len = snprintf(sql, sizeof sql, "SELECT host_id, part, source, meter, method, reason"),
	    rc;

	for (int k = 0; k < PM_ENERGY_COLUMNS; k++)
		len += snprintf(sql + len, sizeof sql - (size_t)len, ", %s",
				pm_energy_column_name[k]);
	snprintf(sql + len, sizeof sql - (size_t)len,
		 " FROM energy WHERE job_id = ? ORDER BY host_id, id");
	if (pm_db_prepare(db, sql, &c.q, e) < 0)
		return -1;
	pm_db_bind_int(c.q, 1, job);
	c.has = pm_db_step(c.q, e);
	rc = c.has < 0 ? -1 : pm_energy_each(db, job, compare_host, &c, e);
	if (rc == 0)
		rc = report_rows(&c, INT64_MAX, e);
	pm_db_finish(c.q);
	return rc;
}

/* --- totals ----------------------------------------------------------------------------------- */

static void format_value(char dst[96], const struct pm_energy_value *v)
{
	if (v->type == PM_ENERGY_INTEGER)
		format_number(dst, v->column, v->i);
	else if (v->type == PM_ENERGY_TEXT && v->text)
		snprintf(dst, 96, "%s %s", v->column, v->text);
	else if (v->type == PM_ENERGY_REAL && !isnan(v->r))
		snprintf(dst, 96, "%s %.9g", v->column, v->r);
	else
		snprintf(dst, 96, "no %s", v->column);
}

static bool is_equal(const struct pm_energy_value *x, const struct pm_energy_value *y)
{
	if (x->type == PM_ENERGY_TEXT)
		return are_equal(x->text, y->text);
	if (x->type == PM_ENERGY_INTEGER)
		return x->i == y->i;
	return isnan(x->r) || isnan(y->r) ? isnan(x->r) && isnan(y->r)
					  : fabs(x->r - y->r) <= EPSILON * fabs(y->r);
}

/* Compare a total with its row. Returns 0 or -1 with e filled. */
static int compare_total(struct pm_db *db, int64_t job, const struct pm_energy_total *t,
			 const struct comparing *c, struct pm_err *e)
{
	struct pm_energy_value v[PM_ENERGY_VALUES];
	const size_t n = pm_energy_total_values(t, v);
	char sql[384], what[48], stored[96], expected[96];
	int len = 0, rc;
	struct pm_stmt *q;

	for (size_t i = 0; i < n; i++)
		len += snprintf(sql + len, sizeof sql - (size_t)len, "%s%s", i ? ", " : "SELECT ",
				v[i].column);
	snprintf(sql + len, sizeof sql - (size_t)len, " FROM %s",
		 t->host ? "host WHERE job_id = ? AND id = ?" : "job WHERE id = ?");
	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	if (t->host)
		pm_db_bind_int(q, 2, t->host);
	snprintf(what, sizeof what, t->host ? "host %" PRId64 : "job", t->host);
	rc = pm_db_step(q, e);
	for (size_t i = 0; rc > 0 && i < n; i++) {
		const bool known = !pm_db_is_null(q, (int)i);
		const struct pm_energy_value is = {
			.column = v[i].column,
			.type = v[i].type,
			.i = known ? pm_db_int(q, (int)i) : -1,
			.r = known ? pm_db_real(q, (int)i) : NAN,
			.text = known ? pm_db_text(q, (int)i, NULL) : NULL,
		};

		if (is_equal(&is, &v[i]))
			continue;
		format_value(stored, &is);
		format_value(expected, &v[i]);
		if (c->each(c->ctx, what, stored, expected, e) < 0)
			rc = -1;
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Compare the hosts of a job without meters, of which nothing may be known, as of `none`. */
static int compare_hosts(struct pm_db *db, int64_t job, struct pm_energy_total none,
			 const struct comparing *c, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT id FROM host WHERE job_id = ? ORDER BY id", &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0) {
		none.host = pm_db_int(q, 0);
		if (compare_total(db, job, &none, c, e) < 0) {
			rc = -1;
			break;
		}
	}
	pm_db_finish(q);
	return rc;
}

int pm_verify_energy(struct pm_db *db, int64_t job, pm_verify_rollups_fn *each, void *ctx,
		     struct pm_err *e)
{
	const struct comparing c = { .each = each, .ctx = ctx };
	struct pm_energy_totals t;
	int rc;

	if (pm_energy_totals_compute(&t, db, job, e) < 0)
		return -1;
	rc = compare_total(db, job, &t.job, &c, e);
	for (size_t i = 0; i < t.hosts && rc == 0; i++)
		rc = compare_total(db, job, &t.host[i], &c, e);
	if (!t.any && rc == 0)
		rc = compare_hosts(db, job, t.job, &c, e);
	pm_energy_totals_free(&t);
	return rc;
}
