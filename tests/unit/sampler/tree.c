/* Process trees read from recorded /proc trees: who belongs, and exact sums over time. */
#include "config.h"

#include "sampler/tree/tree.h"
#include "sampler/tree/tree_memory.h"

#include "tests/unit/sampler/process.h"

#include <stdlib.h>

static void check_known(const struct pm_tree_value *v, int64_t value)
{
	ck_assert_int_eq(v->known, true);
	ck_assert_int_eq(v->value, value);
}

static void check_unknown(const struct pm_tree_value *v, enum pm_reason reason)
{
	ck_assert_int_eq(v->known, false);
	ck_assert_str_eq(pm_reason_name(v->reason), pm_reason_name(reason));
}

#define check_user(ticks)   check_known(&sum.counter[PM_TREE_USER], (ticks)*TICK)
#define check_system(ticks) check_known(&sum.counter[PM_TREE_SYSTEM], (ticks)*TICK)

/* --- who belongs ------------------------------------------------------------------------------ */

START_TEST(chain)
{
	long page = sysconf(_SC_PAGESIZE);

	/* A chain of four whose pids do not rise, beside processes and threads of others. */
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1, .stime = 10, .rss = 5 });
	record((struct process){ .pid = 300, .ppid = 100, .utime = 2, .stime = 20, .rss = 6 });
	record((struct process){
		.pid = 200, .ppid = 300, .utime = 3, .stime = 30, .rss = 7, .threads = 4 });
	record((struct process){ .pid = 90, .ppid = 200, .utime = 4, .stime = 40, .rss = 8 });
	record((struct process){ .pid = 110, .ppid = 1, .utime = 1000, .rss = 1000 });
	record((struct process){ .pid = 111, .ppid = 110, .utime = 1000, .rss = 1000 });
	record((struct process){ .pid = 201, .ppid = 100, .utime = 1000, .thread = true });
	root_put("proc/uptime", "1 1\n");
	root_put("proc/100x/stat", "not a process\n");
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(scan(), 4);
		check_known(&sum.processes, 4);
		check_known(&sum.threads, 7);
		check_known(&sum.rss, 26 * page);
		check_known(&sum.vms, 52 * page);
		check_known(&sum.shared, 12 * page);
		check_user(10);
		check_system(100);
		check_unknown(&sum.counter[PM_TREE_RCHAR], PM_REASON_absent);
	}
}
END_TEST

START_TEST(orphans_stay)
{
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1 });
	record((struct process){ .pid = 101, .ppid = 100, .utime = 2 });
	record((struct process){ .pid = 102, .ppid = 101, .utime = 4 });
	ck_assert_uint_eq(scan(), 3);
	/* The parent in the middle ends and is waited for; its child goes to init. */
	forget(101);
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1, .cutime = 2 });
	record((struct process){ .pid = 102, .ppid = 1, .utime = 5 });
	ck_assert_uint_eq(scan(), 2);
	check_user(8);
	/* The root ends as well, and the orphan has a child. */
	forget(100);
	record((struct process){ .pid = 103, .ppid = 102, .utime = 10 });
	ck_assert_uint_eq(scan(), 2);
	check_known(&sum.processes, 2);
	check_user(18);
	forget(102);
	forget(103);
	ck_assert_uint_eq(scan(), 0);
	check_known(&sum.processes, 0);
	check_known(&sum.threads, 0);
	check_known(&sum.rss, 0);
	check_user(18);
}
END_TEST

static bool is_it(void *ctx, pid_t pid)
{
	return pid == *(pid_t *)ctx;
}

/* Whom a rule takes in, or who was born of the tree, belongs whoever its parent is, with its children. */
START_TEST(others_that_belong)
{
	pid_t it = 200;

	tree = pm_tree_open(root, _i ? 100 : 0, NULL);
	PM_SURE(tree);
	if (_i)
		pm_tree_births(tree, is_it, &it);
	else
		pm_tree_rule(tree, is_it, &it);
	record((struct process){ .pid = 200, .ppid = 1, .utime = 1 });
	record((struct process){ .pid = 201, .ppid = 200, .utime = 2 });
	record((struct process){ .pid = 300, .ppid = 1, .utime = 1000 });
	if (_i)
		record((struct process){ .pid = 100, .ppid = 1, .utime = 4 });
	ck_assert_uint_eq(scan(), 2 + (size_t)_i);
	check_user(_i ? 7 : 3);
	ck_assert(pm_tree_has(tree, 200) && pm_tree_has(tree, 201));
	ck_assert(!pm_tree_has(tree, 300) && pm_tree_has(tree, 100) == _i);
}
END_TEST

