/* report/list/list_print.c, list_tables.c, cells.c, values.c: what `list` prints of a small
 * database made by hand. */
#include "config.h"

#include "report/list/list_print.h"
#include "report/print/values.h"
#include "tests/unit/report/facts.h"

#include <stdlib.h>
#include <string.h>

static char *text;

static const char *list_on(const struct pm_list_table *x, int64_t job, int64_t limit, int width)
{
	struct pm_page page = { .width = width };
	struct pm_jobfilter_words none = { .user = NULL };
	struct pm_jobfilter all;
	struct pm_list_ask ask = { .table = x, .job = job, .limit = limit };
	struct pm_list_look look = { .page = &page };
	size_t size;

	free(text);
	page.f = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(page.f);
	ck_assert_int_eq(pm_jobfilter_make(&all, &none, 0, &e), 0);
	if (x->of == PM_LIST_JOBS && !job)
		ask.filter = &all;
	ck_assert_msg(pm_list_print(db, &ask, &look, &e) >= 0, "%s", e.text);
	pm_jobfilter_free(&all);
	fclose(page.f);
	return text;
}

static const char *list(const struct pm_list_table *x)
{
	return list_on(x, 1, INT64_MAX, 200);
}

static void begin(void)
{
	make();
	ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
}

static void end(void)
{
	free(text);
	text = NULL;
	unmake();
}

/* Another job, of which all that is said is unknown or there is none of. */
static void another_job(int id, const char *jobid, const char *task)
{
	char sql[256];

	snprintf(sql, sizeof sql,
		 "INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, "
		 "epoch_us)"
		 " VALUES (%d, 'c', 'bob', '%s', '%s', 0, %d)",
		 id, jobid, task, id);
	run(sql);
}

START_TEST(jobs)
{
	run("UPDATE job SET start_us = 1763690000000000, duration_us = 60000000, cpu_time = "
	    "62000000, efficiency = 0.26, rssmax = 2400000, processes = 1046, failed = 7, "
	    "exit_status = 0, name = 'train', folded = 1200, lost = 3");
	another_job(2, "77", "3");
	another_job(3, "78", "");
	another_job(4, "79", "");
	run("UPDATE job SET running = 1, folded = 0, name = 'x' || char(10) WHERE id = 2");
	run("UPDATE job SET start_us = 1763690060000000, exit_signal = 9 WHERE id IN (3, 4)");
	run("UPDATE job SET exit_signal = NULL, exit_status = 3, running = 0 WHERE id = 4");
	ck_assert_str_eq(list_on(pm_list_find("jobs"), 0, INT64_MAX, 200),
			 "#  Job   User  Start              Wall time    CPU time     Eff.  Peak "
			 "mem.  Processes  Folded  Lost lines   Failed  Ended     Name\n"
			 "4  79    bob   2025-11-21 01:54     unknown     unknown  unknown    "
			 "unknown    unknown                      unknown  status 3\n"
			 "3  78    bob   2025-11-21 01:54     unknown     unknown  unknown    "
			 "unknown    unknown                      unknown  SIGKILL\n"
			 "1  1     u     2025-11-21 01:53  1 min 00 s  1 min 02 s     26 %    "
			 "2.46 GB      1 046   1 200           3        7  0         train\n"
			 "2  77_3  bob   unknown              unknown     unknown  unknown    "
			 "unknown    unknown                      unknown  running   x\\n\n");
	ck_assert_str_eq(list_on(pm_list_find("jobs"), 0, 2, 80),
			 "#  Job  User  Wall time  CPU time     Eff.   Failed  Ended     Name\n"
			 "4  79   bob     unknown   unknown  unknown  unknown  status 3\n"
			 "3  78   bob     unknown   unknown  unknown  unknown  SIGKILL\n");
	ck_assert_str_eq(list_on(pm_list_find("jobs"), 2, INT64_MAX, 80),
			 "#  Job   User  Start    Wall time  CPU time     Eff.   Failed  Ended    "
			 "Name\n"
			 "2  77_3  bob   unknown    unknown   unknown  unknown  unknown  running  "
			 "x\\n\n");
	run("DELETE FROM job");
	ck_assert_str_eq(list_on(pm_list_find("jobs"), 0, INT64_MAX, 80), "no jobs\n");
}
END_TEST

