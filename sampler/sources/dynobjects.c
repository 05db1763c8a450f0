/* Objects that come and go. */
#include "config.h"

#include "sampler/sources/dynobjects.h"

#include "common/grow.h"

#include <stdlib.h>
#include <string.h>

#define WRAP32 (INT64_C(1) << 32)

void pm_dynobjects_init(struct pm_dynobjects *o, const struct pm_dynobjects_column *column,
			size_t columns, size_t limit)
{
	memset(o, 0, sizeof *o);
	o->column = column;
	o->columns = columns;
	o->limit = limit;
}

void pm_dynobjects_free(struct pm_dynobjects *o)
{
	for (size_t i = 0; i < o->count; i++)
		free(o->object[i].name);
	free(o->object);
	memset(o, 0, sizeof *o);
}

void pm_dynobjects_begin(struct pm_dynobjects *o)
{
	o->next = 0;
	for (size_t i = 0; i < o->count; i++) {
		struct pm_object *object = &o->object[i];

		object->present = false;
		for (size_t c = 0; c < o->columns; c++) {
			object->value[c].known = false;
			object->value[c].reason = PM_REASON_absent;
		}
	}
}

static struct pm_object *add_object(struct pm_dynobjects *o, const char *name, size_t n)
{
	struct pm_object *object;

	if (!PM_GROW(o->object, o->count, o->capacity, 8))
		return NULL;
	object = &o->object[o->count];
	memset(object, 0, sizeof *object);
	object->name = strndup(name, n);
	if (!object->name)
		return NULL;
	o->count++;
	return object;
}

struct pm_object *pm_dynobjects_get(struct pm_dynobjects *o, const char *name, size_t n,
				    bool *fresh)
{
	struct pm_object *object = NULL;

	/* Files list objects in the same order at each sample, so begin after the latest one. */
	for (size_t i = 0; i < o->count && !object; i++) {
		size_t at = (o->next + i) % o->count;

		if (strncmp(o->object[at].name, name, n) == 0 && o->object[at].name[n] == '\0') {
			object = &o->object[at];
			o->next = at + 1;
		}
	}
	*fresh = !object;
	if (!object)
		object = add_object(o, name, n);
	if (object)
		object->present = true;
	return object;
}

static bool is_counter(const struct pm_sink *sink, size_t column)
{
	return sink->source->metrics[column].kind == PM_METRIC_COUNTER;
}

/* The present value in the series' unit. */
static int64_t scaled_value(const struct pm_dynobjects *o, const struct pm_object *object, size_t c)
{
	return (object->value[c].raw + object->value[c].wrap) * o->column[c].scale;
}

/* Move the count of an object's column into the sum, and let the column begin anew. */
static void retire_value(struct pm_dynobjects *o, struct pm_object *object, size_t c)
{
	if (object->part == PM_DYNOBJECTS_COUNTED && object->value[c].held) {
		/* A sum that overflows is unknown from then on. */
		if (__builtin_add_overflow(o->gone[c], scaled_value(o, object, c), &o->gone[c]))
			o->gone[c] = INT64_MAX;
	}
	object->value[c].held = false;
	object->value[c].raw = object->value[c].wrap = 0;
}

/* Give an object its series if it has none yet. */
static void show_object(struct pm_dynobjects *o, struct pm_sink *sink, struct pm_object *object)
{
	if (object->shown || object->part == PM_DYNOBJECTS_IGNORED || o->shown == o->limit)
		return;
	for (size_t c = 0; c < o->columns; c++)
		object->value[c].series = pm_sink_series(sink, c, object->name);
	object->shown = true;
	o->shown++;
}

/* Note that the sums have an object. */
static void count_object(struct pm_dynobjects *o, const struct pm_object *object)
{
	if (object->part == PM_DYNOBJECTS_COUNTED)
		o->counted = true;
}

void pm_dynobjects_value(struct pm_dynobjects *o, struct pm_sink *sink, struct pm_object *object,
			 size_t column, int64_t value)
{
	const struct pm_dynobjects_column *k = &o->column[column];

	/* Leave room for the sum of wraps. */
	if (value > INT64_MAX / 2 / k->scale) {
		pm_dynobjects_unknown(o, sink, object, column, PM_REASON_parse);
		return;
	}
	show_object(o, sink, object);
	count_object(o, object);
	if (is_counter(sink, column) && object->value[column].held &&
	    value < object->value[column].raw) {
		if (k->bits == 32 && object->value[column].raw - value > WRAP32 / 2)
			object->value[column].wrap += WRAP32;
		else
			retire_value(o, object, column);
	}
	object->value[column].known = object->value[column].held = true;
	object->value[column].raw = value;
	if (object->shown)
		pm_sink_value(sink, object->value[column].series, scaled_value(o, object, column));
}

void pm_dynobjects_unknown(struct pm_dynobjects *o, struct pm_sink *sink, struct pm_object *object,
			   size_t column, enum pm_reason reason)
{
	show_object(o, sink, object);
	count_object(o, object);
	object->value[column].known = false;
	object->value[column].reason = reason;
	if (object->shown)
		pm_sink_unknown(sink, object->value[column].series, reason);
}

void pm_dynobjects_end(struct pm_dynobjects *o, struct pm_sink *sink)
{
	size_t kept = 0;

	for (size_t i = 0; i < o->count; i++) {
		struct pm_object *object = &o->object[i];

		if (object->present) {
			o->object[kept++] = *object;
			continue;
		}
		for (size_t c = 0; c < o->columns; c++) {
			if (is_counter(sink, c))
				retire_value(o, object, c);
			if (object->shown)
				pm_sink_forget(sink, object->value[c].series);
		}
		o->shown -= object->shown;
		free(object->name);
	}
	o->count = kept;
}

void pm_dynobjects_sum(const struct pm_dynobjects *o, struct pm_sink *sink)
{
	for (size_t c = 0; o->counted && c < o->columns; c++) {
		int64_t sum = is_counter(sink, c) ? o->gone[c] : 0;
		const struct pm_object *unknown = NULL;
		bool overflow = sum == INT64_MAX;

		for (size_t i = 0; i < o->count; i++) {
			const struct pm_object *object = &o->object[i];

			if (object->part != PM_DYNOBJECTS_COUNTED || !object->present)
				continue;
			if (!object->value[c].known)
				unknown = object;
			else
				overflow |= __builtin_add_overflow(sum, scaled_value(o, object, c),
								   &sum);
		}
		if (overflow)
			pm_sink_unknown(sink, (int)c, PM_REASON_parse);
		else if (unknown)
			pm_sink_unknown(sink, (int)c, unknown->value[c].reason);
		else
			pm_sink_value(sink, (int)c, sum);
	}
}
