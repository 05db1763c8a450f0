/* Add up the energy of meters. */
#include "config.h"

#include "common/record/energymeter.h"

#include "common/grow.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* No meter of a node measures as much, in uW. */
#define MOST_UW INT64_C(1000000000000)

/* No time that a host is up is as long, in microseconds: 31 years. */
#define MOST_US INT64_C(1000000000000000)

/* The shortest time over which a counter tells a power: below it, the steps in which it counts and
 * the moments at which it does decide. */
#define POWER_US 900000

/* A gap in a power is longer than this, and than so many intervals before it. */
#define GAP_US    INT64_C(60000000)
#define GAP_TIMES 3

const char *const pm_energy_part_name[PM_ENERGY_PARTS] = {
	[PM_ENERGY_NODE] = "node", [PM_ENERGY_PACKAGE] = "package", [PM_ENERGY_DRAM] = "dram",
	[PM_ENERGY_GPU] = "gpu",   [PM_ENERGY_OTHER] = "other",
};

/*
 * What is left out is in a series that is there: core, uncore, psys and mmio of RAPL, the package
 * of Intel's GPUs. A series of object "" is the sum of the others; it tells why there are none.
 * hwmon: sensors of one chip that are those of packages or of the node; any other is of unknown
 * place. Imported: what power_command tells, and what a site calls its node. The first row that
 * matches counts.
 */
static const struct pm_energy_kind kinds[] = {
	{ "pm_counters", "node_energy", NULL, false, PM_ENERGY_NODE, 0, "pm_counters" },
	{ "pm_counters", "node_power", NULL, true, PM_ENERGY_NODE, 0, "pm_counters" },
	{ "hwmon", "power", "power_meter@", true, PM_ENERGY_NODE, 1, "hwmon" },
	{ "import", "energy", "=node", false, PM_ENERGY_NODE, 2, "import" },
	{ "import", "power", "=node", true, PM_ENERGY_NODE, 2, "import" },
	{ "import", "power", "=ipmi/current", true, PM_ENERGY_NODE, 3, "import" },
	{ "hwmon", "energy", "amd_energy@amd_energy.0/Esocket", false, PM_ENERGY_PACKAGE, 2,
	  "hwmon" },
	{ "rapl", "package_energy", NULL, false, PM_ENERGY_PACKAGE, 0, "rapl" },
	{ "rapl", "package_energy", "", false, PM_ENERGY_PACKAGE, 0, "rapl" },
	{ "rapl", "dram_energy", NULL, false, PM_ENERGY_DRAM, 0, "rapl" },
	{ "rapl", "dram_energy", "", false, PM_ENERGY_DRAM, 0, "rapl" },
	{ "pm_counters", "part_energy", "cpu", false, PM_ENERGY_PACKAGE, 1, "pm_counters" },
	{ "pm_counters", "part_power", "cpu", true, PM_ENERGY_PACKAGE, 1, "pm_counters" },
	{ "pm_counters", "part_energy", "memory", false, PM_ENERGY_DRAM, 1, "pm_counters" },
	{ "pm_counters", "part_power", "memory", true, PM_ENERGY_DRAM, 1, "pm_counters" },
	{ "pm_counters", "part_energy", "accel", false, PM_ENERGY_GPU, 1, "pm_counters" },
	{ "pm_counters", "part_power", "accel", true, PM_ENERGY_GPU, 1, "pm_counters" },
	{ "nvidia_counters", "energy", NULL, false, PM_ENERGY_GPU, 0, "nvidia" },
	{ "nvidia", "power", NULL, true, PM_ENERGY_GPU, 0, "nvidia" },
	{ "amdgpu", "energy", NULL, false, PM_ENERGY_GPU, 0, "amdgpu" },
	{ "amdgpu", "power", NULL, true, PM_ENERGY_GPU, 0, "amdgpu" },
	{ "intelgpu", "energy", NULL, false, PM_ENERGY_GPU, 0, "intelgpu" },
	{ "hwmon", "energy", NULL, false, PM_ENERGY_OTHER, 0, "hwmon" },
	{ "hwmon", "power", NULL, true, PM_ENERGY_OTHER, 0, "hwmon" },
};

static bool has_object(const struct pm_energy_kind *k, const char *object)
{
	if (!k->object)
		return *object;
	if (*k->object == '=')
		return strcmp(object, k->object + 1) == 0;
	return *k->object ? strncmp(object, k->object, strlen(k->object)) == 0 : !*object;
}

const struct pm_energy_kind *pm_energy_kind(const char *source, const char *metric,
					    const char *object, const char *unit, const char *kind)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const struct pm_energy_kind *k = &kinds[i];

		if (strcmp(source, k->source) == 0 && strcmp(metric, k->metric) == 0 &&
		    strcmp(unit, k->power ? "uW" : "uJ") == 0 &&
		    strcmp(kind, k->power ? "gauge" : "counter") == 0 && has_object(k, object))
			return k;
	}
	return NULL;
}

