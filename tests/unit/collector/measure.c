/* What the collector reads of threads and processes, against what the kernel says of them. */
#include "config.h"

#include "libperfmon/record/measure.h"

#include "libperfmon/base/readfile.h"
#include "libperfmon/base/slots.h"
#include "libperfmon/record/usage.h"
#include "tests/unit/main.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

/* The text of a column, "-" where it is unknown. */
static const char *text_of(const struct pm_record *r, enum pm_column c)
{
	static char text[PM_THREAD_NAME + 1];

	if (!pm_record_has(r, c))
		return "-";
	snprintf(text, sizeof text, "%.*s", (int)r->v[c].s.n, r->v[c].s.p);
	return text;
}

/* A thread that works, and then sleeps until it is told to end. */
static struct {
	pthread_mutex_t ends;
	pthread_barrier_t worked;
	volatile int tid;
} other = { .ends = PTHREAD_MUTEX_INITIALIZER };

static int64_t cpu_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* On one CPU each yield to another is a switch that nobody asked for, and each sleep is one. */
static void *works(void *unused)
{
	static char buf[1 << 16];
	int zero = open("/dev/zero", O_RDONLY);
	volatile unsigned sum = 0;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < 20000000)
		for (int i = 0; i < 10000; i++)
			sum += (unsigned)i;
	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < 40000000)
		if (read(zero, buf, sizeof buf) < 0)
			_exit(9);
	(void)sum;
	close(zero);
	prctl(PR_SET_NAME, "a\tname");
	other.tid = gettid();
	pthread_barrier_wait(&other.worked);
	pthread_mutex_lock(&other.ends);
	pthread_mutex_unlock(&other.ends);
	return unused;
}

static void *yields(void *over)
{
	while (!*(volatile int *)over)
		sched_yield();
	return NULL;
}

/* The text of a file of a thread in /proc. */
static const char *of_thread(int tid, const char *name)
{
	static char text[4096];
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/self/task/%d/%s", tid, name);
	fd = open(path, O_RDONLY);
	n = read(fd, text, sizeof text - 1);
	ck_assert_int_gt(n, 0);
	text[n] = '\0';
	close(fd);
	return text;
}

static int64_t number_behind(const char *text, const char *label)
{
	const char *p = strstr(text, label);

	ck_assert_msg(p != NULL, "%s", label);
	return strtoll(p + strlen(label), NULL, 10);
}

static bool sleeps(int tid)
{
	const char *text = of_thread(tid, "stat");

	return strncmp(strrchr(text, ')'), ") S", 3) == 0;
}

static pthread_t begin_other(void)
{
	pthread_t t;

	pthread_mutex_lock(&other.ends);
	pthread_barrier_init(&other.worked, NULL, 2);
	ck_assert_int_eq(pthread_create(&t, NULL, works, NULL), 0);
	pthread_barrier_wait(&other.worked);
	while (!sleeps(other.tid))
		usleep(100);
	return t;
}

static void end_other(pthread_t t)
{
	pthread_mutex_unlock(&other.ends);
	pthread_join(t, NULL);
}

