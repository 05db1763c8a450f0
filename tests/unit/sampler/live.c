/*
 * The process tree of real processes: what is taken from clocks instead of stat is the same, and
 * what only stat tells is not missed.
 */
#include "config.h"

#include "common/safe/procfs.h"
#include "sampler/tree/tree.h"

#include "tests/unit/main.h"
#include "tests/unit/sampler/census.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Scans after which everything shows. */
#define SCANS 8

/* Processes beside the one that does what it is ordered. */
#define OTHERS 16

static pid_t child;
static int orders[2], done[2];
static struct pm_tree *tree;
static struct pm_tree_sum sum;
static struct pm_census *census; /* NULL: /proc is read */
static bool told;                /* somebody tells the name after each scan, as taskstats does */

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Use ms of CPU time, half of it in the kernel. */
static void burn(int ms)
{
	const int64_t from = cpu_ns();
	char some[65536];
	int zero = open("/dev/zero", O_RDONLY);

	while (cpu_ns() - from < ms * INT64_C(500000))
		PM_SURE(read(zero, some, sizeof some) > 0);
	while (cpu_ns() - from < ms * INT64_C(1000000))
		;
	close(zero);
}

static void wait_for(pid_t pid)
{
	PM_SURE(waitpid(pid, NULL, 0) == pid);
}

static void *idle(void *stop)
{
	char c;

	PM_SURE(read(*(int *)stop, &c, 1) == 0);
	return NULL;
}

/* Do what is ordered, letter by letter. */
static void obey(void)
{
	pthread_t thread;
	int stop[2];
	pid_t pid;
	char c;

	while (read(orders[0], &c, 1) == 1) {
		if (c == 'b') {
			burn(5);
		} else if (c == 'c') {
			pid = fork();
			if (pid == 0) {
				burn(60);
				_exit(0);
			}
			wait_for(pid);
		} else if (c == 't') {
			PM_SURE(pipe(stop) == 0);
			PM_SURE(pthread_create(&thread, NULL, idle, &stop[0]) == 0);
		} else if (c == 'j') {
			close(stop[1]);
			PM_SURE(pthread_join(thread, NULL) == 0);
		} else if (c == 'n') {
			prctl(PR_SET_NAME, "another");
			burn(5);
		} else if (c == 'e') {
			_exit(0);
		}
		PM_SURE(write(done[1], &c, 1) == 1);
	}
	_exit(0);
}

static void begin(void)
{
	PM_SURE(pipe(orders) == 0 && pipe(done) == 0);
	child = fork();
	if (child == 0) {
		close(orders[1]);
		obey();
	}
	PM_SURE(child > 0);
	tree = pm_tree_open("", child, NULL);
	PM_SURE(tree);
	census = NULL;
}

/* Begin where the kernel tells about processes instead of /proc, as far as it does. */
static void begin_census(void)
{
	begin();
	census = census_make();
	pm_tree_census(tree, census);
}

/* Follow this process instead, the tests' own. */
static void follow_all(void)
{
	pm_tree_close(tree);
	tree = pm_tree_open("", getpid(), NULL);
	PM_SURE(tree);
	/* This process would be left out; the tests' process is its child. */
	pm_tree_leave_out(tree, 0);
	pm_tree_census(tree, census);
}

static void end(void)
{
	pm_tree_close(tree);
	pm_census_close(census);
	kill(child, SIGKILL);
	wait_for(child);
	for (int i = 0; i < 2; i++) {
		close(orders[i]);
		close(done[i]);
	}
}

static void order(char c)
{
	PM_SURE(write(orders[1], &c, 1) == 1);
	PM_SURE(read(done[0], &c, 1) == 1);
}

static size_t scan(void)
{
	const size_t living = pm_tree_scan(tree);

	pm_tree_total(tree, &sum);
	if (told)
		pm_tree_name(tree, child, "told");
	return living;
}

static int64_t cpu(void)
{
	return sum.counter[PM_TREE_USER].value + sum.counter[PM_TREE_SYSTEM].value;
}

static void read_stat(struct pm_procfs_stat *stat)
{
	char path[32], text[2048];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
	fd = open(path, O_RDONLY);
	PM_SURE(fd >= 0);
	n = read(fd, text, sizeof text);
	close(fd);
	PM_SURE(n > 0 && pm_procfs_stat(text, (size_t)n, stat) == 0);
}

/* CPU time is that of stat at every scan, and never falls. */
START_TEST(cpu_time)
{
	int64_t user = 0, system = 0;

	for (int i = 0; i < 100; i++) {
		const int64_t tick_us = 1000000 / sysconf(_SC_CLK_TCK);
		struct pm_procfs_stat stat;

		order('b');
		ck_assert_uint_eq(scan(), 1);
		read_stat(&stat);
		PM_SURE(sum.counter[PM_TREE_USER].known && sum.counter[PM_TREE_SYSTEM].known);
		ck_assert_int_ge(sum.counter[PM_TREE_USER].value, user);
		ck_assert_int_ge(sum.counter[PM_TREE_SYSTEM].value, system);
		user = sum.counter[PM_TREE_USER].value;
		system = sum.counter[PM_TREE_SYSTEM].value;
		/* Each is cut to whole ticks. What is in which mode is sampled: it may differ. */
		ck_assert_int_le(llabs(user + system - (stat.utime + stat.stime) * tick_us),
				 2 * tick_us);
		ck_assert_int_le(llabs(user - stat.utime * tick_us), 4 * tick_us);
	}
	ck_assert_int_ge(cpu(), 450000);
}
END_TEST

