/* report/query*.c and values.c: facts from a small database made by hand. */
#include "config.h"

#include "report/print/values.h"
#include "tests/unit/report/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(empty_job)
{
	facts();
	ck_assert_int_eq(f.cpu_us, PM_UNKNOWN);
	ck_assert_int_eq(f.rss, 7 * 1024);
	ck_assert_int_eq(f.memory, 50 * 1024);
	ck_assert_int_eq(f.runs, 0);
	ck_assert(!f.cpu.known && !f.active.known && !f.rss_line.known);
	ck_assert_uint_eq(f.programs, 0);
}
END_TEST

/* Each column of the job's row becomes the fact that is its own: no two have the same value. */
START_TEST(every_column_of_the_job)
{
	static const struct {
		const char *column;
		const int64_t *fact;
		int64_t per; /* of the column's units make one of the fact's; below 0: the reverse
			      */
	} number[] = {
		{ "submit_us", &f.submit_us, 1 },
		{ "epoch_us", &f.epoch_us, 1 },
		{ "start_us", &f.start_us, 1 },
		{ "end_us", &f.end_us, 1 },
		{ "exit_status", &f.exit_status, 1 },
		{ "exit_signal", &f.exit_signal, 1 },
		{ "hosts", &f.hosts_count, 1 },
		{ "duration_us", &f.wall_us, 1 },
		{ "cpu_time", &f.cpu_us, 1 },
		{ "usertime", &f.user_us, 1 },
		{ "systemtime", &f.system_us, 1 },
		{ "cpus", &f.cpus, 1 },
		{ "processes", &f.processes, 1 },
		{ "threads", &f.threads, 1 },
		{ "ranks", &f.ranks, 1 },
		{ "rssmax", &f.rss, -1024 },
		{ "rchar", &f.rchar, 1 },
		{ "wchar", &f.wchar, 1 },
		{ "syscr", &f.syscr, 1 },
		{ "syscw", &f.syscw, 1 },
		{ "read_bytes", &f.read_bytes, 1 },
		{ "write_bytes", &f.write_bytes, 1 },
		{ "cancelled_write_bytes", &f.cancelled_write_bytes, 1 },
		{ "minflt", &f.minflt, 1 },
		{ "majflt", &f.majflt, 1 },
		{ "time_oncpu", &f.time_oncpu_us, 1000 },
		{ "time_waiting", &f.time_waiting_us, 1000 },
		{ "gpu_time", &f.gpu_us, 1000 },
		{ "gpu_cycles", &f.gpu_cycles, 1 },
		{ "gpu_memory", &f.gpu_memory, -1024 },
		{ "delayacct_blkio_time", &f.blkio_us, -10000 },
		{ "failed", &f.failed, 1 },
		{ "killed", &f.killed, 1 },
		{ "running", &f.running, 1 },
		{ "without_end", &f.without_end, 1 },
		{ "reaped_only", &f.reaped_only, 1 },
		{ "rejected", &f.rejected, 1 },
		{ "late", &f.late, 1 },
		{ "charged_cpu_us", &f.charged_us, 1 },
		{ "excluded", &f.excluded, 1 },
		{ "excluded_cpu_us", &f.excluded_us, 1 },
		{ "folded", &f.folded, 1 },
		{ "folded_cpu_us", &f.folded_us, 1 },
		{ "lost", &f.lost, 1 },
		{ "own_overhead_us", &f.own_us, 1 },
		{ "own_cpu_us", &f.own_cpu_us, 1 },
	};
	static const struct {
		const char *column, *fact;
	} text[] = {
		{ "cluster", f.cluster },       { "user", f.user },
		{ "jobid", f.jobid },           { "name", f.name },
		{ "array_task", f.array_task }, { "scheduler", f.scheduler },
		{ "queue", f.queue },           { "account", f.account },
		{ "problems", f.problems },     { "script", f.script },
	};
	char sql[128];

	for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
		snprintf(sql, sizeof sql, "UPDATE job SET %s = %zu", number[i].column,
			 1000000 + 1000 * i);
		run(sql);
	}
	for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
		snprintf(sql, sizeof sql, "UPDATE job SET \"%s\" = 'the %s'", text[i].column,
			 text[i].column);
		run(sql);
	}
	run("UPDATE job SET efficiency = 0.25, coverage = 0.75");
	facts();
	for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
		int64_t want = 1000000 + 1000 * (int64_t)i, per = number[i].per;

		ck_assert_msg(*number[i].fact == (per < 0 ? -per * want : want / per), "%s: %lld",
			      number[i].column, (long long)*number[i].fact);
	}
	for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
		snprintf(sql, sizeof sql, "the %s", text[i].column);
		ck_assert_str_eq(text[i].fact, sql);
	}
	ck_assert_double_eq(f.efficiency, 0.25);
	ck_assert_double_eq(f.coverage, 0.75);
}
END_TEST

