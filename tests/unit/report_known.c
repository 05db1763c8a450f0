/* report/query*.c: what is known of some processes alone, or not yet, and is said so. */
#include "config.h"

#include "tests/unit/report_facts.h"

#include <math.h>

/* What is known of some processes alone is counted with them; threads that the C library was not
 * asked for are seen at the end. */
START_TEST(known_of_some)
{
	const char *const names =
		"generation, end_reason, exitcode, exitsignal, numtids, num_threads";

	process(1, "NULL", "'pool'", "''", names, "0, 'exit', 0, NULL, 1, 1");
	process(2, "1", "'worker'", "''", names, "0, 'signal', NULL, 15, NULL, NULL");
	process(3, "1", "'worker'", "''", names, "0, 'signal', NULL, 11, NULL, NULL");
	process(4, "1", "'go'", "''", names, "0, 'exit', 1, NULL, 1, 375");
	process(5, "1", "'lost'", "''", names, "0, 'unknown', NULL, NULL, NULL, NULL");
	facts();
	ck_assert_int_eq(f.runs, 5);
	ck_assert_int_eq(f.threads_known, 2);
	ck_assert_int_eq(f.most_threads, 375);
	ck_assert_int_eq(f.ends_known, 4);
	ck_assert_int_eq(f.asked, 1);
	/* Those that were asked to come last. */
	ck_assert_uint_eq(f.failures, 3);
	ck_assert_int_eq(f.failure[0].exit_signal, 11);
	ck_assert_int_eq(f.failure[1].exit_status, 1);
	ck_assert_int_eq(f.failure[2].exit_signal, 15);
}
END_TEST

/* Tiny calls are counted where a process makes such: the average over all runs hides them. */
START_TEST(tiny_calls_of_some_runs)
{
	const char *const names = "generation, end_reason, rchar, syscr, wchar, syscw";

	process(1, "NULL", "'a'", "''", names, "0, 'exit', 200000, 200000, 51200, 100");
	process(2, "NULL", "'a'", "''", names, "0, 'exit', 900000000, 1000, 51199, 100");
	process(3, "NULL", "'a'", "''", names, "0, 'exit', 5, 5, 0, 0");
	process(4, "NULL", "'b'", "''", names, "0, 'exit', NULL, NULL, 900000000, 900");
	facts();
	ck_assert_uint_eq(f.by_tiny_n, 2);
	ck_assert_str_eq(f.by_tiny[0].label, "a");
	ck_assert_int_eq(f.by_tiny[0].tiny_reads, 200005);
	ck_assert_int_eq(f.by_tiny[0].tiny_read_bytes, 200005);
	ck_assert_int_eq(f.by_tiny[0].tiny_writes, 100);
	ck_assert_int_eq(f.by_tiny[0].tiny_write_bytes, 51199);
	ck_assert_int_eq(f.by_tiny[1].tiny_reads, PM_UNKNOWN);
}
END_TEST

/* A job that nobody closed lasted until its last sample, and what runs is not idle. */
START_TEST(open_jobs_last_until_the_last_sample)
{
	run("UPDATE job SET start_us = 0, end_us = 1070000, duration_us = 1070000, cpu_time = "
	    "1200000,"
	    " cpus = 4, efficiency = 0.29");
	run("UPDATE host SET start_time_us = 0");
	run("INSERT INTO series (job_id, id, host_id, source, metric, object, unit, kind) VALUES"
	    " (1, 1, 1, 'load', 'load', '', '', 'gauge'), (1, 2, 1, 'load', 'other', '', '', "
	    "'gauge')");
	sample(1, 1, "1");
	sample(2, 5, "1");
	facts();
	ck_assert(f.open);
	ck_assert_int_eq(f.wall_us, 5000000);
	ck_assert_int_eq(f.end_us, 5000000);
	ck_assert(fabs(f.efficiency - 0.06) < 1e-9);
	pm_facts_free(&f);
	run("UPDATE job SET running = 1");
	pm_facts_init(&f, 5);
	facts();
	ck_assert(isnan(f.efficiency));
	pm_facts_free(&f);
	/* A job that was closed ended when it was. */
	run("UPDATE host SET stop_time_us = 1070000");
	run("UPDATE job SET running = 0");
	pm_facts_init(&f, 5);
	facts();
	ck_assert(!f.open);
	ck_assert_int_eq(f.wall_us, 1070000);
	ck_assert(fabs(f.efficiency - 0.29) < 1e-9);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_known");
	TCase *t = tcase_create("known");

	tcase_add_checked_fixture(t, make, unmake);
	tcase_add_test(t, known_of_some);
	tcase_add_test(t, tiny_calls_of_some_runs);
	tcase_add_test(t, open_jobs_last_until_the_last_sample);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
