/*
 * Source "perf": events that the kernel and the processor count for the job, or for the node. If
 * the job has a control group and the kernel lets us, events are counted for the group: this
 * includes processes that others start for the job. Otherwise they are counted for all tasks that
 * exist when counting begins, and for the tasks' descendants.
 */
#include "config.h"

#include "sampler/job/groupfd.h"
#include "sampler/kernel/perf.h"
#include "sampler/source.h"
#include "sampler/tree/threads.h"
#include "sampler/tree/tree.h"

#include "common/grow.h"
#include "common/settings/readconfig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { COUNT, ENABLED, RUNNING, METRICS };

static const struct pm_metric metrics[METRICS] = {
	[COUNT] = { "count", "n", "number of events while counted; for clocks, ns", "event", false,
		    PM_METRIC_COUNTER },
	[ENABLED] = { "enabled", "ns", "time the event was enabled, summed over tasks or CPUs",
		      "event", false, PM_METRIC_COUNTER },
	[RUNNING] = { "running", "ns", "time the event was actually counted", "event", false,
		      PM_METRIC_COUNTER },
};

/* Descriptors left for the rest of the program, which also follows the process tree. */
#define DESCRIPTORS_SPARE 1024

/* An event with its counters. */
struct counted {
	int series[METRICS];
	int *fd; /* owned */
	size_t count, capacity;
	bool failed; /* not counted for all tasks or CPUs, because of `error` */
	int error;
};

struct state {
	struct pm_perf_list list; /* its texts point into the setting */
	struct counted counted[PM_PERF_MAX];
	size_t room; /* descriptors that may still be opened */
	bool begun;
	const struct pm_tree *tree;
	int cgroup; /* the job's group in the hierarchy that perf uses (groupfd.h); -1: none */
};

/* Close all counters and forget their errors. */
static void close_counters(struct state *s)
{
	for (int i = 0; i < s->list.count; i++) {
		struct counted *c = &s->counted[i];

		for (size_t j = 0; j < c->count; j++)
			close(c->fd[j]);
		s->room += c->count;
		c->count = 0;
		c->failed = false;
	}
}

static void perf_close(void *state)
{
	struct state *s = state;

	close_counters(s);
	for (int i = 0; i < s->list.count; i++)
		free(s->counted[i].fd);
	if (s->cgroup >= 0)
		close(s->cgroup);
	free(s);
}

/* Open a counter in the group of the open counter `leader`, or alone if the group has no room. */
static int open_counter(const struct pm_event *e, const struct pm_perf_whom *whom, int leader)
{
	int fd = pm_perf_open(e, whom, leader);

	return fd < 0 && leader >= 0 && errno == EINVAL ? pm_perf_open(e, whom, -1) : fd;
}

/* Open a counter of every event for a task, or for a CPU. Failures are noted. */
static void count_for(struct state *s, const struct pm_perf_whom *whom)
{
	int opened[PM_PERF_MAX];

	for (int i = 0; i < s->list.count; i++) {
		const int leader = s->list.leader[i];
		struct counted *c = &s->counted[i];
		int fd = -1;

		opened[i] = -1;
		if (c->failed)
			continue;
		errno = EMFILE;
		if (s->room && PM_GROW(c->fd, c->count, c->capacity, 16))
			fd = open_counter(&s->list.event[i], whom,
					  leader < i ? opened[leader] : -1);
		if (fd >= 0) {
			opened[i] = c->fd[c->count++] = fd;
			s->room--;
		} else if (errno != ESRCH) { /* ESRCH: task gone; ENODEV: CPU offline */
			c->failed = errno != ENODEV || whom->task >= 0;
			c->error = errno;
		}
	}
}

static void count_task(void *state, pid_t tid)
{
	count_for(state, &(struct pm_perf_whom){ .task = tid, .cgroup = -1, .cpu = -1 });
}

