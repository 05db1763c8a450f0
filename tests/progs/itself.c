/*
 * A program that measures itself: it does a known amount of work, reads what the kernel says of it
 * with its own eyes, and prints what its end record must say, a line "column lowest highest" each.
 * Bounds are equal where the value cannot change any more, otherwise the highest allows for what
 * the way from here to the end of the process costs.
 *
 * usage: itself SCRATCH-FILE THREADS CHILDREN
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/progs/burn.h"

static char out[8192];
static size_t out_len;

static void expect(const char *column, int64_t low, int64_t high)
{
	/* Fixed width: the length of the output is known before its values are. */
	out_len += (size_t)snprintf(out + out_len, sizeof out - out_len,
				    "%-24s %020" PRId64 " %020" PRId64 "\n", column, low, high);
}

static int64_t us(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000000 + t->tv_usec;
}

static void burn(long loops)
{
	for (volatile long i = 0; i < loops; i++)
		;
}

static void use_file(const char *path)
{
	/* Not static: threads would read into it at the same time. */
	char block[10000] = { 0 };
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < 10; i++)
		if (write(fd, block, sizeof block) != sizeof block)
			exit(9);
	for (int i = 0; i < 30; i++)
		if (pread(fd, block, sizeof block, i % 10 * 10000) != sizeof block)
			exit(9);
	close(fd);
}

/* Each thread has a file of its own. */
static void *thread(void *path)
{
	char own[4096];

	snprintf(own, sizeof own, "%s.%ld", (char *)path, syscall(SYS_gettid));
	burn_thread_ms(5); /* not brief */
	use_file(own);
	return NULL;
}

/* Read a file with one call. Returns its length. */
static long slurp(const char *path, char *buf, size_t cap)
{
	int fd = open(path, O_RDONLY);
	long n = read(fd, buf, cap - 1);

	close(fd);
	if (n < 0)
		exit(9);
	buf[n] = '\0';
	return n;
}

static int64_t line_value(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p ? strtoll(p + strlen(key), NULL, 10) : -1;
}

/* Field of /proc/PID/stat, counted as proc(5) does. */
static int64_t stat_field(const char *text, int field)
{
	const char *p = strrchr(text, ')') + 1;

	for (int i = 3; i < field; i++)
		p = strchr(p + 1, ' ');
	return strtoll(p, NULL, 10);
}

static void expect_rusage(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	/* user and system share one exact total; how it splits is the kernel's estimate. */
	expect("usertime+systemtime", us(&self.ru_utime) + us(&self.ru_stime),
	       us(&self.ru_utime) + us(&self.ru_stime) + 30000);
	expect("minflt", self.ru_minflt, self.ru_minflt + 64);
	expect("majflt", self.ru_majflt, self.ru_majflt + 8);
	expect("inblock", self.ru_inblock, self.ru_inblock + 64);
	/* The page of the file that standard output goes to. */
	expect("outblock", self.ru_oublock, self.ru_oublock + 8);
	expect("vol_ctxsw", self.ru_nvcsw, self.ru_nvcsw + 16);
	expect("invol_ctxsw", self.ru_nivcsw, self.ru_nivcsw + 1000);
	expect("cutime", us(&children.ru_utime), us(&children.ru_utime));
	expect("cstime", us(&children.ru_stime), us(&children.ru_stime));
	expect("cminflt", children.ru_minflt, children.ru_minflt);
	expect("cmajflt", children.ru_majflt, children.ru_majflt);
}