static const char *const reasons[] = { "", "unknown",
#define PM_ENERGY_REASON(name) #name,
				       PM_ENERGY_REASONS(PM_ENERGY_REASON)
#undef PM_ENERGY_REASON
};

enum pm_energy_reason pm_energy_reason(const char *text, size_t n)
{
	for (size_t i = PM_ENERGY_OTHERWISE + 1; i < sizeof reasons / sizeof reasons[0]; i++)
		if (strlen(reasons[i]) == n && memcmp(reasons[i], text, n) == 0)
			return (enum pm_energy_reason)i;
	return PM_ENERGY_OTHERWISE;
}

/* --- a series --------------------------------------------------------------------------------- */

/* Energy over time, in uW; -1 where the time is 0. */
static int64_t mean_power(int64_t energy_uj, int64_t time_us)
{
	return time_us > 0 ? (int64_t)((__int128)energy_uj * 1000000 / time_us) : -1;
}

static bool is_possible(int64_t energy_uj, int64_t time_us)
{
	return (__int128)energy_uj * 1000000 <= (__int128)MOST_UW * time_us;
}

/* Whether a rise and a fall, one after the other, are of about one size: two counts are mixed. */
static bool is_back(int64_t rise, int64_t fall)
{
	return rise >= fall / 2 && fall >= rise / 2;
}

static void lose(struct pm_energy_sum *s)
{
	s->lost++;
	s->window_uj = s->window_us = 0;
}

/* Add the interval of a counter that waits for the next value. */
static void add_waiting(struct pm_energy_sum *s)
{
	int64_t power;

	if (s->rise_us == 0)
		return;
	s->energy_uj += s->rise;
	s->covered_us += s->rise_us;
	s->window_uj += s->rise;
	s->window_us += s->rise_us;
	s->rise_us = 0;
	if (s->window_us < POWER_US)
		return;
	power = mean_power(s->window_uj, s->window_us);
	s->peak_uw = power > s->peak_uw ? power : s->peak_uw;
	s->window_uj = s->window_us = 0;
}

/* Add an interval of a counter, of time_us. */
static void add_counted(struct pm_energy_sum *s, int64_t value, int64_t time_us)
{
	int64_t rise = value - s->last; /* both are from 0 on */
	bool back = s->fall > 0 && value >= s->fall_from && is_back(rise, s->fall);

	if (rise < 0 && s->rise_us > 0 && is_back(s->rise, -rise)) {
		s->rise_us = 0;
		lose(s);
	}
	add_waiting(s);
	if (rise < 0) {
		s->fall = -rise;
		s->fall_from = s->last;
	} else if (value >= s->fall_from) {
		s->fall = 0;
	}
	if (rise < 0 || back || s->broken || !is_possible(rise, time_us) ||
	    rise > INT64_MAX - s->energy_uj) {
		lose(s);
		return;
	}
	s->rise = rise;
	s->rise_us = time_us;
}

/* Add an interval of a power, of time_us. */
static void add_integrated(struct pm_energy_sum *s, int64_t value, int64_t time_us)
{
	bool gap = time_us > GAP_US && time_us / GAP_TIMES > s->step_us;
	__int128 sum = s->double_pj + (__int128)(s->last + value) * time_us;

	s->step_us = time_us;
	if (gap || s->broken || sum / 2000000 > INT64_MAX) {
		lose(s);
		return;
	}
	s->double_pj = sum;
	s->covered_us += time_us;
}

void pm_energy_add(struct pm_energy_sum *s, bool power, int64_t time_us,
		   enum pm_energy_reason reason, int64_t value)
{
	int64_t passed;

	if (reason == PM_ENERGY_KNOWN && (value < 0 || (power && value > MOST_UW)))
		reason = power ? PM_ENERGY_OTHERWISE : PM_ENERGY_wrapped;
	if (reason != PM_ENERGY_KNOWN) {
		s->reason = reason;
		s->broken = s->broken || power || reason == PM_ENERGY_wrapped;
		return;
	}
	if (s->held && time_us <= s->last_us)
		return;
	if (s->held) {
		if (__builtin_sub_overflow(time_us, s->last_us, &passed) ||
		    passed > MOST_US - s->covered_us - s->rise_us)
			lose(s);
		else
			(power ? add_integrated : add_counted)(s, value, passed);
	}
	if (power && value > s->peak_uw)
		s->peak_uw = value;
	s->samples++;
	s->held = true;
	s->broken = false;
	s->last = value;
	s->last_us = time_us;
}

void pm_energy_end(struct pm_energy_sum *s)
{
	add_waiting(s);
}

/* --- the meters of a host --------------------------------------------------------------------- */

static struct pm_energy_meter *find_meter(const struct pm_energy_meters *m,
					  const struct pm_energy_kind *kind, const char *object)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct pm_energy_kind *k = m->meter[i].kind;

		if (k->part == kind->part && strcmp(k->family, kind->family) == 0 &&
		    strcmp(m->meter[i].object, object) == 0)
			return &m->meter[i];
	}
	return NULL;
}