/* Count on every CPU, for the group or for all tasks. Returns whether any event is counted. */
static bool count_cpus(struct state *s)
{
	bool any = false;

	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		count_for(s, &(struct pm_perf_whom){ .task = -1, .cgroup = s->cgroup, .cpu = cpu });
	for (int i = 0; i < s->list.count; i++)
		any = any || (s->counted[i].count && !s->counted[i].failed);
	return any;
}

/* Raise this process's soft limit of descriptors. Returns how many counters may be opened. */
static size_t make_room(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < 2 * DESCRIPTORS_SPARE)
		return limit.rlim_cur / 2;
	return limit.rlim_cur - DESCRIPTORS_SPARE;
}

static int perf_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	struct state *s;

	why->reason = PM_REASON_absent;
	if (!*pm_config_get(PM_SET_perf))
		return pm_err(&why->err, "no events requested (--perf)");
	if (target->root[0] != '\0')
		return pm_err(&why->err, "events cannot be counted from a recorded /proc tree");
	s = calloc(1, sizeof *s);
	if (!s)
		return pm_source_unavailable(why, "perf");
	s->cgroup = -1;
	if (pm_perf_parse(&s->list, pm_config_get(PM_SET_perf), pm_perf_march(), &why->err) < 0) {
		free(s);
		return -1;
	}
	s->tree = target->tree;
	if (target->cgroup)
		s->cgroup = pm_groupfd_open(target->cgroup);
	s->room = make_room();
	for (int i = 0; i < s->list.count; i++) {
		char *name = strndup(s->list.event[i].name.p, s->list.event[i].name.n);

		for (size_t metric = 0; metric < METRICS; metric++)
			s->counted[i].series[metric] =
				name ? pm_sink_series(sink, metric, name) : -1;
		free(name);
	}
	*state = s;
	return 0;
}

/* Begin to count: for the group, else for all existing tasks, whose descendants count with them. */
static void begin_counting(struct state *s)
{
	const size_t count = s->tree ? pm_tree_count(s->tree) : 0;

	s->begun = true;
	if ((s->cgroup >= 0 || !s->tree) && (count_cpus(s) || !s->tree))
		return;
	close_counters(s);
	for (size_t i = 0; i < count; i++)
		pm_threads_each(pm_tree_process(s->tree, i).pid, count_task, s);
}

/* Put the sum of an event's counters. */
static void put_event(const struct counted *c, struct pm_sink *sink)
{
	struct pm_perf_count sum = { 0 };

	for (size_t i = 0; i < c->count; i++) {
		struct pm_perf_count one;

		if (pm_perf_read(c->fd[i], &one) < 0) {
			for (size_t metric = 0; metric < METRICS; metric++)
				pm_sink_unknown(sink, c->series[metric], pm_reason_errno(errno));
			return;
		}
		sum.count += one.count;
		sum.enabled += one.enabled;
		sum.running += one.running;
	}
	pm_sink_value(sink, c->series[ENABLED], (int64_t)sum.enabled);
	pm_sink_value(sink, c->series[RUNNING], (int64_t)sum.running);
	if (sum.enabled && !sum.running)
		pm_sink_unknown(sink, c->series[COUNT], PM_REASON_multiplexed);
	else
		pm_sink_value(sink, c->series[COUNT], (int64_t)sum.count);
}

static void perf_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;

	if (!s->begun)
		begin_counting(s);
	for (int i = 0; i < s->list.count; i++) {
		const struct counted *c = &s->counted[i];

		if (!c->failed && c->count)
			put_event(c, sink);
		for (size_t metric = 0; c->failed && metric < METRICS; metric++)
			pm_sink_unknown(sink, c->series[metric], pm_reason_errno(c->error));
	}
}

const struct pm_source pm_source_perf = {
	.name = "perf",
	.help = "events of --perf in the job or the process tree below --pid, else on all CPUs",
	.metrics = metrics,
	.metrics_count = METRICS,
	.tree = true,
	.open = perf_open,
	.sample = perf_sample,
	.close = perf_close,
};
