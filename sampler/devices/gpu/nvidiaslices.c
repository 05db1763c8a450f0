/* The slices of a GPU of NVIDIA's in MIG mode. */
#include "config.h"

#include "sampler/devices/gpu/nvidiaslices.h"

#include <stdio.h>
#include <string.h>

static void forget_slice(struct pm_nvidiaslices *s, size_t i, struct pm_sink *sink)
{
	for (size_t m = 0; sink && m < PM_NVIDIASLICES_METRICS; m++)
		pm_sink_forget(sink, s->slice[i].series[m]);
	s->slice[i] = s->slice[--s->count];
}

/* Note that there is a slice. */
static void note_slice(struct pm_nvidiaslices *s, const char *uuid, pm_nvml_handle handle,
		       struct pm_sink *sink, size_t metric)
{
	size_t i = 0;

	while (i < s->count && strcmp(s->slice[i].uuid, uuid) != 0)
		i++;
	if (i == PM_NVIDIASLICES_MAX)
		return;
	if (i == s->count) {
		snprintf(s->slice[i].uuid, sizeof s->slice[i].uuid, "%s", uuid);
		for (size_t m = 0; m < PM_NVIDIASLICES_METRICS; m++)
			s->slice[i].series[m] = pm_sink_series(sink, metric + m, uuid);
		s->count++;
	}
	s->slice[i].handle = handle;
	s->slice[i].present = true;
}

void pm_nvidiaslices_look(struct pm_nvidiaslices *s, const struct pm_nvml *nvml, pm_nvml_handle gpu,
			  struct pm_sink *sink, size_t metric)
{
	unsigned current = 0, pending, max = 0;

	for (size_t i = 0; i < s->count; i++)
		s->slice[i].present = false;
	if (PM_NVML_CALL(nvml, mig_mode, gpu, &current, &pending) != PM_NVML_SUCCESS || !current ||
	    PM_NVML_CALL(nvml, mig_max, gpu, &max) != PM_NVML_SUCCESS)
		max = 0;
	for (unsigned i = 0; i < max && i < PM_NVIDIASLICES_MAX; i++) {
		pm_nvml_handle handle;
		char uuid[96] = "";

		/* Numbers without a slice are among them. */
		if (PM_NVML_CALL(nvml, mig_slice, gpu, i, &handle) == PM_NVML_SUCCESS &&
		    PM_NVML_CALL(nvml, uuid, handle, uuid, sizeof uuid) == PM_NVML_SUCCESS &&
		    uuid[0])
			note_slice(s, uuid, handle, sink, metric);
	}
	for (size_t i = s->count; i-- > 0;)
		if (!s->slice[i].present)
			forget_slice(s, i, sink);
}

static void put_bytes(struct pm_sink *sink, int series, int rc, unsigned long long value)
{
	if (rc != PM_NVML_SUCCESS || value > INT64_MAX)
		pm_sink_unknown(sink, series, pm_nvml_reason(rc));
	else
		pm_sink_value(sink, series, (int64_t)value);
}

void pm_nvidiaslices_sample(const struct pm_nvidiaslices *s, const struct pm_nvml *nvml,
			    struct pm_sink *sink)
{
	for (size_t i = 0; i < s->count; i++) {
		const pm_nvml_handle handle = s->slice[i].handle;
		const int *series = s->slice[i].series;
		struct pm_nvml_utilization share = { 0 };
		struct pm_nvml_memory2 memory;
		bool reserved_known;
		int rc = pm_nvml_memory(nvml, handle, &memory, &reserved_known);

		put_bytes(sink, series[PM_NVIDIASLICES_MEMORY_TOTAL], rc, memory.total);
		put_bytes(sink, series[PM_NVIDIASLICES_MEMORY_USED], rc, memory.used);
		put_bytes(sink, series[PM_NVIDIASLICES_MEMORY_FREE], rc, memory.free);
		/* Drivers up to now do not support it. */
		rc = PM_NVML_CALL(nvml, utilization, handle, &share);
		put_bytes(sink, series[PM_NVIDIASLICES_UTILIZATION], rc, 100ull * share.gpu);
	}
}

void pm_nvidiaslices_end(struct pm_nvidiaslices *s, struct pm_sink *sink)
{
	while (s->count)
		forget_slice(s, s->count - 1, sink);
}
