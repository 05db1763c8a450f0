/* Limits on the size and cost of one spool archive. */
#include "config.h"

#include "submit/within.h"

#include "common/now.h"

#include <string.h>

/* Number of pieces between readings of the clock. */
#define PIECES 64

void pm_within_begin(struct pm_within *w, const struct pm_load_limits *limits)
{
	memset(w, 0, sizeof *w);
	w->limits = limits;
	w->until_us = limits && limits->cpu_us ? pm_now_cpu_us() + limits->cpu_us : INT64_MAX;
}

void pm_within_hurry(struct pm_within *w, int64_t cpu_us)
{
	const int64_t soon_us = pm_now_cpu_us() + cpu_us;

	w->later_us = w->until_us;
	if (soon_us < w->until_us)
		w->until_us = soon_us;
}

void pm_within_pause(struct pm_within *w)
{
	w->paused_us = pm_now_cpu_us();
	if (w->later_us)
		w->until_us = w->later_us;
	w->later_us = 0;
}

void pm_within_resume(struct pm_within *w)
{
	if (w->until_us != INT64_MAX)
		w->until_us += pm_now_cpu_us() - w->paused_us;
}

static struct pm_within_use usage_of(const struct pm_gather *g)
{
	return (struct pm_within_use){ g->images.hosts, g->series.count,
				       g->lines + g->series.samples };
}

void pm_within_note(struct pm_within *w, const struct pm_gather *g)
{
	if (w->limits)
		w->before = usage_of(g);
}

int pm_within_check(struct pm_within *w, const struct pm_gather *g, struct pm_err *e)
{
	const struct pm_load_limits *most = w->limits;
	struct pm_within_use now;

	if (!most)
		return 0;
	now = usage_of(g);
	w->use.hosts += now.hosts - w->before.hosts;
	w->use.series += now.series - w->before.series;
	w->use.rows += now.rows - w->before.rows;
	w->before = now;

	const struct {
		uint64_t n, most;
		const char *what, *setting;
	} limit[] = {
		{ w->use.hosts, most->hosts, "hosts", "spool_hosts" },
		{ w->use.series, most->series, "series", "spool_series" },
		{ w->use.rows, most->rows, "lines and samples", "spool_rows" },
	};

	w->over = true;
	for (size_t i = 0; i < sizeof limit / sizeof limit[0]; i++)
		if (limit[i].most && limit[i].n > limit[i].most)
			return pm_err(e, "it has more than %llu %s: raise %s if that is intended",
				      (unsigned long long)limit[i].most, limit[i].what,
				      limit[i].setting);
	if (w->pieces++ % PIECES == 0 && pm_now_cpu_us() > w->until_us)
		return pm_err(e,
			      "loading it takes more than %.0f s of CPU time: raise spool_cpu if "
			      "that is intended",
			      (double)most->cpu_us / 1e6);
	w->over = false;
	return 0;
}
