/* Decode the blocks of a series. */
#include "config.h"

#include "db/samples.h"

#include "common/record/sampleblock.h"
#include "common/record/tickblock.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct pm_samples {
	struct pm_stmt *q; /* NULL: its last row is the current block */
	int ahead;         /* with `stepped`: what pm_db_step() returned behind the current block */
	bool stepped;
	struct pm_err failure;      /* of that step */
	int64_t series, tick_block; /* of the current block */
	json_t *unknown;            /* of the current block */
	int64_t value[PM_SAMPLEBLOCK_MAX], time_us[PM_SAMPLEBLOCK_MAX],
		monotonic_us[PM_SAMPLEBLOCK_MAX];
	const char *reason[PM_SAMPLEBLOCK_MAX]; /* NULL: known */
	const char *damage;                     /* of the current block, NULL: none */
	uint16_t order[PM_SAMPLEBLOCK_MAX];
	size_t n, next;
};

/* Three columns of either clock. */
enum {
	ID,
	FIRST,
	STEP,
	BASE,
	DEVIATIONS,
	SAMPLES,
	TICK,
	UNKNOWN,
	SERIES,
	TICK_BLOCK,
	TIMES,
	MONOTONICS = TIMES + 3
};

/* A block without its ticks is noticed as damaged. */
#define BLOCKS                                                                                     \
	"SELECT b.id, b.first, b.step, b.base, b.deviations, b.samples, b.tick, b.unknown,"        \
	" b.series_id, b.tick_block_id,"                                                           \
	" t.time_us, t.digits, t.times, t.monotonic_us, t.monotonic_digits, t.monotonics "         \
	"FROM sample_block b LEFT JOIN tick_block t"                                               \
	" ON t.job_id = b.job_id AND t.id = b.tick_block_id WHERE b.job_id = ?"

static struct pm_samples *begin(struct pm_db *db, const char *sql, int64_t job, struct pm_err *e)
{
	struct pm_samples *s = calloc(1, sizeof *s);

	if (!s) {
		pm_err(e, "out of memory");
		return NULL;
	}
	if (pm_db_prepare(db, sql, &s->q, e) < 0) {
		free(s);
		return NULL;
	}
	pm_db_bind_int(s->q, 1, job);
	return s;
}

struct pm_samples *pm_samples_new(struct pm_db *db, int64_t job, int64_t series, struct pm_err *e)
{
	struct pm_samples *s = begin(db, BLOCKS " AND b.series_id = ? ORDER BY b.id", job, e);

	if (s)
		pm_db_bind_int(s->q, 2, series);
	return s;
}

struct pm_samples *pm_samples_of_job(struct pm_db *db, int64_t job, struct pm_err *e)
{
	return begin(db, BLOCKS " ORDER BY b.series_id, b.id", job, e);
}

void pm_samples_free(struct pm_samples *s)
{
	if (!s)
		return;
	pm_db_finish(s->q);
	json_decref(s->unknown);
	free(s);
}

/* Read the reasons of unknown values. Returns 0, or -1 if the text is not as it should be. */
static int read_unknown(struct pm_samples *s, const char *text, size_t size)
{
	size_t i;
	json_t *run;

	memset(s->reason, 0, sizeof s->reason);
	json_decref(s->unknown);
	s->unknown = text ? json_loadb(text, size, 0, NULL) : NULL;
	if (text && !json_is_array(s->unknown))
		return -1;
	json_array_foreach (s->unknown, i, run) {
		const char *reason = json_string_value(json_array_get(run, 2));
		json_int_t at = json_integer_value(json_array_get(run, 0));
		json_int_t count = json_integer_value(json_array_get(run, 1));

		if (!reason || at < 0 || count < 1 || count > (json_int_t)s->n ||
		    at > (json_int_t)s->n - count)
			return -1;
		for (; count > 0; count--)
			s->reason[at++] = reason;
	}
	return 0;
}

/* Order the samples by time: the clock may have been set back. */
static void order_samples(struct pm_samples *s)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t k = i;

		/* Nearly always the sample is the latest. */
		for (; k > 0 && s->time_us[s->order[k - 1]] > s->time_us[i]; k--)
			s->order[k] = s->order[k - 1];
		s->order[k] = (uint16_t)i;
	}
}

