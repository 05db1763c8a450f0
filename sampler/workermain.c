/* The main function of a reader process: answer the loop's requests. */
#include "config.h"

#include "sampler/workermain.h"

#include "common/safe/rusage.h"
#include "sampler/job/jobfind.h"
#include "sampler/tree/census.h"
#include "sampler/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Time between two visits to sources that cannot wait for the next request, s. */
#define BETWEEN 1

struct reader {
	const struct pm_workermain_options *options;
	int fd; /* socket to the loop */
	struct pm_tree *tree;
	struct pm_census *census; /* used by the tree */
	struct pm_jobfind *find;  /* finds the job's processes; NULL: none */
	uint64_t living;
	struct pm_reading reading[PM_SOURCES];
	uint64_t took_ns[PM_SOURCES]; /* monotonic time spent in this answer */
	struct pm_bytes bytes;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* CPU time of this process so far. Unlike the monotonic clock, this costs a system call. */
static uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* CPU time of the commands that this process ran. */
static uint64_t children_ns(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage) < 0)
		return 0;
	return 1000 * (uint64_t)(pm_rusage_us(&usage.ru_utime) + pm_rusage_us(&usage.ru_stime));
}

static void open_source(struct reader *r, size_t id)
{
	const struct pm_target target = {
		.root = r->options->root,
		.pid = r->options->pid,
		.tree = r->tree,
		.cgroup = r->options->marks ? r->options->marks->directory : NULL,
		.no_cpu_series = r->options->no_cpu_series,
	};
	struct pm_reading *one = &r->reading[id];

	one->source = r->options->table[id];
	one->opened = true;
	if (pm_sink_init(&one->sink, one->source) < 0)
		pm_source_unavailable(&one->why, one->source->name);
	else
		one->available =
			one->source->open(&one->state, &target, &one->sink, &one->why) == 0;
	if (one->available && one->source->between)
		setsockopt(r->fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ .tv_sec = BETWEEN },
			   sizeof(struct timeval));
}

/* Charge the time since *at_ns to a source, and set *at_ns to now. */
static void take_time(struct reader *r, size_t id, uint64_t *at_ns)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	r->took_ns[id] += now_ns - *at_ns;
	*at_ns = now_ns;
}

/* Read a source. *at_ns: the end of the previous step; set to the end of this one. */
static void read_source(struct reader *r, size_t id, uint64_t *at_ns)
{
	struct pm_reading *one = &r->reading[id];
	/* Only sources with a period may run commands. */
	const bool slow = r->options->table[id]->period_us > 0;
	const uint64_t children = slow ? children_ns() : 0;

	r->options->shared->reading = (int)id;
	if (!one->opened)
		open_source(r, id);
	if (one->available) {
		pm_sink_clear(&one->sink, PM_REASON_absent);
		one->source->sample(one->state, &one->sink);
	}
	r->options->shared->reading = -1;
	if (slow)
		one->cost_ns += children_ns() - children;
	take_time(r, id, at_ns);
}

/* Scan the tree, and charge the time to the first requested source that needs it. */
static void scan_tree(struct reader *r, size_t id, uint64_t *at_ns)
{
	if (!r->tree)
		return;
	r->living = pm_tree_scan(r->tree);
	/* A job may have no processes for a while; the loop finds out when the job is over. */
	if (r->find && r->living == 0)
		r->living = 1;
	take_time(r, id, at_ns);
}

/* Divide the CPU time of an answer among its sources, in proportion to the time that each took. */
static void charge_sources(struct reader *r, uint64_t used_ns)
{
	uint64_t all_ns = 0;

	for (size_t id = 0; id < PM_SOURCES; id++)
		all_ns += r->took_ns[id];
	for (size_t id = 0; all_ns && id < PM_SOURCES; id++)
		r->reading[id].cost_ns +=
			(uint64_t)((double)used_ns * (double)r->took_ns[id] / (double)all_ns);
	memset(r->took_ns, 0, sizeof r->took_ns);
}

