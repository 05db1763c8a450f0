/* The samples of a host as a table. */
#include "config.h"

#include "export/layout/grid.h"
#include "export/layout/gridvalue.h"

#include "common/grow.h"
#include "common/words.h"
#include "db/samples.h"

#include <stdlib.h>
#include <string.h>

/* A series being read. */
struct reader {
	struct pm_samples *samples; /* NULL: no column needs it */
	struct pm_sample next;
	bool at_end;
	/* The latest known value before the row. */
	bool had;
	int64_t value, time_us, monotonic_us;
};

/* A column with its terms. */
struct column {
	struct pm_grid_column is;
	struct pm_gridterm *term;
	size_t terms;
};

struct pm_grid {
	struct pm_db *db;
	int64_t job;
	struct pm_grid_series *series;
	size_t n, room;
	struct column *column;
	struct pm_export_value *value;
	size_t columns;
	struct reader *reader; /* of each series */
	struct pm_gridcell *cell;
	struct reader ticks; /* `next` is the row behind the current one */
	size_t damaged;
	struct pm_err damage;
};

static char *copy_of(struct pm_stmt *q, int i)
{
	const char *text = pm_db_text(q, i, NULL);

	return strdup(text ? text : "");
}

/* Add a series. Returns 0, or -1 if out of memory. */
static int add_series(struct pm_grid *g, struct pm_stmt *q)
{
	struct pm_grid_series *x;

	if (!PM_GROW(g->series, g->n, g->room, 64))
		return -1;
	x = &g->series[g->n];
	*x = (struct pm_grid_series){ pm_db_int(q, 0), pm_db_int(q, 1), copy_of(q, 2),
				      copy_of(q, 3), copy_of(q, 4) };
	g->n++;
	return x->source && x->metric && x->object ? 0 : -1;
}

/* Read which series there are; those of thinned readings are no values of a moment. */
static int read_series(struct pm_grid *g, int64_t host, struct pm_err *e)
{
	static const char sql[] =
		"SELECT s.id, coalesce(u.samples, 0), s.source, s.metric, s.object FROM series s "
		"LEFT JOIN series_summary u ON u.job_id = s.job_id AND u.series_id = s.id "
		"WHERE s.job_id = ? AND s.host_id = ? AND s.kind IN ('gauge', 'counter') "
		"ORDER BY s.id";
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(g->db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, g->job);
	pm_db_bind_int(q, 2, host);
	while ((rc = pm_db_step(q, e)) > 0)
		if (add_series(g, q) < 0) {
			rc = pm_err(e, "out of memory");
			break;
		}
	pm_db_finish(q);
	return rc;
}

struct pm_grid *pm_grid_new(struct pm_db *db, int64_t job, int64_t host, struct pm_err *e)
{
	struct pm_grid *g = calloc(1, sizeof *g);

	if (!g) {
		pm_err(e, "out of memory");
		return NULL;
	}
	g->db = db;
	g->job = job;
	if (read_series(g, host, e) < 0) {
		pm_grid_free(g);
		return NULL;
	}
	return g;
}

/* End what was begun. */
static void clear(struct pm_grid *g)
{
	for (size_t i = 0; g->reader && i < g->n; i++)
		pm_samples_free(g->reader[i].samples);
	pm_samples_free(g->ticks.samples);
	for (size_t i = 0; i < g->columns; i++)
		free(g->column[i].term);
	free(g->reader);
	free(g->cell);
	free(g->column);
	free(g->value);
	g->reader = NULL;
	g->cell = NULL;
	g->column = NULL;
	g->value = NULL;
	g->columns = 0;
	g->ticks = (struct reader){ .at_end = true };
}

void pm_grid_free(struct pm_grid *g)
{
	if (!g)
		return;
	clear(g);
	for (size_t i = 0; i < g->n; i++) {
		free(g->series[i].source);
		free(g->series[i].metric);
		free(g->series[i].object);
	}
	free(g->series);
	free(g);
}

const struct pm_grid_series *pm_grid_series(const struct pm_grid *g, size_t *n)
{
	*n = g->n;
	return g->series;
}

const struct pm_grid_series *pm_grid_ticks(const struct pm_grid *g, const char *sources,
					   const char *object)
{
	const struct pm_grid_series *most = NULL;

	for (size_t i = 0; i < g->n; i++)
		if (pm_words_have(sources, g->series[i].source) &&
		    (!object || strcmp(g->series[i].object, object) == 0) &&
		    g->series[i].samples > (most ? most->samples : 0))
			most = &g->series[i];
	return most;
}

bool pm_grid_has(const struct pm_grid *g, const struct pm_grid_column *c)
{
	struct pm_gridterm *term;
	size_t n;

	/* Out of memory is found when the column is read. */
	(void)pm_gridterms_find(c, g->series, g->n, &term, &n);
	free(term);
	return n > 0;
}