START_TEST(processes)
{
	const char *const names = "start_us, duration_us, cpu_time, rssmax, numtids, end_reason, "
				  "exitcode, exitsignal";

	run("UPDATE job SET start_us = 1000000");
	process(3, "1", "'c'", "'x\\x20y'", names, "3500000, 1500, 999, 3, 1, 'exit', 2, NULL");
	process(1, "NULL", "'a'", "'1'", names,
		"1000000, 9000000, 2000000, 1000, 4, 'exec', NULL, "
		"NULL");
	process(2, "1", "'b'", "NULL", names,
		"2000000, NULL, NULL, NULL, NULL, 'signal', NULL, 15");
	process(4, "1", "NULL", "NULL", names, "NULL, 0, 0, 0, 1000, 'exit', 0, NULL");
	run("UPDATE process SET host_id = 2 WHERE id = 2");
	ck_assert_str_eq(list(pm_list_find("processes")),
			 "Pid  Host    After  Wall time  CPU time  Peak mem.     Thr.  Ended     "
			 "Command\n"
			 "101  a         0 s     9.00 s    2.00 s    1.02 MB        4  exec      "
			 "a 1\n"
			 "102  b      1.00 s    unknown   unknown    unknown  unknown  SIGTERM   "
			 "b\n"
			 "103  a      2.50 s    1.50 ms    999 us    3.07 kB        1  status 2  "
			 "c 'x y'\n"
			 "104  a     unknown        0 s       0 s        0 B    1 000  0         "
			 "(unknown program)\n");
	list_on(pm_list_find("processes"), 1, 3, 200);
	ck_assert_ptr_nonnull(strstr(text, "\n103 "));
	ck_assert_ptr_null(strstr(text, "\n104 "));
	ck_assert_str_eq(list_on(pm_list_find("processes"), 2, INT64_MAX, 80), "no processes\n");
}
END_TEST

