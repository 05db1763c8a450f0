/*
 * Source "thermal": the temperatures of thermal zones (Documentation/driver-api/thermal/
 * sysfs-api.rst), and how often and how long heat slowed processor packages down
 * (Documentation/ABI/testing/sysfs-devices-system-cpu). Slow: a reading may wait for firmware.
 */
#include "config.h"

#include "sampler/devices/deviceset.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/source.h"

#include "common/now.h"

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

struct state {
	struct pm_deviceset set;
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

/* Look for all zones and packages. Returns how many there are. */
static size_t look(struct pm_deviceset *set, int64_t now_us)
{
	pm_deviceset_begin(set, now_us);
	note_each(set, ZONES, "thermal_zone", note_zone);
	note_each(set, CPUS, "cpu", note_cpu);
	return pm_deviceset_end(set);
}

static void thermal_close(void *state)
{
	struct state *s = state;

	pm_deviceset_free(&s->set);
	free(s);
}

static int thermal_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "thermal");
	pm_deviceset_init(&s->set, target->root, sink);
	if (look(&s->set, pm_now_monotonic_us()) == 0) {
		errno = ENOENT;
		pm_source_unavailable(why, "/" ZONES "/thermal_zone*");
		thermal_close(s);
		return -1;
	}
	*state = s;
	return 0;
}

static void thermal_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const int64_t now_us = pm_now_monotonic_us();

	(void)sink;
	if (pm_deviceset_is_due(&s->set, now_us))
		look(&s->set, now_us);
	pm_deviceset_read(&s->set, now_us);
}

static void thermal_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	pm_deviceset_describe(&((struct state *)state)->set, sink, out);
}

const struct pm_source pm_source_thermal = {
	.name = "thermal",
	.help = "temperature of thermal zones, and throttling of packages by heat",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.period_us = 10000000,
	.open = thermal_open,
	.sample = thermal_sample,
	.describe = thermal_describe,
	.close = thermal_close,
};
