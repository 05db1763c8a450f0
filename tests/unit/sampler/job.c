/* Sources that read the job's process tree, on recorded trees: exact values. */
#include "config.h"

#include "sampler/tree/tree.h"

#include "tests/unit/sampler/process.h"
#include "tests/unit/sampler/source.h"

static bool opened;

/* Scan the tree of process 100 and sample a source of it, opened by the first call. */
static void look(const struct pm_source *source)
{
	scan();
	if (!opened) {
		const struct pm_target target = { .root = root, .tree = tree };

		ck_assert_int_eq(begin_on(source, &target), 0);
		opened = true;
	}
	sample();
}

static void finish(void)
{
	if (opened)
		end();
	opened = false;
	tree_end();
}

static void check_values(const char *object, int64_t cputime, int64_t rss, int64_t third)
{
	check_known("cputime", object, cputime);
	check_known("rss", object, rss * sysconf(_SC_PAGESIZE));
	check_known(sink.source == &pm_source_members ? "threads" : "processes", object, third);
}

/* --- programs --------------------------------------------------------------------------------- */

START_TEST(programs_values)
{
	const struct pm_source *source = &pm_source_programs;

	record((struct process){ .pid = 100,
				 .ppid = 1,
				 .utime = 1,
				 .stime = 2,
				 .rss = 5,
				 .cutime = 99,
				 .name = "sh" });
	record((struct process){ .pid = 101, .ppid = 100, .utime = 10, .rss = 6, .name = "a b" });
	record((struct process){ .pid = 102, .ppid = 100, .stime = 20, .rss = 7, .name = "a b" });
	record((struct process){
		.pid = 103, .ppid = 100, .state = 'Z', .utime = 40, .name = "a b" });
	look(source);
	check_values("sh", 3 * TICK, 5, 1);
	check_values("a b", 70 * TICK, 13, 2);
	/* One works on, one becomes another program, one is gone, its pid in use again. */
	record((struct process){ .pid = 101, .ppid = 100, .utime = 15, .rss = 6, .name = "a b" });
	record((struct process){ .pid = 102, .ppid = 100, .stime = 21, .rss = 9, .name = "cc" });
	record((struct process){
		.pid = 103, .ppid = 100, .utime = 4, .rss = 1, .start = 999, .name = "cc" });
	look(source);
	look(source);
	check_values("sh", 3 * TICK, 5, 1);
	check_values("a b", 75 * TICK, 6, 1);
	check_values("cc", 5 * TICK, 10, 2);
	/* A program without processes is there all the same: its CPU time is. */
	forget(101);
	look(source);
	check_values("a b", 75 * TICK, 0, 0);
	root_put("proc/102/statm", "");
	look(source);
	check_unknown("rss", "cc", PM_REASON_parse);
	check_known("processes", "cc", 2);
}
END_TEST

START_TEST(programs_many)
{
	static char name[200][16];

	record((struct process){ .pid = 100, .ppid = 1, .utime = 1, .name = "root" });
	for (int i = 0; i < 200; i++) {
		snprintf(name[i], sizeof name[i], "program-%d", i);
		record((struct process){
			.pid = 1000 + i, .ppid = 100, .utime = 1, .rss = 1, .name = name[i] });
	}
	for (int i = 0; i < 3; i++) {
		look(&pm_source_programs);
		ck_assert_int_eq(objects("rss"), 33);
		check_values("*", 169 * TICK, 169, 169);
	}
}
END_TEST

/* --- members ---------------------------------------------------------------------------------- */

static void place_in(pid_t pid, const char *space, const char *status)
{
	char path[128];

	snprintf(path, sizeof path, "proc/%d/status", pid);
	root_put(path, status);
	snprintf(path, sizeof path, "%s/proc/%d/ns", root, pid);
	PM_SURE(mkdir(path, 0755) == 0);
	snprintf(path, sizeof path, "%s/proc/%d/ns/pid", root, pid);
	PM_SURE(symlink(space, path) == 0);
}

