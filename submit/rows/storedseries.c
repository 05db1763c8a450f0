/* Read the samples of a host back from the database, or look for gathered ones there. */
#include "config.h"

#include "submit/rows/storedseries.h"

#include "common/record/tickblock.h"
#include "db/samples.h"
#include "submit/job/seriesorder.h"
#include "submit/memory/filemem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- reading ---------------------------------------------------------------------------------- */

struct reading {
	struct pm_db *db;
	int64_t job, host_id;
	struct pm_series *to;
	uint32_t host;
	struct pm_hashmap ticks; /* id of a tick block -> its number in to->ticks */
	int64_t blocks;
	struct pm_samplecode code;
	int64_t value[PM_SAMPLEBLOCK_MAX];
};

static uint64_t id_hash(int64_t id)
{
	return pm_hashmap_mix(6, (uint64_t)id);
}

static int report_damage(const char *what, int64_t id, struct pm_err *e)
{
	return pm_err(e, "%s %" PRId64 " of the database is damaged: perfmon verify tells more",
		      what, id);
}

/* Decode times in the columns column (earliest), column + 1 (digits) and column + 2 (offsets).
 * Returns 0, or -1 if they are damaged. */
static int read_times(struct pm_stmt *q, int column, size_t n, int64_t *time)
{
	int64_t digits = pm_db_int(q, column + 1);
	size_t length;
	const char *text = pm_db_text(q, column + 2, &length);

	if (!text || digits < 1 || digits > PM_TICKBLOCK_DIGITS)
		return -1;
	return pm_tickblock_decode(text, length, pm_db_int(q, column), (int)digits, 0, time, n);
}

/* Add the block of ticks in the current row as a window. Returns 0 or -1 with e filled. */
static int add_ticks(struct reading *r, struct pm_stmt *q, struct pm_err *e)
{
	int64_t time_us[PM_SAMPLEBLOCK_MAX], monotonic_us[PM_SAMPLEBLOCK_MAX];
	uint16_t tick[PM_SAMPLEBLOCK_MAX];
	int64_t id = pm_db_int(q, 0), n = pm_db_int(q, 1);
	struct pm_series_window w = { .host = r->host };

	if (n < 1 || n > PM_SAMPLEBLOCK_MAX || read_times(q, 2, (size_t)n, time_us) < 0 ||
	    read_times(q, 5, (size_t)n, monotonic_us) < 0)
		return report_damage("the block of ticks", id, e);
	for (int64_t i = 0; i < n; i++)
		tick[i] = (uint16_t)i;
	w.ticks = (uint32_t)n;
	w.begin_us = pm_tickblock_least(monotonic_us, (size_t)n);
	if (pm_series_add_window(r->to, &w, time_us, monotonic_us, e) < 0 ||
	    pm_series_add_ticks(r->to, tick, (size_t)n, e) < 0)
		return -1;
	return pm_hashmap_add(&r->ticks, id_hash(id), (uint32_t)r->to->ticks_count - 1) < 0
		       ? pm_err(e, "out of memory")
		       : 0;
}

/* Whether runs of unknown values, all of them read, are those of a block: in order, and of as many
 * values as are not known. */
static bool are_gaps(struct pm_str text, int64_t samples, int64_t known)
{
	int64_t end = 0, unknown = 0;
	struct pm_str reason;
	uint32_t at, n;
	int rc;

	while ((rc = pm_samplecode_next_gap(&text, &at, &n, &reason)) > 0) {
		if (at < end || n < 1 || (int64_t)at + n > samples)
			return false;
		end = (int64_t)at + n;
		unknown += n;
	}
	return rc == 0 && unknown == samples - known;
}

/* Add the block of samples in the current row. Returns 0 or -1 with e filled. */
static int add_block(struct reading *r, struct pm_stmt *q, uint32_t series, int64_t series_id,
		     struct pm_err *e)
{
	struct pm_samplecode *c = &r->code;
	struct pm_series_block b = { .series = series };
	int64_t tick = pm_db_int(q, 1), samples = pm_db_int(q, 4), known = pm_db_int(q, 5);
	const void *deviations = pm_db_blob(q, 9, &c->bytes);
	uint32_t ticks;
	size_t at = 0;

