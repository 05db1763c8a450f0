/* The terms of a column: which series of a host they are. */
#ifndef PM_EXPORT_LAYOUT_GRIDTERMS_H
#define PM_EXPORT_LAYOUT_GRIDTERMS_H

#include "export/layout/gridcolumn.h"

#include <stdbool.h>
#include <stddef.h>

/* A series in a column. */
struct pm_gridterm {
	size_t series; /* its place in the list */
	bool second;   /* of B, not of A */
	size_t group;  /* of terms with the object *: objects from 0 on, those of one side by side;
			  of events: their place */
};

/* The series of an event, in this order. */
enum pm_gridterm_event {
	PM_GRIDTERM_COUNT,
	PM_GRIDTERM_ENABLED,
	PM_GRIDTERM_RUNNING,
	PM_GRIDTERM_EVENT
};

/*
 * Find the terms of a column among the n series of a host. *out is to be freed; *count is 0 where
 * there are no samples for the column. Of an event there are all three series, `series` being
 * SIZE_MAX for one that is missing. Returns 0, or -1 if out of memory.
 */
int pm_gridterms_find(const struct pm_grid_column *c, const struct pm_grid_series *series, size_t n,
		      struct pm_gridterm **out, size_t *count);

#endif
