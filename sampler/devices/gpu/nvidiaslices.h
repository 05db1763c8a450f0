/* The slices of a GPU of NVIDIA's in MIG mode, which is divided among several users. */
#ifndef PM_SAMPLER_DEVICES_GPU_NVIDIASLICES_H
#define PM_SAMPLER_DEVICES_GPU_NVIDIASLICES_H

#include "sampler/devices/gpu/nvml.h"
#include "sampler/source.h"

/* The most that a GPU can be divided into is 7. */
#define PM_NVIDIASLICES_MAX 8

/* The metrics of a slice, from the first of them on in the table of a source. */
enum {
	PM_NVIDIASLICES_MEMORY_TOTAL,
	PM_NVIDIASLICES_MEMORY_USED,
	PM_NVIDIASLICES_MEMORY_FREE,
	PM_NVIDIASLICES_UTILIZATION,
	PM_NVIDIASLICES_METRICS
};

struct pm_nvidiaslices {
	struct {
		char uuid[96];
		pm_nvml_handle handle;
		bool present;
		int series[PM_NVIDIASLICES_METRICS];
	} slice[PM_NVIDIASLICES_MAX];
	size_t count;
};

/* Find the slices of a GPU anew. The objects are their UUIDs, the metrics those from `metric` on.
 * Those that are gone are given back. */
void pm_nvidiaslices_look(struct pm_nvidiaslices *s, const struct pm_nvml *nvml, pm_nvml_handle gpu,
			  struct pm_sink *sink, size_t metric);

/* Put the values of each slice. */
void pm_nvidiaslices_sample(const struct pm_nvidiaslices *s, const struct pm_nvml *nvml,
			    struct pm_sink *sink);

/* Give back all series. sink NULL: none. */
void pm_nvidiaslices_end(struct pm_nvidiaslices *s, struct pm_sink *sink);

#endif
