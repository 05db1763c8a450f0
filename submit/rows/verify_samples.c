/* Check blocks of ticks and of samples against what they decode to. */
#include "config.h"

#include "submit/rows/verify_samples.h"

#include "common/record/sampleblock.h"
#include "common/record/tickblock.h"
#include "db/samples.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Difference up to which two means are equal, relative to the largest value: sums are made in
 * different orders. */
#define EPSILON 1e-9

struct checking {
	struct pm_db *db;
	int64_t job;
	pm_verify_samples_fn *each;
	void *ctx;
	struct pm_samples *samples; /* of the current series, NULL: a block cannot be read */
	int64_t series, end_us;     /* end of its block before */
};

/* What a block tells of its samples: columns of the query, in this order behind the key. */
enum { BEGIN, END, KNOWN, LEAST, GREATEST, VALUES };

static const char *const column[VALUES] = { "begin_us", "end_us", "known", "minimum", "maximum" };

struct block {
	int64_t value[VALUES];
	long double sum;
};

/* --- ticks ------------------------------------------------------------------------------------ */

/* Check a column of times, `at` and the two behind it. Returns 0 or -1 with e filled. */
static int check_times(const struct checking *c, struct pm_stmt *q, int at, const char *name,
		       struct pm_err *e)
{
	int64_t time_us[PM_SAMPLEBLOCK_MAX], ticks = pm_db_int(q, 1), digits = pm_db_int(q, at + 1);
	char what[48], stored[96], expected[96];
	size_t length;
	const char *text = pm_db_text(q, at + 2, &length);

	if (text && ticks >= 1 && ticks <= PM_SAMPLEBLOCK_MAX && digits >= 1 &&
	    digits <= PM_TICKBLOCK_DIGITS && length == (size_t)(ticks * digits) &&
	    pm_tickblock_decode(text, length, pm_db_int(q, at), (int)digits, 0, time_us,
				(size_t)ticks) == 0)
		return 0;
	snprintf(what, sizeof what, "ticks %" PRId64, pm_db_int(q, 0));
	snprintf(stored, sizeof stored, "%zu characters in column %s", text ? length : 0, name);
	snprintf(expected, sizeof expected, "%" PRId64 " numbers of %" PRId64 " digits, at most %d",
		 ticks, digits, PM_SAMPLEBLOCK_MAX);
	return c->each(c->ctx, what, stored, expected, e);
}

static int check_ticks(const struct checking *c, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(c->db,
			  "SELECT id, ticks, time_us, digits, times, monotonic_us, "
			  "monotonic_digits, monotonics FROM tick_block WHERE job_id = ? ORDER BY "
			  "id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, c->job);
	while ((rc = pm_db_step(q, e)) > 0)
		if (check_times(c, q, 2, "times", e) < 0 ||
		    (!pm_db_is_null(q, 5) && check_times(c, q, 5, "monotonics", e) < 0)) {
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

/* Compare a block with its row, the current one of q. Returns 0 or -1 with e filled. */
static int compare_block(const struct checking *c, struct pm_stmt *q, const char *what,
			 const struct block *b, struct pm_err *e)
{
	double mean = b->value[KNOWN] ? (double)(b->sum / (long double)b->value[KNOWN]) : 0;
	double size = fmax(fabs((double)b->value[LEAST]), fabs((double)b->value[GREATEST]));
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
	if (b->value[KNOWN] == 0 || fabs(pm_db_real(q, 3 + VALUES) - mean) <= EPSILON * size)
		return 0;
	snprintf(stored, sizeof stored, "mean %.9g", pm_db_real(q, 3 + VALUES));
	snprintf(expected, sizeof expected, "mean %.9g", mean);
	return c->each(c->ctx, what, stored, expected, e);
}

/* Check a block, the current row of q. Returns 0 or -1 with e filled. */
static int check_block(struct checking *c, struct pm_stmt *q, struct pm_err *e)
{
	char what[80], stored[48], expected[48];
	int64_t id = pm_db_int(q, 1), samples = pm_db_int(q, 2);
	struct block b = { .sum = 0 };
	struct pm_err why = { "" };
	struct pm_sample x;
	int rc = 1;

	for (int64_t i = 0; i < samples && (rc = pm_samples_next(c->samples, &x, &why)) > 0; i++)
		add_sample(&b, &x, i == 0);
	snprintf(what, sizeof what, "series %" PRId64 ", block %" PRId64, c->series, id);
	if (rc <= 0) {
		/* If the database itself fails, other queries will fail, too. */
		pm_samples_free(c->samples);
		c->samples = NULL;
		return c->each(c->ctx, what, rc < 0 ? why.text : "too few samples",
			       "samples that can be read", e);
	}
	if (id > 1 && b.value[BEGIN] <= c->end_us) {
		snprintf(stored, sizeof stored, "begin_us %" PRId64, b.value[BEGIN]);
		snprintf(expected, sizeof expected, "later than %" PRId64, c->end_us);
		if (c->each(c->ctx, what, stored, expected, e) < 0)
			return -1;
	}
	c->end_us = b.value[END];
	return compare_block(c, q, what, &b, e);
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
		if (pm_db_int(q, 0) != c->series) {
			pm_samples_free(c->samples);
			c->series = pm_db_int(q, 0);
			c->samples = pm_samples_new(c->db, c->job, c->series, e);
			if (!c->samples) {
				rc = -1;
				break;
			}
		}
		if (c->samples && check_block(c, q, e) < 0) {
			rc = -1;
			break;
		}
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
