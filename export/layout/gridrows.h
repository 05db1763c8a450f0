/*
 * The times of the rows of a table of samples.
 *
 * Rows are the ticks of one series. Where it has none for more than two of its mean periods, and
 * before its first and behind its last tick, the ticks of the other sources are rows, too: those
 * that are more than half a mean period from the rows beside them. For that the series with most
 * samples of each source is read.
 */
#ifndef PM_EXPORT_LAYOUT_GRIDROWS_H
#define PM_EXPORT_LAYOUT_GRIDROWS_H

#include "export/layout/gridcolumn.h"
#include "export/layout/gridreader.h"

#include <stddef.h>
#include <stdint.h>

/* A row: its tick. Times go back where the clock was set back, with another block of ticks. */
struct pm_gridrow {
	int64_t time_us, monotonic_us; /* the latter INT64_MIN where it is unknown */
	int64_t tick_block;
};

struct pm_gridrows; /* rows being read */

/* Begin to read the rows of a series, one of the n of the host, which outlive them. Returns NULL
 * with e filled. */
struct pm_gridrows *pm_gridrows_new(struct pm_db *db, int64_t job,
				    const struct pm_grid_series *series, size_t n,
				    const struct pm_grid_series *ticks,
				    struct pm_griddamage *damage, struct pm_err *e);
void pm_gridrows_free(struct pm_gridrows *r); /* NULL is fine */

/* Half the mean period of the series in us; INT64_MAX for one of a single tick. */
int64_t pm_gridrows_half_us(const struct pm_gridrows *r);

/* Whether the clock was set between a row and a sample, by how far their times are from their
 * monotonic times. */
enum pm_gridrows_clock {
	PM_GRIDROWS_UNKNOWN, /* one of the monotonic times is */
	PM_GRIDROWS_SAME,    /* it was not, by half a mean period or more */
	PM_GRIDROWS_SET,
};

enum pm_gridrows_clock pm_gridrows_clock(const struct pm_gridrows *r, const struct pm_gridrow *row,
					 const struct pm_sample *x);

/* Read the next row. Returns 1, 0 at the end, or -1 with e filled. */
int pm_gridrows_next(struct pm_gridrows *r, struct pm_gridrow *row, struct pm_err *e);

#endif
