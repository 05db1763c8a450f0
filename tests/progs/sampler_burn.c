/*
 * sampler_burn CHILDREN MILLISECONDS: runs CHILDREN children one after the other, each of which
 * uses that much CPU time, and prints the CPU time of all of them and its own in microseconds.
 * It then does nothing until standard input ends.
 */
#include <stdio.h>
#include <stdlib.h>
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

int main(int argc, char **argv)
{
	long children = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	long ms = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	char c;

	for (; children > 0; children--) {
		pid_t pid = fork();

		if (pid == 0) {
			while (cpu_us(RUSAGE_SELF) < ms * 1000)
				;
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
