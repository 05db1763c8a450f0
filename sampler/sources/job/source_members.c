/*
 * Source "members": single processes of the job's tree, a few at a time, under the same key as in
 * the collector's records.
 */
#include "config.h"

#include "sampler/source.h"
#include "sampler/tree/tree.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CPUTIME, RSS, THREADS, METRICS };

#define OBJECT "process: pid namespace, pid and start time"

static const struct pm_metric metrics[METRICS] = {
	[CPUTIME] = { "cputime", "us", "CPU time", OBJECT, false, PM_METRIC_COUNTER },
	[RSS] = { "rss", "B", "resident memory", OBJECT, false, PM_METRIC_GAUGE },
	[THREADS] = { "threads", "n", "threads", OBJECT, false, PM_METRIC_GAUGE },
};

/* Maximum number of processes followed at a time. */
#define MEMBERS_MAX 16

/* A process gets series at the third tick that sees it: most processes live only for a moment. */
#define PATIENCE 3

struct member {
	pid_t pid; /* 0: the place is free */
	int64_t start;
	unsigned ticks; /* number of ticks that saw it */
	bool here;      /* seen in this tick */
	bool named;     /* its series exist */
	int series[METRICS];
};

struct state {
	const struct pm_tree *tree;
	const char *root;
	struct member member[MEMBERS_MAX];
};

static int members_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			struct pm_unavailable *why)
{
	struct state *s;

	(void)sink;
	if (!target->tree)
		return pm_source_no_tree(why);
	s = calloc(1, sizeof *s);
	if (!s)
		return pm_source_unavailable(why, "members");
	s->tree = target->tree;
	s->root = target->root;
	*state = s;
	return 0;
}

static void members_close(void *state)
{
	free(state);
}

/* --- the key ---------------------------------------------------------------------------------- */

/* Write the path of a process' file below the root. Returns 0, or -1 where it is too long. */
static int make_path(const struct state *s, pid_t pid, const char *name, char path[4096])
{
	int length = snprintf(path, 4096, "%s/proc/%d/%s", s->root, (int)pid, name);

	return length < 4096 ? 0 : -1;
}

/* The pid of a process in its own namespace: the last number of NSpid in proc_pid_status(5), which
 * is missing before Linux 4.1. */
static long own_pid(const struct state *s, pid_t pid)
{
	char path[4096], text[4096], *line, *end;
	ssize_t n;
	int fd;

	if (make_path(s, pid, "status", path) < 0)
		return pid;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return pid;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	line = strstr(text, "\nNSpid:\t");
	end = line ? strchr(line + 1, '\n') : NULL;
	if (!end)
		return pid;
	*end = '\0';
	return strtol(strrchr(line + 1, '\t') + 1, NULL, 10);
}

/* Write the key of a process. */
static void name_process(const struct state *s, const struct pm_tree_process *p, char object[96])
{
	char path[4096], link[64] = "";
	long long space = 0;

	/* The kernel may not let us read its namespace. */
	if (make_path(s, p->pid, "ns/pid", path) < 0 || readlink(path, link, sizeof link - 1) < 0 ||
	    sscanf(link, "pid:[%lld]", &space) != 1)
		space = 0;
	snprintf(object, 96, "%lld:%ld:%lld", space, own_pid(s, p->pid), (long long)p->start);
}

/* --- sample ----------------------------------------------------------------------------------- */

/* The place of a process, taken from the free places if it has none; NULL where none is free. */
static struct member *find_place(struct state *s, const struct pm_tree_process *p)
{
	struct member *vacant = NULL;

	for (size_t i = 0; i < MEMBERS_MAX; i++) {
		struct member *m = &s->member[i];

		if (m->pid == p->pid && m->start == p->start)
			return m;
		if (!m->pid)
			vacant = m;
	}
	if (vacant)
		*vacant = (struct member){ .pid = p->pid, .start = p->start };
	return vacant;
}

static void put_value(struct pm_sink *sink, int series, const struct pm_tree_value *v)
{
	if (v->known)
		pm_sink_value(sink, series, v->value);
	else
		pm_sink_unknown(sink, series, v->reason);
}

static void put_member(const struct state *s, struct pm_sink *sink, struct member *m,
		       const struct pm_tree_process *p)
{
	char object[96];

	m->here = true;
	m->ticks++;
	if (!m->named && m->ticks >= PATIENCE) {
		name_process(s, p, object);
		for (size_t i = 0; i < METRICS; i++)
			m->series[i] = pm_sink_series(sink, i, object);
		m->named = true;
	}
	if (!m->named)
		return;
	put_value(sink, m->series[CPUTIME], &p->cpu);
	put_value(sink, m->series[RSS], &p->rss);
	pm_sink_value(sink, m->series[THREADS], p->threads);
}

/* Free the places of processes that are gone. */
static void forget_gone(struct state *s, struct pm_sink *sink)
{
	for (size_t i = 0; i < MEMBERS_MAX; i++) {
		struct member *m = &s->member[i];

		if (m->pid && !m->here) {
			for (size_t j = 0; m->named && j < METRICS; j++)
				pm_sink_forget(sink, m->series[j]);
			m->pid = 0;
		}
		m->here = false;
	}
}

static void members_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const size_t count = pm_tree_count(s->tree);

	/* Parents come first in the tree, so root, launchers and ranks get places before others. */
	for (size_t i = 0; i < count; i++) {
		const struct pm_tree_process p = pm_tree_process(s->tree, i);
		struct member *m = p.ended && p.threads <= 1 ? NULL : find_place(s, &p);

		if (m)
			put_member(s, sink, m, &p);
	}
	forget_gone(s, sink);
}

const struct pm_source pm_source_members = {
	.name = "members",
	.help = "individual processes of the tree below --pid, at most 16 long-lived ones",
	.metrics = metrics,
	.metrics_count = METRICS,
	.tree = true,
	.open = members_open,
	.sample = members_sample,
	.close = members_close,
};
