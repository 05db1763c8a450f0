/* report/query/: processes by host and second; what samples of control groups and nodes add
 * up to. */
#include "config.h"

#include "tests/unit/report/facts.h"

#include <math.h>

/* A process of a rank on a host, which starts at a second and waits for a CPU. */
static void rank(int id, int host, const char *rank, int start_s, int64_t cpu_us,
		 int64_t waiting_us)
{
	char sql[512];

	snprintf(sql, sizeof sql,
		 "INSERT INTO process (job_id, id, host_id, pid, depth, pid_ns, image_us, exename, "
		 "mpirank, start_us, cpu_time, time_oncpu, time_waiting) VALUES (1, %d, %d, %d, 0, "
		 "1, "
		 "%d, 'app', %s, %d000000, %lld, %lld000, %lld000)",
		 id, host, id, id, rank, start_s, (long long)cpu_us, (long long)cpu_us,
		 (long long)waiting_us);
	run(sql);
}

START_TEST(hosts_and_burst)
{
	rank(1, 1, "0", 0, 1000, 10);
	rank(2, 1, "0", 3, 500, 20);
	rank(3, 2, "1", 3, 9000, 40);
	rank(4, 2, "NULL", 3, 70000, 80);
	rank(5, 1, "3", 4, 1200, 0);
	facts();
	ck_assert_int_eq(f.host[0].oncpu_us, 2700);
	ck_assert_int_eq(f.host[0].waiting_us, 30);
	ck_assert_int_eq(f.host[1].waiting_us, 120);
	ck_assert_int_eq(f.burst.starts, 3);
	ck_assert_int_eq(f.burst.start_us, 3000000);
	ck_assert_int_eq(f.burst.waiting_us, 140);
	ck_assert_int_eq(f.sleeper.switches, PM_UNKNOWN);
}
END_TEST

START_TEST(host_without_processes)
{
	rank(1, 1, "NULL", 0, 1000, 10);
	facts();
	ck_assert_int_eq(f.host[1].oncpu_us, PM_UNKNOWN);
}
END_TEST

/* The process with several threads and most switches that no call to read or write explains. */
START_TEST(who_sleeps)
{
	const char *names = "duration_us, cpu_time, numtids, vol_ctxsw, syscr, syscw, majflt";

	process(1, "NULL", "'reader'", "'x'", names, "100, 50, 2, 90000, 60000, 29000, 0");
	process(2, "NULL", "'locks'", "'x'", names, "200, 60, 8, 5000, 7, NULL, 3");
	process(3, "NULL", "'one'", "'x'", names, "200, 60, 1, 70000, 0, 0, 0");
	process(4, "NULL", "'less'", "'x'", names, "200, 60, 8, 4989, NULL, NULL, NULL");
	run("INSERT INTO thread_row (job_id, process_id, id, vol_ctxsw) VALUES (1, 2, 1, 4000),"
	    " (1, 2, 2, 400), (1, 2, 3, 399), (1, 2, 4, NULL), (1, 2, 5, 0)");
	facts();
	ck_assert_str_eq(f.sleeper.label, "locks");
	ck_assert_int_eq(f.sleeper.sleeping, 2);
	ck_assert_int_eq(f.sleeper.pid, 102);
	ck_assert_int_eq(f.sleeper.threads, 8);
	ck_assert_int_eq(f.sleeper.switches, 4990);
	ck_assert_int_eq(f.sleeper.cpu_us, 60);
	ck_assert_int_eq(f.sleeper.wall_us, 200);
}
END_TEST

/* The threads of the process with several that used the most CPU time; what is unknown of one is
 * left out. */
START_TEST(how_threads_shared)
{
	process(1, "NULL", "'one'", "'x'", "cpu_time, numtids", "900, 1");
	process(2, "NULL", "'less'", "'x'", "cpu_time, numtids", "100, 2");
	process(3, "NULL", "'team'", "'x'", "cpu_time, numtids", "200, 5");
	run("INSERT INTO thread_row (job_id, process_id, id, usertime, systemtime) VALUES"
	    " (1, 2, 1, 50, 50), (1, 3, 1, 90, 10), (1, 3, 2, 10, 0), (1, 3, 3, 9, 0),"
	    " (1, 3, 4, 80, 1), (1, 3, 5, NULL, 7)");
	facts();
	ck_assert_str_eq(f.of_threads.label, "team");
	ck_assert_int_eq(f.of_threads.pid, 103);
	ck_assert_int_eq(f.of_threads.threads, 4);
	ck_assert_int_eq(f.of_threads.least, 9);
	ck_assert_int_eq(f.of_threads.most, 100);
	ck_assert_double_eq(f.of_threads.mean, 50);
	ck_assert_int_eq(f.of_threads.working, 3);
	ck_assert_double_eq_tol(f.of_threads.mean_working, 191.0 / 3, 1e-9);
}
END_TEST

