/* Series files, perfmon-series(5), followed as they grow: what the sampler saw of a job's
 * processes.
 */
#ifndef PM_REPORT_TOP_TICKS_H
#define PM_REPORT_TOP_TICKS_H

#include "report/top/model.h"

/* Series that a picture needs, by their numbers in the file. */
struct pm_top_series {
	int64_t id;
	int what; /* enum in ticks.c */
	uint32_t program;
};

struct pm_top_ticks {
	struct pm_top_model *model;
	int64_t host;                 /* -1: none yet */
	struct pm_top_series *series; /* by id; owned */
	size_t count, room;
};

void pm_top_ticks_init(struct pm_top_ticks *t, struct pm_top_model *model);
void pm_top_ticks_free(struct pm_top_ticks *t);

/* Take a line; `old`: far from the end of the file, where only declarations matter. Returns 0, or
 * -1 if out of memory. */
int pm_top_ticks_line(struct pm_top_ticks *t, const char *line, size_t n, bool old);

#endif
