/* Fill a window with samples and code it. */
#include "config.h"

#include "submit/job/serieswindow.h"

#include "common/grow.h"
#include "common/record/tickblock.h"
#include "submit/job/images.h"
#include "submit/memory/hashmap.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of all reasons in a window. */
#define REASONS_MAX ((size_t)1 << 20)

void pm_serieswindow_init(struct pm_serieswindow *w, struct pm_series *all, uint32_t host)
{
	memset(w, 0, sizeof *w);
	w->all = all;
	w->host = host;
}

void pm_serieswindow_free(struct pm_serieswindow *w)
{
	for (size_t i = 0; i < w->columns_made; i++) {
		free(w->column[i].value);
		free(w->column[i].tick);
		free(w->column[i].gaps.gap);
	}
	free(w->column);
	free(w->reasons.text);
	w->column = NULL;
	w->columns = w->columns_made = w->columns_cap = 0;
	w->ticks = w->values = 0;
	w->reasons = (struct pm_samplereasons){ .n = 0 };
}

/* Whether two times are too far apart for a block of ticks. */
static bool are_far(int64_t a, int64_t b)
{
	int64_t d;

	return __builtin_sub_overflow(a, b, &d) || d > PM_TICKBLOCK_SPAN / 2 ||
	       d < -PM_TICKBLOCK_SPAN / 2;
}

int pm_serieswindow_tick(struct pm_serieswindow *w, int64_t time_us, int64_t monotonic_us,
			 struct pm_err *e)
{
	if (w->ticks == PM_SAMPLEBLOCK_MAX || w->values >= PM_SERIESWINDOW_VALUES ||
	    w->reasons.n >= REASONS_MAX ||
	    (w->ticks &&
	     (are_far(time_us, w->time_us[0]) || are_far(monotonic_us, w->monotonic_us[0]))))
		if (pm_serieswindow_close(w, e) < 0)
			return -1;
	w->time_us[w->ticks] = time_us;
	w->monotonic_us[w->ticks++] = monotonic_us;
	return 0;
}

/* The column of a series, new where it has none. Returns NULL if out of memory. */
static struct pm_series_column *find_column(struct pm_serieswindow *w, uint32_t series)
{
	uint32_t i = w->all->info[series].column;
	struct pm_series_column *c;

	if (i < w->columns && w->column[i].series == series)
		return &w->column[i];
	if (w->columns == w->columns_made) {
		if (!PM_GROW(w->column, w->columns, w->columns_cap, 64))
			return NULL;
		memset(&w->column[w->columns_made++], 0, sizeof *w->column);
	}
	c = &w->column[w->columns];
	c->series = series;
	c->n = c->gaps.n = 0;
	w->all->info[series].column = (uint32_t)w->columns++;
	return c;
}

int pm_serieswindow_add(struct pm_serieswindow *w, uint32_t series, bool known, int64_t value,
			struct pm_str reason, struct pm_err *e)
{
	struct pm_series_column *c = find_column(w, series);

	if (!c || !PM_GROW(c->value, c->n, c->value_cap, 16) ||
	    !PM_GROW(c->tick, c->n, c->tick_cap, 16) ||
	    (!known && pm_samplegaps_add(&c->gaps, &w->reasons, c->n, reason) < 0))
		return pm_err(e, "out of memory");
	c->tick[c->n] = (uint16_t)(w->ticks - 1);
	c->value[c->n] = known ? value : c->n ? c->value[c->n - 1] : 0;
	c->n++;
	w->values++;
	return 0;
}

/* --- coding ----------------------------------------------------------------------------------- */

struct coding {
	struct pm_serieswindow *w;
	uint64_t hash;           /* of the times of a window that is `again` */
	uint32_t all;            /* number in pm_series.ticks: all ticks of the window; PM_NONE */
	bool shared;             /* `all` is worth its size: see is_shared() */
	struct pm_hashmap ticks; /* hash of a column's ticks -> the column that had them first */
	struct pm_samplecode coded;
};

static uint64_t times_hash(const struct pm_serieswindow *w)
{
	const size_t size = w->ticks * sizeof *w->time_us;

	return pm_hashmap_mix_bytes(pm_hashmap_mix_bytes(w->host, w->time_us, size),
				    w->monotonic_us, size);
}

/* Find the ticks of a window with the same times among those coded again: *number gets them, or
 * PM_NONE. Returns 0 or -1 with e filled. */
static int find_again(const struct pm_serieswindow *w, uint64_t hash, uint32_t *number,
		      struct pm_err *e)
{
	const size_t size = w->ticks * sizeof *w->time_us;
	int64_t time_us[PM_SAMPLEBLOCK_MAX], monotonic_us[PM_SAMPLEBLOCK_MAX];
	struct pm_series *s = w->all;
	size_t at = 0;

	while ((*number = pm_hashmap_next(&s->again, hash, &at)) != UINT32_MAX) {
		const struct pm_series_window *o = &s->window[s->ticks[*number].window];

		if (o->host != w->host || o->ticks != w->ticks)
			continue;
		if (pm_series_get_times(s, o, time_us, monotonic_us, e) < 0)
			return -1;
		if (memcmp(time_us, w->time_us, size) == 0 &&
		    memcmp(monotonic_us, w->monotonic_us, size) == 0)
			return 0;
	}
	*number = PM_NONE;
	return 0;
}

