/*
 * Source "nvidia_counters": what NVIDIA's GPUs count, and what else the driver has to ask them for,
 * by the library of the driver (NVML API Reference). With an H100 and driver 580 the calls of a
 * reading took 6.3 ms: 2.7 for the energy, 1.7 for the processes' shares, 1.1 for the times of
 * throttling.
 */
#include "config.h"

#include "sampler/devices/gpu/nvidiagpu.h"
#include "sampler/devices/gpu/nvidiaprocesses.h"
#include "sampler/devices/gpu/nvidiastate.h"

enum {
	ENERGY,
	POWER_LIMIT,
	FAN,
	BAR1_TOTAL,
	BAR1_USED,
	ECC_CORRECTED,
	ECC_UNCORRECTED,
	THROTTLE_POWER,
	THROTTLE_THERMAL,
	THROTTLE_SYNC_BOOST,
	THROTTLE_BOARD_LIMIT,
	THROTTLE_LOW_UTILIZATION,
	THROTTLE_RELIABILITY,
	THROTTLE_APPLICATION_CLOCKS,
	THROTTLE_BASE_CLOCKS,
	GPU_END,
	PROCESS_SM = GPU_END,
	METRICS
};

/* The library's numbers of what slows a GPU down, in the order of the metrics. */
static const int policies[] = { 0, 1, 2, 3, 4, 5, 10, 11 };
#define POLICIES (sizeof policies / sizeof policies[0])
_Static_assert(THROTTLE_POWER + POLICIES == GPU_END, "a metric for each policy");

