/*
 * Source "rapl": the energy of processors and memory, as they count it themselves (Running Average
 * Power Limit), from /sys/class/powercap, or where that tells nothing by perf_event_open(2). Parts
 * that contain each other are metrics of their own: the objects of one metric may be added up, the
 * metrics may not. Packages and dram together are what processors and memory took; cores and uncore
 * are in the packages, psys counts the platform with the packages, and mmio is another way to the
 * counter of a package.
 */
#include "config.h"

#include "sampler/devices/setsource.h"
#include "sampler/devices/power/powercap.h"
#include "sampler/devices/power/powerpmu.h"
#include "sampler/kernel/perf.h"
#include "sampler/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The energies are in the order of enum pm_powercap_part. */
enum { PACKAGE_LIMIT = PM_POWERCAP_OTHER + 1, METRICS };

#define ENERGY(part, name, whole, help)                                                            \
	[part] = { name, "uJ", help, "zone", whole, PM_METRIC_COUNTER }

/* clang-format off */
static const struct pm_metric metrics[METRICS] = {
	ENERGY(PM_POWERCAP_PACKAGE, "package_energy", true, "energy of processor packages, or of dies of those that have several"),
	ENERGY(PM_POWERCAP_CORE, "core_energy", false, "energy of the cores, which package_energy contains"),
	ENERGY(PM_POWERCAP_UNCORE, "uncore_energy", false, "energy of what else is in a package, graphics with most, which package_energy contains"),
	ENERGY(PM_POWERCAP_DRAM, "dram_energy", true, "energy of memory, which package_energy does not contain on servers"),
	ENERGY(PM_POWERCAP_PSYS, "psys_energy", false, "energy of the platform with its packages, on a counter of its own"),
	ENERGY(PM_POWERCAP_MMIO, "mmio_energy", false, "energy of a package by another interface: package_energy once more"),
	ENERGY(PM_POWERCAP_OTHER, "other_energy", false, "energy of zones of other names"),
	[PACKAGE_LIMIT] = { "package_limit", "uW", "power limit of a package over the longer time window", "zone", false, PM_METRIC_GAUGE },
};
/* clang-format on */

/* The most power that a zone is taken for capable of, where it does not say: W as uJ/s. A node
 * takes more than a package. */
#define MOST_UJ_PER_S      1000000000
#define MOST_PSYS_UJ_PER_S 10000000000

/* --- looking ---------------------------------------------------------------------------------- */

/* Read a number of a zone once. Returns it, or 0 where it has none. */
static uint64_t zone_number(const char *root, const struct pm_powercap_zone *z, const char *file)
{
	struct pm_devicefile f;
	int64_t value = 0;
	char path[256];

	snprintf(path, sizeof path, "%s/%s", z->path, file);
	if (pm_devicefile_open(&f, root, path) == 0 && pm_devicefile_number(&f, "", &value) < 0)
		value = 0;
	pm_devicefile_close(&f);
	return value > 0 ? (uint64_t)value : 0;
}

/*
 * How a zone counts: up to max_energy_range_uj, where it begins again at 0; without that file a
 * fall tells nothing. It has been seen to draw more than its power limit may be set to, for as long
 * as the shorter window of the limits: twice that is taken for possible.
 */
static struct pm_counter_rule zone_rule(const char *root, const struct pm_powercap_zone *z)
{
	struct pm_counter_rule rule = {
		.modulus = zone_number(root, z, "max_energy_range_uj"),
		.per_s = 2 * zone_number(root, z, "constraint_0_max_power_uw"),
	};

	if (!rule.per_s)
		rule.per_s = z->part == PM_POWERCAP_PSYS ? MOST_PSYS_UJ_PER_S : MOST_UJ_PER_S;
	return rule;
}

static void note_zone(struct pm_deviceset *set, const struct pm_powercap_zone *z)
{
	struct pm_device *d = pm_deviceset_get(set, z->name);
	struct pm_devicevalue *v;
	char path[256];

	if (!d)
		return;
	if (z->part != PM_POWERCAP_MMIO || !d->about)
		pm_deviceset_about(d, z->base);
	snprintf(path, sizeof path, "%s/energy_uj", z->path);
	v = pm_deviceset_file(set, d, z->part, path);
	if (v && !v->rule.per_s)
		v->rule = zone_rule(set->root, z);
	if (z->part != PM_POWERCAP_PACKAGE)
		return;
	snprintf(path, sizeof path, "%s/constraint_0_power_limit_uw", z->path);
	if (pm_deviceset_has(set, path))
		pm_deviceset_file(set, d, PACKAGE_LIMIT, path);
}

/* Look for all zones. Returns how many there are, or -1 with errno set. */
static ssize_t look(struct pm_deviceset *set, int64_t now_us)
{
	struct pm_powercap_zone *zone;
	const ssize_t n = pm_powercap_list(set->root, &zone);
	const int saved = errno;

	pm_deviceset_begin(set, now_us);
	for (ssize_t i = 0; i < n; i++)
		note_zone(set, &zone[i]);
	pm_deviceset_end(set);
	free(zone);
	errno = saved;
	return n;
}

