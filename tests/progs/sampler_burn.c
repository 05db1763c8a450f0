/*
 * sampler_burn CHILDREN MILLISECONDS [THREADS [ORPHANS]]: runs CHILDREN children one after the
 * other, each of which uses that much CPU time in each of its THREADS threads (0: in its only
 * one), and prints the CPU time of all of them and its own in microseconds. It then does nothing
 * until standard input ends. Before that it starts ORPHANS children more that each have a child
 * which burns as much, but leave it alone at once: a daemon's double fork.
 *
 * sampler_burn ends N: prints the mean CPU time in microseconds that the end of each of N children
 * takes, behind its own last look.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long long cpu_us(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000LL + u.ru_utime.tv_usec +
	       u.ru_stime.tv_usec;
}

static long us;

static void *burn(void *unused)
{
	while (cpu_us(RUSAGE_THREAD) < us)
		;
	return unused;
}

static void burn_in(long threads)
{
	pthread_t thread[64];
	long i;

	if (threads == 0)
		burn(NULL);
	for (i = 0; i < threads && i < 64; i++)
		if (pthread_create(&thread[i], NULL, burn, NULL) != 0)
			abort();
	while (i > 0)
		pthread_join(thread[--i], NULL);
}

static int measure_ends(long n)
{
	long long seen = 0, looked;
	int looks[2];

	if (n < 1 || pipe(looks) < 0)
		return 1;
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			us = 2000;
			burn(NULL);
			looked = cpu_us(RUSAGE_SELF);
			_exit(write(looks[1], &looked, sizeof looked) != sizeof looked);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid ||
		    read(looks[0], &looked, sizeof looked) != sizeof looked)
			return 1;
		seen += looked;
	}
	printf("%lld\n", (cpu_us(RUSAGE_CHILDREN) - seen) / n);
	return 0;
}

int main(int argc, char **argv)
{
	long children = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	long threads = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	long orphans = argc > 4 ? strtol(argv[4], NULL, 10) : 0;
	char c;

	if (argc > 2 && strcmp(argv[1], "ends") == 0)
		return measure_ends(strtol(argv[2], NULL, 10));
	us = 1000 * (argc > 2 ? strtol(argv[2], NULL, 10) : 1);
	for (children += orphans; children > 0; children--, orphans--) {
		pid_t pid = fork();

		if (pid == 0) {
			if (orphans > 0 && fork() > 0)
				_exit(0);
			burn_in(threads);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
	}
	printf("%lld\n", cpu_us(RUSAGE_SELF) + cpu_us(RUSAGE_CHILDREN));
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	return 0;
}
