/* Add up the meters of a job's hosts, and store what they come to. */
#include "config.h"

#include "db/energy.h"

#include "common/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTED    1
#define INTEGRATED 2

static const char *const methods[] = { NULL, "counter", "power", "counter, power" };

enum { HOST, FROM, TO, FROM_CLOCK, TO_CLOCK, REOPENED, DURATION, PART, METHOD, REASON, FIRST };

/* Rows of a job's hosts and, of each, its meters that are added up. */
static const char rows_sql[] =
	"SELECT h.id, h.start_time_us, h.stop_time_us, h.start_monotonic_us, h.stop_monotonic_us, "
	"h.start_reopened, j.duration_us, e.part, e.method, e.reason, e.energy_uj, e.mean_uw, "
	"e.peak_uw, e.covered_us FROM host h JOIN job j ON j.id = h.job_id LEFT JOIN energy e ON "
	"e.job_id = h.job_id AND e.host_id = h.id AND e.in_total = 1 WHERE h.job_id = ? ORDER BY "
	"h.id, e.id";

static bool is_span(struct pm_stmt *q, int from, int to)
{
	return !pm_db_is_null(q, from) && !pm_db_is_null(q, to) &&
	       pm_db_int(q, to) >= pm_db_int(q, from) && pm_db_int(q, from) >= 0;
}

/* How long the job was on the host that q is at, -1 where unknown: by the monotonic clock, unless
 * the job was opened again, perhaps behind another start of the machine. */
static int64_t take_time(struct pm_stmt *q)
{
	if (is_span(q, FROM_CLOCK, TO_CLOCK) && pm_db_int(q, REOPENED) == 0)
		return pm_db_int(q, TO_CLOCK) - pm_db_int(q, FROM_CLOCK);
	if (is_span(q, FROM, TO))
		return pm_db_int(q, TO) - pm_db_int(q, FROM);
	return pm_db_is_null(q, DURATION) || pm_db_int(q, DURATION) < 0 ? -1
									: pm_db_int(q, DURATION);
}

/* Add to a sum that is -1 while unknown. Beyond the range, it is unknown for good. */
static void add_number(int64_t *to, bool *beyond, int64_t v)
{
	*beyond = *beyond || __builtin_add_overflow(*to < 0 ? 0 : *to, v, to);
	if (*beyond)
		*to = -1;
}

/* What is being added up. */
struct adding {
	struct pm_energy_totals *t;
	bool beyond[2][3]; /* of a host, of the job: energy, mean, peak */
	int method[2];
	__int128 covered_us, time_us;
	bool untimed;
};

/* Add a meter to its host. One that is there and was never read is missing in the sum at all times:
 * nothing of the host's time is covered. */
static void add_meter(struct adding *a, struct pm_energy_total *h, struct pm_stmt *q)
{
	const char *part = pm_db_text(q, PART, NULL), *reason = pm_db_text(q, REASON, NULL);
	int64_t covered_us = pm_db_int(q, FIRST + 3);
	int64_t *const to[] = { &h->energy_uj, &h->mean_uw, &h->peak_uw };
	size_t len = strlen(h->parts);

	if (pm_db_is_null(q, FIRST)) {
		if (reason && !*h->reason)
			snprintf(h->reason, sizeof h->reason, "%s", reason);
		if (!reason || (strcmp(reason, "unsupported") && strcmp(reason, "absent")))
			h->covered_us = 0;
		return;
	}
	for (int k = 0; k < 3; k++)
		if (!pm_db_is_null(q, FIRST + k))
			add_number(to[k], &a->beyond[0][k], pm_db_int(q, FIRST + k));
	if (h->covered_us < 0 || covered_us < h->covered_us)
		h->covered_us = covered_us;
	a->method[0] |= strcmp(pm_db_text(q, METHOD, NULL), "power") ? COUNTED : INTEGRATED;
	if (!strstr(h->parts, part))
		snprintf(h->parts + len, sizeof h->parts - len, "%s%s", len ? ", " : "", part);
}