static void expect_stat(void)
{
	char text[4096], status[8192];

	slurp("/proc/self/stat", text, sizeof text);
	expect("ppid", stat_field(text, 4), stat_field(text, 4));
	expect("pgid", stat_field(text, 5), stat_field(text, 5));
	expect("sid", stat_field(text, 6), stat_field(text, 6));
	expect("num_threads", stat_field(text, 20), stat_field(text, 20));
	expect("starttime", stat_field(text, 22), stat_field(text, 22));
	expect("processor", stat_field(text, 39), stat_field(text, 39));
	expect("guest_time", stat_field(text, 43), stat_field(text, 43));
	slurp("/proc/self/status", status, sizeof status);
	expect("rssmax", line_value(status, "VmHWM:"), line_value(status, "VmHWM:") + 400);
	expect("vmpeak", line_value(status, "VmPeak:"), line_value(status, "VmPeak:"));
	slurp("/proc/self/schedstat", text, sizeof text);
	char *rest;
	int64_t oncpu = strtoll(text, &rest, 10), waiting = strtoll(rest, &rest, 10);
	int64_t slices = strtoll(rest, NULL, 10);
	expect("time_oncpu", oncpu, oncpu + 30000000);
	expect("time_waiting", waiting, INT64_MAX);
	expect("timeslices", slices, slices + 1000);
}

/* Last: what this reading and the output itself add is known. */
static void expect_io(size_t lines_after)
{
	static const char *const key[] = { "rchar",
					   "wchar",
					   "syscr",
					   "syscw",
					   "read_bytes",
					   "write_bytes",
					   "cancelled_write_bytes" };
	/* What the collector reads before it reads this, and the page of standard output. */
	static const int64_t later[7] = { 4000, 0, 4, 0, 0, 4096, 0 };
	char text[1024], path[64];
	int64_t v[7], n;
	size_t length = out_len + (7 + lines_after) * 67;

	snprintf(path, sizeof path, "/proc/self/task/%ld/io", syscall(SYS_gettid));
	n = slurp(path, text, sizeof text);
	for (int i = 0; i < 7; i++) {
		char label[32];

		snprintf(label, sizeof label, i ? "\n%s:" : "%s:", key[i]);
		v[i] = line_value(text, label);
	}
	v[0] += n;
	v[1] += (int64_t)length;
	v[2] += 1;
	v[3] += 1;
	for (int i = 0; i < 7; i++)
		expect(key[i], v[i], v[i] + later[i]);
}

/* The counter that programs may read. */
static uint64_t cycles(void)
{
#if defined __x86_64__
	return __builtin_ia32_rdtsc();
#elif defined __aarch64__
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
#error "itself: say how programs read the time stamp counter of this architecture"
#endif
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 0, children = argc > 3 ? atoi(argv[3]) : 0;
	struct timespec pause = { 0, 3000000 }, wall, mono;
	uint64_t tsc = cycles();
	pthread_t id[64];
	cpu_set_t set;
	char *memory;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	sched_getaffinity(0, sizeof set, &set);
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
		if (CPU_ISSET(cpu, &set)) {
			CPU_ZERO(&set);
			CPU_SET(cpu, &set);
			sched_setaffinity(0, sizeof set, &set);
			break;
		}
	burn(20000000);
	memory = malloc(20000000);
	memset(memory, 1, 20000000);
	free(memory);
	use_file(argv[1]);
	for (int i = 0; i < 3; i++)
		nanosleep(&pause, NULL);
	for (int i = 0; i < children; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			burn(20000000);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	for (int i = 0; i < threads; i++)
		pthread_create(&id[i], NULL, thread, argv[1]);
	for (int i = 0; i < threads; i++)
		pthread_join(id[i], NULL);

	struct timespec now;
	int64_t mono_us, start_us = (int64_t)wall.tv_sec * 1000000 + wall.tv_nsec / 1000;
	expect("pid", getpid(), getpid());
	expect("tid", syscall(SYS_gettid), syscall(SYS_gettid));
	expect("numtids", 1 + threads, 1 + threads);
	expect("exitcode", 5, 5);
	expect_stat();
	expect("start_us", start_us - 5000000, start_us);
	expect("rdtsc_duration", (int64_t)(cycles() - tsc), INT64_MAX);
	expect_rusage();
	clock_gettime(CLOCK_MONOTONIC, &now);
	mono_us = (now.tv_sec - mono.tv_sec) * 1000000 + (now.tv_nsec - mono.tv_nsec) / 1000;
	expect("duration_us", mono_us, INT64_MAX);
	expect("end_us", start_us + mono_us - 1000, INT64_MAX);
	expect_io(0);
	if (write(1, out, out_len) != (ssize_t)out_len)
		return 9;
	return 5;
}
