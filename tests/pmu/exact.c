/*
 * Executes known numbers of instructions: a loop of two, N times round. For pmu.t, which counts.
 *
 * usage: exact loop N        in the process
 *        exact threads K N   in each of K threads, in the k-th k * N times, and N times in the
 *                            main thread
 *        exact family N      N times in the process, 2 N in a fork child, and 3 N in a vfork child
 *                            that execs this program
 *        exact exec N        N times, then 2 N in the image that it execs itself into
 *
 * Prints for each: pid, tid or 0 for the process, and how many instructions its loops were.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX 64

static long rounds;

/* Two instructions a round: known to the reader, not to the compiler. */
static void loop(long n)
{
#ifdef __aarch64__
	__asm__ volatile("1:	subs %0, %0, #1\n"
			 "	b.ne 1b\n"
			 : "+r"(n)
			 :
			 : "cc");
#else
#error "exact: write the loop for this architecture"
#endif
}

/* A write of its own for each line: children share the file. */
static void say(long pid, long tid, long n)
{
	char line[80];
	int len = snprintf(line, sizeof line, "%ld %ld %ld\n", pid, tid, 2 * n);

	if (write(1, line, (size_t)len) != len)
		_exit(2);
}

static void *thread(void *k)
{
	long n = (long)(intptr_t)k * rounds;

	loop(n);
	say(getpid(), syscall(SYS_gettid), n);
	return NULL;
}

static int threads(long count)
{
	pthread_t id[THREADS_MAX];
	long all = rounds;

	if (count < 1 || count > THREADS_MAX)
		return 2;
	loop(rounds);
	for (long k = 0; k < count; k++) {
		if (pthread_create(&id[k], NULL, thread, (void *)(intptr_t)(k + 1)) != 0)
			return 2;
		all += (k + 1) * rounds;
	}
	for (long k = 0; k < count; k++)
		pthread_join(id[k], NULL);
	say(getpid(), getpid(), rounds);
	say(getpid(), 0, all);
	return 0;
}

/* Become this program, which goes n times round. */
static void become(long n)
{
	static char text[32];

	snprintf(text, sizeof text, "%ld", n);
	execl("/proc/self/exe", "exact", "loop", text, (char *)NULL);
	_exit(127);
}

/* Nothing of the caller's is used behind vfork. */
static pid_t become_in_vfork(long n)
{
	pid_t pid = vfork();

	if (pid == 0)
		become(n);
	return pid;
}

static int waited(pid_t pid)
{
	int status;

	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1;
}

static int family(void)
{
	pid_t pid = fork();
	int failed;

	if (pid == 0) {
		loop(2 * rounds);
		say(getpid(), 0, 2 * rounds);
		_exit(0);
	}
	failed = waited(pid);
	failed |= waited(become_in_vfork(3 * rounds));
	loop(rounds);
	say(getpid(), 0, rounds);
	return failed;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	rounds = argc > 2 ? atol(argv[argc - 1]) : 0;
	if (rounds < 1)
		return 2;
	if (strcmp(what, "threads") == 0 && argc == 4)
		return threads(atol(argv[2]));
	if (strcmp(what, "family") == 0)
		return family();
	if (strcmp(what, "loop") != 0 && strcmp(what, "exec") != 0)
		return 2;
	loop(rounds);
	say(getpid(), 0, rounds);
	if (strcmp(what, "exec") == 0)
		become(2 * rounds);
	return 0;
}
