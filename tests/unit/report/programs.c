/* report/query/query.c, query_programs.c, query_unrecorded.c, query_hosts.c: every sum and list of
 * the facts, each of its own column, in its order and as long as it may be. */
#include "config.h"

#include "tests/unit/report/facts.h"

#include <math.h>
#include <string.h>

static void again(size_t limit)
{
	pm_facts_free(&f);
	pm_facts_init(&f, limit);
	facts();
}

/* What adds up adds up, of the rest the largest counts; what one process does not know is that of
 * the others. */
START_TEST(sums_of_a_program)
{
	const char *const names = "end_reason, generation, cpu_time, systemtime, duration_us, "
				  "rssmax, rchar, wchar, syscr, syscw, read_bytes, write_bytes, "
				  "numtids, num_threads";
	const struct pm_fact_program *p;

	process(1, "NULL", "'a'", "''", names,
		"'exit', 0, 100, 30, 5000, 70, 11000, 13000, 2, 3, 17, 19, 3, 2");
	process(2, "NULL", "'a'", "'x'", names,
		"'exit', 0, 1000, 300, 4000, 80, 110000, 130000, 20, 30, 170, 190, 1, 9");
	process(3, "NULL", "'a'", "''", names,
		"'exit', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
		"NULL");
	facts();
	ck_assert_uint_eq(f.by_cpu_n, 1);
	p = &f.by_cpu[0];
	ck_assert_int_eq(p->runs, 3);
	ck_assert_int_eq(p->cpu_us, 1100);
	ck_assert_int_eq(p->system_us, 330);
	ck_assert_int_eq(p->longest_us, 5000);
	ck_assert_int_eq(p->rss, 80 * 1024);
	ck_assert_int_eq(p->rchar, 121000);
	ck_assert_int_eq(p->wchar, 143000);
	ck_assert_int_eq(p->syscr, 22);
	ck_assert_int_eq(p->syscw, 33);
	ck_assert_int_eq(p->read_bytes, 187);
	ck_assert_int_eq(p->write_bytes, 209);
	ck_assert_int_eq(p->numtids, 9);
	ck_assert_int_eq(p->tiny_reads, PM_UNKNOWN);
	ck_assert_int_eq(f.most_threads, 9);
	ck_assert_int_eq(f.threads_known, 2);
	ck_assert_int_eq(f.unknown_cpu, 1);
}
END_TEST

/* Each list by its own figure, the largest first, equal ones by name, and no longer than asked. */
START_TEST(orders)
{
	const char *const names = "end_reason, cpu_time, rssmax, rchar, wchar, syscr, syscw";

	process(1, "NULL", "'cpu'", "''", names, "'exit', 900, 1, 1000000, 0, 1, 0");
	process(2, "NULL", "'rss'", "''", names, "'exit', 2, 900, 1000001, 0, 1, 0");
	process(3, "NULL", "'wrote'", "''", names, "'exit', 3, 2, 999999, 3000000, 1, 1");
	process(4, "NULL", "'tiny'", "''", names, "'exit', 4, 3, 5, 4, 5, 4");
	process(5, "NULL", "'tinier'", "''", names, "'exit', 4, 3, 8, 2, 8, 2");
	process(6, "NULL", "'no'", "''", names, "'exit', NULL, NULL, NULL, NULL, NULL, NULL");
	again(3);
	ck_assert(f.by_cpu_n == 3 && f.by_rss_n == 3 && f.by_io_n == 3 && f.by_tiny_n == 3);
	ck_assert_uint_eq(f.programs, 6);
	ck_assert_str_eq(f.by_cpu[0].label, "cpu");
	ck_assert_str_eq(f.by_cpu[1].label, "tinier");
	ck_assert_str_eq(f.by_cpu[2].label, "tiny");
	ck_assert_str_eq(f.by_rss[0].label, "rss");
	ck_assert_str_eq(f.by_rss[1].label, "tinier");
	ck_assert_str_eq(f.by_io[0].label, "wrote");
	ck_assert_str_eq(f.by_io[1].label, "rss");
	ck_assert_str_eq(f.by_io[2].label, "cpu");
	ck_assert_str_eq(f.by_tiny[0].label, "tinier");
	ck_assert_str_eq(f.by_tiny[1].label, "tiny");
	again(9);
	ck_assert_uint_eq(f.by_cpu_n, 6);
	ck_assert_str_eq(f.by_cpu[5].label, "no");
	again(0);
	ck_assert(f.by_cpu_n == 0 && f.failures == 0 && f.programs == 6);
}
END_TEST

/* What could not be started is no run of it, nor is the copy that a fork made to exec; a fork that
 * execs something else after its parent was another program is one. */
