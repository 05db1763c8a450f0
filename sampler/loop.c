/* The sampler's loop. */
#include "config.h"

#include "sampler/loop.h"

#include "common/log.h"
#include "sampler/downsample.h"
#include "sampler/finishfile.h"
#include "sampler/job/jobwatch.h"
#include "sampler/sizelimit.h"
#include "sampler/tree/tree.h"
#include "sampler/workers.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* In Linux since 5.3: build systems may be older. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* Time between two checks whether the job is over. */
#define LOOK_US 1000000

/* Longest wait for the last readings. */
#define LAST_US 500000

/* With as much between two ticks or more, values of slow sources are shown when they have come. */
#define SHOWN_BETWEEN_US 5000000

/* Time that the readings of a tick get even if the next tick is due earlier: a busy machine makes
 * ticks few rather than empty. The first readings get more, since they open all sources. */
#define PATIENCE_US       250000
#define FIRST_PATIENCE_US 5000000

enum { WAIT_TIMER, WAIT_SIGNAL, WAIT_ROOT, WAITS };

struct loop {
	struct pm_loop_options options;
	struct pm_workers crew;
	struct pm_writer writer;
	struct pm_thinner thinner;
	struct pm_sizelimit size;
	struct pm_clock clock;
	struct pm_clock checkpoint;
	struct pm_own own;
	struct pm_jobwatch *job; /* NULL: none */
	int64_t look_us;         /* time of the next look for the job's end; INT64_MAX: never */
	int64_t armed_us;        /* time for which the timer is armed */
	int fd[WAITS];
	int64_t patient_us; /* before this time no answer in the open round is late */
	bool unseen;        /* values have come since the latest tick */
	bool reader_left;   /* the reader of standard output went away */
	bool root_ended;    /* the root process ended and no round has begun since */
	bool reload;        /* SIGHUP has come */
	bool stop;          /* sampling is to stop, by a signal or since the job is over */
	int64_t stop_us;    /* with `stop`: end of the wait for the open round */
	bool last;          /* the last round has begun */
	int64_t end_us;     /* with `last`: end of the wait for the last round */
};

/* --- start ------------------------------------------------------------------------------------ */

static int open_waits(struct loop *l, struct pm_err *e)
{
	const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGCHLD };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* While SIGCHLD is ignored, children end without a signal. */
	signal(SIGCHLD, SIG_DFL);
	/* Have write(2) report a file size limit or a closed pipe as errors, like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	l->fd[WAIT_SIGNAL] = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	l->fd[WAIT_TIMER] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->fd[WAIT_SIGNAL] < 0 || l->fd[WAIT_TIMER] < 0)
		return pm_err(e, "timer: %m");
	/* A pidfd shows the root process' end before the next tick, which matters for short jobs.
	 * On old kernels, and with a recorded tree, the next tick finds the end. */
	if (l->options.pid && l->options.root[0] == '\0')
		l->fd[WAIT_ROOT] = (int)syscall(SYS_pidfd_open, l->options.pid, 0);
	return 0;
}

/* Whether the tree can be followed here. */
static int try_tree(const struct pm_loop_options *options, struct pm_err *e)
{
	struct pm_tree *tree;

	if (!options->pid)
		return 0;
	tree = pm_tree_open(options->root, options->pid, e);
	pm_tree_close(tree);
	return tree ? 0 : -1;
}

/* --- ticks ------------------------------------------------------------------------------------ */

/* Read the sources that fill the file less often where it has grown too large. */
static void keep_size(struct loop *l, struct pm_moment now)
{
	uint64_t bytes[PM_SOURCES];
	bool rarer[PM_SOURCES];

	for (size_t id = 0; id < PM_SOURCES; id++)
		bytes[id] = l->crew.slot[id].sink.written;
	if (!pm_sizelimit_reached(&l->size, l->writer.written, bytes, rarer))
		return;
	for (size_t id = 0; id < PM_SOURCES; id++)
		if (rarer[id] && pm_workers_rarer(&l->crew, id, now))
			pm_info("series have %" PRIu64 " bytes: source %s is read half as often",
				l->writer.written, l->crew.slot[id].source->name);
}

/* Show the latest values of all sources. later: they came between two ticks. */
static void show_values(struct loop *l, struct pm_moment at, bool later)
{
	const struct pm_sink *sinks[PM_SOURCES];

	for (size_t id = 0; id < PM_SOURCES; id++)
		sinks[id] = l->options.selected[id] && l->crew.slot[id].sink.count
				    ? &l->crew.slot[id].sink
				    : NULL;
	pm_publish_tick(l->options.publish, at, later, sinks);
	l->unseen = false;
}

static int put_sinks(void *arg, struct pm_moment at, struct pm_sink *const *sinks, size_t count)
{
	struct loop *l = arg;
	int rc = pm_thinner_tick(&l->thinner, at, sinks, count);

	if (l->options.publish && at.monotonic_us == l->crew.round.monotonic_us)
		show_values(l, at, false);
	else
		l->unseen = true;

	if (rc < 0) {
		l->own.lost++;
		l->reader_left = l->reader_left || errno == EPIPE;
		pm_debug("sample skipped: %m");
	}
	l->own.written = l->writer.written;
	keep_size(l, at);
	return rc;
}

