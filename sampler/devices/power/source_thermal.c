/*
 * Source "thermal": the temperatures of thermal zones (Documentation/driver-api/thermal/
 * sysfs-api.rst), and how often and how long heat slowed processor packages down
 * (Documentation/ABI/testing/sysfs-devices-system-cpu). Slow: a reading may wait for firmware.
 */
#include "config.h"

#include "sampler/devices/setsource.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ZONES "sys/class/thermal"
#define CPUS  "sys/devices/system/cpu"

enum { TEMPERATURE, THROTTLES, THROTTLE_TIME };

static const struct pm_metric metrics[] = {
	[TEMPERATURE] = { "temperature", "mdegC", "temperature", "zone", false, PM_METRIC_GAUGE },
	[THROTTLES] = { "package_throttles", "n", "how often heat began to slow the package down",
			"package", false, PM_METRIC_COUNTER },
	[THROTTLE_TIME] = { "package_throttle_time", "us", "how long heat slowed the package down",
			    "package", false, PM_METRIC_COUNTER },
};

/* Note the file of a value where it is there. */
static struct pm_devicevalue *note_file(struct pm_deviceset *set, struct pm_device *d,
					size_t metric, const char *path)
{
	return d && pm_deviceset_has(set, path) ? pm_deviceset_file(set, d, metric, path) : NULL;
}

static void note_zone(struct pm_deviceset *set, const char *entry)
{
	char path[320], type[64], name[96];
	struct pm_device *d;

	snprintf(path, sizeof path, ZONES "/%s/type", entry);
	if (pm_devicefile_name(set->root, path, type, sizeof type) < 0)
		snprintf(type, sizeof type, "zone");
	snprintf(name, sizeof name, "%s", type);
	/* Those of one type in the order of their numbers. */
	for (int i = 2; i < 1000; i++) {
		size_t k = 0;

		while (k < set->count &&
		       !(set->device[k].seen && strcmp(set->device[k].name, name) == 0))
			k++;
		if (k == set->count)
			break;
		snprintf(name, sizeof name, "%s (%d)", type, i);
	}
	snprintf(path, sizeof path, ZONES "/%s/temp", entry);
	d = pm_deviceset_has(set, path) ? pm_deviceset_get(set, name) : NULL;
	if (d)
		pm_deviceset_about(d, entry);
	note_file(set, d, TEMPERATURE, path);
}

/* Note the package of a CPU, unless another of its CPUs has been there. */
static void note_cpu(struct pm_deviceset *set, const char *entry)
{
	char path[320], id[16], name[32];
	struct pm_devicevalue *v;
	struct pm_device *d;

	snprintf(path, sizeof path, CPUS "/%s/topology/physical_package_id", entry);
	if (pm_devicefile_name(set->root, path, id, sizeof id) < 0)
		return;
	snprintf(path, sizeof path, CPUS "/%s/thermal_throttle/package_throttle_count", entry);
	snprintf(name, sizeof name, "package%s", id);
	for (size_t k = 0; k < set->count; k++)
		if (set->device[k].seen && strcmp(set->device[k].name, name) == 0)
			return;
	d = pm_deviceset_has(set, path) ? pm_deviceset_get(set, name) : NULL;
	if (d)
		pm_deviceset_about(d, entry);
	note_file(set, d, THROTTLES, path);
	snprintf(path, sizeof path, CPUS "/%s/thermal_throttle/package_throttle_total_time_ms",
		 entry);
	v = note_file(set, d, THROTTLE_TIME, path);
	if (v)
		v->scale = 1000;
}

/* Note each entry of a directory that begins with a prefix and a digit. */
static void note_each(struct pm_deviceset *set, const char *directory, const char *prefix,
		      void (*note)(struct pm_deviceset *set, const char *entry))
{
	struct dirent **list;
	const size_t prefix_n = strlen(prefix);
	const int n = pm_deviceset_list(set, directory, &list);

	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;

		if (strncmp(name, prefix, prefix_n) == 0 && name[prefix_n] >= '0' &&
		    name[prefix_n] <= '9')
			note(set, name);
		free(list[i]);
	}
	free(list);
}

/* Look for all zones and packages. Returns how many there are, or -1 with errno set. */
static ssize_t look(struct pm_deviceset *set, int64_t now_us)
{
	size_t found;

	pm_deviceset_begin(set, now_us);
	note_each(set, ZONES, "thermal_zone", note_zone);
	note_each(set, CPUS, "cpu", note_cpu);
	found = pm_deviceset_end(set);
	errno = ENOENT;
	return found ? (ssize_t)found : -1;
}

static int thermal_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			struct pm_unavailable *why)
{
	return pm_setsource_open(state, look, target, sink, "/" ZONES "/thermal_zone*", why);
}

const struct pm_source pm_source_thermal = {
	.name = "thermal",
	.help = "temperature of thermal zones, and throttling of packages by heat",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.period_us = 10000000,
	.open = thermal_open,
	.sample = pm_setsource_sample,
	.describe = pm_setsource_describe,
	.close = pm_setsource_close,
};
