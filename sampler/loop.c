/* The sampler's loop. */
#include "config.h"

#include "sampler/loop.h"

#include "common/log.h"
#include "sampler/clock.h"
#include "sampler/tree.h"
#include "sampler/writer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_TIMER, WAIT_SIGNAL, WAIT_ROOT, WAITS };

/* A source in use. */
struct reader {
	enum pm_source_id id;
	void *state;
	bool available;
};

struct loop {
	const struct pm_loop_options *options;
	struct pm_tree *tree;
	struct pm_writer writer;
	struct pm_clock clock;
	struct pm_own own;
	uint64_t cost_ns[PM_SOURCES];
	struct reader readers[PM_SOURCES];
	struct pm_sink sinks[PM_SOURCES]; /* as readers */
	size_t count;
	struct pollfd wait[WAITS];
	bool reader_left; /* of standard output */
};

/* --- begin and end ---------------------------------------------------------------------------- */

static int open_sources(struct loop *l, struct pm_err *e)
{
	const struct pm_target target = {
		.root = l->options->root,
		.tree = l->tree,
		.own = &l->own,
	};

	for (int id = 0; id < PM_SOURCES; id++) {
		const struct pm_source *source = pm_source_table[id];
		struct reader *r = &l->readers[l->count];
		struct pm_sink *sink = &l->sinks[l->count];
		struct pm_unavailable why;

		if (!l->options->selected[id])
			continue;
		if (pm_sink_init(sink, source) < 0)
			return pm_err(e, "source %s: out of memory", source->name);
		l->count++;
		r->id = (enum pm_source_id)id;
		r->available = source->open(&r->state, &target, sink, &why) == 0;
		if (r->available)
			continue;
		/* Its series stand in the first tick with the reason, and in no other. */
		pm_sink_clear(sink, why.reason);
		pm_info("source %s: %s", source->name, why.err.text);
	}
	return 0;
}

static int open_waits(struct loop *l, struct pm_err *e)
{
	const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A limit on file sizes or a reader gone are errors of write, like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < WAITS; i++)
		l->wait[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	l->wait[WAIT_SIGNAL].fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	l->wait[WAIT_TIMER].fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->wait[WAIT_SIGNAL].fd < 0 || l->wait[WAIT_TIMER].fd < 0)
		return pm_err(e, "timer: %m");
	/* Readable when the root process ends: so a short job's end is seen before the next tick.
	 * Where the kernel is too old, or the process is one of a recorded tree, the ticks do. */
	if (l->options->pid && l->options->root[0] == '\0')
		l->wait[WAIT_ROOT].fd = (int)syscall(SYS_pidfd_open, l->options->pid, 0);
	return 0;
}

static void finish(struct loop *l)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->readers[i].available)
			l->sinks[i].source->close(l->readers[i].state);
		pm_sink_free(&l->sinks[i]);
	}
	for (int i = 0; i < WAITS; i++)
		if (l->wait[i].fd >= 0)
			close(l->wait[i].fd);
	pm_writer_close(&l->writer);
	pm_tree_close(l->tree);
}

/* --- one tick --------------------------------------------------------------------------------- */

/* CPU time of this thread. */
static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Scan the tree. Returns false when there is one and none of its processes lives. */
static bool scan(struct loop *l)
{
	uint64_t before;
	size_t living;

	if (!l->tree)
		return true;
	before = cpu_ns();
	living = pm_tree_scan(l->tree);
	l->cost_ns[PM_SOURCE_process] += cpu_ns() - before;
	return living > 0;
}

/* Read every source and append the tick of this moment. `scheduled`: it belongs to the grid. */
static void sample(struct loop *l, struct pm_moment now, bool scheduled)
{
	l->own.scheduled = scheduled;
	l->own.late_us = now.monotonic_us - l->clock.next_us;
	if (scheduled)
		l->own.missed += pm_clock_advance(&l->clock, now.monotonic_us);
	for (size_t i = 0; i < l->count; i++) {
		struct reader *r = &l->readers[i];
		uint64_t before;

		if (!r->available)
			continue;
		before = cpu_ns();
		pm_sink_clear(&l->sinks[i], PM_REASON_absent);
		l->sinks[i].source->sample(r->state, &l->sinks[i]);
		l->cost_ns[r->id] += cpu_ns() - before;
	}
	if (pm_writer_tick(&l->writer, now, l->sinks, l->count) < 0) {
		l->own.lost++;
		l->reader_left = errno == EPIPE;
		pm_debug("tick lost: %m");
		return;
	}
	for (size_t i = 0; i < l->count; i++)
		if (!l->readers[i].available)
			pm_sink_free(&l->sinks[i]);
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* Arm the timer for the next tick; one in the past fires at once. */
static void arm(struct loop *l)
{
	const struct itimerspec at = {
		.it_value = { .tv_sec = l->clock.next_us / 1000000,
			      .tv_nsec = l->clock.next_us % 1000000 * 1000 },
	};

	timerfd_settime(l->wait[WAIT_TIMER].fd, TFD_TIMER_ABSTIME, &at, NULL);
}

/* Wait for the next tick, a signal or the root's end. Returns which of the WAIT_ it was. */
static int wait_next(struct loop *l)
{
	for (;;) {
		if (poll(l->wait, WAITS, -1) < 0) {
			if (errno == EINTR)
				continue;
			return WAIT_SIGNAL;
		}
		/* The end first: a tick after it would only come before the last sample. */
		if (l->wait[WAIT_SIGNAL].revents)
			return WAIT_SIGNAL;
		if (l->wait[WAIT_ROOT].revents) {
			close(l->wait[WAIT_ROOT].fd);
			l->wait[WAIT_ROOT].fd = -1;
			return WAIT_ROOT;
		}
		if (l->wait[WAIT_TIMER].revents)
			return WAIT_TIMER;
	}
}

static void run(struct loop *l)
{
	struct pm_moment now = pm_clock_now();
	bool alive = scan(l);

	sample(l, now, false);
	pm_clock_start(&l->clock, l->options->interval_us, now);
	while (alive && !l->reader_left) {
		int why;

		arm(l);
		why = wait_next(l);
		now = pm_clock_now();
		alive = scan(l);
		if (why == WAIT_SIGNAL)
			alive = false;
		else if (why == WAIT_ROOT && alive)
			continue; /* its descendants go on */
		sample(l, now, why == WAIT_TIMER);
	}
}

int pm_loop_run(const struct pm_loop_options *options, struct pm_err *e)
{
	struct loop l = { .options = options, .writer.fd = -1 };
	int result = -1;

	l.own.cost_ns = l.cost_ns;
	for (int i = 0; i < WAITS; i++)
		l.wait[i].fd = -1;
	if (options->pid) {
		l.tree = pm_tree_open(options->root, options->pid, e);
		if (!l.tree)
			return -1;
	}
	if (open_sources(&l, e) < 0 || open_waits(&l, e) < 0 ||
	    pm_writer_open(&l.writer, options->directory, STDOUT_FILENO, options->interval_us,
			   options->root, e) < 0)
		goto out;
	run(&l);
	result = 0;
out:
	finish(&l);
	return result;
}
