/* Some series of a host, read together and made into one line. */
#ifndef PM_REPORT_PLOT_PLOTSERIES_H
#define PM_REPORT_PLOT_PLOTSERIES_H

#include "common/record/formulas.h"
#include "db/db.h"
#include "report/draw/line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most series that are read at once. */
#define PM_PLOTSERIES_MAX 1024

/* What a series is to the line. */
enum pm_plotseries_role {
	PM_PLOTSERIES_VALUE,
	PM_PLOTSERIES_REST, /* of a share: part of the whole alone */
	/* Of the only value, where the sampler thinned it: its extremes, sum and number. */
	PM_PLOTSERIES_LEAST,
	PM_PLOTSERIES_MOST,
	PM_PLOTSERIES_SUM,
	PM_PLOTSERIES_COUNT,
	/* Of an event. */
	PM_PLOTSERIES_EVENT,
	PM_PLOTSERIES_ENABLED,
	PM_PLOTSERIES_RUNNING,
};

struct pm_plotseries_part {
	int64_t series;
	enum pm_plotseries_role role;
	size_t event; /* of EVENT, ENABLED and RUNNING: its number for the formula */
};

/* What the line is of the series. */
enum pm_plotseries_kind {
	PM_PLOTSERIES_RATE,    /* differences per second, added */
	PM_PLOTSERIES_TOTAL,   /* values, added */
	PM_PLOTSERIES_AVERAGE, /* values, their mean */
	PM_PLOTSERIES_SHARE,   /* differences of VALUE in those of VALUE and REST, in % */
	PM_PLOTSERIES_FORMULA, /* of counts of events */
};

#define PM_PLOTSERIES_REASONS 8

/* Why values were unknown, and how often. */
struct pm_plotseries_reasons {
	struct {
		char text[32];
		size_t count;
	} reason[PM_PLOTSERIES_REASONS];
	size_t n, resets;
};

struct pm_plotseries {
	const struct pm_plotseries_part *part;
	size_t parts;
	enum pm_plotseries_kind kind;
	double factor;                    /* of the values */
	const struct pm_formula *formula; /* of FORMULA */
	size_t events;
	int64_t base_us; /* time 0 of the line */
};

/* Read the series to their end and add them to a line, and the reasons of what is unknown to `why`.
 * Returns 0 or -1 with e filled. */
int pm_plotseries_read(const struct pm_plotseries *s, struct pm_db *db, int64_t job,
		       struct pm_line *l, struct pm_plotseries_reasons *why, struct pm_err *e);

#endif