/* Whether any energy may be read; if not, *error is errno of one that cannot. */
static bool is_readable(const struct pm_deviceset *set, int *error)
{
	for (size_t i = 0; i < set->count; i++)
		for (size_t k = 0; k < set->device[i].count; k++) {
			const struct pm_devicevalue *v = &set->device[i].value[k];

			if (v->metric != PACKAGE_LIMIT && !v->file.error)
				return true;
			if (v->metric != PACKAGE_LIMIT)
				*error = v->file.error;
		}
	return false;
}

/* --- the source ------------------------------------------------------------------------------- */

/* What lets others than root read: Linux 5.10 closed the files, as fast readings tell of secrets
 * (CVE-2020-8694). */
#define REMEDY                                                                                     \
	"run the sampler as root, or let users read: chmod a+r %s/sys/class/powercap/*/energy_uj " \
	"until the next start of the machine, from then on the udev rule in perfmon-series(5)"

static void rapl_hold(const char *root)
{
	struct pm_powercap_zone *zone;
	const ssize_t n = pm_powercap_list(root, &zone);
	char path[256];

	for (ssize_t i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/energy_uj", zone[i].path);
		pm_devicefile_hold(root, path);
	}
	free(zone);
}

struct state {
	void *set; /* setsource.h, of powercap; NULL: by events */
	struct pm_powerpmu_counter *counter;
	int *series; /* of each counter; owned */
	size_t counters;
};

static void rapl_close(void *state)
{
	struct state *s = state;

	if (s->set)
		pm_setsource_close(s->set);
	pm_powerpmu_close(s->counter, s->counters);
	free(s->series);
	free(s);
}

static int open_event(const struct pm_event *event, int cpu)
{
	const struct pm_perf_whom whom = { .task = -1, .cgroup = -1, .cpu = cpu };

	return pm_perf_open(event, &whom, -1);
}

/* Open the zones. Returns 0, or -1 with *why filled. */
static int open_zones(struct state *s, const struct pm_target *target, struct pm_sink *sink,
		      struct pm_unavailable *why)
{
	int error = ENOENT;

	if (pm_setsource_open(&s->set, look, target, sink,
			      "no zones of RAPL in /sys/class/powercap", why) < 0)
		return -1;
	if (is_readable(pm_setsource_set(s->set), &error))
		return 0;
	errno = error;
	pm_source_unavailable(why, "/sys/class/powercap/*/energy_uj");
	if (why->reason == PM_REASON_permission)
		pm_err(&why->err, "/sys/class/powercap/*/energy_uj: %m; " REMEDY, target->root);
	pm_setsource_close(s->set);
	s->set = NULL;
	return -1;
}

/* Open the events in place of the zones. Returns 0 or -1. */
static int open_counters(struct state *s, const struct pm_target *target, struct pm_sink *sink)
{
	const ssize_t n = pm_powerpmu_open(target->root, open_event, &s->counter);

	if (n < 0)
		return -1;
	s->counters = (size_t)n;
	s->series = calloc(s->counters, sizeof *s->series);
	for (size_t i = 0; s->series && i < s->counters; i++)
		s->series[i] = pm_sink_series(sink, s->counter[i].part, s->counter[i].name);
	return s->series ? 0 : -1;
}

static int rapl_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "rapl");
	if (open_zones(s, target, sink, why) < 0 && open_counters(s, target, sink) < 0) {
		rapl_close(s);
		return -1;
	}
	*state = s;
	return 0;
}

/* Put the sum over the counters of a part, which is unknown where one of them is. */
static void put_sum(const struct state *s, struct pm_sink *sink, enum pm_powercap_part part)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->counters; i++) {
		const struct pm_series *one = s->series[i] < 0 ? NULL : &sink->series[s->series[i]];

		if (s->counter[i].part != part)
			continue;
		if (!one || !one->known || __builtin_add_overflow(sum, one->value, &sum)) {
			pm_sink_unknown(sink, (int)part,
					one && !one->known ? one->reason : PM_REASON_parse);
			return;
		}
		pm_sink_value(sink, (int)part, sum);
	}
}

static void rapl_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	int64_t uj;

	if (s->set) {
		pm_setsource_sample(s->set, sink);
		return;
	}
	for (size_t i = 0; i < s->counters; i++)
		if (pm_powerpmu_read(&s->counter[i], &uj) == 0)
			pm_sink_value(sink, s->series[i], uj);
		else
			pm_sink_unknown(sink, s->series[i], pm_reason_errno(errno));
	put_sum(s, sink, PM_POWERCAP_PACKAGE);
	put_sum(s, sink, PM_POWERCAP_DRAM);
}

static void rapl_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	const struct state *s = state;

	for (size_t i = 0; i < s->counters; i++)
		fprintf(out, "%s: by perf_event_open(2), PMU power\n", s->counter[i].name);
	if (!s->set)
		return;
	pm_setsource_describe(s->set, sink, out);
	for (size_t i = 0; i < sink->count; i++)
		if (!sink->series[i].free && !sink->series[i].known &&
		    sink->series[i].reason == PM_REASON_permission) {
			fprintf(out, "to read what this user may not: " REMEDY "\n",
				pm_setsource_set(s->set)->root);
			break;
		}
}

const struct pm_source pm_source_rapl = {
	.name = "rapl",
	.help = "energy of processors and memory (RAPL)",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 1000000,
	/* The counter of a package goes around in minutes: 22 at 200 W. */
	.longest_us = 60000000,
	.hold = rapl_hold,
	.open = rapl_open,
	.sample = rapl_sample,
	.describe = rapl_describe,
	.close = rapl_close,
};