/* Read on in a series: over blocks that are damaged, which are counted. Returns 0, or -1 with e
 * filled. */
static int step(struct pm_grid *g, struct reader *r, struct pm_err *e)
{
	for (;;) {
		const int rc = pm_samples_next(r->samples, &r->next, e);

		r->at_end = rc == 0;
		if (rc >= 0)
			return 0;
		if (!pm_samples_damage(r->samples))
			return -1;
		g->damaged++;
		g->damage = *e;
	}
}

static int open_reader(struct pm_grid *g, struct reader *r, int64_t series, struct pm_err *e)
{
	if (r->samples)
		return 0;
	r->samples = pm_samples_new(g->db, g->job, series, e);
	return r->samples ? step(g, r, e) : -1;
}

int pm_grid_begin(struct pm_grid *g, const struct pm_grid_series *ticks,
		  const struct pm_grid_column *c, size_t n, struct pm_err *e)
{
	int rc = 0;

	clear(g);
	g->reader = calloc(g->n + 1, sizeof *g->reader);
	g->cell = calloc(g->n + 1, sizeof *g->cell);
	g->column = calloc(n + 1, sizeof *g->column);
	g->value = calloc(n + 1, sizeof *g->value);
	if (!g->reader || !g->cell || !g->column || !g->value)
		return pm_err(e, "out of memory");
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct column *x = &g->column[g->columns++];

		x->is = c[i];
		if (pm_gridterms_find(&c[i], g->series, g->n, &x->term, &x->terms) < 0)
			return pm_err(e, "out of memory");
		for (size_t k = 0; rc == 0 && k < x->terms; k++) {
			const size_t at = x->term[k].series;

			if (at != SIZE_MAX)
				rc = open_reader(g, &g->reader[at], g->series[at].id, e);
		}
	}
	return rc < 0 ? -1 : open_reader(g, &g->ticks, ticks->id, e);
}

/* Compare a value with the one before. */
static void take_difference(struct pm_gridcell *x, const struct reader *r,
			    const struct pm_sample *s)
{
	const double clock = (double)s->time_us - (double)r->time_us;

	if (!r->had || __builtin_sub_overflow(s->value, r->value, &x->difference))
		return;
	x->differs = x->difference >= 0;
	x->before_us = r->time_us;
	x->elapsed_us = clock > 0 ? clock : 0;
	if (s->monotonic_us != INT64_MIN && r->monotonic_us != INT64_MIN &&
	    s->monotonic_us > r->monotonic_us)
		x->elapsed_us = (double)s->monotonic_us - (double)r->monotonic_us;
}

/* Take what a series has in the row that ends at a time: the latest known sample. Where the clock
 * was set back, times begin anew. Returns 0, or -1 with e filled. */
static int take_cell(struct pm_grid *g, struct reader *r, struct pm_gridcell *x, int64_t end_us,
		     struct pm_err *e)
{
	struct pm_sample found = { .known = false };
	int64_t last_us = INT64_MIN;

	*x = (struct pm_gridcell){ .known = false };
	while (!r->at_end && r->next.time_us <= end_us && r->next.time_us >= last_us) {
		if (r->next.known)
			found = r->next;
		last_us = r->next.time_us;
		if (step(g, r, e) < 0)
			return -1;
	}
	if (!found.known)
		return 0;
	x->known = true;
	x->value = found.value;
	take_difference(x, r, &found);
	r->had = true;
	r->value = found.value;
	r->time_us = found.time_us;
	r->monotonic_us = found.monotonic_us;
	return 0;
}

/* The end of a row: half-way to the next one. */
static int64_t end_of(int64_t time_us, const struct reader *ticks)
{
	if (ticks->at_end)
		return INT64_MAX;
	if (ticks->next.time_us <= time_us)
		return time_us;
	return time_us + (int64_t)(((uint64_t)ticks->next.time_us - (uint64_t)time_us) / 2);
}

int pm_grid_next(struct pm_grid *g, int64_t *time_us, const struct pm_export_value **value,
		 struct pm_err *e)
{
	int64_t end_us;

	if (g->ticks.at_end)
		return 0;
	*time_us = g->ticks.next.time_us;
	if (step(g, &g->ticks, e) < 0)
		return -1;
	end_us = end_of(*time_us, &g->ticks);
	for (size_t i = 0; i < g->n; i++)
		if (g->reader[i].samples && take_cell(g, &g->reader[i], &g->cell[i], end_us, e) < 0)
			return -1;
	for (size_t i = 0; i < g->columns; i++)
		g->value[i] = pm_gridvalue(&g->column[i].is, g->column[i].term, g->column[i].terms,
					   g->cell);
	*value = g->value;
	return 1;
}

size_t pm_grid_damaged(const struct pm_grid *g, struct pm_err *last)
{
	if (g->damaged > 0)
		*last = g->damage;
	return g->damaged;
}
