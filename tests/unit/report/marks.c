/* report/query/query_marks.c, query_samples.c: phases that a job marked, and the job itself,
 * measured by the samples of its hosts. */
#include "config.h"

#include "tests/unit/report/facts.h"

#include <math.h>
#include <string.h>

/* The series of a host: 10 * host (user), + 1 (system), + 2 (memory), as samples of each second. */
static void series(int host)
{
	static const char *const metric[] = { "usertime", "systemtime", "rss" };
	char sql[512];

	for (int i = 0; i < 3; i++) {
		snprintf(sql, sizeof sql,
			 "INSERT INTO series (job_id, id, host_id, source, metric, object, unit, "
			 "kind) VALUES (1, %d, %d, 'process', '%s', '', 'us', '%s')",
			 10 * host + i, host, metric[i], i < 2 ? "counter" : "gauge");
		run(sql);
	}
}

static void tick(int host, int second, double user, double system, double rss)
{
	char value[32];

	snprintf(value, sizeof value, "%.0f", user * 1e6);
	sample(10 * host, second, value);
	snprintf(value, sizeof value, "%.0f", system * 1e6);
	sample(10 * host + 1, second, value);
	snprintf(value, sizeof value, "%.0f", rss);
	sample(10 * host + 2, second, value);
}

static int phases;

/* Times in seconds; below 0: not known. */
static void phase(int host, const char *name, double begin, double end, bool ended)
{
	char sql[512], from[32] = "NULL", to[32] = "NULL", duration[32] = "NULL";

	if (begin >= 0)
		snprintf(from, sizeof from, "%.0f", begin * 1e6);
	if (end >= 0)
		snprintf(to, sizeof to, "%.0f", end * 1e6);
	if (begin >= 0 && end >= 0)
		snprintf(duration, sizeof duration, "%.0f", (end - begin) * 1e6);
	snprintf(
		sql, sizeof sql,
		"INSERT INTO phase (job_id, host_id, id, name, pid, begin_us, end_us, duration_us, "
		"ended) VALUES (1, %d, %d, '%s', 1, %s, %s, %s, %d)",
		host, ++phases, name, from, to, duration, ended);
	run(sql);
}

static const struct pm_fact_mark *mark(const char *name)
{
	for (size_t i = 0; i < f.marks; i++)
		if (strcmp(f.mark[i].name, name) == 0)
			return &f.mark[i];
	ck_abort_msg("no phase %s", name);
}

/* Half a CPU until second 10, then two, half of it in the kernel; memory grows and falls. */
static void ordinary(void)
{
	series(1);
	for (int t = 0; t <= 20; t++) {
		double used = t <= 10 ? 0.5 * t : 5 + 2.0 * (t - 10);

		tick(1, t, used / 2, used / 2, t == 12 ? 9000 : 1000 + t);
	}
}

START_TEST(measured)
{
	ordinary();
	process(1, "NULL", "'a'", "''", "start_us, generation", "2000000, 0");
	process(2, "1", "'a'", "''", "start_us, generation", "4000000, 0");
	process(3, "1", "'a'", "''", "start_us, generation", "4000000, 1");
	process(4, "1", "'a'", "''", "start_us", "4000001");
	process(5, "1", "'a'", "''", "generation", "0");
	process(6, "1", "'a'", "''", "start_us, generation", "3000000, 0");
	run("UPDATE process SET host_id = 2 WHERE id = 6");
	phase(1, "first", 2, 4, true);
	phase(1, "between", 9.5, 10.5, true);
	phase(1, "busy", 11, 20, false);
	phase(1, "short", 12.25, 12.75, true);
	phase(1, "at", 12, 12, true);
	phase(1, "first", 11.5, 14.5, true);
	facts();
	ck_assert_uint_eq(f.marks, 5);
	ck_assert_str_eq(f.mark[0].name, "first");
	ck_assert(mark("first")->times == 2 && mark("first")->unended == 0);
	ck_assert_int_eq(mark("first")->first_us, 2000000);
	ck_assert_int_eq(mark("first")->wall_us, 5000000);
	ck_assert_int_eq(mark("first")->longest_us, 3000000);
	ck_assert_double_eq_tol(mark("first")->cpu_us, 7e6, 1);
	ck_assert_double_eq_tol(pm_facts_busy(mark("first")), 1.4, 1e-9);
	/* What began at the first moment or the last, and no image of an exec. */
	ck_assert_int_eq(mark("first")->processes, 2);
	ck_assert_double_eq(mark("first")->memory, 9000);
	ck_assert_double_eq_tol(mark("between")->cpu_us, 1.25e6, 1);
	ck_assert_double_eq(mark("between")->memory, 1010);
	ck_assert_double_eq_tol(mark("busy")->cpu_us, 18e6, 1);
	ck_assert(mark("busy")->unended == 1 && mark("busy")->processes == 0);
	ck_assert_double_eq(mark("busy")->memory, 9000);
	ck_assert_double_eq_tol(mark("short")->cpu_us, 1e6, 1);
	ck_assert(isnan(mark("short")->memory));
	ck_assert_double_eq(mark("at")->memory, 9000);
	ck_assert(isnan(pm_facts_busy(mark("at"))));
	ck_assert(!f.marks_cut);
}
END_TEST