START_TEST(threads)
{
	const char *const names = "numtids, start_us, duration_us, usertime, systemtime, "
				  "time_waiting, processor, thread_name, tid";

	run("UPDATE job SET start_us = 1000000");
	process(1, "NULL", "'bash'", "'a.sh'", names,
		"1, 1500000, 2000000, 10, 20, 3000999, 5, 'ba\\x20sh', 101");
	process(2, "1", "'b'", "NULL", "numtids, tid", "2, 102");
	run("INSERT INTO thread_row (job_id, process_id, id, tid, start_us, duration_us, usertime, "
	    "systemtime, time_waiting, processor, thread_name) VALUES"
	    " (1, 2, 2, 202, 1000000, 4, 5, 6, 7000, 8, 'second'),"
	    " (1, 2, 1, 201, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
	ck_assert_str_eq(list(pm_list_find("threads")),
			 "Pid  Tid    After  Wall time     User   Kernel   Waited      CPU  "
			 "Thread  Program\n"
			 "101  101   500 ms     2.00 s    10 us    20 us  3.00 ms        5  ba sh "
			 "  bash a.sh\n"
			 "102  201  unknown    unknown  unknown  unknown  unknown  unknown        "
			 "  b\n"
			 "102  202      0 s       4 us     5 us     6 us     7 us        8  "
			 "second  b\n");
	ck_assert_str_eq(list_on(pm_list_find("threads"), 1, 1, 70),
			 "Pid  Tid  Wall time   User  Kernel   Waited  CPU  Thread  Program\n"
			 "101  101     2.00 s  10 us   20 us  3.00 ms    5  ba sh   bash a.sh\n");
	ck_assert_str_eq(list_on(pm_list_find("threads"), 2, INT64_MAX, 80), "no threads\n");
}
END_TEST

START_TEST(counters)
{
	process(1, "NULL", "'bash'", "'a.sh'", "tid, numtids", "101, 2");
	process(2, "1", "'b'", "NULL", "tid, numtids", "102, 1");
	run("INSERT INTO thread_row (job_id, process_id, id, tid) VALUES (1, 1, 1, 555)");
	run("INSERT INTO counter (job_id, process_id, thread_id, name, value, ratio, reason, "
	    "scope) "
	    "VALUES (1, 2, 0, 'a', 1, NULL, NULL, 'node'), (1, 1, 1, 'a', 1000, 0.5, NULL, NULL),"
	    " (1, 1, 0, 'b', 2000, NULL, NULL, NULL), (1, 1, 0, 'a', 7, 1, NULL, 'rate'),"
	    " (1, 2, 0, 'b', NULL, NULL, 'closed', NULL)");
	ck_assert_str_eq(list(pm_list_find("counters")),
			 "Pid  Tid  Event              Value  Counted  Reason  Program\n"
			 "101       a (a rate)             7    100 %          bash a.sh\n"
			 "101       b                  2 000    100 %          bash a.sh\n"
			 "101  555  a                  1 000     50 %          bash a.sh\n"
			 "102       a (of the node)        1    100 %          b\n"
			 "102       b                unknown           closed  b\n");
	list_on(pm_list_find("counters"), 1, 4, 200);
	ck_assert_ptr_null(strstr(text, "closed"));
	ck_assert_str_eq(list_on(pm_list_find("counters"), 2, INT64_MAX, 80), "no counters\n");
}
END_TEST

START_TEST(hosts)
{
	run("UPDATE host SET cpus_online = 128, cpus_allowed = 16, cpus_allocated = 4, coverage = "
	    "0.5, cpu_model = 'model', kernel = '6.1', os = 'Debian' WHERE id = 1");
	process(1, "NULL", "'a'", "''", "cpu_time", "1000000");
	process(2, "1", "'a'", "''", "cpu_time", "500000");
	process(3, "1", "'a'", "''", "cpu_time", "7000000");
	run("UPDATE process SET host_id = 2 WHERE id = 3");
	another_job(2, "77", "3");
	run("INSERT INTO host (job_id, id, hostname) VALUES (2, 1, 'a')");
	ck_assert_str_eq(list(pm_list_find("hosts")),
			 "Host     CPUs  Allowed  Allocated   Memory  Processes  CPU time  "
			 "Coverage  Processor  Kernel  System\n"
			 "a         128       16          4   102 kB          2    1.50 s      50 "
			 "%  model      6.1     Debian\n"
			 "b     unknown  unknown             51.2 kB          1    7.00 s   "
			 "unknown\n");
	ck_assert_str_eq(list_on(pm_list_find("hosts"), 2, INT64_MAX, 80),
			 "Host     CPUs  Allowed   Memory  Processes  CPU time  Coverage  "
			 "Processor\n"
			 "a     unknown  unknown  unknown          0   unknown   unknown\n");
	list_on(pm_list_find("hosts"), 1, 1, 80);
	ck_assert_ptr_null(strstr(text, "\nb "));
	ck_assert_str_eq(list_on(pm_list_find("hosts"), 3, INT64_MAX, 80), "no hosts\n");
}
END_TEST

START_TEST(energy)
{
	run("INSERT INTO energy (job_id, host_id, id, part, source, meter, method, energy_uj, "
	    "mean_uw, peak_uw, covered_us, lost, in_part, in_total, reason) VALUES "
	    "(1, 2, 1, 'gpu', 'nvidia', 'GPU-a', 'power', NULL, NULL, NULL, 0, 3, 1, 1, 'late'), "
	    "(1, 1, 2, 'other', 'hwmon', 'x@1/y', 'power', 1, 1, 2, 1000000, 0, 1, 0, NULL), "
	    "(1, 1, 1, 'package', 'rapl', 'package-0', 'counter', 1234567890123, 120000000, "
	    "180500000, 59000000, 12, 1, 1, NULL)");
	ck_assert_str_eq(
		list_on(pm_list_find("energy"), 1, INT64_MAX, 120),
		"Host  Part     Source  Meter                Energy  Added     Mean     Peak      "
		"In  Lost  By       Unknown\n"
		"a     package  rapl    package-0  1234567.890123 J  yes      120 W    180 W  59.0 "
		"s    12  counter\n"
		"a     other    hwmon   x@1/y            0.000001 J  no     1.00 uW  2.00 uW  1.00 "
		"s     0  power\n"
		"b     gpu      nvidia  GPU-a                                                    "
		"        3  power    late\n");
	ck_assert_str_eq(list_on(pm_list_find("energy"), 2, INT64_MAX, 80), "no energy\n");
}
END_TEST

/* A line for each value of a node, the nodes in their order, values by name. */
START_TEST(summaries)
{
	size_t lines = 0;
	char *at;

	run("INSERT INTO node_summary (job_id, host_id, samples, unknown, resets, "
	    "cpu_avg_utilization_pct, total_disk_io_write_mb) VALUES (1, 2, 4, 1, 2, 25, 0.125), "
	    "(1, 1, 1234567, 0, 0, NULL, 1e9)");
	list(pm_list_find("summaries"));
	for (const char *s = text; (s = strchr(s, '\n')); s++)
		lines++;
	ck_assert_uint_eq(lines, 1 + 2 * (PM_NODESUMMARIES + 1));
	/* Those of the first, from the last of the disks to the second's. */
	at = strstr(text, "a     total_disk_io_write_mb");
	ck_assert_ptr_nonnull(at);
	*strstr(at, "\nb     cpu_avg_utilization_over20") = '\0';
	ck_assert_str_eq(at, "a     total_disk_io_write_mb                1e+09  MiB\n"
			     "a     total_net_io_ext_recv_mb            unknown  MiB\n"
			     "a     total_net_io_ext_sent_mb            unknown  MiB\n"
			     "a     total_net_io_lo_recv_mb             unknown  MiB\n"
			     "a     total_net_io_lo_sent_mb             unknown  MiB\n"
			     "b     cpu_avg_utilization_at100_pct       unknown  %");
	list_on(pm_list_find("summaries"), 1, 3, 200);
	ck_assert_ptr_null(strstr(text, "samples"));
	ck_assert_str_eq(list_on(pm_list_find("summaries"), 2, INT64_MAX, 80), "no summaries\n");
}
END_TEST

START_TEST(phases)
{
	run("UPDATE job SET start_us = 1000000");
	run("INSERT INTO phase (job_id, host_id, id, name, pid, begin_us, end_us, duration_us, "
	    "ended) VALUES (1, 2, 1, 'on\\x20b', 7, 1000000, 2000000, 1000000, 1), "
	    "(1, 1, 2, 'never', 8, NULL, 3000000, NULL, 1), "
	    "(1, 1, 1, 'open', 9, 3500000, 4000000, 600000, 0)");
	ck_assert_str_eq(list(pm_list_find("phases")),
			 "Phase  Host    After  Wall time             Marked by pid\n"
			 "open   a      2.50 s     600 ms  not ended              9\n"
			 "never  a     unknown    unknown  not begun              8\n"
			 "on b   b         0 s     1.00 s                         7\n");
	list_on(pm_list_find("phases"), 1, 2, 200);
	ck_assert_ptr_null(strstr(text, "on b"));
	ck_assert_str_eq(list_on(pm_list_find("phases"), 2, INT64_MAX, 80), "no phases\n");
}
END_TEST

START_TEST(tags)
{
	for (int i = 1; i <= 3; i++)
		process(i, "NULL", "'a'", "''", "tag_set", i < 3 ? "1" : "2");
	run("INSERT INTO tag_set (job_id, id, name, value) VALUES (1, 0, 'b', 'of\\x20job'), "
	    "(1, 0, 'a', '1'), (1, 1, 'b', 'x'), (1, 2, 'b', 'y'), (1, 2, 'a', 'z')");
	ck_assert_str_eq(list(pm_list_find("tags")), "Of       Name  Value   Processes\n"
						     "job      a     1\n"
						     "job      b     of job\n"
						     "process  a     z               1\n"
						     "process  b     x               2\n"
						     "process  b     y               1\n");
	list_on(pm_list_find("tags"), 1, 4, 200);
	ck_assert_ptr_null(strstr(text, " y "));
	ck_assert_str_eq(list_on(pm_list_find("tags"), 2, INT64_MAX, 80), "no tags\n");
}
END_TEST

/* The dictionary is that of all jobs. */
START_TEST(metrics)
{
	list_on(pm_list_find("metrics"), 0, 1, 200);
	run("DELETE FROM metric");
	run("INSERT INTO metric (name, unit, kind, scope, source, help) VALUES"
	    " ('b', 'us', 'SPAN', 'PROCESS', 's', 'second'), ('a', '', 'PEAK', 'THREAD', 's', "
	    "'first')");
	ck_assert_str_eq(list_on(pm_list_find("metrics"), 0, INT64_MAX, 200),
			 "Name  Unit  Kind  Of       Meaning\n"
			 "a           PEAK  thread   first\n"
			 "b     us    SPAN  process  second\n");
	ck_assert_str_eq(list_on(pm_list_find("metrics"), 7, 1, 200),
			 "Name  Unit  Kind  Of      Meaning\n"
			 "a           PEAK  thread  first\n");
	run("DELETE FROM metric");
	ck_assert_str_eq(list(pm_list_find("metrics")), "no metrics\n");
}
END_TEST

static int csv_rows(FILE *out, struct pm_stmt *q)
{
	int rc;

	pm_values_csv_names(out, q, pm_db_columns(q));
	while ((rc = pm_db_step(q, &e)) > 0)
		pm_values_csv_row(out, q, pm_db_columns(q));
	return rc;
}

static const char *values(const char *sql, bool csv, enum pm_values_text how, int indent)
{
	struct pm_stmt *q;
	size_t size;
	FILE *out;

	free(text);
	out = open_memstream(&text, &size);
	ck_assert_msg(pm_db_prepare(db, sql, &q, &e) == 0, "%s", e.text);
	ck_assert_msg((csv ? csv_rows(out, q) : pm_values_json(out, q, how, indent, &e)) == 0, "%s",
		      e.text);
	pm_db_finish(q);
	fclose(out);
	return text;
}

/* Every type of value. */
#define TYPES                                                                                      \
	"SELECT 1 AS a, 0.1 AS b, NULL AS c, 'x\\x20\"y\"' AS name, '' AS cluster, '' AS other,"   \
	" x'00ff41' AS bytes, '[\"l\", 1]' AS groups, '{\"k\":\"v\"}' AS tags, 'a \\e' AS args,"   \
	" 9e999 AS many, -9223372036854775807 AS low"

START_TEST(values_as_json)
{
	ck_assert_str_eq(values(TYPES, false, PM_VALUES_PLAIN, 2),
			 "[\n"
			 "  "
			 "{\"a\":1,\"b\":0.1,\"c\":null,\"name\":\"x\\\\x20\\\"y\\\"\",\"cluster\":"
			 "null,\"other\":\"\""
			 ",\"bytes\":{\"hex\":\"00ff41\"},\"groups\":[\"l\",1],\"tags\":{\"k\":"
			 "\"v\"},\"args\":\"a "
			 "\\\\e\",\"many\":null,\"low\":-9223372036854775807}\n"
			 "]");
	ck_assert_str_eq(values(TYPES, false, PM_VALUES_ESCAPED, 4),
			 "[\n"
			 "    {\"a\":1,\"b\":0.1,\"c\":null,\"name\":\"x "
			 "\\\"y\\\"\",\"cluster\":null,\"other\":\"\",\""
			 "bytes\":{\"hex\":\"00ff41\"},\"groups\":\"[\\\"l\\\", "
			 "1]\",\"tags\":\"{\\\"k\\\":\\\"v\\\"}\",\"args\":[\"a\",\"\"],\"many\":"
			 "null,\"low\":-9223372036"
			 "854775807}\n"
			 "  ]");
	ck_assert_str_eq(values("SELECT 1 AS a UNION SELECT 2", false, PM_VALUES_PLAIN, 1),
			 "[\n {\"a\":1},\n {\"a\":2}\n]");
	ck_assert_str_eq(values("SELECT 1 AS a WHERE 0", false, PM_VALUES_PLAIN, 2), "[]");
	/* What is not well-formed stays as it is. */
	ck_assert_str_eq(
		values("SELECT 'a\\q' AS name, '[1' AS groups", false, PM_VALUES_ESCAPED, 2),

		"[\n"
		"  {\"name\":\"a\\\\q\",\"groups\":\"[1\"}\n"
		"]");
	ck_assert_str_eq(values("SELECT '[1' AS groups, CAST(x'41ff' AS TEXT) AS name", false,
				PM_VALUES_PLAIN, 2),
			 "[\n"
			 "  {\"groups\":\"[1\",\"name\":{\"hex\":\"41ff\"}}\n"
			 "]");
}
END_TEST

START_TEST(values_as_csv)
{
	ck_assert_str_eq(values(TYPES, true, PM_VALUES_PLAIN, 0),
			 "a,b,c,name,cluster,other,bytes,groups,tags,args,many,low\r\n"
			 "1,0.1,,\"x\\x20\"\"y\"\"\",,,\\x00\\xffA,\"[\"\"l\"\", "
			 "1]\",\"{\"\"k\"\":\"\"v\"\"}\",\"a "
			 "\\e\",inf,-9223372036854775807\r\n");
	ck_assert_str_eq(
		values("SELECT 'a,b' AS \"x,y\", 'a\"b' AS z, 'a' || char(10) AS n, 1e300 AS big "
		       "UNION ALL SELECT '', ' ', '=1', 0.25",
		       true, PM_VALUES_PLAIN, 0),

		"\"x,y\",z,n,big\r\n"
		"\"a,b\",\"a\"\"b\",a\\n,1e+300\r\n"
		",\" \",=1,0.25\r\n");
	ck_assert_str_eq(values("SELECT 1 AS a WHERE 0", true, PM_VALUES_PLAIN, 0), "a\r\n");
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		jobs,      processes, threads, counters, hosts,          energy,
		summaries, phases,    tags,    metrics,  values_as_json, values_as_csv,
	};
	Suite *s = suite_create("report_list");
	TCase *t = tcase_create("list");

	tcase_add_checked_fixture(t, begin, end);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
