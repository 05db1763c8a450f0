/* report/show/show_tree.c: the tree of a small database made by hand. */
#include "config.h"

#include "report/show/show_tree.h"
#include "tests/unit/report/facts.h"

#include <stdlib.h>
#include <string.h>

static char *text;

static void end(void)
{
	free(text);
	text = NULL;
	unmake();
}

/* No condition. */
static const struct pm_show_filter all = { .where = (char[]){ "" } };

static const char *tree(int64_t limit, bool counters, int width)
{
	struct pm_page page = { .width = width };
	size_t size;

	free(text);
	page.f = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(page.f);
	ck_assert_msg(pm_show_tree(&page, db, 1, limit, &all, counters, &e) == 0, "%s", e.text);
	fclose(page.f);
	return text;
}

/* An image: id, parent_id, depth, pid, generation, exename, args, end_reason, exitcode, exitsignal,
 * duration_us, cpu_time, inclusive_cpu_time, rssmax, as SQL. */
static void image(const char *values)
{
	char sql[512];

	snprintf(sql, sizeof sql,
		 "INSERT INTO process (job_id, host_id, id, parent_id, depth, pid, generation, "
		 "exename, args, end_reason, exitcode, exitsignal, duration_us, cpu_time, "
		 "inclusive_cpu_time, rssmax) VALUES (1, 1, %s)",
		 values);
	run(sql);
}

START_TEST(none)
{
	ck_assert_str_eq(tree(INT64_MAX, false, 80), "no processes\n");
	ck_assert_str_eq(tree(5, true, 80), "no processes\n");
}
END_TEST

/* The images of a process share a line, whose figures are of all: times add up, of memory the
 * largest counts, and it ended as the last did. What a fork copied has no name. */
START_TEST(images_share_a_line)
{
	image("1, NULL, 0, 100, 0, 'sh', 'a.sh', 'exit', 0, NULL, 9000000, 10000, 500000, 1000");
	image("2, 1, 1, 101, 0, 'sh', 'a.sh', 'exec', NULL, NULL, 1000, 2000, 3000, 3000");
	image("3, 1, 1, 101, 1, 'gcc', '-c\\x20x', 'exit', 3, NULL, 4000, 5000, 6000, 2000");
	image("4, 1, 1, 102, 0, 'env', 'ls', 'exec', NULL, NULL, 1000, NULL, 100, 1000");
	image("5, 1, 1, 102, 1, 'nice', 'ls', 'exec', NULL, NULL, 1000, 50, 100, 9000");
	image("6, 1, 1, 102, 2, 'ls', NULL, 'signal', NULL, 11, NULL, 50, NULL, NULL");
	ck_assert_str_eq(tree(INT64_MAX, false, 90),
			 "Wall time  CPU time  Tree CPU  Peak mem.  Ended     Pid  Command\n"
			 "   9.00 s   10.0 ms    500 ms    1.02 MB  0         100  sh a.sh\n"
			 "  5.00 ms   7.00 ms   9.00 ms    3.07 MB  status 3  101    gcc '-c x'\n"
			 "  2.00 ms    100 us    200 us    9.22 MB  SIGSEGV   102    env -> nice "
			 "ls -> ls\n");
}
END_TEST

/* Two that run at once, one of which has a child before it becomes another program; another process
 * of the same number, or of none, goes on as nobody. */