/* Begin a round of readings. scheduled: the tick is on the grid. */
static void begin_tick(struct loop *l, struct pm_moment now, bool scheduled)
{
	/* Put the previous round first: it must not get this tick's lateness. */
	if (l->crew.open)
		pm_workers_end(&l->crew);
	l->own.scheduled = scheduled;
	l->own.late_us = now.monotonic_us - l->clock.next_us;
	if (scheduled)
		l->own.missed += pm_clock_advance(&l->clock, now);
	pm_workers_begin(&l->crew, now);
	l->patient_us = now.monotonic_us + PATIENCE_US;
}

/* Time of the next tick. An open round delays it until patient_us, unless the round ends first. */
static int64_t next_tick(const struct loop *l)
{
	if (l->crew.open && l->patient_us > l->clock.next_us)
		return l->patient_us;
	return l->clock.next_us;
}

/* Whether a checkpoint is due by until_us. Never in an open round, whose incomplete readings the
 * flush would write as complete. */
static bool checkpoint_is_next(const struct loop *l, int64_t until_us)
{
	return l->options.checkpoint_us && !l->crew.open && l->checkpoint.next_us <= until_us;
}

/* Flush the series and sync them to disk, so that they survive a crash of the node. */
static void make_checkpoint(struct loop *l, struct pm_moment now)
{
	pm_clock_advance(&l->checkpoint, now);
	pm_thinner_flush(&l->thinner);
	if (pm_output_sync(&l->writer.output[PM_WRITER_FILE]) < 0)
		pm_debug("checkpoint skipped: the previous one is still running, or there is no "
			 "series file");
}

/* Do what is due by the clock: tick, slow sources, checkpoint. */
static void on_time(struct loop *l, struct pm_moment now)
{
	if (!l->last && now.monotonic_us >= next_tick(l))
		begin_tick(l, now, true);
	if (!l->last)
		pm_workers_slow(&l->crew, now, false);
	if (checkpoint_is_next(l, now.monotonic_us))
		make_checkpoint(l, now);
}

/* Begin to count the bytes of a file. */
static void begin_size(struct loop *l)
{
	l->size = (struct pm_sizelimit){ .max = l->options.max_series, .from = l->writer.written };
	for (size_t id = 0; id < PM_SOURCES; id++)
		l->size.taken[id] = l->crew.slot[id].sink.written;
}

