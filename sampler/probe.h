/* Try a source out: is it available, and what does it cost? */
#ifndef PM_SAMPLER_PROBE_H
#define PM_SAMPLER_PROBE_H

#include "sampler/source.h"

struct pm_probe {
	bool available;
	struct pm_unavailable why; /* while !available */
	int64_t cost_ns;           /* CPU time of a sample: mean of several, without the first */
	int64_t series;            /* number of series */
	int64_t unknown;           /* series without a value in the last sample */
	char *devices;             /* lines of the source's describe(); owned; NULL: none */
};

/*
 * Open a source and sample it a few times, in a child process. A source that hangs or crashes is
 * not available, with the reason late or failed; one with a period is given more time. The child
 * opens target->tree for a source that needs it. The caller frees probe->devices.
 */
void pm_probe_run(const struct pm_source *source, const struct pm_target *target,
		  struct pm_probe *probe);

#endif
