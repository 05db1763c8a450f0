/*
 * Source "amdgpu": GPUs of AMD's, by the files of the kernel's driver amdgpu (Documentation/gpu/
 * amdgpu/driver-misc.rst and thermal.rst), without a library. pcie_bw is not read: it blocks for a
 * second. The dies of an MI250X are two GPUs, of which one has the power of both; the partitions of
 * an MI300 are one.
 */
#include "config.h"

#include "sampler/devices/gpu/amdmetrics.h"
#include "sampler/devices/gpu/drmgpus.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/kernel/procfile.h"

#include <errno.h>
#include <string.h>

enum {
	UTILIZATION = PM_DRMGPUS_FIRST,
	MEMORY_UTILIZATION,
	MEMORY_TOTAL,
	MEMORY_USED,
	VISIBLE_TOTAL,
	VISIBLE_USED,
	GTT_TOTAL,
	GTT_USED,
	POWER,
	POWER_LIMIT,
	ENERGY,
	TEMPERATURE_EDGE,
	TEMPERATURE_JUNCTION,
	TEMPERATURE_MEMORY,
	FAN,
	CLOCK_GRAPHICS,
	CLOCK_MEMORY,
	ECC_CORRECTED,
	ECC_UNCORRECTED,
	PCIE_REPLAYS,
	METRICS
};