START_TEST(reused_pid)
{
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1 });
	record((struct process){ .pid = 101, .ppid = 100, .utime = 2, .start = 500 });
	ck_assert_uint_eq(scan(), 2);
	record((struct process){ .pid = 101, .ppid = 1, .utime = 777, .start = 600 });
	ck_assert_uint_eq(scan(), 1);
	check_user(3);
	/* Reused by a new child of the tree. */
	record((struct process){ .pid = 101, .ppid = 100, .utime = 20, .start = 700 });
	ck_assert_uint_eq(scan(), 2);
	check_user(23);
}
END_TEST

START_TEST(reused_root)
{
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1, .start = 500 });
	ck_assert_uint_eq(scan(), 1);
	record((struct process){ .pid = 100, .ppid = 1, .utime = 50, .start = 501 });
	record((struct process){ .pid = 101, .ppid = 100, .utime = 50 });
	ck_assert_uint_eq(scan(), 0);
	check_known(&sum.processes, 0);
	check_user(1);
}
END_TEST

START_TEST(no_root)
{
	ck_assert_uint_eq(scan(), 0);
	check_unknown(&sum.processes, PM_REASON_absent);
	check_unknown(&sum.counter[PM_TREE_USER], PM_REASON_absent);
	/* A process that gets the pid later is another one. */
	record((struct process){ .pid = 100, .ppid = 1 });
	ck_assert_uint_eq(scan(), 0);
	check_unknown(&sum.processes, PM_REASON_absent);
}
END_TEST

START_TEST(zombies)
{
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1, .rss = 3 });
	record((struct process){ .pid = 101, .ppid = 100, .utime = 2, .state = 'Z' });
	/* The leader of this one has exited, its threads run on. */
	record((struct process){ .pid = 102, .ppid = 100, .utime = 4, .state = 'Z', .threads = 3 });
	ck_assert_uint_eq(scan(), 2);
	check_known(&sum.processes, 2);
	check_known(&sum.threads, 4);
	check_user(7);
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1, .state = 'Z' });
	record((struct process){ .pid = 102, .ppid = 100, .utime = 5, .state = 'Z' });
	ck_assert_uint_eq(scan(), 0);
	check_user(8);
}
END_TEST

/* --- counters of processes that are gone ------------------------------------------------------ */

static void two(void)
{
	record((struct process){ .pid = 100, .ppid = 1, .utime = 10, .stime = 1 });
	record((struct process){ .pid = 101, .ppid = 100, .utime = 30, .stime = 3 });
	scan();
	check_user(40);
	check_system(4);
	forget(101);
}

START_TEST(waited_for)
{
	two();
	/* It ran on a little after it was seen: all of it is in the parent's figures. */
	record((struct process){
		.pid = 100, .ppid = 1, .utime = 11, .stime = 1, .cutime = 35, .cstime = 4 });
	scan();
	check_user(46);
	check_system(5);
	scan();
	check_user(46);
}
END_TEST

START_TEST(not_waited_for)
{
	two();
	record((struct process){ .pid = 100, .ppid = 1, .utime = 11, .stime = 1 });
	for (int i = 0; i < 3; i++) {
		scan();
		check_user(41);
		check_system(4);
	}
	/* Children that were never seen are counted when they are waited for, a scan later. */
	record((struct process){ .pid = 100, .ppid = 1, .utime = 11, .stime = 1, .cutime = 5 });
	scan();
	check_user(46);
}
END_TEST

START_TEST(waited_for_later)
{
	two();
	/* The parent was read before it waited: the child counts as lost for one scan only. */
	record((struct process){ .pid = 100, .ppid = 1, .utime = 11, .stime = 1 });
	scan();
	check_user(41);
	record((struct process){
		.pid = 100, .ppid = 1, .utime = 12, .stime = 1, .cutime = 33, .cstime = 3 });
	scan();
	check_user(45);
	check_system(4);
	scan();
	check_user(45);
}
END_TEST

/* What is owed to a process that is gone is owed to its parent. */
START_TEST(owed_to_one_that_is_gone)
{
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1 });
	record((struct process){ .pid = 101, .ppid = 100, .utime = 10 });
	record((struct process){ .pid = 102, .ppid = 101, .utime = 100 });
	scan();
	/* 102 is gone, 101 was read before it waited. */
	forget(102);
	scan();
	check_user(111);
	/* It has waited, and so has 100 for it. */
	forget(101);
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1, .cutime = 110 });
	scan();
	check_user(111);
	scan();
	check_user(111);
}
END_TEST