/* A host is complete: add it to the job. */
static void add_host(struct adding *a, struct pm_energy_total *h)
{
	struct pm_energy_total *job = &a->t->job;
	const int64_t from[] = { h->energy_uj, h->mean_uw, h->peak_uw };
	int64_t *const to[] = { &job->energy_uj, &job->mean_uw, &job->peak_uw };

	if (h->energy_uj >= 0)
		h->reason[0] = '\0';
	else if (!*h->reason)
		snprintf(h->reason, sizeof h->reason, "%s",
			 a->beyond[0][0] ? "beyond" : "no meter");
	if (!*h->parts)
		h->covered_us = -1;
	h->method = methods[a->method[0]];
	job->hosts += h->energy_uj >= 0;
	for (int k = 0; k < 3; k++)
		if (from[k] >= 0)
			add_number(to[k], &a->beyond[1][k], from[k]);
	a->method[1] |= a->method[0];
	a->untimed = a->untimed || h->time_us < 0;
	a->time_us += h->time_us;
	if (h->covered_us >= 0)
		a->covered_us += h->covered_us < h->time_us ? h->covered_us : h->time_us;
	memset(a->beyond[0], 0, sizeof a->beyond[0]);
	a->method[0] = 0;
}

static struct pm_energy_total none(int64_t host)
{
	return (struct pm_energy_total){
		.host = host,
		.energy_uj = -1,
		.mean_uw = -1,
		.peak_uw = -1,
		.covered_us = -1,
		.time_us = -1,
		.coverage = NAN,
	};
}

/* Add up all rows. Returns 0 or -1 with e filled. */
static int add_rows(struct adding *a, struct pm_stmt *q, struct pm_err *e)
{
	struct pm_energy_totals *t = a->t;
	struct pm_energy_total *h = NULL;
	int rc;

	while ((rc = pm_db_step(q, e)) > 0) {
		if (!h || h->host != pm_db_int(q, HOST)) {
			if (h)
				add_host(a, h);
			if (!PM_GROW(t->host, t->hosts, t->cap, 4))
				return pm_err(e, "out of memory");
			h = &t->host[t->hosts++];
			*h = none(pm_db_int(q, HOST));
			h->time_us = take_time(q);
		}
		if (!pm_db_is_null(q, PART))
			add_meter(a, h, q);
	}
	if (h)
		add_host(a, h);
	t->job.method = methods[a->method[1]];
	if (!a->untimed && a->time_us > 0)
		t->job.coverage = (double)a->covered_us / (double)a->time_us;
	return rc;
}

/* Run a query about a job. Returns 0 with *q, or -1 with e filled. */
static int query_job(struct pm_db *db, const char *sql, int64_t job, struct pm_stmt **q,
		     struct pm_err *e)
{
	if (pm_db_prepare(db, sql, q, e) < 0)
		return -1;
	pm_db_bind_int(*q, 1, job);
	return 0;
}

int pm_energy_totals_compute(struct pm_energy_totals *t, struct pm_db *db, int64_t job,
			     struct pm_err *e)
{
	struct adding a = { .t = t };
	struct pm_stmt *q;
	int rc;

