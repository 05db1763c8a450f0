/* Source "programs": the processes of the job's tree by the name of their command. */
#include "config.h"

#include "sampler/source.h"
#include "sampler/tree/pidmap.h"
#include "sampler/tree/tree.h"

#include <stdlib.h>
#include <string.h>

enum { CPUTIME, RSS, PROCESSES, METRICS };

static const struct pm_metric metrics[METRICS] = {
	[CPUTIME] = { "cputime", "us", "CPU time used under this command name", "command name",
		      false, PM_METRIC_COUNTER },
	[RSS] = { "rss", "B", "resident memory; shared pages count in every process",
		  "command name", false, PM_METRIC_GAUGE },
	[PROCESSES] = { "processes", "n", "processes, zombies left out", "command name", false,
			PM_METRIC_GAUGE },
};

/* Maximum number of names with series of their own. */
#define NAMES_MAX 32

/* The name for all others. */
#define OTHERS "*"

struct program {
	char *name;
	int series[METRICS];
	int64_t cpu_us, processes;
	struct pm_tree_value rss;
};

/* A process as of the previous tick. */
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

/* The program of a name, added if it is new. Beyond NAMES_MAX names it is the program for all
 * others; when memory is short, the last program. */
static unsigned find_program(struct state *s, struct pm_sink *sink, const char *name)
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

/* Find the program of a process, and add the process's CPU time since the previous tick to it. */
static struct program *attribute_time(struct state *s, struct pm_sink *sink,
				      const struct pm_tree_process *process)
{
	struct seen *seen = pm_pidmap_put(&s->seen, process->pid);
	struct program *p;

	if (!seen)
		return NULL;
	if (!seen->tick || seen->start != process->start)
		*seen = (struct seen){ .start = process->start,
				       .program = find_program(s, sink, process->name) };
	else if (seen->program == NAMES_MAX ||
		 strcmp(s->program[seen->program].name, process->name) != 0)
		seen->program = find_program(s, sink, process->name);
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

static bool is_unseen(void *context, pid_t pid, void *value)
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
		struct program *p = attribute_time(s, sink, &process);

		if (!p)
			continue;
		p->processes += !process.ended || process.threads > 1;
		if (!process.rss.known)
			p->rss = process.rss;
		else if (p->rss.known)
			p->rss.value += process.rss.value;
	}
	if (s->seen.count != count)
		pm_pidmap_sweep(&s->seen, is_unseen, s);
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