START_TEST(members_values)
{
	const struct pm_source *source = &pm_source_members;

	record((struct process){ .pid = 100, .ppid = 1, .utime = 1, .rss = 5 });
	/* In a container, where it is pid 7. */
	record((struct process){ .pid = 101, .ppid = 100, .utime = 2, .rss = 6, .threads = 3 });
	place_in(101, "pid:[4026532000]", "Name:\tx\nNSpid:\t101\t7\nThreads:\t3\n");
	place_in(100, "pid:[4026531836]", "Name:\tx\nNSpid:\t100\nThreads:\t3\n");
	look(source);
	look(source);
	ck_assert_int_eq(objects("rss"), 0);
	/* Not before it is seen the third time. */
	record((struct process){ .pid = 102, .ppid = 100, .utime = 4, .rss = 7 });
	look(source);
	ck_assert_int_eq(objects("rss"), 2);
	check_values("4026531836:100:100", 1 * TICK, 5, 1);
	check_values("4026532000:7:101", 2 * TICK, 6, 3);
	look(source);
	/* Gone: absent once, then not there; another one with its pid is another object. */
	record((struct process){ .pid = 101, .ppid = 100, .utime = 9, .rss = 1, .start = 500 });
	look(source);
	check_unknown("cputime", "4026532000:7:101", PM_REASON_absent);
	/* Whose namespace cannot be read. */
	check_values("0:102:102", 4 * TICK, 7, 1);
	pm_sink_passed(&sink);
	ck_assert_int_eq(objects("rss"), 2);
	look(source);
	look(source);
	check_values("4026532000:7:500", 9 * TICK, 1, 1);
	ck_assert_int_eq(objects("rss"), 3);
}
END_TEST

/* Of a process whose leader has ended others may run on; else it is a zombie, which has nothing. */
START_TEST(leaders_that_ended)
{
	static const struct pm_source *const sources[] = { &pm_source_members, &pm_source_programs,
							   &pm_source_footprint };

	record((struct process){ .pid = 100, .ppid = 1, .name = "sh" });
	record((struct process){
		.pid = 101, .ppid = 100, .utime = 7, .rss = 6, .state = 'Z', .threads = 2, .name = "a" });
	record((struct process){ .pid = 102, .ppid = 100, .utime = 5, .state = 'Z', .name = "a" });
	root_put("proc/101/smaps_rollup", "Pss: 5 kB\n");
	root_put("proc/102/smaps_rollup", "Pss: 50 kB\n");
	for (int i = 0; i < 3; i++)
		look(sources[_i]);
	if (_i == 0) {
		ck_assert_int_eq(objects("rss"), 2);
		check_values("0:101:101", 7 * TICK, 6, 2);
	} else if (_i == 1) {
		check_values("a", 12 * TICK, 6, 1);
	} else {
		check_known("pss", "", 5 * 1024);
	}
}
END_TEST

START_TEST(members_many)
{
	record((struct process){ .pid = 100, .ppid = 1, .utime = 1 });
	for (int i = 0; i < 50; i++)
		record((struct process){ .pid = 1000 + i, .ppid = 100, .utime = 1 });
	for (int i = 0; i < 5; i++) {
		look(&pm_source_members);
		ck_assert_int_eq(objects("rss"), i < 2 ? 0 : 16);
	}
	check_known("cputime", "0:100:100", TICK);
	/* Places that become free are taken by others. */
	for (int i = 0; i < 30; i++)
		forget(1000 + i);
	for (int i = 0; i < 5; i++) {
		look(&pm_source_members);
		pm_sink_passed(&sink);
	}
	ck_assert_int_eq(objects("rss"), 16);
	check_known("cputime", "0:1049:1049", TICK);
}
END_TEST

/* --- footprint -------------------------------------------------------------------------------- */