	*t = (struct pm_energy_totals){ .job = none(0) };
	if (query_job(db, "SELECT 1 FROM energy WHERE job_id = ? LIMIT 1", job, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	pm_db_finish(q);
	t->any = rc > 0;
	t->job.hosts = t->any ? 0 : -1;
	if (rc <= 0)
		return rc;
	if (query_job(db, rows_sql, job, &q, e) < 0)
		return -1;
	rc = add_rows(&a, q, e);
	pm_db_finish(q);
	if (rc < 0)
		pm_energy_totals_free(t);
	return rc;
}

void pm_energy_totals_free(struct pm_energy_totals *t)
{
	free(t->host);
	t->host = NULL;
	t->hosts = t->cap = 0;
}

#define INTEGER(column, v)                                                                         \
	{                                                                                          \
		column, PM_ENERGY_INTEGER, v, NAN, NULL                                            \
	}
#define TEXT(column, v)                                                                            \
	{                                                                                          \
		column, PM_ENERGY_TEXT, -1, NAN, v                                                 \
	}

size_t pm_energy_total_values(const struct pm_energy_total *t,
			      struct pm_energy_value v[PM_ENERGY_VALUES])
{
	const struct pm_energy_value both[] = {
		INTEGER("energy_uj", t->energy_uj),
		INTEGER("energy_mean_uw", t->mean_uw),
		INTEGER("energy_peak_uw", t->peak_uw),
		TEXT("energy_method", t->method),
	};
	const struct pm_energy_value of_host[] = {
		TEXT("energy_parts", *t->parts ? t->parts : NULL),
		INTEGER("energy_covered_us", t->covered_us),
		INTEGER("energy_time_us", t->time_us),
		TEXT("energy_reason", *t->reason ? t->reason : NULL),
	};
	const struct pm_energy_value of_job[] = {
		INTEGER("energy_hosts", t->hosts),
		{ "energy_coverage", PM_ENERGY_REAL, -1, t->coverage, NULL },
	};

	memcpy(v, both, sizeof both);
	if (t->host)
		memcpy(v + 4, of_host, sizeof of_host);
	else
		memcpy(v + 4, of_job, sizeof of_job);
	return t->host ? 8 : 6;
}

/* Prepare the UPDATE of a row of a table with its total. Returns 0 or -1 with e filled. */
static int prepare_update(struct pm_db *db, const struct pm_energy_total *t, struct pm_stmt **q,
			  struct pm_err *e)
{
	struct pm_energy_value v[PM_ENERGY_VALUES];
	const size_t n = pm_energy_total_values(t, v);
	char sql[512];
	int len = snprintf(sql, sizeof sql, "UPDATE %s SET ", t->host ? "host" : "job");

	for (size_t i = 0; i < n; i++)
		len += snprintf(sql + len, sizeof sql - (size_t)len, "%s%s = ?", i ? ", " : "",
				v[i].column);
	snprintf(sql + len, sizeof sql - (size_t)len, " WHERE %s",
		 t->host ? "job_id = ? AND id = ?" : "id = ?");
	return pm_db_prepare(db, sql, q, e);
}

/* Store a total by such a statement. Returns 0 or -1 with e filled. */
static int store_total(struct pm_stmt *q, int64_t job, const struct pm_energy_total *t,
		       struct pm_err *e)
{
	struct pm_energy_value v[PM_ENERGY_VALUES];
	const size_t n = pm_energy_total_values(t, v);

	for (size_t i = 0; i < n; i++) {
		if (v[i].type == PM_ENERGY_TEXT)
			pm_db_bind_str(q, (int)i + 1, v[i].text);
		else if (v[i].type == PM_ENERGY_REAL && !isnan(v[i].r))
			pm_db_bind_real(q, (int)i + 1, v[i].r);
		else if (v[i].type == PM_ENERGY_INTEGER && v[i].i >= 0)
			pm_db_bind_int(q, (int)i + 1, v[i].i);
	}
	pm_db_bind_int(q, (int)n + 1, job);
	if (t->host)
		pm_db_bind_int(q, (int)n + 2, t->host);
	return pm_db_run(q, e);
}

/* The job has no meters: forget the totals of those that it had. Returns 0 or -1 with e filled. */
static int forget_totals(struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_energy_total gone = none(0);
	struct pm_stmt *q = NULL;
	int64_t *host = NULL;
	size_t n = 0, cap = 0;
	int rc;

	if (query_job(
		    db,
		    "SELECT h.id FROM host h JOIN job j ON j.id = h.job_id WHERE h.job_id = ? AND "
		    "j.energy_hosts IS NOT NULL",
		    job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		if (!PM_GROW(host, n, cap, 16)) {
			rc = pm_err(e, "out of memory");
			break;
		}
		host[n++] = pm_db_int(q, 0);
	}
	pm_db_finish(q);
	gone.hosts = -1;
	for (size_t i = 0; i <= n && n > 0 && rc == 0; i++) {
		gone.host = i < n ? host[i] : 0;
		rc = prepare_update(db, &gone, &q, e);
		if (rc == 0) {
			rc = store_total(q, job, &gone, e);
			pm_db_finish(q);
		}
	}
	free(host);
	return rc;
}

int pm_energy_total_write(struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *of_host = NULL, *of_job = NULL;
	struct pm_energy_totals t;
	int rc;

	if (pm_energy_totals_compute(&t, db, job, e) < 0)
		return -1;
	if (!t.any)
		return forget_totals(db, job, e);
	rc = t.hosts ? prepare_update(db, &t.host[0], &of_host, e) : 0;
	for (size_t i = 0; i < t.hosts && rc == 0; i++)
		rc = store_total(of_host, job, &t.host[i], e);
	if (rc == 0)
		rc = prepare_update(db, &t.job, &of_job, e);
	if (rc == 0)
		rc = store_total(of_job, job, &t.job, e);
	pm_db_finish(of_host);
	pm_db_finish(of_job);
	pm_energy_totals_free(&t);
	return rc < 0 ? pm_err_prefix(e, "energy") : 0;
}
