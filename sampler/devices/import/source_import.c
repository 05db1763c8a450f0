/*
 * Source "import": values that a command prints or a file has: power of a node by IPMI, GPFS,
 * BeeGFS, files of node_exporter's textfile collector, figures of a site. The settings
 * power_command, import_command and import_file name them; without one the source is not there.
 */
#include "config.h"

#include "common/grow.h"
#include "common/log.h"
#include "common/now.h"
#include "common/settings/readconfig.h"
#include "sampler/devices/import/importparse.h"
#include "sampler/devices/import/importrun.h"
#include "sampler/kernel/counter.h"
#include "sampler/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Values at most, and refused lines that are told of. */
#define VALUES_MAX  1024
#define REFUSED_MAX 8

#define INPUTS 3

/* Its process would be taken for one that hangs after 30 s. */
#define LIMIT_MOST_US 20000000

/* Shortest period. */
#define PERIOD_LEAST_US 1000000

static const struct pm_metric metrics[] = {
#define METRIC(id, name, unit, kind, object, help)                                                 \
	[PM_IMPORT_##id] = { name, unit, help, object, false, PM_METRIC_##kind },
	PM_IMPORT_METRICS(METRIC)
};

static const struct {
	enum pm_setting setting;
	const char *name;
	bool command;
} settings[INPUTS] = {
	{ PM_SET_power_command, "power_command", true },
	{ PM_SET_import_command, "import_command", true },
	{ PM_SET_import_file, "import_file", false },
};

struct value {
	char *name;
	enum pm_importmetric metric;
	int series;
	size_t input;
	uint64_t seen; /* number of the latest reading that had it */
	struct pm_counter counter;
};

struct state {
	/* Of the inputs that are configured: */
	struct pm_importrun run[INPUTS];
	const char *setting[INPUTS];
	bool power[INPUTS];
	int took[INPUTS], age[INPUTS]; /* series */
	size_t inputs;
	int64_t limit_us;
	struct value *value;
	size_t count, capacity, next;
	/* Of this reading: */
	struct pm_sink *sink;
	uint64_t reading;
	size_t current; /* input */
	int64_t now_us;
	char *refused[REFUSED_MAX]; /* what was, once each; owned */
	size_t refusals;
};

/* --- what a text has -------------------------------------------------------------------------- */

static void refuse(void *arg, const char *why, const char *what)
{
	struct state *s = arg;
	char *text;

	if (s->refusals == REFUSED_MAX || asprintf(&text, "%s: %s%s%.60s", s->setting[s->current],
						   why, *what ? ": " : "", what) < 0)
		return;
	for (size_t i = 0; i < s->refusals; i++)
		if (strcmp(s->refused[i], text) == 0) {
			free(text);
			return;
		}
	s->refused[s->refusals++] = text;
	pm_warn("%s%s", text, s->refusals == REFUSED_MAX ? "; no more of this is told" : "");
}

/* The value of this name, which is new where it is not known; NULL: there are too many, or this
 * reading has had it. */
static struct value *find_value(struct state *s, const char *name, enum pm_importmetric metric)
{
	struct value *v = NULL;

	/* They mostly come in the same order. */
	for (size_t i = 0; i < s->count && !v; i++) {
		struct value *one = &s->value[(s->next + i) % s->count];

		if (one->metric == metric && strcmp(one->name, name) == 0)
			v = one;
	}
	if (!v) {
		if (s->count == VALUES_MAX) {
			refuse(s, "more than 1024 values", "");
			return NULL;
		}
		if (!PM_GROW(s->value, s->count, s->capacity, 16))
			return NULL;
		v = &s->value[s->count];
		*v = (struct value){ .name = strdup(name), .metric = metric };
		if (!v->name)
			return NULL;
		v->series = pm_sink_series(s->sink, metric, name);
		s->count++;
	}
	s->next = (size_t)(v - s->value) + 1;
	if (v->seen == s->reading) {
		refuse(s, "a second value of the same name", name);
		return NULL;
	}
	v->seen = s->reading;
	v->input = s->current;
	return v;
}

static void take_value(void *arg, const char *name, enum pm_importmetric metric, int64_t number)
{
	static const struct pm_counter_rule rule; /* a fall is a reset */
	struct state *s = arg;
	struct value *v = find_value(s, name, metric);
	uint64_t count;

	if (!v)
		return;
	if (metrics[metric].kind != PM_METRIC_COUNTER)
		pm_sink_value(s->sink, v->series, number);
	else if (number < 0)
		pm_sink_unknown(s->sink, v->series, PM_REASON_parse);
	else if (!pm_counter_next(&v->counter, &rule, (uint64_t)number, s->now_us, &count) ||
		 count > INT64_MAX)
		pm_sink_unknown(s->sink, v->series, PM_REASON_wrapped);
	else
		pm_sink_value(s->sink, v->series, (int64_t)count);
}

static void take_unknown(void *arg, const char *name, enum pm_importmetric metric,
			 enum pm_reason reason)
{
	struct state *s = arg;
	struct value *v = find_value(s, name, metric);

	if (v)
		pm_sink_unknown(s->sink, v->series, reason);
}

/* --- the source ------------------------------------------------------------------------------- */

static void import_close(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < s->inputs; i++)
		pm_importrun_free(&s->run[i]);
	for (size_t i = 0; i < s->count; i++)
		free(s->value[i].name);
	for (size_t i = 0; i < s->refusals; i++)
		free(s->refused[i]);
	free(s->value);
	free(s);
}