/* A child that came and went between two scans counts at the next one. */
START_TEST(short_child)
{
	told = _i;
	for (int i = 0; i < 3 * SCANS; i++) {
		order('b');
		scan();
	}
	for (int i = 0; i < 3; i++) {
		const int64_t before = cpu();

		order('c');
		scan();
		ck_assert_int_ge(cpu() - before, 40000);
	}
}
END_TEST

/* Also where it is not the root that had it: then late once, by a few readings, and never again. */
START_TEST(short_grandchild)
{
	const pid_t root = child;
	int64_t before;

	told = _i;
	follow_all();
	for (int i = 0; i < 3 * SCANS; i++) {
		order('b');
		scan();
	}
	PM_SURE(pm_tree_has(tree, root));
	before = cpu();
	order('c');
	for (int i = 0; i < SCANS; i++) {
		order('b');
		scan();
	}
	ck_assert_int_ge(cpu() - before, 40000);
	before = cpu();
	order('c');
	scan();
	ck_assert_int_ge(cpu() - before, 40000);
}
END_TEST

/* Threads that come show at once, and so do those that go. */
START_TEST(threads)
{
	told = _i;
	for (int i = 0; i < 3; i++) {
		scan();
		ck_assert_int_eq(sum.threads.value, 1);
		order('t');
		scan();
		ck_assert_int_eq(sum.threads.value, 2);
		order('b');
		scan();
		ck_assert_int_eq(sum.threads.value, 2);
		order('j');
		scan();
		ck_assert_int_eq(sum.threads.value, 1);
	}
}
END_TEST

/* Also where the process is one of many that run, so that it is looked for. */
START_TEST(threads_among_others)
{
	pid_t others[OTHERS];

	for (int i = 0; i < OTHERS; i++) {
		others[i] = fork();
		PM_SURE(others[i] >= 0);
		if (others[i] == 0) {
			alarm(60);
			for (;;)
				poll(NULL, 0, 1);
		}
	}
	follow_all();
	scan();
	ck_assert_int_eq(sum.threads.value, OTHERS + 2);
	for (int i = 0; i < 3; i++) {
		poll(NULL, 0, 50);
		order('t');
		scan();
		ck_assert_int_eq(sum.threads.value, OTHERS + 3);
		order('j');
		scan();
		ck_assert_int_eq(sum.threads.value, OTHERS + 2);
	}
	for (int i = 0; i < OTHERS; i++) {
		kill(others[i], SIGKILL);
		wait_for(others[i]);
	}
}
END_TEST

START_TEST(name)
{
	for (int i = 0; i < SCANS; i++)
		scan();
	for (int i = 0; i < SCANS; i++) {
		order('n');
		scan();
	}
	ck_assert_str_eq(pm_tree_process(tree, 0).name, "another");
	pm_tree_name(tree, child, "told");
	ck_assert_str_eq(pm_tree_process(tree, 0).name, "told");
	/* The kernel writes these otherwise in stat. */
	pm_tree_name(tree, child, "a\\b");
	ck_assert_str_eq(pm_tree_process(tree, 0).name, "told");
	pm_tree_name(tree, 0, "nobody");
}
END_TEST

/* A zombie is none of the living, and what it used stays. */
START_TEST(zombie)
{
	struct pm_procfs_stat stat;
	const char e = 'e';

	for (int i = 0; i < SCANS; i++) {
		order('b');
		ck_assert_uint_eq(scan(), 1);
	}
	PM_SURE(write(orders[1], &e, 1) == 1);
	for (int i = 0; i < 5000; i++) {
		read_stat(&stat);
		if (stat.state == 'Z')
			break;
		poll(NULL, 0, 10);
	}
	ck_assert_uint_eq(scan(), 0);
	ck_assert_int_eq(sum.processes.value, 0);
	ck_assert_int_ge(cpu(), 20000);
}
END_TEST

/* Add each test, with what begins it. */
static void add(Suite *s, const char *name_of_case, void (*beginning)(void))
{
	TCase *t = tcase_create(name_of_case);

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, beginning, end);
	tcase_add_test(t, cpu_time);
	tcase_add_loop_test(t, short_child, 0, 2);
	tcase_add_loop_test(t, short_grandchild, 0, 2);
	tcase_add_loop_test(t, threads, 0, 2);
	tcase_add_test(t, threads_among_others);
	tcase_add_test(t, name);
	tcase_add_test(t, zombie);
	suite_add_tcase(s, t);
}

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_live");

	add(s, "live", begin);
	/* Where it can be: tests/unit/sampler/census.c tells why not. */
	if (census_can_be_taken())
		add(s, "census", begin_census);
	return s;
}

PM_UNIT_MAIN(suite)
