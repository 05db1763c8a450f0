/*
 * Source "hwmon": sensors of temperature, power, energy, fans, voltage and current, from
 * /sys/class/hwmon (Documentation/hwmon/sysfs-interface.rst). Slow: a reading may wait for a bus, a
 * controller or firmware. A sensor is named by its chip, the chip's address on its bus, and its
 * label; numbers of chips are others with each start.
 */
#include "config.h"

#include "sampler/devices/setsource.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLASS "sys/class/hwmon"

enum { TEMPERATURE, POWER, ENERGY, FAN, VOLTAGE, CURRENT };

static const struct pm_metric metrics[] = {
	[TEMPERATURE] = { "temperature", "mdegC", "temperature", "sensor", false, PM_METRIC_GAUGE },
	[POWER] = { "power", "uW", "power: a mean where the chip tells one, else of the moment",
		    "sensor", false, PM_METRIC_GAUGE },
	[ENERGY] = { "energy", "uJ", "energy", "sensor", false, PM_METRIC_COUNTER },
	[FAN] = { "fan", "rpm", "speed of a fan", "sensor", false, PM_METRIC_GAUGE },
	[VOLTAGE] = { "voltage", "mV", "voltage", "sensor", false, PM_METRIC_GAUGE },
	[CURRENT] = { "current", "mA", "current", "sensor", false, PM_METRIC_GAUGE },
};

/* Files are KIND, a number, and the end; the units are those of the metrics. Of two ends for one
 * sensor the first counts. */
static const struct {
	const char *kind, *end;
	size_t metric;
} files[] = {
	{ "temp", "_input", TEMPERATURE }, { "power", "_average", POWER },
	{ "power", "_input", POWER },      { "energy", "_input", ENERGY },
	{ "fan", "_input", FAN },          { "in", "_input", VOLTAGE },
	{ "curr", "_input", CURRENT },
};

/* GPUs have sources of their own, and a GPU that sleeps would wake. */
static const char *const gpus[] = { "amdgpu", "i915", "nouveau", "radeon", "xe" };

struct chip {
	char path[128]; /* of the directory with its files, below root */
	char about[40]; /* its directory, for people */
	char name[200]; /* with its address: "nvme@0000:01:00.0" */
};

/* --- looking ---------------------------------------------------------------------------------- */

/* Find out who a chip is. Returns false for one that is not to be read. */
static bool name_chip(struct chip *c, const char *root, const char *entry)
{
	char path[600], address[256] = "", name[64], status[32];
	ssize_t n;

	if (snprintf(c->path, sizeof c->path, CLASS "/%s", entry) >= (int)sizeof c->path)
		return false;
	snprintf(path, sizeof path, "%s/device/power/runtime_status", c->path);
	if (pm_devicefile_name(root, path, status, sizeof status) > 0 &&
	    strcmp(status, "suspended") == 0)
		return false;
	snprintf(path, sizeof path, "%s/%s/device", root, c->path);
	n = readlink(path, address, sizeof address - 1);
	address[n > 0 ? n : 0] = '\0';
	if (strrchr(address, '/'))
		memmove(address, strrchr(address, '/') + 1, strlen(strrchr(address, '/')));
	snprintf(path, sizeof path, "%s/name", c->path);
	if (pm_devicefile_name(root, path, name, sizeof name) < 0) {
		/* Old drivers have their files in the device's own directory. */
		snprintf(path, sizeof path, "%s/device/name", c->path);
		if (pm_devicefile_name(root, path, name, sizeof name) < 0)
			snprintf(name, sizeof name, "chip");
	}
	for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
		if (strcmp(name, gpus[i]) == 0)
			return false;
	snprintf(c->about, sizeof c->about, "%.39s", entry);
	snprintf(c->name, sizeof c->name, "%s%s%.128s", name, address[0] ? "@" : "", address);
	return true;
}

/* Whether a device has a value of this metric already. */
static bool has_value(const struct pm_device *d, size_t metric)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->value[i].metric == metric && d->value[i].seen)
			return true;
	return false;
}