/* Read settings anew and go on in a new file. */
static void reload_settings(struct loop *l, struct pm_moment now)
{
	const int64_t before = l->options.interval_us;
	struct pm_err e = { "" };

	l->reload = false;
	if (l->options.reload && l->options.reload(&l->options, &e) < 0)
		pm_warn("%s: the settings remain unchanged", e.text);
	pm_thinner_flush(&l->thinner);
	if (pm_writer_rotate(&l->writer, l->options.interval_us, &e) < 0)
		pm_warn("%s: the series continue in the same file", e.text);
	l->thinner.max = l->options.max_samples;
	begin_size(l);
	if (l->options.interval_us != before)
		pm_clock_start(&l->clock, l->options.interval_us, now);
	pm_workers_interval(&l->crew, l->options.interval_us);
	if (l->options.checkpoint_us)
		pm_clock_start(&l->checkpoint, l->options.checkpoint_us, now);
	begin_tick(l, now, false);
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* Arm the timer for the next due time; a time in the past fires at once. */
static void arm_timer(struct loop *l)
{
	const int64_t slow_us = pm_workers_due(&l->crew);
	const int64_t part_us = pm_workers_part(&l->crew, pm_clock_now());
	int64_t next_us = next_tick(l);
	struct itimerspec at = { 0 };

	if (slow_us < next_us)
		next_us = slow_us;
	if (l->look_us < next_us)
		next_us = l->look_us;
	if (checkpoint_is_next(l, next_us))
		next_us = l->checkpoint.next_us;
	if (l->last)
		next_us = l->end_us;
	else if (l->stop && l->stop_us < next_us)
		next_us = l->stop_us;
	if (part_us < next_us)
		next_us = part_us;
	/* A timer that has fired stays readable until it is armed anew. */
	if (next_us == l->armed_us)
		return;
	l->armed_us = next_us;
	at.it_value.tv_sec = next_us / 1000000;
	at.it_value.tv_nsec = next_us % 1000000 * 1000;
	timerfd_settime(l->fd[WAIT_TIMER], TFD_TIMER_ABSTIME, &at, NULL);
}

static void on_signals(struct loop *l)
{
	struct signalfd_siginfo info;
	bool done;

	while (read(l->fd[WAIT_SIGNAL], &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGCHLD) {
			pm_workers_reap(&l->crew);
			if (pm_output_synced(&l->writer.output[PM_WRITER_FILE], &done) && done)
				l->own.checkpoints++;
		} else if (info.ssi_signo == SIGHUP) {
			l->reload = true;
		} else if (!l->stop) {
			l->stop = true;
			l->stop_us = pm_clock_now().monotonic_us + LAST_US;
		}
	}
}

static void wait_next(struct loop *l)
{
	struct pollfd fds[WAITS + PM_WORKERS_MAX];
	size_t count;

	arm_timer(l);
	for (int i = 0; i < WAITS; i++)
		fds[i] = (struct pollfd){ .fd = l->fd[i], .events = POLLIN };
	count = pm_workers_wait(&l->crew, fds + WAITS);
	if (poll(fds, WAITS + count, -1) < 0)
		return;
	pm_workers_listen(&l->crew, fds + WAITS, count);
	if (fds[WAIT_SIGNAL].revents)
		on_signals(l);
	if (fds[WAIT_ROOT].revents) {
		close(l->fd[WAIT_ROOT]);
		l->fd[WAIT_ROOT] = -1;
		l->root_ended = true;
	}
}

/* Make the round under way, or just begun, the last one. */
static void begin_last(struct loop *l, struct pm_moment now)
{
	l->last = true;
	l->end_us = now.monotonic_us + LAST_US;
	pm_workers_slow(&l->crew, now, true);
}

/* If a check is due, check whether the job is over. */
static void look_for_end(struct loop *l, struct pm_moment now)
{
	if (l->stop || now.monotonic_us < l->look_us)
		return;
	l->look_us = now.monotonic_us + LOOK_US;
	if ((l->options.until && pm_finishfile_over(l->options.until)) ||
	    (l->job && pm_jobwatch_over(l->job, now.monotonic_us))) {
		l->stop = true;
		l->stop_us = now.monotonic_us + LAST_US;
	}
}

static void run_loop(struct loop *l)
{
	struct pm_moment now = pm_clock_now();

	pm_workers_interval(&l->crew, l->options.interval_us);
	pm_clock_start(&l->clock, l->options.interval_us, now);
	if (l->options.checkpoint_us)
		pm_clock_start(&l->checkpoint, l->options.checkpoint_us, now);
	begin_tick(l, now, false);
	l->patient_us = now.monotonic_us + FIRST_PATIENCE_US;
	pm_workers_slow(&l->crew, now, true);
	l->look_us = l->job || l->options.until ? now.monotonic_us : INT64_MAX;
	while (!l->reader_left) {
		look_for_end(l, now);
		wait_next(l);
		now = pm_clock_now();
		if (l->options.publish && l->unseen && l->options.interval_us >= SHOWN_BETWEEN_US &&
		    pm_workers_quiet(&l->crew))
			show_values(l, now, true);
		if (l->last) {
			if (pm_workers_quiet(&l->crew) || now.monotonic_us >= l->end_us)
				break;
		} else if (l->crew.living == 0) {
			/* The round that found the tree empty is the last one. */
			begin_last(l, now);
		} else if (l->stop && (!l->crew.open || now.monotonic_us >= l->stop_us)) {
			begin_tick(l, now, false);
			begin_last(l, now);
		} else if (l->reload && !l->crew.open) {
			reload_settings(l, now);
		} else if (l->root_ended && !l->crew.open) {
			/* Descendants of the root process may live on; a round finds out. */
			l->root_ended = false;
			begin_tick(l, now, false);
		} else {
			on_time(l, now);
		}
	}
	pm_workers_give_up(&l->crew, now);
	pm_thinner_flush(&l->thinner);
}

int pm_loop_run(const struct pm_loop_options *options, struct pm_err *e)
{
	const struct pm_workermain_options reader = {
		.table = options->table ? options->table : pm_source_table,
		.root = options->root,
		.pid = options->pid,
		.marks = options->marks,
		.no_cpu_series = options->no_cpu_series,
	};
	struct loop *l = calloc(1, sizeof *l);
	int result = -1;

	if (!l)
		return pm_err(e, "out of memory");
	l->options = *options;
	for (int i = 0; i < PM_WRITER_OUTPUTS; i++)
		l->writer.output[i].fd = -1;
	l->thinner = (struct pm_thinner){ .writer = &l->writer, .max = options->max_samples };
	for (int i = 0; i < WAITS; i++)
		l->fd[i] = -1;
	if (options->marks && !(l->job = pm_jobwatch_open(options->root, options->marks, e)))
		goto out;
	if (try_tree(options, e) < 0 ||
	    pm_workers_open(&l->crew, &reader, l->options.selected, &l->own, put_sinks, l, e) < 0 ||
	    open_waits(l, e) < 0 ||
	    pm_writer_open(&l->writer, options->directory, options->stream ? STDOUT_FILENO : -1,
			   options->interval_us, options->root, e) < 0)
		goto out;
	begin_size(l);
	run_loop(l);
	result = 0;
out:
	pm_workers_close(&l->crew);
	pm_jobwatch_close(l->job);
	for (int i = 0; i < WAITS; i++)
		if (l->fd[i] >= 0)
			close(l->fd[i]);
	pm_thinner_close(&l->thinner);
	pm_writer_close(&l->writer);
	free(l);
	return result;
}