/* Why a series that covers no time does not. */
static const char *explain(const struct pm_energy_sum *s)
{
	if (s->samples == 1 && s->reason == PM_ENERGY_KNOWN)
		return "one sample";
	if (s->samples == 0 && s->reason == PM_ENERGY_KNOWN)
		return "no sample";
	if (s->reason == PM_ENERGY_KNOWN)
		return "fell";
	return reasons[s->reason];
}

int pm_energy_meters_add(struct pm_energy_meters *m, const struct pm_energy_kind *kind,
			 const char *object, const struct pm_energy_sum *s)
{
	struct pm_energy_meter *to = find_meter(m, kind, object);
	bool known = s->covered_us > 0;
	char *name;

	/* A counter wins over a power, and a figure over none. */
	if (to && (!known ? to->energy_uj >= 0 || kind->power : kind->power && to->energy_uj >= 0))
		return 0;
	if (!to) {
		if (!PM_GROW(m->meter, m->n, m->cap, 8) || !(name = strdup(object)))
			return -1;
		to = &m->meter[m->n++];
		*to = (struct pm_energy_meter){ .object = name };
	}
	to->kind = kind;
	to->energy_uj = !known        ? -1
			: kind->power ? (int64_t)((s->double_pj + 1000000) / 2000000)
				      : s->energy_uj;
	to->mean_uw = known ? mean_power(to->energy_uj, s->covered_us) : -1;
	to->peak_uw = known && s->peak_uw > 0 ? s->peak_uw : -1;
	to->covered_us = s->covered_us;
	to->lost = s->lost;
	to->reason = known ? NULL : explain(s);
	return 0;
}

static int compare_meters(const void *a, const void *b)
{
	const struct pm_energy_meter *x = a, *y = b;
	int c = (x->kind->part > y->kind->part) - (x->kind->part < y->kind->part);

	if (c == 0)
		c = strcmp(x->kind->family, y->kind->family);
	return c ? c : strcmp(x->object, y->object);
}

/* Whether a meter is a sum over all devices, which tells why there are none, and nothing else. */
static bool is_idle_sum(const struct pm_energy_meters *m, const struct pm_energy_meter *x)
{
	if (*x->object)
		return false;
	if (x->energy_uj >= 0 || strcmp(x->reason, "permission") != 0)
		return true;
	for (size_t i = 0; i < m->n; i++)
		if (m->meter[i].kind->part == x->kind->part && *m->meter[i].object &&
		    strcmp(m->meter[i].kind->family, x->kind->family) == 0)
			return true;
	return false;
}

static void drop_sums(struct pm_energy_meters *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		m->meter[i].in_part = !is_idle_sum(m, &m->meter[i]);
	for (size_t i = 0; i < m->n; i++) {
		if (m->meter[i].in_part)
			m->meter[n++] = m->meter[i];
		else
			free(m->meter[i].object);
	}
	m->n = n;
}

/* Choose the meters of a part. Of several that are said to be the node's none is. */
static void choose_part(struct pm_energy_meters *m, enum pm_energy_part part)
{
	int rank[2] = { INT_MAX, INT_MAX }, chosen;
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct pm_energy_meter *x = &m->meter[i];
		int *least = &rank[x->energy_uj >= 0];

		if (x->kind->part == part && x->kind->rank < *least)
			*least = x->kind->rank;
	}
	chosen = rank[rank[1] < INT_MAX];
	for (size_t i = 0; i < m->n; i++)
		n += m->meter[i].kind->part == part && m->meter[i].kind->rank == chosen;
	for (size_t i = 0; i < m->n; i++)
		if (m->meter[i].kind->part == part)
			m->meter[i].in_part = m->meter[i].kind->rank == chosen &&
					      (part != PM_ENERGY_NODE || n == 1);
}

void pm_energy_meters_finish(struct pm_energy_meters *m)
{
	int64_t node_us = 0, parts_us = 0;
	bool node;

	if (m->n == 0)
		return;
	qsort(m->meter, m->n, sizeof *m->meter, compare_meters);
	drop_sums(m);
	for (int part = 0; part < PM_ENERGY_PARTS; part++)
		choose_part(m, (enum pm_energy_part)part);
	for (size_t i = 0; i < m->n; i++) {
		const struct pm_energy_meter *x = &m->meter[i];
		int64_t *most = x->kind->part == PM_ENERGY_NODE ? &node_us : &parts_us;

		if (x->in_part && x->kind->part != PM_ENERGY_OTHER && x->covered_us > *most)
			*most = x->covered_us;
	}
	node = node_us > 0 && node_us / 9 >= parts_us / 10;
	for (size_t i = 0; i < m->n; i++) {
		struct pm_energy_meter *x = &m->meter[i];

		x->in_total = x->in_part && x->kind->part != PM_ENERGY_OTHER &&
			      (x->kind->part == PM_ENERGY_NODE) == node;
	}
}

void pm_energy_meters_free(struct pm_energy_meters *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->meter[i].object);
	free(m->meter);
	*m = (struct pm_energy_meters){ .n = 0 };
}

const char *pm_energy_method(const struct pm_energy_meter *m)
{
	return m->kind->power ? "power" : "counter";
}
