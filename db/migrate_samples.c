/* Code the samples of a database of schema version 3. Never changed again: see migrate.c. */
#include "config.h"

#include "db/migrate_samples.h"

#include "common/record/samplecode.h"
#include "common/record/tickblock.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* A block of ticks of the job being coded: node of a search tree. */
struct known_ticks {
	int64_t host, least, id;
	size_t n;
	char text[]; /* not compared beyond n */
};

struct converting {
	struct pm_db *db;
	struct pm_stmt *ticks, *block;
	void *known;      /* tree of known_ticks */
	int64_t tick_ids; /* of the job */
	/* the series being coded */
	int64_t job, host, series, block_id;
	int64_t time_us[PM_SAMPLEBLOCK_MAX], value[PM_SAMPLEBLOCK_MAX];
	size_t n;
	struct pm_samplegaps gaps;
	struct pm_samplereasons reasons;
	struct pm_samplecode code;
};

static int compare_ticks(const void *a, const void *b)
{
	const struct known_ticks *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->least != y->least)
		return x->least < y->least ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return memcmp(x->text, y->text, x->n);
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
	t->host = c->host;
	t->least = least;
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
	return pm_db_run(c->ticks, e) < 0 ? -1 : t->id;
}

static int write_block(struct converting *c, int64_t ticks, size_t from, size_t to,
		       struct pm_err *e)
{
	const struct pm_samplecode *x = &c->code;
	struct pm_stmt *q = c->block;

	pm_db_bind_int(q, 1, c->job);
	pm_db_bind_int(q, 2, c->series);
	pm_db_bind_int(q, 3, ++c->block_id);
	pm_db_bind_int(q, 4, ticks);
	pm_db_bind_int(q, 5, (int64_t)from);
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
	int64_t ticks = c->n ? place_ticks(c, e) : 0;

	if (ticks < 0)
		return -1;
	pm_samplerun_prepare(&run);
	for (size_t from = 0, to; from < c->n; from = to) {
		to = pm_samplerun_end(&run, from);
		if (pm_samplerun_code(&run, from, to, &c->code) < 0)
			return pm_err(e, "out of memory");
		if (write_block(c, ticks, from, to, e) < 0)
			return -1;
	}
	c->n = c->gaps.n = c->reasons.n = 0;
	return 0;
}

/* Take a row: job, host, series, time, value, reason. Returns 0 or -1 with e filled. */
static int take_row(struct converting *c, struct pm_stmt *q, struct pm_err *e)
{
	int64_t job = pm_db_int(q, 0), series = pm_db_int(q, 2), time_us = pm_db_int(q, 3), span;
	const bool known = !pm_db_is_null(q, 4);
	double value = pm_db_real(q, 4);
	struct pm_str reason = { "", 0 };

	if (c->n == PM_SAMPLEBLOCK_MAX || job != c->job || series != c->series ||
	    (c->n &&
	     (__builtin_sub_overflow(time_us, c->time_us[0], &span) || span > PM_TICKBLOCK_SPAN)))
		if (write_values(c, e) < 0)
			return -1;
	if (job != c->job) {
		tdestroy(c->known, free);
		c->known = NULL;
		c->tick_ids = 0;
	}
	if (job != c->job || series != c->series)
		c->block_id = 0;
	c->job = job;
	c->host = pm_db_int(q, 1);
	c->series = series;
	if (!pm_db_is_null(q, 5))
		reason.p = pm_db_text(q, 5, &reason.n);
	if (!known && pm_samplegaps_add(&c->gaps, &c->reasons, c->n, reason) < 0)
		return pm_err(e, "out of memory");
	c->time_us[c->n] = time_us;
	c->value[c->n] = !known            ? (c->n ? c->value[c->n - 1] : 0)
			 : value >= 0x1p63 ? INT64_MAX
			 : value < -0x1p63 ? INT64_MIN
					   : (int64_t)value;
	c->n++;
	return 0;
}

static int convert_rows(struct converting *c, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(c->db,
			  "SELECT x.job_id, s.host_id, x.series_id, x.time_us, x.value, x.reason"
			  " FROM sample_3 x JOIN series s ON s.job_id = x.job_id AND s.id = "
			  "x.series_id ORDER BY x.job_id, x.series_id, x.time_us",
			  &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (take_row(c, q, e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	return rc < 0 ? -1 : write_values(c, e);
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
		rc = convert_rows(c, e);
	pm_db_finish(c->ticks);
	pm_db_finish(c->block);
	if (rc == 0)
		rc = pm_db_exec(db, "DROP TABLE sample_3", e);
	tdestroy(c->known, free);
	free(c->gaps.gap);
	free(c->reasons.text);
	pm_samplecode_free(&c->code);
	free(c);
	return rc < 0 ? pm_err_prefix(e, "code the samples") : 0;
}