/* Add the input of a setting. Returns 0, or -1 with why filled. */
static int add_input(struct state *s, size_t which, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	const char *what = pm_config_get(settings[which].setting);
	const size_t i = s->inputs;
	struct pm_err e;

	if (!*what)
		return 0;
	if (pm_importrun_init(&s->run[i], what, settings[which].command) < 0)
		return pm_source_unavailable(why, settings[which].name);
	s->inputs++;
	s->setting[i] = settings[which].name;
	s->power[i] = settings[which].setting == PM_SET_power_command;
	/* A file may be written later. */
	if (pm_importrun_check(&s->run[i], &e) < 0 && (s->run[i].command || errno != ENOENT)) {
		why->reason = pm_reason_errno(errno);
		return pm_err(&why->err, "%s: %s", settings[which].name, e.text);
	}
	s->took[i] = pm_sink_series(sink, PM_IMPORT_TOOK, settings[which].name);
	if (!s->run[i].command)
		s->age[i] = pm_sink_series(sink, PM_IMPORT_AGE, settings[which].name);
	return 0;
}

static int import_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		       struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);
	int result = 0;

	(void)target;
	if (!s)
		return pm_source_unavailable(why, "import");
	s->limit_us = pm_config_int(PM_SET_import_limit);
	if (s->limit_us > LIMIT_MOST_US)
		s->limit_us = LIMIT_MOST_US;
	for (size_t i = 0; i < INPUTS && result == 0; i++)
		result = add_input(s, i, sink, why);
	if (result == 0 && s->inputs == 0) {
		why->reason = PM_REASON_absent;
		result = pm_err(&why->err, "none of the settings power_command, import_command and "
					   "import_file");
	}
	if (result < 0)
		import_close(s);
	else
		*state = s;
	return result;
}

static void import_sample(void *state, struct pm_sink *sink)
{
	const struct pm_importtake take = { state, take_value, take_unknown, refuse };
	struct state *s = state;

	pm_importrun_all(s->run, s->inputs, s->limit_us);
	s->sink = sink;
	s->reading++;
	s->next = 0;
	s->now_us = pm_now_monotonic_us();
	for (size_t i = 0; i < s->inputs; i++) {
		const struct pm_importrun *r = &s->run[i];

		s->current = i;
		if (r->reason == PM_REASON_COUNT) {
			pm_sink_value(sink, s->took[i], r->took_us);
			pm_importparse_text(r->text, r->n, s->power[i], &take);
		} else {
			pm_sink_unknown(sink, s->took[i], r->reason);
		}
		if (!r->command && r->age_us >= 0)
			pm_sink_value(sink, s->age[i], r->age_us);
	}
	for (size_t i = 0; i < s->count; i++) {
		const struct value *v = &s->value[i];
		const enum pm_reason reason = s->run[v->input].reason;

		if (v->seen != s->reading && reason != PM_REASON_COUNT)
			pm_sink_unknown(sink, v->series, reason);
	}
}

static void import_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	const struct state *s = state;

	(void)sink;
	for (size_t i = 0; i < s->inputs; i++) {
		const struct pm_importrun *r = &s->run[i];

		fprintf(out, "%s: %s%s%s\n", s->setting[i], r->what,
			r->reason == PM_REASON_COUNT ? "" : ": ",
			r->reason == PM_REASON_COUNT ? "" : pm_reason_name(r->reason));
	}
	for (size_t i = 0; i < s->refusals; i++)
		fprintf(out, "  refused: %s\n", s->refused[i]);
}

/* How often it is read, where it is configured. */
static int64_t import_apart(void)
{
	const int64_t us = pm_config_int(PM_SET_import_period);

	for (size_t i = 0; i < INPUTS; i++)
		if (*pm_config_get(settings[i].setting))
			return us > PERIOD_LEAST_US ? us : PERIOD_LEAST_US;
	return 0;
}

const struct pm_source pm_source_import = {
	.name = "import",
	.help = "values of commands and files that settings name",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.period_us = 10000000,
	.apart_us = import_apart,
	.open = import_open,
	.sample = import_sample,
	.describe = import_describe,
	.close = import_close,
};
