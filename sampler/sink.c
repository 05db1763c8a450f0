/* The values of one source at one tick. */
#include "config.h"

#include "sampler/source.h"

#include <stdlib.h>
#include <string.h>

int pm_sink_init(struct pm_sink *sink, const struct pm_source *source)
{
	sink->source = source;
	sink->series = NULL;
	sink->count = sink->capacity = 0;
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
	sink->count = sink->capacity = 0;
}

void pm_sink_clear(struct pm_sink *sink, enum pm_reason reason)
{
	for (size_t i = 0; i < sink->count; i++) {
		sink->series[i].known = false;
		sink->series[i].reason = reason;
	}
}

int pm_sink_series(struct pm_sink *sink, size_t metric, const char *object)
{
	struct pm_series *s;

	if (sink->count == sink->capacity) {
		size_t capacity = sink->capacity ? 2 * sink->capacity : 16;

		s = realloc(sink->series, capacity * sizeof *s);
		if (!s)
			return -1;
		sink->series = s;
		sink->capacity = capacity;
	}
	s = &sink->series[sink->count];
	memset(s, 0, sizeof *s);
	s->metric = metric;
	s->reason = PM_REASON_absent;
	s->object = strdup(object);
	if (!s->object)
		return -1;
	return (int)sink->count++;
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
