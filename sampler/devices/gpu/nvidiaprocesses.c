/* A series for each process on a GPU of NVIDIA's. */
#include "config.h"

#include "sampler/devices/gpu/nvidiaprocesses.h"

#include <stdio.h>

static void forget_process(struct pm_nvidiaprocesses *p, size_t i, struct pm_sink *sink)
{
	if (sink)
		pm_sink_forget(sink, p->shown[i].series);
	p->shown[i] = p->shown[--p->count];
}

/* The place of a process, made where there is room for it; else PM_NVIDIAPROCESSES_MAX. */
static size_t find_process(struct pm_nvidiaprocesses *p, unsigned pid, const char *uuid,
			   struct pm_sink *sink, size_t metric)
{
	char object[128];
	size_t i = 0;

	while (i < p->count && p->shown[i].pid != pid)
		i++;
	if (i < p->count || p->count == PM_NVIDIAPROCESSES_MAX)
		return i;
	snprintf(object, sizeof object, "%s/%u", uuid, pid);
	p->shown[i].pid = pid;
	p->shown[i].series = pm_sink_series(sink, metric, object);
	p->count++;
	return i;
}

static void put_memory(struct pm_sink *sink, int series, const struct pm_nvmlprocess *one)
{
	if (one->known && one->memory <= INT64_MAX)
		pm_sink_value(sink, series, (int64_t)one->memory);
	else
		pm_sink_unknown(sink, series, PM_REASON_unsupported);
}

/* rc: the code of reading the shares. */
static void put_share(struct pm_sink *sink, int series, const struct pm_nvmlprocess *one, int rc)
{
	if (rc != PM_NVML_SUCCESS)
		pm_sink_unknown(sink, series, pm_nvml_reason(rc));
	else if (one->shares_known)
		pm_sink_value(sink, series, one->sm);
	else
		pm_sink_unknown(sink, series, PM_REASON_absent);
}

int pm_nvidiaprocesses_sample(struct pm_nvidiaprocesses *p, const struct pm_nvml *nvml,
			      pm_nvml_handle gpu, const char *uuid, struct pm_sink *sink,
			      size_t metric, enum pm_nvidiaprocesses_kind kind, size_t *n)
{
	int rc = pm_nvmlprocesses_read(&p->list, nvml, gpu), shares_rc = PM_NVML_SUCCESS;

	*n = p->list.count;
	for (size_t i = 0; rc != PM_NVML_SUCCESS && i < p->count; i++)
		pm_sink_unknown(sink, p->shown[i].series, pm_nvml_reason(rc));
	if (rc != PM_NVML_SUCCESS)
		return rc;
	for (size_t i = 0; i < p->count; i++)
		p->shown[i].present = false;
	if (*n && kind == PM_NVIDIAPROCESSES_SM)
		shares_rc = pm_nvmlprocesses_shares(&p->list, nvml, gpu);
	for (size_t l = 0; l < p->list.count; l++) {
		const struct pm_nvmlprocess *one = &p->list.process[l];
		const size_t i = find_process(p, one->pid, uuid, sink, metric);

		if (i == PM_NVIDIAPROCESSES_MAX)
			continue;
		p->shown[i].present = true;
		if (kind == PM_NVIDIAPROCESSES_MEMORY)
			put_memory(sink, p->shown[i].series, one);
		else
			put_share(sink, p->shown[i].series, one, shares_rc);
	}
	for (size_t i = p->count; i-- > 0;)
		if (!p->shown[i].present)
			forget_process(p, i, sink);
	return PM_NVML_SUCCESS;
}

void pm_nvidiaprocesses_end(struct pm_nvidiaprocesses *p, struct pm_sink *sink)
{
	while (p->count)
		forget_process(p, p->count - 1, sink);
	pm_nvmlprocesses_free(&p->list);
}