START_TEST(runs)
{
	process(1, "NULL", "'make'", "'x'", "generation, end_reason", "0, 'exit'");
	process(2, "1", "'make'", "'x'", "generation, end_reason, last_call", "0, 'exec', NULL");
	process(3, "1", "'make'", "'y'", "generation, end_reason", "0, 'exec'");
	process(4, "1", "'make'", "'x'", "generation, end_reason", "1, 'exec'");
	process(5, "1", "'make'", "'x'", "generation, end_reason", "0, 'exit'");
	process(6, "1", "'none'", "NULL", "generation, end_reason, last_call",
		"0, 'exit', 'execve ENOENT'");
	process(7, "1", "'none'", "NULL", "generation, end_reason, last_call",
		"0, 'exit', 'execve failed'");
	process(8, "1", "'static'", "NULL", "generation, end_reason, last_call",
		"0, 'unknown', 'execve static'");
	facts();
	ck_assert_int_eq(f.runs, 5);
	ck_assert_uint_eq(f.programs, 2);
}
END_TEST

/* As many as asked for; the first of each kind tells its command; no status but a signal that is
 * not known is one, too. */
START_TEST(failures_of_each_kind)
{
	const char *const names = "end_reason, exitcode, exitsignal";

	for (int i = 1; i <= 3; i++)
		process(i, "NULL", "'often'", i == 1 ? "'first'" : "'more'", names,
			"'exit', 5, NULL");
	process(4, "NULL", "'signal'", "''", names, "'signal', NULL, NULL");
	process(5, "NULL", "'rare'", "''", names, "'exit', 6, NULL");
	process(6, "NULL", "'rare2'", "''", names, "'exit', 6, NULL");
	process(7, "NULL", "'fine'", "''", names, "'exit', 0, NULL");
	process(8, "NULL", "'pipe'", "''", names, "'signal', NULL, 13");
	run("UPDATE process SET pid = NULL WHERE id = 5");
	facts();
	ck_assert_uint_eq(f.failures, 4);
	ck_assert_int_eq(f.failures_more, PM_UNKNOWN);
	ck_assert_str_eq(f.failure[0].label, "signal");
	ck_assert_int_eq(f.failure[0].exit_signal, PM_UNKNOWN);
	ck_assert_int_eq(f.failure[0].exit_status, PM_UNKNOWN);
	ck_assert_str_eq(f.failure[1].label, "often");
	ck_assert_str_eq(f.failure[1].command, "often first");
	ck_assert_int_eq(f.failure[1].count, 3);
	ck_assert_int_eq(f.failure[1].pid, 101);
	ck_assert_str_eq(f.failure[2].label, "rare");
	ck_assert_int_eq(f.failure[2].pid, PM_UNKNOWN);
	ck_assert_str_eq(f.failure[3].label, "rare2");
	ck_assert_int_eq(f.failure[3].pid, 106);
	run("UPDATE job SET failed = 7, killed = 2");
	again(2);
	ck_assert_int_eq(f.failures_more, 2); /* of 7 four, and one was asked to end */
	ck_assert_uint_eq(f.failures, 2);
	ck_assert_str_eq(f.failure[1].command, "often first");
}
END_TEST

/* Runs of a script fail as one, whatever its arguments: with all of them, and the first one's. */
START_TEST(failures_of_a_script)
{
	const char *const names = "end_reason, exitcode, exitsignal";

	process(1, "NULL", "'bash'", "'a.sh 1'", names, "'exit', 5, NULL");
	process(2, "NULL", "'bash'", "'a.sh 2'", names, "'exit', 5, NULL");
	process(3, "NULL", "'bash'", "'a.sh 2'", names, "'exit', 5, NULL");
	process(4, "NULL", "'bash'", "'a.sh 3'", names, "'exit', 6, NULL");
	process(5, "NULL", "'bash'", "'a.sh 3'", names, "'signal', NULL, 5");
	process(6, "NULL", "'bash'", "'b.sh 3'", names, "'exit', 5, NULL");
	facts();
	ck_assert_uint_eq(f.failures, 4);
	ck_assert_str_eq(f.failure[0].label, "bash a.sh");
	ck_assert_int_eq(f.failure[0].exit_signal, 5);
	ck_assert_str_eq(f.failure[1].label, "bash a.sh");
	ck_assert_int_eq(f.failure[1].count, 3);
	ck_assert_str_eq(f.failure[1].command, "bash a.sh 1");
	ck_assert_int_eq(f.failure[2].exit_status, 6);
	ck_assert_str_eq(f.failure[3].label, "bash b.sh");
}
END_TEST