/* What is not known of one phase is not known of all with its name; a time that is not there is
 * none. */
START_TEST(not_known)
{
	ordinary();
	process(1, "NULL", "'a'", "''", "start_us, generation", "3000000, 0");
	phase(1, "end", -1, 4, true);
	phase(1, "end", 2, 4, true);
	phase(1, "begin", 2, -1, true);
	phase(2, "unsampled", 2, 4, true);
	phase(1, "mixed", 2, 4, true);
	phase(2, "mixed", 1, 3, false);
	facts();
	ck_assert(mark("end")->times == 2 && mark("end")->first_us == 2000000);
	ck_assert_int_eq(mark("end")->wall_us, PM_UNKNOWN);
	ck_assert_int_eq(mark("end")->longest_us, 2000000);
	ck_assert(isnan(mark("end")->cpu_us));
	ck_assert_int_eq(mark("end")->processes, PM_UNKNOWN);
	ck_assert_double_eq(mark("end")->memory, 1004);
	ck_assert_int_eq(mark("begin")->first_us, 2000000);
	ck_assert_int_eq(mark("begin")->longest_us, PM_UNKNOWN);
	ck_assert_int_eq(mark("begin")->processes, PM_UNKNOWN);
	ck_assert(isnan(mark("unsampled")->cpu_us) && isnan(mark("unsampled")->memory));
	ck_assert_int_eq(mark("unsampled")->processes, 0);
	ck_assert(isnan(mark("mixed")->cpu_us));
	ck_assert_double_eq(mark("mixed")->memory, 1004);
	ck_assert(mark("mixed")->first_us == 1000000 && mark("mixed")->unended == 1);
	ck_assert_int_eq(mark("mixed")->processes, 1);
}
END_TEST

/* Samples may miss two of their steps or a tenth of the phase, never all of it. */
START_TEST(not_wholly_sampled)
{
	series(1);
	for (int t = 10; t <= 20; t++)
		tick(1, t, t, 0, 1);
	phase(1, "two before", 8, 12, true);
	phase(1, "three before", 6.9, 12, true);
	phase(1, "two behind", 15, 22, true);
	phase(1, "both", 8.5, 21.6, true);
	phase(1, "tenth", 7.5, 32, true);
	phase(1, "outside", 21, 22, true);
	series(2);
	tick(2, 10, 1, 0, 1);
	tick(2, 20, 6, 0, 1);
	phase(2, "of two", 12, 18, true);
	facts();
	ck_assert_double_eq_tol(mark("of two")->cpu_us, 3e6, 1);
	ck_assert_double_eq_tol(mark("two before")->cpu_us, 2e6, 1);
	ck_assert(isnan(mark("three before")->cpu_us));
	ck_assert_double_eq_tol(mark("two behind")->cpu_us, 5e6, 1);
	ck_assert(isnan(mark("both")->cpu_us));
	ck_assert(isnan(mark("tenth")->cpu_us));
	ck_assert(isnan(mark("outside")->cpu_us));
}
END_TEST

/* A sampler that was started again counts anew: what was before is not known. */
START_TEST(samplers_that_follow_each_other)
{
	series(1);
	for (int t = 0; t <= 10; t++)
		tick(1, t, t < 5 ? 100 + t : t - 5, 0, 1);
	phase(1, "before", 1, 3, true);
	phase(1, "behind", 6, 9, true);
	facts();
	ck_assert(isnan(mark("before")->cpu_us));
	ck_assert_double_eq_tol(mark("behind")->cpu_us, 3e6, 1);
}
END_TEST

