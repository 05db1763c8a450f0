/* Parser of series files. */
#include "config.h"

#include "submit/job/series.h"

#include "common/grow.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC  "perfmon-series-1"
#define FIELDS 8

void pm_series_init(struct pm_series *s)
{
	memset(s, 0, sizeof *s);
	pm_blobs_init(&s->store);
}

void pm_series_free(struct pm_series *s)
{
	for (size_t i = 0; i < s->count; i++)
		for (int k = 0; k < 5; k++)
			free(s->info[i].text[k]);
	free(s->info);
	free(s->tick);
	pm_hashindex_free(&s->by_text);
	pm_blobs_free(&s->store);
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
	pm_hashmap_free(&f->ids);
}

static int is_text(struct pm_str s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

static int reject_line(const char **why, const char *text)
{
	*why = text;
	return 1;
}

/* Hash of a series id. Ids are small numbers chosen per file. */
static uint64_t id_hash(int64_t id)
{
	return pm_hashmap_mix(1, (uint64_t)id);
}

static int parse_header(struct pm_series_file *f, struct pm_str *field, size_t n, const char **why,
			struct pm_err *e)
{
	int64_t interval;

	if (n > 2 && pm_tsv_is_null(field[2].p, field[2].n))
		field[2].n = 0; /* unknown, as in a recorded tree */
	if (n != 5 || !pm_tsv_valid(field[1].p, field[1].n) ||
	    !pm_tsv_valid(field[2].p, field[2].n) ||
	    pm_tsv_number(field[3].p, field[3].n, &interval) < 0 || interval < 0)
		return reject_line(why, "not a valid header of a series file");
	f->host = pm_images_host(f->images, field[2], field[1]);
	if (f->host == PM_NONE)
		return pm_err(e, "out of memory, or too many hosts");
	pm_hashmap_free(&f->ids);
	return 0;
}

static uint64_t series_hash(uint32_t host, const struct pm_str *text)
{
	uint64_t hash = host;

	for (int k = 0; k < 5; k++)
		hash = pm_hashmap_mix(pm_hashmap_mix_bytes(hash, text[k].p, text[k].n), text[k].n);
	return hash;
}

/* Find or add a series: a restarted sampler declares the same series again. */
static uint32_t find_series(struct pm_series_file *f, const struct pm_str *text)
{
	struct pm_series *s = f->all;
	uint64_t hash = series_hash(f->host, text);
	struct pm_series_info *info;
	size_t at = 0;
	uint32_t i;

	while ((i = pm_hashindex_next(&s->by_text, hash, &at)) != PM_NONE) {
		int k = 0;

		info = &s->info[i];
		while (k < 5 && is_text(text[k], info->text[k]))
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
	    !info->text[4] || pm_hashindex_add(&s->by_text, hash, (uint32_t)s->count) < 0) {
		for (int k = 0; k < 5; k++)
			free(info->text[k]);
		return PM_NONE;
	}
	info->role =
		pm_nodesummary_role(info->text[0], info->text[1], info->text[2], info->text[4]);
	return (uint32_t)s->count++;
}

static int is_kind(struct pm_str s)
{
	static const char *const kinds[] = { "gauge", "counter", "min", "max", "sum", "count" };

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (is_text(s, kinds[i]))
			return 1;
	return 0;
}

static int declare_series(struct pm_series_file *f, const struct pm_str *field, size_t n,
			  const char **why, struct pm_err *e)
{
	int64_t id;
	uint32_t series;
	size_t at = 0;

	if (f->host == PM_NONE)
		return reject_line(why, "a series before the header");
	if (n != 8)
		return reject_line(why, "series: wrong number of fields");
	if (pm_tsv_number(field[1].p, field[1].n, &id) < 0 || id < 0)
		return reject_line(why, "series: id is not a number");
	for (size_t i = 2; i < 7; i++)
		if (!pm_tsv_valid(field[i].p, field[i].n))
			return reject_line(why, "series: invalid escape or byte");
	if (!is_kind(field[6]))
		return reject_line(why, "series: unknown kind");
	if (pm_hashmap_next(&f->ids, id_hash(id), &at) != PM_NONE)
		return reject_line(why, "duplicate: this series id was declared before");
	series = find_series(f, field + 2);
	if (series == PM_NONE || pm_hashmap_add(&f->ids, id_hash(id), series) < 0)
		return pm_err(e, "out of memory");
	return 0;
}

/* Parse an "id=value" of a tick. Returns its series, or PM_NONE with *why set. */
static uint32_t parse_pair(struct pm_series_file *f, struct pm_str item, struct pm_sample *x,
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
	x->series = pm_hashmap_next(&f->ids, id_hash(id), &at);
	return x->series;
}

/* Begin a tick. Returns 0 or -1 with e filled. */
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

/* Store a sample of the latest tick. Returns 0 or -1 with e filled. */
static int keep_sample(struct pm_series *s, const struct pm_sample *x, struct pm_str reason,
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
	at = pm_blobs_put(&s->store, small, sizeof *x + reason.n, e);
	if (at == 0)
		return -1;
	if (t->samples++ == 0)
		t->at = at;
	s->samples++;
	return 0;
}

static int parse_tick(struct pm_series_file *f, const struct pm_str *field, size_t n,
		      const char **why, struct pm_err *e)
{
	struct pm_str list, item, reason;
	struct pm_sample x;
	int64_t time_us, monotonic_us;

	if (f->host == PM_NONE)
		return reject_line(why, "a tick before the header");
	if (n != 5)
		return reject_line(why, "tick: wrong number of fields");
	if (pm_tsv_number(field[1].p, field[1].n, &time_us) < 0 || time_us <= 0 ||
	    pm_tsv_number(field[2].p, field[2].n, &monotonic_us) < 0)
		return reject_line(why, "tick: time is not a number");
	/* Check the whole tick before storing any of it. */
	for (list = field[3]; pm_tsv_next_item(&list, &item);) {
		if (parse_pair(f, item, &x, &reason, why) == PM_NONE)
			return 1;
		if (f->all->info[x.series].last_us == time_us)
			return reject_line(why,
					   "duplicate: a sample of this time has been read before");
	}
	if (add_tick(f->all, f->host, monotonic_us, e) < 0)
		return -1;
	for (list = field[3]; pm_tsv_next_item(&list, &item);) {
		parse_pair(f, item, &x, &reason, why);
		if (f->all->info[x.series].last_us == time_us)
			continue;
		f->all->info[x.series].last_us = time_us;
		x.time_us = time_us;
		if (f->all->first_us == 0 || time_us < f->all->first_us)
			f->all->first_us = time_us;
		if (keep_sample(f->all, &x, reason, e) < 0)
			return -1;
	}
	return 0;
}

/* A "thinned" line tells how many readings each later tick combines. It is only checked: the kinds
 * of the series show the down-sampling. */
static int check_thinned(const struct pm_series_file *f, const struct pm_str *field, size_t n,
			 const char **why)
{
	int64_t readings;

	if (f->host == PM_NONE || n != 4 || !pm_tsv_valid(field[1].p, field[1].n) ||
	    pm_tsv_number(field[2].p, field[2].n, &readings) < 0 || readings < 1)
		return reject_line(why, "thinned: not a valid line");
	return 0;
}

int pm_series_line(struct pm_series_file *f, const char *line, size_t n, const char **why,
		   struct pm_err *e)
{
	struct pm_str field[FIELDS];
	size_t count;

	if (memchr(line, '\0', n))
		return reject_line(why, "a NUL byte");
	count = pm_tsv_split(line, n, field, FIELDS);
	if (count < 2 || count > FIELDS || field[count - 1].n != 1 ||
	    field[count - 1].p[0] != PM_TSV_END)
		return reject_line(why, "cut or too long: its terminator is missing");
	if (is_text(field[0], MAGIC))
		return parse_header(f, field, count, why, e);
	if (is_text(field[0], "series"))
		return declare_series(f, field, count, why, e);
	if (is_text(field[0], "tick"))
		return parse_tick(f, field, count, why, e);
	if (is_text(field[0], "thinned"))
		return check_thinned(f, field, count, why);
	return reject_line(why, "neither header, series, thinned nor tick");
}
