/* The value of a column in a row. */
#ifndef PM_EXPORT_LAYOUT_GRIDVALUE_H
#define PM_EXPORT_LAYOUT_GRIDVALUE_H

#include "export/layout/gridterms.h"
#include "export/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a series has in a row. */
struct pm_gridcell {
	bool known;
	int64_t value;
	bool differs;       /* the value was known before, too, and did not fall since */
	int64_t difference; /* since then */
	double elapsed_us;  /* since then, by the monotonic clock where it is known; else 0 or more
			     */
	int64_t before_us;  /* when that was */
};

/*
 * Compute the value of a column from its terms, whose series have a cell each, in the same order as
 * the list of series.
 */
struct pm_export_value pm_gridvalue(const struct pm_grid_column *c, const struct pm_gridterm *term,
				    size_t n, const struct pm_gridcell *cell);

#endif