/* Note a sensor: KIND and number of n bytes, with its file. */
static void note_sensor(struct pm_deviceset *set, const struct chip *c, const char *directory,
			const char *file, size_t n, size_t metric)
{
	char path[600], label[64], name[320];
	struct pm_device *d;

	snprintf(path, sizeof path, "%s/%.*s_label", directory, (int)n, file);
	if (pm_devicefile_name(set->root, path, label, sizeof label) < 0)
		snprintf(label, sizeof label, "%.*s", (int)n, file);
	snprintf(name, sizeof name, "%s/%s", c->name, label);
	d = pm_deviceset_get(set, name);
	if (d && has_value(d, metric)) {
		/* Labelled alike. */
		snprintf(name, sizeof name, "%s/%s (%.*s)", c->name, label, (int)n, file);
		d = pm_deviceset_get(set, name);
	}
	if (d && has_value(d, metric)) {
		/* Chips without an address of their own. */
		snprintf(name, sizeof name, "%s (%s)/%s (%.*s)", c->name, c->about, label, (int)n,
			 file);
		d = pm_deviceset_get(set, name);
	}
	if (!d || has_value(d, metric))
		return;
	pm_deviceset_about(d, c->about);
	snprintf(path, sizeof path, "%s/%s", directory, file);
	pm_deviceset_file(set, d, metric, path);
}

/* Note a file of a chip where it is a sensor's. */
static void note_file(struct pm_deviceset *set, const struct chip *c, const char *directory,
		      const char *file)
{
	char path[600];

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		const size_t kind_n = strlen(files[i].kind);
		size_t n;

		if (strncmp(file, files[i].kind, kind_n) != 0)
			continue;
		n = kind_n + strspn(file + kind_n, "0123456789");
		if (n == kind_n || strcmp(file + n, files[i].end) != 0)
			continue;
		/* The mean of power is better. */
		snprintf(path, sizeof path, "%s/%.*s_average", directory, (int)n, file);
		if (files[i].metric == POWER && strcmp(files[i].end, "_input") == 0 &&
		    pm_deviceset_has(set, path))
			return;
		note_sensor(set, c, directory, file, n, files[i].metric);
		return;
	}
}

/* Note the sensors of a chip: beside its name, and where old drivers have them. */
static void note_chip(struct pm_deviceset *set, const struct chip *c)
{
	for (int old = 0; old < 2; old++) {
		struct dirent **list;
		char directory[160];
		int n;

		snprintf(directory, sizeof directory, "%s%s", c->path, old ? "/device" : "");
		n = pm_deviceset_list(set, directory, &list);
		for (int i = 0; i < n; i++) {
			note_file(set, c, directory, list[i]->d_name);
			free(list[i]);
		}
		free(list);
	}
}

/* Look for all chips. Returns the number of sensors, or -1 with errno set. */
static ssize_t look(struct pm_deviceset *set, int64_t now_us)
{
	struct dirent **list;
	const int n = pm_deviceset_list(set, CLASS, &list);
	const int saved = errno;
	struct chip c;
	size_t found;

	pm_deviceset_begin(set, now_us);
	for (int i = 0; i < n; i++) {
		if (strncmp(list[i]->d_name, "hwmon", 5) == 0 &&
		    name_chip(&c, set->root, list[i]->d_name))
			note_chip(set, &c);
		free(list[i]);
	}
	free(list);
	found = pm_deviceset_end(set);
	errno = n < 0 ? saved : ENOENT;
	return n < 0 || !found ? -1 : (ssize_t)found;
}

/* --- the source ------------------------------------------------------------------------------- */

static int hwmon_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		      struct pm_unavailable *why)
{
	return pm_setsource_open(state, look, target, sink, "no sensors in /" CLASS, why);
}

const struct pm_source pm_source_hwmon = {
	.name = "hwmon",
	.help = "sensors of temperature, power, fans and voltage",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.period_us = 10000000,
	.open = hwmon_open,
	.sample = pm_setsource_sample,
	.describe = pm_setsource_describe,
	.close = pm_setsource_close,
};