/* Of every host, in the order of the hosts; a host without samples has none. */
START_TEST(summaries_of_nodes)
{
	char sql[256];

	for (int i = 3; i <= 9; i++) {
		snprintf(sql, sizeof sql,
			 "INSERT INTO host (job_id, id, hostname) VALUES (1, %d, 'h%d')", i, i);
		run(sql);
	}
	run("INSERT INTO node_summary (job_id, host_id, samples, unknown, resets,"
	    " cpu_avg_utilization_pct) VALUES (1, 9, 4, 1, 2, 25), (1, 2, 3, 0, 0, 75)");
	run("INSERT INTO series (job_id, id, host_id, source, metric, object, unit, kind) VALUES"
	    " (1, 1, 9, 'jobs', 'jobs', '', 'n', 'gauge'),"
	    " (1, 2, 9, 'jobs', 'present', '77', 'n', 'gauge'),"
	    " (1, 3, 2, 'jobs', 'jobs', '', 'n', 'gauge'),"
	    " (1, 4, 9, 'other', 'jobs', '', 'n', 'gauge')");
	run(test_sample_sql(1, 1, 1, "5", "2"));
	run(test_sample_sql(2, 1, 2, "6", "4"));
	run(test_sample_sql(3, 1, 3, "7", NULL));
	run(test_sample_sql(4, 2, 1, "5", "9"));
	run(test_sample_sql(5, 3, 1, "5", NULL));
	run(test_sample_sql(6, 4, 1, "5", "8"));
	facts();
	ck_assert_uint_eq(f.hosts, 9);
	ck_assert_int_eq(f.host[8].jobs, 4);
	ck_assert_int_eq(f.host[1].jobs, PM_UNKNOWN);
	ck_assert_int_eq(f.host[0].jobs, PM_UNKNOWN);
	ck_assert_str_eq(f.host[8].name, "h9");
	ck_assert_int_eq(f.host[8].samples, 4);
	ck_assert_int_eq(f.host[8].resets, 2);
	ck_assert_double_eq(f.host[8].summary[PM_NODESUMMARY_cpu_avg_utilization_pct], 25);
	ck_assert(isnan(f.host[8].summary[PM_NODESUMMARY_node_cpu_hours]));
	ck_assert_double_eq(f.host[1].summary[PM_NODESUMMARY_cpu_avg_utilization_pct], 75);
	ck_assert_int_eq(f.host[0].samples, PM_UNKNOWN);
	ck_assert(isnan(f.host[0].summary[PM_NODESUMMARY_cpu_avg_utilization_pct]));
}
END_TEST

START_TEST(missing_job)
{
	ck_assert_int_eq(pm_query_facts(db, 2, true, &f, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "job 2"));
}
END_TEST

