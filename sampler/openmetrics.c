/* The latest values of all sources as text for Prometheus. */
#include "config.h"

#include "sampler/openmetrics.h"

#include "common/grow.h"
#include "common/safe/tsv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest text of a value: sign, digits, point. */
#define VALUE_MAX 24

/* --- what is written, and how ----------------------------------------------------------------- */

/* A unit of metrics and the base unit in which it is written: the number is divided by 10 to the
 * power `decimals`. */
struct unit {
	const char *name, *base; /* base "": a number of things; NULL: none, not written */
	unsigned decimals;
};

static const struct unit units[] = {
	{ "us", "seconds", 6 },
	{ "ns", "seconds", 9 },
	{ "B", "bytes", 0 },
	{ "n", "", 0 },
	{ "0.01", "", 2 },
	{ "0.01%", "ratio", 4 },
	{ "uJ", "joules", 6 },
	{ "uW", "watts", 6 },
	{ "mdegC", "celsius", 3 },
	{ "mV", "volts", 3 },
	{ "uV", "volts", 6 },
	{ "mA", "amperes", 3 },
	{ "uA", "amperes", 6 },
	{ "Hz", "hertz", 0 },
	{ "rpm", "rpm", 0 },
	{ "1/min", "rpm", 0 },
	{ "mask", "", 0 },
	{ "B/s", "bytes_per_second", 0 },
	/* Memory multiplied by time in pieces that the kernel rounds: no multiple of a base unit.
	 */
	{ "MBus", NULL, 0 },
};

/* The sources that tell of the job and its processes: written for a job and not for the node. All
 * others tell of the node, except `sampler`, which is written for both, and `perf`, which counts
 * what it is given. */
static const bool of_job[PM_SOURCES] = {
	[PM_SOURCE_process] = true, [PM_SOURCE_footprint] = true, [PM_SOURCE_programs] = true,
	[PM_SOURCE_members] = true, [PM_SOURCE_drm] = true,       [PM_SOURCE_taskstats] = true,
	[PM_SOURCE_cgroup] = true,
};

static bool is_written(bool job, size_t id)
{
	return id == PM_SOURCE_sampler || id == PM_SOURCE_perf || of_job[id] == job;
}

/* Names of labels, where it is not the first word of what the metric's objects are: `job` is
 * Prometheus' own label, and a node is a host to everybody else. */
static const struct {
	const char *object, *label;
} renamed[] = {
	{ "job", "jobid" },
	{ "node", "numa_node" },
};

/* Metrics of single processes are not written: their labels would be of pids, without bound. */
static bool is_of_processes(const struct pm_metric *m)
{
	return m->object && strncmp(m->object, "process", strlen("process")) == 0;
}

static const struct unit *find_unit(const struct pm_metric *m)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i].name, m->unit) == 0)
			return units[i].base && !is_of_processes(m) ? &units[i] : NULL;
	return NULL;
}

/* --- pieces of text --------------------------------------------------------------------------- */

static void add(struct pm_bytes *b, const char *text)
{
	pm_bytes_add(b, text, strlen(text));
}

/* Add the text of a label, which has no control characters. */
static void add_escaped(struct pm_bytes *b, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\\' || text[i] == '"')
			pm_bytes_byte(b, '\\');
		pm_bytes_byte(b, (unsigned char)text[i]);
	}
}

/*
 * Add name="value". The value is escaped as a field first, so that two values never look alike and
 * any bytes become valid UTF-8. Returns false, with part of the value added, if it is too long.
 */
static bool add_label(struct pm_bytes *b, const char *name, size_t n, const char *value)
{
	char text[PM_OPENMETRICS_LABEL_MAX];
	struct pm_buf field;

	pm_buf_init(&field, text, sizeof text);
	pm_tsv_escape(&field, value, strlen(value));
	pm_bytes_add(b, name, n);
	add(b, "=\"");
	add_escaped(b, field.p, field.len);
	add(b, "\"");
	return !field.truncated;
}

/* The same of a label that may be missing, after those that are there. */
static void add_more(struct pm_bytes *b, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	if (b->n)
		add(b, ",");
	add_label(b, name, strlen(name), value);
}

