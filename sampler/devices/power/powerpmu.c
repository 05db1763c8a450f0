/* Counters of the PMU `power`. */
#include "config.h"

#include "sampler/devices/power/powerpmu.h"

#include "common/grow.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/kernel/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PMU "sys/bus/event_source/devices/power"

/* CPUs of the mask, at most: one per package or die. */
#define CPUS 64

/* The events, and what powercap calls their zones. */
static const struct event {
	const char *name;
	enum pm_powercap_part part;
	const char *zone; /* within the package; NULL: the package itself */
} events[] = {
	{ "energy-pkg", PM_POWERCAP_PACKAGE, NULL },
	{ "energy-cores", PM_POWERCAP_CORE, "core" },
	{ "energy-gpu", PM_POWERCAP_UNCORE, "uncore" },
	{ "energy-ram", PM_POWERCAP_DRAM, "dram" },
	{ "energy-psys", PM_POWERCAP_PSYS, "psys" },
};

/* What is opened, and where. */
struct look {
	const char *root;
	pm_powerpmu_opener *opener;
	int64_t type; /* of the PMU */
	int64_t cpu[CPUS];
	size_t cpus;
	struct pm_powerpmu_counter *counter;
	size_t count, capacity;
	int error; /* errno of the latest that could not be opened */
};

/* Read a number of a CPU's topology. Returns it, or -1. */
static int64_t topology(const struct look *k, int64_t cpu, const char *file)
{
	char path[128], text[32];
	int64_t value;
	ssize_t n;

	snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/topology/%s", (int)cpu, file);
	n = pm_devicefile_name(k->root, path, text, sizeof text);
	return n > 0 && pm_devicefile_parse(text, (size_t)n, "", &value) == 0 ? value : -1;
}

/* Read the list of CPUs, such as 0,18 or 0-1. Returns 0, or -1 with errno set. */
static int read_cpus(struct look *k)
{
	char text[512];
	const ssize_t n = pm_devicefile_name(k->root, PMU "/cpumask", text, sizeof text);
	const char *p = text, *const end = text + n;

	while (n > 0 && p < end) {
		int64_t first, last;

		if (pm_devicefile_take(&p, end, &first) < 0)
			break;
		last = first;
		if (p < end && *p == '-' && (p++, pm_devicefile_take(&p, end, &last) < 0))
			break;
		for (; first >= 0 && first <= last && k->cpus < CPUS; first++)
			k->cpu[k->cpus++] = first;
		if (p < end && *p++ != ',')
			break;
	}
	errno = n < 0 ? errno : EBADMSG;
	return n > 0 && p == end && k->cpus ? 0 : -1;
}

/* Name the package of a CPU, or its die where another CPU of the list is of the same package. */
static void name_package(const struct look *k, size_t i, char *name, size_t size)
{
	const int64_t package = topology(k, k->cpu[i], "physical_package_id");
	bool dies = false;

	for (size_t j = 0; j < k->cpus; j++)
		dies = dies || (j != i && topology(k, k->cpu[j], "physical_package_id") == package);
	if (dies)
		snprintf(name, size, "package-%d-die-%d", (int)package,
			 (int)topology(k, k->cpu[i], "die_id"));
	else
		snprintf(name, size, "package-%d", (int)package);
}

/* Open an event on a CPU. Returns 0, or -1 with k->error set. */
static int open_event(struct look *k, const struct event *e, size_t i, const struct pm_event *event,
		      double scale)
{
	struct pm_powerpmu_counter *c;
	char package[48];
	int fd;

	if (!PM_GROW(k->counter, k->count, k->capacity, 8)) {
		k->error = ENOMEM;
		return -1;
	}
	fd = k->opener(event, (int)k->cpu[i]);
	if (fd < 0) {
		k->error = errno;
		return -1;
	}
	c = &k->counter[k->count++];
	*c = (struct pm_powerpmu_counter){ .part = e->part, .fd = fd, .uj = scale * 1e6L };
	name_package(k, i, package, sizeof package);
	/* The platform has one counter, which each package shows. */
	if (e->part == PM_POWERCAP_PSYS)
		snprintf(c->name, sizeof c->name, "%s", e->zone);
	else
		snprintf(c->name, sizeof c->name, "%s%s%s", package, e->zone ? "/" : "",
			 e->zone ? e->zone : "");
	return 0;
}

/* Open an event of the PMU where it has it. */
static void open_events(struct look *k, const struct event *e)
{
	char path[128], text[64], *end;
	struct pm_event event = { .type = (uint32_t)k->type };
	const size_t before = k->count;
	double scale;

	snprintf(path, sizeof path, PMU "/events/%s", e->name);
	if (pm_devicefile_name(k->root, path, text, sizeof text) < 0 ||
	    strncmp(text, "event=", 6) != 0)
		return;
	event.config = strtoull(text + 6, &end, 0);
	if (end == text + 6 || *end)
		return;
	snprintf(path, sizeof path, PMU "/events/%s.unit", e->name);
	if (pm_devicefile_name(k->root, path, text, sizeof text) < 0 || strcmp(text, "Joules") != 0)
		return;
	snprintf(path, sizeof path, PMU "/events/%s.scale", e->name);
	if (pm_devicefile_name(k->root, path, text, sizeof text) < 0)
		return;
	scale = strtod(text, &end);
	if (end == text || *end || !isfinite(scale) || scale <= 0)
		return;
	for (size_t i = 0; i < k->cpus; i++) {
		if (open_event(k, e, i, &event, scale) < 0) {
			/* A sum over the others would be less than the whole. */
			while (k->count > before)
				close(k->counter[--k->count].fd);
			return;
		}
		if (e->part == PM_POWERCAP_PSYS)
			return;
	}
}

ssize_t pm_powerpmu_open(const char *root, pm_powerpmu_opener *opener,
			 struct pm_powerpmu_counter **counters)
{
	struct look k = { .root = root, .opener = opener, .error = ENOENT };
	char text[32];
	ssize_t n = pm_devicefile_name(root, PMU "/type", text, sizeof text);

	*counters = NULL;
	if (n < 0 || pm_devicefile_parse(text, (size_t)n, "", &k.type) < 0 || read_cpus(&k) < 0)
		return -1;
	/* Types that are numbered as drivers come are another's in a recorded tree. */
	if (root[0] && k.type >= PERF_TYPE_MAX) {
		errno = ENOENT;
		return -1;
	}
	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
		open_events(&k, &events[i]);
	*counters = k.counter;
	if (k.count)
		return (ssize_t)k.count;
	free(k.counter);
	*counters = NULL;
	errno = k.error;
	return -1;
}

int pm_powerpmu_read(const struct pm_powerpmu_counter *c, int64_t *uj)
{
	struct pm_perf_count count;
	long double value;

	if (pm_perf_read(c->fd, &count) < 0)
		return -1;
	value = (long double)count.count * c->uj;
	if (value >= (long double)INT64_MAX) {
		errno = EBADMSG;
		return -1;
	}
	*uj = (int64_t)value;
	return 0;
}

void pm_powerpmu_close(struct pm_powerpmu_counter *counters, size_t n)
{
	for (size_t i = 0; i < n; i++)
		close(counters[i].fd);
	free(counters);
}