/* A series of a host with its totals. */
static void series(int id, int host, const char *source, const char *metric, const char *object,
		   const char *kind, int64_t least, int64_t most, double mean)
{
	char sql[512];

	snprintf(sql, sizeof sql,
		 "INSERT INTO series VALUES (1, %d, %d, '%s', '%s', '%s', '', '%s')", id, host,
		 source, metric, object, kind);
	run(sql);
	snprintf(sql, sizeof sql,
		 "INSERT INTO series_summary VALUES (1, %d, 9, 9, 0, 9, %lld, %lld, %f)", id,
		 (long long)least, (long long)most, mean);
	run(sql);
}

START_TEST(control_groups_and_nodes)
{
	run("UPDATE host SET start_cgroup_own = 'name', page_size = 4096 WHERE id = 1");
	series(1, 1, "cgroup", "quota_periods", "", "counter", 100, 300, 0);
	series(2, 1, "cgroup", "throttled", "", "counter", 10, 50, 0);
	series(3, 1, "cgroup", "throttled_time", "", "counter", 7, 1007, 0);
	series(4, 1, "cgroup", "limit_hits", "", "counter", 0, 5, 0);
	series(5, 1, "cgroup", "anonymous", "", "gauge", 3, 700, 0);
	series(6, 1, "cgroup", "memory_limit", "", "gauge", 900, 1000, 0);
	series(7, 1, "cgroup", "swap", "", "gauge", 0, 11, 0);
	series(8, 1, "cgroup", "some", "io", "counter", 1, 21, 0);
	series(9, 1, "cgroup", "some", "memory", "counter", 0, 30, 0);
	series(10, 1, "cgroup", "some", "cpu", "counter", 0, 4000, 0);
	series(11, 1, "vmstat", "pswpin", "", "counter", 5, 6, 0);
	series(12, 1, "vmstat", "pswpout", "", "counter", 5, 7, 0);
	series(13, 1, "tcp", "retransmits", "", "counter", 0, 3, 0);
	series(14, 1, "tcp", "tx_segments", "", "counter", 0, 300, 0);
	series(15, 1, "frequency", "frequency", "", "gauge", 1, 9, 2.5e9);
	series(16, 1, "frequency", "frequency", "0", "gauge", 1, 9, 1e9);
	/* A group that others are in, too: its quota and limit apply, its use is not the job's. */
	series(20, 2, "cgroup", "throttled", "", "counter", 0, 2, 0);
	series(21, 2, "cgroup", "anonymous", "", "gauge", 3, 9999, 0);
	series(22, 2, "cgroup", "memory_limit", "", "gauge", 950, 950, 0);
	series(23, 2, "vmstat", "pswpout", "", "counter", 0, 2, 0);
	series(24, 2, "tcp", "retransmits", "", "counter", 10, 20, 0);
	series(25, 2, "tcp", "tx_segments", "", "counter", 0, 5000, 0);
	facts();
	ck_assert_int_eq(f.cgroup.periods, 200);
	ck_assert_int_eq(f.cgroup.throttled, 42);
	ck_assert_int_eq(f.cgroup.throttled_us, 1000);
	ck_assert_int_eq(f.cgroup.limit_hits, 5);
	ck_assert_int_eq(f.cgroup.anonymous, 700);
	ck_assert_int_eq(f.cgroup.limit, 900);
	ck_assert_int_eq(f.cgroup.swap, 11);
	ck_assert_int_eq(f.cgroup.io_us, 20);
	ck_assert_int_eq(f.cgroup.memory_us, 30);
	ck_assert_int_eq(f.swapped.count, 3 * 4096);
	ck_assert_str_eq(f.swapped.host, "a");
	ck_assert_int_eq(f.retransmits.count, 10);
	ck_assert_int_eq(f.retransmits.of, 5000);
	ck_assert_str_eq(f.retransmits.host, "b");
	ck_assert_double_eq(f.host[0].frequency_hz, 2.5e9);
	ck_assert_double_nan(f.host[1].frequency_hz);
}
END_TEST

/* Mean use of the GPUs whose use is known. */
START_TEST(use_of_gpus)
{
	series(1, 1, "nvidia", "utilization", "GPU-a", "gauge", 0, 9000, 4000);
	series(2, 1, "nvidia", "utilization", "GPU-b", "gauge", 0, 0, 0);
	facts();
	ck_assert_int_eq(f.gpu.sampled, 2);
	ck_assert_double_eq_tol(f.gpu.busy, 0.2, 1e-9);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		hosts_and_burst,          host_without_processes,   who_sleeps,
		control_groups_and_nodes, hosts_and_burst,          host_without_processes,
		how_threads_shared,       control_groups_and_nodes, use_of_gpus,
	};
	Suite *s = suite_create("report_groups");
	TCase *t = tcase_create("groups");

	tcase_add_checked_fixture(t, make, unmake);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