static void add_object(struct pm_bytes *b, const struct pm_metric *m, const char *object,
		       bool *fits)
{
	const char *name = m->object;
	size_t n = strcspn(name, " :");

	for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
		if (strlen(renamed[i].object) == n && strncmp(name, renamed[i].object, n) == 0) {
			name = renamed[i].label;
			n = strlen(name);
			break;
		}
	*fits = add_label(b, name, n, object);
}

/* Add the lines that precede those of a family. The textfile collector knows a counter by the name
 * of its samples, OpenMetrics by that name without _total; units are a comment to the former. Help
 * has nothing that either would have escaped. */
static void add_heading(struct pm_bytes *b, bool strict, const char *name, size_t n, bool counter,
			const char *unit, const char *help)
{
	const char *type = counter ? "counter" : "gauge";

	add(b, "# HELP ");
	pm_bytes_add(b, name, n);
	add(b, " ");
	add(b, help);
	add(b, "\n# TYPE ");
	pm_bytes_add(b, name, n);
	add(b, " ");
	add(b, type);
	add(b, "\n");
	if (!strict || !*unit)
		return;
	add(b, "# UNIT ");
	pm_bytes_add(b, name, n);
	add(b, " ");
	add(b, unit);
	add(b, "\n");
}

static bool ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);

	return n > m && text[n - m - 1] == '_' && strcmp(text + n - m, end) == 0;
}

bool pm_openmetrics_name(const struct pm_source *source, const struct pm_metric *metric, bool whole,
			 bool strict, struct pm_bytes *name)
{
	const struct unit *unit = find_unit(metric);

	if (!unit)
		return false;
	add(name, "perfmon_");
	add(name, source->name);
	add(name, whole ? "_all_" : "_");
	add(name, metric->name);
	if (*unit->base && !ends_with(metric->name, unit->base)) {
		add(name, "_");
		add(name, unit->base);
	}
	if (metric->kind == PM_METRIC_COUNTER && !strict)
		add(name, "_total");
	return true;
}

/* --- the lines of a source -------------------------------------------------------------------- */

/* A line but for its value: where it is in the text, and its series. */
struct pm_openmetrics_line {
	size_t at, length;
	size_t series;
};

struct pm_openmetrics_family {
	size_t at, length;   /* of the heading */
	size_t first, count; /* of the lines */
	unsigned decimals;
};

/* Order series by family: by metric, and the one of all objects, whose name is empty, first. */
static int compare_series(const void *a, const void *b, void *arg)
{
	const struct pm_series *series = arg;
	const struct pm_series *x = &series[*(const size_t *)a], *y = &series[*(const size_t *)b];

	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	return strcmp(x->object, y->object);
}

/* The series that may have lines, in that order. Returns a list of *n for the caller to free, or
 * NULL. */
static size_t *list_series(const struct pm_sink *sink, size_t *n)
{
	size_t *list = calloc(sink->count + 1, sizeof *list);

	*n = 0;
	for (size_t i = 0; list && i < sink->count; i++)
		if (!sink->series[i].free && !sink->series[i].leaving)
			list[(*n)++] = i;
	if (list)
		qsort_r(list, *n, sizeof *list, compare_series, sink->series);
	return list;
}

static bool is_whole(const struct pm_metric *m, const struct pm_series *s)
{
	return m->object && m->whole && !*s->object;
}

/* Begin a family. Returns false where the metric is not written, or memory is short. */
static bool add_family(const struct pm_openmetrics *o, struct pm_openmetrics_source *own,
		       const struct pm_source *source, const struct pm_metric *m, bool whole)
{
	const struct unit *unit = find_unit(m);
	struct pm_openmetrics_family *f;
	struct pm_bytes name = { 0 };

	if (!pm_openmetrics_name(source, m, whole, o->strict, &name) ||
	    !PM_GROW(own->family, own->families, own->family_room, 16)) {
		own->text.failed = own->text.failed || unit;
		pm_bytes_free(&name);
		return false;
	}
	f = &own->family[own->families++];
	*f = (struct pm_openmetrics_family){ .at = own->text.n,
					     .first = own->lines,
					     .decimals = unit->decimals };
	add_heading(&own->text, o->strict, (const char *)name.p, name.n,
		    m->kind == PM_METRIC_COUNTER, unit->base, m->help);
	f->length = own->text.n - f->at;
	own->text.failed = own->text.failed || name.failed;
	pm_bytes_free(&name);
	return true;
}

