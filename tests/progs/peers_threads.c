/*
 * Threads of every kind. Prints a line per observation, equal with and without a collector, and
 * what the records must say: "# PID thread TID NAME" for every thread, and of some
 * "# PID bounds TID COLUMN LOWEST HIGHEST".
 *
 * usage: peers_threads short N      N threads, one after the other
 *        peers_threads many N       N threads that are alive at the same time
 *        peers_threads sixteen N    16 threads, each of which creates N at the same time
 *        peers_threads detached N   N detached threads
 *        peers_threads cancelled N  N threads cancelled in a call, with cleanup and key destructors
 *        peers_threads alive N      N threads that have worked and sleep while main returns
 *        peers_threads racing N M   N children whose M threads end while main returns
 *        peers_threads left         main leaves by pthread_exit, others go on and create more
 *        peers_threads last         the same, and the last thread returns
 *        peers_threads exec N FILE... N threads sleep while main becomes the program
 *        peers_threads failed FILE  threads before, during and after an exec that fails
 *        peers_threads other N      N threads sleep while another one calls exit
 *        peers_threads both         a child calls exit, and a moment later _exit in another thread
 *        peers_threads times        what a thread did, by its own reading
 *        peers_threads dlopened FILE  threads of a library's constructor and of its function
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/progs/burn.h"
#include "tests/progs/peers.h"

static pthread_attr_t small;
static int begun, go, cleaned;

static void *quick(void *unused)
{
	peers_report("quick");
	return unused;
}

static void *sleeps(void *unused)
{
	peers_report("sleeps");
	__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
	return unused;
}

/* Wait until n threads have begun. The tests count calls that wait: this is none. */
static void until_begun(int n)
{
	while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < n)
		sched_yield();
}

static void create(pthread_t *id, const pthread_attr_t *attr, void *(*function)(void *), void *arg)
{
	int error = pthread_create(id, attr, function, arg);

	if (error) {
		fprintf(stderr, "peers_threads: pthread_create: %s\n", strerror(error));
		exit(77);
	}
}

static long resident_kb(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	long kb = 0, v;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "Private_Dirty: %ld", &v) == 1)
			kb += v;
	if (f)
		fclose(f);
	return kb;
}

static int one_after_the_other(int n)
{
	long before = 0;

	peers_touch();
	for (int i = 0; i < n; i++) {
		pthread_t id;

		create(&id, &small, quick, NULL);
		pthread_join(id, NULL);
		if (i == n / 10)
			before = resident_kb();
	}
	printf("# growth %ld\n", resident_kb() - before);
	return 0;
}

static void *waits_for_all(void *n)
{
	peers_report("at once");
	__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &go, 128 /* wait, private */, 0, NULL, NULL, 0);
	return n;
}

static int at_once(int n)
{
	pthread_t *id = calloc((size_t)n, sizeof *id);
	int made, error = 0;

	for (made = 0; made < n && !error; made += !error)
		error = pthread_create(&id[made], &small, waits_for_all, NULL);
	until_begun(made);
	__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &go, 129 /* wake, private */, INT_MAX, NULL, NULL, 0);
	for (int i = 0; i < made; i++)
		pthread_join(id[i], NULL);
	free(id);
	return error ? 77 : 0;
}

static void *creates(void *n)
{
	peers_report("creates");
	__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
	until_begun(16);
	for (int i = 0; i < *(int *)n; i++) {
		pthread_t id;

		create(&id, &small, quick, NULL);
		pthread_join(id, NULL);
	}
	return NULL;
}

static int from_sixteen(int n)
{
	pthread_t id[16];

	for (int i = 0; i < 16; i++)
		create(&id[i], NULL, creates, &n);
	for (int i = 0; i < 16; i++)
		pthread_join(id[i], NULL);
	return 0;
}

static void *quick_and_gone(void *unused)
{
	peers_report("detached");
	__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
	return unused;
}

static int detached(int n)
{
	pthread_attr_t attr;
	pthread_t id;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < n; i++) {
		create(&id, &attr, quick_and_gone, NULL);
		if (i % 2)
			until_begun(i + 1);
	}
	until_begun(n);
	/* Until the kernel has none of them any more. */
	while (access("/proc/self/task", F_OK) == 0) {
		char text[4096], *p;
		int fd = (int)syscall(SYS_openat, -100, "/proc/self/stat", 0, 0);
		long got = read(fd, text, sizeof text - 1);

		close(fd);
		text[got > 0 ? got : 0] = '\0';
		p = strrchr(text, ')') + 1;
		for (int i = 3; i < 20; i++)
			p = strchr(p + 1, ' ');
		if (atoi(p) == 1)
			break;
	}
	return 0;
}

