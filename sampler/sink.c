/* The values of one source at one tick. */
#include "config.h"

#include "sampler/source.h"

#include "common/grow.h"

#include <stdlib.h>
#include <string.h>

int pm_sink_init(struct pm_sink *sink, const struct pm_source *source)
{
	sink->source = source;
	sink->series = NULL;
	sink->count = sink->capacity = sink->leaving = sink->free = 0;
	for (size_t i = 0; i < source->metrics_count; i++) {
		const struct pm_metric *m = &source->metrics[i];

		if (m->object && !m->whole)
			continue;
		if (pm_sink_series(sink, i, "") < 0) {
			pm_sink_free(sink);
			return -1;
		}
	}
	return 0;
}

void pm_sink_free(struct pm_sink *sink)
{
	for (size_t i = 0; i < sink->count; i++)
		free(sink->series[i].object);
	free(sink->series);
	sink->series = NULL;
	sink->count = sink->capacity = sink->leaving = sink->free = 0;
	sink->changes++;
}

void pm_sink_clear(struct pm_sink *sink, enum pm_reason reason)
{
	for (size_t i = 0; i < sink->count; i++) {
		sink->series[i].known = false;
		sink->series[i].reason = reason;
	}
}

/* A place for a new series: a free place, or one after the last. Returns SIZE_MAX when memory is
 * short. */
static size_t find_place(struct pm_sink *sink)
{
	for (size_t i = 0; sink->free && i < sink->count; i++)
		if (sink->series[i].free) {
			sink->free--;
			return i;
		}
	if (!PM_GROW(sink->series, sink->count, sink->capacity, 16))
		return SIZE_MAX;
	return sink->count++;
}

int pm_sink_series(struct pm_sink *sink, size_t metric, const char *object)
{
	char *copy = strdup(object);
	struct pm_series *s;
	size_t at;

	if (!copy)
		return -1;
	at = find_place(sink);
	if (at == SIZE_MAX) {
		free(copy);
		return -1;
	}
	s = &sink->series[at];
	memset(s, 0, sizeof *s);
	s->metric = metric;
	s->reason = PM_REASON_absent;
	s->object = copy;
	sink->changes++;
	return (int)at;
}

void pm_sink_forget(struct pm_sink *sink, int series)
{
	if (series < 0 || sink->series[series].leaving)
		return;
	pm_sink_unknown(sink, series, PM_REASON_absent);
	sink->series[series].leaving = true;
	sink->leaving++;
}

void pm_sink_passed(struct pm_sink *sink)
{
	for (size_t i = 0; sink->leaving && i < sink->count; i++) {
		struct pm_series *s = &sink->series[i];

		if (!s->leaving)
			continue;
		free(s->object);
		s->object = NULL;
		s->leaving = false;
		s->free = true;
		sink->leaving--;
		sink->free++;
		sink->changes++;
	}
}

void pm_sink_value(struct pm_sink *sink, int series, int64_t value)
{
	if (series < 0)
		return;
	sink->series[series].value = value;
	sink->series[series].known = true;
}

void pm_sink_unknown(struct pm_sink *sink, int series, enum pm_reason reason)
{
	if (series < 0)
		return;
	sink->series[series].known = false;
	sink->series[series].reason = reason;
}

void pm_sink_describe(const struct pm_sink *sink, const char *object, FILE *out)
{
	for (int reason = 0; reason < PM_REASON_COUNT; reason++) {
		bool begun = false;

		for (size_t i = 0; i < sink->count; i++) {
			const struct pm_series *s = &sink->series[i];

			if (s->free || s->known || (int)s->reason != reason ||
			    strcmp(s->object, object) != 0)
				continue;
			if (!begun)
				fprintf(out, "  %s:", pm_reason_name(s->reason));
			begun = true;
			fprintf(out, " %s", sink->source->metrics[s->metric].name);
		}
		if (begun)
			fputc('\n', out);
	}
}
