/*
 * The yardstick of what a sample costs: the CPU time that nothing but reading /proc/PID/stat, statm
 * and io of the processes takes on this machine, with open, read and close each time and by
 * descriptors that are kept.
 *
 * usage: procread ROUNDS PID...
 *
 * There are 10 ms between two rounds. Prints the two, each per round in microseconds.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = { "stat", "statm", "io" };
#define NAMES (sizeof names / sizeof names[0])

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int open_file(const char *pid, size_t name)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%s/%s", pid, names[name]);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* One round over all files; fd[] holds -1 where a file is to be opened and closed. */
static int64_t round_ns(char **pid, size_t files, const int *fd)
{
	const int64_t began_ns = cpu_ns();
	char text[4096];

	for (size_t i = 0; i < files; i++) {
		int f = fd[i] < 0 ? open_file(pid[i / NAMES], i % NAMES) : fd[i];

		if (f < 0 || pread(f, text, sizeof text, 0) <= 0) {
			fprintf(stderr, "procread: /proc/%s/%s: %s\n", pid[i / NAMES],
				names[i % NAMES], strerror(errno));
			exit(1);
		}
		if (fd[i] < 0)
			close(f);
	}
	return cpu_ns() - began_ns;
}

static double mean_us(char **pid, size_t files, const int *fd, long rounds)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	int64_t sum_ns = 0;

	for (long i = 0; i < rounds; i++) {
		sum_ns += round_ns(pid, files, fd);
		nanosleep(&pause, NULL);
	}
	return (double)sum_ns / 1000 / (double)rounds;
}

int main(int argc, char **argv)
{
	const size_t files = argc > 2 ? (size_t)(argc - 2) * NAMES : 0;
	const long rounds = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	int *fd = calloc(files + 1, sizeof *fd);
	double opened_us;

	if (!fd || rounds <= 0) {
		fprintf(stderr, "usage: procread ROUNDS PID...\n");
		return 2;
	}
	for (size_t i = 0; i < files; i++)
		fd[i] = -1;
	opened_us = mean_us(argv + 2, files, fd, rounds);
	for (size_t i = 0; i < files; i++)
		fd[i] = open_file(argv[2 + i / NAMES], i % NAMES);
	printf("%.0f %.0f\n", opened_us, mean_us(argv + 2, files, fd, rounds));
	free(fd);
	return 0;
}
