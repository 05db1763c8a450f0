/* Code the samples of a database of schema version 3. Never changed again: see migrate.c. */
#include "config.h"

#include "db/migrate_samples.h"

#include "common/grow.h"
#include "common/record/samplecode.h"
#include "common/record/tickblock.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* A block of ticks of the host whose series are being coded: node of a search tree. */
struct known_ticks {
	int64_t least, id;
	int digits; /* of each tick in text */
	size_t n;
	char text[]; /* not compared beyond n */
};

/* Such a block whose times are known: those of a host do not overlap, in their order. */
struct shared_ticks {
	int64_t id;
	size_t n;
	int64_t *time_us;
};

struct converting {
	struct pm_db *db;
	struct pm_stmt *ticks, *block;
	void *known;      /* tree of known_ticks */
	int64_t tick_ids; /* of the job */
	struct shared_ticks *shared;
	size_t shared_n, shared_cap;
	/* the series being coded */
	int64_t job, host, series, block_id;
	int64_t time_us[PM_SAMPLEBLOCK_MAX], value[PM_SAMPLEBLOCK_MAX];
	size_t n;
	const struct shared_ticks *in; /* has the values' times, from tick `at` on; NULL: none */
	size_t at;
	struct pm_samplegaps gaps;
	struct pm_samplereasons reasons;
	struct pm_samplecode code;
};

static int compare_ticks(const void *a, const void *b)
{
	const struct known_ticks *x = a, *y = b;

	if (x->least != y->least)
		return x->least < y->least ? -1 : 1;
	if (x->digits != y->digits)
		return x->digits < y->digits ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return memcmp(x->text, y->text, x->n);
}

static void forget_ticks(struct converting *c)
{
	tdestroy(c->known, free);
	c->known = NULL;
	while (c->shared_n)
		free(c->shared[--c->shared_n].time_us);
	c->in = NULL;
}

