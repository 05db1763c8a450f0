/* Check blocks of ticks and of samples against what they decode to. */
#include "config.h"

#include "submit/rows/verify_samples.h"

#include "common/record/sampleblock.h"
#include "common/record/tickblock.h"
#include "db/samples.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Difference up to which two means are equal, relative to the largest value: sums are made in
 * different orders. */
#define EPSILON 1e-9

struct checking {
	struct pm_db *db;
	int64_t job;
	pm_verify_samples_fn *each;
	void *ctx;
	/* the current series, and its block before: number 0, there is none */
	struct pm_samples *samples;
	int64_t series, block;
	/* end of its latest block that could be read: number 0, there is none */
	int64_t read, end_us;
};

/* What a block tells of its samples: columns of the query, in this order behind the key. */
enum { BEGIN, END, KNOWN, LEAST, GREATEST, VALUES };

static const char *const column[VALUES] = { "begin_us", "end_us", "known", "minimum", "maximum" };

struct block {
	int64_t value[VALUES];
	long double sum;
};

/* --- ticks ------------------------------------------------------------------------------------ */

/* Report a fault of the ticks in the current row of q. Returns 0 or -1 with e filled. */
static int report_ticks(const struct checking *c, struct pm_stmt *q, const char *stored,
			const char *expected, struct pm_err *e)
{
	char what[48];

	snprintf(what, sizeof what, "ticks %" PRId64, pm_db_int(q, 0));
	return c->each(c->ctx, what, stored, expected, e);
}

/* Check that a column in the current row of q is in 1..most. Returns 1, 0 after a fault, or -1 with
 * e filled. */
static int check_range(const struct checking *c, struct pm_stmt *q, int at, const char *name,
		       int most, struct pm_err *e)
{
	char stored[64], expected[64];

	if (pm_db_int(q, at) >= 1 && pm_db_int(q, at) <= most)
		return 1;
	snprintf(stored, sizeof stored, "%s %" PRId64, name, pm_db_int(q, at));
	snprintf(expected, sizeof expected, "%s 1 to %d", name, most);
	return report_ticks(c, q, stored, expected, e);
}

/* Check times in the current row of q: column `at` is their digits, the next one their text.
 * Returns 0 or -1 with e filled. */
static int check_times(const struct checking *c, struct pm_stmt *q, int at, const char *digits_name,
		       const char *name, struct pm_err *e)
{
	int64_t ticks = pm_db_int(q, 1), digits = pm_db_int(q, at);
	char stored[96], expected[96];
	size_t length = 0, i = 0;
	const char *text = pm_db_text(q, at + 1, &length);
	int rc = check_range(c, q, at, digits_name, PM_TICKBLOCK_DIGITS, e);

	if (rc <= 0)
		return rc;
	if (length != (size_t)(ticks * digits)) {
		snprintf(stored, sizeof stored, "%zu characters in column %s", length, name);
		snprintf(expected, sizeof expected,
			 "%" PRId64 ", %" PRId64 " for each of %" PRId64 " ticks", ticks * digits,
			 digits, ticks);
		return report_ticks(c, q, stored, expected, e);
	}
	while (i < length && text[i] >= '0' && text[i] <= '9')
		i++;
	if (i == length)
		return 0;
	snprintf(stored, sizeof stored,
		 text[i] > ' ' && text[i] <= '~' ? "'%c' as character %zu of column %s"
						 : "byte %d as character %zu of column %s",
		 (unsigned char)text[i], i + 1, name);
	return report_ticks(c, q, stored, "a digit", e);
}

/* Check the monotonic times in the current row of q, which may be unknown. Returns 0 or -1 with e
 * filled. */
