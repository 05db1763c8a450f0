/* Processes of a job added up by host and the second in which they started. */
#include "config.h"

#include "report/pass/processgroups.h"

#include <stdlib.h>

/* Seconds at the beginning of a job that are told apart: 18 hours. */
#define SECONDS 65536

struct second {
	int64_t starts, waiting_us;
};

struct pm_groups {
	struct pm_facts *f;
	struct second *second;     /* SECONDS; NULL where the start of the job is unknown */
	int64_t span_us;           /* of one of them */
	struct pm_fact_host *host; /* the last one; hosts come in runs */
	struct pm_groups_process sleeper, threaded;
};

struct pm_groups *pm_groups_new(struct pm_facts *f)
{
	struct pm_groups *g = calloc(1, sizeof *g);

	if (!g)
		return NULL;
	g->f = f;
	if (f->start_us < 0)
		return g;
	g->second = calloc(SECONDS, sizeof *g->second);
	if (!g->second) {
		free(g);
		return NULL;
	}
	return g;
}

static struct pm_fact_host *find_host(const struct pm_facts *f, int64_t id)
{
	for (size_t i = 0; i < f->hosts; i++)
		if (f->host[i].id == id)
			return &f->host[i];
	return NULL;
}

/* A process goes to sleep at calls that read and write and at major faults, too; what is left is
 * waiting for other threads, timers and children. */
static int64_t own_switches(const struct pm_groups_process *p)
{
	return p->switches - (p->calls > 0 ? p->calls : 0) - (p->majflt > 0 ? p->majflt : 0);
}

void pm_groups_add(struct pm_groups *g, const struct pm_groups_process *p)
{
	if (!g->host || g->host->id != p->host)
		g->host = find_host(g->f, p->host);
	if (g->host) {
		g->host->oncpu_us = pm_format_add(g->host->oncpu_us, p->oncpu_us);
		g->host->waiting_us = pm_format_add(g->host->waiting_us, p->waiting_us);
		if (p->rss > g->host->rss)
			g->host->rss = p->rss;
	}
	if (p->threads >= 2 && p->switches > 0 && p->duration_us > 0 && p->cpu_us >= 0 &&
	    own_switches(p) > g->sleeper.switches) {
		g->sleeper = *p;
		g->sleeper.switches = own_switches(p);
	}
	if (p->threads >= 2 && p->cpu_us > g->threaded.cpu_us)
		g->threaded = *p;
	if (g->second && p->start_us >= g->f->start_us &&
	    p->start_us - g->f->start_us < SECONDS * INT64_C(1000000)) {
		struct second *s = &g->second[(p->start_us - g->f->start_us) / 1000000];

		s->starts++;
		if (p->waiting_us > 0)
			s->waiting_us = pm_format_add(s->waiting_us, p->waiting_us);
	}
}

static void finish_burst(const struct pm_groups *g, struct pm_facts *f)
{
	size_t most = 0;

	if (!g->second)
		return;
	for (size_t i = 1; i < SECONDS; i++)
		if (g->second[i].starts > g->second[most].starts)
			most = i;
	f->burst.starts = g->second[most].starts;
	f->burst.start_us = f->start_us + (int64_t)most * 1000000;
	f->burst.waiting_us = g->second[most].waiting_us;
}

int64_t pm_groups_finish(struct pm_groups *g, struct pm_facts *f)
{
	finish_burst(g, f);
	f->of_threads.process = g->threaded.id;
	f->of_threads.host = g->threaded.host;
	if (!g->sleeper.id)
		return 0;
	f->sleeper.threads = g->sleeper.threads;
	f->sleeper.switches = g->sleeper.switches;
	f->sleeper.cpu_us = g->sleeper.cpu_us;
	f->sleeper.wall_us = g->sleeper.duration_us;
	f->sleeper.pid = PM_UNKNOWN;
	f->sleeper.host = g->sleeper.host;
	return g->sleeper.id;
}

void pm_groups_free(struct pm_groups *g)
{
	if (!g)
		return;
	free(g->second);
	free(g);
}
