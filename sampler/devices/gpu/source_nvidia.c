/*
 * Source "nvidia": GPUs of NVIDIA's, their processes and their MIG slices, by the library of the
 * driver (NVML), which is opened at run time. The definitions are those of the NVML API Reference.
 * Slow: a call of the driver may block.
 */
#include "config.h"

#include "sampler/devices/gpu/nvidiagpu.h"

#include "common/settings/readconfig.h"

#include <stdlib.h>
#include <time.h>

#define OF_GPU(metric, name, unit, kind, help)                                                     \
	[PM_NVIDIA_##metric] = { name, unit, help, "gpu", false, PM_METRIC_##kind }
#define OF_PROCESS(metric, name, unit, help)                                                       \
	[PM_NVIDIA_PROCESS_##                                                                      \
		metric] = { "process_" name, unit, help, "process", false, PM_METRIC_GAUGE }
#define OF_SLICE(metric, name, unit, help)                                                         \
	[PM_NVIDIA_SLICE_##metric] = { "slice_" name, unit, help, "slice", false, PM_METRIC_GAUGE }

/* clang-format off */
static const struct pm_metric metrics[PM_NVIDIA_METRICS] = {
	[PM_NVIDIA_GPUS] = { "gpus", "n", "GPUs that answer", NULL, false, PM_METRIC_GAUGE },
	[PM_NVIDIA_LOST] = { "gpus_lost", "n", "GPUs that do not answer any more", NULL, false, PM_METRIC_GAUGE },
	OF_GPU(UTILIZATION, "utilization", "0.01%", GAUGE, "share of the last sample period (1/6 to 1 s) in which a kernel ran"),
	OF_GPU(MEMORY_UTILIZATION, "memory_utilization", "0.01%", GAUGE, "share of that period in which memory was read or written"),
	OF_GPU(ENCODER, "encoder", "0.01%", GAUGE, "utilisation of the video encoder"),
	OF_GPU(DECODER, "decoder", "0.01%", GAUGE, "utilisation of the video decoder"),
	OF_GPU(MEMORY_TOTAL, "memory_total", "B", GAUGE, "memory of the GPU"),
	OF_GPU(MEMORY_USED, "memory_used", "B", GAUGE, "used memory, without the reserved"),
	OF_GPU(MEMORY_FREE, "memory_free", "B", GAUGE, "free memory"),
	OF_GPU(MEMORY_RESERVED, "memory_reserved", "B", GAUGE, "memory reserved by driver and firmware"),
	OF_GPU(BAR1_TOTAL, "bar1_total", "B", GAUGE, "window through which the CPU and other devices reach the memory (BAR1)"),
	OF_GPU(BAR1_USED, "bar1_used", "B", GAUGE, "used part of it"),
	OF_GPU(POWER, "power", "uW", GAUGE, "power of the board: mean of a second, of the moment with GPUs before Ampere and GA100"),
	OF_GPU(POWER_LIMIT, "power_limit", "uW", GAUGE, "power limit that is enforced"),
	OF_GPU(ENERGY, "energy", "uJ", COUNTER, "energy since the driver was loaded"),
	OF_GPU(TEMPERATURE, "temperature", "mdegC", GAUGE, "temperature of the chip"),
	OF_GPU(FAN, "fan", "0.01%", GAUGE, "intended speed of the fan, as a share of its maximum"),
	OF_GPU(CLOCK_GRAPHICS, "clock_graphics", "Hz", GAUGE, "clock of the graphics engine"),
	OF_GPU(CLOCK_SM, "clock_sm", "Hz", GAUGE, "clock of the streaming multiprocessors"),
	OF_GPU(CLOCK_MEMORY, "clock_memory", "Hz", GAUGE, "clock of the memory"),
	OF_GPU(CLOCK_VIDEO, "clock_video", "Hz", GAUGE, "clock of the video engines"),
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
	OF_GPU(THROTTLE_REASONS, "throttle_reasons", "mask", GAUGE, "what keeps the clocks low now, as NVML's mask: 0x1 idle, 0x4 power cap, 0x8 hardware slowdown, 0x20 and 0x40 heat, 0x80 power brake"),
	OF_GPU(PROCESSES, "processes", "n", GAUGE, "processes that use the GPU"),
	OF_PROCESS(MEMORY, "memory", "B", "memory of the GPU that the process uses"),
	OF_PROCESS(SM, "sm", "0.01%", "share of time in which kernels of the process ran, mean since the previous reading"),
	OF_SLICE(MEMORY_TOTAL, "memory_total", "B", "memory of the MIG slice"),
	OF_SLICE(MEMORY_USED, "memory_used", "B", "used memory of it"),
	OF_SLICE(MEMORY_FREE, "memory_free", "B", "free memory of it"),
	OF_SLICE(UTILIZATION, "utilization", "0.01%", "share of time in which a kernel ran on it, where the driver tells"),
};
/* clang-format on */

struct state {
	struct pm_nvidiaset set;
	struct pm_nvidiagpu *gpu[PM_NVIDIASET_MAX]; /* owned; by place in the set */
	size_t count;
};

static int64_t monotonic_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void nvidia_close(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < s->count; i++) {
		pm_nvidiagpu_end(s->gpu[i]);
		free(s->gpu[i]);
	}
	pm_nvidiaset_close(&s->set);
	free(s);
}

/* Begin with GPUs that are new in the set. */
static void begin_new(struct state *s, struct pm_sink *sink)
{
	for (; s->count < s->set.count; s->count++) {
		struct pm_nvidiagpu *g = malloc(sizeof *g);

		if (!g)
			return;
		pm_nvidiagpu_begin(g, &s->set.id[s->count], sink);
		s->gpu[s->count] = g;
	}
}

static int nvidia_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		       struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "nvidia");
	if (pm_nvidiaset_open(&s->set, target->root, pm_config_get(PM_SET_nvml_library), why) < 0) {
		free(s);
		return -1;
	}
	begin_new(s, sink);
	*state = s;
	return 0;
}

static void nvidia_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const int64_t now_us = monotonic_us();
	const bool looked = pm_nvidiaset_look(&s->set, now_us);
	size_t lost;

	if (looked)
		begin_new(s, sink);
	for (size_t i = 0; i < s->count; i++) {
		if (looked)
			pm_nvidiagpu_look(s->gpu[i], &s->set.nvml, sink);
		pm_nvidiagpu_sample(s->gpu[i], &s->set.nvml, sink, now_us);
	}
	lost = pm_nvidiaset_lost(&s->set);
	pm_sink_value(sink, PM_NVIDIA_LOST, (int64_t)lost);
	pm_sink_value(sink, PM_NVIDIA_GPUS, (int64_t)(s->set.count + s->set.nameless - lost));
}

static void nvidia_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	struct state *s = state;

	for (size_t i = 0; i < s->count; i++) {
		pm_nvidiaset_describe(&s->set, i, out);
		if (pm_nvidiaset_answers(&s->set.id[i]))
			pm_sink_describe(sink, s->set.id[i].uuid, out);
	}
	pm_nvidiaset_describe_others(&s->set, out);
}

const struct pm_source pm_source_nvidia = {
	.name = "nvidia",
	.help = "GPUs of NVIDIA's, their processes and MIG slices",
	.metrics = metrics,
	.metrics_count = PM_NVIDIA_METRICS,
	.period_us = 1000000,
	.open = nvidia_open,
	.sample = nvidia_sample,
	.describe = nvidia_describe,
	.close = nvidia_close,
};