static void cleanup(void *unused)
{
	(void)unused;
	__atomic_add_fetch(&cleaned, 1, __ATOMIC_RELAXED);
}

/* Works on through all rounds that there are. */
static pthread_key_t key;
static void destructor(void *round)
{
	__atomic_add_fetch(&cleaned, 1, __ATOMIC_RELAXED);
	pthread_setspecific(key, round);
}

static void *cancellable(void *unused)
{
	pthread_setspecific(key, &cleaned);
	pthread_cleanup_push(cleanup, NULL);
	sleeps(NULL);
	pthread_cleanup_pop(0);
	return unused;
}

static int cancelled(int n)
{
	pthread_t *id = calloc((size_t)n, sizeof *id);
	int right = 0;

	pthread_key_create(&key, destructor);
	for (int i = 0; i < n; i++)
		create(&id[i], NULL, cancellable, NULL);
	until_begun(n);
	for (int i = 0; i < n; i++) {
		void *result;

		pthread_cancel(id[i]);
		pthread_join(id[i], &result);
		right += result == PTHREAD_CANCELED;
	}
	printf("cancelled: %d, clean-ups and destructors: %d\n", right, cleaned);
	free(id);
	return 0;
}

static void use(long bytes)
{
	static const char block[1000];
	int null = (int)syscall(SYS_openat, -100, "/dev/null", 1 /* write */, 0);

	for (long i = 0; i < bytes / 1000; i++)
		if (write(null, block, sizeof block) != sizeof block)
			_exit(98);
	close(null);
}

static void *works_and_sleeps(void *number)
{
	long n = (long)(intptr_t)number, tid = syscall(SYS_gettid);

	burn_thread_ms(5);
	use(1000 * (n + 1));
	peers_bounds(tid, "wchar", 1000 * (n + 1), 1000 * (n + 1));
	peers_bounds(tid, "usertime+systemtime", 5000, 5000000);
	return sleeps(NULL);
}

static int alive(int n)
{
	pthread_t id;

	for (int i = 0; i < n; i++)
		create(&id, NULL, works_and_sleeps, (void *)(intptr_t)i);
	until_begun(n);
	return 11;
}

static void *ends_soon(void *turns)
{
	peers_report("ends soon");
	__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
	for (volatile int i = 0; i < *(int *)turns; i++)
		;
	return NULL;
}

