/* The figures of taskstats.def by number. Programs only, and what runs in the kernel. */
#ifndef PM_TASKSTATS_ID_H
#define PM_TASKSTATS_ID_H

enum pm_taskstats_id {
#define PM_TASKSTATS(id, offset, unit, scale, how, needs, help) PM_TASKSTATS_##id,
#include "sampler/taskstats.def"
	PM_TASKSTATS_VALUES
};

#endif