START_TEST(usage)
{
	struct rusage before, after;
	volatile int over = 0;
	int64_t got, from;
	cpu_set_t set;
	pthread_t t;

	/* Two threads on one CPU. */
	ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
	for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && found++)
			CPU_CLR(cpu, &set);
	ck_assert_int_eq(sched_setaffinity(0, sizeof set, &set), 0);
	ck_assert_int_eq(pthread_create(&t, NULL, yields, (void *)(uintptr_t)&over), 0);
	do {
		sched_yield();
		getrusage(RUSAGE_THREAD, &before);
	} while (before.ru_nivcsw < 5);
	usleep(1);
	over = 1;
	pthread_join(t, NULL);
	getrusage(RUSAGE_THREAD, &before);
	got = pm_usage_now(PM_HOW_RUSAGE, 0, false);
	getrusage(RUSAGE_THREAD, &after);
	ck_assert_int_ge(got, before.ru_nvcsw + before.ru_nivcsw);
	ck_assert_int_le(got, after.ru_nvcsw + after.ru_nivcsw);
	ck_assert_int_ge(pm_usage_now(PM_HOW_RUSAGE, gettid(), false), got);
	from = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	got = pm_usage_now(PM_HOW_CLOCK, 0, false);
	ck_assert(got >= from && got <= cpu_ns(CLOCK_THREAD_CPUTIME_ID));

	t = begin_other();
	ck_assert_int_eq(pm_usage_now(PM_HOW_RUSAGE, other.tid, false), -1);
	got = number_behind(of_thread(other.tid, "status"), "\nvoluntary_ctxt_switches:");
	got += number_behind(of_thread(other.tid, "status"), "\nnonvoluntary_ctxt_switches:");
	ck_assert_int_eq(pm_usage_now(PM_HOW_RUSAGE, other.tid, true), got);
	got = number_behind(of_thread(other.tid, "schedstat"), "");
	ck_assert_int_eq(pm_usage_now(PM_HOW_CLOCK, other.tid, false), got);
	end_other(t);
	ck_assert_int_eq(pm_usage_now(PM_HOW_RUSAGE, INT_MAX / 2, true), -1);
	ck_assert_int_eq(pm_usage_now(PM_HOW_CLOCK, INT_MAX / 16, true), -1);
}
END_TEST

START_TEST(another_thread)
{
	static const struct {
		enum pm_column column;
		const char *label;
	} io[] = {
		{ PM_COL_rchar, "rchar:" },
		{ PM_COL_wchar, "wchar:" },
		{ PM_COL_syscr, "syscr:" },
		{ PM_COL_syscw, "syscw:" },
		{ PM_COL_read_bytes, "\nread_bytes:" },
		{ PM_COL_write_bytes, "\nwrite_bytes:" },
		{ PM_COL_cancelled_write_bytes, "cancelled_write_bytes:" },
	};
	const struct pm_own_io own = { 1, 2, 3, 4, 5 };
	long long user, system, threads, begun, v[3];
	pthread_t t = begin_other();
	char name[PM_THREAD_NAME];
	struct pm_task task;
	struct pm_record r;

	pm_record_clear(&r);
	pm_measure_task(&task, 0);
	ck_assert_int_eq((int)task.len, 11);
	ck_assert_int_eq(memcmp(task.path, "/proc/self/", 11), 0);
	pm_measure_task(&task, other.tid);
	pm_measure_schedstat(&r, &task);
	ck_assert_int_eq(
		sscanf(of_thread(other.tid, "schedstat"), "%lld %lld %lld", v, v + 1, v + 2), 3);
	ck_assert_int_eq(r.v[PM_COL_time_oncpu].i, v[0]);
	ck_assert_int_eq(r.v[PM_COL_time_waiting].i, v[1]);
	ck_assert_int_eq(r.v[PM_COL_timeslices].i, v[2]);

	ck_assert_int_eq(sscanf(strrchr(of_thread(other.tid, "stat"), ')'),
				") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %*d %*d "
				"%*d %*d %lld %*d %lld",
				&user, &system, &threads, &begun),
			 4);
	ck_assert_int_gt(user + system, 0);
	/* The time on a CPU is exact; how much of it was whose, the clock's ticks say. */
	pm_record_int(&r, PM_COL_time_oncpu, INT64_C(3000000000999));
	pm_measure_stat_of_other(&r, &task, name);
	ck_assert_int_eq(r.v[PM_COL_usertime].i + r.v[PM_COL_systemtime].i, 3000000000);
	ck_assert_int_le(llabs(r.v[PM_COL_systemtime].i - 3000000000 * system / (user + system)),
			 1);
	ck_assert_int_eq(r.v[PM_COL_num_threads].i, threads);
	ck_assert_int_eq(r.v[PM_COL_starttime].i, begun);
	ck_assert_str_eq(text_of(&r, PM_COL_thread_name), "a\\tname");
	ck_assert(!pm_record_has(&r, PM_COL_delayacct_blkio_time));
	pm_record_clear(&r);
	pm.delayacct = true;
	pm_measure_stat(&r, &task, name);
	ck_assert(!pm_record_has(&r, PM_COL_usertime) && pm_record_has(&r, PM_COL_starttime));
	ck_assert_int_ge(pm_record_get(&r, PM_COL_delayacct_blkio_time, -1), 0);

	pm_measure_io(&r, &task, NULL);
	for (size_t i = 0; i < sizeof io / sizeof io[0]; i++)
		ck_assert_int_eq(pm_record_get(&r, io[i].column, -1),
				 number_behind(of_thread(other.tid, "io"), io[i].label));
	ck_assert(!pm_record_has(&r, PM_COL_own_rchar));
	pm_measure_io(&r, &task, &own);
	ck_assert_int_eq(r.v[PM_COL_own_rchar].i, 1);
	ck_assert_int_eq(r.v[PM_COL_own_wchar].i, 2);
	ck_assert_int_eq(r.v[PM_COL_own_syscr].i, 3);
	ck_assert_int_eq(r.v[PM_COL_own_syscw].i, 4);
	ck_assert_int_eq(r.v[PM_COL_own_outblock].i, 5);
	end_other(t);
}
END_TEST

