/*
 * Source "nvidia": the state of NVIDIA's GPUs, of processes on them and of MIG slices, by the
 * library of the driver (NVML), which is opened at run time. The definitions are those of the NVML
 * API Reference. Here is what the driver has at hand, in a tenth of a millisecond for a GPU; what
 * it has to ask the GPU for, which takes milliseconds, is in source nvidia_counters.
 */
#include "config.h"

#include "sampler/devices/gpu/nvidiagpu.h"
#include "sampler/devices/gpu/nvidiaprocesses.h"
#include "sampler/devices/gpu/nvidiaslices.h"
#include "sampler/devices/gpu/nvidiastate.h"

enum {
	GPUS,
	GPUS_LOST,
	/* Of a GPU. */
	UTILIZATION,
	MEMORY_UTILIZATION,
	ENCODER,
	DECODER,
	MEMORY_TOTAL,
	MEMORY_USED,
	MEMORY_FREE,
	MEMORY_RESERVED,
	POWER,
	TEMPERATURE,
	CLOCK_GRAPHICS,
	CLOCK_SM,
	CLOCK_MEMORY,
	CLOCK_VIDEO,
	THROTTLE_REASONS,
	PROCESSES,
	GPU_END,
	PROCESS_MEMORY = GPU_END,
	SLICE, /* and on, in the order of nvidiaslices.h */
	METRICS = SLICE + PM_NVIDIASLICES_METRICS
};

#define OF_GPU(metric, name, unit, help)                                                           \
	[metric] = { name, unit, help, "gpu", false, PM_METRIC_GAUGE }
#define OF_SLICE(metric, name, unit, help)                                                         \
	[SLICE + PM_NVIDIASLICES_##                                                                \
		metric] = { "slice_" name, unit, help, "slice", false, PM_METRIC_GAUGE }

/* clang-format off */
static const struct pm_metric metrics[METRICS] = {
	[GPUS] = { "gpus", "n", "GPUs that answer", NULL, false, PM_METRIC_GAUGE },
	[GPUS_LOST] = { "gpus_lost", "n", "GPUs that do not answer any more", NULL, false, PM_METRIC_GAUGE },
	OF_GPU(UTILIZATION, "utilization", "0.01%", "share of the last sample period (1/6 to 1 s) in which a kernel ran"),
	OF_GPU(MEMORY_UTILIZATION, "memory_utilization", "0.01%", "share of that period in which memory was read or written"),
	OF_GPU(ENCODER, "encoder", "0.01%", "utilisation of the video encoder"),
	OF_GPU(DECODER, "decoder", "0.01%", "utilisation of the video decoder"),
	OF_GPU(MEMORY_TOTAL, "memory_total", "B", "memory of the GPU"),
	OF_GPU(MEMORY_USED, "memory_used", "B", "used memory, without the reserved"),
	OF_GPU(MEMORY_FREE, "memory_free", "B", "free memory"),
	OF_GPU(MEMORY_RESERVED, "memory_reserved", "B", "memory reserved by driver and firmware"),
	OF_GPU(POWER, "power", "uW", "power of the board: mean of a second, of the moment with GPUs before Ampere and GA100"),
	OF_GPU(TEMPERATURE, "temperature", "mdegC", "temperature of the chip"),
	OF_GPU(CLOCK_GRAPHICS, "clock_graphics", "Hz", "clock of the graphics engine"),
	OF_GPU(CLOCK_SM, "clock_sm", "Hz", "clock of the streaming multiprocessors"),
	OF_GPU(CLOCK_MEMORY, "clock_memory", "Hz", "clock of the memory"),
	OF_GPU(CLOCK_VIDEO, "clock_video", "Hz", "clock of the video engines"),
	OF_GPU(THROTTLE_REASONS, "throttle_reasons", "mask", "what keeps the clocks low now, as NVML's mask: 0x1 idle, 0x4 power cap, 0x8 hardware slowdown, 0x20 and 0x40 heat, 0x80 power brake"),
	OF_GPU(PROCESSES, "processes", "n", "processes that use the GPU"),
	[PROCESS_MEMORY] = { "process_memory", "B", "memory of the GPU that the process uses", "process", false, PM_METRIC_GAUGE },
	OF_SLICE(MEMORY_TOTAL, "memory_total", "B", "memory of the MIG slice"),
	OF_SLICE(MEMORY_USED, "memory_used", "B", "used memory of it"),
	OF_SLICE(MEMORY_FREE, "memory_free", "B", "free memory of it"),
	OF_SLICE(UTILIZATION, "utilization", "0.01%", "share of time in which a kernel ran on it, where the driver tells"),
};
/* clang-format on */