START_TEST(programs)
{
	const char *const names = "generation, end_reason, cpu_time, rssmax, rchar, numtids";

	process(1, "NULL", "'make'", "'-j2'", names, "0, 'exit', 100, 5, 1000, 1");
	/* A fork of make that execs a shell: not a run of make. */
	process(2, "1", "'make'", "'-j2'", names, "0, 'exec', 1, 5, 10, 1");
	process(3, "1", "'sh'", "'-c cc\\x20a'", names, "1, 'exec', 2, 5, NULL, 1");
	/* A shell that execs: a run of its own. */
	process(4, "1", "'sh'", "'-c cc\\x20b'", names, "0, 'exec', 3, 6, NULL, 1");
	process(5, "1", "'cc'", "'b'", names, "1, 'exit', 1000, 90, 5, 3");
	process(6, "1", "'cc'", "NULL", names, "0, 'unknown', NULL, NULL, NULL, NULL");
	facts();
	ck_assert_uint_eq(f.programs, 3);
	ck_assert_int_eq(f.runs, 5);
	ck_assert_int_eq(f.unknown_cpu, 1);
	ck_assert_int_eq(f.most_threads, 3);
	ck_assert_uint_eq(f.by_cpu_n, 3);
	ck_assert_str_eq(f.by_cpu[0].label, "cc");
	ck_assert_int_eq(f.by_cpu[0].runs, 2);
	ck_assert_int_eq(f.by_cpu[0].cpu_us, 1000);
	ck_assert_str_eq(f.by_cpu[1].label, "make");
	ck_assert_int_eq(f.by_cpu[1].runs, 1);
	ck_assert_int_eq(f.by_cpu[1].cpu_us, 101);
	ck_assert_str_eq(f.by_cpu[2].label, "sh -c 'cc \xe2\x80\xa6'");
	ck_assert_int_eq(f.by_cpu[2].runs, 2);
	ck_assert_int_eq(f.by_cpu[2].rchar, PM_UNKNOWN);
	ck_assert_str_eq(f.by_io[0].label, "make");
	ck_assert_str_eq(f.by_rss[0].label, "cc");
	ck_assert_int_eq(f.by_rss[0].rss, 90 * 1024);
	ck_assert_str_eq(f.rss_label, "cc");
}
END_TEST

/* Of the runs of a program, which may be several rows of the query, the longest one counts. */
START_TEST(longest_run_of_a_program)
{
	const char *const names = "end_reason, duration_us";

	process(1, "NULL", "'bash'", "'a.sh 1'", names, "'exit', 3000000");
	process(2, "NULL", "'bash'", "'a.sh 2'", names, "'exit', 5000000");
	process(3, "NULL", "'bash'", "'a.sh 3'", names, "'exit', NULL");
	process(4, "NULL", "'bash'", "'a.sh 4'", names, "'exit', 4000000");
	facts();
	ck_assert_uint_eq(f.by_cpu_n, 1);
	ck_assert_int_eq(f.by_cpu[0].runs, 4);
	ck_assert_int_eq(f.by_cpu[0].longest_us, 5000000);
}
END_TEST

START_TEST(many_programs_stay_bounded)
{
	char args[64];

	run("BEGIN");
	for (int i = 1; i <= 9000; i++) {
		snprintf(args, sizeof args, "'script%d.sh'", i);
		process(i, "NULL", "'bash'", args, "cpu_time, end_reason", "1, 'exit'");
	}
	process(9001, "NULL", "'python3'", "'a.py'", "cpu_time, end_reason", "1, 'exit'");
	run("COMMIT");
	facts();
	ck_assert_int_eq(f.runs, 9001);
	/* Executables of few scripts keep theirs. */
	ck_assert_uint_eq(f.programs, 2);
	ck_assert_str_eq(f.by_cpu[0].label, "bash");
	ck_assert_int_eq(f.by_cpu[0].runs, 9000);
	ck_assert_str_eq(f.by_cpu[1].label, "python3 a.py");
}
END_TEST

