/* A series for each process on a GPU of NVIDIA's: they come and go. */
#ifndef PM_SAMPLER_DEVICES_GPU_NVIDIAPROCESSES_H
#define PM_SAMPLER_DEVICES_GPU_NVIDIAPROCESSES_H

#include "sampler/devices/gpu/nvmlprocesses.h"
#include "sampler/source.h"

/* Processes of a GPU that have a series; further ones are counted only. */
#define PM_NVIDIAPROCESSES_MAX 128

/* What the series has: memory in B, or the share of the GPU's time in 0.01%. */
enum pm_nvidiaprocesses_kind { PM_NVIDIAPROCESSES_MEMORY, PM_NVIDIAPROCESSES_SM };

struct pm_nvidiaprocesses {
	struct pm_nvmlprocesses list;
	struct {
		unsigned pid;
		bool present;
		int series;
	} shown[PM_NVIDIAPROCESSES_MAX];
	size_t count;
};

/*
 * Read the processes of a GPU, and put a value into the series of this metric of each. The objects
 * are UUID/PID, the pid being that of the host. Returns 0 with *n set to the number of processes,
 * or a code of nvml.h, where the values of the processes are unknown with its reason.
 */
int pm_nvidiaprocesses_sample(struct pm_nvidiaprocesses *p, const struct pm_nvml *nvml,
			      pm_nvml_handle gpu, const char *uuid, struct pm_sink *sink,
			      size_t metric, enum pm_nvidiaprocesses_kind kind, size_t *n);

/* Give back all series and release what is held. sink NULL: release. */
void pm_nvidiaprocesses_end(struct pm_nvidiaprocesses *p, struct pm_sink *sink);

#endif
