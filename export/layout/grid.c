/* The samples of a host as a table. */
#include "config.h"

#include "export/layout/grid.h"
#include "export/layout/gridrows.h"
#include "export/layout/gridvalue.h"

#include "common/grow.h"
#include "common/words.h"

#include <stdlib.h>
#include <string.h>

/* A series being read, if a column needs it. */
struct reader {
	struct pm_gridreader of;
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
	struct pm_gridrows *rows;
	struct pm_gridrow next; /* the row behind the current one, unless at_end */
	bool at_end;
	struct pm_griddamage damage;
};

/* What belongs to a row. */
struct extent {
	int64_t end_us;
	const struct pm_gridrow *last; /* the row, where the clock was set back behind it */
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
	*x = (struct pm_grid_series){ pm_db_int(q, 0),
				      pm_db_int(q, 1),
				      pm_db_int(q, 2),
				      pm_db_int(q, 3),
				      copy_of(q, 4),
				      copy_of(q, 5),
				      copy_of(q, 6),
				      NULL,
				      NULL };
	g->n++;
	return x->source && x->metric && x->object ? 0 : -1;
}

/* Read which series there are; those of thinned readings are no values of a moment. */
static int read_series(struct pm_grid *g, int64_t host, struct pm_err *e)
{
	static const char sql[] =
		"SELECT s.id, coalesce(u.samples, 0), u.begin_us, u.end_us, s.source, s.metric, "
		"s.object FROM series s "
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
		pm_gridreader_close(&g->reader[i].of);
	pm_gridrows_free(g->rows);
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
	g->rows = NULL;
	g->at_end = true;
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

const struct pm_grid_series *pm_grid_ticks(struct pm_grid *g, const char *sources,
					   const char *object)
{
	struct pm_grid_series *most = NULL;

	for (size_t i = 0; i < g->n; i++)
		if (pm_words_have(sources, g->series[i].source) &&
		    (!object || strcmp(g->series[i].object, object) == 0) &&
		    g->series[i].samples > (most ? most->samples : 0))
			most = &g->series[i];
	if (most) {
		most->sources = sources;
		most->of_object = object;
	}
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

			if (at != SIZE_MAX && !g->reader[at].of.samples)
				rc = pm_gridreader_open(&g->reader[at].of, g->db, g->job,
							g->series[at].id, &g->damage, e);
		}
	}
	if (rc == 0 &&
	    !(g->rows = pm_gridrows_new(g->db, g->job, g->series, g->n, ticks, &g->damage, e)))
		rc = -1;
	if (rc == 0)
		rc = pm_gridrows_next(g->rows, &g->next, e);
	g->at_end = rc <= 0;
	return rc < 0 ? -1 : 0;
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

/* Whether a sample belongs to a row, or to one before. */
static bool is_in(const struct pm_grid *g, const struct pm_sample *x, const struct extent *row)
{
	return x->time_us <= row->end_us &&
	       !(row->last && pm_gridrows_clock(g->rows, row->last, x) == PM_GRIDROWS_SET);
}

/* Take what a series has in a row: the latest known sample. Where the clock was set back, times
 * begin anew. Returns 0, or -1 with e filled. */
static int take_cell(struct pm_grid *g, struct reader *r, struct pm_gridcell *x,
		     const struct extent *row, struct pm_err *e)
{
	struct pm_sample found = { .known = false };
	int64_t last_us = INT64_MIN;

	*x = (struct pm_gridcell){ .known = false };
	while (!r->of.at_end && is_in(g, &r->of.next, row) && r->of.next.time_us >= last_us) {
		if (r->of.next.known)
			found = r->of.next;
		last_us = r->of.next.time_us;
		if (pm_gridreader_step(&r->of, e) < 0)
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

/* Leave what a series has left of the times before the clock was set back: else it would wait
 * there for rows whose times are as late. Returns 0, or -1 with e filled. */
static int leave_clock(struct pm_grid *g, struct reader *r, const struct pm_gridrow *last,
		       struct pm_err *e)
{
	while (!r->of.at_end && pm_gridrows_clock(g->rows, last, &r->of.next) == PM_GRIDROWS_SAME)
		if (pm_gridreader_step(&r->of, e) < 0)
			return -1;
	return 0;
}

/* What belongs to a row: what is before half the way to the next one; behind the last one, and the
 * last before the clock was set back, as much as half a mean period. */
static struct extent extent_of(const struct pm_grid *g, const struct pm_gridrow *row)
{
	const int64_t half_us = pm_gridrows_half_us(g->rows);
	struct extent x = { .end_us = row->time_us };

	if (g->at_end || g->next.time_us < row->time_us) {
		if (__builtin_add_overflow(row->time_us, half_us, &x.end_us))
			x.end_us = INT64_MAX;
		x.last = g->at_end ? NULL : row;
		return x;
	}
	x.end_us += (int64_t)(((uint64_t)g->next.time_us - (uint64_t)row->time_us) / 2);
	return x;
}

int pm_grid_next(struct pm_grid *g, int64_t *time_us, const struct pm_export_value **value,
		 struct pm_err *e)
{
	const struct pm_gridrow row = g->next;
	struct extent extent;
	int rc;

	if (g->at_end)
		return 0;
	rc = pm_gridrows_next(g->rows, &g->next, e);
	if (rc < 0)
		return -1;
	g->at_end = rc == 0;
	extent = extent_of(g, &row);
	for (size_t i = 0; i < g->n; i++) {
		struct reader *r = &g->reader[i];

		if (r->of.samples && (take_cell(g, r, &g->cell[i], &extent, e) < 0 ||
				      (extent.last && leave_clock(g, r, extent.last, e) < 0)))
			return -1;
	}
	for (size_t i = 0; i < g->columns; i++)
		g->value[i] = pm_gridvalue(&g->column[i].is, g->column[i].term, g->column[i].terms,
					   g->cell);
	*time_us = row.time_us;
	*value = g->value;
	return 1;
}

size_t pm_grid_damaged(const struct pm_grid *g, struct pm_err *last)
{
	if (g->damage.blocks > 0)
		*last = g->damage.last;
	return g->damage.blocks;
}