#define ROLLUP(pss, private, swap)                                                                 \
	"400000-7ffc2000 ---p 00000000 00:00 0                          [rollup]\n"                \
	"Rss:                 999 kB\n"                                                            \
	"Pss:                 " pss " kB\n"                                                        \
	"Pss_Dirty:           888 kB\n"                                                            \
	"Shared_Clean:        777 kB\n"                                                            \
	"Private_Clean:         1 kB\n"                                                            \
	"Private_Dirty:       " private " kB\n"                                                    \
					"Anonymous:           100 kB\n"                            \
					"Private_Hugetlb:    2048 kB\n"                            \
					"Swap:                " swap " kB\n"                       \
					"SwapPss:               3 kB\n"                            \
					"Locked:                0 kB\n"

static void check_footprint(int64_t uss, int64_t pss, int64_t swap, int64_t swap_pss)
{
	check_known("uss", "", uss * 1024);
	check_known("pss", "", pss * 1024);
	check_known("swap", "", swap * 1024);
	check_known("swap_pss", "", swap_pss * 1024);
}

START_TEST(footprint_values)
{
	const struct pm_source *source = &pm_source_footprint;

	record((struct process){ .pid = 100, .ppid = 1 });
	record((struct process){ .pid = 101, .ppid = 100 });
	record((struct process){ .pid = 102, .ppid = 100, .state = 'Z' });
	root_put("proc/100/smaps_rollup", ROLLUP("50", "20", "7"));
	root_put("proc/101/smaps_rollup", ROLLUP("60", "30", "8"));
	root_put("proc/100/fd/0", "");
	root_put("proc/100/fd/1", "");
	root_put("proc/101/fd/255", "");
	look(source);
	check_footprint(2 * (1 + 2048) + 50, 110, 15, 6);
	check_known("descriptors", "", 3);
	/* One that ended between the scan and now; one without memory, as the kernel's own. */
	root_remove_path("proc/101/smaps_rollup");
	root_remove_path("proc/101/fd");
	sample();
	check_footprint(1 + 2048 + 20, 50, 7, 3);
	check_known("descriptors", "", 2);
	root_put("proc/101/smaps_rollup", "");
	sample();
	check_footprint(1 + 2048 + 20, 50, 7, 3);
	forget(100);
	forget(101);
	forget(102);
	look(source);
	check_unknown("uss", "", PM_REASON_absent);
	check_unknown("descriptors", "", PM_REASON_absent);
}
END_TEST

START_TEST(footprint_permission)
{
	char path[128];

	record((struct process){ .pid = 100, .ppid = 1 });
	record((struct process){ .pid = 101, .ppid = 100 });
	root_put("proc/100/smaps_rollup", ROLLUP("50", "20", "7"));
	root_put("proc/101/smaps_rollup", ROLLUP("60", "30", "8"));
	root_put("proc/100/fd/0", "");
	root_put("proc/101/fd/0", "");
	snprintf(path, sizeof path, "%s/proc/101/smaps_rollup", root);
	PM_SURE(chmod(path, 0) == 0);
	root_become_plain_user();
	look(&pm_source_footprint);
	root_become_self();
	check_unknown("uss", "", PM_REASON_permission);
	check_unknown("swap_pss", "", PM_REASON_permission);
	check_known("descriptors", "", 2);
	PM_SURE(chmod(path, 0644) == 0);
	snprintf(path, sizeof path, "%s/proc/101/fd", root);
	PM_SURE(chmod(path, 0) == 0);
	root_become_plain_user();
	sample();
	root_become_self();
	check_footprint(2 * (1 + 2048) + 50, 110, 15, 6);
	check_unknown("descriptors", "", PM_REASON_permission);
	PM_SURE(chmod(path, 0755) == 0);
}
END_TEST

