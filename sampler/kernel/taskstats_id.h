/* The figures of taskstats.def by number. For programs and for BPF. */
#ifndef PM_SAMPLER_KERNEL_TASKSTATS_ID_H
#define PM_SAMPLER_KERNEL_TASKSTATS_ID_H

enum pm_taskstats_id {
#define PM_TASKSTATS(id, offset, unit, scale, how, needs, help) PM_TASKSTATS_##id,
#include "sampler/kernel/taskstats.def"
	PM_TASKSTATS_VALUES
};

#endif