START_TEST(caller)
{
	struct pm_moment from;
	char name[PM_THREAD_NAME];
	struct pm_record r;
	struct rusage ru;
	int64_t peak;
	pid_t pid;

	pm_record_clear(&r);
	ck_assert(!pm_measure_children(&r));
	pid = fork();
	if (pid == 0) {
		while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < 10000000)
			getppid();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	ck_assert(pm_measure_children(&r));
	getrusage(RUSAGE_CHILDREN, &ru);
	ck_assert_int_eq(r.v[PM_COL_cminflt].i, ru.ru_minflt);
	ck_assert_int_eq(r.v[PM_COL_cmajflt].i, ru.ru_majflt);
	ck_assert_int_eq(r.v[PM_COL_cutime].i, ru.ru_utime.tv_sec * 1000000 + ru.ru_utime.tv_usec);
	ck_assert_int_eq(r.v[PM_COL_cstime].i, ru.ru_stime.tv_sec * 1000000 + ru.ru_stime.tv_usec);

	ck_assert(!pm_measure_is_brief(&r));
	pm_record_int(&r, PM_COL_duration_us, 999);
	ck_assert(pm_measure_is_brief(&r));
	pm_record_int(&r, PM_COL_duration_us, 1000);
	ck_assert(!pm_measure_is_brief(&r));

	prctl(PR_SET_NAME, "\\");
	pm_measure_caller(&r, name);
	ck_assert_str_eq(text_of(&r, PM_COL_thread_name), "\\\\");
	ck_assert(pm_record_has(&r, PM_COL_processor));

	/* 5 s and half a microsecond ago. */
	pm_moment_now(&from);
	from.mono_ns -= INT64_C(5000000500);
	pm_measure_span(&r, &from);
	ck_assert_int_ge(r.v[PM_COL_duration_us].i, 5000000);
	ck_assert_int_lt(r.v[PM_COL_duration_us].i, 500000000);
	ck_assert_int_ge(r.v[PM_COL_end_us].i, from.real_us);
	ck_assert_int_lt(r.v[PM_COL_end_us].i, from.real_us + 500000000);
	ck_assert_int_gt(r.v[PM_COL_rdtsc_duration].i, 0);

	pm_measure_peaks(&r);
	peak = number_behind(of_thread(getpid(), "status"), "VmPeak:");
	ck_assert_int_eq(r.v[PM_COL_vmpeak].i, peak);
	peak = number_behind(of_thread(getpid(), "status"), "VmHWM:");
	ck_assert_int_le(r.v[PM_COL_rssmax].i, peak);
	ck_assert_int_gt(r.v[PM_COL_rssmax].i, peak - 1000);
}
END_TEST

