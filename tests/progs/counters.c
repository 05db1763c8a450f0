/*
 * Touches the variable `watched` a known number of times, for counters.t, which counts with a
 * breakpoint at its address (this program is linked at a fixed one).
 *
 * usage: counters threads N   N threads, the k-th of which touches it 100 + k times: prints "tid
 * count" of each, last "pid count" of the process counters fork        the process touches it 7
 * times, a fork child 30 times, a vfork child execs this program with `touch 5`: prints "pid count"
 * of each counters touch N     touches it N times, then N times more in the image it execs itself
 *                             into: prints "pid count" of both
 *        counters list        prints the descriptors below the limit that are open
 *        counters close       closes every descriptor but 0, 1 and 2
 *        counters reuse       puts an eventfd holding 77 on each of them instead, and reads 77 back
 *                             at the end
 *        counters spin MS     burns CPU time in as many threads as there are further arguments
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FDS_MAX 256

/* Counters lie lower, where the limits are those of a test. */
#define HIGHEST 65536

volatile int watched;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void touch(long n)
{
	while (n-- > 0)
		(void)watched;
}

static void say(long id, long count)
{
	char line[64];
	int n = snprintf(line, sizeof line, "%ld %ld\n", id, count);

	if (write(1, line, (size_t)n) != n)
		_exit(2);
}

static void *touching(void *count)
{
	touch((long)(intptr_t)count);
	say(syscall(SYS_gettid), (long)(intptr_t)count);
	return NULL;
}

static void threads(long n)
{
	pthread_t id[64];
	long all = 0;

	for (long k = 0; k < n && k < 64; k++) {
		if (pthread_create(&id[k], NULL, touching, (void *)(intptr_t)(100 + k)) != 0)
			fail("pthread_create");
		all += 100 + k;
	}
	for (long k = 0; k < n && k < 64; k++)
		pthread_join(id[k], NULL);
	touch(11);
	say(getpid(), all + 11);
}

static void run_touch(const char *n, int vforked)
{
	char name[] = "counters", verb[] = "touch", count[16];
	char *argv[] = { name, verb, count, NULL };

	snprintf(count, sizeof count, "%s", n);
	execv("/proc/self/exe", argv);
	if (vforked)
		_exit(3);
	fail("exec");
}

static void forks(void)
{
	pid_t pid;

	touch(7);
	say(getpid(), 7);
	pid = fork();
	if (pid == 0) {
		touch(30);
		say(getpid(), 30);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	pid = vfork();
	if (pid == 0)
		run_touch("5", 1);
	waitpid(pid, NULL, 0);
}

/* Every descriptor but 0, 1 and 2, below the hard limit: what lists them does not show all. */
static int open_fds(int *fd, int max)
{
	struct rlimit limit;
	int n = 0;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		fail("getrlimit");
	for (int i = 3; i < (int)limit.rlim_max && i < HIGHEST && n < max; i++)
		if (fcntl(i, F_GETFD) >= 0)
			fd[n++] = i;
	return n;
}

static void list(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		fail("getrlimit");
	printf("limit %ld %ld\n", (long)limit.rlim_cur, (long)limit.rlim_max);
	for (int fd = 0; fd < (int)limit.rlim_cur; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("%d\n", fd);
}

static void closes(void)
{
	int fd[FDS_MAX], n = open_fds(fd, FDS_MAX);

	touch(9);
	for (int i = 0; i < n; i++)
		close(fd[i]);
	say(getpid(), n);
}

static void reuses(void)
{
	int fd[FDS_MAX], n = open_fds(fd, FDS_MAX), other = eventfd(77, EFD_CLOEXEC);
	struct rlimit limit;
	eventfd_t value;

	/* dup2 wants numbers below the limit. */
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		fail("getrlimit");
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		fail("setrlimit");
	touch(9);
	for (int i = 0; i < n; i++)
		if (fd[i] != other && dup2(other, fd[i]) < 0)
			fail("dup2");
	say(getpid(), n);
	/* The collector's own exit comes before the last close: nobody may have read it by then. */
	if (fork() == 0) {
		_exit(0);
	}
	wait(NULL);
	if (eventfd_read(other, &value) < 0 || value != 77)
		_exit(9);
	if (eventfd_write(other, 77) < 0)
		fail("eventfd_write");
}

static void *spinning(void *ms)
{
	long want = atol(ms);
	struct timespec t;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < want);
	say(syscall(SYS_gettid), t.tv_sec * 1000000000L + t.tv_nsec);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t id[8];

	if (strcmp(what, "threads") == 0)
		threads(atol(argv[2]));
	else if (strcmp(what, "fork") == 0)
		forks();
	else if (strcmp(what, "touch") == 0) {
		touch(atol(argv[2]));
		say(getpid(), atol(argv[2]));
		if (argc == 3 && !getenv("COUNTERS_LAST")) {
			setenv("COUNTERS_LAST", "1", 1);
			run_touch(argv[2], 0);
		}
	} else if (strcmp(what, "list") == 0)
		list();
	else if (strcmp(what, "close") == 0)
		closes();
	else if (strcmp(what, "reuse") == 0)
		reuses();
	else if (strcmp(what, "spin") == 0) {
		for (int i = 3; i < argc && i < 11; i++)
			pthread_create(&id[i - 3], NULL, spinning, argv[2]);
		for (int i = 3; i < argc && i < 11; i++)
			pthread_join(id[i - 3], NULL);
	} else
		return 2;
	return 0;
}
