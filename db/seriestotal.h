/*
 * Totals of a series: table series_summary, which stays when the samples themselves are deleted.
 * The loader, migrate and verify add the blocks of a series in their order, so all get the same
 * mean.
 */
#ifndef PM_DB_SERIESTOTAL_H
#define PM_DB_SERIESTOTAL_H

#include "db/db.h"

/* What a series or a block of its samples adds up to; of none, all is 0. */
struct pm_seriestotal {
	int64_t samples, known;   /* number of samples, and of those whose value is known */
	int64_t begin_us, end_us; /* times of the earliest and the latest sample */
	int64_t minimum, maximum; /* of the known values; without any, 0 */
	double mean;              /* of the known values; without any, 0 */
};

/* Add a block to a total. */
void pm_seriestotal_add(struct pm_seriestotal *to, const struct pm_seriestotal *block);

/* The names of the members, as columns of series_summary and of sample_block, with commas. */
extern const char pm_seriestotal_columns[];

/* Read a total from these columns, from column `at` on. */
struct pm_seriestotal pm_seriestotal_take(struct pm_stmt *q, int at);

/* Write the row of a series by a statement of pm_db_insert. Returns 0 or -1 with e filled. */
int pm_seriestotal_write(struct pm_stmt *q, int64_t job, int64_t series,
			 const struct pm_seriestotal *t, struct pm_err *e);

/* The totals of series as their blocks add up, being read. */
struct pm_seriestotals {
	struct pm_stmt *blocks;
	int has; /* whether the statement is at a block */
};

/* Begin to read those of a job, or of all jobs where `job` is 0. Returns 0, with s to be ended, or
 * -1 with e filled. */
int pm_seriestotals_begin(struct pm_seriestotals *s, struct pm_db *db, int64_t job,
			  struct pm_err *e);

/* Add up the next series, by job and series. Returns 1, 0 at the end, or -1 with e filled. */
int pm_seriestotals_next(struct pm_seriestotals *s, int64_t *job, int64_t *series,
			 struct pm_seriestotal *t, struct pm_err *e);
void pm_seriestotals_end(struct pm_seriestotals *s);

/* Fill the empty table from the blocks of all series, inside the caller's transaction. Returns 0 or
 * -1 with e filled. */
int pm_seriestotal_fill(struct pm_db *db, struct pm_err *e);

#endif
