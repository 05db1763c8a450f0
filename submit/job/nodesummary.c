/* Summaries of a node. */
#include "config.h"

#include "submit/job/nodesummary.h"

#include "common/safe/tsv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times of a CPU: those before IDLE count as use. guest is part of user. */
enum { USER, NICE, SYSTEM, IRQ, SOFTIRQ, STEAL, IDLE, IOWAIT, TIMES };

/* Times required to compute a CPU's use; the others came with later kernels. */
#define NEEDED (1u << USER | 1u << NICE | 1u << SYSTEM | 1u << IDLE)

enum { CPUS, BUSIEST, IDLEST, MEM_TOTAL, MEM_USED, FS_USED, FS_MOST, FS_AVAILABLE, LEVELS };
enum { DISK_READ, DISK_WRITE, LO_SENT, LO_RECV, EXT_SENT, EXT_RECV, COUNTERS };

/* Bytes in a MiB, and microseconds in an hour. */
#define MIB  1048576.0
#define HOUR 3600e6

/* Roles of series. Object NULL matches all CPUs and each single CPU. */
static const struct row {
	const char *source, *metric, *object;
	enum pm_nodesummary_part part;
	int field;
} rows[] = {
	{ "cpu", "user", NULL, PM_NODESUMMARY_CPU, USER },
	{ "cpu", "nice", NULL, PM_NODESUMMARY_CPU, NICE },
	{ "cpu", "system", NULL, PM_NODESUMMARY_CPU, SYSTEM },
	{ "cpu", "irq", NULL, PM_NODESUMMARY_CPU, IRQ },
	{ "cpu", "softirq", NULL, PM_NODESUMMARY_CPU, SOFTIRQ },
	{ "cpu", "steal", NULL, PM_NODESUMMARY_CPU, STEAL },
	{ "cpu", "idle", NULL, PM_NODESUMMARY_CPU, IDLE },
	{ "cpu", "iowait", NULL, PM_NODESUMMARY_CPU, IOWAIT },
	{ "cpu", "cpus", "", PM_NODESUMMARY_LEVEL, CPUS },
	{ "cpu", "busiest", "", PM_NODESUMMARY_LEVEL, BUSIEST },
	{ "cpu", "idlest", "", PM_NODESUMMARY_LEVEL, IDLEST },
	{ "memory", "total", "", PM_NODESUMMARY_LEVEL, MEM_TOTAL },
	{ "memory", "used", "", PM_NODESUMMARY_LEVEL, MEM_USED },
	{ "filesystem", "used", "/", PM_NODESUMMARY_LEVEL, FS_USED },
	{ "filesystem", "available", "/", PM_NODESUMMARY_LEVEL, FS_AVAILABLE },
	{ "netfs", "used", "/", PM_NODESUMMARY_LEVEL, FS_USED },
	{ "netfs", "available", "/", PM_NODESUMMARY_LEVEL, FS_AVAILABLE },
	{ "disk", "read_bytes", "", PM_NODESUMMARY_COUNTER, DISK_READ },
	{ "disk", "write_bytes", "", PM_NODESUMMARY_COUNTER, DISK_WRITE },
	{ "network", "tx_bytes", "lo", PM_NODESUMMARY_COUNTER, LO_SENT },
	{ "network", "rx_bytes", "lo", PM_NODESUMMARY_COUNTER, LO_RECV },
	{ "network", "tx_bytes", "", PM_NODESUMMARY_COUNTER, EXT_SENT },
	{ "network", "rx_bytes", "", PM_NODESUMMARY_COUNTER, EXT_RECV },
};

struct cpu {
	int64_t now[TIMES], last[TIMES];
	unsigned known, held; /* bit sets: times with a value in `now`, in `last` */
};

struct pm_nodesummary {
	/* the current tick */
	struct cpu *cpu;
	size_t cpus;
	bool cpu_seen;
	double level[LEVELS];
	int64_t counter[COUNTERS];
	bool counted[COUNTERS];

	int64_t samples, unknown, resets;
	int64_t first_us, last_us;
	/* CPU use */
	bool based; /* an earlier tick serves as the base of differences, at base_us */
	int64_t base_us;
	double largest[3]; /* maximum over time of the average, busiest and idlest CPU's use */
	double told[2];    /* the same of the last two, as the sampler says where it does not
			      tell the times of each CPU */
	double timed_us, use_us, over_us[4];
	/* available CPU time */
	int64_t cpus_since_us;
	double online, cpu_us;
	double memory, disk;
	int64_t counter_last[COUNTERS];
	bool counter_held[COUNTERS], differs[COUNTERS];
	double total[COUNTERS];
};

static bool cpu_number(const char *object, uint16_t *number)
{
	int64_t n = -1;

	if (*object && (strncmp(object, "cpu", 3) != 0 ||
			pm_tsv_number(object + 3, strlen(object + 3), &n) < 0 || n < 0 ||
			n >= UINT16_MAX || object[3] == '+'))
		return false;
	*number = (uint16_t)(n + 1);
	return true;
}

