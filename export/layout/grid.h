/*
 * The samples of a host as a table: a row for each tick, columns computed from series.
 *
 * Rows are the ticks of one series, and of others where it has none (gridrows.h). Other sources
 * have ticks of their own: a sample stands in the row whose time is nearest, the latest known one
 * of several; a row without one has no value.
 */
#ifndef PM_EXPORT_LAYOUT_GRID_H
#define PM_EXPORT_LAYOUT_GRID_H

#include "export/layout/gridcolumn.h"
#include "export/value.h"

#include "common/err.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_grid;

/* Read which series a host has. Returns what pm_grid_free() frees, or NULL with e filled. */
struct pm_grid *pm_grid_new(struct pm_db *db, int64_t job, int64_t host, struct pm_err *e);
void pm_grid_free(struct pm_grid *g);

/* The series, in the order of their numbers; they live as long as the grid. */
const struct pm_grid_series *pm_grid_series(const struct pm_grid *g, size_t *n);

/* Find the series that has most samples of sources, with blanks between, and of an object; NULL:
 * of any. The texts outlive the grid. Returns NULL where there is none. */
const struct pm_grid_series *pm_grid_ticks(struct pm_grid *g, const char *sources,
					   const char *object);

/* Whether there are samples for a column. */
bool pm_grid_has(const struct pm_grid *g, const struct pm_grid_column *c);

/* Begin with n columns, which are copied, at the first row by a series of pm_grid_ticks(); what was
 * begun before ends. Returns 0, or -1 with e filled. */
int pm_grid_begin(struct pm_grid *g, const struct pm_grid_series *ticks,
		  const struct pm_grid_column *c, size_t n, struct pm_err *e);

/* Read the next row. Returns 1 with its time in us and the values of the columns, which live until
 * the next call; 0 at the end; -1 with e filled. */
int pm_grid_next(struct pm_grid *g, int64_t *time_us, const struct pm_export_value **value,
		 struct pm_err *e);

/* How often samples could not be read so far, and what the last fault was. */
size_t pm_grid_damaged(const struct pm_grid *g, struct pm_err *last);

#endif