/* Short ones are those below 50 ms that did not go on as another program; their CPU time is of all
 * below it. */
START_TEST(extremes)
{
	const char *const names = "duration_us, end_reason, cpu_time, rssmax, generation";

	process(1, "NULL", "'a'", "''", names, "49999, 'exit', 10, 500, 0");
	process(2, "NULL", "'b'", "''", names, "50000, 'exit', 100, 900, 0");
	process(3, "NULL", "'c'", "''", names, "1, 'exec', 1000, 900, 0");
	process(4, "NULL", "'d'", "''", names, "1, 'exec', NULL, NULL, 0");
	process(5, "NULL", "'e'", "''", names, "1, 'signal', 1, 1, 1");
	facts();
	ck_assert_int_eq(f.short_runs, 2);
	ck_assert_int_eq(f.short_cpu_us, 1011);
	ck_assert_str_eq(f.rss_label, "b");
	ck_assert_int_eq(f.unseen, 1);
	ck_assert_int_eq(f.unknown_cpu, 1);
	run("UPDATE process SET generation = 1 WHERE id IN (1, 2)");
	again(5);
	ck_assert_int_eq(f.unseen, 0);
}
END_TEST

/* Of the job's own tags, lost lines and tasks. */
START_TEST(small_tables)
{
	process(1, "NULL", "'a'", "''", "tag_set", "1");
	run("INSERT INTO tag_set (job_id, id, name, value) VALUES (1, 0, 'model', 'v=2'), "
	    "(1, 0, 'exp', '7'), (1, 1, 'not', 'mine')");
	run("INSERT INTO lost (job_id, host_id, reason, lines, bytes) VALUES (1, 1, 'ENOSPC', 2, "
	    "9), "
	    "(1, 2, 'ENOSPC', 3, 9), (1, 1, 'EIO', 6, 9), (1, 2, 'EDQUOT', 5, 9)");
	run("UPDATE host SET tasks_unrecorded = id + 1");
	facts();
	ck_assert_str_eq(f.tags, "exp=7, model=v=2");
	ck_assert_str_eq(f.lost_reasons, "EIO 6, EDQUOT 5, ENOSPC 5");
	ck_assert_int_eq(f.tasks_unrecorded, 5);
	run("UPDATE host SET tasks_unrecorded = NULL");
	again(5);
	ck_assert_int_eq(f.tasks_unrecorded, PM_UNKNOWN);
}
END_TEST

/* As many tags as fit: one that is too long leaves those behind it. */
START_TEST(many_tags)
{
	char sql[128];

	for (int i = 0; i < 21; i++) {
		snprintf(
			sql, sizeof sql,
			"INSERT INTO tag_set (job_id, id, name, value) VALUES (1, 0, 't%02d', 'v')",
			i);
		run(sql);
	}
	facts();
	ck_assert_ptr_nonnull(strstr(f.tags, "t18=v, t19=v"));
	ck_assert_ptr_null(strstr(f.tags, "t20"));
}
END_TEST

/* What became of programs that left no record, or stopped to: each in its own list, with how
 * often. */
START_TEST(unrecorded)
{
	const char *const names = "last_call, exitsignal";

	process(1, "NULL", "'fine'", "''", names, "NULL, NULL");
	process(2, "NULL", "'none'", "''", names, "'execve ENOENT', NULL");
	process(3, "NULL", "'none'", "''", names, "'execve ENOENT', NULL");
	process(4, "NULL", "'bad'", "''", names, "'execve failed', 9");
	process(5, "NULL", "'go'", "''", names, "'execve static', NULL");
	process(6, "NULL", "'quiet'", "''", names, "'execve', NULL");
	process(7, "NULL", "'quiet'", "''", names, "'execve', NULL");
	process(8, "NULL", "'dead'", "''", names, "'execve', 9");
	process(9, "NULL", "NULL", "''", names, "NULL, 9");
	process(10, "NULL", "'away'", "''", names, "'setns', NULL");
	process(11, "NULL", "'away2'", "''", names, "'chroot', 15");
	process(12, "NULL", "'reaped'", "''", names, "NULL, NULL");
	run("UPDATE process SET image_us = NULL WHERE id IN (9, 12)");
	facts();
	ck_assert_int_eq(f.refused.count, 3);
	ck_assert_str_eq(f.refused.names, "none (ENOENT, 2 times), bad (failed)");
	ck_assert_int_eq(f.unsuited.count, 1);
	ck_assert_str_eq(f.unsuited.names, "go (static)");
	ck_assert_int_eq(f.silent.count, 2);
	ck_assert_str_eq(f.silent.names, "quiet (2 times)");
	ck_assert_int_eq(f.departed.count, 2);
	ck_assert_str_eq(f.departed.names, "away (setns), away2 (chroot)");
	ck_assert_int_eq(f.killed_early, 2);
}
END_TEST

