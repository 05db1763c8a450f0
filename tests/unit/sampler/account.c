/* The account of a job's tasks under a model of the kernel, and the map of pids below it. */
#include "config.h"

#include "sampler/tree/taskaccount.h"

#include "tests/unit/main.h"

#include <string.h>

/* --- the map of pids -------------------------------------------------------------------------- */

#define PIDS 3000

static bool odd(void *context, pid_t pid, void *value)
{
	(*(int *)context)++;
	ck_assert_int_eq(*(int *)value, 7 * pid);
	return pid % 2;
}

START_TEST(pidmap)
{
	struct pm_pidmap m;
	int asked = 0;

	pm_pidmap_init(&m, sizeof(int));
	ck_assert_ptr_null(pm_pidmap_get(&m, 1));
	pm_pidmap_remove(&m, 1);
	pm_pidmap_sweep(&m, odd, &asked);
	/* Multiples of a power of two collide most. */
	for (int i = 1; i <= PIDS; i++) {
		int *v = pm_pidmap_put(&m, i * 64);

		ck_assert_int_eq(*v, 0);
		*v = i;
	}
	ck_assert_uint_eq(m.count, PIDS);
	for (int i = 1; i <= PIDS; i += 3)
		pm_pidmap_remove(&m, i * 64);
	for (int i = 1; i <= PIDS; i++) {
		const int *v = pm_pidmap_get(&m, i * 64);

		if (i % 3 == 1)
			ck_assert_ptr_null(v);
		else
			ck_assert_int_eq(*v, i);
	}
	ck_assert_ptr_null(pm_pidmap_get(&m, 0));
	ck_assert_ptr_null(pm_pidmap_get(&m, -5));
	pm_pidmap_free(&m);
	for (int i = 1; i <= PIDS; i++)
		*(int *)pm_pidmap_put(&m, i) = 7 * i;
	pm_pidmap_sweep(&m, odd, &asked);
	ck_assert_int_eq(asked, PIDS);
	ck_assert_uint_eq(m.count, PIDS / 2);
	ck_assert_ptr_null(pm_pidmap_get(&m, 1001));
	ck_assert_int_eq(*(int *)pm_pidmap_get(&m, 1000), 7000);
	pm_pidmap_free(&m);
}
END_TEST

/* --- the account ------------------------------------------------------------------------------ */

static struct pm_taskaccount a;
static bool members[PIDS];

static bool is_member(const void *context, pid_t pid)
{
	(void)context;
	return pid > 0 && pid < PIDS && members[pid];
}

static struct pm_taskstats task(pid_t tgid, pid_t tid, pid_t ppid, int64_t used)
{
	struct pm_taskstats t = { .tid = tid, .tgid = tgid, .ppid = ppid, .last = tid == tgid };

	t.value[PM_TASKSTATS_minflt] = used;
	t.value[PM_TASKSTATS_hiwater_rss] = used;
	return t;
}

static void ends(pid_t tgid, pid_t tid, pid_t ppid, int64_t used)
{
	const struct pm_taskstats t = task(tgid, tid, ppid, used);

	pm_taskaccount_end(&a, &t);
}

/* A living task is asked and answers, unless used is negative. */
static void says(pid_t tgid, pid_t tid, int64_t used)
{
	const struct pm_taskstats t = task(tgid, tid, 1, used);

	ck_assert_int_eq(pm_taskaccount_due(&a, tgid, true), true);
	pm_taskaccount_visit(&a, tgid);
	pm_taskaccount_ask(&a, tgid, tid);
	if (used >= 0)
		pm_taskaccount_answer(&a, t.tid, t.value);
}

static void check(int64_t sum, int64_t top)
{
	int64_t value[PM_TASKSTATS_VALUES];

	pm_taskaccount_total(&a, value);
	ck_assert_int_eq(value[PM_TASKSTATS_minflt], sum);
	ck_assert_int_eq(value[PM_TASKSTATS_hiwater_rss], top);
}