static int racing(int n, int threads)
{
	for (int i = 0; i < n; i++) {
		int turns = i % 50 * 20;
		pthread_t id;
		pid_t pid = fork();

		if (pid == 0) {
			peers_report(NULL);
			use(1000);
			for (int t = 0; t < threads; t++)
				create(&id, &small, ends_soon, &turns);
			until_begun(threads);
			peers_print();
			exit(i % 7);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}

static void *goes_on(void *ends)
{
	pthread_t id;

	/* The main thread is a zombie once it has left. */
	for (;;) {
		char path[64], text[512];
		int fd;
		long n;

		snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
		fd = (int)syscall(SYS_openat, -100, path, 0, 0);
		n = read(fd, text, sizeof text - 1);
		close(fd);
		text[n > 0 ? n : 0] = '\0';
		if (strstr(text, ") Z "))
			break;
		sched_yield();
	}
	peers_report("goes on");
	for (int i = 0; i < 5; i++) {
		create(&id, NULL, quick, NULL);
		pthread_join(id, NULL);
	}
	printf("worked on without main\n");
	peers_print();
	if (ends)
		exit(12);
	fflush(stdout);
	return NULL;
}

__attribute__((noreturn)) static void left(void *ends)
{
	pthread_t id;

	create(&id, NULL, goes_on, ends);
	pthread_exit(NULL);
}

static int becomes(int n, char **argv)
{
	pthread_t id;

	for (int i = 0; i < n; i++)
		create(&id, NULL, works_and_sleeps, (void *)(intptr_t)i);
	until_begun(n);
	peers_print();
	execv(argv[0], argv);
	return 99;
}

static int failed(char *file)
{
	char *const argv[] = { file, NULL };
	pthread_t id, waiting;

	for (int i = 0; i < 3; i++) {
		create(&id, NULL, quick, NULL);
		pthread_join(id, NULL);
	}
	create(&waiting, NULL, waits_for_all, NULL);
	create(&id, NULL, sleeps, NULL);
	until_begun(2);
	printf("exec: %d", execv(file, argv));
	printf(" %s\n", strerror(errno));
	__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &go, 129 /* wake, private */, INT_MAX, NULL, NULL, 0);
	pthread_join(waiting, NULL);
	create(&id, NULL, quick, NULL);
	pthread_join(id, NULL);
	return 14;
}

static void *leaves(void *unused)
{
	(void)unused;
	peers_report("leaves");
	peers_print();
	exit(13);
}

__attribute__((noreturn)) static void other(int n)
{
	pthread_t id;

	for (int i = 0; i < n; i++)
		create(&id, NULL, works_and_sleeps, (void *)(intptr_t)i);
	until_begun(n);
	create(&id, NULL, leaves, NULL);
	for (;;)
		pause();
}

static void *leaves_later(void *unused)
{
	const struct timespec moment = { 0, 100000000 };

	(void)unused;
	peers_report("leaves later");
	__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
		sched_yield();
	nanosleep(&moment, NULL);
	_exit(13);
}

/* Its third write at the earliest, and at the latest its fourth, is that of the end record. */
static int both(void)
{
	pthread_t id;

	if (fork() != 0)
		return waitpid(-1, NULL, 0) < 0;
	use(1000);
	peers_report(NULL);
	create(&id, NULL, leaves_later, NULL);
	until_begun(1);
	peers_print();
	__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
	exit(13);
}

static int64_t real_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static long measured;
static int64_t first_us, last_us, used_us;

static void *measures(void *number)
{
	long n = (long)(intptr_t)number;
	struct rusage ru;

	first_us = real_us();
	measured = syscall(SYS_gettid);
	burn_thread_ms(10 * n);
	use(1000 * n);
	getrusage(RUSAGE_THREAD, &ru);
	used_us = (int64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000 +
		  ru.ru_utime.tv_usec + ru.ru_stime.tv_usec;
	peers_report("measures");
	last_us = real_us();
	return NULL;
}

static int times(void)
{
	for (int i = 0; i < 4; i++) {
		int64_t before = real_us();
		pthread_t id;

		create(&id, NULL, measures, (void *)(intptr_t)(i + 1));
		pthread_join(id, NULL);
		peers_bounds(measured, "start_us", before, first_us);
		peers_bounds(measured, "end_us", last_us, real_us());
		peers_bounds(measured, "duration_us", last_us - first_us - 1000,
			     real_us() - before + 1000);
		peers_bounds(measured, "usertime+systemtime", used_us,
			     used_us + (real_us() - last_us) + 1000);
		peers_bounds(measured, "wchar", 1000 * (i + 1), 1000 * (i + 1));
	}
	return 0;
}

static int dlopened(const char *file)
{
	void *library = dlopen(file, RTLD_NOW);
	void (*more)(void) =
		library ? (void (*)(void))(intptr_t)dlsym(library, "peers_library_more") : NULL;

	if (!more)
		return 97;
	more();
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0, status = 98;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	if (strcmp(what, "racing") == 0 && argc > 3)
		return racing(n, atoi(argv[3]));
	if (strcmp(what, "both") == 0)
		return both();
	peers_report(NULL);
	if (strcmp(what, "short") == 0)
		status = one_after_the_other(n);
	if (strcmp(what, "many") == 0)
		status = at_once(n);
	if (strcmp(what, "sixteen") == 0)
		status = from_sixteen(n);
	if (strcmp(what, "detached") == 0)
		status = detached(n);
	if (strcmp(what, "cancelled") == 0)
		status = cancelled(n);
	if (strcmp(what, "alive") == 0)
		status = alive(n);
	if (strcmp(what, "left") == 0 || strcmp(what, "last") == 0)
		left(strcmp(what, "left") == 0 ? argv : NULL);
	if (strcmp(what, "exec") == 0 && argc > 3)
		status = becomes(n, argv + 3);
	if (strcmp(what, "failed") == 0 && argc > 2)
		status = failed(argv[2]);
	if (strcmp(what, "other") == 0)
		other(n);
	if (strcmp(what, "times") == 0)
		status = times();
	if (strcmp(what, "dlopened") == 0 && argc > 2)
		status = dlopened(argv[2]);
	peers_print();
	return status;
}
