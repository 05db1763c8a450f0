/* How far a load is, on a terminal. Programs only. */
#ifndef PM_PROGRESS_H
#define PM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What is counted; all zero but `out` and `now` at first. Functions take NULL and do nothing. */
struct pm_progress {
	FILE *out;            /* the terminal */
	int64_t (*now)(void); /* us, pm_now_monotonic_us */
	const char *what, *unit;
	uint64_t total, done; /* total 0: not known */
	uint64_t from;        /* what was done at first */
	uint64_t per;         /* units that are shown as one: 1000000 of bytes */
	int64_t began_us, told_us;
	bool shown;
};

/* Begin to count units of something that is done, of which so many are done and so many there are:
 * "reading", "MB", 1000000, 0, 40000000. */
void pm_progress_begin(struct pm_progress *p, const char *what, const char *unit, uint64_t per,
		       uint64_t done, uint64_t total);

/* So many more, or in all, are done. Cheap: what is shown changes a few times a second. */
void pm_progress_add(struct pm_progress *p, uint64_t n);
void pm_progress_at(struct pm_progress *p, uint64_t done);

/* Take away what is shown: nothing is done any more. */
void pm_progress_end(struct pm_progress *p);

#endif
