/*
 * Runs a command under several environments in turn, so that all of them see the same weather, and
 * prints what each costs: the median wall time and its ratio to the first environment, the mean CPU
 * time and page faults of a run.
 *
 * usage: pairs ROUNDS NAME[,VARIABLE=VALUE...] NAME... -- COMMAND [ARG...]
 *
 * With BENCH_INSIDE set the command measures itself: it prints one number, nanoseconds per
 * operation, and that is taken instead of its wall time.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CASES_MAX 8

struct one {
	const char *name;
	char *env[32];
	double *wall; /* one per round, us */
	double cpu;   /* us in all */
	double faults;
};

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double cpu_us(const struct rusage *u)
{
	return ((double)u->ru_utime.tv_sec + (double)u->ru_stime.tv_sec) * 1e6 +
	       (double)u->ru_utime.tv_usec + (double)u->ru_stime.tv_usec;
}

static void fail(const char *what)
{
	fprintf(stderr, "pairs: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* NAME,VARIABLE=VALUE,... to an environment: ours without LD_PRELOAD and PERFMON_*, and these. */
static void set_case(struct one *c, char *text, int rounds)
{
	static const char *const kept[] = { "PATH", "HOME", "TMPDIR" };
	int n = 0;

	c->wall = calloc((size_t)rounds, sizeof *c->wall);
	if (!c->wall)
		fail("memory");
	c->name = strsep(&text, ",");
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
		const char *value = getenv(kept[i]);

		if (value && asprintf(&c->env[n], "%s=%s", kept[i], value) > 0)
			n++;
	}
	for (char *p; (p = strsep(&text, ",")) != NULL && n < 31;)
		c->env[n++] = p;
}

static void run(struct one *c, char **argv, int round, int inside)
{
	posix_spawn_file_actions_t actions;
	struct rusage used;
	int out[2], status;
	char text[64];
	ssize_t got = 0;
	double start;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) < 0)
		fail("pipe");
	posix_spawn_file_actions_init(&actions);
	if (inside)
		posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	else
		posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	start = now_us();
	errno = posix_spawnp(&pid, argv[0], &actions, NULL, argv, c->env);
	if (errno)
		fail(argv[0]);
	if (wait4(pid, &status, 0, &used) != pid)
		fail("wait4");
	c->wall[round] = now_us() - start;
	close(out[1]);
	if (inside) {
		got = read(out[0], text, sizeof text - 1);
		text[got > 0 ? got : 0] = '\0';
		c->wall[round] = strtod(text, NULL) / 1e3;
	}
	close(out[0]);
	posix_spawn_file_actions_destroy(&actions);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || (inside && got <= 0)) {
		fprintf(stderr, "pairs: %s failed under %s\n", argv[0], c->name);
		exit(1);
	}
	c->cpu += cpu_us(&used);
	c->faults += (double)used.ru_minflt;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static struct one cases[CASES_MAX];
	int rounds = argc > 1 ? atoi(argv[1]) : 0, n = 0, i = 2;
	int inside = getenv("BENCH_INSIDE") != NULL;

	for (; i < argc && strcmp(argv[i], "--") != 0 && n < CASES_MAX; i++)
		set_case(&cases[n++], argv[i], rounds);
	if (rounds < 1 || n < 1 || i + 1 >= argc) {
		fprintf(stderr, "usage: pairs ROUNDS NAME[,VARIABLE=VALUE...]... -- COMMAND...\n");
		return 2;
	}
	for (int k = 0; k < n; k++) /* warm up */
		run(&cases[k], argv + i + 1, 0, inside);
	for (int k = 0; k < n; k++)
		cases[k].cpu = cases[k].faults = 0;
	for (int round = 0; round < rounds; round++)
		for (int k = 0; k < n; k++)
			run(&cases[k], argv + i + 1, round, inside);
	for (int k = 0; k < n; k++) {
		struct one *c = &cases[k];

		qsort(c->wall, (size_t)rounds, sizeof *c->wall, compare);
		printf("%-20s %12.2f us %7.3f x %12.1f us CPU %10.1f faults\n", c->name,
		       c->wall[rounds / 2], c->wall[rounds / 2] / cases[0].wall[rounds / 2],
		       c->cpu / rounds, c->faults / rounds);
	}
	return 0;
}