/* Number of shared ticks that begin at a time or before. */
static size_t count_begun(const struct converting *c, int64_t time_us)
{
	size_t low = 0, high = c->shared_n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (c->shared[middle].time_us[0] <= time_us)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Find the shared ticks that a run of values may begin in. */
static void find_shared(struct converting *c, int64_t time_us)
{
	size_t begun = count_begun(c, time_us), low = 0, high;
	const struct shared_ticks *t = begun ? &c->shared[begun - 1] : NULL;

	c->in = NULL;
	for (high = t ? t->n : 0; low < high;) {
		size_t middle = (low + high) / 2;

		if (t->time_us[middle] < time_us)
			low = middle + 1;
		else
			high = middle;
	}
	if (!t || low == t->n || t->time_us[low] != time_us)
		return;
	c->in = t;
	c->at = low;
}

/* Let other series share the ticks of the values, unless there are such at that time. Returns 0, or
 * -1 if out of memory. */
static int share_ticks(struct converting *c, int64_t id)
{
	size_t at = count_begun(c, c->time_us[c->n - 1]);
	const struct shared_ticks *before = at ? &c->shared[at - 1] : NULL;
	struct shared_ticks *t;

	if (before && before->time_us[before->n - 1] >= c->time_us[0])
		return 0;
	if (!PM_GROW(c->shared, c->shared_n, c->shared_cap, 16))
		return -1;
	t = &c->shared[at];
	memmove(t + 1, t, (c->shared_n - at) * sizeof *t);
	t->id = id;
	t->n = c->n;
	t->time_us = malloc(c->n * sizeof *t->time_us);
	if (!t->time_us) {
		memmove(t, t + 1, (c->shared_n - at) * sizeof *t);
		return -1;
	}
	memcpy(t->time_us, c->time_us, c->n * sizeof *t->time_us);
	c->shared_n++;
	return 0;
}

/* Number of the block of ticks that has the times of the values, written where it is new. Returns
 * it, or -1 with e filled. */
static int64_t place_ticks(struct converting *c, struct pm_err *e)
{
	int64_t least = pm_tickblock_least(c->time_us, c->n);
	int digits = pm_tickblock_digits(c->time_us, c->n, least);
	struct known_ticks *t = malloc(sizeof *t + c->n * (size_t)digits), **node;

	if (!t)
		return pm_err(e, "out of memory");
	t->least = least;
	t->digits = digits;
	t->n = c->n * (size_t)digits;
	pm_tickblock_encode(c->time_us, c->n, least, digits, t->text);
	node = tsearch(t, &c->known, compare_ticks);
	if (!node) {
		free(t);
		return pm_err(e, "out of memory");
	}
	if (*node != t) {
		free(t);
		return (*node)->id;
	}
	t->id = ++c->tick_ids;
	pm_db_bind_int(c->ticks, 1, c->job);
	pm_db_bind_int(c->ticks, 2, t->id);
	pm_db_bind_int(c->ticks, 3, c->host);
	pm_db_bind_int(c->ticks, 4, (int64_t)c->n);
	pm_db_bind_int(c->ticks, 5, least);
	pm_db_bind_int(c->ticks, 6, digits);
	pm_db_bind_text(c->ticks, 7, t->text, t->n);
	if (share_ticks(c, t->id) < 0)
		return pm_err(e, "out of memory");
	return pm_db_run(c->ticks, e) < 0 ? -1 : t->id;
}

/* Write the values from..to, whose times are ticks from `tick` on. Returns 0 or -1 with e filled.
 */
static int write_block(struct converting *c, int64_t ticks, size_t tick, size_t from, size_t to,
		       struct pm_err *e)
{
	const struct pm_samplecode *x = &c->code;
	struct pm_stmt *q = c->block;

	pm_db_bind_int(q, 1, c->job);
	pm_db_bind_int(q, 2, c->series);
	pm_db_bind_int(q, 3, ++c->block_id);
	pm_db_bind_int(q, 4, ticks);
	pm_db_bind_int(q, 5, (int64_t)tick);
	pm_db_bind_int(q, 6, c->time_us[from]);
	pm_db_bind_int(q, 7, c->time_us[to - 1]);
	pm_db_bind_int(q, 8, x->samples);
	pm_db_bind_int(q, 9, x->known);
	pm_db_bind_int(q, 10, x->block.first);
	pm_db_bind_int(q, 11, x->block.step);
	pm_db_bind_int(q, 12, x->block.base);
	pm_db_bind_blob(q, 13, x->deviations, x->bytes);
	if (x->unknown_size)
		pm_db_bind_text(q, 14, x->unknown, x->unknown_size);
	if (x->known) {
		pm_db_bind_int(q, 15, x->least);
		pm_db_bind_int(q, 16, x->greatest);
		pm_db_bind_real(q, 17, x->mean);
	}
	return pm_db_run(q, e);
}

/* Write the values gathered so far. Returns 0 or -1 with e filled. */
static int write_values(struct converting *c, struct pm_err *e)
{
	const struct pm_samplerun run = { c->value, c->n, &c->gaps, &c->reasons };
	const size_t at = c->in ? c->at : 0;
	int64_t ticks = c->in ? c->in->id : c->n ? place_ticks(c, e) : 0;

	if (ticks < 0)
		return -1;
	pm_samplerun_prepare(&run);
	for (size_t from = 0, to; from < c->n; from = to) {
		to = pm_samplerun_end(&run, from);
		if (pm_samplerun_code(&run, from, to, &c->code) < 0)
			return pm_err(e, "out of memory");
		if (write_block(c, ticks, at + from, from, to, e) < 0)
			return -1;
	}
	c->n = c->gaps.n = c->reasons.n = 0;
	c->in = NULL;
	return 0;
}

/* Begin a run of values, or go on with one: write it first where it is full, or ends with the ticks
 * that it shares. Returns 0 or -1 with e filled. */
static int place_value(struct converting *c, int64_t time_us, struct pm_err *e)
{
	int64_t span;

	if (c->n == PM_SAMPLEBLOCK_MAX || (c->in && c->at + c->n == c->in->n) ||
	    (c->n &&
	     (__builtin_sub_overflow(time_us, c->time_us[0], &span) || span > PM_TICKBLOCK_SPAN)))
		if (write_values(c, e) < 0)
			return -1;
	if (c->n == 0)
		find_shared(c, time_us);
	else if (c->in && c->in->time_us[c->at + c->n] != time_us)
		c->in = NULL;
	return 0;
}

/* Take a row: time, value, reason. Returns 0 or -1 with e filled. */
static int take_row(struct converting *c, struct pm_stmt *q, struct pm_err *e)
{
	const bool known = !pm_db_is_null(q, 1);
	double value = pm_db_real(q, 1);
	struct pm_str reason = { "", 0 };

	if (place_value(c, pm_db_int(q, 0), e) < 0)
		return -1;
	if (!pm_db_is_null(q, 2))
		reason.p = pm_db_text(q, 2, &reason.n);
	if (!known && pm_samplegaps_add(&c->gaps, &c->reasons, c->n, reason) < 0)
		return pm_err(e, "out of memory");
	c->time_us[c->n] = pm_db_int(q, 0);
	c->value[c->n] = !known            ? (c->n ? c->value[c->n - 1] : 0)
			 : value >= 0x1p63 ? INT64_MAX
			 : value < -0x1p63 ? INT64_MIN
					   : (int64_t)value;
	c->n++;
	return 0;
}

/* Code a series: job, host, series. Returns 0 or -1 with e filled. */
static int convert_series(struct converting *c, struct pm_stmt *all, struct pm_stmt *samples,
			  struct pm_err *e)
{
	int rc;

	if (pm_db_int(all, 0) != c->job || pm_db_int(all, 1) != c->host)
		forget_ticks(c);
	if (pm_db_int(all, 0) != c->job)
		c->tick_ids = 0;
	c->job = pm_db_int(all, 0);
	c->host = pm_db_int(all, 1);
	c->series = pm_db_int(all, 2);
	c->block_id = 0;
	pm_db_bind_int(samples, 1, c->job);
	pm_db_bind_int(samples, 2, c->series);
	while ((rc = pm_db_step(samples, e)) > 0)
		if (take_row(c, samples, e) < 0)
			return -1;
	pm_db_reset(samples);
	return rc < 0 ? -1 : write_values(c, e);
}

/* Code all series: of each host the longest first, whose ticks others share. */
static int convert_all(struct converting *c, struct pm_err *e)
{
	struct pm_stmt *all = NULL, *samples = NULL;
	int rc = -1;

	if (pm_db_prepare(c->db,
			  "SELECT s.job_id, s.host_id, s.id FROM series s JOIN (SELECT job_id, "
			  "series_id, count(*) AS n FROM sample_3 GROUP BY job_id, series_id) x ON "
			  "x.job_id = s.job_id AND x.series_id = s.id ORDER BY s.job_id, s.host_id,"
			  " x.n DESC, s.id",
			  &all, e) == 0 &&
	    pm_db_prepare(c->db,
			  "SELECT time_us, value, reason FROM sample_3 WHERE job_id = ? AND "
			  "series_id = ? ORDER BY time_us",
			  &samples, e) == 0)
		while ((rc = pm_db_step(all, e)) > 0)
			if (convert_series(c, all, samples, e) < 0) {
				rc = -1;
				break;
			}
	pm_db_finish(all);
	pm_db_finish(samples);
	return rc;
}

int pm_migrate_samples(struct pm_db *db, struct pm_err *e)
{
	struct converting *c = calloc(1, sizeof *c);
	int rc = -1;

	if (!c)
		return pm_err(e, "out of memory");
	c->db = db;
	if (pm_db_prepare(db,
			  "INSERT INTO tick_block (job_id, id, host_id, ticks, time_us, digits, "
			  "times) VALUES (?, ?, ?, ?, ?, ?, ?)",
			  &c->ticks, e) == 0 &&
	    pm_db_prepare(db,
			  "INSERT INTO sample_block (job_id, series_id, id, tick_block_id, tick, "
			  "begin_us, end_us, samples, known, first, step, base, deviations, "
			  "unknown, minimum, maximum, mean) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
			  "?, ?, ?, ?, ?, ?, ?)",
			  &c->block, e) == 0)
		rc = convert_all(c, e);
	pm_db_finish(c->ticks);
	pm_db_finish(c->block);
	if (rc == 0)
		rc = pm_db_exec(db, "DROP TABLE sample_3", e);
	forget_ticks(c);
	free(c->shared);
	free(c->gaps.gap);
	free(c->reasons.text);
	pm_samplecode_free(&c->code);
	free(c);
	return rc < 0 ? pm_err_prefix(e, "code the samples") : 0;
}