	ticks = pm_hashmap_next(&r->ticks, id_hash(pm_db_int(q, 0)), &at);
	if (ticks == UINT32_MAX)
		return 0;
	c->block = (struct pm_sampleblock){ pm_db_int(q, 6), pm_db_int(q, 7), pm_db_int(q, 8) };
	c->unknown = (char *)pm_db_text(q, 10, &c->unknown_size);
	if (samples < 1 || samples > r->to->ticks[ticks].ticks || tick < 0 ||
	    tick > r->to->ticks[ticks].ticks - samples ||
	    !are_gaps((struct pm_str){ c->unknown ? c->unknown : "", c->unknown_size }, samples,
		      known) ||
	    c->bytes > sizeof c->deviations ||
	    pm_sampleblock_decode(&c->block, deviations, c->bytes, r->value, (size_t)samples) < 0)
		return report_damage("a block of samples of series", series_id, e);
	if (c->bytes)
		memcpy(c->deviations, deviations, c->bytes);
	b.ticks = ticks;
	b.tick = (uint32_t)tick;
	b.begin_us = pm_db_int(q, 2);
	b.end_us = pm_db_int(q, 3);
	c->samples = (uint32_t)samples;
	c->known = (uint32_t)known;
	c->least = pm_db_int(q, 11);
	c->greatest = pm_db_int(q, 12);
	c->mean = pm_db_real(q, 13);
	if (r->to->first_us == 0 || b.begin_us < r->to->first_us)
		r->to->first_us = b.begin_us;
	r->to->samples += (size_t)samples;
	r->blocks++;
	return pm_series_add_block(r->to, &b, c, e);
}

