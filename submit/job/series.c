/* Parser of series files. */
#include "config.h"

#include "submit/job/series.h"

#include "common/grow.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC  "perfmon-series-1"
#define FIELDS 8

void pm_series_file_init(struct pm_series_file *f, struct pm_series *all, struct pm_images *images)
{
	memset(f, 0, sizeof *f);
	f->all = all;
	f->images = images;
	f->host = PM_NONE;
	f->before = all->samples;
	all->files++;
	pm_serieswindow_init(&f->window, all, PM_NONE);
}

void pm_series_file_free(struct pm_series_file *f)
{
	pm_hashmap_free(&f->ids);
	pm_serieswindow_free(&f->window);
	free(f->item);
	f->item = NULL;
	f->items_cap = 0;
}

int pm_series_file_end(struct pm_series_file *f, struct pm_err *e)
{
	return pm_serieswindow_close(&f->window, e);
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
	if (pm_serieswindow_close(&f->window, e) < 0)
		return -1;
	f->window.host = f->host;
	return 0;
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
	series = pm_series_find(f->all, f->host, field + 2);
	if (series == PM_NONE || pm_hashmap_add(&f->ids, id_hash(id), series) < 0)
		return pm_err(e, "out of memory");
	return 0;
}

/* Whether the file has a sample of a series at this time, the latest one. */
static bool has_sample(const struct pm_series_file *f, uint32_t series, int64_t time_us)
{
	const struct pm_series_info *info = &f->all->info[series];

	return info->file == f->all->files && info->last_us == time_us;
}

/* Parse an "id=value" of a tick. Returns NULL, or why it is rejected. */
static const char *parse_pair(const struct pm_series_file *f, struct pm_str text,
			      struct pm_series_item *x)
{
	const char *equals = memchr(text.p, '=', text.n);
	struct pm_str value;
	int64_t id;
	size_t at = 0;

	if (!equals || pm_tsv_number(text.p, (size_t)(equals - text.p), &id) < 0)
		return "tick: not id=value";
	value.p = equals + 1;
	value.n = text.n - (size_t)(value.p - text.p);
	*x = (struct pm_series_item){ .reason = { "", 0 } };
	if (value.n >= 2 && memcmp(value.p, PM_TSV_NULL, 2) == 0) {
		if (value.n > 2 && value.p[2] != ':')
			return "tick: not id=value";
		if (value.n > 3) {
			x->reason.p = value.p + 3;
			x->reason.n = value.n - 3;
		}
		if (!pm_tsv_valid(x->reason.p, x->reason.n))
			return "tick: not id=value";
	} else {
		if (pm_tsv_number(value.p, value.n, &x->value) < 0)
			return "tick: value is not a number";
		x->known = true;
	}
	x->series = pm_hashmap_next(&f->ids, id_hash(id), &at);
	return x->series == PM_NONE ? "tick: a series that was not declared" : NULL;
}

static int parse_tick(struct pm_series_file *f, const struct pm_str *field, size_t n,
		      const char **why, struct pm_err *e)
{
	struct pm_series *s = f->all;
	int64_t time_us, monotonic_us;
	struct pm_str list, text;
	size_t items = 0;

	if (f->host == PM_NONE)
		return reject_line(why, "a tick before the header");
	if (n != 5)
		return reject_line(why, "tick: wrong number of fields");
	if (pm_tsv_number(field[1].p, field[1].n, &time_us) < 0 || time_us <= 0 ||
	    pm_tsv_number(field[2].p, field[2].n, &monotonic_us) < 0)
		return reject_line(why, "tick: time is not a number");
	/* Check the whole tick before keeping any of it. */
	for (list = field[3]; pm_tsv_next_item(&list, &text); items++) {
		if (!PM_GROW(f->item, items, f->items_cap, 64))
			return pm_err(e, "out of memory");
		*why = parse_pair(f, text, &f->item[items]);
		if (*why)
			return 1;
		if (has_sample(f, f->item[items].series, time_us))
			return reject_line(why,
					   "duplicate: a sample of this time has been read before");
	}
	if (items == 0)
		return 0;
	if (pm_serieswindow_tick(&f->window, time_us, monotonic_us, e) < 0)
		return -1;
	if (s->first_us == 0 || time_us < s->first_us)
		s->first_us = time_us;
	for (size_t i = 0; i < items; i++) {
		const struct pm_series_item *x = &f->item[i];

		if (has_sample(f, x->series, time_us))
			continue; /* twice in this tick */
		s->info[x->series].file = s->files;
		s->info[x->series].last_us = time_us;
		s->samples++;
		if (pm_serieswindow_add(&f->window, x->series, x->known, x->value, x->reason, e) <
		    0)
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
