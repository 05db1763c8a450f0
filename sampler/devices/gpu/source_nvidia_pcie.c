/*
 * Source "nvidia_pcie": the rate through PCIe of GPUs of NVIDIA's, by the driver's counters (NVML
 * fields 197 and 198), read twice with one wait for all GPUs between. They have 32 bits, and
 * wrapped a dozen times a second while an H100 copied 52 GB/s: over 20 ms they wrap once at most,
 * and no total can be had of them. A GPU without them is asked for its rate, which blocks for 20 ms
 * in each direction (NVML API Reference, nvmlDeviceGetPcieThroughput).
 */
#include "config.h"

#include "sampler/devices/gpu/nvidiastate.h"

#include "common/now.h"

#include <time.h>

/* Time between the two readings. */
#define WAIT_NS 20000000

/* Times for which a rate is right: above the noise of the clock's reading; and below that in which
 * the fastest link, of 16 lanes of PCIe 6.0, counts 2^32 B. */
#define SHORTEST_US 10000
#define LONGEST_US  33000

enum { TX_RATE, RX_RATE, METRICS };

static const struct pm_metric metrics[METRICS] = {
	[TX_RATE] = { "pcie_tx_rate", "B/s", "bytes per second sent through PCIe, over 20 ms",
		      "gpu", false, PM_METRIC_GAUGE },
	[RX_RATE] = { "pcie_rx_rate", "B/s", "bytes per second received through PCIe, over 20 ms",
		      "gpu", false, PM_METRIC_GAUGE },
};

struct reading {
	bool known;
	int64_t time_us;         /* on the monotonic clock */
	uint32_t bytes[METRICS]; /* modulus 2^32 */
};

struct gpu {
	struct pm_nvidiaid *id; /* the set's */
	int series[METRICS];
	bool without; /* has no counters, and is not asked for them before the next look */
	struct reading first;
};

static void begin_gpu(void *gpu, struct pm_nvidiaid *id, struct pm_sink *sink)
{
	struct gpu *g = gpu;

	g->id = id;
	for (size_t m = 0; m < METRICS; m++)
		g->series[m] = pm_sink_series(sink, m, id->uuid);
}

static void look_gpu(void *gpu, const struct pm_nvml *nvml, struct pm_sink *sink)
{
	(void)nvml;
	(void)sink;
	((struct gpu *)gpu)->without = false;
}

static const struct pm_nvidiastate_kind kind = { sizeof(struct gpu), begin_gpu, look_gpu, NULL };

static int pcie_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	return pm_nvidiastate_open(state, &kind, target, sink, why);
}

/* Read the counters of a GPU, where it has them. */
static struct reading read_counters(struct gpu *g, const struct pm_nvml *nvml)
{
	static const unsigned ids[METRICS] = { PM_NVML_FIELD_PCIE_TX, PM_NVML_FIELD_PCIE_RX };
	struct pm_nvml_field field[METRICS] = { 0 };
	struct reading r = { .known = pm_nvidiaset_answers(g->id) && !g->without };
	int rc;

	if (!r.known)
		return r;
	for (size_t m = 0; m < METRICS; m++)
		field[m].id = ids[m];
	rc = PM_NVML_CALL(nvml, fields, g->id->handle, METRICS, field);
	r.time_us = pm_now_monotonic_us();
	for (size_t m = 0; m < METRICS; m++) {
		const int code = rc ? rc : field[m].rc;
		unsigned long long value = 0;

		pm_nvidiaset_note(g->id, code);
		if (code || pm_nvml_field_value(&field[m], &value) != PM_NVML_SUCCESS)
			r.known = false;
		r.bytes[m] = (uint32_t)value;
	}
	g->without = !r.known;
	return r;
}

/* Put what was counted between two readings. Returns whether their rates are right. */
static bool put_counted(const struct gpu *g, const struct reading *second, struct pm_sink *sink)
{
	const int64_t time_us = second->time_us - g->first.time_us;

	if (!second->known || time_us < SHORTEST_US || time_us > LONGEST_US)
		return false;
	for (size_t m = 0; m < METRICS; m++) {
		const uint32_t bytes = second->bytes[m] - g->first.bytes[m];

		pm_sink_value(sink, g->series[m], (int64_t)bytes * 1000000 / time_us);
	}
	return true;
}

/* Ask for a rate. The library has KB per second, which are 1000 B. */
static void put_asked(struct gpu *g, const struct pm_nvml *nvml, struct pm_sink *sink,
		      size_t metric)
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
	bool counted = false;

	pm_nvidiastate_look(s, sink);
	for (size_t i = 0; i < s->count; i++) {
		struct gpu *g = s->gpu[i];

		g->first = read_counters(g, &s->set.nvml);
		counted = counted || g->first.known;
	}
	if (counted)
		nanosleep(&(struct timespec){ .tv_nsec = WAIT_NS }, NULL);
	/* First all that are counted: a call that blocks would lengthen their time. */
	for (size_t i = 0; i < s->count; i++) {
		struct gpu *g = s->gpu[i];
		struct reading second;

		if (!g->first.known)
			continue;
		second = read_counters(g, &s->set.nvml);
		g->first.known = put_counted(g, &second, sink);
	}
	for (size_t i = 0; i < s->count; i++) {
		struct gpu *g = s->gpu[i];

		for (size_t m = 0; !g->first.known && m < METRICS; m++)
			put_asked(g, &s->set.nvml, sink, m);
	}
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
