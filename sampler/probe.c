/* Try a source out in a child process. */
#include "config.h"

#include "sampler/probe.h"

#include "common/now.h"

#include "sampler/tree/tree.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Samples whose cost is averaged, as long as they do not take longer than this together. */
#define SAMPLES    10
#define SAMPLES_US 200000

/* A source that takes longer is taken for hung; one with a period may load a driver. */
#define PATIENCE_MS      3000
#define PATIENCE_SLOW_MS 20000

/* Longest text about devices, B. */
#define DEVICES_MAX 65536

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sample_once(const struct pm_source *source, void *state, struct pm_tree *tree,
			struct pm_sink *sink)
{
	if (tree)
		pm_tree_scan(tree);
	pm_sink_clear(sink, PM_REASON_absent);
	source->sample(state, sink);
	pm_sink_passed(sink);
}

/* Let the source describe its devices. */
static void describe_devices(const struct pm_source *source, void *state,
			     const struct pm_sink *sink, struct pm_probe *probe)
{
	size_t n;
	FILE *out = source->describe ? open_memstream(&probe->devices, &n) : NULL;

	if (!out)
		return;
	source->describe(state, sink, out);
	if (fclose(out) != 0 || n >= DEVICES_MAX)
		probe->devices = NULL;
}

/* Open and sample the source; runs in the child. */
static void try_source(const struct pm_source *source, const struct pm_target *given,
		       struct pm_probe *probe)
{
	struct pm_target target = *given;
	struct pm_tree *tree = NULL;
	struct pm_sink sink;
	int64_t before, end_us;
	int samples = 0;
	void *state;

	if (pm_sink_init(&sink, source) < 0) {
		pm_source_unavailable(&probe->why, source->name);
		return;
	}
	if (source->tree && target.pid)
		target.tree = tree = pm_tree_open(target.root, target.pid, NULL);
	probe->available = source->open(&state, &target, &sink, &probe->why) == 0;
	if (!probe->available)
		return;
	sample_once(source, state, tree, &sink);
	before = cpu_ns();
	end_us = pm_now_monotonic_us() + SAMPLES_US;
	while (samples < SAMPLES && (samples == 0 || pm_now_monotonic_us() < end_us)) {
		sample_once(source, state, tree, &sink);
		samples++;
	}
	probe->cost_ns = (cpu_ns() - before) / samples;
	for (size_t i = 0; i < sink.count; i++) {
		probe->series += !sink.series[i].free;
		probe->unknown += !sink.series[i].free && !sink.series[i].known;
	}
	describe_devices(source, state, &sink, probe);
	source->close(state);
}

/* Write the probe, then the text about devices; runs in the child. Returns 0, or -1. */
static int write_answer(int fd, const struct pm_probe *probe)
{
	const char *p = probe->devices ? probe->devices : "";

	if (write(fd, probe, sizeof *probe) != sizeof *probe)
		return -1;
	for (size_t n = strlen(p); n;) {
		const ssize_t done = write(fd, p, n);

		if (done <= 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* Read the text about devices up to the child's end. Returns it, or NULL where there is none. */
static char *read_devices(int fd)
{
	char *text = malloc(DEVICES_MAX);
	size_t n = 0;
	ssize_t got = 1;

	while (text && got > 0 && n < DEVICES_MAX - 1) {
		got = read(fd, text + n, DEVICES_MAX - 1 - n);
		n += got > 0 ? (size_t)got : 0;
	}
	if (text && n)
		text[n] = '\0';
	else
		free(text), text = NULL;
	return text;
}

/* Read the child's answer. Returns 0, or -1 where none came: *late if the time ran out. */
static int read_answer(int fd, int patience_ms, struct pm_probe *probe, bool *late)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int ready;

	do
		ready = poll(&wait, 1, patience_ms);
	while (ready < 0 && errno == EINTR);
	*late = ready == 0;
	/* One read gets all: the child's write is within PIPE_BUF, and so atomic. */
	if (ready <= 0 || read(fd, probe, sizeof *probe) != sizeof *probe)
		return -1;
	probe->devices = read_devices(fd);
	return 0;
}

void pm_probe_run(const struct pm_source *source, const struct pm_target *target,
		  struct pm_probe *probe)
{
	const int patience_ms = source->period_us ? PATIENCE_SLOW_MS : PATIENCE_MS;
	bool late;
	int fd[2];
	pid_t pid;

	memset(probe, 0, sizeof *probe);
	if (pipe(fd) < 0) {
		pm_source_unavailable(&probe->why, "pipe");
		return;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		try_source(source, target, probe);
		_exit(write_answer(fd[1], probe) < 0);
	}
	close(fd[1]);
	if (pid < 0) {
		pm_source_unavailable(&probe->why, "fork");
	} else if (read_answer(fd[0], patience_ms, probe, &late) < 0) {
		memset(probe, 0, sizeof *probe);
		probe->why.reason = late ? PM_REASON_late : PM_REASON_failed;
		pm_err(&probe->why.err, late ? "no answer within %d s" : "the source crashed",
		       patience_ms / 1000);
		kill(pid, SIGKILL);
	}
	close(fd[0]);
	/* Do not wait for a child that hangs in the kernel, where SIGKILL has no effect yet. */
	if (pid > 0)
		waitpid(pid, NULL, probe->why.reason == PM_REASON_late ? WNOHANG : 0);
}