/* Add a series to the latest family; it is left out where its object's name is too long. */
static void add_line(const struct pm_openmetrics *o, struct pm_openmetrics_source *own,
		     const struct pm_source *source, const struct pm_series *s, size_t number)
{
	const struct pm_metric *m = &source->metrics[s->metric];
	const size_t at = own->text.n;
	bool whole = is_whole(m, s), fits = true;
	struct pm_bytes name = { 0 };

	if (!PM_GROW(own->line, own->lines, own->line_room, 64)) {
		own->text.failed = true;
		return;
	}
	pm_openmetrics_name(source, m, whole, false, &name);
	pm_bytes_add(&own->text, name.p, name.n);
	own->text.failed = own->text.failed || name.failed;
	pm_bytes_free(&name);
	add(&own->text, "{");
	pm_bytes_add(&own->text, o->labels.p, o->labels.n);
	if (m->object && !whole) {
		add(&own->text, ",");
		add_object(&own->text, m, s->object, &fits);
	}
	add(&own->text, "} ");
	if (!fits) {
		own->text.n = at;
		own->left_out++;
		return;
	}
	own->line[own->lines++] = (struct pm_openmetrics_line){ .at = at,
								.length = own->text.n - at,
								.series = number };
	own->family[own->families - 1].count++;
}

/* Make the lines of a source anew. Returns 0, or -1 when memory is short. */
static int make_lines(const struct pm_openmetrics *o, struct pm_openmetrics_source *own,
		      const struct pm_sink *sink)
{
	const struct pm_series *before = NULL;
	bool written = false;
	size_t n, *list = list_series(sink, &n);

	own->families = own->lines = own->left_out = 0;
	own->text.n = 0;
	own->text.failed = list == NULL;
	for (size_t i = 0; list && i < n; i++) {
		const struct pm_series *s = &sink->series[list[i]];
		const struct pm_metric *m = &sink->source->metrics[s->metric];

		/* Names of programs are users' to choose, so a program may be named like the rest
		 * of them: one line, since two would make the collector refuse both. */
		if (before && before->metric == s->metric &&
		    strcmp(before->object, s->object) == 0) {
			own->left_out += written;
			continue;
		}
		if (!before || before->metric != s->metric || is_whole(m, before))
			written = add_family(o, own, sink->source, m, is_whole(m, s));
		if (written)
			add_line(o, own, sink->source, s, list[i]);
		before = s;
	}
	free(list);
	own->sink = own->text.failed ? NULL : sink;
	own->changes = sink->changes;
	return own->text.failed ? -1 : 0;
}

/* --- the text --------------------------------------------------------------------------------- */

/* Put a number, divided by 10 to the power `decimals`, exactly. */
static void put_number(struct pm_buf *b, int64_t value, unsigned decimals)
{
	uint64_t n = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, power = 1, rest;

	for (unsigned i = 0; i < decimals; i++)
		power *= 10;
	if (value < 0)
		pm_buf_ch(b, '-');
	pm_buf_u64(b, n / power);
	rest = n % power;
	if (rest)
		pm_buf_ch(b, '.');
	while (rest) {
		power /= 10;
		pm_buf_ch(b, (char)('0' + rest / power));
		rest %= power;
	}
}

/* Put the families of a source as far as they are known and there is room. *count: series in the
 * text so far; *left: those that had no room. */