typedef int coder_function(pm_nvml_handle gpu, unsigned *percent, unsigned *period_us);

struct gpu {
	struct pm_nvidiagpu values;
	struct pm_nvidiaprocesses processes;
	struct pm_nvidiaslices slices;
};

/* --- values of a GPU -------------------------------------------------------------------------- */

static void put_coder(struct pm_nvidiagpu *g, size_t metric, coder_function *function)
{
	struct pm_nvidiagpu_answer a = { .rc = PM_NVML_FUNCTION_NOT_FOUND };
	unsigned value = 0, period_us;

	if (!pm_nvidiagpu_asks(g, metric))
		return;
	if (function)
		a.rc = function(g->id->handle, &value, &period_us);
	a.value = value;
	pm_nvidiagpu_put(g, metric, a, 100);
}

static void put_utilization(struct pm_nvidiagpu *g, const struct pm_nvml *nvml)
{
	struct pm_nvml_utilization share = { 0 };
	struct pm_nvidiagpu_answer a;

	if (!pm_nvidiagpu_asks(g, UTILIZATION))
		return;
	a.rc = PM_NVML_CALL(nvml, utilization, g->id->handle, &share);
	a.value = share.gpu;
	pm_nvidiagpu_put(g, UTILIZATION, a, 100);
	a.value = share.memory;
	pm_nvidiagpu_put(g, MEMORY_UTILIZATION, a, 100);
}

static void put_memory(struct pm_nvidiagpu *g, const struct pm_nvml *nvml)
{
	struct pm_nvml_memory2 memory;
	bool reserved_known;
	int rc;

	if (!pm_nvidiagpu_asks(g, MEMORY_TOTAL))
		return;
	rc = pm_nvml_memory(nvml, g->id->handle, &memory, &reserved_known);
	pm_nvidiagpu_put(g, MEMORY_TOTAL, (struct pm_nvidiagpu_answer){ rc, memory.total }, 1);
	pm_nvidiagpu_put(g, MEMORY_USED, (struct pm_nvidiagpu_answer){ rc, memory.used }, 1);
	pm_nvidiagpu_put(g, MEMORY_FREE, (struct pm_nvidiagpu_answer){ rc, memory.free }, 1);
	if (rc == PM_NVML_SUCCESS && !reserved_known)
		rc = PM_NVML_NOT_SUPPORTED;
	pm_nvidiagpu_put(g, MEMORY_RESERVED, (struct pm_nvidiagpu_answer){ rc, memory.reserved },
			 1);
}

/* The library has degrees. */
static void put_temperature(struct pm_nvidiagpu *g, const struct pm_nvml *nvml)
{
	struct pm_nvml_temperature by_version = { .version = PM_NVML_TEMPERATURE };
	struct pm_nvidiagpu_answer a;
	unsigned degrees = 0;

	if (!pm_nvidiagpu_asks(g, TEMPERATURE))
		return;
	a.rc = PM_NVML_CALL(nvml, temperature, g->id->handle, 0, &degrees);
	a.value = degrees;
	if (a.rc == PM_NVML_FUNCTION_NOT_FOUND || a.rc == PM_NVML_NOT_SUPPORTED) {
		a.rc = PM_NVML_CALL(nvml, temperature2, g->id->handle, &by_version);
		/* Below zero no GPU runs. */
		a.value = by_version.degrees < 0 ? UINT64_MAX
						 : (unsigned long long)by_version.degrees;
	}
	pm_nvidiagpu_put(g, TEMPERATURE, a, 1000);
}

/* The library has MHz. */
static void put_clocks(struct pm_nvidiagpu *g, const struct pm_nvml *nvml)
{
	for (int i = 0; i < 4; i++) {
		const size_t metric = CLOCK_GRAPHICS + (size_t)i;
		struct pm_nvidiagpu_answer a;
		unsigned mhz = 0;

		if (!pm_nvidiagpu_asks(g, metric))
			continue;
		a.rc = PM_NVML_CALL(nvml, clock, g->id->handle, i, &mhz);
		a.value = mhz;
		pm_nvidiagpu_put(g, metric, a, 1000000);
	}
}

