/* The devices of a source. */
#include "config.h"

#include "sampler/devices/deviceset.h"

#include "common/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Open a file where it is not open. */
static void look_at(struct pm_devicefile *f, const char *root, const char *relative)
{
	/* The number in the path may be another's by now. */
	if (f->path && strcmp(f->path + strlen(root) + 1, relative) != 0)
		pm_devicefile_close(f);
	if (!f->path)
		pm_devicefile_open(f, root, relative);
	else
		pm_devicefile_look(f);
}

static void close_files(struct pm_devicevalue *v)
{
	pm_devicefile_close(&v->file);
	for (size_t i = 0; i < v->plus_count; i++)
		pm_devicefile_close(&v->plus[i]);
	free(v->plus);
	v->plus = NULL;
	v->plus_count = 0;
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
	look_at(&v->file, s->root, relative);
	v->seen = true;
	return v;
}

void pm_deviceset_plus(const struct pm_deviceset *s, struct pm_devicevalue *v, size_t i,
		       const char *relative)
{
	if (i == v->plus_count) {
		struct pm_devicefile *more = realloc(v->plus, (i + 1) * sizeof *more);

		if (!more) {
			close_files(v);
			return;
		}
		v->plus = more;
		v->plus[v->plus_count++] = (struct pm_devicefile){ .fd = -1 };
	}
	look_at(&v->plus[i], s->root, relative);
}

bool pm_deviceset_has(const struct pm_deviceset *s, const char *relative)
{
	char path[512];

	return snprintf(path, sizeof path, "%s/%s", s->root, relative) < (int)sizeof path &&
	       access(path, F_OK) == 0;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int pm_deviceset_list(const struct pm_deviceset *s, const char *relative, struct dirent ***list)
{
	char path[512];

	*list = NULL;
	snprintf(path, sizeof path, "%s/%s", s->root, relative);
	return scandir(path, list, is_visible, versionsort);
}

size_t pm_deviceset_end(struct pm_deviceset *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++) {
		n += s->device[i].seen;
		for (size_t k = 0; k < s->device[i].count; k++)
			if (!s->device[i].value[k].seen)
				close_files(&s->device[i].value[k]);
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

/* Put the sum over the values of a metric into a series; without any value it is left alone. */
static void put_sum(const struct pm_deviceset *s, size_t metric, int whole)
{
	int64_t sum = 0;
	bool any = false;

	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->device[i].count; k++) {
			const struct pm_devicevalue *v = &s->device[i].value[k];
			const struct pm_series *one = &s->sink->series[v->series];

			if (v->metric != metric || v->series < 0 || s->device[i].apart)
				continue;
			any = true;
			if (!one->known) {
				pm_sink_unknown(s->sink, whole, one->reason);
				return;
			}
			if (__builtin_add_overflow(sum, one->value, &sum)) {
				pm_sink_unknown(s->sink, whole, PM_REASON_parse);
				return;
			}
		}
	if (any)
		pm_sink_value(s->sink, whole, sum);
}

static void put_sums(const struct pm_deviceset *s)
{
	for (size_t i = 0; i < s->sink->count && i < s->sink->source->metrics_count; i++) {
		const struct pm_series *whole = &s->sink->series[i];

		/* The series without an object come first (pm_sink_init()). */
		if (!whole->free && !whole->object[0] &&
		    s->sink->source->metrics[whole->metric].object)
			put_sum(s, whole->metric, (int)i);
	}
}

/* Read a file of a value. Returns 0, or -1 with errno set. */
static int read_number(const struct pm_devicevalue *v, struct pm_devicefile *f, int64_t *number)
{
	char text[PM_DEVICEFILE_MAX + 1];
	ssize_t n;

	if (!v->parse)
		return pm_devicefile_number(f, v->unit, number);
	n = pm_devicefile_text(f, text, sizeof text);
	return n < 0 ? -1 : v->parse(text, (size_t)n, number);
}

/* Read the number of a value. Returns 0, or -1 with errno set. */
static int read_value(struct pm_devicevalue *v, int64_t *number)
{
	int64_t more;

	if (read_number(v, &v->file, number) < 0)
		return -1;
	for (size_t i = 0; i < v->plus_count; i++) {
		if (read_number(v, &v->plus[i], &more) < 0)
			return -1;
		if (__builtin_add_overflow(*number, more, number)) {
			errno = EBADMSG;
			return -1;
		}
	}
	return 0;
}

void pm_deviceset_read(struct pm_deviceset *s, int64_t now_us)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->device[i].count; k++) {
			struct pm_devicevalue *v = &s->device[i].value[k];
			const bool lost = v->file.error != 0;
			int64_t number;

			if (read_value(v, &number) == 0)
				pm_deviceset_put(s, v, number, now_us);
			else
				pm_sink_unknown(s->sink, v->series, pm_reason_errno(errno));
			s->lost = s->lost || (!lost && v->file.error);
		}
	put_sums(s);
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
			close_files(&d->value[k]);
		free(d->value);
		free(d->about);
		free(d->name);
	}
	free(s->device);
	*s = (struct pm_deviceset){ .count = 0 };
}
