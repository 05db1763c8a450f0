/* The times of the rows of a table of samples. */
#include "config.h"

#include "export/layout/gridrows.h"

#include "common/grow.h"
#include "common/words.h"

#include <stdlib.h>
#include <string.h>

/* The series with most samples of another source. */
struct other {
	const struct pm_grid_series *is;
	struct pm_gridreader reader;
};

struct pm_gridrows {
	struct pm_db *db;
	int64_t job;
	struct pm_griddamage *damage;
	struct pm_gridreader main;
	int64_t half_us;
	struct other *other;
	size_t others, room;
	bool open; /* the others are read */
	/* The row before, and the last one of the series itself. */
	struct pm_gridrow last, last_main;
	bool begun, begun_main;
};

static int64_t later(int64_t time_us, int64_t by)
{
	int64_t sum;

	return __builtin_add_overflow(time_us, by, &sum) ? INT64_MAX : sum;
}

static int64_t earlier(int64_t time_us, int64_t by)
{
	int64_t difference;

	return __builtin_sub_overflow(time_us, by, &difference) ? INT64_MIN : difference;
}

static int64_t half_period(const struct pm_grid_series *x)
{
	if (x->samples < 2 || x->end_us <= x->begin_us)
		return INT64_MAX;
	return (int64_t)(((uint64_t)x->end_us - (uint64_t)x->begin_us) /
			 ((uint64_t)x->samples - 1) / 2);
}

/* Find the series with most samples of a source, whose name has `length` bytes, and of an object;
 * NULL: of any. */
static const struct pm_grid_series *most_of(const struct pm_grid_series *series, size_t n,
					    const char *source, size_t length, const char *object)
{
	const struct pm_grid_series *most = NULL;

	for (size_t i = 0; i < n; i++)
		if (strlen(series[i].source) == length &&
		    memcmp(series[i].source, source, length) == 0 &&
		    (!object || strcmp(series[i].object, object) == 0) &&
		    series[i].samples > (most ? most->samples : 0))
			most = &series[i];
	return most;
}

/* Find the series of the other sources. Returns 0, or -1 if out of memory. */
static int find_others(struct pm_gridrows *r, const struct pm_grid_series *series, size_t n,
		       const struct pm_grid_series *ticks)
{
	const char *sources = ticks->sources ? ticks->sources : "", *source;
	size_t length;

	while ((source = pm_words_next(&sources, ' ', &length))) {
		const struct pm_grid_series *x =
			most_of(series, n, source, length, ticks->of_object);

		if (!x || x == ticks)
			continue;
		if (!PM_GROW(r->other, r->others, r->room, 8))
			return -1;
		r->other[r->others++] = (struct other){ .is = x };
	}
	return 0;
}

struct pm_gridrows *pm_gridrows_new(struct pm_db *db, int64_t job,
				    const struct pm_grid_series *series, size_t n,
				    const struct pm_grid_series *ticks,
				    struct pm_griddamage *damage, struct pm_err *e)
{
	struct pm_gridrows *r = calloc(1, sizeof *r);

	if (!r || find_others(r, series, n, ticks) < 0) {
		pm_gridrows_free(r);
		pm_err(e, "out of memory");
		return NULL;
	}
	r->db = db;
	r->job = job;
	r->damage = damage;
	r->half_us = half_period(ticks);
	if (pm_gridreader_open(&r->main, db, job, ticks->id, damage, e) == 0)
		return r;
	pm_gridrows_free(r);
	return NULL;
}

void pm_gridrows_free(struct pm_gridrows *r)
{
	if (!r)
		return;
	pm_gridreader_close(&r->main);
	for (size_t i = 0; i < r->others; i++)
		pm_gridreader_close(&r->other[i].reader);
	free(r->other);
	free(r);
}

int64_t pm_gridrows_half_us(const struct pm_gridrows *r)
{
	return r->half_us;
}

enum pm_gridrows_clock pm_gridrows_clock(const struct pm_gridrows *r, const struct pm_gridrow *row,
					 const struct pm_sample *x)
{
	int64_t one, other, apart;

	if (row->tick_block == x->tick_block)
		return PM_GRIDROWS_SAME;
	if (row->monotonic_us == INT64_MIN || x->monotonic_us == INT64_MIN)
		return PM_GRIDROWS_UNKNOWN;
	if (__builtin_sub_overflow(row->time_us, row->monotonic_us, &one) ||
	    __builtin_sub_overflow(x->time_us, x->monotonic_us, &other) ||
	    __builtin_sub_overflow(one, other, &apart))
		return PM_GRIDROWS_SET;
	return apart < r->half_us && apart > -r->half_us ? PM_GRIDROWS_SAME : PM_GRIDROWS_SET;
}

