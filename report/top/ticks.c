/* Follow series files. */
#include "config.h"

#include "report/top/ticks.h"

#include "common/grow.h"
#include "common/safe/tsv.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "perfmon-series-"

/* Fields of the lines that are read, the terminator included. */
#define FIELDS 8

/* Longest file number of a series that is taken: files have thousands. */
#define ID_MAX (1 << 24)

/* What is wanted, beside a count of enum pm_top_count: of all processes, and of a program. */
enum { SYSTEM = PM_TOP_COUNTS, RSS, PROCESSES, PROGRAM_CPU, PROGRAM_RSS, PROGRAM_PROCESSES };

static const struct {
	const char *source, *metric;
	int what;
} wanted[] = {
	{ "process", "usertime", PM_TOP_CPU },
	{ "process", "systemtime", SYSTEM },
	{ "process", "rchar", PM_TOP_READ },
	{ "process", "wchar", PM_TOP_WRITTEN },
	{ "process", "read_bytes", PM_TOP_FETCHED },
	{ "process", "write_bytes", PM_TOP_STORED },
	{ "process", "rss", RSS },
	{ "process", "processes", PROCESSES },
	{ "programs", "cputime", PROGRAM_CPU },
	{ "programs", "rss", PROGRAM_RSS },
	{ "programs", "processes", PROGRAM_PROCESSES },
};

void pm_top_ticks_init(struct pm_top_ticks *t, struct pm_top_model *model)
{
	memset(t, 0, sizeof *t);
	t->model = model;
	t->host = -1;
}

void pm_top_ticks_free(struct pm_top_ticks *t)
{
	free(t->series);
	t->series = NULL;
	t->count = t->room = 0;
}

static bool is_text(struct pm_str s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

static int take_header(struct pm_top_ticks *t, struct pm_str *field, size_t n)
{
	t->count = 0;
	if (n < 5)
		return 0;
	if (pm_tsv_is_null(field[2].p, field[2].n))
		field[2].n = 0;
	t->host = pm_top_model_host(t->model, field[1].p, field[1].n, field[2].p, field[2].n);
	return t->host < 0 ? -1 : 0;
}

/* The series with an id, or the place where it would stand. */
static size_t find_series(const struct pm_top_ticks *t, int64_t id)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->series[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int declare(struct pm_top_ticks *t, const struct pm_str *field, size_t n)
{
	struct pm_top_series new = { .what = -1 };
	int64_t program = 0;
	size_t at;

	if (n != 8 || t->host < 0 || pm_tsv_number(field[1].p, field[1].n, &new.id) < 0 ||
	    new.id < 0 || new.id > ID_MAX)
		return 0;
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && new.what < 0; i++)
		if (is_text(field[2], wanted[i].source) && is_text(field[3], wanted[i].metric) &&
		    (is_text(field[6], "gauge") || is_text(field[6], "counter")))
			new.what = wanted[i].what;
	if (new.what < 0)
		return 0;
	if (new.what >= PROGRAM_CPU)
		program = pm_top_model_program(t->model->host[t->host], field[4].p, field[4].n);
	if (program < 0 || !PM_GROW(t->series, t->count, t->room, 64))
		return -1;
	new.program = (uint32_t)program;
	at = find_series(t, new.id);
	if (at < t->count && t->series[at].id == new.id)
		return 0;
	memmove(&t->series[at + 1], &t->series[at], (t->count - at) * sizeof *t->series);
	t->series[at] = new;
	t->count++;
	return 0;
}

static void take_value(struct pm_top_host *h, const struct pm_top_series *s, int64_t value,
		       int64_t time_us)
{
	struct pm_top_program *g = s->what >= PROGRAM_CPU ? &h->program[s->program] : NULL;

	switch (s->what) {
	case SYSTEM:
		pm_top_counter_add(&h->system, value, time_us);
		break;
	case RSS:
		h->rss = value;
		break;
	case PROCESSES:
		h->processes = value;
		break;
	case PROGRAM_CPU:
		pm_top_counter_add(&g->cputime, value, time_us);
		break;
	case PROGRAM_RSS:
		g->rss = value;
		break;
	case PROGRAM_PROCESSES:
		g->processes = value;
		break;
	default:
		pm_top_counter_add(&h->count[s->what], value, time_us);
	}
}

/* What is gone, or not known any more, has no level. */
static void take_unknown(struct pm_top_host *h, const struct pm_top_series *s)
{
	if (s->what == RSS || s->what == PROCESSES)
		take_value(h, s, PM_TOP_UNKNOWN, 0);
	else if (s->what == PROGRAM_RSS || s->what == PROGRAM_PROCESSES)
		take_value(h, s, 0, 0);
}

static void take_tick(struct pm_top_ticks *t, const struct pm_str *field, size_t n)
{
	struct pm_top_host *h;
	struct pm_str list, item;
	int64_t time_us;

	if (n != 5 || t->host < 0 || pm_tsv_number(field[1].p, field[1].n, &time_us) < 0 ||
	    time_us <= 0)
		return;
	h = t->model->host[t->host];
	if (time_us > h->tick_us)
		h->tick_us = time_us;
	for (list = field[3]; pm_tsv_next_item(&list, &item);) {
		const char *equals = memchr(item.p, '=', item.n);
		int64_t id, value;
		size_t at;

		if (!equals || pm_tsv_number(item.p, (size_t)(equals - item.p), &id) < 0)
			continue;
		at = find_series(t, id);
		if (at == t->count || t->series[at].id != id)
			continue;
		equals++;
		if (pm_tsv_number(equals, item.n - (size_t)(equals - item.p), &value) < 0 ||
		    value < 0)
			take_unknown(h, &t->series[at]);
		else
			take_value(h, &t->series[at], value, time_us);
	}
}

int pm_top_ticks_line(struct pm_top_ticks *t, const char *line, size_t n, bool old)
{
	struct pm_str field[FIELDS];
	size_t fields;

	if (n < 6 || line[n - 1] != PM_TSV_END || (old && memcmp(line, "tick\t", 5) == 0))
		return 0;
	fields = pm_tsv_split(line, n, field, FIELDS);
	if (fields < 2 || fields > FIELDS)
		return 0;
	if (is_text(field[0], "tick")) {
		take_tick(t, field, fields);
		return 0;
	}
	if (is_text(field[0], "series"))
		return declare(t, field, fields);
	if (field[0].n > sizeof MAGIC - 1 && memcmp(field[0].p, MAGIC, sizeof MAGIC - 1) == 0)
		return take_header(t, field, fields);
	return 0;
}
