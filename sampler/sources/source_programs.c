/* Source "programs": the processes of the job's tree by the name of their command. */
#include "config.h"

#include "sampler/pidmap.h"
#include "sampler/source.h"
#include "sampler/tree.h"

#include <stdlib.h>
#include <string.h>

enum { CPUTIME, RSS, PROCESSES, METRICS };

static const struct pm_metric metrics[METRICS] = {
	[CPUTIME] = { "cputime", "us", "CPU time that was seen being used under this name",
		      "command name", false, PM_METRIC_COUNTER },
	[RSS] = { "rss", "B", "resident memory; pages that processes share count in each",
		  "command name", false, PM_METRIC_GAUGE },
	[PROCESSES] = { "processes", "n", "processes, zombies left out", "command name", false,
			PM_METRIC_GAUGE },
};

/* Names with series of their own; a job may have any number. */
#define NAMES_MAX 32

/* What stands for all others. */
#define OTHERS "*"

struct program {
	char *name;
	int series[METRICS];
	int64_t cpu_us, processes;
	struct pm_tree_value rss;
};

/* A process as of the tick before. */
struct seen {
	unsigned tick;
	unsigned program;
	int64_t start, cpu_us;
};

struct state {
	const struct pm_tree *tree;
	unsigned tick;
	struct program program[NAMES_MAX + 1];
	size_t count;
	struct pm_pidmap seen; /* struct seen by pid */
};

static int programs_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			 struct pm_unavailable *why)
{
	struct state *s;

	(void)sink;
	if (!target->tree)
		return pm_source_no_tree(why);
	s = calloc(1, sizeof *s);
	if (!s)
		return pm_source_unavailable(why, "programs");
	s->tree = target->tree;
	pm_pidmap_init(&s->seen, sizeof(struct seen));
	*state = s;
	return 0;
}

static void programs_close(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < s->count; i++)
		free(s->program[i].name);
	pm_pidmap_free(&s->seen);
	free(s);
}

/* The program of a name, a new one if need be and possible. Without memory it is the last one. */
static unsigned find(struct state *s, struct pm_sink *sink, const char *name)
{
	struct program *p = &s->program[s->count];
	size_t i = 0;

	while (i < s->count && strcmp(s->program[i].name, name) != 0)
		i++;
	if (i < s->count)
		return (unsigned)i;
	if (s->count > NAMES_MAX)
		return NAMES_MAX;
	p->name = strdup(s->count < NAMES_MAX ? name : OTHERS);
	if (!p->name)
		return s->count ? (unsigned)s->count - 1 : 0;
	for (size_t metric = 0; metric < METRICS; metric++)
		p->series[metric] = pm_sink_series(sink, metric, p->name);
	p->rss.known = true;
	return (unsigned)s->count++;
}

/* Which program a process is, with what it used since the tick before. */
static struct program *attribute(struct state *s, struct pm_sink *sink,
				 const struct pm_tree_process *process)
{
	struct seen *seen = pm_pidmap_put(&s->seen, process->pid);
	struct program *p;

	if (!seen)
		return NULL;
	if (!seen->tick || seen->start != process->start)
		*seen = (struct seen){ .start = process->start,
				       .program = find(s, sink, process->name) };
	else if (seen->program == NAMES_MAX ||
		 strcmp(s->program[seen->program].name, process->name) != 0)
		seen->program = find(s, sink, process->name);
	seen->tick = s->tick;
	if (!s->count)
		return NULL;
	p = &s->program[seen->program];
	if (process->cpu.known && process->cpu.value > seen->cpu_us) {
		p->cpu_us += process->cpu.value - seen->cpu_us;
		seen->cpu_us = process->cpu.value;
	}
	return p;
}

static bool unseen(void *context, pid_t pid, void *value)
{
	(void)pid;
	return ((const struct seen *)value)->tick != ((const struct state *)context)->tick;
}

static void programs_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const size_t count = pm_tree_count(s->tree);

	s->tick++;
	for (size_t i = 0; i < s->count; i++) {
		s->program[i].processes = 0;
		s->program[i].rss = (struct pm_tree_value){ .known = true };
	}
	for (size_t i = 0; i < count; i++) {
		const struct pm_tree_process process = pm_tree_process(s->tree, i);
		struct program *p = attribute(s, sink, &process);

		if (!p)
			continue;
		p->processes += !process.ended || process.threads > 1;
		if (!process.rss.known)
			p->rss = process.rss;
		else if (p->rss.known)
			p->rss.value += process.rss.value;
	}
	if (s->seen.count != count)
		pm_pidmap_sweep(&s->seen, unseen, s);
	for (size_t i = 0; i < s->count; i++) {
		const struct program *p = &s->program[i];

		pm_sink_value(sink, p->series[CPUTIME], p->cpu_us);
		pm_sink_value(sink, p->series[PROCESSES], p->processes);
		if (p->rss.known)
			pm_sink_value(sink, p->series[RSS], p->rss.value);
		else
			pm_sink_unknown(sink, p->series[RSS], p->rss.reason);
	}
}

const struct pm_source pm_source_programs = {
	.name = "programs",
	.help = "the process tree below --pid by command name: the first 32 and, as *, all others",
	.metrics = metrics,
	.metrics_count = METRICS,
	.tree = true,
	.open = programs_open,
	.sample = programs_sample,
	.close = programs_close,
};
