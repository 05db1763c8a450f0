/* Reading the series file. */
#include "config.h"

#include "submit/series.h"

#include "common/grow.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC  "perfmon-series-1"
#define FIELDS 8

void pm_series_init(struct pm_series *s)
{
	memset(s, 0, sizeof *s);
	pm_store_init(&s->store);
}

void pm_series_free(struct pm_series *s)
{
	for (size_t i = 0; i < s->count; i++)
		for (int k = 0; k < 5; k++)
			free(s->info[i].text[k]);
	free(s->info);
	free(s->tick);
	pm_index_free(&s->by_text);
	pm_store_free(&s->store);
	pm_series_init(s);
}

void pm_series_file_init(struct pm_series_file *f, struct pm_series *all, struct pm_images *images)
{
	memset(f, 0, sizeof *f);
	f->all = all;
	f->images = images;
	f->host = PM_NONE;
}

void pm_series_file_free(struct pm_series_file *f)
{
	pm_set_free(&f->ids);
}

static int is(struct pm_str s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

static int reject(const char **why, const char *text)
{
	*why = text;
	return 1;
}

/* Hash under which a series id is kept. Ids are small numbers of the file's own choice. */
static uint64_t id_hash(int64_t id)
{
	return pm_set_mix(1, (uint64_t)id);
}

static int header(struct pm_series_file *f, struct pm_str *field, size_t n, const char **why,
		  struct pm_err *e)
{
	int64_t interval;

	if (n > 2 && pm_tsv_is_null(field[2].p, field[2].n))
		field[2].n = 0; /* not known, as in a recorded tree */
	if (n != 5 || !pm_tsv_valid(field[1].p, field[1].n) ||
	    !pm_tsv_valid(field[2].p, field[2].n) ||
	    pm_tsv_number(field[3].p, field[3].n, &interval) < 0 || interval < 0)
		return reject(why, "not a header of a series file");
	f->host = pm_images_host(f->images, field[2], field[1]);
	if (f->host == PM_NONE)
		return pm_err(e, "out of memory, or too many hosts");
	pm_set_free(&f->ids);
	return 0;
}

static uint64_t series_hash(uint32_t host, const struct pm_str *text)
{
	uint64_t hash = host;

	for (int k = 0; k < 5; k++)
		hash = pm_set_mix(pm_set_mix_bytes(hash, text[k].p, text[k].n), text[k].n);
	return hash;
}

/* Find or add the series; a sampler that restarted declares the same ones again. */
static uint32_t find_series(struct pm_series_file *f, const struct pm_str *text)
{
	struct pm_series *s = f->all;
	uint64_t hash = series_hash(f->host, text);
	struct pm_series_info *info;
	size_t at = 0;
	uint32_t i;

	while ((i = pm_index_next(&s->by_text, hash, &at)) != PM_NONE) {
		int k = 0;

		info = &s->info[i];
		while (k < 5 && is(text[k], info->text[k]))
			k++;
		if (k == 5 && info->host == f->host)
			return i;
	}
	if (!PM_GROW(s->info, s->count, s->cap, 16))
		return PM_NONE;
	info = &s->info[s->count];
	info->host = f->host;
	info->last_us = PM_NO_TIME;
	for (int k = 0; k < 5; k++)
		info->text[k] = strndup(text[k].p, text[k].n);
	if (!info->text[0] || !info->text[1] || !info->text[2] || !info->text[3] ||
	    !info->text[4] || pm_index_add(&s->by_text, hash, (uint32_t)s->count) < 0) {
		for (int k = 0; k < 5; k++)
			free(info->text[k]);
		return PM_NONE;
	}
	info->role = pm_node_role(info->text[0], info->text[1], info->text[2], info->text[4]);
	return (uint32_t)s->count++;
}

static int is_kind(struct pm_str s)
{
	static const char *const kinds[] = { "gauge", "counter", "min", "max", "sum", "count" };

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (is(s, kinds[i]))
			return 1;
	return 0;
}

static int declare(struct pm_series_file *f, const struct pm_str *field, size_t n, const char **why,
		   struct pm_err *e)
{
	int64_t id;
	uint32_t series;
	size_t at = 0;

	if (f->host == PM_NONE)
		return reject(why, "a series before the header");
	if (n != 8)
		return reject(why, "series: wrong number of fields");
	if (pm_tsv_number(field[1].p, field[1].n, &id) < 0 || id < 0)
		return reject(why, "series: id is not a number");
	for (size_t i = 2; i < 7; i++)
		if (!pm_tsv_valid(field[i].p, field[i].n))
			return reject(why, "series: bad escape or byte");
	if (!is_kind(field[6]))
		return reject(why, "series: no such kind");
	if (pm_set_next(&f->ids, id_hash(id), &at) != PM_NONE)
		return reject(why, "duplicate: this series id was declared before");
	series = find_series(f, field + 2);
	if (series == PM_NONE || pm_set_add(&f->ids, id_hash(id), series) < 0)
		return pm_err(e, "out of memory");
	return 0;
}

/* One "id=value" of a tick. Returns its series, or PM_NONE with *why set. */
static uint32_t pair(struct pm_series_file *f, struct pm_str item, struct pm_sample *x,
		     struct pm_str *reason, const char **why)
{
	const char *equals = memchr(item.p, '=', item.n);
	struct pm_str value;
	int64_t id;
	size_t at = 0;

	*why = "tick: not id=value";
	if (!equals || pm_tsv_number(item.p, (size_t)(equals - item.p), &id) < 0)
		return PM_NONE;
	value.p = equals + 1;
	value.n = item.n - (size_t)(value.p - item.p);
	memset(x, 0, sizeof *x);
	reason->p = "";
	reason->n = 0;
	if (value.n >= 2 && memcmp(value.p, PM_TSV_NULL, 2) == 0) {
		if (value.n > 2 && value.p[2] != ':')
			return PM_NONE;
		if (value.n > 3) {
			reason->p = value.p + 3;
			reason->n = value.n - 3;
		}
		if (!pm_tsv_valid(reason->p, reason->n))
			return PM_NONE;
	} else {
		*why = "tick: value is not a number";
		if (pm_tsv_number(value.p, value.n, &x->value) < 0)
			return PM_NONE;
		x->known = 1;
	}
	*why = "tick: a series that was not declared";
	x->series = pm_set_next(&f->ids, id_hash(id), &at);
	return x->series;
}

/* Begin the samples of a tick. */
static int add_tick(struct pm_series *s, uint32_t host, int64_t monotonic_us, struct pm_err *e)
{
	if (!PM_GROW(s->tick, s->ticks, s->ticks_cap, 64))
		return pm_err(e, "out of memory");
	s->tick[s->ticks++] = (struct pm_series_tick){ .monotonic_us = monotonic_us, .host = host };
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct pm_series_tick *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->monotonic_us != y->monotonic_us)
		return x->monotonic_us < y->monotonic_us ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

void pm_series_sort(struct pm_series *s)
{
	if (s->ticks)
		qsort(s->tick, s->ticks, sizeof s->tick[0], by_time);
}

/* Keep a sample of the latest tick. */
static int keep(struct pm_series *s, const struct pm_sample *x, struct pm_str reason,
		struct pm_err *e)
{
	struct pm_series_tick *t = &s->tick[s->ticks - 1];
	char small[sizeof *x + 256];
	uint64_t at;

	/* Reasons are single words; a longer one is cut. */
	if (reason.n > 256)
		reason.n = 256;
	memcpy(small, x, sizeof *x);
	memcpy(small + sizeof *x, reason.p, reason.n);
	at = pm_store_put(&s->store, small, sizeof *x + reason.n, e);
	if (at == 0)
		return -1;
	if (t->samples++ == 0)
		t->at = at;
	s->samples++;
	return 0;
}

static int tick(struct pm_series_file *f, const struct pm_str *field, size_t n, const char **why,
		struct pm_err *e)
{
	struct pm_str list, item, reason;
	struct pm_sample x;
	int64_t time_us, monotonic_us;

	if (f->host == PM_NONE)
		return reject(why, "a tick before the header");
	if (n != 5)
		return reject(why, "tick: wrong number of fields");
	if (pm_tsv_number(field[1].p, field[1].n, &time_us) < 0 || time_us <= 0 ||
	    pm_tsv_number(field[2].p, field[2].n, &monotonic_us) < 0)
		return reject(why, "tick: time is not a number");
	/* All of it is looked at before any of it is kept. */
	for (list = field[3]; pm_tsv_next_item(&list, &item);) {
		if (pair(f, item, &x, &reason, why) == PM_NONE)
			return 1;
		if (f->all->info[x.series].last_us == time_us)
			return reject(why, "duplicate: a sample of this time was there before");
	}
	if (add_tick(f->all, f->host, monotonic_us, e) < 0)
		return -1;
	for (list = field[3]; pm_tsv_next_item(&list, &item);) {
		pair(f, item, &x, &reason, why);
		if (f->all->info[x.series].last_us == time_us)
			continue;
		f->all->info[x.series].last_us = time_us;
		x.time_us = time_us;
		if (f->all->first_us == 0 || time_us < f->all->first_us)
			f->all->first_us = time_us;
		if (keep(f->all, &x, reason, e) < 0)
			return -1;
	}
	return 0;
}

/* From here on a tick stands for so many readings. The samples say so themselves. */
static int thinned(const struct pm_series_file *f, const struct pm_str *field, size_t n,
		   const char **why)
{
	int64_t readings;

	if (f->host == PM_NONE || n != 4 || !pm_tsv_valid(field[1].p, field[1].n) ||
	    pm_tsv_number(field[2].p, field[2].n, &readings) < 0 || readings < 1)
		return reject(why, "not how a source is thinned");
	return 0;
}

int pm_series_line(struct pm_series_file *f, const char *line, size_t n, const char **why,
		   struct pm_err *e)
{
	struct pm_str field[FIELDS];
	size_t count;

	if (memchr(line, '\0', n))
		return reject(why, "a NUL byte");
	count = pm_tsv_split(line, n, field, FIELDS);
	if (count < 2 || count > FIELDS || field[count - 1].n != 1 ||
	    field[count - 1].p[0] != PM_TSV_END)
		return reject(why, "cut or too long: its terminator is missing");
	if (is(field[0], MAGIC))
		return header(f, field, count, why, e);
	if (is(field[0], "series"))
		return declare(f, field, count, why, e);
	if (is(field[0], "tick"))
		return tick(f, field, count, why, e);
	if (is(field[0], "thinned"))
		return thinned(f, field, count, why);
	return reject(why, "neither header, series, thinned nor tick");
}
