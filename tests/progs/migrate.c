/*
 * Moves between two CPUs a known number of times, which is what the kernel counts as migrations:
 * for papi.t. Starts on the first of them, and ends there.
 *
 * usage: migrate CPU CPU HOW N
 *
 * once: 2 * N migrations, prints "pid count".
 *
 * threads: N threads, the k-th with 2 * k migrations: prints "tid count" of each, last "pid count"
 * of all.
 *
 * fork: 3 round trips, then 5 in a fork child: prints "pid count" of both.
 *
 * exec: N round trips, and N + 1 in the image that it execs itself into.
 *
 * alive: a thread makes N round trips, and lives when the process ends.
 *
 * _exit: as once, with a signal handler installed, and ends by _exit.
 *
 * handler: as once, and ends by _exit in a signal handler.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int cpu[2];
static pthread_barrier_t done;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void say(long id, long count)
{
	char line[64];
	int n = snprintf(line, sizeof line, "%ld %ld\n", id, count);

	if (write(1, line, (size_t)n) != n)
		_exit(2);
}

static void go(int to)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(to, &set);
	if (sched_setaffinity(0, sizeof set, &set) < 0)
		fail("sched_setaffinity");
}

static void trips(long n)
{
	for (; n > 0; n--) {
		go(cpu[1]);
		go(cpu[0]);
	}
}

static void *thread(void *n)
{
	trips((long)(intptr_t)n);
	say(syscall(SYS_gettid), 2 * (long)(intptr_t)n);
	return NULL;
}

static void *living(void *n)
{
	thread(n);
	pthread_barrier_wait(&done);
	for (;;)
		pause();
	return NULL;
}

static void threads(long n)
{
	long all = 0;

	for (long k = 1; k <= n; k++) {
		pthread_t id;

		if (pthread_create(&id, NULL, thread, (void *)(intptr_t)k) != 0)
			fail("pthread_create");
		pthread_join(id, NULL);
		all += 2 * k;
	}
	say(getpid(), all);
}

static void forks(void)
{
	pid_t pid;

	trips(3);
	say(getpid(), 6);
	pid = fork();
	if (pid == 0) {
		trips(5);
		say(getpid(), 10);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void ends(int signal)
{
	(void)signal;
	_exit(0);
}

int main(int argc, char **argv)
{
	long n = argc > 4 ? atol(argv[4]) : 0;
	const char *what;
	pthread_t id;

	if (argc < 4)
		return 2;
	cpu[0] = atoi(argv[1]);
	cpu[1] = atoi(argv[2]);
	what = argv[3];
	if (strcmp(what, "threads") == 0) {
		threads(n);
	} else if (strcmp(what, "fork") == 0) {
		forks();
	} else if (strcmp(what, "alive") == 0) {
		pthread_barrier_init(&done, NULL, 2);
		if (pthread_create(&id, NULL, living, (void *)(intptr_t)n) != 0)
			fail("pthread_create");
		pthread_barrier_wait(&done);
	} else {
		trips(n);
		say(getpid(), 2 * n);
		if (strcmp(what, "exec") == 0) {
			char once[] = "once", more[32];

			snprintf(more, sizeof more, "%ld", n + 1);
			execl("/proc/self/exe", argv[0], argv[1], argv[2], once, more,
			      (char *)NULL);
			fail("exec");
		}
		signal(SIGUSR1, ends);
		if (strcmp(what, "handler") == 0)
			raise(SIGUSR1);
		if (strcmp(what, "_exit") == 0)
			_exit(0);
	}
	return 0;
}
