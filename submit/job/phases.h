/* Phases of applications: marks from HOST.phases files, paired. */
#ifndef PM_SUBMIT_JOB_PHASES_H
#define PM_SUBMIT_JOB_PHASES_H

#include "submit/job/images.h"
#include "submit/memory/hashmap.h"

#include <stdbool.h>

/* Maximum number of marks of a job: further marks are rejected. */
#define PM_PHASES_MAX 1000000

struct pm_phase_event {
	char *name; /* escaped; owned */
	uint32_t host;
	bool begin;
	int64_t realtime_us, monotonic_us, pid;
	size_t order; /* position in the order of reading */
	size_t other; /* index of the matching end or beginning, SIZE_MAX: none */
};

/* The marks of a job; starts all zero. */
struct pm_phases {
	struct pm_phase_event *event;
	size_t count, cap;
	struct pm_hashmap seen; /* hashes of lines, for duplicates */
};

/*
 * Parse one line, without its newline. *host gets the host in the line, added to `images` if new.
 * Returns 0; 1 with *why set to a constant text if the line is rejected; -1 with e filled.
 */
int pm_phases_line(struct pm_phases *p, struct pm_images *images, const char *line, size_t n,
		   uint32_t *host, const char **why, struct pm_err *e);

/*
 * Sort the marks by host and monotonic time, and pair them: an end matches the latest open
 * beginning of its name on its host, preferably one by the same process. Returns 0, or -1 with e
 * filled (no memory).
 */
int pm_phases_pair(struct pm_phases *p, struct pm_err *e);

void pm_phases_free(struct pm_phases *p); /* may be called again */

#endif