/* As many names as there is room for; more are said to be there, and those known go on. */
START_TEST(many_names)
{
	char name[16];

	for (int i = 0; i < PM_FACTS_MARKS; i++) {
		snprintf(name, sizeof name, "n%d", i);
		phase(1, name, 1, 2, true);
	}
	facts();
	ck_assert(f.marks == PM_FACTS_MARKS && !f.marks_cut);
	phase(1, "more", 1, 2, true);
	phase(1, "n0", 3, 4, true);
	pm_facts_free(&f);
	pm_facts_init(&f, 5);
	facts();
	ck_assert(f.marks == PM_FACTS_MARKS && f.marks_cut);
	ck_assert_int_eq(f.mark[0].times, 2);
}
END_TEST

/* What is sampled of one host is of no other, and nothing is known before the first sample or
 * behind the last. */
START_TEST(memory_while_it_was_sampled)
{
	series(1);
	series(2);
	for (int t = 0; t <= 4; t++) {
		tick(1, 10 + t, t, 0, 1000);
		tick(2, 20 + t, t, 0, 4000 - t);
	}
	facts();
	ck_assert(f.rss_line.known && f.sampled);
	ck_assert(isnan(f.rss_line.step[9]) && isnan(f.cpu.step[9]));
	ck_assert_double_eq(f.rss_line.step[10], 1000);
	ck_assert_double_eq(f.rss_line.step[14], 1000);
	ck_assert(isnan(f.rss_line.step[15]) && isnan(f.cpu.step[17]));
	ck_assert_double_eq(f.rss_line.step[20], 4000);
	ck_assert_double_eq(f.rss_line.step[24], 3996);
	ck_assert(isnan(f.rss_line.step[25]));
	ck_assert_double_eq(f.rss_line.peak, 4000);
	ck_assert_int_eq(f.rss_tree, 4000);
}
END_TEST

/* For how long so many CPUs were busy; one that is reads as 0.9 to 1.1. */
START_TEST(busy_cpus)
{
	const double rate[] = { 0.05, 0.5, 1.05, 1.2, 70 };
	double used = 0;
	char value[32];

	series(1);
	for (int t = 0; t <= 48; t += 2) {
		snprintf(value, sizeof value, "%.0f", used * 1e6);
		sample(10, t, value);
		sample(11, t, "0");
		used += 2 * rate[t / 10];
	}
	facts();
	ck_assert_double_eq_tol(f.busy_at_most[0], 10. / 48, 1e-9);
	ck_assert_double_eq_tol(f.busy_at_most[1], 30. / 48, 1e-9);
	ck_assert_double_eq_tol(f.busy_at_most[2], 40. / 48, 1e-9);
	ck_assert_double_eq_tol(f.busy_at_most[62], 40. / 48, 1e-9);
	ck_assert_double_eq_tol(f.busy_at_most[63], 1, 1e-9);
	ck_assert_double_eq_tol(f.cpu.peak, 70, 1e-6);
	/* Memory was not sampled. */
	ck_assert(!f.rss_line.known && f.rss_tree == PM_UNKNOWN && isnan(f.rss_line.peak));
}
END_TEST

/* Values of a tick are read after its stamp: what an interval has no CPUs for is of the next one.
 */
START_TEST(samples_read_late)
{
	char used[32];

	run("UPDATE host SET cpus_online = 2");
	series(1);
	for (int t = 0; t <= 48; t += 4) {
		snprintf(used, sizeof used, "%d",
			 t == 20 ? 2 * t * 1000000 + 3000000 : 2 * t * 1000000);
		sample(10, t, used);
		sample(11, t, "0");
	}
	facts();
	ck_assert_double_eq_tol(f.cpu.peak, 2, 1e-6);
	ck_assert_double_eq_tol(f.cpu.step[18], 2, 1e-6);
	ck_assert_double_eq_tol(f.cpu.step[22], 2, 1e-6);
	ck_assert_double_eq_tol(f.busy_at_most[2], 1, 1e-6);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_marks");
	TCase *t = tcase_create("marks");

	tcase_add_checked_fixture(t, make, unmake);
	tcase_add_test(t, measured);
	tcase_add_test(t, not_known);
	tcase_add_test(t, not_wholly_sampled);
	tcase_add_test(t, samplers_that_follow_each_other);
	tcase_add_test(t, many_names);
	tcase_add_test(t, memory_while_it_was_sampled);
	tcase_add_test(t, busy_cpus);
	tcase_add_test(t, samples_read_late);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