START_TEST(short_children)
{
	record((struct process){ .pid = 100, .ppid = 1, .utime = 10, .cutime = 7 });
	scan();
	check_user(17);
	record((struct process){ .pid = 100, .ppid = 1, .utime = 10, .cutime = 9 });
	scan();
	check_user(19);
}
END_TEST

START_TEST(two_generations_gone)
{
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1 });
	record((struct process){ .pid = 101, .ppid = 100, .utime = 10 });
	record((struct process){ .pid = 102, .ppid = 101, .utime = 100 });
	scan();
	check_user(111);
	forget(101);
	forget(102);
	/* 102 was waited for by 101 and 101 by 100. */
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1, .cutime = 112 });
	scan();
	check_user(113);
	/* As above, but 102 went to init. */
	record((struct process){ .pid = 103, .ppid = 100, .utime = 10 });
	record((struct process){ .pid = 104, .ppid = 103, .utime = 100 });
	scan();
	check_user(223);
	forget(103);
	forget(104);
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1, .cutime = 122 });
	scan();
	check_user(223);
}
END_TEST

START_TEST(everything_gone)
{
	two();
	forget(100);
	ck_assert_uint_eq(scan(), 0);
	check_user(40);
	check_system(4);
	ck_assert_uint_eq(scan(), 0);
	check_user(40);
}
END_TEST

/* The one that follows the tree ends, and the next one goes on with what it kept. */
static void again(struct pm_tree_memory *memory)
{
	pm_tree_close(tree);
	tree = pm_tree_open(root, 100, NULL);
	PM_SURE(tree);
	pm_tree_remember(tree, memory);
}

START_TEST(kept)
{
	struct pm_tree_memory *memory = calloc(1, sizeof *memory);

	PM_SURE(memory);
	again(memory);
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1 });
	record((struct process){ .pid = 101, .ppid = 100, .utime = 2 });
	record((struct process){ .pid = 102, .ppid = 101, .utime = 4 });
	record((struct process){ .pid = 103, .ppid = 101, .utime = 8 });
	ck_assert_uint_eq(scan(), 4);
	/* One is gone that nobody waited for, and its children are another one's. */
	forget(101);
	record((struct process){ .pid = 102, .ppid = 1, .utime = 5 });
	record((struct process){ .pid = 103, .ppid = 1, .utime = 9 });
	ck_assert_uint_eq(scan(), 3);
	check_user(17);
	again(memory);
	ck_assert_uint_eq(scan(), 3);
	check_user(17);
	/* While nobody looks: one ends unwaited for, one is waited for, one has another's pid. */
	record((struct process){ .pid = 104, .ppid = 103, .utime = 100 });
	ck_assert_uint_eq(scan(), 4);
	check_user(117);
	forget(102);
	forget(104);
	record((struct process){ .pid = 103, .ppid = 1, .utime = 10, .cutime = 110 });
	record((struct process){ .pid = 100, .ppid = 1, .utime = 777, .start = 9999 });
	again(memory);
	ck_assert_uint_eq(scan(), 1);
	check_user(1 + 2 + 5 + 10 + 110);
	/* Nothing is kept of a tree that is too large, and what is not whole is not taken. */
	pm_tree_memory_forget(memory);
	again(memory);
	ck_assert_uint_eq(scan(), 1);
	check_user(777);
	memory->copy[0].count = memory->copy[1].count = PM_TREE_MEMORY_MAX + 1;
	ck_assert_ptr_null(pm_tree_memory_kept(memory));
	free(memory);
}
END_TEST

/* A file that does not answer costs that value, and never the scan. */
START_TEST(file_that_waits)
{
	static const char *const names[] = { "stat", "statm", "io" };
	char path[512];
	int fd;

	record((struct process){ .pid = 100, .ppid = 1, .utime = 1, .rss = 5 });
	record((struct process){ .pid = 101, .ppid = 100, .utime = 2, .rss = 6 });
	record_io(100, 10, 20);
	record_io(101, 10, 20);
	ck_assert_uint_eq(scan(), 2);
	snprintf(path, sizeof path, "%s/proc/101/%s", root, names[_i]);
	PM_SURE(unlink(path) == 0 || errno == ENOENT);
	PM_SURE(mkfifo(path, 0600) == 0);
	/* One who may write and does not. */
	fd = open(path, O_RDWR);
	PM_SURE(fd >= 0);
	ck_assert_uint_eq(scan(), 2);
	if (_i == 0)
		check_unknown(&sum.counter[PM_TREE_USER], PM_REASON_unsupported);
	else
		check_user(3);
	if (_i == 1)
		check_unknown(&sum.rss, PM_REASON_unsupported);
	else
		check_known(&sum.rss, 11 * sysconf(_SC_PAGESIZE));
	if (_i == 2)
		check_unknown(&sum.counter[PM_TREE_RCHAR], PM_REASON_unsupported);
	else
		check_known(&sum.counter[PM_TREE_RCHAR], 20);
	close(fd);
}
END_TEST

