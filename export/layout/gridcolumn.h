/* The columns of a table of samples: what they are computed of. */
#ifndef PM_EXPORT_LAYOUT_GRIDCOLUMN_H
#define PM_EXPORT_LAYOUT_GRIDCOLUMN_H

#include "common/record/formulas.h"

#include <stdint.h>

/* Most events of a host that formulas are computed of. */
#define PM_GRID_EVENTS 256

/* What a column is of its terms A, or A and B; unknown where one of them is. Differences are those
 * to the row before in which they were known. */
enum pm_grid_kind {
	PM_GRID_SUM,     /* A / divisor; a whole number where the divisor is 1 */
	PM_GRID_WHOLE,   /* A / divisor, a whole number: what is left of a division is dropped */
	PM_GRID_STEP,    /* difference of A, a whole number */
	PM_GRID_RATIO,   /* 100 A / B */
	PM_GRID_PART,    /* 100 A / (A + B) */
	PM_GRID_RATE,    /* difference of A / time in us / divisor */
	PM_GRID_BUSY,    /* 100 difference of A / difference of A and B */
	PM_GRID_LEAST,   /* the least of these of CPUs, or what the sampler says that it is */
	PM_GRID_MOST,    /* the greatest */
	PM_GRID_COUNT,   /* difference of an event, for all of the time where it was counted for a
			    part of it; rounded */
	PM_GRID_FORMULA, /* of such counts */
};

/* A series of a host. */
struct pm_grid_series {
	int64_t id, samples, begin_us, end_us; /* the latter two of its samples */
	char *source, *metric, *object;
	/* Of ticks: what pm_grid_ticks() was asked for. */
	const char *sources, *of_object;
};

struct pm_grid_column {
	enum pm_grid_kind kind;
	double divisor;
	/* SOURCE.METRIC[:OBJECT]..., B behind a slash; alternatives with | between: the first whose
	 * first term has samples. NULL: of COUNT and FORMULA. */
	const char *terms;
	const char *object;               /* of terms without one, and of COUNT; NULL: "" */
	const struct pm_formula *formula; /* of FORMULA; NULL: the host has none */
	const char *const *event;         /* the names of its events */
};

#endif
