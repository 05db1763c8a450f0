/* A series of samples as steps of a page's time: each sample read, or the totals of their blocks.
 */
#ifndef PM_REPORT_WEB_SERIESSTEPS_H
#define PM_REPORT_WEB_SERIESSTEPS_H

#include "report/web/stepline.h"

#include "db/db.h"

/* Reasons of unknown values that are told apart, by number from 1; further ones count as the last.
 */
#define PM_SERIESSTEPS_REASONS 32

/* A series: its row in the database, and how it is shown. */
struct pm_series {
	int64_t id, host;
	const char *source, *metric, *object, *unit, *kind;
	int64_t samples, known, begin_us, end_us;
	double factor; /* a value times this is in the shown unit; of a counter its rate per second
			*/
	const char *shown; /* the unit in which it is shown */
	bool counter;
};

struct pm_seriessteps {
	struct pm_db *db;
	int64_t job, start_us;   /* the job, and when the first step begins */
	struct pm_stepline line; /* of the series that was read last */
	char reason[PM_SERIESSTEPS_REASONS][32];
	int reasons;
	struct pm_stmt *blocks; /* NULL: each sample is read */
};

/* Read the totals of blocks from now on. Returns 0 or -1 with e filled. */
int pm_seriessteps_use_blocks(struct pm_seriessteps *p, struct pm_err *e);

/* Free what pm_seriessteps_use_blocks() needs. */
void pm_seriessteps_end(struct pm_seriessteps *p);

/* Read a series into the line, which the caller has prepared. Returns 0 or -1 with e filled. */
int pm_seriessteps_read(struct pm_seriessteps *p, const struct pm_series *s, struct pm_err *e);

/* The text of a reason of the line's steps. */
const char *pm_seriessteps_reason(const struct pm_seriessteps *p, int reason);

#endif
