/* Down-sample series. */
#include "config.h"

#include "sampler/downsample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Series kept for a gauge, in the order of the kinds from PM_METRIC_MIN. */
enum { MIN, MAX, SUM, COUNT, PARTS };

_Static_assert(PM_METRIC_MIN + COUNT == PM_METRIC_COUNT, "a kind per part");

/* --- the extremes of a source ----------------------------------------------------------------- */

/* Make the sink of the extremes. Returns 0 or -1. */
static int make_extremes(struct pm_downsample *t)
{
	const struct pm_source *source = t->sink->source;
	struct pm_metric *metrics = calloc(source->metrics_count, PARTS * sizeof *metrics);

	if (!metrics)
		return -1;
	for (size_t i = 0; i < PARTS * source->metrics_count; i++) {
		metrics[i] = source->metrics[i / PARTS];
		metrics[i].kind = (enum pm_metric_kind)(PM_METRIC_MIN + i % PARTS);
		if (i % PARTS == COUNT)
			metrics[i].unit = "n";
	}
	t->source = *source;
	t->source.metrics = metrics;
	t->source.metrics_count = PARTS * source->metrics_count;
	t->extremes.source = &t->source;
	return 0;
}

/* Make the missing series for the extremes of gauges. Returns 0 or -1. */
static int make_series(struct pm_downsample *t)
{
	const size_t count = t->sink->count;

	if (!t->source.metrics && make_extremes(t) < 0)
		return -1;
	if (count > t->count) {
		int *more = realloc(t->series, PARTS * count * sizeof *more);

		if (!more)
			return -1;
		for (size_t i = PARTS * t->count; i < PARTS * count; i++)
			more[i] = -1;
		t->series = more;
		t->count = count;
	}
	for (size_t i = 0; i < count; i++) {
		const struct pm_series *s = &t->sink->series[i];

		if (s->free || t->series[PARTS * i] >= 0 ||
		    t->sink->source->metrics[s->metric].kind != PM_METRIC_GAUGE)
			continue;
		for (size_t k = 0; k < PARTS; k++)
			t->series[PARTS * i + k] =
				pm_sink_series(&t->extremes, PARTS * s->metric + k, s->object);
		if (t->series[PARTS * i + COUNT] < 0)
			return -1;
		pm_sink_value(&t->extremes, t->series[PARTS * i + COUNT], 0);
	}
	return 0;
}

/* Reset the extremes and counts. */
static void reset_extremes(struct pm_downsample *t)
{
	t->pending = 0;
	pm_sink_clear(&t->extremes, PM_REASON_absent);
	for (size_t i = 0; i < t->count; i++)
		pm_sink_value(&t->extremes, t->series[PARTS * i + COUNT], 0);
}

static void add_gauge(struct pm_sink *extremes, const int *series, const struct pm_series *s)
{
	struct pm_series *min = &extremes->series[series[MIN]];
	struct pm_series *max = &extremes->series[series[MAX]];
	struct pm_series *sum = &extremes->series[series[SUM]];
	struct pm_series *count = &extremes->series[series[COUNT]];
	int64_t total = sum->known ? sum->value : 0;

	if (!s->known) {
		/* Until there is a known reading, give the reason of the latest unknown one. */
		if (count->value == 0)
			min->reason = max->reason = sum->reason = s->reason;
		return;
	}
	if (!min->known || s->value < min->value)
		pm_sink_value(extremes, series[MIN], s->value);
	if (!max->known || s->value > max->value)
		pm_sink_value(extremes, series[MAX], s->value);
	if (__builtin_add_overflow(total, s->value, &total) || (count->value && !sum->known))
		pm_sink_unknown(extremes, series[SUM], PM_REASON_wrapped);
	else
		pm_sink_value(extremes, series[SUM], total);
	count->value++;
}

/* Add a reading to the extremes. Returns 0 or -1. */
static int add_reading(struct pm_downsample *t, struct pm_moment at)
{
	if (make_series(t) < 0)
		return -1;
	for (size_t i = 0; i < t->sink->count; i++)
		if (!t->sink->series[i].free && t->series[PARTS * i] >= 0)
			add_gauge(&t->extremes, &t->series[PARTS * i], &t->sink->series[i]);
	t->pending++;
	t->at = at;
	return 0;
}