struct pm_nodesummary_role pm_nodesummary_role(const char *source, const char *metric,
					       const char *object, const char *kind)
{
	struct pm_nodesummary_role role = { PM_NODESUMMARY_NOTHING, 0, 0 };

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct row *r = &rows[i];
		bool most = r->part == PM_NODESUMMARY_LEVEL && strcmp(kind, "max") == 0;

		if (strcmp(source, r->source) != 0 || strcmp(metric, r->metric) != 0 ||
		    (r->object ? strcmp(object, r->object) != 0
			       : !cpu_number(object, &role.object)))
			continue;
		if (!most &&
		    strcmp(kind, r->part == PM_NODESUMMARY_LEVEL ? "gauge" : "counter") != 0)
			continue;
		/* A maximum of down-sampled values; useless for values that must be combined with
		 * others of the same moment. */
		if (most && (r->field == CPUS || r->field == MEM_TOTAL || r->field == FS_AVAILABLE))
			continue;
		role.part = (uint8_t)r->part;
		role.field = (uint8_t)(most && r->field == FS_USED ? FS_MOST : r->field);
		break;
	}
	return role;
}

struct pm_nodesummary *pm_nodesummary_new(void)
{
	struct pm_nodesummary *n = calloc(1, sizeof *n);

	if (!n)
		return NULL;
	for (int i = 0; i < 3; i++)
		n->largest[i] = NAN;
	for (int i = 0; i < LEVELS; i++)
		n->level[i] = NAN;
	n->online = n->memory = n->disk = n->told[0] = n->told[1] = NAN;
	return n;
}

void pm_nodesummary_free(struct pm_nodesummary *n)
{
	if (n)
		free(n->cpu);
	free(n);
}

int pm_nodesummary_value(struct pm_nodesummary *n, struct pm_nodesummary_role role, bool known,
			 int64_t value, struct pm_err *e)
{
	switch (role.part) {
	case PM_NODESUMMARY_CPU:
		if (role.object >= n->cpus) {
			size_t cpus = role.object + 1u;
			struct cpu *grown = realloc(n->cpu, cpus * sizeof *grown);

			if (!grown)
				return pm_err(e, "out of memory");
			memset(grown + n->cpus, 0, (cpus - n->cpus) * sizeof *grown);
			n->cpu = grown;
			n->cpus = cpus;
		}
		n->cpu_seen = true;
		if (known) {
			n->cpu[role.object].now[role.field] = value;
			n->cpu[role.object].known |= 1u << role.field;
		}
		break;
	case PM_NODESUMMARY_LEVEL:
		if (known && !(n->level[role.field] >= (double)value))
			n->level[role.field] = (double)value;
		break;
	case PM_NODESUMMARY_COUNTER:
		n->counted[role.field] = known;
		n->counter[role.field] = value;
		break;
	default:
		break;
	}
	return 0;
}

static double difference(int64_t now, int64_t last)
{
	return (double)now - (double)last;
}

/*
 * Use of a CPU since its last sample in percent, or NaN if unknown. *moved is set if this sample
 * becomes the base of the next difference.
 */
static double cpu_use(struct pm_nodesummary *n, struct cpu *c, bool *moved)
{
	unsigned known = c->known;
	double busy = 0, idle = 0;
	bool fell = false;

	c->known = 0;
	if ((known & NEEDED) != NEEDED)
		return NAN;
	/* Skip a time that only one of the two samples has. */
	for (int i = 0; i < TIMES; i++) {
		double d = difference(c->now[i], c->last[i]);

		if (!(known & c->held & 1u << i))
			continue;
		if (i >= IDLE)
			idle += d > 0 ? d : 0; /* the kernel's idle times may decrease slightly */
		else
			busy += d;
		fell = fell || (i < IDLE && d < 0);
	}
	if (c->held && !fell && busy + idle <= 0)
		return NAN; /* both samples are within one clock tick: wait for the next */
	n->resets += fell;
	memcpy(c->last, c->now, sizeof c->last);
	*moved = true;
	if (!c->held || fell)
		busy = NAN;
	c->held = known;
	return 100 * busy / (busy + idle);
}

static void update_largest(double *largest, double v)
{
	if (!isnan(v) && !(*largest >= v))
		*largest = v;
}

static void end_cpus(struct pm_nodesummary *n, int64_t now_us)
{
	static const double threshold[] = { 100, 80, 40, 20 };
	double sum = 0, least = NAN, most = NAN, all = NAN, use;
	size_t count = 0;
	bool moved = false;

	for (size_t i = 0; i < n->cpus; i++) {
		use = cpu_use(n, &n->cpu[i], &moved);
		if (isnan(use))
			continue;
		if (i == 0) {
			all = use;
			continue;
		}
		sum += use;
		count++;
		update_largest(&most, use);
		if (!(least <= use))
			least = use;
	}
	if (count)
		all = sum / (double)count;
	if (isnan(all)) {
		n->unknown += n->based;
	} else {
		double length = (double)(now_us - n->base_us);

		update_largest(&n->largest[0], all);
		update_largest(&n->largest[1], most);
		update_largest(&n->largest[2], least);
		n->timed_us += length;
		n->use_us += length * all;
		for (int i = 0; i < 4; i++)
			n->over_us[i] += all >= threshold[i] ? length : 0;
	}
	if (moved) {
		n->base_us = now_us;
		n->based = true;
	}
}