static void begin(void)
{
	memset(members, 0, sizeof members);
	members[100] = true;
	pm_taskaccount_init(&a, is_member, NULL);
}

static void end(void)
{
	pm_taskaccount_free(&a);
}

START_TEST(living_then_ended)
{
	pm_taskaccount_begin(&a);
	says(100, 100, 10);
	says(100, 101, 5);
	pm_taskaccount_settle(&a, false);
	check(15, 10);
	/* A thread ends between its answer and its record: the record counts, once. */
	pm_taskaccount_begin(&a);
	says(100, 100, 20);
	says(100, 101, 6);
	ends(100, 101, 1, 7);
	pm_taskaccount_settle(&a, false);
	check(27, 20);
	pm_taskaccount_begin(&a);
	ends(100, 100, 1, 25);
	pm_taskaccount_settle(&a, false);
	check(32, 25);
	ck_assert_int_eq(a.ended, 2);
	ck_assert_int_eq(a.ended_processes, 1);
	pm_taskaccount_begin(&a);
	members[100] = false;
	pm_taskaccount_settle(&a, false);
	check(32, 25);
}
END_TEST

START_TEST(born_and_ended_between)
{
	pm_taskaccount_begin(&a);
	/* 100 - 200 - 300, and 500 of somebody else. The births may come after the ends. */
	if (_i)
		pm_taskaccount_born(&a, 100, 200), pm_taskaccount_born(&a, 200, 300);
	pm_taskaccount_born(&a, 1, 500);
	ends(300, 300, 200, 3);
	ends(500, 500, 1, 1000);
	ends(200, 200, 100, 2);
	if (!_i)
		pm_taskaccount_born(&a, 100, 200), pm_taskaccount_born(&a, 200, 300);
	pm_taskaccount_settle(&a, false);
	check(5, 3);
	ck_assert_int_eq(a.ended_processes, 2);
	for (int i = 0; i < 3; i++) {
		pm_taskaccount_begin(&a);
		pm_taskaccount_settle(&a, false);
	}
	/* Nothing is kept of whom nobody will ask for. */
	ck_assert_uint_eq(a.lineage.count, 0);
	ck_assert_uint_eq(a.pendings, 0);
}
END_TEST

START_TEST(orphans)
{
	pm_taskaccount_begin(&a);
	pm_taskaccount_born(&a, 100, 200);
	pm_taskaccount_born(&a, 200, 300);
	ends(200, 200, 100, 2);
	/* Adopted: the parent at its end says nothing. */
	ends(300, 300, 1, 3);
	pm_taskaccount_settle(&a, false);
	check(5, 3);
	/* The same over several ticks: the middle one is long gone. */
	pm_taskaccount_begin(&a);
	pm_taskaccount_born(&a, 100, 201);
	pm_taskaccount_born(&a, 201, 301);
	ends(201, 201, 100, 20);
	pm_taskaccount_settle(&a, false);
	for (int i = 0; i < 5; i++) {
		pm_taskaccount_begin(&a);
		pm_taskaccount_settle(&a, false);
	}
	pm_taskaccount_begin(&a);
	ends(301, 301, 1, 33);
	pm_taskaccount_settle(&a, false);
	check(58, 33);
}
END_TEST

/* Where births are not told, parents at the end do. */
START_TEST(without_births)
{
	pm_taskaccount_begin(&a);
	ends(300, 300, 200, 3);
	ends(200, 200, 100, 2);
	ends(400, 400, 1, 4);
	pm_taskaccount_settle(&a, false);
	check(5, 3);
	/* The parent is found in /proc only at the next tick. */
	pm_taskaccount_begin(&a);
	ends(601, 601, 600, 6);
	pm_taskaccount_settle(&a, false);
	check(5, 3);
	members[600] = true;
	pm_taskaccount_begin(&a);
	pm_taskaccount_settle(&a, false);
	check(11, 6);
	/* Not later. */
	pm_taskaccount_begin(&a);
	ends(701, 701, 700, 7);
	for (int i = 0; i < 2; i++) {
		pm_taskaccount_settle(&a, false);
		pm_taskaccount_begin(&a);
	}
	members[700] = true;
	pm_taskaccount_settle(&a, false);
	check(11, 6);
}
END_TEST