static int check_monotonics(const struct checking *c, struct pm_stmt *q, struct pm_err *e)
{
	static const char *const name[] = { "monotonic_us", "monotonic_digits", "monotonics" };
	char stored[80] = "";
	int null = 0;

	for (int k = 0; k < 3; k++) {
		size_t n = strlen(stored);

		if (!pm_db_is_null(q, 4 + k))
			continue;
		snprintf(stored + n, sizeof stored - n, "%sno %s", null++ ? ", " : "", name[k]);
	}
	if (null == 0)
		return check_times(c, q, 5, name[1], name[2], e);
	return null == 3
		       ? 0
		       : report_ticks(c, q, stored,
				      "monotonic_us, monotonic_digits and monotonics, or none", e);
}

/* Check the ticks in the current row of q. Returns 0 or -1 with e filled. */
static int check_tick_block(const struct checking *c, struct pm_stmt *q, struct pm_err *e)
{
	int rc = check_range(c, q, 1, "ticks", PM_SAMPLEBLOCK_MAX, e);

	if (rc <= 0)
		return rc;
	return check_times(c, q, 2, "digits", "times", e) < 0 ? -1 : check_monotonics(c, q, e);
}

static int check_ticks(const struct checking *c, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(c->db,
			  "SELECT id, ticks, digits, times, monotonic_us, monotonic_digits, "
			  "monotonics FROM tick_block WHERE job_id = ? ORDER BY id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, c->job);
	while ((rc = pm_db_step(q, e)) > 0)
		if (check_tick_block(c, q, e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	return rc;
}

/* --- samples ---------------------------------------------------------------------------------- */

static void add_sample(struct block *b, const struct pm_sample *x, bool first)
{
	int64_t *v = b->value;

	v[BEGIN] = first || x->time_us < v[BEGIN] ? x->time_us : v[BEGIN];
	v[END] = first || x->time_us > v[END] ? x->time_us : v[END];
	if (!x->known)
		return;
	v[LEAST] = v[KNOWN] && v[LEAST] < x->value ? v[LEAST] : x->value;
	v[GREATEST] = v[KNOWN] && v[GREATEST] > x->value ? v[GREATEST] : x->value;
	v[KNOWN]++;
	b->sum += (long double)x->value;
}

static void format_column(char *dst, size_t cap, const char *name, bool known, int64_t value)
{
	if (known)
		snprintf(dst, cap, "%s %" PRId64, name, value);
	else
		snprintf(dst, cap, "no %s", name);
}

/* Compare the mean of a block with that in the current row of q. Returns 0 or -1 with e filled. */
static int compare_mean(const struct checking *c, struct pm_stmt *q, const char *what,
			const struct block *b, struct pm_err *e)
{
	bool known = b->value[KNOWN] > 0, has = !pm_db_is_null(q, 3 + VALUES);
	double mean = known ? (double)(b->sum / (long double)b->value[KNOWN]) : 0;
	double size = fmax(fabs((double)b->value[LEAST]), fabs((double)b->value[GREATEST]));
	char stored[48] = "no mean", expected[48] = "no mean";

	if (has == known && (!known || fabs(pm_db_real(q, 3 + VALUES) - mean) <= EPSILON * size))
		return 0;
	if (has)
		snprintf(stored, sizeof stored, "mean %.9g", pm_db_real(q, 3 + VALUES));
	if (known)
		snprintf(expected, sizeof expected, "mean %.9g", mean);
	return c->each(c->ctx, what, stored, expected, e);
}

/* Compare a block with its row, the current one of q. Returns 0 or -1 with e filled. */
static int compare_block(const struct checking *c, struct pm_stmt *q, const char *what,
			 const struct block *b, struct pm_err *e)
{
	char stored[96], expected[96];

	for (int k = 0; k < VALUES; k++) {
		bool known = k < LEAST || b->value[KNOWN] > 0, has = !pm_db_is_null(q, 3 + k);
		int64_t value = pm_db_int(q, 3 + k);

		if (has == known && (!known || value == b->value[k]))
			continue;
		format_column(stored, sizeof stored, column[k], has, value);
		format_column(expected, sizeof expected, column[k], known, b->value[k]);
		if (c->each(c->ctx, what, stored, expected, e) < 0)
			return -1;
	}
	return compare_mean(c, q, what, b, e);
}

/* Check that no block is missing before a block. Returns 0 or -1 with e filled. */
static int check_number(const struct checking *c, int64_t id, struct pm_err *e)
{
	char what[48], stored[80], expected[48];

	if (id == c->block + 1)
		return 0;
	snprintf(what, sizeof what, "series %" PRId64, c->series);
	if (c->block)
		snprintf(stored, sizeof stored, "block %" PRId64 " behind block %" PRId64, id,
			 c->block);
	else
		snprintf(stored, sizeof stored, "block %" PRId64 " as the first", id);
	snprintf(expected, sizeof expected, "block %" PRId64, c->block + 1);
	return c->each(c->ctx, what, stored, expected, e);
}

/* Check a block, the current row of q. Returns 0 or -1 with e filled. */
static int check_block(struct checking *c, struct pm_stmt *q, struct pm_err *e)
{
	char what[80], stored[48], expected[80];
	int64_t id = pm_db_int(q, 1), samples = pm_db_int(q, 2), i = 0;
	struct block b = { .sum = 0 };
	struct pm_err why = { "" };
	struct pm_sample x;
	int rc;

	snprintf(what, sizeof what, "series %" PRId64 ", block %" PRId64, c->series, id);
	/* At least one: a number of samples out of range is damage, too. */
	do {
		rc = pm_samples_next(c->samples, &x, &why);
		if (rc > 0)
			add_sample(&b, &x, i == 0);
	} while (rc > 0 && ++i < samples);
	if (rc < 0 && !pm_samples_damage(c->samples))
		return pm_err(e, "%s", why.text);
	if (rc <= 0)
		return c->each(c->ctx, what,
			       rc < 0 ? pm_samples_damage(c->samples) : "too few samples",
			       "samples that can be read", e);
	if (c->read && b.value[BEGIN] <= c->end_us) {
		snprintf(stored, sizeof stored, "earliest sample at %" PRId64, b.value[BEGIN]);
		snprintf(expected, sizeof expected, "later than %" PRId64 " in block %" PRId64,
			 c->end_us, c->read);
		if (c->each(c->ctx, what, stored, expected, e) < 0)
			return -1;
	}
	c->read = id;
	c->end_us = b.value[END];
	return compare_block(c, q, what, &b, e);
}

/* Begin a series. Returns 0 or -1 with e filled. */
static int begin_series(struct checking *c, int64_t series, struct pm_err *e)
{
	pm_samples_free(c->samples);
	c->series = series;
	c->block = c->read = c->end_us = 0;
	c->samples = pm_samples_new(c->db, c->job, series, e);
	return c->samples ? 0 : -1;
}

static int check_blocks(struct checking *c, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(c->db,
			  "SELECT series_id, id, samples, begin_us, end_us, known, minimum, "
			  "maximum, mean FROM sample_block WHERE job_id = ? ORDER BY series_id, id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, c->job);
	while ((rc = pm_db_step(q, e)) > 0) {
		if ((!c->samples || pm_db_int(q, 0) != c->series) &&
		    begin_series(c, pm_db_int(q, 0), e) < 0)
			rc = -1;
		if (rc < 0 || check_number(c, pm_db_int(q, 1), e) < 0 || check_block(c, q, e) < 0) {
			rc = -1;
			break;
		}
		c->block = pm_db_int(q, 1);
	}
	pm_db_finish(q);
	pm_samples_free(c->samples);
	return rc;
}

int pm_verify_samples(struct pm_db *db, int64_t job, pm_verify_samples_fn *each, void *ctx,
		      struct pm_err *e)
{
	struct checking c = { .db = db, .job = job, .each = each, .ctx = ctx };

	return check_ticks(&c, e) < 0 ? -1 : check_blocks(&c, e);
}
