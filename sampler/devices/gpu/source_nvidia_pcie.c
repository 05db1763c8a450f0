/*
 * Source "nvidia_pcie": the rate through PCIe of GPUs of NVIDIA's. Each call blocks for the 20 ms
 * over which the driver measures (NVML API Reference, nvmlDeviceGetPcieThroughput), so that this is
 * a source of its own. The driver's counters (NVML fields 197 and 198) are not read: they have 32
 * bits, and wrapped a dozen times a second while an H100 copied 52 GB/s.
 */
#include "config.h"

#include "sampler/devices/gpu/nvidiaset.h"

#include "common/settings/readconfig.h"

#include <stdlib.h>

enum { TX_RATE, RX_RATE, METRICS };

static const struct pm_metric metrics[METRICS] = {
	[TX_RATE] = { "pcie_tx_rate", "B/s", "bytes per second sent through PCIe, over 20 ms",
		      "gpu", false, PM_METRIC_GAUGE },
	[RX_RATE] = { "pcie_rx_rate", "B/s", "bytes per second received through PCIe, over 20 ms",
		      "gpu", false, PM_METRIC_GAUGE },
};

struct state {
	struct pm_nvidiaset set;
	int series[PM_NVIDIASET_MAX][METRICS]; /* by place in the set */
	size_t count;
};

static void pcie_close(void *state)
{
	struct state *s = state;

	pm_nvidiaset_close(&s->set);
	free(s);
}

static void begin_new(struct state *s, struct pm_sink *sink)
{
	for (; s->count < s->set.count; s->count++)
		for (size_t m = 0; m < METRICS; m++)
			s->series[s->count][m] = pm_sink_series(sink, m, s->set.id[s->count].uuid);
}

static int pcie_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "nvidia_pcie");
	if (pm_nvidiaset_open(&s->set, target->root, pm_config_get(PM_SET_nvml_library), why) < 0) {
		free(s);
		return -1;
	}
	begin_new(s, sink);
	*state = s;
	return 0;
}

/* The library has KB per second, which are 1000 B. */
static void put_rate(struct state *s, struct pm_sink *sink, size_t i, size_t metric)
{
	struct pm_nvidiaid *id = &s->set.id[i];
	unsigned kb_per_s = 0;
	int rc;

	if (!pm_nvidiaset_answers(id))
		return;
	rc = PM_NVML_CALL(&s->set.nvml, pcie, id->handle, (int)metric, &kb_per_s);
	pm_nvidiaset_note(id, rc);
	if (rc == PM_NVML_SUCCESS)
		pm_sink_value(sink, s->series[i][metric], (int64_t)kb_per_s * 1000);
	else
		pm_sink_unknown(sink, s->series[i][metric], pm_nvml_reason(rc));
}

static void pcie_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;

	if (pm_nvidiaset_look(&s->set, pm_nvidiaset_clock_us()))
		begin_new(s, sink);
	for (size_t i = 0; i < s->count; i++)
		for (size_t m = 0; m < METRICS; m++)
			put_rate(s, sink, i, m);
}

static void pcie_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	pm_nvidiaset_describe(&((struct state *)state)->set, sink, out);
}

const struct pm_source pm_source_nvidia_pcie = {
	.name = "nvidia_pcie",
	.help = "rate through PCIe of GPUs of NVIDIA's",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 10000000,
	.open = pcie_open,
	.sample = pcie_sample,
	.describe = pcie_describe,
	.close = pcie_close,
};
