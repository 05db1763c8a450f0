/* Try a source out: whether it is there, and what it costs. Programs only. */
#ifndef PM_PROBE_H
#define PM_PROBE_H

#include "sampler/source.h"

struct pm_probe {
	bool available;
	struct pm_unavailable why; /* where it is not */
	int64_t cost_ns;           /* CPU time of a sample, mean of several, the first left out */
	int64_t series;            /* series that these samples had */
	int64_t unknown;           /* those of them without a value in the last one */
};

/*
 * Open a source and sample it a few times, in a process of its own: one that hangs or crashes is
 * not available, with the reason late or failed. target->tree is opened there where the source asks
 * for it.
 */
void pm_probe_run(const struct pm_source *source, const struct pm_target *target,
		  struct pm_probe *probe);

#endif