/* The names stop where there is no room, the count does not. */
START_TEST(many_unrecorded)
{
	char name[32];

	for (int i = 10; i < 90; i++) {
		snprintf(name, sizeof name, "'quiet%d'", i);
		process(i, "NULL", name, "''", "last_call", "'execve'");
	}
	facts();
	ck_assert_int_eq(f.silent.count, 80);
	ck_assert_str_eq(f.silent.names + strlen(f.silent.names) - 14, ", quiet30, ...");
	ck_assert_ptr_null(strstr(f.silent.names, "..., "));
}
END_TEST

/* What is new in the environment, gone, or has changed; of the first host that tells. */
START_TEST(environment)
{
	run("UPDATE host SET stop_environment_changes = "
	    "'{\"NEW\":\"1\",\"B\":\"2\",\"A\":\"3\",\"GONE\":null}', "
	    "stop_environment_added = '[\"NEW\"]', stop_environment_removed = '[\"GONE\"]' WHERE "
	    "id = 1");
	run("UPDATE host SET stop_environment_added = '[\"OTHER\"]' WHERE id = 2");
	facts();
	ck_assert_str_eq(f.environment, "+NEW, -GONE, A, B");
	/* Before the names of new ones were written, nobody could tell them apart. */
	run("UPDATE host SET stop_environment_added = NULL");
	again(5);
	ck_assert_str_eq(f.environment, "-GONE");
}
END_TEST

START_TEST(commands)
{
	run("UPDATE host SET start_command = '[\"sh\", 5, \"-c\", \"a b\", \"\"]', start_modules = "
	    "'[\"gcc/12\", \"mpi\"]' WHERE id = 1");
	facts();
	ck_assert_str_eq(f.command, "sh -c 'a b' ''");
	ck_assert_str_eq(f.modules, "gcc/12, mpi");
}
END_TEST

/* The smallest host counts; a control group limits where it leaves less than that. */
START_TEST(memory_of_the_hosts)
{
	static const struct {
		const char *a, *b;
		int64_t memory;
		bool limited;
	} want[] = {
		{ "memory_kb = 100, memory_limit_kb = NULL", "memory_kb = 50", 50, false },
		{ "memory_kb = 50, memory_limit_kb = 50", "memory_kb = 100", 50, false },
		{ "memory_kb = 50, memory_limit_kb = 49", "memory_kb = 100", 49, true },
		{ "memory_kb = 500, memory_limit_kb = 60", "memory_kb = 50", 50, false },
		{ "memory_kb = NULL, memory_limit_kb = 60", "memory_kb = NULL", 60, true },
		{ "memory_kb = NULL, memory_limit_kb = NULL", "memory_kb = 7", 7, false },
		{ "memory_kb = 40, memory_limit_kb = NULL", "memory_kb = 90, memory_limit_kb = 40",
		  40, false },
	};
	char sql[256];

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		run("UPDATE host SET memory_kb = NULL, memory_limit_kb = NULL");
		snprintf(sql, sizeof sql, "UPDATE host SET %s WHERE id = 1", want[i].a);
		run(sql);
		snprintf(sql, sizeof sql, "UPDATE host SET %s WHERE id = 2", want[i].b);
		run(sql);
		again(5);
		ck_assert_msg(f.memory == want[i].memory * 1024 && f.limited == want[i].limited,
			      "%zu: %lld", i, (long long)f.memory);
	}
}
END_TEST

/* Kills of the kernel are those since the start, of all hosts that know; a count that fell says
 * nothing. */
START_TEST(oom_kills)
{
	facts();
	ck_assert_int_eq(f.oom_kills, PM_UNKNOWN);
	run("UPDATE host SET start_cgroup_oom_kills = 3, stop_cgroup_oom_kills = 2 WHERE id = 1");
	again(5);
	ck_assert_int_eq(f.oom_kills, PM_UNKNOWN);
	run("UPDATE host SET start_cgroup_oom_kills = 3, stop_cgroup_oom_kills = 3 WHERE id = 2");
	again(5);
	ck_assert_int_eq(f.oom_kills, 0);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		sums_of_a_program,    orders,          runs,         failures_of_each_kind,
		failures_of_a_script, extremes,        small_tables, many_tags,
		unrecorded,           many_unrecorded, environment,  commands,
		memory_of_the_hosts,  oom_kills,
	};
	Suite *s = suite_create("report_programs");
	TCase *t = tcase_create("programs");

	tcase_add_checked_fixture(t, make, unmake);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