START_TEST(failures)
{
	const char *const names = "exitcode, exitsignal, end_reason";

	process(1, "NULL", "'a'", "'x'", names, "0, NULL, 'exit'");
	process(2, "1", "'a'", "'y z'", names, "1, NULL, 'exit'");
	process(3, "1", "'a'", "'z'", names, "1, NULL, 'exit'");
	process(4, "1", "'a'", "'z'", names, "2, NULL, 'exit'");
	process(5, "1", "'b'", "'z'", names, "NULL, 9, 'signal'");
	process(6, "1", "'b'", "NULL", names, "NULL, NULL, 'unknown'");
	facts();
	ck_assert_uint_eq(f.failures, 3);
	ck_assert_str_eq(f.failure[0].label, "b");
	ck_assert_int_eq(f.failure[0].exit_signal, 9);
	ck_assert_int_eq(f.failure[0].exit_status, PM_UNKNOWN);
	ck_assert_str_eq(f.failure[1].label, "a");
	ck_assert_int_eq(f.failure[1].count, 2);
	ck_assert_int_eq(f.failure[1].pid, 102);
	ck_assert_str_eq(f.failure[1].command, "a y z");
	ck_assert_int_eq(f.failure[2].exit_status, 2);
}
END_TEST

START_TEST(line_from_processes)
{
	const char *const names = "start_us, end_us, duration_us, cpu_time, end_reason, numtids";

	process(1, "NULL", "'a'", "NULL", names, "0, 48000000, 48000000, 0, 'exit', 1");
	/* Four CPUs for half of second 10, all of 11, half of 12. */
	process(2, "1", "'b'", "NULL", names, "10500000, 12500000, 2000000, 8000000, 'exit', 4");
	/* More CPU time than its life has room for. */
	process(3, "1", "'c'", "NULL", names, "20000000, 21000000, 1000000, 3000000, 'exit', 1");
	/* Its end is not known. */
	process(4, "1", "'d'", "NULL", names, "47000000, NULL, NULL, NULL, 'running', NULL");
	facts();
	ck_assert(f.cpu.known && f.active.known && !f.sampled);
	ck_assert_double_eq_tol(f.cpu.step[9], 0, 1e-6);
	ck_assert_double_eq_tol(f.cpu.step[10], 2, 1e-6);
	ck_assert_double_eq_tol(f.cpu.step[11], 4, 1e-6);
	ck_assert_double_eq_tol(f.cpu.step[12], 2, 1e-6);
	ck_assert_double_eq_tol(f.cpu.step[13], 0, 1e-6);
	ck_assert_double_eq_tol(f.cpu.step[20], 1, 1e-6);
	ck_assert_double_eq_tol(f.cpu.peak, 4, 1e-6);
	ck_assert_double_eq_tol(f.active.step[0], 1, 1e-6);
	ck_assert_double_eq_tol(f.active.step[10], 1.5, 1e-6);
	ck_assert_double_eq_tol(f.active.step[46], 1, 1e-6);
	ck_assert_double_eq_tol(f.active.step[47], 2, 1e-6);
}
END_TEST

START_TEST(absurd_numbers_do_no_harm)
{
	const char *const names = "start_us, end_us, duration_us, cpu_time, end_reason, numtids";
	const char *const most = "9223372036854775807", *const least = "-9223372036854775807";
	char values[256];

	for (int i = 0; i < 8; i++) {
		const char *a = i & 1 ? most : least, *b = i & 2 ? most : least;
		const char *c = i & 4 ? most : "NULL";

		snprintf(values, sizeof values, "%s, %s, %s, %s, 'exit', %s", a, c, b, b, a);
		process(i + 1, "NULL", "'a'", "NULL", names, values);
	}
	run("INSERT INTO series (job_id, id, host_id, source, metric, object, unit, kind) VALUES"
	    " (1, 1, 1, 'process', 'usertime', '', 'us', 'counter'),"
	    " (1, 2, 1, 'process', 'systemtime', '', 'us', 'counter'),"
	    " (1, 3, 1, 'process', 'rss', '', 'B', 'gauge')");
	for (int series_id = 1; series_id <= 3; series_id++)
		for (int i = 0; i < 4; i++)
			run(test_sample_sql(10 * series_id + i, series_id, i,
					    i == 0   ? least
					    : i == 1 ? "1"
					    : i == 2 ? "2"
						     : most,
					    i % 2 ? most : least));
	facts();
	ck_assert_int_ge(f.phases, 0);
	ck_assert(f.active.known);
}
END_TEST

