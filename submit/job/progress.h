/* Progress display of a load on a terminal. */
#ifndef PM_SUBMIT_JOB_PROGRESS_H
#define PM_SUBMIT_JOB_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Progress of one activity; initially all zero except `out` and `now`. All functions accept NULL
 * and do nothing. */
struct pm_progress {
	FILE *out;            /* the terminal */
	int64_t (*now)(void); /* us, pm_now_monotonic_us */
	const char *what, *unit;
	uint64_t total, done; /* total 0: unknown */
	uint64_t from;        /* units done at the beginning */
	uint64_t per;         /* units displayed as one: 1000000 to show bytes as MB */
	int64_t began_us, shown_us;
	bool shown;
};

/* Begin an activity with `done` of `total` units done: "reading", "MB", 1000000, 0, 40000000. */
void pm_progress_begin(struct pm_progress *p, const char *what, const char *unit, uint64_t per,
		       uint64_t done, uint64_t total);

/* Add n units, or set the number of units done. Cheap: the display changes a few times a second. */
void pm_progress_add(struct pm_progress *p, uint64_t n);
void pm_progress_at(struct pm_progress *p, uint64_t done);

/* Clear the display: the activity has ended. */
void pm_progress_end(struct pm_progress *p);

#endif