#define OF_GPU(metric, name, unit, kind, help)                                                     \
	[metric] = { name, unit, help, "gpu", false, PM_METRIC_##kind }

/* clang-format off */
static const struct pm_metric metrics[METRICS] = {
	[PM_DRMGPUS_GPUS] = { "gpus", "n", "GPUs that answer", NULL, false, PM_METRIC_GAUGE },
	[PM_DRMGPUS_LOST] = { "gpus_lost", "n", "GPUs that do not answer any more", NULL, false, PM_METRIC_GAUGE },
	OF_GPU(UTILIZATION, "utilization", "0.01%", GAUGE, "share of time in which the GPU was busy"),
	OF_GPU(MEMORY_UTILIZATION, "memory_utilization", "0.01%", GAUGE, "share of time in which its memory was busy"),
	OF_GPU(MEMORY_TOTAL, "memory_total", "B", GAUGE, "memory of the GPU"),
	OF_GPU(MEMORY_USED, "memory_used", "B", GAUGE, "used memory of it"),
	OF_GPU(VISIBLE_TOTAL, "visible_total", "B", GAUGE, "memory of the GPU that the CPU can reach"),
	OF_GPU(VISIBLE_USED, "visible_used", "B", GAUGE, "used part of that"),
	OF_GPU(GTT_TOTAL, "gtt_total", "B", GAUGE, "memory of the system that the GPU may use"),
	OF_GPU(GTT_USED, "gtt_used", "B", GAUGE, "memory of the system that it uses"),
	OF_GPU(POWER, "power", "uW", GAUGE, "power of the socket; with two dies, the power of both at the first one"),
	OF_GPU(POWER_LIMIT, "power_limit", "uW", GAUGE, "power limit"),
	OF_GPU(ENERGY, "energy", "uJ", COUNTER, "energy of the socket since the driver was loaded"),
	OF_GPU(TEMPERATURE_EDGE, "temperature_edge", "mdegC", GAUGE, "temperature at the edge of the chip"),
	OF_GPU(TEMPERATURE_JUNCTION, "temperature_junction", "mdegC", GAUGE, "temperature of the hottest place of the chip"),
	OF_GPU(TEMPERATURE_MEMORY, "temperature_memory", "mdegC", GAUGE, "temperature of the memory"),
	OF_GPU(FAN, "fan", "1/min", GAUGE, "speed of the fan"),
	OF_GPU(CLOCK_GRAPHICS, "clock_graphics", "Hz", GAUGE, "clock of the graphics engine"),
	OF_GPU(CLOCK_MEMORY, "clock_memory", "Hz", GAUGE, "clock of the memory"),
	OF_GPU(ECC_CORRECTED, "ecc_corrected", "n", COUNTER, "errors of memory that were corrected, since the driver was loaded"),
	OF_GPU(ECC_UNCORRECTED, "ecc_uncorrected", "n", COUNTER, "errors of memory that could not be corrected, since the driver was loaded"),
	OF_GPU(PCIE_REPLAYS, "pcie_replays", "n", COUNTER, "packets that were sent through PCIe again"),
};
/* clang-format on */

/* The clock of the state that is in use now, in MHz: of lines "1: 991Mhz", that with a "*". */
static int parse_clock(const char *text, size_t n, int64_t *mhz)
{
	const char *const end = text + n, *newline;

	errno = EBADMSG;
	for (const char *p = text; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			return -1;
		if (!memchr(p, '*', (size_t)(newline - p)))
			continue;
		p = memchr(p, ':', (size_t)(newline - p));
		if (!p)
			return -1;
		for (p++; *p == ' ';)
			p++;
		if (pm_devicefile_take(&p, newline, mhz) < 0 || strncmp(p, "Mhz", 3) != 0)
			return -1;
		return 0;
	}
	errno = ENODATA;
	return -1;
}

/* Lines "ue: 0" and "ce: 0" of a block that counts errors. */
static int parse_errors(const char *text, size_t n, const char *key, int64_t *value)
{
	const int rc = pm_procfile_key(text, n, key, "", value);

	if (rc < 0 && errno == ENOENT)
		errno = ENODATA;
	return rc;
}

static int parse_corrected(const char *text, size_t n, int64_t *value)
{
	return parse_errors(text, n, "ce:", value);
}

static int parse_uncorrected(const char *text, size_t n, int64_t *value)
{
	return parse_errors(text, n, "ue:", value);
}

/* Energy that is counted in 32 bits lasts for two minutes at 500 W: no GPU takes more than 2 kW. */
#define ENERGY_RULE                                                                                \
	{                                                                                          \
		PM_AMDMETRICS_WRAP_UJ, 2000000000, false                                           \
	}

#define ROW(metric, ...) [metric - PM_DRMGPUS_FIRST] = { .file = __VA_ARGS__ }

/* clang-format off */
static const struct pm_drmgpus_row rows[METRICS - PM_DRMGPUS_FIRST] = {
	ROW(UTILIZATION, { { "device/gpu_busy_percent", NULL, 100 } }),
	ROW(MEMORY_UTILIZATION, { { "device/mem_busy_percent", NULL, 100 } }),
	ROW(MEMORY_TOTAL, { { "device/mem_info_vram_total", NULL, 1 } }),
	ROW(MEMORY_USED, { { "device/mem_info_vram_used", NULL, 1 } }),
	ROW(VISIBLE_TOTAL, { { "device/mem_info_vis_vram_total", NULL, 1 } }),
	ROW(VISIBLE_USED, { { "device/mem_info_vis_vram_used", NULL, 1 } }),
	ROW(GTT_TOTAL, { { "device/mem_info_gtt_total", NULL, 1 } }),
	ROW(GTT_USED, { { "device/mem_info_gtt_used", NULL, 1 } }),
	/* The second die of an MI250X has 0. */
	ROW(POWER, { { "hwmon/power1_average", NULL, 1 }, { "hwmon/power1_input", NULL, 1 } }, .never_zero = true),
	ROW(POWER_LIMIT, { { "hwmon/power1_cap", NULL, 1 } }, .never_zero = true),
	ROW(ENERGY, { { "device/gpu_metrics", pm_amdmetrics_energy, 1 } }, .rule = ENERGY_RULE),
	ROW(TEMPERATURE_EDGE, { { "hwmon/temp1_input", NULL, 1 } }),
	ROW(TEMPERATURE_JUNCTION, { { "hwmon/temp2_input", NULL, 1 } }),
	ROW(TEMPERATURE_MEMORY, { { "hwmon/temp3_input", NULL, 1 } }),
	ROW(FAN, { { "hwmon/fan1_input", NULL, 1 } }),
	ROW(CLOCK_GRAPHICS, { { "hwmon/freq1_input", NULL, 1 }, { "device/pp_dpm_sclk", parse_clock, 1000000 } }),
	ROW(CLOCK_MEMORY, { { "hwmon/freq2_input", NULL, 1 }, { "device/pp_dpm_mclk", parse_clock, 1000000 } }),
	ROW(ECC_CORRECTED, { { "device/ras/umc_err_count", parse_corrected, 1 } }),
	ROW(ECC_UNCORRECTED, { { "device/ras/umc_err_count", parse_uncorrected, 1 } }),
	ROW(PCIE_REPLAYS, { { "device/pcie_replay_count", NULL, 1 } }),
};
/* clang-format on */

static const char *const drivers[] = { "amdgpu", NULL };

static const struct pm_drmgpus_kind kind = { "AMD", drivers, "device/unique_id", rows,
					     sizeof rows / sizeof rows[0] };

static int amdgpu_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		       struct pm_unavailable *why)
{
	return pm_drmgpus_open(state, &kind, target, sink, why);
}

const struct pm_source pm_source_amdgpu = {
	.name = "amdgpu",
	.help = "GPUs of AMD's",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 1000000,
	.open = amdgpu_open,
	.sample = pm_drmgpus_sample,
	.describe = pm_drmgpus_describe,
	.close = pm_drmgpus_close,
};