static void end_counters(struct pm_nodesummary *n)
{
	for (int i = 0; i < COUNTERS; i++) {
		if (!n->counted[i])
			continue;
		if (n->counter_held[i]) {
			double d = difference(n->counter[i], n->counter_last[i]);

			n->resets += d < 0;
			n->total[i] += d > 0 ? d : 0;
			n->differs[i] = true;
		}
		n->counter_last[i] = n->counter[i];
		n->counter_held[i] = true;
		n->counted[i] = false;
	}
}

/* A sample of the online CPUs covers the time since the previous sample. */
static void end_levels(struct pm_nodesummary *n, int64_t now_us)
{
	double *v = n->level;
	double used = v[FS_MOST] > v[FS_USED] ? v[FS_MOST] : v[FS_USED];

	if (!isnan(v[CPUS])) {
		n->online = v[CPUS];
		n->cpu_us += n->online * (double)(now_us - n->cpus_since_us);
		n->cpus_since_us = now_us;
	}
	update_largest(&n->told[0], v[BUSIEST] / 100);
	update_largest(&n->told[1], v[IDLEST] / 100);
	if (v[MEM_TOTAL] > 0)
		update_largest(&n->memory, 100 * v[MEM_USED] / v[MEM_TOTAL]);
	if (v[FS_USED] + v[FS_AVAILABLE] > 0)
		update_largest(&n->disk, 100 * used / (v[FS_USED] + v[FS_AVAILABLE]));
	for (int i = 0; i < LEVELS; i++)
		v[i] = NAN;
}

void pm_nodesummary_tick(struct pm_nodesummary *n, int64_t monotonic_us)
{
	if (n->samples++ == 0)
		n->first_us = n->cpus_since_us = monotonic_us;
	n->last_us = monotonic_us;
	if (n->cpu_seen)
		end_cpus(n, monotonic_us);
	n->cpu_seen = false;
	end_counters(n);
	end_levels(n, monotonic_us);
}

static double total_mib(const struct pm_nodesummary *n, int i)
{
	return n->differs[i] ? n->total[i] / MIB : NAN;
}

void pm_nodesummary_finish(const struct pm_nodesummary *n, struct pm_nodesummary_of *out)
{
	double *v = out->value;
	double hours = n->cpu_us + n->online * (double)(n->last_us - n->cpus_since_us);

	out->samples = n->samples;
	out->unknown = n->unknown;
	out->resets = n->resets;
	v[PM_NODESUMMARY_max_t_cpu_pct_per_cpu_avg] = n->largest[0];
	v[PM_NODESUMMARY_max_t_cpu_pct_per_cpu_max] =
		isnan(n->largest[1]) ? n->told[0] : n->largest[1];
	v[PM_NODESUMMARY_max_t_cpu_pct_per_cpu_min] =
		isnan(n->largest[2]) ? n->told[1] : n->largest[2];
	v[PM_NODESUMMARY_cpu_avg_utilization_pct] = n->timed_us > 0 ? n->use_us / n->timed_us : NAN;
	for (int i = 0; i < 4; i++)
		v[PM_NODESUMMARY_cpu_avg_utilization_at100_pct + i] =
			n->timed_us > 0 ? 100 * n->over_us[i] / n->timed_us : NAN;
	v[PM_NODESUMMARY_node_cpu_hours] = n->last_us > n->first_us ? hours / HOUR : NAN;
	v[PM_NODESUMMARY_node_unused_cpu_hours] =
		v[PM_NODESUMMARY_node_cpu_hours] *
		(1 - v[PM_NODESUMMARY_cpu_avg_utilization_pct] / 100);
	v[PM_NODESUMMARY_max_t_mem_percent] = n->memory;
	v[PM_NODESUMMARY_max_t_disk_usage_percent] = n->disk;
	v[PM_NODESUMMARY_total_disk_io_read_mb] = total_mib(n, DISK_READ);
	v[PM_NODESUMMARY_total_disk_io_write_mb] = total_mib(n, DISK_WRITE);
	v[PM_NODESUMMARY_total_net_io_lo_sent_mb] = total_mib(n, LO_SENT);
	v[PM_NODESUMMARY_total_net_io_lo_recv_mb] = total_mib(n, LO_RECV);
	v[PM_NODESUMMARY_total_net_io_ext_sent_mb] = total_mib(n, EXT_SENT);
	v[PM_NODESUMMARY_total_net_io_ext_recv_mb] = total_mib(n, EXT_RECV);
}
