/* The state of a source of NVIDIA's GPUs: their set, and what the source keeps of each GPU. */
#ifndef PM_SAMPLER_DEVICES_GPU_NVIDIASTATE_H
#define PM_SAMPLER_DEVICES_GPU_NVIDIASTATE_H

#include "sampler/devices/gpu/nvidiaset.h"

/* What a source keeps of a GPU, and what it does with that. */
struct pm_nvidiastate_kind {
	size_t size; /* B; all zero before begin */
	/* A GPU is new: add its series. id is the set's, and stays at its place. */
	void (*begin)(void *gpu, struct pm_nvidiaid *id, struct pm_sink *sink);
	/* The set has looked: handles are others. NULL: nothing to do. */
	void (*look)(void *gpu, const struct pm_nvml *nvml, struct pm_sink *sink);
	/* Release what the GPU holds. NULL: it holds nothing. */
	void (*end)(void *gpu);
};

struct pm_nvidiastate {
	const struct pm_nvidiastate_kind *kind;
	struct pm_nvidiaset set;
	void *gpu[PM_NVIDIASET_MAX]; /* owned; by place in the set */
	size_t count;
};

/*
 * Open the library that the setting nvml_library names, find all GPUs and begin with each. Returns
 * 0 with *state set, a struct pm_nvidiastate, or -1 with *why filled and nothing held.
 */
int pm_nvidiastate_open(void **state, const struct pm_nvidiastate_kind *kind,
			const struct pm_target *target, struct pm_sink *sink,
			struct pm_unavailable *why);

/* Begin a reading: look for GPUs when it is time, and begin with those that are new. Returns the
 * time of the reading, us on the monotonic clock. */
int64_t pm_nvidiastate_look(struct pm_nvidiastate *s, struct pm_sink *sink);

/* The functions `describe` and `close` of a source that has such a state. */
void pm_nvidiastate_describe(void *state, const struct pm_sink *sink, FILE *out);
void pm_nvidiastate_close(void *state);

#endif
