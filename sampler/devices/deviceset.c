/* The devices of a source. */
#include "config.h"

#include "sampler/devices/deviceset.h"

#include "common/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Time between two looks, and where a device was lost. */
#define LOOK_US      60000000
#define LOOK_LOST_US 10000000

void pm_deviceset_init(struct pm_deviceset *s, const char *root, struct pm_sink *sink)
{
	*s = (struct pm_deviceset){ .root = root, .sink = sink };
}

/* --- looking ---------------------------------------------------------------------------------- */

bool pm_deviceset_is_due(const struct pm_deviceset *s, int64_t now_us)
{
	return now_us - s->looked_us >= (s->lost ? LOOK_LOST_US : LOOK_US);
}

void pm_deviceset_begin(struct pm_deviceset *s, int64_t now_us)
{
	s->looked_us = now_us;
	s->lost = false;
	s->left_out = 0;
	for (size_t i = 0; i < s->count; i++) {
		s->device[i].seen = false;
		for (size_t k = 0; k < s->device[i].count; k++)
			s->device[i].value[k].seen = false;
	}
}

struct pm_device *pm_deviceset_get(struct pm_deviceset *s, const char *name)
{
	struct pm_device *d = s->device;

	while (d < s->device + s->count && strcmp(d->name, name) != 0)
		d++;
	if (d == s->device + s->count) {
		if (s->count == PM_DEVICESET_MAX) {
			s->left_out++;
			return NULL;
		}
		if (!PM_GROW(s->device, s->count, s->capacity, 8))
			return NULL;
		d = &s->device[s->count];
		*d = (struct pm_device){ .name = strdup(name) };
		if (!d->name)
			return NULL;
		s->count++;
	}
	d->seen = true;
	return d;
}

void pm_deviceset_about(struct pm_device *d, const char *about)
{
	char *copy = strdup(about);

	if (!copy)
		return;
	free(d->about);
	d->about = copy;
}

struct pm_devicevalue *pm_deviceset_file(struct pm_deviceset *s, struct pm_device *d, size_t metric,
					 const char *relative)
{
	struct pm_devicevalue *v = d->value;

	while (v < d->value + d->count && v->metric != metric)
		v++;
	if (v == d->value + d->count) {
		if (!PM_GROW(d->value, d->count, d->capacity, 4))
			return NULL;
		v = &d->value[d->count++];
		*v = (struct pm_devicevalue){ .metric = metric, .unit = "", .scale = 1 };
		v->series = pm_sink_series(s->sink, metric, d->name);
	}
	/* The number in the path may be another's by now. */
	if (v->file.path && strcmp(v->file.path + strlen(s->root) + 1, relative) != 0)
		pm_devicefile_close(&v->file);
	if (!v->file.path)
		pm_devicefile_open(&v->file, s->root, relative);
	else
		pm_devicefile_look(&v->file);
	v->seen = true;
	return v;
}

size_t pm_deviceset_end(struct pm_deviceset *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++) {
		n += s->device[i].seen;
		for (size_t k = 0; k < s->device[i].count; k++)
			if (!s->device[i].value[k].seen)
				pm_devicefile_close(&s->device[i].value[k].file);
	}
	return n;
}

/* --- reading ---------------------------------------------------------------------------------- */

void pm_deviceset_put(const struct pm_deviceset *s, struct pm_devicevalue *v, int64_t number,
		      int64_t now_us)
{
	const bool counts = s->sink->source->metrics[v->metric].kind == PM_METRIC_COUNTER;
	enum pm_reason reason = PM_REASON_parse;
	bool known = !counts || number >= 0;
	uint64_t count;

	if (known && counts) {
		known = pm_counter_next(&v->counter, &v->rule, (uint64_t)number, now_us, &count);
		if (!known)
			reason = PM_REASON_wrapped;
		else if (count > INT64_MAX)
			known = false;
		number = (int64_t)count;
	}
	if (known && !__builtin_mul_overflow(number, v->scale, &number))
		pm_sink_value(s->sink, v->series, number);
	else
		pm_sink_unknown(s->sink, v->series, reason);
}

void pm_deviceset_fail(const struct pm_deviceset *s, const struct pm_devicevalue *v, int error)
{
	pm_sink_unknown(s->sink, v->series, pm_reason_errno(error));
}

void pm_deviceset_read(struct pm_deviceset *s, int64_t now_us)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->device[i].count; k++) {
			struct pm_devicevalue *v = &s->device[i].value[k];
			const bool lost = v->file.error != 0;
			int64_t number;

			if (pm_devicefile_number(&v->file, v->unit, &number) == 0)
				pm_deviceset_put(s, v, number, now_us);
			else
				pm_deviceset_fail(s, v, errno);
			s->lost = s->lost || (!lost && v->file.error);
		}
}

void pm_deviceset_describe(const struct pm_deviceset *s, const struct pm_sink *sink, FILE *out)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct pm_device *d = &s->device[i];

		fprintf(out, "%s%s%s%s\n", d->name, d->about ? ": " : "", d->about ? d->about : "",
			d->seen    ? ""
			: d->about ? ", gone"
				   : ": gone");
		if (d->seen)
			pm_sink_describe(sink, d->name, out);
	}
	if (s->left_out)
		fprintf(out, "further devices, left out: %zu\n", s->left_out);
}

void pm_deviceset_free(struct pm_deviceset *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct pm_device *d = &s->device[i];

		for (size_t k = 0; k < d->count; k++)
			pm_devicefile_close(&d->value[k].file);
		free(d->value);
		free(d->about);
		free(d->name);
	}
	free(s->device);
	*s = (struct pm_deviceset){ .count = 0 };
}
