/* Phases of applications: the marks of HOST.phases, put together in pairs. Programs only. */
#ifndef PM_PHASES_H
#define PM_PHASES_H

#include "submit/images.h"
#include "submit/set.h"

#include <stdbool.h>

/* Most marks of a job: what is beyond is rejected. */
#define PM_PHASES_MAX 1000000

struct pm_phase_event {
	char *name; /* escaped; owned */
	uint32_t host;
	bool begin;
	int64_t realtime_us, monotonic_us, pid;
	size_t order; /* in which it was read */
	size_t other; /* the end of a beginning and the reverse, SIZE_MAX: none */
};

/* The marks of a job; begins all zero. */
struct pm_phases {
	struct pm_phase_event *event;
	size_t count, cap;
	struct pm_set seen; /* hashes of lines, for duplicates */
};

/*
 * Take one line, without its newline. *host gets the host that it names, added to `images` where it
 * is new. Returns 0; 1 with *why set to a constant text where it is rejected; -1 with e filled.
 */
int pm_phases_line(struct pm_phases *p, struct pm_images *images, const char *line, size_t n,
		   uint32_t *host, const char **why, struct pm_err *e);

/*
 * Sort the marks by host and monotonic time, and pair them: an end belongs to the latest beginning
 * of its name on its host that has none yet, and among these to one by the same process where there
 * is one. Returns 0, or -1 with e filled (no memory).
 */
int pm_phases_pair(struct pm_phases *p, struct pm_err *e);

void pm_phases_free(struct pm_phases *p); /* may be called again */

#endif