/* A process that ended is known for the ends of its children, for two ticks. */
START_TEST(parents_that_ended_before)
{
	static const int64_t sums[] = { 2, 12, 22, 22 };

	for (int i = 0; i < 4; i++) {
		pm_taskaccount_begin(&a);
		if (i == 0)
			ends(200, 200, 100, 2);
		else
			ends(300 + i, 300 + i, 200, 10);
		pm_taskaccount_settle(&a, false);
		check(sums[i], sums[i] > 2 ? 10 : 2);
	}
}
END_TEST

/* For how long a task was there is known at its end. */
START_TEST(elapsed)
{
	struct pm_taskstats t = task(100, 100, 1, 10);
	int64_t value[PM_TASKSTATS_VALUES];

	t.value[PM_TASKSTATS_elapsed] = 77;
	pm_taskaccount_begin(&a);
	pm_taskaccount_ask(&a, 100, 100);
	pm_taskaccount_answer(&a, 100, t.value);
	/* Who was not asked for says nothing. */
	pm_taskaccount_answer(&a, 101, t.value);
	pm_taskaccount_settle(&a, false);
	pm_taskaccount_total(&a, value);
	ck_assert_int_eq(value[PM_TASKSTATS_minflt], 10);
	ck_assert_int_eq(value[PM_TASKSTATS_elapsed], 0);
	pm_taskaccount_begin(&a);
	pm_taskaccount_end(&a, &t);
	pm_taskaccount_settle(&a, false);
	pm_taskaccount_total(&a, value);
	ck_assert_int_eq(value[PM_TASKSTATS_elapsed], 77);
}
END_TEST

START_TEST(pid_reused)
{
	pm_taskaccount_begin(&a);
	pm_taskaccount_born(&a, 100, 200);
	ends(200, 200, 100, 2);
	pm_taskaccount_settle(&a, false);
	pm_taskaccount_begin(&a);
	pm_taskaccount_born(&a, 1, 200);
	pm_taskaccount_born(&a, 200, 300);
	ends(300, 300, 200, 1000);
	ends(200, 200, 1, 1000);
	pm_taskaccount_settle(&a, false);
	check(2, 2);
}
END_TEST

START_TEST(records_lost)
{
	/* A process of two threads ends, and only one record of it comes. */
	pm_taskaccount_begin(&a);
	says(100, 100, 10);
	says(100, 101, 5);
	pm_taskaccount_settle(&a, false);
	pm_taskaccount_begin(&a);
	says(100, 101, -1);
	ends(100, 100, 1, 11);
	pm_taskaccount_settle(&a, true);
	check(16, 11);
	/* Where none was lost, a task that is gone goes on under its process' pid: exec(2). */
	members[200] = true;
	pm_taskaccount_begin(&a);
	says(200, 200, 1);
	says(200, 201, 50);
	pm_taskaccount_settle(&a, false);
	check(67, 50);
	pm_taskaccount_begin(&a);
	ends(200, 200, 1, 2);
	says(200, 200, 51);
	pm_taskaccount_settle(&a, false);
	check(69, 51);
}
END_TEST

/* Who has not run since is not asked again, and counts with what it said; one whose turn did not
 * come stays due. */
START_TEST(idle)
{
	pm_taskaccount_begin(&a);
	says(100, 100, 10);
	pm_taskaccount_settle(&a, false);
	for (int i = 0; i < 3; i++) {
		pm_taskaccount_begin(&a);
		ck_assert_int_eq(pm_taskaccount_due(&a, 100, false), false);
		pm_taskaccount_settle(&a, false);
		check(10, 10);
	}
	for (int i = 0; i < 3; i++) {
		pm_taskaccount_begin(&a);
		ck_assert_int_eq(pm_taskaccount_due(&a, 100, i == 0), true);
		pm_taskaccount_settle(&a, false);
		check(10, 10);
	}
	pm_taskaccount_begin(&a);
	says(100, 100, 12);
	pm_taskaccount_settle(&a, false);
	check(12, 12);
}
END_TEST

