/*
 * Runs a command under several environments in turn, so that all of them see the same weather, and
 * prints a table of what one operation costs under each: the median of the rounds' wall times with
 * the least and the most, the median's ratio to that of the first environment, CPU time, page
 * faults (both with all waited-for descendants), and the peak of resident memory of one process.
 *
 * usage: pairs ROUNDS RUNS OPERATIONS NAME[,VARIABLE=VALUE...] NAME... -- COMMAND [ARG...]
 *
 * A round runs the command RUNS times under each environment, and every run does OPERATIONS of what
 * is to be measured.
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
	long peak; /* kB */
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

static void run(struct one *c, char **argv, const posix_spawn_file_actions_t *actions)
{
	struct rusage used;
	int status;
	pid_t pid;

	errno = posix_spawnp(&pid, argv[0], actions, NULL, argv, c->env);
	if (errno)
		fail(argv[0]);
	if (wait4(pid, &status, 0, &used) != pid)
		fail("wait4");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "pairs: %s failed under %s\n", argv[0], c->name);
		exit(1);
	}
	c->cpu += cpu_us(&used);
	c->faults += (double)used.ru_minflt;
	if (used.ru_maxrss > c->peak)
		c->peak = used.ru_maxrss;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static struct one cases[CASES_MAX];
	int rounds = argc > 4 ? atoi(argv[1]) : 0, runs = argc > 4 ? atoi(argv[2]) : 0;
	double all = argc > 4 ? (double)runs * atoi(argv[3]) : 0;
	posix_spawn_file_actions_t actions;
	int n = 0, i = 4;

	for (; i < argc && strcmp(argv[i], "--") != 0 && n < CASES_MAX && rounds > 0; i++)
		set_case(&cases[n++], argv[i], rounds);
	if (!(all >= 1) || n < 1 || i + 1 >= argc) {
		fprintf(stderr, "usage: pairs ROUNDS RUNS OPERATIONS NAME[,VARIABLE=VALUE...]... "
				"-- COMMAND...\n");
		return 2;
	}
	argv += i + 1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	for (int k = 0; k < n; k++) { /* warm up */
		run(&cases[k], argv, &actions);
		cases[k].cpu = cases[k].faults = 0;
	}
	for (int round = 0; round < rounds; round++) {
		for (int k = 0; k < n; k++) {
			struct one *c = &cases[(k + round) % n];
			double start = now_us();

			for (int r = 0; r < runs; r++)
				run(c, argv, &actions);
			c->wall[round] = (now_us() - start) / all;
		}
	}
	printf("%-18s %9s %9s %9s %7s %9s %7s %8s %8s\n", "", "wall us", "least", "most", "x first",
	       "CPU us", "x first", "faults", "peak kB");
	for (int k = 0; k < n; k++) {
		struct one *c = &cases[k];

		qsort(c->wall, (size_t)rounds, sizeof *c->wall, compare);
		printf("%-18s %9.1f %9.1f %9.1f %7.3f %9.1f %7.3f %8.1f %8ld\n", c->name,
		       c->wall[rounds / 2], c->wall[0], c->wall[rounds - 1],
		       c->wall[rounds / 2] / cases[0].wall[rounds / 2], c->cpu / rounds / all,
		       c->cpu / cases[0].cpu, c->faults / rounds / all, c->peak);
	}
	return 0;
}