static const struct {
	const char *text;
	enum pm_reason reason; /* of pss */
} footprint_garbage[] = {
	{ "Pss: 50 kB", PM_REASON_parse },
	{ "Pss: x kB\n", PM_REASON_parse },
	{ "Pss: -1 kB\n", PM_REASON_parse },
	{ "Pss: 50\n", PM_REASON_parse },
	{ "Pss: 50 MB\n", PM_REASON_parse },
	{ "Pss: 9223372036854775807 kB\n", PM_REASON_parse },
	{ "Pss: 9007199254740991 kB\nPss: 9007199254740991 kB\n", PM_REASON_parse },
	{ "\xff\xfe", PM_REASON_parse },
	{ "Rss: 5 kB\n", PM_REASON_parse },
	{ "Swap: 5 kB\n", PM_REASON_unsupported },
};

START_TEST(footprint_garbled)
{
	record((struct process){ .pid = 100, .ppid = 1 });
	record((struct process){ .pid = 101, .ppid = 100 });
	root_put("proc/100/smaps_rollup", ROLLUP("50", "20", "7"));
	root_put("proc/101/smaps_rollup", footprint_garbage[_i].text);
	look(&pm_source_footprint);
	check_unknown("pss", "", footprint_garbage[_i].reason);
	check_unknown("uss", "", footprint_garbage[_i].reason);
	if (footprint_garbage[_i].reason == PM_REASON_unsupported)
		check_known("swap", "", 12 * 1024);
	else
		check_unknown("swap", "", PM_REASON_parse);
	root_put("proc/101/smaps_rollup", ROLLUP("60", "30", "8"));
	sample();
	check_footprint(2 * (1 + 2048) + 50, 110, 15, 6);
}
END_TEST

/* --- process ---------------------------------------------------------------------------------- */

/* Each sum under its name. */
START_TEST(process_values)
{
	static const struct {
		const char *metric;
		int64_t value;
	} want[] = {
		{ "usertime", 3 * TICK }, { "systemtime", 70 * TICK }, { "processes", 2 }, { "threads", 6 },
		{ "rchar", 1100 },	  { "wchar", 22 },	       { "syscr", 6 },	   { "syscw", 8 },
		{ "read_bytes", 10 },	  { "write_bytes", 12 },       { "cancelled_write_bytes", 14 },
	};
	const int64_t page = sysconf(_SC_PAGESIZE);

	record((struct process){ .pid = 100, .ppid = 1, .utime = 1, .stime = 30, .rss = 5 });
	record((struct process){
		.pid = 101, .ppid = 100, .utime = 2, .stime = 40, .rss = 6, .threads = 5 });
	record_io(100, 100, 2);
	record_io(101, 1000, 20);
	look(&pm_source_process);
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		check_known(want[i].metric, "", want[i].value);
	check_known("rss", "", 11 * page);
	check_known("vms", "", 22 * page);
	check_known("shared", "", 6 * page);
	ck_assert_uint_eq(sink.count, sizeof want / sizeof want[0] + 3);
}
END_TEST

START_TEST(no_tree)
{
	static const struct pm_source *const sources[] = { &pm_source_programs, &pm_source_members,
							   &pm_source_footprint, &pm_source_process,
							   &pm_source_taskstats };

	const struct pm_target target = { .root = "/nowhere" };

	ck_assert_int_eq(sources[_i]->open(&state, &target, NULL, &why), -1);
	ck_assert_str_eq(pm_reason_name(why.reason), "absent");
	ck_assert_str_eq(why.err.text, "no process to follow: give --pid");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_job");
	TCase *t = tcase_create("job"), *none = tcase_create("none");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, tree_begin, finish);
	tcase_add_test(t, programs_values);
	tcase_add_test(t, programs_many);
	tcase_add_test(t, members_values);
	tcase_add_loop_test(t, leaders_that_ended, 0, 3);
	tcase_add_test(t, members_many);
	tcase_add_test(t, process_values);
	tcase_add_test(t, footprint_values);
	tcase_add_test(t, footprint_permission);
	tcase_add_loop_test(t, footprint_garbled, 0,
			    (int)(sizeof footprint_garbage / sizeof footprint_garbage[0]));
	tcase_add_loop_test(none, no_tree, 0, 5);
	suite_add_tcase(s, t);
	suite_add_tcase(s, none);
	return s;
}

PM_UNIT_MAIN(suite)
