/*
 * Does a known number of things, for collector/counters.t and collector/counters-usage.t, which
 * count them: touches the variable `watched`, at whose address there is a breakpoint (this program
 * is linked at a fixed one), waits, burns, faults.
 *
 * usage: counters threads N   N threads, the k-th of which touches it 100 + k times: prints "tid
 *                             count" of each, last "pid count" of the process
 *        counters fork        the process touches it 7 times, a fork child 30 times, a vfork child
 *                             execs this program with `touch 5`: prints "pid count" of each
 *        counters touch N     touches it N times, then N times more in the image it execs itself
 *                             into: prints "pid count" of both
 *        counters hits        prints how often a breakpoint of its own sees 3 touches
 *        counters list        prints the descriptors below the limit that are open
 *        counters close       closes every descriptor but 0, 1 and 2
 *        counters reuse       puts an eventfd holding 77 on each of them instead, and reads 77 back
 *                             at the end
 *        counters spin MS     burns CPU time in as many threads as there are further arguments
 *        counters switch N    waits for a moment N times in the main thread, in a thread, in one
 *                             that lives on at the end, in a fork child, and in the image that it
 *                             execs itself into
 *        counters burn MS     burns that much CPU time in user mode, and as much in the kernel
 *        counters fault K N   touches N fresh pages itself (K: user), lets read(2) touch them
 *                             (kernel), or the kernel make them beforehand (ahead), or may not
 *                             touch them, which takes a signal each (denied)
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
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

/* Whether the kernel counts breakpoints at all: some virtual machines set them and never hit. */
static long hits(void)
{
	struct perf_event_attr a = { .type = PERF_TYPE_BREAKPOINT,
				     .size = sizeof a,
				     .bp_type = HW_BREAKPOINT_RW,
				     .bp_addr = (uintptr_t)&watched,
				     .bp_len = HW_BREAKPOINT_LEN_4,
				     .exclude_kernel = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
	uint64_t n = 0;

	touch(3);
	if (fd < 0 || read(fd, &n, sizeof n) != sizeof n)
		return 0;
	close(fd);
	return (long)n;
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

/* Each wait for time to pass gives the CPU up once. */
static void give_up(long n)
{
	const struct timespec moment = { 0, 1000 };

	while (n-- > 0)
		nanosleep(&moment, NULL);
}

static void *giving_up(void *n)
{
	give_up((long)(intptr_t)n);
	return NULL;
}

static int living;

static void *living_on(void *n)
{
	give_up((long)(intptr_t)n);
	if (eventfd_write(living, 1) < 0)
		fail("eventfd_write");
	for (;;)
		poll(NULL, 0, -1);
	return NULL;
}

static void switches(const char *n)
{
	char name[] = "counters", verb[] = "switch", count[16];
	char *argv[] = { name, verb, count, NULL };
	void *often = (void *)(intptr_t)atol(n);
	pthread_t one, other;
	eventfd_t value;
	pid_t pid;

	give_up(atol(n));
	pid = fork();
	if (pid == 0) {
		give_up(atol(n));
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	living = eventfd(0, EFD_CLOEXEC);
	if (living < 0)
		fail("eventfd");
	if (pthread_create(&one, NULL, giving_up, often) != 0 ||
	    pthread_create(&other, NULL, living_on, often) != 0)
		fail("pthread_create");
	pthread_join(one, NULL);
	/* The other one waits for ever from here on. */
	if (eventfd_read(living, &value) < 0)
		fail("eventfd_read");
	if (getenv("COUNTERS_LAST"))
		exit(0);
	setenv("COUNTERS_LAST", "1", 1);
	snprintf(count, sizeof count, "%s", n);
	execv("/proc/self/exe", argv);
	fail("exec");
}

static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void burn(long ms)
{
	static char buf[1 << 16];
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	while (cpu_ms() < ms)
		for (volatile int i = 0; i < 100000; i++)
			;
	while (cpu_ms() < 2 * ms)
		if (read(fd, buf, sizeof buf) < 0)
			fail("/dev/zero");
	close(fd);
}

static sigjmp_buf behind;

static void denied(int signal)
{
	(void)signal;
	siglongjmp(behind, 1);
}

/* Touch what is behind p, page by page; what may not be touched is left. */
static void touch_pages(volatile char *p, size_t size)
{
	volatile size_t i = 0;

	signal(SIGSEGV, denied);
	while (i < size) {
		size_t at = i;

		i += (size_t)sysconf(_SC_PAGESIZE);
		if (sigsetjmp(behind, 1) == 0)
			p[at] = 1;
	}
}

static void faults(const char *kind, long n)
{
	size_t size = (size_t)n * (size_t)sysconf(_SC_PAGESIZE);
	int ahead = strcmp(kind, "ahead") == 0 ? MAP_POPULATE : 0;
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	/* Room for one that is left alone. */
	char *p = mmap(NULL, size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | ahead,
		       -1, 0);

	if (p == MAP_FAILED || zero < 0)
		fail("mmap");
	madvise(p, size, MADV_NOHUGEPAGE);
	if (strcmp(kind, "kernel") == 0 && size > 0 && read(zero, p, size) < 0)
		fail("/dev/zero");
	if (strcmp(kind, "denied") == 0 && size > 0 && mprotect(p, size, PROT_NONE) < 0)
		fail("mprotect");
	if (strcmp(kind, "user") == 0 || strcmp(kind, "denied") == 0)
		touch_pages(p, size);
	close(zero);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t id[8];

	if (strcmp(what, "threads") == 0)
		threads(atol(argv[2]));
	else if (strcmp(what, "fork") == 0)
		forks();
	else if (strcmp(what, "hits") == 0)
		say(getpid(), hits());
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
	else if (strcmp(what, "switch") == 0)
		switches(argv[2]);
	else if (strcmp(what, "burn") == 0)
		burn(atol(argv[2]));
	else if (strcmp(what, "fault") == 0)
		faults(argv[2], atol(argv[3]));
	else if (strcmp(what, "spin") == 0) {
		for (int i = 3; i < argc && i < 11; i++)
			pthread_create(&id[i - 3], NULL, spinning, argv[2]);
		for (int i = 3; i < argc && i < 11; i++)
			pthread_join(id[i - 3], NULL);
	} else
		return 2;
	return 0;
}
