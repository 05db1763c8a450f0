/* Compare the data gathered from the sources of a load with its limits. */
#ifndef PM_SUBMIT_WITHIN_H
#define PM_SUBMIT_WITHIN_H

#include "submit/job/gather.h"
#include "submit/limits.h"

struct pm_within {
	const struct pm_load_limits *limits; /* NULL: none */
	int64_t until_us;                    /* limit on this process's CPU time; INT64_MAX: none */
	struct pm_within_use {
		uint64_t hosts, series, rows;
	} use, before; /* in all; of the current job before its current piece */
	unsigned pieces;
	bool over;         /* a limit is exceeded */
	int64_t paused_us; /* CPU time of this process at the pause */
	int64_t later_us;  /* until_us after the pause, 0: no other */
};

/* Start with nothing gathered. */
void pm_within_begin(struct pm_within *w, const struct pm_load_limits *limits);

/* Until the pause, allow no more than so much CPU time. */
void pm_within_hurry(struct pm_within *w, int64_t cpu_us);

/* Leave the CPU time between the two calls out of the limit. */
void pm_within_pause(struct pm_within *w);
void pm_within_resume(struct pm_within *w);

/* Call before a piece of a job is gathered. */
void pm_within_note(struct pm_within *w, const struct pm_gather *g);

/* Call after a piece of a job was gathered. Returns 0, or -1 with e filled and w->over set if a
 * limit is exceeded. */
int pm_within_check(struct pm_within *w, const struct pm_gather *g, struct pm_err *e);

#endif