START_TEST(images_that_stay_apart)
{
	image("1, NULL, 0, 100, 0, 'sh', 'a.sh', 'exit', 0, NULL, 9, 1, 5, 1");
	image("2, 1, 1, 101, 0, 'first', NULL, 'exec', NULL, NULL, 9, 1, 5, 1");
	image("3, 1, 1, 102, 0, 'second', NULL, 'exec', NULL, NULL, 9, 1, 5, 1");
	image("4, 3, 2, 103, 0, 'child', NULL, 'exit', 0, NULL, 9, 1, 5, 1");
	image("5, 1, 1, 101, 1, 'first2', NULL, 'exit', 0, NULL, 9, 1, 5, 1");
	image("6, 1, 1, 102, 1, 'second2', NULL, 'exit', 0, NULL, 9, 1, 5, 1");
	image("7, 1, 1, 104, 1, 'third', NULL, 'exec', NULL, NULL, 9, 1, 5, 1");
	image("8, 1, 1, 104, 1, 'same', NULL, 'exit', 0, NULL, 9, 1, 5, 1");
	image("9, 1, 1, NULL, 0, 'unknown', NULL, 'exec', NULL, NULL, 9, 1, 5, 1");
	image("10, 1, 1, NULL, 1, 'unknown2', NULL, 'exit', 0, NULL, 9, 1, 5, 1");
	image("11, NULL, 0, 105, 0, 'other', NULL, 'exec', NULL, NULL, 9, 1, 5, 1");
	image("12, NULL, 0, 106, 1, 'root', NULL, 'exit', 0, NULL, 9, 1, 5, 1");
	ck_assert_str_eq(tree(INT64_MAX, false, 80),
			 "Wall time  CPU time  Tree CPU  Peak mem.  Ended      Pid  Command\n"
			 "     9 us      1 us      5 us    1.02 kB  0          100  sh a.sh\n"
			 "     9 us      1 us      5 us    1.02 kB  exec       102    second\n"
			 "     9 us      1 us      5 us    1.02 kB  0          103      child\n"
			 "    18 us      2 us     10 us    1.02 kB  0          101    first -> "
			 "first2\n"
			 "     9 us      1 us      5 us    1.02 kB  0          102    second2\n"
			 "     9 us      1 us      5 us    1.02 kB  0          104    same\n"
			 "     9 us      1 us      5 us    1.02 kB  0      unknown    unknown2\n"
			 "     9 us      1 us      5 us    1.02 kB  exec       104    third\n"
			 "     9 us      1 us      5 us    1.02 kB  exec   unknown    unknown\n"
			 "     9 us      1 us      5 us    1.02 kB  0          106  root\n"
			 "     9 us      1 us      5 us    1.02 kB  exec       105  other\n");
}
END_TEST

/* Sixteen levels are indented; deeper ones have their number. */
START_TEST(levels)
{
	char values[256];

	for (int i = 1; i <= 19; i++) {
		snprintf(values, sizeof values,
			 "%d, %s%.0d, %d, %d, 0, 'p%d', NULL, 'exit', 0, NULL, 1, 1, 1, 1", i,
			 i > 1 ? "" : "NULL", i - 1, i - 1, 100 + i, i);
		image(values);
	}
	tree(INT64_MAX, false, 120);
	ck_assert_str_eq(strstr(text, "15  "),
			 "15                              p15\n"
			 "     1 us      1 us      1 us    1.02 kB  0      116                    "
			 "            p16\n"
			 "     1 us      1 us      1 us    1.02 kB  0      117                    "
			 "              p17\n"
			 "     1 us      1 us      1 us    1.02 kB  0      118                    "
			 "              (level 17) p18\n"
			 "     1 us      1 us      1 us    1.02 kB  0      119                    "
			 "              (level 18) p19\n");
}
END_TEST

/* Those with the most CPU time of their own and below; of equal ones the first. */
START_TEST(limits)
{
	image("1, NULL, 0, 101, 0, 'root', NULL, 'exit', 0, NULL, 1, 1000, 9000, 1");
	image("2, 1, 1, 102, 0, 'small', NULL, 'exit', 0, NULL, 1, 2000, 2000, 1");
	image("3, 1, 1, 103, 0, 'equal', NULL, 'exit', 0, NULL, 1, 3000, 3000, 1");
	image("4, 1, 1, 104, 0, 'other', NULL, 'exit', 0, NULL, 1, 3000, 3000, 1");
	image("5, 1, 1, 105, 0, 'none', NULL, 'running', NULL, NULL, NULL, NULL, NULL, NULL");
	ck_assert_str_eq(tree(2, false, 80),
			 "Wall time  CPU time  Tree CPU  Peak mem.  Ended  Pid  Command\n"
			 "     1 us   1.00 ms   9.00 ms    1.02 kB  0      101  root\n"
			 "     1 us   3.00 ms   3.00 ms    1.02 kB  0      103    equal\n"
			 "\n"
			 "3 more, each with at most 3.00 ms of CPU time, 5.00 ms together, are "
			 "not shown;\n"
			 "--limit 0 shows all.\n");
	ck_assert_str_eq(tree(3, false, 80),
			 "Wall time  CPU time  Tree CPU  Peak mem.  Ended  Pid  Command\n"
			 "     1 us   1.00 ms   9.00 ms    1.02 kB  0      101  root\n"
			 "     1 us   3.00 ms   3.00 ms    1.02 kB  0      103    equal\n"
			 "     1 us   3.00 ms   3.00 ms    1.02 kB  0      104    other\n"
			 "\n"
			 "2 more, each with at most 3.00 ms of CPU time, 2.00 ms together, are "
			 "not shown;\n"
			 "--limit 0 shows all.\n");
	ck_assert_str_eq(tree(4, false, 80),
			 "Wall time  CPU time  Tree CPU  Peak mem.  Ended  Pid  Command\n"
			 "     1 us   1.00 ms   9.00 ms    1.02 kB  0      101  root\n"
			 "     1 us   2.00 ms   2.00 ms    1.02 kB  0      102    small\n"
			 "     1 us   3.00 ms   3.00 ms    1.02 kB  0      103    equal\n"
			 "     1 us   3.00 ms   3.00 ms    1.02 kB  0      104    other\n"
			 "\n"
			 "1 more, each with at most 2.00 ms of CPU time, unknown together, are "
			 "not shown;\n"
			 "--limit 0 shows all.\n");
	ck_assert_ptr_null(strstr(tree(5, false, 80), "not shown"));
	ck_assert_ptr_nonnull(strstr(text, "none"));
	ck_assert_ptr_null(strstr(tree(INT64_MAX, false, 80), "not shown"));
}
END_TEST

