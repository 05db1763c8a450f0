/* Write the samples of a job in blocks, and the ticks that they were read at. */
#include "config.h"

#include "submit/rows/write.h"

#include "common/record/tickblock.h"
#include "db/seriestotal.h"
#include "submit/job/seriesahead.h"
#include "submit/memory/filemem.h"

#include <stdlib.h>

/* Bytes of the store that are given back at once. */
#define SPENT_MIN ((uint64_t)1 << 20)

/* The times of some ticks of a window. */
struct ticks {
	int64_t of_window[2][PM_SAMPLEBLOCK_MAX]; /* times, monotonic times */
	int64_t time[2][PM_SAMPLEBLOCK_MAX];
	uint16_t number[PM_SAMPLEBLOCK_MAX];
	char text[2][PM_SAMPLEBLOCK_MAX * PM_TICKBLOCK_DIGITS];
	int64_t least[2];
	int digits[2];
	size_t n;
};

/* Read and code ticks. Returns 0 or -1 with e filled. */
static int code_ticks(struct ticks *t, struct pm_series *s, const struct pm_series_ticks *from,
		      struct pm_err *e)
{
	if (pm_series_get_times(s, &s->window[from->window], t->of_window[0], t->of_window[1], e) <
		    0 ||
	    pm_series_get_ticks(s, from, t->number, e) < 0)
		return -1;
	t->n = from->ticks;
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < t->n; i++)
			t->time[k][i] = t->of_window[k][t->number[i]];
		t->least[k] = pm_tickblock_least(t->time[k], t->n);
		t->digits[k] = pm_tickblock_digits(t->time[k], t->n, t->least[k]);
		pm_tickblock_encode(t->time[k], t->n, t->least[k], t->digits[k], t->text[k]);
	}
	return 0;
}

/* Which ticks have blocks. Returns an array to be freed, NULL if out of memory. */
static bool *find_used(const struct pm_series *s)
{
	bool *used = calloc(s->ticks_count + 1, sizeof *used);

	for (size_t i = 0; i < s->blocks && used; i++, pm_filemem_trim())
		if (!s->block[i].superseded)
			used[s->block[i].ticks] = true;
	return used;
}

static int write_ticks(struct pm_db *db, struct pm_series *s, const bool *used,
		       const struct pm_write_base *base, struct pm_err *e)
{
	struct pm_stmt *q;
	struct ticks t;
	int rc = pm_db_insert(db, "tick_block", false, &q, e);

	if (rc < 0)
		return -1;
	for (size_t i = 0; i < s->ticks_count && rc == 0; i++, pm_filemem_trim()) {
		const struct pm_series_ticks *from = &s->ticks[i];

		if (!used[i])
			continue;
		rc = code_ticks(&t, s, from, e);
		if (rc < 0)
			break;
		pm_db_bind_int(q, 1, base->job_id);
		pm_db_bind_int(q, 2, base->tick_block + (int64_t)i + 1);
		pm_db_bind_int(q, 3, base->host + s->window[from->window].host + 1);
		pm_db_bind_int(q, 4, (int64_t)t.n);
		for (int k = 0; k < 2; k++) {
			pm_db_bind_int(q, 5 + 3 * k, t.least[k]);
			pm_db_bind_int(q, 6 + 3 * k, t.digits[k]);
			pm_db_bind_text(q, 7 + 3 * k, t.text[k], t.n * (size_t)t.digits[k]);
		}
		rc = pm_db_run(q, e);
	}
	pm_db_finish(q);
	return rc;
}

/* Bind what a block has besides its key. */
static void bind_block(struct pm_stmt *q, const struct pm_series_ahead *x)
{
	const struct pm_series_coded *c = &x->coded;

	pm_db_bind_int(q, 5, x->block.tick);
	pm_db_bind_int(q, 6, x->block.begin_us);
	pm_db_bind_int(q, 7, x->block.end_us);
	pm_db_bind_int(q, 8, c->samples);
	pm_db_bind_int(q, 9, c->known);
	pm_db_bind_int(q, 10, c->block.first);
	pm_db_bind_int(q, 11, c->block.step);
	pm_db_bind_int(q, 12, c->block.base);
	pm_db_bind_blob(q, 13, x->deviations.p, x->deviations.n);
	if (x->unknown.n)
		pm_db_bind_text(q, 14, x->unknown.p, x->unknown.n);
	if (c->known) {
		pm_db_bind_int(q, 15, c->least);
		pm_db_bind_int(q, 16, c->greatest);
		pm_db_bind_real(q, 17, c->mean);
	}
}

