/* The series of processes on a GPU of NVIDIA's, which come and go. */
#ifndef PM_SAMPLER_DEVICES_GPU_NVIDIAPROCESSES_H
#define PM_SAMPLER_DEVICES_GPU_NVIDIAPROCESSES_H

#include "sampler/devices/gpu/nvidiametrics.h"
#include "sampler/devices/gpu/nvmlprocesses.h"
#include "sampler/source.h"

/* Processes of a GPU that have series; further ones are counted only. */
#define PM_NVIDIAPROCESSES_MAX 128

struct pm_nvidiaprocesses {
	struct pm_nvmlprocesses list;
	struct {
		unsigned pid;
		bool present;
		int series[PM_NVIDIA_OF_PROCESS];
	} shown[PM_NVIDIAPROCESSES_MAX];
	size_t count;
};

/*
 * Read the processes of a GPU and put the values of each. The objects are UUID/PID, the pid being
 * that of the host. Returns 0 with *n set to the number of processes, or a code of nvml.h, where
 * the processes' values are unknown with its reason.
 */
int pm_nvidiaprocesses_sample(struct pm_nvidiaprocesses *p, const struct pm_nvml *nvml,
			      pm_nvml_handle gpu, const char *uuid, struct pm_sink *sink,
			      size_t *n);

/* Give back all series and release what is held. sink NULL: release. */
void pm_nvidiaprocesses_end(struct pm_nvidiaprocesses *p, struct pm_sink *sink);

#endif