START_TEST(io)
{
	record((struct process){ .pid = 100, .ppid = 1 });
	record((struct process){ .pid = 101, .ppid = 100 });
	record_io(100, 1000, 10);
	record_io(101, 2000, 20);
	scan();
	check_known(&sum.counter[PM_TREE_RCHAR], 3000);
	check_known(&sum.counter[PM_TREE_WCHAR], 30);
	check_known(&sum.counter[PM_TREE_SYSCR], 6);
	check_known(&sum.counter[PM_TREE_SYSCW], 8);
	check_known(&sum.counter[PM_TREE_READ_BYTES], 10);
	check_known(&sum.counter[PM_TREE_WRITE_BYTES], 12);
	check_known(&sum.counter[PM_TREE_CANCELLED_WRITE_BYTES], 14);
	/* Waited for: the kernel adds the child's to the parent's. */
	forget(101);
	record_io(100, 3100, 35);
	scan();
	check_known(&sum.counter[PM_TREE_RCHAR], 3100);
	check_known(&sum.counter[PM_TREE_WCHAR], 35);
	/* To init: what was seen of it stays. */
	record((struct process){ .pid = 102, .ppid = 100 });
	record_io(102, 500, 5);
	scan();
	check_known(&sum.counter[PM_TREE_RCHAR], 3600);
	record((struct process){ .pid = 102, .ppid = 1 });
	scan();
	forget(102);
	scan();
	check_known(&sum.counter[PM_TREE_RCHAR], 3600);
	check_known(&sum.counter[PM_TREE_WCHAR], 40);
}
END_TEST

/* The kernel has the I/O of a process below each of its threads, too. */
START_TEST(io_of_threads)
{
	record((struct process){ .pid = 100, .ppid = 1, .threads = 3 });
	record((struct process){ .pid = 101, .ppid = 1, .threads = 3, .thread = true });
	record((struct process){ .pid = 102, .ppid = 1, .threads = 3, .thread = true });
	for (pid_t pid = 100; pid < 103; pid++)
		record_io(pid, 1000, 10);
	scan();
	check_known(&sum.processes, 1);
	check_known(&sum.threads, 3);
	check_known(&sum.counter[PM_TREE_RCHAR], 1000);
	check_known(&sum.counter[PM_TREE_WCHAR], 10);
}
END_TEST

/* --- what cannot be read ---------------------------------------------------------------------- */

START_TEST(io_unreadable)
{
	char path[128];

	record((struct process){ .pid = 100, .ppid = 1, .utime = 3 });
	record((struct process){ .pid = 101, .ppid = 100, .utime = 4 });
	record_io(100, 1000, 10);
	record_io(101, 2000, 20);
	snprintf(path, sizeof path, "%s/proc/101/io", root);
	PM_SURE(chmod(path, 0) == 0);
	root_become_plain_user();
	scan();
	root_become_self();
	check_unknown(&sum.counter[PM_TREE_RCHAR], PM_REASON_permission);
	check_unknown(&sum.counter[PM_TREE_CANCELLED_WRITE_BYTES], PM_REASON_permission);
	check_known(&sum.processes, 2);
	check_user(7);
}
END_TEST

static const struct {
	const char *text;
	enum pm_tree_counter counter;
	enum pm_reason reason;
	bool other; /* whether wchar is known all the same */
} io_garbage[] = {
	{ "", PM_TREE_RCHAR, PM_REASON_absent, false },
	{ "wchar: 5\n", PM_TREE_RCHAR, PM_REASON_absent, true },
	{ "rchar: x\nwchar: 5\n", PM_TREE_RCHAR, PM_REASON_parse, true },
	{ "rchar: 5 6\nwchar: 5\n", PM_TREE_RCHAR, PM_REASON_parse, true },
	{ "rchar: -5\nwchar: 5\n", PM_TREE_RCHAR, PM_REASON_parse, true },
	{ "rchar:\nwchar: 5\n", PM_TREE_RCHAR, PM_REASON_parse, true },
	{ "rchar: 99999999999999999999\nwchar: 5\n", PM_TREE_RCHAR, PM_REASON_parse, true },
	{ "wchar: 5\nrchar: 12", PM_TREE_RCHAR, PM_REASON_parse, true }, /* cut */
	{ "rchar: 1\nwchar: 5\nsyscr: 1\n\xff\xfe", PM_TREE_SYSCW, PM_REASON_absent, true },
};

