/*
 * Does one thing many times and prints nanoseconds per time, for pairs with BENCH_INSIDE.
 *
 * usage: loop fork|spawn|thread N      fork: fork, _exit, wait; spawn: /bin/true and wait;
 *                                      thread: create and join
 *        loop memory N                 kB of resident memory that N threads, one after the other,
 *                                      leave behind
 */
#include "config.h"

#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *nothing(void *unused)
{
	return unused;
}

static void one_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void one_spawn(void)
{
	char name[] = "true", *argv[] = { name, NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) != 0)
		exit(1);
	waitpid(pid, NULL, 0);
}

static void one_thread(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, nothing, NULL) != 0)
		exit(1);
	pthread_join(id, NULL);
}

static long resident_kb(void)
{
	long pages = 0, ignored;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &ignored, &pages) != 2)
		exit(1);
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} table[] = {
		{ "fork", one_fork },
		{ "spawn", one_spawn },
		{ "thread", one_thread },
		{ "memory", one_thread },
	};
	long n = argc > 2 ? atol(argv[2]) : 0, before;
	struct timespec start, end;

	for (size_t i = 0; i < sizeof table / sizeof table[0] && n > 0; i++) {
		if (strcmp(argv[1], table[i].name) != 0)
			continue;
		table[i].run();
		before = resident_kb();
		clock_gettime(CLOCK_MONOTONIC, &start);
		for (long k = 0; k < n; k++)
			table[i].run();
		clock_gettime(CLOCK_MONOTONIC, &end);
		if (strcmp(argv[1], "memory") == 0)
			printf("%ld\n", resident_kb() - before);
		else
			printf("%.0f\n", ((double)(end.tv_sec - start.tv_sec) * 1e9 +
					  (double)(end.tv_nsec - start.tv_nsec)) /
						 (double)n);
		return 0;
	}
	fprintf(stderr, "usage: loop fork|spawn|thread|memory N\n");
	return 2;
}