static void put_reasons(struct pm_nvidiagpu *g, const struct pm_nvml *nvml)
{
	struct pm_nvidiagpu_answer a;

	if (!pm_nvidiagpu_asks(g, THROTTLE_REASONS))
		return;
	a = pm_nvidiagpu_ask_long(g, nvml->reasons);
	if (a.rc == PM_NVML_FUNCTION_NOT_FOUND)
		a = pm_nvidiagpu_ask_long(g, nvml->reasons1);
	pm_nvidiagpu_put(g, THROTTLE_REASONS, a, 1);
}

static void put_processes(struct gpu *gpu, const struct pm_nvml *nvml, struct pm_sink *sink)
{
	struct pm_nvidiagpu *g = &gpu->values;
	struct pm_nvidiagpu_answer a;
	size_t n = 0;

	if (!pm_nvidiagpu_asks(g, PROCESSES))
		return;
	a.rc = pm_nvidiaprocesses_sample(&gpu->processes, nvml, g->id->handle, g->id->uuid, sink,
					 PROCESS_MEMORY, PM_NVIDIAPROCESSES_MEMORY, &n);
	a.value = n;
	pm_nvidiagpu_put(g, PROCESSES, a, 1);
}

/* Put the values of a GPU; those of one that is lost or asleep are absent. */
static void sample_gpu(struct gpu *gpu, const struct pm_nvml *nvml, struct pm_sink *sink,
		       int64_t now_us)
{
	struct pm_nvidiagpu *g = &gpu->values;

	if (pm_nvidiaset_answers(g->id)) {
		pm_nvidiagpu_read(g, now_us);
		put_utilization(g, nvml);
		put_coder(g, ENCODER, nvml->encoder);
		put_coder(g, DECODER, nvml->decoder);
		put_memory(g, nvml);
		/* The library has mW. */
		if (pm_nvidiagpu_asks(g, POWER))
			pm_nvidiagpu_put(g, POWER, pm_nvidiagpu_ask(g, nvml->power), 1000);
		put_temperature(g, nvml);
		put_clocks(g, nvml);
		put_reasons(g, nvml);
		put_processes(gpu, nvml, sink);
	}
	if (pm_nvidiaset_answers(g->id)) {
		pm_nvidiaslices_sample(&gpu->slices, nvml, sink);
	} else {
		/* Nothing runs there. */
		pm_nvidiaprocesses_end(&gpu->processes, sink);
		pm_nvidiaslices_end(&gpu->slices, sink);
	}
}

/* --- the source ------------------------------------------------------------------------------- */

static void begin_gpu(void *gpu, struct pm_nvidiaid *id, struct pm_sink *sink)
{
	pm_nvidiagpu_begin(&((struct gpu *)gpu)->values, id, sink, UTILIZATION, GPU_END);
}

static void look_gpu(void *gpu, const struct pm_nvml *nvml, struct pm_sink *sink)
{
	struct gpu *g = gpu;

	pm_nvidiagpu_look(&g->values);
	if (pm_nvidiaset_answers(g->values.id))
		pm_nvidiaslices_look(&g->slices, nvml, g->values.id->handle, sink, SLICE);
}

static void end_gpu(void *gpu)
{
	pm_nvidiaprocesses_end(&((struct gpu *)gpu)->processes, NULL);
	pm_nvidiaslices_end(&((struct gpu *)gpu)->slices, NULL);
}

static const struct pm_nvidiastate_kind kind = { sizeof(struct gpu), begin_gpu, look_gpu, end_gpu };

static int nvidia_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		       struct pm_unavailable *why)
{
	return pm_nvidiastate_open(state, &kind, target, sink, why);
}

static void nvidia_sample(void *state, struct pm_sink *sink)
{
	struct pm_nvidiastate *s = state;
	const int64_t now_us = pm_nvidiastate_look(s, sink);
	size_t lost;

	for (size_t i = 0; i < s->count; i++)
		sample_gpu(s->gpu[i], &s->set.nvml, sink, now_us);
	lost = pm_nvidiaset_lost(&s->set);
	pm_sink_value(sink, GPUS_LOST, (int64_t)lost);
	pm_sink_value(sink, GPUS, (int64_t)(s->set.count + s->set.nameless - lost));
}

const struct pm_source pm_source_nvidia = {
	.name = "nvidia",
	.help = "state of NVIDIA's GPUs, of processes on them and of MIG slices",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 1000000,
	.open = nvidia_open,
	.sample = nvidia_sample,
	.describe = pm_nvidiastate_describe,
	.close = pm_nvidiastate_close,
};