/* Send n bytes; waits while the loop is busy. Returns 0 or -1. */
static int send_all(int fd, const unsigned char *p, size_t n)
{
	while (n) {
		ssize_t done = send(fd, p, n, MSG_NOSIGNAL);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* The first requested source that follows the tree; PM_SOURCES: none. A request without sources
 * asks for the number of living processes, so the tree is needed, too. */
static size_t needs_tree(const struct reader *r, const struct pm_request *request)
{
	size_t which = PM_SOURCE_process;

	for (size_t id = 0; id < PM_SOURCES; id++) {
		if (request->read[id] && r->options->table[id]->tree)
			return id;
		if (request->read[id])
			which = PM_SOURCES;
	}
	return which;
}

/* Read the requested sources and send the message. Returns 0, or -1 when that fails. */
static int answer_request(struct reader *r, const struct pm_request *request)
{
	struct rusage self = { 0 }, children = { 0 };
	const size_t who = needs_tree(r, request);
	const uint64_t before_ns = cpu_ns();
	uint64_t at_ns = clock_ns(CLOCK_MONOTONIC);
	struct pm_message m;

	if (who < PM_SOURCES)
		scan_tree(r, who, &at_ns);
	for (size_t id = 0; id < PM_SOURCES; id++)
		if (request->read[id])
			read_source(r, id, &at_ns);
	charge_sources(r, cpu_ns() - before_ns);
	if (pm_message_begin(&r->bytes, &m) < 0)
		return -1;
	m.number = request->number;
	m.living = r->living;
	m.at = pm_clock_now();
	for (size_t id = 0; id < PM_SOURCES; id++)
		if (request->read[id] && pm_message_add(&r->bytes, &m, id, &r->reading[id]) < 0)
			return -1;
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	m.user_us = pm_rusage_us(&self.ru_utime) + pm_rusage_us(&children.ru_utime);
	m.system_us = pm_rusage_us(&self.ru_stime) + pm_rusage_us(&children.ru_stime);
	m.resident = (int64_t)self.ru_maxrss * 1024;
	pm_message_end(&r->bytes, &m);
	return send_all(r->fd, r->bytes.p, r->bytes.n);
}

/* Let sources take data that cannot wait for the next request. */
static void visit_sources(struct reader *r)
{
	for (size_t id = 0; id < PM_SOURCES; id++) {
		struct pm_reading *one = &r->reading[id];
		uint64_t before;

		if (!one->available || !one->source->between)
			continue;
		before = cpu_ns();
		r->options->shared->reading = (int)id;
		one->source->between(one->state);
		r->options->shared->reading = -1;
		one->cost_ns += cpu_ns() - before;
	}
}

/* Wait for a request. The socket's timeout wakes us for visit_sources(): it is cheaper than a timer
 * set for each wait. Returns 0, or -1 when no request will come. */
static int receive_request(struct reader *r, struct pm_request *request)
{
	ssize_t n;

	do {
		n = recv(r->fd, request, sizeof *request, MSG_WAITALL);
		if (n < 0 && errno == EAGAIN)
			visit_sources(r);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	return n == sizeof *request ? 0 : -1;
}

static bool belongs_to_job(void *ctx, pid_t pid)
{
	return pm_jobfind_belongs(ctx, pid);
}

static void open_tree(struct reader *r)
{
	const struct pm_workermain_options *o = r->options;

	r->tree = pm_tree_open(o->root, o->pid, NULL);
	if (!r->tree)
		return;
	/* The loop's children are no part of the job, even where the job started the loop. */
	pm_tree_leave_out(r->tree, getppid());
	pm_tree_remember(r->tree, &o->shared->tree);
	r->census = pm_census_open();
	pm_tree_census(r->tree, r->census);
	if (o->marks)
		r->find = pm_jobfind_open(o->root, o->marks, NULL);
	if (r->find)
		pm_tree_rule(r->tree, belongs_to_job, r->find);
}

void pm_workermain_run(int fd, const struct pm_workermain_options *options)
{
	struct reader *r = calloc(1, sizeof *r);
	struct pm_request request;

	if (!r)
		return;
	r->options = options;
	r->fd = fd;
	if (options->tree && (options->pid || options->marks))
		open_tree(r);
	while (receive_request(r, &request) == 0 && answer_request(r, &request) == 0)
		;
	for (size_t id = 0; id < PM_SOURCES; id++) {
		if (r->reading[id].available)
			r->reading[id].source->close(r->reading[id].state);
		pm_sink_free(&r->reading[id].sink);
	}
	pm_tree_close(r->tree);
	pm_census_close(r->census);
	pm_jobfind_close(r->find);
	free(r->bytes.p);
	free(r);
}