/* --- ticks ------------------------------------------------------------------------------------ */

/* Finish a tick of a source that has been written: free leaving series, reset the extremes. */
static void finish_tick(struct pm_downsample *t)
{
	for (size_t i = 0; i < t->count && i < t->sink->count; i++) {
		if (!t->sink->series[i].leaving || t->series[PARTS * i] < 0)
			continue;
		for (size_t k = 0; k < PARTS; k++) {
			pm_sink_forget(&t->extremes, t->series[PARTS * i + k]);
			t->series[PARTS * i + k] = -1;
		}
	}
	pm_sink_passed(&t->extremes);
	pm_sink_passed(t->sink);
	reset_extremes(t);
	t->ticks++;
}

/* Write one tick with these sources. Returns 0, or -1 with errno set. */
static int write_ticks(struct pm_thinner *t, struct pm_moment at, struct pm_downsample *const *list,
		       size_t count)
{
	struct pm_sink *sinks[2 * PM_SOURCES];
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		sinks[n++] = list[i]->sink;
		if (list[i]->pending && list[i]->extremes.count)
			sinks[n++] = &list[i]->extremes;
	}
	if (count == 0)
		return 0;
	if (pm_writer_tick(t->writer, at, sinks, n) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct pm_downsample *one = list[i];

		one->sink->written += one->extremes.written;
		one->extremes.written = 0;
		finish_tick(one);
		if (!t->max || one->ticks < (one->every == 1 ? t->max : (t->max + 1) / 2))
			continue;
		/* If this line cannot be written, the times of later ticks show the new rate. */
		one->every *= 2;
		one->ticks = 0;
		pm_writer_thinned(t->writer, one->sink->source, one->every);
	}
	return 0;
}

static struct pm_downsample *find_downsample(struct pm_thinner *t, struct pm_sink *sink)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->thin[i].sink == sink)
			return &t->thin[i];
	if (t->count == PM_SOURCES)
		return NULL;
	t->thin[t->count] = (struct pm_downsample){ .sink = sink, .every = 1 };
	return &t->thin[t->count++];
}

int pm_thinner_tick(struct pm_thinner *t, struct pm_moment at, struct pm_sink *const *sinks,
		    size_t count)
{
	struct pm_downsample *due[PM_SOURCES] = { NULL };
	bool kept = false, at_once = false;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		struct pm_downsample *one = find_downsample(t, sinks[i]);

		if (!one) {
			errno = EOVERFLOW;
			return -1;
		}
		if (one->every > 1 && add_reading(one, at) < 0)
			return -1;
		if (one->pending < one->every && one->every > 1) {
			kept = true;
			continue;
		}
		at_once = at_once || one->every == 1;
		due[n++] = one;
	}
	if (write_ticks(t, at, due, n) == 0)
		return kept ? 1 : 0;
	/* Sums go on and are tried again later; only readings that are not summed are lost. */
	return at_once || errno == EPIPE ? -1 : 1;
}

int pm_thinner_flush(struct pm_thinner *t)
{
	int rc = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct pm_downsample *due[PM_SOURCES];
		const struct pm_moment at = t->thin[i].at;
		size_t n = 0;

		if (!t->thin[i].pending)
			continue;
		/* Sources last read at the same moment share a tick. */
		for (size_t k = i; k < t->count; k++)
			if (t->thin[k].pending && t->thin[k].at.monotonic_us == at.monotonic_us)
				due[n++] = &t->thin[k];
		if (write_ticks(t, at, due, n) < 0)
			rc = -1;
	}
	return rc;
}

void pm_thinner_close(struct pm_thinner *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct pm_downsample *one = &t->thin[i];

		pm_sink_free(&one->extremes);
		free((void *)(uintptr_t)one->source.metrics);
		free(one->series);
	}
	t->count = 0;
}
