/* Meters of hosts: from stored samples, to their table. */
#include "config.h"

#include "db/energy.h"

#include "common/grow.h"
#include "db/samples.h"

#include <stdlib.h>
#include <string.h>

const char *const pm_energy_column_name[PM_ENERGY_COLUMNS] = {
	[PM_ENERGY_UJ] = "energy_uj",      [PM_ENERGY_MEAN_UW] = "mean_uw",
	[PM_ENERGY_PEAK_UW] = "peak_uw",   [PM_ENERGY_COVERED_US] = "covered_us",
	[PM_ENERGY_LOST] = "lost",         [PM_ENERGY_IN_PART] = "in_part",
	[PM_ENERGY_IN_TOTAL] = "in_total",
};

int64_t pm_energy_number(const struct pm_energy_meter *m, enum pm_energy_column c)
{
	const int64_t number[PM_ENERGY_COLUMNS] = {
		[PM_ENERGY_UJ] = m->energy_uj,      [PM_ENERGY_MEAN_UW] = m->mean_uw,
		[PM_ENERGY_PEAK_UW] = m->peak_uw,   [PM_ENERGY_COVERED_US] = m->covered_us,
		[PM_ENERGY_LOST] = m->lost,         [PM_ENERGY_IN_PART] = m->in_part,
		[PM_ENERGY_IN_TOTAL] = m->in_total,
	};

	return number[c];
}

int pm_energy_write(struct pm_stmt *q, int64_t job, int64_t host, const struct pm_energy_meters *m,
		    struct pm_err *e)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct pm_energy_meter *x = &m->meter[i];

		pm_db_bind_int(q, 1, job);
		pm_db_bind_int(q, 2, host);
		pm_db_bind_int(q, 3, (int64_t)i + 1);
		pm_db_bind_str(q, 4, pm_energy_part_name[x->kind->part]);
		pm_db_bind_str(q, 5, x->kind->family);
		pm_db_bind_str(q, 6, x->object);
		pm_db_bind_str(q, 7, pm_energy_method(x));
		for (int c = 0; c < PM_ENERGY_COLUMNS; c++)
			if (pm_energy_number(x, c) >= 0)
				pm_db_bind_int(q, 8 + c, pm_energy_number(x, c));
		pm_db_bind_str(q, 8 + PM_ENERGY_COLUMNS, x->reason);
		if (pm_db_run(q, e) < 0)
			return -1;
	}
	return 0;
}

/* --- from stored samples ---------------------------------------------------------------------- */

/* A sample that is kept until all are sorted. */
struct kept {
	int64_t time_us, value;
	enum pm_energy_reason reason;
	uint32_t at; /* its place among those of one time */
};

struct reading {
	struct pm_db *db;
	int64_t job, series;
	bool power;
	bool wall;    /* some times of the monotonic clock are unknown: take those of the wall's */
	bool falls;   /* the times do not rise */
	bool damaged; /* a block could not be read */
	struct pm_energy_sum sum;
	int64_t last_us;
	struct kept *kept; /* NULL: samples are added as they come */
	size_t n, cap;
};

static int by_time(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->time_us != y->time_us)
		return x->time_us < y->time_us ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* Find out whether all monotonic times of a series are known. Returns 0 or -1 with e filled. */