/* Add all ticks of the window, unless they have been. Returns 0 or -1 with e filled. */
static int add_all(struct coding *g, struct pm_err *e)
{
	struct pm_series *s = g->w->all;
	uint16_t tick[PM_SAMPLEBLOCK_MAX];

	if (g->all != PM_NONE)
		return 0;
	for (size_t i = 0; i < g->w->ticks; i++)
		tick[i] = (uint16_t)i;
	if (pm_series_add_ticks(s, tick, g->w->ticks, e) < 0)
		return -1;
	g->all = (uint32_t)s->ticks_count - 1;
	if (g->w->again && pm_hashmap_add(&s->again, g->hash, g->all) < 0)
		return pm_err(e, "out of memory");
	return 0;
}

/* Whether the ticks of a column are successive. */
static bool is_successive(const struct pm_series_column *c)
{
	return (size_t)(c->tick[c->n - 1] - c->tick[0]) == c->n - 1;
}

/* Whether a series uses half the ticks of the window or more, successive ones: others share them.
 */
static bool is_shared(const struct pm_serieswindow *w)
{
	for (size_t i = 0; i < w->columns; i++)
		if (2 * w->column[i].n >= w->ticks && is_successive(&w->column[i]))
			return true;
	return false;
}

/* Set c->ticks and c->before of a column. Returns 0 or -1 with e filled. */
static int find_ticks(struct coding *g, struct pm_series_column *c, struct pm_err *e)
{
	const struct pm_series_column *all = g->w->column;
	struct pm_series *s = g->w->all;
	uint64_t hash;
	size_t at = 0;
	uint32_t i;

	/* Successive ticks, wherever the series begins or ends: most series have such. */
	if (g->shared && is_successive(c)) {
		if (add_all(g, e) < 0)
			return -1;
		c->before = c->tick[0];
		c->ticks = g->all;
		return 0;
	}
	c->before = 0;
	hash = pm_hashmap_mix_bytes(1, c->tick, c->n * sizeof *c->tick);
	while ((i = pm_hashmap_next(&g->ticks, hash, &at)) != UINT32_MAX) {
		if (all[i].n == c->n && memcmp(all[i].tick, c->tick, c->n * sizeof *c->tick) == 0) {
			c->ticks = all[i].ticks;
			return 0;
		}
	}
	if (pm_series_add_ticks(s, c->tick, c->n, e) < 0)
		return -1;
	c->ticks = (uint32_t)s->ticks_count - 1;
	return pm_hashmap_add(&g->ticks, hash, (uint32_t)(c - all)) < 0 ? pm_err(e, "out of memory")
									: 0;
}

/* Code the values from..to of a column. Returns 0 or -1 with e filled. */
static int code_block(struct coding *g, const struct pm_series_column *c,
		      const struct pm_samplerun *run, size_t from, size_t to, struct pm_err *e)
{
	const int64_t *time = g->w->time_us;
	struct pm_series_block b = {
		.series = c->series,
		.ticks = c->ticks,
		.tick = c->before + (uint32_t)from,
		.file = g->w->again ? 0 : g->w->all->files,
	};

	b.begin_us = b.end_us = time[c->tick[from]];
	for (size_t i = from; i < to; i++) {
		int64_t at = time[c->tick[i]];

		b.begin_us = at < b.begin_us ? at : b.begin_us;
		b.falls = b.falls || (i > from && at <= b.end_us);
		b.end_us = at > b.end_us ? at : b.end_us;
	}
	if (pm_samplerun_code(run, from, to, &g->coded) < 0)
		return pm_err(e, "out of memory");
	return pm_series_add_block(g->w->all, &b, &g->coded, e);
}

/* Code a column, in several blocks where values are far apart. Returns 0 or -1 with e filled. */
static int code_column(struct coding *g, struct pm_series_column *c, struct pm_err *e)
{
	const struct pm_samplerun run = { c->value, c->n, &c->gaps, &g->w->reasons };

	if (find_ticks(g, c, e) < 0)
		return -1;
	pm_samplerun_prepare(&run);
	for (size_t from = 0, to; from < c->n; from = to) {
		to = pm_samplerun_end(&run, from);
		if (code_block(g, c, &run, from, to, e) < 0)
			return -1;
	}
	return 0;
}

int pm_serieswindow_close(struct pm_serieswindow *w, struct pm_err *e)
{
	const struct pm_series_window window = {
		.host = w->host,
		.ticks = (uint32_t)w->ticks,
		.begin_us = w->ticks ? pm_tickblock_least(w->monotonic_us, w->ticks) : 0,
	};
	struct coding g = { .w = w, .all = PM_NONE };
	int rc = 0;

	if (w->ticks == 0)
		return 0;
	g.shared = is_shared(w);
	if (w->again) {
		g.hash = times_hash(w);
		rc = find_again(w, g.hash, &g.all, e);
	}
	if (rc == 0 && g.all == PM_NONE)
		rc = pm_series_add_window(w->all, &window, w->time_us, w->monotonic_us, e);
	for (size_t i = 0; i < w->columns && rc == 0; i++)
		rc = code_column(&g, &w->column[i], e);
	pm_samplecode_free(&g.coded);
	pm_hashmap_free(&g.ticks);
	w->ticks = w->values = w->columns = w->reasons.n = 0;
	return rc;
}