/* Decode the times of a clock, whose columns begin at `at`. Returns 0, or -1 if they are damaged.
 */
static int decode_times(struct pm_samples *s, int at, int64_t *to)
{
	int64_t tick = pm_db_int(s->q, TICK), digits = pm_db_int(s->q, at + 1);
	size_t length;
	const char *text = pm_db_text(s->q, at + 2, &length);

	if (!text || tick < 0 || tick > PM_SAMPLEBLOCK_MAX || digits < 1 ||
	    digits > PM_TICKBLOCK_DIGITS)
		return -1;
	return pm_tickblock_decode(text, length, pm_db_int(s->q, at), (int)digits, (size_t)tick, to,
				   s->n);
}

/* Decode the current row. Returns NULL, or its damage. */
static const char *decode_block(struct pm_samples *s)
{
	const struct pm_sampleblock b = { pm_db_int(s->q, FIRST), pm_db_int(s->q, STEP),
					  pm_db_int(s->q, BASE) };
	int64_t n = pm_db_int(s->q, SAMPLES);
	size_t bytes, unknown = 0;
	const void *deviations = pm_db_blob(s->q, DEVIATIONS, &bytes);
	const char *text;

	s->n = s->next = 0;
	if (n < 1 || n > PM_SAMPLEBLOCK_MAX)
		return "a number of samples out of range";
	if (pm_db_is_null(s->q, TIMES + 2))
		return "no ticks";
	if (pm_sampleblock_decode(&b, deviations, deviations ? bytes : 0, s->value, (size_t)n) < 0)
		return "deviations of another number of samples";
	s->n = (size_t)n;
	if (decode_times(s, TIMES, s->time_us) < 0) {
		s->n = 0;
		return "ticks whose times cannot be read";
	}
	if (pm_db_is_null(s->q, MONOTONICS + 2) || decode_times(s, MONOTONICS, s->monotonic_us) < 0)
		for (size_t i = 0; i < s->n; i++)
			s->monotonic_us[i] = INT64_MIN;
	text = pm_db_text(s->q, UNKNOWN, &unknown);
	if (read_unknown(s, text, unknown) < 0) {
		s->n = 0;
		return "runs of unknown values that cannot be read";
	}
	order_samples(s);
	return NULL;
}

/* Read and decode the next block. Returns as pm_samples_next(). */
static int next_block(struct pm_samples *s, struct pm_err *e)
{
	int64_t id;

	s->damage = NULL;
	if (!s->stepped)
		s->ahead = pm_db_step(s->q, &s->failure);
	s->stepped = s->ahead == 0;
	if (s->ahead < 0)
		*e = s->failure;
	if (s->ahead <= 0)
		return s->ahead;
	id = pm_db_int(s->q, ID);
	s->series = pm_db_int(s->q, SERIES);
	s->tick_block = pm_db_int(s->q, TICK_BLOCK);
	s->damage = decode_block(s);
	/* The statement ends with its last row: hundreds of series are read side by side, and what
	 * SQLite does for each open statement grows with their number. */
	s->ahead = pm_db_step(s->q, &s->failure);
	s->stepped = true;
	if (s->ahead == 0) {
		pm_db_finish(s->q);
		s->q = NULL;
	}
	if (!s->damage)
		return 1;
	return pm_err(e, "series %" PRId64 ": block %" PRId64 " of its samples is damaged: %s",
		      s->series, id, s->damage);
}

int pm_samples_next(struct pm_samples *s, struct pm_sample *x, struct pm_err *e)
{
	size_t i;

	while (s->next == s->n) {
		int rc = next_block(s, e);

		if (rc <= 0)
			return rc;
	}
	i = s->order[s->next++];
	*x = (struct pm_sample){
		.series = s->series,
		.tick_block = s->tick_block,
		.time_us = s->time_us[i],
		.monotonic_us = s->monotonic_us[i],
		.value = s->value[i],
		.known = !s->reason[i],
		.reason = s->reason[i],
	};
	return 1;
}

const char *pm_samples_damage(const struct pm_samples *s)
{
	return s->damage;
}