/* Each image with its own events and what they make; none of another's. */
START_TEST(counters_below)
{
	image("1, NULL, 0, 101, 0, 'a', NULL, 'exec', NULL, NULL, 2000000, 1, 9, 1");
	image("2, NULL, 0, 101, 1, 'b', NULL, 'exit', 0, NULL, 1, 1, 2, 1");
	image("3, 2, 1, 103, 0, 'c', NULL, 'exit', 0, NULL, 4000000, 1, 1, 1");
	image("4, 2, 1, 104, 0, 'd', NULL, 'exit', 0, NULL, NULL, 1, 9, 1");
	run("INSERT INTO counter (job_id, process_id, thread_id, name, value, ratio, reason, "
	    "scope) "
	    "VALUES (1, 1, 0, 'cycles', 1000, NULL, NULL, NULL),"
	    " (1, 1, 0, 'instructions', 1500, 0.5, NULL, NULL),"
	    " (1, 1, 0, 'page-faults', 300, 1, NULL, NULL), (1, 1, 2, 'cycles', 77, NULL, NULL, "
	    "NULL),"
	    " (1, 3, 0, 'cycles', 4000, NULL, NULL, NULL),"
	    " (1, 3, 0, 'instructions', NULL, NULL, 'closed', NULL),"
	    " (1, 4, 0, 'page-faults', 8, NULL, NULL, 'node'), (1, 4, 0, 'odd\\x20', NULL, NULL, "
	    "NULL, NULL)");
	ck_assert_str_eq(tree(INT64_MAX, true, 120),
			 "Wall time  CPU time  Tree CPU  Peak mem.  Ended  Pid  Command\n"
			 "   2.00 s      1 us      9 us    1.02 kB  exec   101  a\n"
			 "                                                          1 000  cycles\n"
			 "                                                          1 500 "
			 "(counted 50 % of the time)  instructions\n"
			 "                                                          300  "
			 "page-faults\n"
			 "                                                          1.50  "
			 "Instructions per cycle\n"
			 "                                                          0.67  Cycles "
			 "per instruction\n"
			 "                                                          150 /s  Page "
			 "faults\n"
			 "     1 us      1 us      2 us    1.02 kB  0      101  b\n"
			 "   4.00 s      1 us      1 us    1.02 kB  0      103    c\n"
			 "                                                            4 000  "
			 "cycles\n"
			 "                                                            unknown "
			 "(closed)  instructions\n"
			 "                                                            unknown  "
			 "Instructions per cycle\n"
			 "                                                            unknown  "
			 "Cycles per instruction\n"
			 "  unknown      1 us      9 us    1.02 kB  0      104    d\n"
			 "                                                            unknown  "
			 "odd \n"
			 "                                                            8 (of the "
			 "node)  page-faults\n"
			 "                                                            unknown  "
			 "Page faults\n");
	/* Those that are left out take theirs with them. */
	tree(2, true, 120);
	ck_assert_ptr_nonnull(strstr(text, "8 (of the node)  page-faults\n"));
	ck_assert_ptr_null(strstr(text, "4 000"));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_tree");
	TCase *t = tcase_create("tree");

	tcase_add_checked_fixture(t, make, end);
	tcase_add_test(t, none);
	tcase_add_test(t, images_share_a_line);
	tcase_add_test(t, images_that_stay_apart);
	tcase_add_test(t, levels);
	tcase_add_test(t, limits);
	tcase_add_test(t, counters_below);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