static void put_source(const struct pm_openmetrics_source *own, struct pm_buf *b, size_t *count,
		       uint64_t *left)
{
	const char *text = (const char *)own->text.p;

	for (size_t i = 0; i < own->families; i++) {
		const struct pm_openmetrics_family *f = &own->family[i];
		size_t heading = f->length;

		for (size_t k = f->first; k < f->first + f->count; k++) {
			const struct pm_openmetrics_line *line = &own->line[k];
			const struct pm_series *s = &own->sink->series[line->series];

			if (!s->known)
				continue;
			if (*count == PM_OPENMETRICS_SERIES_MAX ||
			    b->cap - b->len < heading + line->length + VALUE_MAX) {
				++*left;
				continue;
			}
			pm_buf_mem(b, text + f->at, heading);
			heading = 0;
			pm_buf_mem(b, text + line->at, line->length);
			put_number(b, s->value, f->decimals);
			pm_buf_ch(b, '\n');
			++*count;
		}
	}
}

/* Put a series that is in every text, with its heading. */
static void put_own(const struct pm_openmetrics *o, struct pm_buf *b, const char *name,
		    const char *unit, const char *help, const struct pm_bytes *labels,
		    int64_t value, unsigned decimals)
{
	struct pm_bytes text = { 0 };

	add_heading(&text, o->strict, name, strlen(name), false, unit, help);
	add(&text, name);
	add(&text, "{");
	pm_bytes_add(&text, labels->p, labels->n);
	add(&text, "} ");
	pm_buf_mem(b, (const char *)text.p, text.n);
	put_number(b, value, decimals);
	pm_buf_ch(b, '\n');
	b->truncated = b->truncated || text.failed;
	pm_bytes_free(&text);
}

size_t pm_openmetrics_write(struct pm_openmetrics *o, struct pm_moment at,
			    const struct pm_sink *const sinks[PM_SOURCES], char *text,
			    size_t capacity)
{
	/* The last lines: name, unit and help are shorter than this. */
	const size_t last = o->labels.n + 512;
	uint64_t left = 0;
	size_t count = 0;
	struct pm_buf b;

	if (capacity < last)
		return 0;
	pm_buf_init(&b, text, capacity - last);
	put_own(o, &b, "perfmon_sample_timestamp_seconds", "seconds",
		"time of the sample, since 1970 UTC", &o->labels, at.real_us, 6);
	if (o->job)
		put_own(o, &b, "perfmon_job_info", "", "always 1: the job that is sampled",
			&o->info, 1, 0);
	for (size_t id = 0; id < PM_SOURCES; id++) {
		struct pm_openmetrics_source *own = &o->source[id];

		if (!sinks[id] || !is_written(o->job, id))
			continue;
		if ((own->sink != sinks[id] || own->changes != sinks[id]->changes) &&
		    make_lines(o, own, sinks[id]) < 0)
			return 0;
		left += own->left_out;
		put_source(own, &b, &count, &left);
	}
	b.cap = capacity;
	put_own(o, &b, "perfmon_series_left_out", "", "series for which there was no room",
		&o->labels, (int64_t)left, 0);
	pm_buf_str(&b, "# EOF\n");
	return b.truncated ? 0 : b.len;
}

int pm_openmetrics_init(struct pm_openmetrics *o, const struct pm_openmetrics_labels *labels,
			bool job, bool strict, struct pm_err *e)
{
	memset(o, 0, sizeof *o);
	o->job = job;
	o->strict = strict;
	add_more(&o->labels, "host", labels->host);
	if (job) {
		add_more(&o->labels, "jobid", labels->jobid);
		add_more(&o->labels, "user", labels->user);
	}
	pm_bytes_add(&o->info, o->labels.p, o->labels.n);
	add_more(&o->info, "account", labels->account);
	add_more(&o->info, "partition", labels->partition);
	return o->labels.failed || o->info.failed ? pm_err(e, "out of memory") : 0;
}

void pm_openmetrics_free(struct pm_openmetrics *o)
{
	for (size_t id = 0; id < PM_SOURCES; id++) {
		free(o->source[id].family);
		free(o->source[id].line);
		pm_bytes_free(&o->source[id].text);
	}
	pm_bytes_free(&o->labels);
	pm_bytes_free(&o->info);
	memset(o, 0, sizeof *o);
}
