/* Make a picture of what is known of a running job. */
#include "config.h"

#include "report/top/picture.h"

#include "common/grow.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct name {
	const char *text;
	size_t line;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* Find or add the line of a program. NULL if out of memory. */
static struct pm_top_line *find_line(struct pm_top_picture *p, size_t *room, void **names,
				     const char *name)
{
	struct name key = { name, 0 }, *new, **found;

	found = tfind(&key, names, by_name);
	if (found)
		return &p->line[(*found)->line];
	new = malloc(sizeof *new);
	if (!new || !PM_GROW(p->line, p->lines, *room, 32)) {
		free(new);
		return NULL;
	}
	*new = (struct name){ name, p->lines };
	if (!tsearch(new, names, by_name)) {
		free(new);
		return NULL;
	}
	p->line[p->lines] =
		(struct pm_top_line){ .rss = -1, .cpus = NAN, .read = NAN, .written = NAN };
	snprintf(p->line[p->lines].name, sizeof p->line->name, "%s", name);
	return &p->line[p->lines++];
}

/* The larger of two lower bounds of the same, of which either may be unknown. */
static double larger(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

static double sum(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

static int64_t sum_known(int64_t a, int64_t b)
{
	return b < 0 ? a : a < 0 ? b : a + b;
}

/* Growth per second of a total since the picture before; only here is /proc read, so that it grows
 * before processes end. */
static double rate_of(const struct pm_top_host *h, const struct pm_top_program *g, int k,
		      int64_t elapsed_us)
{
	if (!h->here || elapsed_us <= 0)
		return NAN;
	return ((double)g->total[k] - (double)g->last[k]) / ((double)elapsed_us / 1e6);
}

static void add_program(struct pm_top_line *l, const struct pm_top_host *h,
			struct pm_top_program *g, int64_t elapsed_us)
{
	const double sampled = pm_top_counter_rate(&g->cputime) / 1e6;
	const int64_t cpu =
		g->cputime.value > g->total[PM_TOP_CPU] ? g->cputime.value : g->total[PM_TOP_CPU];

	l->cpus = sum(l->cpus, larger(rate_of(h, g, PM_TOP_CPU, elapsed_us) / 1e6, sampled));
	l->cpu_us += cpu;
	l->running += g->processes > g->running ? g->processes : g->running;
	l->started += g->started;
	l->rss = sum_known(l->rss, h->here && g->live_rss > g->rss ? g->live_rss : g->rss);
	l->read = sum(l->read, rate_of(h, g, PM_TOP_READ, elapsed_us));
	l->written = sum(l->written, rate_of(h, g, PM_TOP_WRITTEN, elapsed_us));
}

static void add_host(struct pm_top_picture *p, const struct pm_top_host *h, int64_t elapsed_us)
{
	const double user = pm_top_counter_rate(&h->count[PM_TOP_CPU]);
	const double system = pm_top_counter_rate(&h->system);
	const int64_t cpu_sampled = h->count[PM_TOP_CPU].value + h->system.value;
	double rate[PM_TOP_COUNTS];
	int64_t cpu = 0, rss = 0, running = 0;

	for (int k = 0; k < PM_TOP_COUNTS; k++)
		rate[k] = NAN;
	for (size_t i = 0; i < h->programs; i++) {
		const struct pm_top_program *g = &h->program[i];

		cpu += g->total[PM_TOP_CPU];
		rss += g->live_rss;
		running += g->running;
		for (int k = 0; k < PM_TOP_COUNTS; k++)
			rate[k] = sum(rate[k], rate_of(h, g, k, elapsed_us));
	}
	p->busy = sum(p->busy, larger(rate[PM_TOP_CPU], user + system) / 1e6);
	for (int k = PM_TOP_CPU + 1; k < PM_TOP_COUNTS; k++)
		p->rate[k] = sum(p->rate[k], larger(rate[k], pm_top_counter_rate(&h->count[k])));
	p->cpu_us += cpu > cpu_sampled ? cpu : cpu_sampled;
	p->rss = sum_known(p->rss, h->here && rss > h->rss ? rss : h->rss);
	p->running += h->processes > running ? h->processes : running;
	p->ended += h->ended;
	if (h->records_us > p->records_us)
		p->records_us = h->records_us;
	if (h->tick_us > p->ticks_us)
		p->ticks_us = h->tick_us;
}

static int by_use(const void *a, const void *b)
{
	const struct pm_top_line *x = a, *y = b;
	const double v = isnan(x->cpus) ? 0 : x->cpus, w = isnan(y->cpus) ? 0 : y->cpus;

	if (v != w)
		return v > w ? -1 : 1;
	if (x->cpu_us != y->cpu_us)
		return x->cpu_us > y->cpu_us ? -1 : 1;
	return strcmp(x->name, y->name);
}

int pm_top_picture_fill(struct pm_top_picture *p, struct pm_top_model *m, int64_t elapsed_us)
{
	void *names = NULL;
	size_t room = 0;
	int rc = 0;

	p->busy = NAN;
	p->rss = -1;
	for (int k = 0; k < PM_TOP_COUNTS; k++)
		p->rate[k] = NAN;
	for (size_t i = 0; i < m->hosts && rc == 0; i++) {
		struct pm_top_host *h = m->host[i];

		add_host(p, h, elapsed_us);
		for (size_t k = 0; k < h->programs && rc == 0; k++) {
			struct pm_top_program *g = &h->program[k];
			struct pm_top_line *l = find_line(p, &room, &names, g->name);

			if (l)
				add_program(l, h, g, elapsed_us);
			else
				rc = -1;
			memcpy(g->last, g->total, sizeof g->last);
		}
	}
	for (const struct pm_top_process *x = m->first; x && !p->living; x = x->next)
		p->living = m->host[x->host]->here && x->pid_ns == m->own_pid_ns && !x->gone;
	tdestroy(names, free);
	if (p->lines)
		qsort(p->line, p->lines, sizeof *p->line, by_use);
	return rc;
}

void pm_top_picture_free(struct pm_top_picture *p)
{
	free(p->line);
	p->line = NULL;
	p->lines = 0;
}