static int read_blocks(struct reading *r, uint32_t series, int64_t series_id, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(r->db,
			  "SELECT tick_block_id, tick, begin_us, end_us, samples, known, first, "
			  "step, base, deviations, unknown, minimum, maximum, mean FROM "
			  "sample_block WHERE job_id = ? AND series_id = ? ORDER BY id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, r->job);
	pm_db_bind_int(q, 2, series_id);
	while ((rc = pm_db_step(q, e)) > 0) {
		pm_filemem_trim();
		if (add_block(r, q, series, series_id, e) < 0) {
			rc = -1;
			break;
		}
	}
	pm_db_finish(q);
	return rc;
}

static int read_ticks(struct reading *r, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(r->db,
			  "SELECT id, ticks, time_us, digits, times, monotonic_us, "
			  "monotonic_digits, monotonics FROM tick_block WHERE job_id = ? AND "
			  "host_id = ? AND monotonic_us IS NOT NULL ORDER BY id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, r->job);
	pm_db_bind_int(q, 2, r->host_id);
	while ((rc = pm_db_step(q, e)) > 0) {
		pm_filemem_trim();
		if (add_ticks(r, q, e) < 0) {
			rc = -1;
			break;
		}
	}
	pm_db_finish(q);
	return rc;
}

/* The texts of a series in the current row, from a column on. */
static void get_texts(struct pm_stmt *q, int column, struct pm_str text[5])
{
	for (int k = 0; k < 5; k++) {
		text[k].p = pm_db_text(q, column + k, &text[k].n);
		if (!text[k].p)
			text[k] = (struct pm_str){ "", 0 };
	}
}

static int read_series(struct reading *r, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(r->db,
			  "SELECT id, source, metric, object, unit, kind FROM series WHERE "
			  "job_id = ? AND host_id = ? ORDER BY id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, r->job);
	pm_db_bind_int(q, 2, r->host_id);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_str text[5];
		uint32_t series;

		get_texts(q, 1, text);
		series = pm_series_find(r->to, r->host, text);
		if (series == PM_NONE)
			rc = pm_err(e, "out of memory");
		else
			rc = read_blocks(r, series, pm_db_int(q, 0), e);
		if (rc < 0)
			break;
	}
	pm_db_finish(q);
	return rc;
}

int64_t pm_storedseries_read(struct pm_db *db, int64_t job, int64_t host_id, struct pm_series *to,
			     uint32_t host, struct pm_err *e)
{
	struct reading r = { .db = db, .job = job, .host_id = host_id, .to = to, .host = host };
	int rc = read_ticks(&r, e);

	if (rc == 0)
		rc = read_series(&r, e);
	pm_hashmap_free(&r.ticks);
	return rc < 0 ? -1 : r.blocks;
}

/* --- looking ---------------------------------------------------------------------------------- */

/* A gathered series, and the same one in the database. */
struct looking {
	struct pm_samples *there;
	struct pm_sample sample; /* the current one there */
	int has;                 /* whether there is one */
	int64_t last_us;         /* time of the sample looked for last */
	int64_t missing;
};

/* Find the series of a host in the database. Returns its id, 0 if it is not there, or -1 with e
 * filled. */
static int64_t find_series(struct pm_db *db, int64_t job, const struct pm_host *h,
			   const struct pm_series_info *info, struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t id = 0;
	int rc;

	if (pm_db_prepare(
		    db,
		    "SELECT s.id FROM series s JOIN host h ON h.job_id = s.job_id AND h.id = "
		    "s.host_id WHERE s.job_id = ? AND coalesce(h.boot_id, '') = ? AND (? <> '' "
		    "OR coalesce(h.hostname, '') = ?) AND s.source = ? AND s.metric = ? AND "
		    "s.object = ? AND s.unit = ? AND s.kind = ?",
		    &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	pm_db_bind_str(q, 2, h->boot_id);
	pm_db_bind_str(q, 3, h->boot_id);
	pm_db_bind_str(q, 4, h->hostname);
	for (int k = 0; k < 5; k++)
		pm_db_bind_str(q, 5 + k, info->text[k]);
	rc = pm_db_step(q, e);
	if (rc > 0)
		id = pm_db_int(q, 0);
	pm_db_finish(q);
	return rc < 0 ? -1 : id;
}

/* Look for a gathered sample, behind the one before. Returns 0 or -1 with e filled. */
static int look_for(struct looking *l, int64_t time_us, bool known, int64_t value, struct pm_err *e)
{
	const struct pm_sample *x = &l->sample;

	while (l->has > 0 && x->time_us < time_us)
		l->has = pm_samples_next(l->there, &l->sample, e);
	if (l->has < 0)
		return -1;
	l->missing +=
		!l->has || x->time_us != time_us || (known && (!x->known || x->value < value));
	l->last_us = time_us > l->last_us ? time_us : l->last_us;
	return 0;
}

static int look_for_block(struct looking *l, struct pm_series *s, const struct pm_series_block *b,
			  struct pm_series_values *v, struct pm_err *e)
{
	int64_t time_us[PM_SAMPLEBLOCK_MAX], monotonic_us[PM_SAMPLEBLOCK_MAX];
	int rc = 0;

	if (pm_series_get_times(s, &s->window[s->ticks[b->ticks].window], time_us, monotonic_us,
				e) < 0 ||
	    pm_series_get_values(s, b, v, e) < 0)
		return -1;
	for (uint32_t i = 0; i < v->coded.samples && rc == 0; i++)
		rc = look_for(l, time_us[v->tick[i]], v->known[i], v->value[i], e);
	return rc;
}

/* Look for the blocks in `order`, n of one series. Returns the number of samples that are missing,
 * or -1 with e filled. */
static int64_t look_for_series(struct pm_db *db, int64_t job, struct pm_gather *g,
			       const uint32_t *order, size_t n, struct pm_series_values *v,
			       struct pm_err *e)
{
	struct pm_series *s = &g->series;
	const struct pm_series_info *info = &s->info[s->block[order[0]].series];
	int64_t id = find_series(db, job, &g->images.host[info->host], info, e);
	struct looking l = { .last_us = INT64_MIN };
	int rc = id < 0 ? -1 : 0;

	if (id > 0) {
		l.there = pm_samples_new(db, job, id, e);
		l.has = l.there ? pm_samples_next(l.there, &l.sample, e) : -1;
		rc = l.has < 0 ? -1 : 0;
	}
	for (size_t i = 0; i < n && rc == 0; i++, pm_filemem_trim())
		rc = look_for_block(&l, s, &s->block[order[i]], v, e);
	pm_samples_free(l.there);
	return rc < 0 ? -1 : l.missing;
}

/* Look for the blocks in `order`, by series. Returns the number of samples that are missing, or -1
 * with e filled. */
static int64_t look_for_all(struct pm_db *db, int64_t job, struct pm_gather *g,
			    const uint32_t *order, size_t n, struct pm_err *e)
{
	const struct pm_series *s = &g->series;
	struct pm_series_values v;
	int64_t missing = 0;

	for (size_t i = 0, end; i < n; i = end) {
		const uint32_t series = s->block[order[i]].series;
		int64_t count;

		for (end = i + 1; end < n && s->block[order[end]].series == series;)
			end++;
		count = look_for_series(db, job, g, order + i, end - i, &v, e);
		if (count < 0)
			return -1;
		missing += count;
	}
	return missing;
}

int64_t pm_storedseries_missing(struct pm_db *db, int64_t job, struct pm_gather *g, uint32_t host,
				struct pm_err *e)
{
	struct pm_series *s = &g->series;
	int64_t missing = -1;
	uint32_t *order;
	size_t n, of = 0;

	if (pm_series_order(s, &order, &n, e) == 0) {
		for (size_t i = 0; i < n; i++)
			if (s->info[s->block[order[i]].series].host == host)
				order[of++] = order[i];
		missing = look_for_all(db, job, g, order, of, e);
	}
	pm_filemem_free(order);
	return missing;
}

static int by_series(const void *a, const void *b, void *block)
{
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const uint32_t x = ((const struct pm_series_block *)block)[i].series,
		       y = ((const struct pm_series_block *)block)[k].series;

	return x != y ? (x > y) - (x < y) : (i > k) - (i < k);
}

int64_t pm_storedseries_missing_of(struct pm_db *db, int64_t job, struct pm_gather *g,
				   uint32_t file, struct pm_err *e)
{
	struct pm_series *s = &g->series;
	uint32_t *order = pm_filemem_calloc(s->blocks + 1, sizeof *order);
	int64_t missing = -1;
	size_t n = 0;

	if (!order)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < s->blocks; i++, pm_filemem_trim())
		if (s->block[i].file == file)
			order[n++] = (uint32_t)i;
	qsort_r(order, n, sizeof *order, by_series, s->block);
	missing = look_for_all(db, job, g, order, n, e);
	pm_filemem_free(order);
	return missing;
}
