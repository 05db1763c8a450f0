/* The values of a GPU of NVIDIA's at a tick. */
#ifndef PM_SAMPLER_DEVICES_GPU_NVIDIAGPU_H
#define PM_SAMPLER_DEVICES_GPU_NVIDIAGPU_H

#include "sampler/devices/gpu/nvidiametrics.h"
#include "sampler/devices/gpu/nvidiaprocesses.h"
#include "sampler/devices/gpu/nvidiaset.h"
#include "sampler/devices/gpu/nvidiaslices.h"
#include "sampler/kernel/counter.h"
#include "sampler/source.h"

struct pm_nvidiagpu {
	struct pm_nvidiaid *id;        /* the set's */
	int series[PM_NVIDIA_GPU_END]; /* by metric, from PM_NVIDIA_GPU on */
	struct pm_counter counter[PM_NVIDIA_GPU_END];
	int refused[PM_NVIDIA_GPU_END]; /* code of what is not supported, and not asked for before
					   the next look; 0: asked for */
	struct pm_nvidiaprocesses processes;
	struct pm_nvidiaslices slices;
};

/* Add the series of a GPU. */
void pm_nvidiagpu_begin(struct pm_nvidiagpu *g, struct pm_nvidiaid *id, struct pm_sink *sink);

/* Look at what changes rarely, after each look of the set: slices, and which values there are. */
void pm_nvidiagpu_look(struct pm_nvidiagpu *g, const struct pm_nvml *nvml, struct pm_sink *sink);

/*
 * Put the values of a GPU. One that stops to answer becomes lost, and what has no value yet is
 * unknown as absent, as all is of one that is lost or asleep. now_us: monotonic clock.
 */
void pm_nvidiagpu_sample(struct pm_nvidiagpu *g, const struct pm_nvml *nvml, struct pm_sink *sink,
			 int64_t now_us);

/* Release what is held. */
void pm_nvidiagpu_end(struct pm_nvidiagpu *g);

#endif