/* Ends of others in any number take bounded room, and none of the job's is missed for them. */
START_TEST(crowd)
{
	a.births = _i;
	pm_taskaccount_begin(&a);
	for (int i = 0; i < 100000; i++) {
		if (_i)
			pm_taskaccount_born(&a, 1, 1000 + i);
		ends(1000 + i, 1000 + i, 1, 7);
		if (i % 1000 == 999)
			pm_taskaccount_sort(&a);
	}
	ck_assert_uint_le(a.pending_capacity, 16384);
	ck_assert_uint_eq(a.forgotten, _i ? 0 : 100000 - 16384);
	pm_taskaccount_born(&a, 100, 200);
	ends(200, 200, 100, 2);
	pm_taskaccount_settle(&a, false);
	check(2, 2);
}
END_TEST

static unsigned random_below(unsigned below)
{
	static uint64_t x = 88172645463325252;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (unsigned)((x >> 20) % below);
}

/* Births, work and ends at random, of the job and of others: the sum is the truth at every tick. */
START_TEST(model)
{
	static struct {
		pid_t parent;
		bool there, ours;
		int64_t used;
	} p[PIDS];
	int64_t truth = 0;
	int born = 101;

	memset(p, 0, sizeof p);
	p[100].there = p[100].ours = true;
	p[99].there = true;
	for (int tick = 0; tick < 100; tick++) {
		/* What looks at /proc now sees. */
		for (int i = 0; i < PIDS; i++)
			members[i] = p[i].there && p[i].ours;
		pm_taskaccount_begin(&a);
		for (int i = 0; i < PIDS; i++)
			if (members[i])
				says(i, i, p[i].used);
		for (int step = 0; step < 100; step++) {
			int i = 99 + (int)random_below((unsigned)(born - 99));

			if (!p[i].there)
				continue;
			switch (random_below(3)) {
			case 0:
				if (born == PIDS)
					break;
				p[born].there = true;
				p[born].ours = p[i].ours;
				p[born].parent = i;
				p[born].used = 0;
				pm_taskaccount_born(&a, i, born++);
				break;
			case 1:
				if (i <= 100)
					break;
				p[i].there = false;
				ends(i, i, p[p[i].parent].there ? p[i].parent : 1, p[i].used);
				break;
			default:
				p[i].used += i;
			}
		}
		/* Figures of the living are as of their answers. */
		pm_taskaccount_settle(&a, false);
		for (int i = 0; i < PIDS; i++)
			members[i] = p[i].there && p[i].ours;
		pm_taskaccount_begin(&a);
		for (int i = 0; i < PIDS; i++)
			if (members[i])
				says(i, i, p[i].used);
		pm_taskaccount_settle(&a, false);
		truth = 0;
		for (int i = 0; i < PIDS; i++)
			truth += p[i].ours ? p[i].used : 0;
		{
			int64_t value[PM_TASKSTATS_VALUES];

			pm_taskaccount_total(&a, value);
			ck_assert_int_eq(value[PM_TASKSTATS_minflt], truth);
		}
	}
	ck_assert_int_gt(truth, 10000);
	ck_assert_int_gt(a.ended, 100);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_account");
	TCase *t = tcase_create("account");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, pidmap);
	tcase_add_test(t, living_then_ended);
	tcase_add_loop_test(t, born_and_ended_between, 0, 2);
	tcase_add_test(t, orphans);
	tcase_add_test(t, without_births);
	tcase_add_test(t, parents_that_ended_before);
	tcase_add_test(t, elapsed);
	tcase_add_test(t, pid_reused);
	tcase_add_test(t, records_lost);
	tcase_add_test(t, idle);
	tcase_add_loop_test(t, crowd, 0, 2);
	tcase_add_test(t, model);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
