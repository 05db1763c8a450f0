/* perfmon check: whether the sampler can read the devices of this machine. */
#include "config.h"

#include "common/cli/check.h"
#include "common/settings/readconfig.h"
#include "sampler/probe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Find the first line of a source's devices that ends in one of these words, or begins with
 * "  refused": a command or a file that tells nothing, or not all. Returns the line, to be freed,
 * or NULL. */
static char *find_trouble(const char *devices)
{
	static const char *const ends[] = { ": failed", ": late", ": permission", ": parse" };

	for (const char *line = devices, *end; line && *line; line = *end ? end + 1 : end) {
		size_t n;

		end = strchrnul(line, '\n');
		n = (size_t)(end - line);
		if (n > 10 && memcmp(line, "  refused:", 10) == 0)
			return strndup(line + 2, n - 2);
		for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
			if (n > strlen(ends[i]) &&
			    memcmp(end - strlen(ends[i]), ends[i], strlen(ends[i])) == 0)
				return strndup(line, n);
	}
	return NULL;
}

/* Report on one source. what: what it reads, for people; remedy: where the device is here although
 * the source may not have found it, what to do unless the source says; else NULL. */
static void look_at(struct pm_check *c, const struct pm_source *source, const char *what,
		    const char *remedy)
{
	const struct pm_target target = { .root = pm_config_get(PM_SET_root) };
	struct pm_probe probe;
	char *told, *trouble;

	pm_probe_run(source, &target, &probe);
	/* "why; what to do" */
	told = probe.available ? NULL : strstr(probe.why.err.text, "; ");
	if (told)
		*told = '\0';
	trouble = probe.available ? find_trouble(probe.devices) : NULL;
	if (trouble)
		pm_check_report(c, PM_CHECK_WARN, "run it by hand, or see perfmon sources",
				"the sampler cannot read all of %s: %s", what, trouble);
	else if (probe.available && probe.devices && strstr(probe.devices, "permission: "))
		pm_check_report(c, PM_CHECK_WARN, "perfmon sources names them, and why",
				"the sampler can read %s, but this user not all values", what);
	else if (probe.available)
		pm_check_report(c, PM_CHECK_PASS, "", "the sampler can read %s", what);
	else if (remedy || probe.why.reason != PM_REASON_absent)
		pm_check_report(c, PM_CHECK_WARN,
				told     ? told + 2
				: remedy ? remedy
					 : "",
				"the sampler cannot read %s: %s", what, probe.why.err.text);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "nothing here tells %s: %s", what,
				probe.why.err.text);
	free(trouble);
	free(probe.devices);
}

/* Whether root/relative is there. */
static bool is_there(const char *relative)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", pm_config_get(PM_SET_root), relative);
	return access(path, F_OK) == 0;
}

void pm_check_kernel_energy(struct pm_check *c)
{
	look_at(c, &pm_source_rapl, "the energy of processors", NULL);
}

void pm_check_devices_power(struct pm_check *c)
{
	look_at(c, &pm_source_pm_counters, "the energy of a Cray node", NULL);
	look_at(c, &pm_source_hwmon, "sensors of temperature and power", NULL);
}

void pm_check_devices_lustre(struct pm_check *c)
{
	look_at(c, &pm_source_lustre, "the statistics of Lustre",
		is_there("sys/fs/lustre") ? "mount -t debugfs none /sys/kernel/debug" : NULL);
}

void pm_check_devices_nvidia(struct pm_check *c)
{
	look_at(c, &pm_source_nvidia, "values of NVIDIA's GPUs",
		is_there("proc/driver/nvidia/version")
			? "install libnvidia-ml.so.1 of the driver's version, or set nvml_library"
			: NULL);
}

void pm_check_devices_drm(struct pm_check *c)
{
	look_at(c, &pm_source_amdgpu, "values of AMD's GPUs", NULL);
	look_at(c, &pm_source_intelgpu, "values of Intel's GPUs", NULL);
}

void pm_check_devices_import(struct pm_check *c)
{
	const bool named = *pm_config_get(PM_SET_power_command) ||
			   *pm_config_get(PM_SET_import_command) ||
			   *pm_config_get(PM_SET_import_file);

	look_at(c, &pm_source_import, "values of commands and files",
		named ? "see perfmon-series(5), import" : NULL);
}
