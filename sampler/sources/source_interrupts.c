/*
 * Source "interrupts": interrupts by kind, from /proc/interrupts. Interrupts of devices, which have
 * numbers, are added up to one kind, to keep the series few; each of the others has a name. Slow:
 * the kernel writes a column for each CPU.
 */
#include "config.h"

#include "sampler/sources/dynobjects.h"
#include "sampler/sources/onefile.h"

#include <stdlib.h>
#include <string.h>

static const struct pm_metric metrics[] = {
	{ "interrupts", "n", "interrupts", "kind", true, PM_METRIC_COUNTER },
};

static const struct pm_dynobjects_column columns[] = { { 1, 64 } };

/* Maximum number of kinds; the architectures have about thirty. */
#define KINDS_MAX 64

struct state {
	void *file; /* onefile.h */
	struct pm_dynobjects kinds;
};

static int interrupts_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			   struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	(void)sink;
	if (!s)
		return pm_source_unavailable(why, "/proc/interrupts");
	if (pm_onefile_open(&s->file, target, "proc/interrupts", why) < 0) {
		free(s);
		return -1;
	}
	pm_dynobjects_init(&s->kinds, columns, 1, KINDS_MAX);
	*state = s;
	return 0;
}

/* Add up the numbers after a name, up to the first word. Returns false where there are none, or the
 * sum overflows. */
static bool sum_line(const char *p, const char *newline, int64_t *sum)
{
	bool any = false;

	for (*sum = 0;;) {
		int64_t value;

		while (p < newline && *p == ' ')
			p++;
		/* A word may begin with a digit, such as "2-edge". */
		if (p == newline || pm_procfile_number(&p, newline + 1, &value) < 0 ||
		    (*p != ' ' && *p != '\n'))
			return any;
		if (__builtin_add_overflow(*sum, value, sum))
			return false;
		any = true;
	}
}

static void put_kind(struct state *s, struct pm_sink *sink, const char *name, size_t n, bool good,
		     int64_t sum)
{
	bool fresh;
	struct pm_object *kind = pm_dynobjects_get(&s->kinds, name, n, &fresh);

	if (!kind)
		return;
	kind->part = PM_DYNOBJECTS_COUNTED;
	if (good)
		pm_dynobjects_value(&s->kinds, sink, kind, 0, sum);
	else
		pm_dynobjects_unknown(&s->kinds, sink, kind, 0, PM_REASON_parse);
}

static void interrupts_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	bool device = false, devices_good = true;
	int64_t devices = 0;
	const char *text, *end;
	ssize_t n = pm_onefile_read(s->file, sink, &text);

	if (n < 0)
		return;
	end = text + n;
	pm_dynobjects_begin(&s->kinds);
	for (const char *p = text, *newline; p < end; p = newline + 1) {
		const char *colon;
		int64_t sum;
		bool good;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			break;
		while (p < newline && *p == ' ')
			p++;
		colon = memchr(p, ':', (size_t)(newline - p));
		if (!colon || colon == p || memchr(p, ' ', (size_t)(colon - p)))
			continue; /* the heading */
		good = sum_line(colon + 1, newline, &sum);
		if (*p >= '0' && *p <= '9') {
			device = true;
			if (!good || __builtin_add_overflow(devices, sum, &devices))
				devices_good = false;
		} else {
			put_kind(s, sink, p, (size_t)(colon - p), good, sum);
		}
	}
	if (device)
		put_kind(s, sink, "devices", strlen("devices"), devices_good, devices);
	pm_dynobjects_end(&s->kinds, sink);
	pm_dynobjects_sum(&s->kinds, sink);
}

static void interrupts_close(void *state)
{
	struct state *s = state;

	pm_onefile_close(s->file);
	pm_dynobjects_free(&s->kinds);
	free(s);
}

const struct pm_source pm_source_interrupts = {
	.name = "interrupts",
	.help = "interrupts by type and device",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.period_us = 10000000,
	.budget_ppm = 1000,
	.open = interrupts_open,
	.sample = interrupts_sample,
	.close = interrupts_close,
};
