/*
 * Source "nvidia_pcie": the rate through PCIe of GPUs of NVIDIA's. Each call blocks for the 20 ms
 * over which the driver measures (NVML API Reference, nvmlDeviceGetPcieThroughput), so that this is
 * a source of its own. The driver's counters (NVML fields 197 and 198) are not read: they have 32
 * bits, and wrapped a dozen times a second while an H100 copied 52 GB/s.
 */
#include "config.h"

#include "sampler/devices/gpu/nvidiastate.h"

enum { TX_RATE, RX_RATE, METRICS };

static const struct pm_metric metrics[METRICS] = {
	[TX_RATE] = { "pcie_tx_rate", "B/s", "bytes per second sent through PCIe, over 20 ms",
		      "gpu", false, PM_METRIC_GAUGE },
	[RX_RATE] = { "pcie_rx_rate", "B/s", "bytes per second received through PCIe, over 20 ms",
		      "gpu", false, PM_METRIC_GAUGE },
};

struct gpu {
	struct pm_nvidiaid *id; /* the set's */
	int series[METRICS];
};

static void begin_gpu(void *gpu, struct pm_nvidiaid *id, struct pm_sink *sink)
{
	struct gpu *g = gpu;

	g->id = id;
	for (size_t m = 0; m < METRICS; m++)
		g->series[m] = pm_sink_series(sink, m, id->uuid);
}

static const struct pm_nvidiastate_kind kind = { sizeof(struct gpu), begin_gpu, NULL, NULL };

static int pcie_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	return pm_nvidiastate_open(state, &kind, target, sink, why);
}

/* The library has KB per second, which are 1000 B. */
static void put_rate(struct gpu *g, const struct pm_nvml *nvml, struct pm_sink *sink, size_t metric)
{
	unsigned kb_per_s = 0;
	int rc;

	if (!pm_nvidiaset_answers(g->id))
		return;
	rc = PM_NVML_CALL(nvml, pcie, g->id->handle, (int)metric, &kb_per_s);
	pm_nvidiaset_note(g->id, rc);
	if (rc == PM_NVML_SUCCESS)
		pm_sink_value(sink, g->series[metric], (int64_t)kb_per_s * 1000);
	else
		pm_sink_unknown(sink, g->series[metric], pm_nvml_reason(rc));
}

static void pcie_sample(void *state, struct pm_sink *sink)
{
	struct pm_nvidiastate *s = state;

	pm_nvidiastate_look(s, sink);
	for (size_t i = 0; i < s->count; i++)
		for (size_t m = 0; m < METRICS; m++)
			put_rate(s->gpu[i], &s->set.nvml, sink, m);
}

const struct pm_source pm_source_nvidia_pcie = {
	.name = "nvidia_pcie",
	.help = "rate through PCIe of GPUs of NVIDIA's",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 10000000,
	.open = pcie_open,
	.sample = pcie_sample,
	.describe = pm_nvidiastate_describe,
	.close = pm_nvidiastate_close,
};