START_TEST(phases)
{
	const char *const names = "start_us, duration_us, cpu_time, end_reason";

	process(1, "NULL", "'sh'", "NULL", names, "0, 48000000, 0, 'exit'");
	process(2, "1", "'b'", "NULL", names, "30000000, 15000000, 9, 'exit'");
	/* A shell and the program it waits for: one phase, named by the one that works. */
	process(3, "1", "'sh'", "NULL", names, "1000000, 20000000, 1, 'exit'");
	process(4, "3", "'a'", "NULL", names, "1100000, 19800000, 9, 'exit'");
	process(5, "1", "'c'", "NULL", names, "5000000, 1000000, 9, 'exit'"); /* too short */
	facts();
	ck_assert_uint_eq(f.phases, 3);
	ck_assert_str_eq(f.phase[0].label, "sh");
	ck_assert_str_eq(f.phase[1].label, "a");
	ck_assert_str_eq(f.phase[2].label, "b");
	ck_assert_int_eq(f.phase[2].start_us, 30000000);
	ck_assert_int_eq(f.phase[2].end_us, 45000000);
}
END_TEST

/* Declare the three series of a host; ids from 10 * host. */
static void series(int host)
{
	static const char *const metric[] = { "usertime", "systemtime", "rss" };
	char sql[512];

	for (int i = 0; i < 3; i++) {
		snprintf(sql, sizeof sql,
			 "INSERT INTO series (job_id, id, host_id, source, metric, object, unit, "
			 "kind)"
			 " VALUES (1, %d, %d, 'process', '%s', '', 'us', '%s')",
			 10 * host + i, host, metric[i], i < 2 ? "counter" : "gauge");
		run(sql);
	}
}

START_TEST(samples_of_one_host)
{
	series(1);
	/* One CPU until 24 s, then three, half of it in the kernel; from 40 s unknown. */
	for (int t = 0; t <= 48; t += 4) {
		int used = t <= 24 ? t : 24 + 3 * (t - 24);
		char half[32];

		snprintf(half, sizeof half, "%d", used * 500000);
		sample(10, t, half);
		sample(11, t, t > 40 ? "NULL" : half);
		sample(12, t, t == 20 ? "5000" : t == 32 ? "NULL" : "1000");
	}
	facts();
	ck_assert(f.sampled && f.cpu.known && f.rss_line.known);
	ck_assert_double_eq_tol(f.cpu.step[0], 1, 1e-6);
	ck_assert_double_eq_tol(f.cpu.step[23], 1, 1e-6);
	ck_assert_double_eq_tol(f.cpu.step[24], 3, 1e-6);
	ck_assert_double_eq_tol(f.cpu.step[39], 3, 1e-6);
	ck_assert(isnan(f.cpu.step[41]));
	ck_assert_double_eq_tol(f.cpu.peak, 3, 1e-6);
	ck_assert_double_eq_tol(f.busy_at_most[0], 0, 1e-6);
	ck_assert_double_eq_tol(f.busy_at_most[1], 0.6, 1e-6);
	ck_assert_double_eq_tol(f.busy_at_most[2], 0.6, 1e-6);
	ck_assert_double_eq_tol(f.busy_at_most[3], 1, 1e-6);
	ck_assert_int_eq(f.rss_tree, 5000);
	ck_assert_double_eq_tol(f.rss_line.step[20], 5000, 1e-6);
	ck_assert_double_eq_tol(f.rss_line.step[22], 5000, 1e-6);
	ck_assert_double_eq_tol(f.rss_line.step[25], 1000, 1e-6);
	ck_assert(isnan(f.rss_line.step[33]));
	ck_assert_int_eq(f.samples, 3 * 13);
}
END_TEST