#define OF_GPU(metric, name, unit, kind, help)                                                     \
	[metric] = { name, unit, help, "gpu", false, PM_METRIC_##kind }

/* clang-format off */
static const struct pm_metric metrics[METRICS] = {
	OF_GPU(ENERGY, "energy", "uJ", COUNTER, "energy since the driver was loaded"),
	OF_GPU(POWER_LIMIT, "power_limit", "uW", GAUGE, "power limit that is enforced"),
	OF_GPU(FAN, "fan", "0.01%", GAUGE, "intended speed of the fan, as a share of its maximum"),
	OF_GPU(BAR1_TOTAL, "bar1_total", "B", GAUGE, "window through which the CPU and other devices reach the memory (BAR1)"),
	OF_GPU(BAR1_USED, "bar1_used", "B", GAUGE, "used part of it"),
	OF_GPU(ECC_CORRECTED, "ecc_corrected", "n", COUNTER, "errors of memory that were corrected, since the driver was loaded"),
	OF_GPU(ECC_UNCORRECTED, "ecc_uncorrected", "n", COUNTER, "errors of memory that could not be corrected, since the driver was loaded"),
	OF_GPU(THROTTLE_POWER, "throttle_power", "ns", COUNTER, "time in which power kept the clocks low"),
	OF_GPU(THROTTLE_THERMAL, "throttle_thermal", "ns", COUNTER, "time in which heat kept the clocks low"),
	OF_GPU(THROTTLE_SYNC_BOOST, "throttle_sync_boost", "ns", COUNTER, "time in which other GPUs of its group kept the clocks low"),
	OF_GPU(THROTTLE_BOARD_LIMIT, "throttle_board_limit", "ns", COUNTER, "time in which the voltage of the board kept the clocks low"),
	OF_GPU(THROTTLE_LOW_UTILIZATION, "throttle_low_utilization", "ns", COUNTER, "time in which low utilisation kept the clocks low"),
	OF_GPU(THROTTLE_RELIABILITY, "throttle_reliability", "ns", COUNTER, "time in which the limit of the voltage for reliability kept the clocks low"),
	OF_GPU(THROTTLE_APPLICATION_CLOCKS, "throttle_application_clocks", "ns", COUNTER, "time below the clocks that were set for applications"),
	OF_GPU(THROTTLE_BASE_CLOCKS, "throttle_base_clocks", "ns", COUNTER, "time below the base clocks"),
	[PROCESS_SM] = { "process_sm", "0.01%", "share of time in which kernels of the process ran, by the driver's samples since the previous reading",
		"process", false, PM_METRIC_GAUGE },
};
/* clang-format on */

struct gpu {
	struct pm_nvidiagpu values;
	struct pm_nvidiaprocesses processes;
};

/* --- values of a GPU -------------------------------------------------------------------------- */

static void put_bar1(struct pm_nvidiagpu *g, const struct pm_nvml *nvml)
{
	struct pm_nvml_memory bar1 = { 0 };
	struct pm_nvidiagpu_answer a;

	if (!pm_nvidiagpu_asks(g, BAR1_TOTAL))
		return;
	a.rc = PM_NVML_CALL(nvml, bar1, g->id->handle, &bar1);
	a.value = bar1.total;
	pm_nvidiagpu_put(g, BAR1_TOTAL, a, 1);
	a.value = bar1.used;
	pm_nvidiagpu_put(g, BAR1_USED, a, 1);
}

static void put_errors(struct pm_nvidiagpu *g, const struct pm_nvml *nvml)
{
	for (int i = 0; i < 2; i++) {
		const size_t metric = ECC_CORRECTED + (size_t)i;
		struct pm_nvidiagpu_answer a = { 0 };

		if (!pm_nvidiagpu_asks(g, metric))
			continue;
		a.rc = PM_NVML_CALL(nvml, ecc, g->id->handle, i, 0, &a.value);
		pm_nvidiagpu_put(g, metric, a, 1);
	}
}

static struct pm_nvidiagpu_answer ask_violation(const struct pm_nvidiagpu *g,
						const struct pm_nvml *nvml, int policy)
{
	struct pm_nvml_violation time = { 0 };
	struct pm_nvidiagpu_answer a;

	a.rc = PM_NVML_CALL(nvml, violation, g->id->handle, policy, &time);
	a.value = time.violation_ns;
	return a;
}

/* Times in which the GPU was slowed down: one call where the driver has them as fields, which is a
 * tenth of the time of a call for each. */
static void put_throttling(struct pm_nvidiagpu *g, const struct pm_nvml *nvml)
{
	struct pm_nvml_field field[POLICIES] = { 0 };
	size_t which[POLICIES], n = 0;
	int rc;

	for (size_t i = 0; i < POLICIES; i++) {
		if (!pm_nvidiagpu_asks(g, THROTTLE_POWER + i))
			continue;
		field[n].id = PM_NVML_FIELD_THROTTLE + (unsigned)i;
		which[n++] = i;
	}
	if (n == 0)
		return;
	rc = PM_NVML_CALL(nvml, fields, g->id->handle, (int)n, field);
	for (size_t i = 0; i < n && pm_nvidiaset_answers(g->id); i++) {
		struct pm_nvidiagpu_answer a = { rc, 0 };

		if (rc == PM_NVML_SUCCESS)
			a.rc = pm_nvml_field_value(&field[i], &a.value);
		pm_nvidiaset_note(g->id, a.rc);
		if (a.rc != PM_NVML_SUCCESS && pm_nvidiaset_answers(g->id))
			a = ask_violation(g, nvml, policies[which[i]]);
		pm_nvidiagpu_put(g, THROTTLE_POWER + which[i], a, 1);
	}
}

static void put_processes(struct gpu *gpu, const struct pm_nvml *nvml, struct pm_sink *sink)
{
	struct pm_nvidiagpu *g = &gpu->values;
	size_t n;

	pm_nvidiaset_note(g->id, pm_nvidiaprocesses_sample(&gpu->processes, nvml, g->id->handle,
							   g->id->uuid, sink, PROCESS_SM,
							   PM_NVIDIAPROCESSES_SM, &n));
}

/* Put the values of a GPU; those of one that is lost or asleep are absent. */
static void sample_gpu(struct gpu *gpu, const struct pm_nvml *nvml, struct pm_sink *sink,
		       int64_t now_us)
{
	struct pm_nvidiagpu *g = &gpu->values;

	if (pm_nvidiaset_answers(g->id))
		pm_nvidiagpu_read(g, now_us);
	/* The library has mJ and mW. */
	if (pm_nvidiagpu_asks(g, ENERGY))
		pm_nvidiagpu_put(g, ENERGY, pm_nvidiagpu_ask_long(g, nvml->energy), 1000);
	if (pm_nvidiagpu_asks(g, POWER_LIMIT))
		pm_nvidiagpu_put(g, POWER_LIMIT, pm_nvidiagpu_ask(g, nvml->limit), 1000);
	if (pm_nvidiagpu_asks(g, FAN))
		pm_nvidiagpu_put(g, FAN, pm_nvidiagpu_ask(g, nvml->fan), 100);
	put_bar1(g, nvml);
	put_errors(g, nvml);
	put_throttling(g, nvml);
	if (pm_nvidiaset_answers(g->id))
		put_processes(gpu, nvml, sink);
	if (!pm_nvidiaset_answers(g->id))
		pm_nvidiaprocesses_end(&gpu->processes, sink);
}

/* --- the source ------------------------------------------------------------------------------- */

static void begin_gpu(void *gpu, struct pm_nvidiaid *id, struct pm_sink *sink)
{
	pm_nvidiagpu_begin(&((struct gpu *)gpu)->values, id, sink, ENERGY, GPU_END);
}

static void look_gpu(void *gpu, const struct pm_nvml *nvml, struct pm_sink *sink)
{
	(void)nvml;
	(void)sink;
	pm_nvidiagpu_look(&((struct gpu *)gpu)->values);
}

static void end_gpu(void *gpu)
{
	pm_nvidiaprocesses_end(&((struct gpu *)gpu)->processes, NULL);
}

static const struct pm_nvidiastate_kind kind = { sizeof(struct gpu), begin_gpu, look_gpu, end_gpu };

static int counters_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			 struct pm_unavailable *why)
{
	return pm_nvidiastate_open(state, &kind, target, sink, why);
}

static void counters_sample(void *state, struct pm_sink *sink)
{
	struct pm_nvidiastate *s = state;
	const int64_t now_us = pm_nvidiastate_look(s, sink);

	for (size_t i = 0; i < s->count; i++)
		sample_gpu(s->gpu[i], &s->set.nvml, sink, now_us);
}

const struct pm_source pm_source_nvidia_counters = {
	.name = "nvidia_counters",
	.help = "energy, errors and throttling of NVIDIA's GPUs, and use of them by process",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 10000000,
	.open = counters_open,
	.sample = counters_sample,
	.describe = pm_nvidiastate_describe,
	.close = pm_nvidiastate_close,
};
