/*
 * Source "intelgpu": GPUs of Intel's, by files of the kernel's drivers i915 and xe
 * (Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon and -xe-hwmon), without a library. The
 * energy of the card contains that of its package. Of several graphics engines the first is read.
 */
#include "config.h"

#include "sampler/devices/gpu/drmgpus.h"

enum {
	ENERGY = PM_DRMGPUS_FIRST,
	ENERGY_PACKAGE,
	POWER_LIMIT,
	TEMPERATURE_PACKAGE,
	TEMPERATURE_MEMORY,
	FAN,
	VOLTAGE,
	CLOCK_GRAPHICS,
	IDLE,
	METRICS
};

#define OF_GPU(metric, name, unit, kind, help)                                                     \
	[metric] = { name, unit, help, "gpu", false, PM_METRIC_##kind }

/* clang-format off */
static const struct pm_metric metrics[METRICS] = {
	[PM_DRMGPUS_GPUS] = { "gpus", "n", "GPUs that answer", NULL, false, PM_METRIC_GAUGE },
	[PM_DRMGPUS_LOST] = { "gpus_lost", "n", "GPUs that do not answer any more", NULL, false, PM_METRIC_GAUGE },
	OF_GPU(ENERGY, "energy", "uJ", COUNTER, "energy of the card since the driver was loaded"),
	OF_GPU(ENERGY_PACKAGE, "energy_package", "uJ", COUNTER, "part of that which the package took"),
	OF_GPU(POWER_LIMIT, "power_limit", "uW", GAUGE, "sustained power limit of the card"),
	OF_GPU(TEMPERATURE_PACKAGE, "temperature_package", "mdegC", GAUGE, "temperature of the package"),
	OF_GPU(TEMPERATURE_MEMORY, "temperature_memory", "mdegC", GAUGE, "temperature of the memory"),
	OF_GPU(FAN, "fan", "1/min", GAUGE, "speed of the first fan"),
	OF_GPU(VOLTAGE, "voltage", "mV", GAUGE, "voltage of the package"),
	OF_GPU(CLOCK_GRAPHICS, "clock_graphics", "Hz", GAUGE, "clock of the first graphics engine; 0 while it sleeps"),
	OF_GPU(IDLE, "idle", "us", COUNTER, "time in which the first graphics engine slept (RC6)"),
};

/* Of 32 bits with i915. */
#define IDLE_RULE { UINT64_C(1) << 32, 2000, false }

#define ROW(metric, ...) [metric - PM_DRMGPUS_FIRST] = { .file = __VA_ARGS__ }

static const struct pm_drmgpus_row rows[METRICS - PM_DRMGPUS_FIRST] = {
	ROW(ENERGY, { { "hwmon/energy1_input", NULL, 1 } }),
	ROW(ENERGY_PACKAGE, { { "hwmon/energy2_input", NULL, 1 } }),
	/* 0: there is none. */
	ROW(POWER_LIMIT, { { "hwmon/power1_max", NULL, 1 } }, .never_zero = true),
	ROW(TEMPERATURE_PACKAGE, { { "hwmon/temp2_input", NULL, 1 }, { "hwmon/temp1_input", NULL, 1 } }),
	ROW(TEMPERATURE_MEMORY, { { "hwmon/temp3_input", NULL, 1 } }),
	ROW(FAN, { { "hwmon/fan1_input", NULL, 1 } }),
	ROW(VOLTAGE, { { "hwmon/in1_input", NULL, 1 }, { "hwmon/in0_input", NULL, 1 } }),
	/* xe, i915, and i915 before Linux 5.18. */
	ROW(CLOCK_GRAPHICS, { { "device/tile0/gt0/freq0/act_freq", NULL, 1000000 },
		{ "gt/gt0/rps_act_freq_mhz", NULL, 1000000 }, { "gt_act_freq_mhz", NULL, 1000000 } }),
	ROW(IDLE, { { "device/tile0/gt0/gtidle/idle_residency_ms", NULL, 1000 },
		{ "gt/gt0/rc6_residency_ms", NULL, 1000 }, { "power/rc6_residency_ms", NULL, 1000 } }, .rule = IDLE_RULE),
};
/* clang-format on */

static const char *const drivers[] = { "i915", "xe", NULL };

static const struct pm_drmgpus_kind kind = { "Intel", drivers, NULL, rows,
					     sizeof rows / sizeof rows[0] };

static int intelgpu_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			 struct pm_unavailable *why)
{
	return pm_drmgpus_open(state, &kind, target, sink, why);
}

const struct pm_source pm_source_intelgpu = {
	.name = "intelgpu",
	.help = "GPUs of Intel's",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 1000000,
	.open = intelgpu_open,
	.sample = pm_drmgpus_sample,
	.describe = pm_drmgpus_describe,
	.close = pm_drmgpus_close,
};
