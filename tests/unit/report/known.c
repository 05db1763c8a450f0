/* report/query*.c: what is known of some processes alone, or not yet, and is said so. */
#include "config.h"

#include "report/rows/counters.h"
#include "tests/unit/report/facts.h"

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
	/* Those that were asked to end are no failures. */
	ck_assert_uint_eq(f.failures, 2);
	ck_assert_int_eq(f.failure[0].exit_signal, 11);
	ck_assert_int_eq(f.failure[1].exit_status, 1);
}
END_TEST

/* What went with the processes of a retired job is unknown, and nothing is made of its being gone.
 */
START_TEST(retired_job)
{
	run("UPDATE job SET processes = 3, ranks = 4, reaped_only = 1, failed = 1, rchar = 5,"
	    " wchar = 5, problems = 'a; retired: its processes, counters and samples are no longer"
	    " here'");
	run("INSERT INTO phase (job_id, host_id, id, pid, name, begin_us, end_us, ended)"
	    " VALUES (1, 1, 1, 1, 'a', 0, 10, 1)");
	facts();
	ck_assert(f.retired);
	ck_assert_int_eq(f.processes, 3);
	ck_assert_int_eq(f.runs, PM_UNKNOWN);
	ck_assert_int_eq(f.threads_known, PM_UNKNOWN);
	ck_assert_int_eq(f.unknown_cpu, PM_UNKNOWN);
	ck_assert_int_eq(f.unseen, PM_UNKNOWN);
	ck_assert_int_eq(f.samples, PM_UNKNOWN);
	ck_assert_int_eq(f.refused.count, PM_UNKNOWN);
	ck_assert_int_eq(f.killed_early, PM_UNKNOWN);
	ck_assert_int_eq(f.gpu.seen, PM_UNKNOWN);
	ck_assert_int_eq(f.mark[0].processes, PM_UNKNOWN);
	ck_assert(f.path->retired);
	ck_assert_uint_eq(f.path->steps, 0);
	ck_assert_ptr_null(f.parallel);
	ck_assert(!f.cpu.known && !f.active.known);
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

/* What is one of a job is the first host's that knows it; what adds up is of all. */
START_TEST(every_column_of_the_hosts)
{
	run("UPDATE job SET delayacct_blkio_time = 1000");
	run("UPDATE host SET cpu_model = 'model ' || id, cpus_online = 10 * id, cpus_allowed = 8 * "
	    "id,"
	    " cpus_allocated = 3 * id, coverage = 0.25 * id, start_time_us = 1,"
	    " start_cgroup_oom_kills = 1, stop_cgroup_oom_kills = 2 * id");
	run("UPDATE host SET memory_kb = 100, memory_limit_kb = 70, clock_ticks = 250 WHERE id = "
	    "1");
	run("UPDATE host SET memory_kb = 90, memory_limit_kb = 90, start_cwd = '/b',"
	    " start_command = '[\"b\"]', stop_exit_reason = 'not-started', start_modules = "
	    "'[\"b\"]' "
	    "WHERE id = 2");
	run("INSERT INTO host (job_id, id, hostname, memory_kb, start_cwd, start_command,"
	    " stop_exit_reason, start_modules, stop_time_us) VALUES (1, 3, 'c', 80, '/c',"
	    " '[\"c\"]', 'not-started', '[\"c\"]', 5)");
	facts();
	ck_assert_uint_eq(f.hosts, 3);
	for (int i = 0; i < 2; i++) {
		ck_assert_str_eq(f.host[i].cpu_model, i ? "model 2" : "model 1");
		ck_assert_int_eq(f.host[i].cpus_online, 10 * (i + 1));
		ck_assert_int_eq(f.host[i].cpus_allowed, 8 * (i + 1));
		ck_assert_int_eq(f.host[i].cpus_allocated, 3 * (i + 1));
		ck_assert_double_eq(f.host[i].coverage, 0.25 * (i + 1));
	}
	ck_assert_int_eq(f.host[0].memory, 100 * 1024);
	ck_assert_int_eq(f.host[2].cpus_online, PM_UNKNOWN);
	ck_assert_int_eq(f.memory, 70 * 1024);
	ck_assert(f.limited);
	ck_assert_int_eq(f.oom_kills, 4);
	ck_assert_str_eq(f.cwd, "/b");
	ck_assert_str_eq(f.command, "b");
	ck_assert_str_eq(f.modules, "b");
	ck_assert_str_eq(f.exit_reason, "not-started");
	ck_assert(f.unstarted && f.stopped);
	ck_assert_int_eq(f.blkio_us, 4000000);
	/* A limit that is none limits nothing; the reason of the first, if others have another. */
	pm_facts_free(&f);
	pm_facts_init(&f, 5);
	run("UPDATE host SET memory_limit_kb = memory_kb, clock_ticks = 0");
	run("UPDATE host SET stop_exit_reason = 'killed' WHERE id = 1");
	facts();
	ck_assert_int_eq(f.memory, 80 * 1024);
	ck_assert(!f.limited && !f.unstarted);
	ck_assert_str_eq(f.exit_reason, "killed");
	ck_assert_int_eq(f.blkio_us, 10000000);
}
END_TEST

/* No more than a page can hold; then it says so. */
START_TEST(many_counters)
{
	struct pm_counters c;

	for (int i = 0; i <= PM_COUNTERS_MAX; i++) {
		char sql[160];

		if (i == 0)
			process(1, "NULL", "'a'", "''", "cpu_time", "1");
		if (i == PM_COUNTERS_MAX) {
			ck_assert_int_eq(pm_counters_begin(&c, db, 1, &e), 0);
			ck_assert(c.events == PM_COUNTERS_MAX && !c.cut);
			pm_counters_end(&c);
		}
		snprintf(sql, sizeof sql,
			 "INSERT INTO counter (job_id, process_id, thread_id, name, value) "
			 "VALUES (1, 1, 0, 'e%03d', 1)",
			 i);
		run(sql);
	}
	ck_assert_int_eq(pm_counters_begin(&c, db, 1, &e), 0);
	ck_assert(c.events == PM_COUNTERS_MAX && c.cut);
	pm_counters_end(&c);
}
END_TEST

/* Phases last a twentieth of the job, and are one where they share nine tenths of both: that with
 * more CPU time. */
START_TEST(phases_of_processes)
{
	const char *const names = "start_us, duration_us, cpu_time, end_reason";

	process(1, "NULL", "'all'", "NULL", names, "0, 48000000, 0, 'exit'");
	process(2, "1", "'waits'", "NULL", names, "0, 10000000, 1, 'exit'");
	process(3, "1", "'works'", "NULL", names, "1000000, 9000000, 5, 'exit'");
	process(4, "1", "'one'", "NULL", names, "20000000, 10000000, 9, 'signal'");
	process(5, "1", "'other'", "NULL", names, "21000001, 8999999, 1, 'exit'");
	process(6, "1", "'short'", "NULL", names, "40000000, 2400000, 9, 'exit'");
	process(7, "1", "'enough'", "NULL", names, "43000000, 2400001, 9, 'exit'");
	process(8, "1", "'image'", "NULL", names, "33000000, 5000000, 9, 'exec'");
	facts();
	ck_assert_uint_eq(f.phases, 5);
	ck_assert_str_eq(f.phase[0].label, "all");
	ck_assert_str_eq(f.phase[1].label, "works");
	ck_assert_str_eq(f.phase[2].label, "one");
	ck_assert_int_eq(f.phase[2].pid, 104);
	ck_assert(f.phase[2].start_us == 20000000 && f.phase[2].end_us == 30000000);
	ck_assert_str_eq(f.phase[3].label, "other");
	ck_assert_str_eq(f.phase[4].label, "enough");
	for (int i = 10; i < 20; i++) {
		char values[128];

		snprintf(values, sizeof values, "%d, 3000000, 9, 'exit'", 3000000 * (i - 10));
		process(i, "1", "'many'", "NULL", names, values);
	}
	pm_facts_free(&f);
	pm_facts_init(&f, 5);
	facts();
	/* The longest of them, the whole job's last. */
	ck_assert_uint_eq(f.phases, PM_FACTS_PHASES);
	ck_assert_str_eq(f.phase[0].label, "many");
	ck_assert_int_eq(f.phase[1].pid, 103);
}
END_TEST

/* Sums beyond an integer are no measurements: unknown, and the report goes on. */
START_TEST(sums_beyond_an_integer)
{
	run("INSERT INTO series (job_id, id, host_id, source, metric, object, unit, kind) VALUES"
	    " (1, 1, 1, 'nvidia', 'utilization', '0', '%', 'gauge'),"
	    " (1, 2, 1, 'nvidia', 'utilization', '0', '%', 'gauge')");
	run("INSERT INTO series_summary (job_id, series_id, samples, known, begin_us, end_us,"
	    " minimum, maximum, mean) VALUES"
	    " (1, 1, 9223372036854775807, 9223372036854775807, 0, 1, 0, 0, 0),"
	    " (1, 2, 9223372036854775807, 9223372036854775807, 0, 1, 0, 0, 0)");
	run("INSERT INTO lost (job_id, host_id, reason, lines, bytes) VALUES"
	    " (1, 1, 'ENOSPC', 9223372036854775807, 1), (1, 2, 'ENOSPC', 9223372036854775807, 1)");
	run("UPDATE host SET tasks_unrecorded = 9223372036854775807,"
	    " start_cgroup_oom_kills = -9223372036854775807,"
	    " stop_cgroup_oom_kills = 9223372036854775807");
	facts();
	ck_assert_int_eq(f.samples, PM_UNKNOWN);
	ck_assert_int_eq(f.tasks_unrecorded, PM_UNKNOWN);
	ck_assert_int_eq(f.gpu.sampled, 1);
	ck_assert_int_eq(f.oom_kills, INT64_MAX);
	ck_assert_str_eq(f.lost_reasons, "ENOSPC 18446744073709551616");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_known");
	TCase *t = tcase_create("known");

	tcase_add_checked_fixture(t, make, unmake);
	tcase_add_test(t, known_of_some);
	tcase_add_test(t, retired_job);
	tcase_add_test(t, sums_beyond_an_integer);
	tcase_add_test(t, tiny_calls_of_some_runs);
	tcase_add_test(t, every_column_of_the_hosts);
	tcase_add_test(t, many_counters);
	tcase_add_test(t, phases_of_processes);
	tcase_add_test(t, open_jobs_last_until_the_last_sample);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