static int look_at_clock(struct reading *r, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(
		    r->db,
		    "SELECT 1 FROM sample_block b JOIN tick_block t ON t.job_id = b.job_id AND "
		    "t.id = b.tick_block_id WHERE b.job_id = ? AND b.series_id = ? AND "
		    "t.monotonic_us IS NULL LIMIT 1",
		    &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, r->job);
	pm_db_bind_int(q, 2, r->series);
	rc = pm_db_step(q, e);
	r->wall = rc > 0;
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Take a sample. Returns 0, or -1 if out of memory. */
static int take_sample(struct reading *r, const struct pm_sample *x, bool keep)
{
	const int64_t time_us = r->wall ? x->time_us : x->monotonic_us;
	const enum pm_energy_reason reason =
		x->known ? PM_ENERGY_KNOWN : pm_energy_reason(x->reason, strlen(x->reason));

	r->falls = r->falls || time_us < r->last_us;
	r->last_us = time_us;
	if (!keep) {
		pm_energy_add(&r->sum, r->power, time_us, reason, x->value);
		return 0;
	}
	if (!PM_GROW(r->kept, r->n, r->cap, 1024))
		return -1;
	r->kept[r->n] = (struct kept){ time_us, x->value, reason, (uint32_t)r->n };
	r->n++;
	return 0;
}

/* Read all samples of the series: add them as they come or, with `keep`, keep them. Returns 0 or -1
 * with e filled. */
static int read_samples(struct reading *r, bool keep, struct pm_err *e)
{
	struct pm_samples *s = pm_samples_new(r->db, r->job, r->series, e);
	struct pm_sample x;
	int rc = s ? 0 : -1;

	r->sum = (struct pm_energy_sum){ .held = false };
	r->last_us = INT64_MIN;
	while (rc == 0 && (keep || !r->falls)) {
		rc = pm_samples_next(s, &x, e);
		if (rc < 0 && pm_samples_damage(s)) {
			r->damaged = true;
			rc = 0;
		} else if (rc > 0) {
			rc = take_sample(r, &x, keep) < 0 ? pm_err(e, "out of memory") : 0;
		} else {
			break;
		}
	}
	pm_samples_free(s);
	return rc;
}

/* Add up a series. Returns 0 or -1 with e filled. */
static int read_series(struct reading *r, struct pm_err *e)
{
	int rc = look_at_clock(r, e);

	r->falls = false;
	r->n = 0;
	if (rc == 0)
		rc = read_samples(r, false, e);
	/* Blocks are in the order of the wall clock, which was set back: sort the samples. */
	if (rc == 0 && r->falls)
		rc = read_samples(r, true, e);
	if (r->n)
		qsort(r->kept, r->n, sizeof *r->kept, by_time);
	for (size_t i = 0; i < r->n && rc == 0; i++)
		pm_energy_add(&r->sum, r->power, r->kept[i].time_us, r->kept[i].reason,
			      r->kept[i].value);
	pm_energy_end(&r->sum);
	return rc;
}

enum { JOB, HOST, SERIES, SOURCE, METRIC, OBJECT, UNIT, KIND };

/* Read the series that q is at, and the others of its host, which it steps over. Returns 1 where a
 * further row is there, 0 at the end, or -1 with e filled. */
static int read_host(struct reading *r, struct pm_stmt *q, int64_t host,
		     struct pm_energy_meters *meters, struct pm_err *e)
{
	int rc;

	r->damaged = false;
	do {
		const char *object = pm_db_text(q, OBJECT, NULL);
		const struct pm_energy_kind *kind = pm_energy_kind(
			pm_db_text(q, SOURCE, NULL), pm_db_text(q, METRIC, NULL), object,
			pm_db_text(q, UNIT, NULL), pm_db_text(q, KIND, NULL));

		if (kind) {
			r->series = pm_db_int(q, SERIES);
			r->power = kind->power;
			if (read_series(r, e) < 0)
				return -1;
			if (pm_energy_meters_add(meters, kind, object, &r->sum) < 0)
				return pm_err(e, "out of memory");
		}
		rc = pm_db_step(q, e);
	} while (rc > 0 && pm_db_int(q, JOB) == r->job && pm_db_int(q, HOST) == host);
	pm_energy_meters_finish(meters);
	return rc;
}

int pm_energy_each(struct pm_db *db, int64_t job, pm_energy_fn *each, void *ctx, struct pm_err *e)
{
	struct reading r = { .db = db };
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(
		    db,
		    job ? "SELECT job_id, host_id, id, source, metric, object, unit, kind FROM "
			  "series WHERE job_id = ? AND unit IN ('uJ', 'uW') ORDER BY 1, 2, 3"
			: "SELECT job_id, host_id, id, source, metric, object, unit, kind FROM "
			  "series WHERE unit IN ('uJ', 'uW') ORDER BY 1, 2, 3",
		    &q, e) < 0)
		return -1;
	if (job)
		pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	while (rc > 0) {
		struct pm_energy_meters meters = { .n = 0 };
		int64_t host = pm_db_int(q, HOST);

		r.job = pm_db_int(q, JOB);
		rc = read_host(&r, q, host, &meters, e);
		if (rc >= 0 && each(ctx, r.job, host, &meters, r.damaged, e) < 0)
			rc = -1;
		pm_energy_meters_free(&meters);
	}
	pm_db_finish(q);
	free(r.kept);
	return rc;
}

/* --- of all jobs ------------------------------------------------------------------------------ */

struct filling {
	struct pm_db *db;
	struct pm_stmt *q;
};

static int fill_host(void *ctx, int64_t job, int64_t host, const struct pm_energy_meters *m,
		     bool damaged, struct pm_err *e)
{
	struct filling *f = ctx;

	(void)damaged;
	return pm_energy_write(f->q, job, host, m, e);
}

int pm_energy_fill(struct pm_db *db, struct pm_err *e)
{
	struct filling f = { .db = db };
	struct pm_stmt *q;
	int rc;

	if (pm_db_insert(db, "energy", false, &f.q, e) < 0)
		return -1;
	rc = pm_energy_each(db, 0, fill_host, &f, e);
	pm_db_finish(f.q);
	if (rc < 0 ||
	    pm_db_prepare(db, "SELECT DISTINCT job_id FROM energy ORDER BY job_id", &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (pm_energy_total_write(db, pm_db_int(q, 0), e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	return rc;
}
