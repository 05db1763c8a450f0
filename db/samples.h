/* The samples of a series, read from its blocks. */
#ifndef PM_DB_SAMPLES_H
#define PM_DB_SAMPLES_H

#include "db/db.h"

struct pm_sample {
	int64_t series, tick_block;    /* numbers of the series, and of the block with its time */
	int64_t time_us, monotonic_us; /* the latter INT64_MIN where it is unknown */
	int64_t value;                 /* where it is known */
	bool known;
	const char *reason; /* why it is unknown, valid until the next sample; else NULL */
};

struct pm_samples; /* a series being read */

/* Begin to read a series of a job. Returns it, to be freed by pm_samples_free, or NULL with e
 * filled. */
struct pm_samples *pm_samples_new(struct pm_db *db, int64_t job, int64_t series, struct pm_err *e);

/* Begin to read all series of a job, in the order of their numbers, by one question. Returns as
 * pm_samples_new(). */
struct pm_samples *pm_samples_of_job(struct pm_db *db, int64_t job, struct pm_err *e);
void pm_samples_free(struct pm_samples *s);

/* Read the next sample of a series in the order of time; where the clock was set back, times may
 * begin anew with another block. Returns 1, 0 at the end, or -1 with e filled: a block
 * that is damaged is an error, too, and the next call goes on behind it. */
int pm_samples_next(struct pm_samples *s, struct pm_sample *x, struct pm_err *e);

/* Damage of the block for which pm_samples_next() has just failed, a constant. NULL: it was the
 * database that failed. */
const char *pm_samples_damage(const struct pm_samples *s);

#endif