START_TEST(io_garbled)
{
	record((struct process){ .pid = 100, .ppid = 1, .utime = 3 });
	root_put("proc/100/io", io_garbage[_i].text);
	scan();
	check_unknown(&sum.counter[io_garbage[_i].counter], io_garbage[_i].reason);
	if (io_garbage[_i].other)
		check_known(&sum.counter[PM_TREE_WCHAR], 5);
	check_user(3);
}
END_TEST

START_TEST(stat_garbled)
{
	record((struct process){ .pid = 100, .ppid = 1, .utime = 3 });
	record((struct process){ .pid = 101, .ppid = 100, .utime = 4 });
	record_io(100, 1, 2);
	record_io(101, 1, 2);
	scan();
	check_user(7);
	root_put("proc/101/stat", _i ? "101 (x) S 100 1" : "");
	ck_assert_uint_eq(scan(), 2);
	check_unknown(&sum.counter[PM_TREE_USER], PM_REASON_parse);
	check_unknown(&sum.processes, PM_REASON_parse);
	check_known(&sum.counter[PM_TREE_RCHAR], 2);
	/* And back. */
	record((struct process){ .pid = 101, .ppid = 100, .utime = 5 });
	scan();
	check_user(8);
	check_known(&sum.processes, 2);
}
END_TEST

static const struct {
	const char *text;
	bool known;
} statm_garbage[] = {
	{ "20 10 3 4 0 5 0\n", true },
	{ "", false },
	{ "20", false },
	{ "20 1", false },
	{ "20 10", false },
	{ "20 10 3", false },
	{ "20 10 x 4 0 5 0\n", false },
	{ "20 x 3 4 0 5 0\n", false },
	{ "20 -1 3 4 0 5 0\n", false },
	{ "20  10 3 4 0 5 0\n", false },
	{ "9223372036854775807 10 3 4 0 5 0\n", false },
};

START_TEST(statm_garbled)
{
	record((struct process){ .pid = 100, .ppid = 1, .utime = 3 });
	root_put("proc/100/statm", statm_garbage[_i].text);
	scan();
	if (statm_garbage[_i].known) {
		check_known(&sum.rss, 10 * sysconf(_SC_PAGESIZE));
		check_known(&sum.vms, 20 * sysconf(_SC_PAGESIZE));
		check_known(&sum.shared, 3 * sysconf(_SC_PAGESIZE));
	} else {
		check_unknown(&sum.rss, PM_REASON_parse);
		check_unknown(&sum.vms, PM_REASON_parse);
		check_unknown(&sum.shared, PM_REASON_parse);
	}
	check_user(3);
	root_remove_path("proc/100/statm");
	scan();
	if (!statm_garbage[_i].known)
		check_unknown(&sum.rss, PM_REASON_absent);
}
END_TEST

START_TEST(no_proc)
{
	struct pm_err e;

	root_remove_path("proc");
	ck_assert_ptr_null(pm_tree_open(root, 100, &e));
	ck_assert_ptr_nonnull(strstr(e.text, "/proc: No such file"));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_tree");
	TCase *t = tcase_create("tree");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, tree_begin, tree_end);
	tcase_add_test(t, chain);
	tcase_add_test(t, orphans_stay);
	tcase_add_loop_test(t, others_that_belong, 0, 2);
	tcase_add_test(t, reused_pid);
	tcase_add_test(t, reused_root);
	tcase_add_test(t, no_root);
	tcase_add_test(t, zombies);
	tcase_add_test(t, waited_for);
	tcase_add_test(t, not_waited_for);
	tcase_add_test(t, waited_for_later);
	tcase_add_test(t, owed_to_one_that_is_gone);
	tcase_add_test(t, short_children);
	tcase_add_test(t, two_generations_gone);
	tcase_add_test(t, everything_gone);
	tcase_add_test(t, kept);
	tcase_add_loop_test(t, file_that_waits, 0, 3);
	tcase_add_test(t, io);
	tcase_add_test(t, io_of_threads);
	tcase_add_test(t, io_unreadable);
	tcase_add_loop_test(t, io_garbled, 0, (int)(sizeof io_garbage / sizeof io_garbage[0]));
	tcase_add_loop_test(t, stat_garbled, 0, 2);
	tcase_add_loop_test(t, statm_garbled, 0,
			    (int)(sizeof statm_garbage / sizeof statm_garbage[0]));
	tcase_add_test(t, no_proc);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
