/*
 * Source "pm_counters": energy and power of a node of HPE Cray EX and XC and of its parts, measured
 * by the node's controller ten times a second, from /sys/cray/pm_counters. Each file has "VALUE
 * UNIT" or "VALUE UNIT STAMP us". The node contains its parts and more, so that they are metrics of
 * their own: the objects of one metric may be added up, those of two may not.
 */
#include "config.h"

#include "sampler/devices/deviceset.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/source.h"

#include "common/now.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTORY "sys/cray/pm_counters"

enum { NODE_ENERGY, NODE_POWER, NODE_CAP, PART_ENERGY, PART_POWER, PART_CAP, TEMPERATURE, TIME };

#define OF_NODE(metric, name, unit, kind, help)                                                    \
	[metric] = { name, unit, help, "node", false, PM_METRIC_##kind }
#define OF_PART(metric, name, unit, kind, help)                                                    \
	[metric] = { name, unit, help, "part", false, PM_METRIC_##kind }

/* clang-format off */
static const struct pm_metric metrics[] = {
	OF_NODE(NODE_ENERGY, "node_energy", "uJ", COUNTER, "energy of the node: of all its parts and more"),
	OF_NODE(NODE_POWER, "node_power", "uW", GAUGE, "power of the node"),
	OF_NODE(NODE_CAP, "node_power_cap", "uW", GAUGE, "limit of the node's power; absent: none"),
	OF_PART(PART_ENERGY, "part_energy", "uJ", COUNTER, "energy of processors, of memory or of an accelerator, which node_energy contains"),
	OF_PART(PART_POWER, "part_power", "uW", GAUGE, "power of that part"),
	OF_PART(PART_CAP, "part_power_cap", "uW", GAUGE, "limit of its power; absent: none"),
	OF_PART(TEMPERATURE, "temperature", "mdegC", GAUGE, "temperature of a processor"),
	OF_PART(TIME, "energy_time", "us", GAUGE, "when the controller measured the energy of the node or part, since 1970"),
};
/* clang-format on */

/* Files by the end of their names: what they are of the node, where nothing is before that, and of
 * a part. */
static const struct kind {
	const char *suffix, *unit;
	int64_t scale;
	int node, part; /* metrics; -1: none */
} kinds[] = {
	{ "energy", "J", 1000000, NODE_ENERGY, PART_ENERGY },
	{ "power", "W", 1000000, NODE_POWER, PART_POWER },
	{ "power_cap", "W", 1000000, NODE_CAP, PART_CAP },
	{ "temp", "C", 1000, -1, TEMPERATURE },
};

/* A controller that has not measured for this long, of ten times a second, has stopped. */
#define STALE_US 500000

/* Readings that are given up because the controller wrote meanwhile, at most. */
#define TRIES 4

/* Values of a node, at most. */
#define READINGS 256

/* A value as it was read. */
struct reading {
	int64_t value, stamp; /* stamp 0: none */
	int error;            /* errno of why there is no value; 0: there is one */
};

struct state {
	struct pm_deviceset set;
	struct reading reading[READINGS]; /* in the order of the set's values */
	struct pm_devicefile freshness, generation, startup;
	int64_t fresh, generated, started; /* their latest values; -1: none */
	int64_t fresh_us;                  /* when freshness changed, on the monotonic clock */
};

/* --- looking ---------------------------------------------------------------------------------- */

/* Whether a prefix of n bytes is of a part of its own. Others ("cpu0_energy") would be counted with
 * what contains them. */
static bool is_part(const char *p, size_t n)
{
	if ((n == 3 && memcmp(p, "cpu", 3) == 0) || (n == 6 && memcmp(p, "memory", 6) == 0))
		return true;
	return n > 5 && memcmp(p, "accel", 5) == 0 && strspn(p + 5, "0123456789") == n - 5;
}

/* Note a file. */
static void note_file(struct pm_deviceset *set, const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const struct kind *k = &kinds[i];
		const size_t n = strlen(name), suffix_n = strlen(k->suffix);
		const bool node = strcmp(name, k->suffix) == 0;
		struct pm_devicevalue *v;
		struct pm_device *d;
		char path[320];

		if (node ? k->node < 0
			 : n <= suffix_n + 1 || strcmp(name + n - suffix_n, k->suffix) != 0 ||
				    name[n - suffix_n - 1] != '_' ||
				    (k->part != TEMPERATURE && !is_part(name, n - suffix_n - 1)))
			continue;
		snprintf(path, sizeof path, "%.*s", node ? 4 : (int)(n - suffix_n - 1),
			 node ? "node" : name);
		d = pm_deviceset_get(set, path);
		if (!d)
			return;
		snprintf(path, sizeof path, DIRECTORY "/%s", name);
		v = pm_deviceset_file(set, d, (size_t)(node ? k->node : k->part), path);
		if (!v)
			return;
		v->unit = k->unit;
		v->scale = k->scale;
		/* Its stamp; put with the energy, and never read by itself. */
		if (strcmp(k->suffix, "energy") == 0)
			pm_deviceset_file(set, d, TIME, path);
		return;
	}
}

/* Look for all files. Returns how many devices there are, or -1 with errno set. */
static int look(struct state *s, int64_t now_us)
{
	struct dirent *entry;
	char path[512];
	size_t n;
	DIR *dir;

	snprintf(path, sizeof path, "%s/" DIRECTORY, s->set.root);
	dir = opendir(path);
	pm_deviceset_begin(&s->set, now_us);
	while (dir && (entry = readdir(dir)) != NULL)
		note_file(&s->set, entry->d_name);
	n = pm_deviceset_end(&s->set);
	pm_devicefile_look(&s->freshness);
	pm_devicefile_look(&s->generation);
	pm_devicefile_look(&s->startup);
	if (!dir)
		return -1;
	closedir(dir);
	errno = ENOENT;
	return n ? (int)n : -1;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Read "VALUE UNIT[ STAMP us]". *stamp: 0 where there is none. Returns 0, or -1 with errno set. */
static int read_line(struct pm_devicevalue *v, int64_t *value, int64_t *stamp)
{
	char text[PM_DEVICEFILE_MAX + 1];
	const ssize_t n = pm_devicefile_text(&v->file, text, sizeof text);
	const size_t unit_n = strlen(v->unit);
	const char *p = text, *end = text + n;

	*stamp = 0;
	if (n < 0)
		return -1;
	if (pm_devicefile_parse(text, (size_t)n, v->unit, value) == 0)
		return 0;
	if (errno != EBADMSG || pm_devicefile_take(&p, end, value) < 0 || p == end || *p++ != ' ' ||
	    (size_t)(end - p) <= unit_n || memcmp(p, v->unit, unit_n) != 0 || p[unit_n] != ' ') {
		errno = errno == ENODATA ? ENODATA : EBADMSG;
		return -1;
	}
	p += unit_n + 1;
	if (pm_devicefile_take(&p, end, stamp) == 0 && *stamp > 0 && end - p >= 3 &&
	    memcmp(p, " us", 3) == 0 && pm_devicefile_is_end(p + 3, end))
		return 0;
	errno = EBADMSG;
	return -1;
}

/* A number beside the values; -1 where there is none. */
static int64_t read_number(struct pm_devicefile *f)
{
	int64_t value;

	return pm_devicefile_number(f, "", &value) == 0 ? value : -1;
}

/* The value of a device's stamp. */
static struct pm_devicevalue *time_of(struct pm_device *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->value[i].metric == TIME)
			return &d->value[i];
	return NULL;
}

/* Read a value, to be put when all are known to be of one time. */
static void read_value(struct state *s, struct pm_devicevalue *v, struct reading *r)
{
	const bool lost = v->file.error != 0;

	r->error = read_line(v, &r->value, &r->stamp) < 0 ? errno : 0;
	s->set.lost = s->set.lost || (!lost && v->file.error);
}

static void put_value(struct state *s, struct pm_device *d, struct pm_devicevalue *v,
		      const struct reading *r, int64_t now_us)
{
	struct pm_devicevalue *time = time_of(d);

	if (r->error)
		pm_sink_unknown(s->set.sink, v->series, pm_reason_errno(r->error));
	else if ((v->metric == NODE_CAP || v->metric == PART_CAP) && r->value == 0)
		pm_sink_unknown(s->set.sink, v->series, PM_REASON_absent);
	else
		pm_deviceset_put(&s->set, v, r->value, now_us);
	if (!r->error && r->stamp && time && (v->metric == NODE_ENERGY || v->metric == PART_ENERGY))
		pm_sink_value(s->set.sink, time->series, r->stamp);
}

/* Read all values, or put them. */
static void each_value(struct state *s, bool put, int64_t now_us)
{
	size_t n = 0;

	for (size_t i = 0; i < s->set.count; i++)
		for (size_t k = 0; k < s->set.device[i].count; k++) {
			struct pm_devicevalue *v = &s->set.device[i].value[k];

			if (v->metric == TIME || n == READINGS)
				continue;
			if (put)
				put_value(s, &s->set.device[i], v, &s->reading[n], now_us);
			else
				read_value(s, v, &s->reading[n]);
			n++;
		}
}

/* Where the controller says that it began anew, so do the counters. */
static void note_restart(struct state *s)
{
	const int64_t generated = read_number(&s->generation), started = read_number(&s->startup);
	const bool anew = (s->generated >= 0 && generated >= 0 && s->generated != generated) ||
			  (s->started >= 0 && started >= 0 && s->started != started);

	s->generated = generated >= 0 ? generated : s->generated;
	s->started = started >= 0 ? started : s->started;
	for (size_t i = 0; anew && i < s->set.count; i++)
		for (size_t k = 0; k < s->set.device[i].count; k++)
			pm_counter_restart(&s->set.device[i].value[k].counter);
}

/* Whether a value of `freshness` says that the controller measures. Without it nobody knows. */
static bool is_fresh(struct state *s, int64_t fresh, int64_t now_us)
{
	if (fresh < 0 || fresh != s->fresh)
		s->fresh_us = now_us;
	s->fresh = fresh;
	return now_us - s->fresh_us < STALE_US;
}

/* --- the source ------------------------------------------------------------------------------- */

static void counters_close(void *state)
{
	struct state *s = state;

	pm_devicefile_close(&s->freshness);
	pm_devicefile_close(&s->generation);
	pm_devicefile_close(&s->startup);
	pm_deviceset_free(&s->set);
	free(s);
}

static int counters_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			 struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "pm_counters");
	s->fresh = s->generated = s->started = -1;
	pm_deviceset_init(&s->set, target->root, sink);
	if (look(s, pm_now_monotonic_us()) < 0) {
		pm_source_unavailable(why, "/" DIRECTORY);
		counters_close(s);
		return -1;
	}
	pm_devicefile_open(&s->freshness, target->root, DIRECTORY "/freshness");
	pm_devicefile_open(&s->generation, target->root, DIRECTORY "/generation");
	pm_devicefile_open(&s->startup, target->root, DIRECTORY "/startup");
	*state = s;
	return 0;
}

/* The files are not written together: what was read while freshness changed is read again. */
static void counters_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const int64_t now_us = pm_now_monotonic_us();
	int64_t before = -2, after;

	if (pm_deviceset_is_due(&s->set, now_us))
		look(s, now_us);
	after = read_number(&s->freshness);
	if (!is_fresh(s, after, now_us)) {
		pm_sink_clear(sink, PM_REASON_late);
		return;
	}
	for (int i = 0; i < TRIES && after != before; i++) {
		before = after;
		note_restart(s);
		each_value(s, false, now_us);
		after = read_number(&s->freshness);
	}
	s->fresh = after;
	if (after != before)
		pm_sink_clear(sink, PM_REASON_late);
	else
		each_value(s, true, now_us);
}

static void counters_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	pm_deviceset_describe(&((struct state *)state)->set, sink, out);
}

const struct pm_source pm_source_pm_counters = {
	.name = "pm_counters",
	.help = "energy and power of a node of HPE Cray and of its parts",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.period_us = 1000000,
	.open = counters_open,
	.sample = counters_sample,
	.describe = counters_describe,
	.close = counters_close,
};