/* Whether the buffer holds a line, whole. */
static int find_line(const char *text, size_t n, void *line)
{
	return memmem(text, n, line, strlen(line)) ? 0 : -1;
}

static int find_nothing(const char *text, size_t n, void *lines)
{
	(void)lines;
	ck_assert_uint_le(n, 64);
	ck_assert_ptr_nonnull(text);
	return -1;
}

START_TEST(long_files)
{
	uint64_t calls = pm_self.own.syscr, bytes = pm_self.own.rchar;
	char path[sizeof pm_unit_dir + 16], line[64], buf[64];
	FILE *f = fopen("lines", "w");

	for (int i = 0; i < 40; i++) {
		fprintf(f, "line %d,\n", i);
		if (i % 7 == 0)
			fprintf(f, "%0*d\n", 60 + i, 0);
	}
	fclose(f);
	snprintf(path, sizeof path, "%s/lines", pm_unit_dir);
	ck_assert_int_eq((int)pm_readfile(path, buf, 10), 10);
	ck_assert_uint_eq(pm_self.own.syscr - calls, 1);
	ck_assert_uint_eq(pm_self.own.rchar - bytes, 10);
	ck_assert(pm.own_all.syscr == pm_self.own.syscr && pm.own_all.rchar == pm_self.own.rchar);
	ck_assert_int_eq((int)pm_readfile("/nonexistent", buf, 10), -1);
	for (int i = 1; i < 40; i++) {
		bool found = false;

		snprintf(line, sizeof line, "line %d,", i);
		bytes = pm_self.own.rchar;
		pm_readfile_lines(path, buf, sizeof buf, find_line, line);
		for (int k = 0; k < 64 && !found; k++)
			found = strncmp(buf + k, line, strlen(line)) == 0;
		ck_assert_msg(found, "%s", line);
	}
	bytes = pm_self.own.rchar;
	pm_readfile_lines(path, buf, sizeof buf, find_nothing, NULL);
	ck_assert_uint_gt(pm_self.own.rchar - bytes, 600);
}
END_TEST

START_TEST(slots)
{
	ck_assert_int_eq(pm_slots_map(), 0);
	ck_assert_uint_eq(pm_slots_used(), 0);
	for (uint32_t i = 1; i <= PM_SLOTS; i++) {
		PM_SURE(pm_slots_take() == i);
		PM_SURE(pm_slots_number(pm_slots_get(i)) == i);
		pm_slots_get(i)->tid = (int)i;
	}
	ck_assert_uint_eq(pm_slots_take(), 0);
	ck_assert_uint_eq(pm_slots_take(), 0);
	ck_assert_uint_eq(pm_slots_used(), PM_SLOTS);
	pm_slots_give(5);
	pm_slots_give(PM_SLOTS);
	ck_assert_int_eq(pm_slots_get(5)->tid, 0);
	ck_assert_uint_eq(pm_slots_take(), PM_SLOTS);
	ck_assert_uint_eq(pm_slots_take(), 5);
	ck_assert_uint_eq(pm_slots_take(), 0);
	pm_slots_reset();
	ck_assert_uint_eq(pm_slots_used(), 0);
	ck_assert(pm_slots_get(1)->tid == 0 && pm_slots_get(PM_SLOTS)->tid == 0);
	ck_assert_uint_eq(pm_slots_take(), 1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("libperfmon/record/measure.c");
	TCase *t = tcase_create("measure");

	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(t, usage);
	tcase_add_test(t, another_thread);
	tcase_add_test(t, caller);
	tcase_add_test(t, long_files);
	tcase_add_test(t, slots);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