START_TEST(samples_of_two_hosts_add_up)
{
	char used[32];

	series(1);
	series(2);
	for (int t = 0; t <= 48; t += 2) {
		snprintf(used, sizeof used, "%d", t * 1000000);
		sample(10, t, used);
		sample(11, t, "0");
		sample(12, t, "1000");
		sample(20, t, used);
		sample(21, t, used);
		sample(22, t, t < 10 ? "4000" : "2000");
	}
	facts();
	ck_assert_double_eq_tol(f.cpu.step[10], 3, 1e-6);
	ck_assert_double_eq_tol(f.cpu.peak, 3, 1e-6);
	ck_assert(isnan(f.busy_at_most[0]));
	ck_assert_double_eq_tol(f.rss_line.step[2], 5000, 1e-6);
	ck_assert_int_eq(f.rss_tree, 5000);
}
END_TEST

START_TEST(counters_that_fall_are_left_out)
{
	series(1);
	sample(10, 0, "9000000");
	sample(11, 0, "0");
	sample(10, 24, "0");
	sample(11, 24, "0");
	sample(10, 48, "24000000");
	sample(11, 48, "0");
	facts();
	ck_assert(isnan(f.cpu.step[5]));
	ck_assert_double_eq_tol(f.cpu.step[30], 1, 1e-6);
}
END_TEST

START_TEST(arguments_as_json)
{
	static const struct {
		const char *list, *json;
	} want[] = {
		{ "", "[]" },
		{ "a", "[\"a\"]" },
		{ "a \\e b\\x20c", "[\"a\",\"\",\"b c\"]" },
		{ "\\xff\\x01 \\x1b", "[{\"hex\":\"ff01\"},\"\\u001B\"]" },
		{ "\xc3\xa9", "[\"\\u00E9\"]" },
		{ "a \\+40000:00ff", "[\"a\",{\"cut\":{\"bytes\":40000,\"fnv1a_64\":\"00ff\"}}]" },
		{ "\\\\+40000:00ff", "[\"\\\\+40000:00ff\"]" },
		{ "not\\qvalid", "[\"not\\\\qvalid\"]" },
	};

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		json_t *j = pm_values_args(want[i].list, strlen(want[i].list));
		char *text = json_dumps(j, PM_VALUES_DUMP);

		ck_assert_str_eq(text, want[i].json);
		free(text);
		json_decref(j);
	}
}
END_TEST

static void counted(int process, const char *name, const char *value, const char *ratio,
		    const char *reason)
{
	char sql[512];

	snprintf(sql, sizeof sql,
		 "INSERT INTO counter (job_id, process_id, thread_id, name, value, ratio, reason) "
		 "VALUES (1, %d, 0, '%s', %s, %s, %s)",
		 process, name, value, ratio, reason);
	run(sql);
}

static const struct pm_fact_metric *metric(const char *id)
{
	for (size_t i = 0; i < f.metrics; i++)
		if (strcmp(f.metric[i].info->id, id) == 0)
			return &f.metric[i];
	return NULL;
}