/* Find, per series, where the blocks of it and of all behind it begin in the store. Returns an
 * array to be freed, NULL if out of memory. */
static uint64_t *find_least(const struct pm_series *s)
{
	uint64_t *least = malloc((s->count + 1) * sizeof *least), from = pm_blobs_end(&s->store);

	for (size_t i = 0; i <= s->count && least; i++)
		least[i] = from;
	for (size_t i = 0; i < s->blocks && least; i++, pm_filemem_trim()) {
		const struct pm_series_block *b = &s->block[i];

		if (!b->superseded && b->at < least[b->series])
			least[b->series] = b->at;
	}
	for (size_t i = s->count; i-- > 0 && least;)
		least[i] = least[i] < least[i + 1] ? least[i] : least[i + 1];
	return least;
}

/* Write the blocks in `order`, and add them to the totals of their series. With `least`, the store
 * is given back piece by piece. Returns 0 or -1 with e filled. */
static int write_blocks(struct pm_db *db, struct pm_series *s, const uint32_t *order, size_t n,
			const uint64_t *least, const struct pm_write_base *base,
			struct pm_seriestotal *total, struct pm_err *e)
{
	struct pm_seriesahead *ahead;
	uint64_t spent = PM_BLOBS_FIRST;
	uint32_t series = PM_NONE;
	struct pm_stmt *q;
	int64_t id = 0;
	int rc = pm_db_insert(db, "sample_block", false, &q, e);

	if (rc < 0)
		return -1;
	ahead = pm_seriesahead_new(s, order, n);
	if (!ahead)
		rc = pm_err(e, "out of memory");
	for (size_t i = 0; i < n && rc == 0; i++, pm_filemem_trim()) {
		const struct pm_series_ahead *x = pm_seriesahead_next(ahead, e);
		const struct pm_series_block *b;

		if (!x) {
			rc = -1;
			break;
		}
		b = &x->block;
		if (b->series != series && least && least[b->series] - spent >= SPENT_MIN) {
			pm_blobs_forget(&s->store, spent, least[b->series]);
			spent = least[b->series];
		}
		id = b->series == series ? id + 1 : 1;
		series = b->series;
		pm_db_bind_int(q, 1, base->job_id);
		pm_db_bind_int(q, 2, base->series + b->series + 1);
		pm_db_bind_int(q, 3, id);
		pm_db_bind_int(q, 4, base->tick_block + b->ticks + 1);
		bind_block(q, x);
		rc = pm_db_run(q, e);
		pm_seriestotal_add(&total[series],
				   &(struct pm_seriestotal){ x->coded.samples, x->coded.known,
							     b->begin_us, b->end_us, x->coded.least,
							     x->coded.greatest, x->coded.mean });
	}
	pm_seriesahead_free(ahead);
	pm_db_finish(q);
	return rc;
}

static int write_totals(struct pm_db *db, size_t n, const struct pm_seriestotal *total,
			const struct pm_write_base *base, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = pm_db_insert(db, "series_summary", false, &q, e);

	if (rc < 0)
		return -1;
	for (size_t i = 0; i < n && rc == 0; i++)
		if (total[i].samples > 0)
			rc = pm_seriestotal_write(q, base->job_id, base->series + (int64_t)i + 1,
						  &total[i], e);
	pm_db_finish(q);
	return rc;
}

int pm_write_samples(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		     const uint32_t *order, size_t n, struct pm_err *e)
{
	struct pm_series *s = &g->series;
	struct pm_seriestotal *total = pm_filemem_calloc(s->count + 1, sizeof *total);
	bool *used = find_used(s);
	uint64_t *least = g->spend ? find_least(s) : NULL;
	int rc = -1;

	if (!used || !total || (g->spend && !least))
		pm_err(e, "out of memory");
	else
		rc = write_ticks(db, s, used, base, e);
	if (rc == 0)
		rc = write_blocks(db, s, order, n, least, base, total, e);
	if (rc == 0)
		rc = write_totals(db, s->count, total, base, e);
	pm_filemem_free(total);
	free(used);
	free(least);
	if (g->spend)
		pm_series_spend(s);
	return rc < 0 ? pm_err_prefix(e, "write samples") : 0;
}
