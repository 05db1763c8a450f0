/*
 * Runs a command and says in a file what it cost:
 *
 *	cost FILE COMMAND [ARG...]
 *
 * FILE gets one line: wall time, CPU time in user mode and in the kernel, each in seconds, and the
 * peak of resident memory of the command in kB. Exit status is the command's.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct rusage used;
	double begin = now();
	FILE *out;
	pid_t pid;
	int status;

	if (argc < 3) {
		fputs("usage: cost FILE COMMAND [ARG...]\n", stderr);
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) < 0 || !(out = fopen(argv[1], "w"))) {
		perror("cost");
		return 1;
	}
	fprintf(out, "%.6f %.6f %.6f %ld\n", now() - begin, seconds(used.ru_utime),
		seconds(used.ru_stime), used.ru_maxrss);
	if (fclose(out) != 0) {
		perror(argv[1]);
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