/* Whether the series goes back in time here: the clock was set back. */
static bool goes_back(const struct pm_gridrows *r)
{
	return r->begun && !r->main.at_end && r->main.next.time_us < r->last.time_us &&
	       r->main.next.tick_block != r->last.tick_block;
}

/* Whether the series has no tick for so long that others may have rows. */
static bool is_gap(const struct pm_gridrows *r)
{
	const int64_t last_us = r->last_main.time_us;

	if (goes_back(r) || (r->main.at_end && !r->begun_main))
		return true;
	if (r->begun_main && !r->main.at_end)
		return r->half_us <= INT64_MAX / 4 &&
		       r->main.next.time_us > later(last_us, 4 * r->half_us);
	for (size_t i = 0; i < r->others; i++)
		if (r->begun_main
			    ? r->other[i].is->end_us > later(last_us, r->half_us)
			    : r->other[i].is->begin_us < earlier(r->main.next.time_us, r->half_us))
			return true;
	return false;
}

/* Begin to read the others, unless they are read. Returns 0, or -1 with e filled. */
static int open_others(struct pm_gridrows *r, struct pm_err *e)
{
	for (size_t i = 0; i < r->others && !r->open; i++)
		if (pm_gridreader_open(&r->other[i].reader, r->db, r->job, r->other[i].is->id,
				       r->damage, e) < 0)
			return -1;
	r->open = true;
	return 0;
}

static bool is_same(const struct pm_gridrows *r, const struct pm_sample *x)
{
	return pm_gridrows_clock(r, &r->last, x) == PM_GRIDROWS_SAME;
}

/* Whether a tick of another source is near the row before, or before it. */
static bool is_covered(const struct pm_gridrows *r, const struct pm_sample *x)
{
	return r->begun && x->time_us <= later(r->last.time_us, r->half_us) &&
	       !(goes_back(r) && !is_same(r, x));
}

/* Whether such a tick, behind the row before, is before the next one of the series. */
static bool is_before(const struct pm_gridrows *r, const struct pm_sample *x)
{
	if (goes_back(r))
		return is_same(r, x);
	return r->main.at_end || x->time_us < earlier(r->main.next.time_us, r->half_us);
}

/* Find the earliest tick of the others that is a row; *found is NULL where there is none. Returns
 * 0, or -1 with e filled. */
static int find_other(struct pm_gridrows *r, struct pm_gridreader **found, struct pm_err *e)
{
	*found = NULL;
	for (size_t i = 0; i < r->others; i++) {
		struct pm_gridreader *x = &r->other[i].reader;

		while (!x->at_end && is_covered(r, &x->next))
			if (pm_gridreader_step(x, e) < 0)
				return -1;
		if (!x->at_end && is_before(r, &x->next) &&
		    (!*found || x->next.time_us < (*found)->next.time_us))
			*found = x;
	}
	return 0;
}

/* Have the others leave the times before the clock was set back. Returns 0, or -1 with e filled. */
static int leave_clock(struct pm_gridrows *r, struct pm_err *e)
{
	for (size_t i = 0; i < r->others && r->open; i++) {
		struct pm_gridreader *x = &r->other[i].reader;

		while (!x->at_end && is_same(r, &x->next))
			if (pm_gridreader_step(x, e) < 0)
				return -1;
	}
	return 0;
}

int pm_gridrows_next(struct pm_gridrows *r, struct pm_gridrow *row, struct pm_err *e)
{
	struct pm_gridreader *from = NULL;

	if (is_gap(r) && (open_others(r, e) < 0 || find_other(r, &from, e) < 0))
		return -1;
	if (!from) {
		from = &r->main;
		if (from->at_end)
			return 0;
		if (goes_back(r) && leave_clock(r, e) < 0)
			return -1;
	}
	*row = (struct pm_gridrow){ from->next.time_us, from->next.monotonic_us,
				    from->next.tick_block };
	r->last = *row;
	r->begun = true;
	if (from == &r->main) {
		r->last_main = *row;
		r->begun_main = true;
	}
	return pm_gridreader_step(from, e) < 0 ? -1 : 1;
}
