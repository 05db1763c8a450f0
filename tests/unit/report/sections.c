/* report/job/report_marks.c, report_counters.c, report_tables.c: phases, counters and the timeline
 * in a report. */
#include "config.h"

#include "tests/unit/report/print.h"

#include <math.h>

START_TEST(marks)
{
	ck_assert_str_eq(section("Phases marked", 100), "");
	f.marks = 2;
	f.mark[0] = (struct pm_fact_mark){ "a", 3, 0, 0, 4 * S, 2 * S, 6e6, 1000, 5000 };
	f.mark[1] =
		(struct pm_fact_mark){ "b", 1, 0, 0, PM_UNKNOWN, PM_UNKNOWN, NAN, PM_UNKNOWN, NAN };
	ck_assert_str_eq(section("Phases marked", 100),
			 "  Phase  Times  Wall time  Longest  CPU time  CPUs busy  Started  Peak "
			 "mem.\n"
			 "  a          3     4.00 s   2.00 s    6.00 s        1.5    1 000    "
			 "5.00 kB\n"
			 "  b          1    unknown  unknown   unknown    unknown  unknown    "
			 "unknown\n");
	f.mark[1].unended = 1;
	f.marks_cut = true;
	ck_assert_str_eq(section("Phases marked", 70),
			 "  Phase  Times  Wall time  CPU time  CPUs busy  Started  Peak mem.\n"
			 "  a          3     4.00 s    6.00 s        1.5    1 000    5.00 kB\n"
			 "  b          1    unknown   unknown    unknown  unknown    unknown\n"
			 "  A phase whose end was not marked lasts until the end of the job.\n"
			 "  More phases: perfmon list phases\n");
}
END_TEST

START_TEST(counters)
{
	static const struct pm_metric_info ipc = { .id = "ipc", .label = "L", .unit = "" };
	static const struct pm_metric_info rate = { .id = "r", .label = "R", .unit = "/s" };
	struct pm_fact_counter counter[4] = {
		{ "a", 1000, "", 2, 1, 0.5, { { "closed", 1 }, { "", 2 } }, 2 },
		{ "b", 7, "node", 3, 0, 1, { { "closed", 3 } }, 1 },
		{ "c", PM_UNKNOWN, "rate", 3, 0, 1, { { "", 0 } }, 0 },
		{ "d", PM_UNKNOWN, "", 0, 4, 1, { { "nosuch", 1 } }, 1 },
	};
	struct pm_fact_metric metric[2] = { { &ipc, "d", 1.5, 2, 0.25 }, { &rate, "", NAN, 0, 1 } };

	f.counter = counter;
	f.counters = 4;
	f.metric = metric;
	f.metrics = 2;
	f.processes = 6;
	f.counted = 6;
	ck_assert_str_eq(section("Counters\n", 100),
			 "  Event    Total  Processes  Unknown in       Time counted\n"
			 "  a        1 000          2           1               50 %\n"
			 "  b            7          3           0  per node: largest\n"
			 "  c                       3           0   a rate: no total\n"
			 "  d      unknown          0           4\n"
			 "\n"
			 "  Derived metric    Value  Processes  Time counted\n"
			 "  L d                1.50          2          25 %\n"
			 "  R               unknown          0\n"
			 "  - a, b: unknown in up to 3 processes: the program closed the "
			 "counter's descriptor or reused its\n"
			 "    number (closed)\n"
			 "  - a: unknown in 2 processes: no reason was recorded\n"
			 "  - d: unknown in 1 process: the kernel refused the event (nosuch)\n");
	f.counters_cut = true;
	f.processes = 7;
	ck_assert_ptr_nonnull(strstr(section("Counters\n", 200),
				     "  - More events: perfmon list counters\n  - 1 "
				     "process left no record of counters: "));
	f.processes = 8;
	ck_assert_ptr_nonnull(
		strstr(section("Counters\n", 200), "  - 2 processes left no record of counters: "));
	f.sampled_counter = counter;
	f.sampled_counters = 1;
	f.sampled_metric = metric;
	f.sampled_metrics = 1;
	f.counters = 0;
	ck_assert_str_eq(section("Sampled counters", 100),
			 "  Event  Total  Hosts  Unknown in  Time counted\n"
			 "  a      1 000      2           1          50 %\n"
			 "\n"
			 "  Derived metric  Value  Hosts  Time counted\n"
			 "  L d              1.50      2          25 %\n"
			 "  - a: unknown on 1 host (closed)\n"
			 "  - a: unknown on 2 hosts ()\n");
	f.counter = f.sampled_counter = NULL;
	f.metric = f.sampled_metric = NULL;
}
END_TEST

/* Heights are of the scale's top: what is not nothing is seen, what is full is full. */
START_TEST(time_line)
{
	ck_assert_str_eq(section("Timeline", 80), "");
	f.line_us = 48 * S;
	f.cpu.known = f.rss_line.known = f.active.known = true;
	f.cpus = 8;
	f.cpu.peak = 4;
	f.rss_line.peak = 1000;
	f.rss_tree = 2000;
	f.active.peak = 0.5;
	for (int i = 0; i < PM_FACTS_STEPS; i++) {
		f.cpu.step[i] = i * 0.25;
		f.rss_line.step[i] = i == 3 ? NAN : i <= 1 ? i : 1000;
		f.active.step[i] = i == 0 ? 2 : 0;
	}
	f.cpu.step[1] = 0.0081;
	f.cpu.step[2] = 0.0079;
	f.phases = 2;
	f.phase[0] = (struct pm_fact_phase){ "first", 1, 0, 24 * S - 1 };
	f.phase[1] = (struct pm_fact_phase){ "a long second name", 2, 24 * S, 48 * S };
	ck_assert_str_eq(section("Timeline", 80),
			 "  CPUs busy       | . ...::::----====++++****%%%%##################| 8 "
			 "CPUs\n"
			 "  Memory          |  #?############################################| "
			 "2.00 kB\n"
			 "  Processes       |#                                               | 1\n"
			 "                  |0 s                  24.0 s               48.0 s|\n"
			 "  first           |========================                        | "
			 "24.0 s\n"
			 "  a long seco...  |                        ========================| "
			 "24.0 s\n"
			 "  ? marks times without samples.\n");
	/* From long before the job to long after it. */
	f.phases = 1;
	f.phase[0] = (struct pm_fact_phase){ "odd", 1, -INT64_MAX, INT64_MAX };
	ck_assert_ptr_nonnull(
		strstr(section("Timeline", 80),
		       "  odd             |================================================|"));
	f.cpu.peak = 9;
	f.cpus = 1;
	f.sampled = true;
	f.rss_line.step[3] = 0;
	f.active.peak = 2;
	ck_assert_ptr_nonnull(strstr(section("Timeline (sampled", 80), "| 9 CPUs\n"));
	ck_assert_ptr_nonnull(strstr(section("Timeline (sampled", 80), "| 2\n"));
	ck_assert_ptr_null(strstr(section("Timeline (sampled", 80), "?"));
	f.cpu.peak = 0.5;
	ck_assert_ptr_nonnull(strstr(section("Timeline (sampled", 80), "| 1 CPU\n"));
	ck_assert_str_eq(section("Timeline", 79), "");
	f.cpu.known = f.active.known = false;
	ck_assert_str_eq(section("Timeline", 80), "");
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		marks,
		counters,
		time_line,
	};
	Suite *s = suite_create("report_sections");
	TCase *t = tcase_create("sections");

	tcase_add_checked_fixture(t, begin, end);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