/* Sums are of what is known; a metric of the processes in which all its terms are. */
START_TEST(counters)
{
	run("UPDATE job SET duration_us = 10000000, processes = 5");
	run("UPDATE host SET cpu_id = 'GenuineIntel-6-55-4'");
	for (int i = 1; i <= 5; i++)
		process(i, "NULL", "'a'", "''", "cpu_time", "1");
	counted(1, "cycles", "1000", "NULL", "NULL");
	counted(1, "instructions", "3000", "0.5", "NULL");
	counted(2, "cycles", "1000", "0.25", "NULL");
	counted(2, "instructions", "2000", "NULL", "NULL");
	counted(3, "cycles", "9000", "0.125", "NULL");
	counted(3, "instructions", "NULL", "NULL", "'closed'");
	counted(4, "cycles", "NULL", "NULL", "'closed'");
	counted(4, "instructions", "NULL", "NULL", "'EMFILE'");
	counted(1, "r0151", "10000000", "NULL", "NULL");
	counted(1, "r0451", "5000000", "NULL", "NULL");
	counted(1, "r0283", "1000000", "NULL", "NULL");
	counted(1, "big", "9223372036854775807", "NULL", "NULL");
	counted(2, "big", "1", "NULL", "NULL");
	facts();
	ck_assert_uint_eq(f.counters, 6);
	ck_assert_int_eq(f.counted, 4);
	ck_assert_str_eq(f.counter[0].name, "big");
	ck_assert(f.counter[0].sum == PM_UNKNOWN && f.counter[0].known == 2);
	ck_assert_str_eq(f.counter[1].name, "cycles");
	ck_assert(f.counter[1].sum == 11000 && f.counter[1].known == 3);
	ck_assert(f.counter[1].unknown == 1 && f.counter[1].ratio == 0.125);
	ck_assert(f.counter[2].sum == 5000 && f.counter[2].known == 2 && f.counter[2].unknown == 2);
	ck_assert_uint_eq(f.counter[2].reasons, 2);
	ck_assert_str_eq(f.counter[2].reason[0].text, "closed");
	ck_assert_int_eq(f.counter[2].reason[1].count, 1);
	ck_assert_ptr_nonnull(metric("ipc"));
	ck_assert(metric("ipc")->value == 2.5 && metric("ipc")->processes == 2);
	ck_assert(metric("ipc")->ratio == 0.25);
	ck_assert(fabs(metric("l2_bandwidth")->value - 102.4) < 1e-9);
}
END_TEST

/* What steers a terminal does not get out of a record's reason. */
START_TEST(reasons_of_counters_are_safe)
{
	process(1, "NULL", "'a'", "''", "cpu_time", "1");
	counted(1, "cycles", "NULL", "NULL", "'a\x1b[31m\xc2\x9bz\xe2\x80\xae'");
	facts();
	ck_assert_str_eq(f.counter[0].reason[0].text, "a\\x1b[31m\\xc2\\x9bz\\xe2\\x80\\xae");
}
END_TEST

START_TEST(counters_of_nobody)
{
	run("UPDATE job SET duration_us = 10000000");
	run("UPDATE host SET cpu_id = 'GenuineIntel-6-55-4' WHERE id = 1");
	process(1, "NULL", "'a'", "''", "cpu_time", "1");
	counted(1, "cycles", "NULL", "NULL", "'ENOENT'");
	counted(1, "instructions", "3000", "NULL", "NULL");
	counted(1, "r0151", "10000000", "NULL", "NULL");
	counted(1, "r0451", "5000000", "NULL", "NULL");
	counted(1, "r0283", "1000000", "NULL", "NULL");
	facts();
	/* What is not known of any process is not known of the job. */
	ck_assert(isnan(metric("ipc")->value) && metric("ipc")->processes == 0);
	/* Hosts of which one is unknown: no formula of the other. */
	ck_assert_ptr_null(metric("l2_bandwidth"));
}
END_TEST

START_TEST(no_counters)
{
	process(1, "NULL", "'a'", "''", "cpu_time", "1");
	facts();
	ck_assert_uint_eq(f.counters + f.metrics, 0);
	ck_assert_ptr_null(f.counter);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		empty_job,
		every_column_of_the_job,
		missing_job,
		programs,
		longest_run_of_a_program,
		many_programs_stay_bounded,
		failures,
		line_from_processes,
		absurd_numbers_do_no_harm,
		phases,
		samples_of_one_host,
		samples_of_two_hosts_add_up,
		counters_that_fall_are_left_out,
		counters,
		reasons_of_counters_are_safe,
		counters_of_nobody,
		no_counters,
		summaries_of_nodes,
		arguments_as_json,
	};
	Suite *s = suite_create("report_query");
	TCase *t = tcase_create("query");

	tcase_add_checked_fixture(t, make, unmake);
	tcase_set_timeout(t, 60);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
