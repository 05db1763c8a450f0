/* Which job of the database files belong to that say less than its identity, whose word counts
 * where hosts differ, and the rows of what is beside records: phases, tallies. */
#include "config.h"

#include "common/safe/tally.h"
#include "submit/rows/verify.h"
#include "tests/unit/submit/submit.h"

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })

#define SECOND 1000000
#define BEGAN  ((int64_t)1700000000 * SECOND)

static void expect(struct test_job *j, const char *sql, const char *want)
{
	const char *got = test_query(j, sql);

	ck_assert_msg(strcmp(got, want) == 0, "%s: %s", sql, got);
}

static void forget(struct test_job *j, const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "%s/%s", j->dir, name);
	ck_assert_int_eq(unlink(path), 0);
}

/* A job of the database, times in seconds from BEGAN on; end -1: not known. */
struct known {
	int64_t epoch, end;
	const char *jobid, *task, *scheduler, *boot, *host;
	int uid, running;
};

static void put_job(struct test_job *j, const struct known *k, int id, const char *unique)
{
	char sql[1024], end[32] = "NULL", scheduler[32] = "NULL", boot[32] = "NULL";

	if (k->end >= 0)
		snprintf(end, sizeof end, "%lld", (long long)(BEGAN + k->end * SECOND));
	if (!k->scheduler || *k->scheduler)
		snprintf(scheduler, sizeof scheduler, "'%s'",
			 k->scheduler ? k->scheduler : "slurm");
	if (!k->boot || *k->boot)
		snprintf(boot, sizeof boot, "'%s'", k->boot ? k->boot : "boot-x");
	snprintf(sql, sizeof sql,
		 "INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, "
		 "epoch_us, "
		 "scheduler, uid, end_us, running) VALUES (%d, 'c', 'someone', '%s%s', '%s', 0, "
		 "%lld, "
		 "%s, %d, %s, %d);"
		 "INSERT INTO host (job_id, id, hostname, boot_id) VALUES (%d, 1, '%s', %s)",
		 id, unique, k->jobid ? k->jobid : "", k->task ? k->task : "",
		 (long long)(BEGAN + k->epoch * SECOND), scheduler, k->uid ? k->uid : 7, end,
		 k->running, id, k->host ? k->host : "n9", boot);
	ck_assert_msg(pm_db_exec(j->db, sql, &j->e) == 0, "%s", j->e.text);
}

/* Records without metadata belong to the latest job of their user and id that began before them
 * and was not over for a minute. */
START_TEST(records_of_a_job)
{
	static const struct {
		struct known job[3];
		int64_t at_us; /* from BEGAN on */
		int of;        /* which of the jobs, from 1; 0: one of their own */
	} c[] = {
		{ { { .epoch = 0, .end = 10 },
		    { .epoch = 100, .end = -1 },
		    { .epoch = 200, .end = -1 } },
		  150 * SECOND,
		  2 },
		{ { { .epoch = 0, .end = 10 },
		    { .epoch = 100, .end = -1 },
		    { .epoch = 200, .end = -1 } },
		  250 * SECOND,
		  3 },
		{ { { .epoch = 200, .end = -1 },
		    { .epoch = 100, .end = -1 },
		    { .epoch = 0, .end = -1 } },
		  250 * SECOND,
		  1 },
		{ { { .epoch = 0, .end = 10 },
		    { .epoch = 100, .end = -1 },
		    { .epoch = 200, .end = -1 } },
		  99 * SECOND,
		  0 },
		{ { { .epoch = 0, .end = 10 }, { .epoch = 100, .end = -1 } }, 100 * SECOND, 2 },
		{ { { .epoch = 0, .end = 10 } }, 70 * SECOND, 1 },
		{ { { .epoch = 0, .end = 10 } }, 70 * SECOND + 1, 0 },
		{ { { .epoch = 0, .end = 10, .running = 1 } }, 99 * SECOND, 1 },
		{ { { .epoch = 0, .end = -1, .uid = 8 } }, 5 * SECOND, 0 },
		{ { { .epoch = 0, .end = -1, .jobid = "0" } }, 5 * SECOND, 0 },
		{ { { .epoch = 0, .end = -1, .scheduler = "none" } }, 5 * SECOND, 0 },
		{ { { .epoch = 0, .end = -1, .scheduler = "none", .boot = "boot-a" } },
		  5 * SECOND,
		  1 },
		{ { { .epoch = 0, .end = -1, .scheduler = "none", .boot = "", .host = "n0" } },
		  5 * SECOND,
		  1 },
		{ { { .epoch = 0, .end = -1, .scheduler = "none", .host = "n0" } }, 5 * SECOND, 0 },
		{ { { .epoch = 0, .end = -1, .scheduler = "none", .boot = "" } }, 5 * SECOND, 0 },
		/* made from records alone before: one of this host */
		{ { { .epoch = 0, .end = -1, .scheduler = "" } }, 5 * SECOND, 0 },
		{ { { .epoch = 0, .end = -1, .scheduler = "", .boot = "boot-a" } }, 5 * SECOND, 1 },
		{ { { .epoch = 6, .end = -1, .scheduler = "", .boot = "boot-a" },
		    { .epoch = 5, .end = -1, .scheduler = "", .boot = "boot-a" } },
		  4 * SECOND,
		  2 },
	};
	struct test_job j;

	test_begin(&j);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		char line[128], unique[16], sql[128];
		int got;

		snprintf(unique, sizeof unique, "9%zu", i);
		for (int k = 0; k < 3 && (k == 0 || c[i].job[k].end); k++)
			put_job(&j, &c[i].job[k], (int)i * 10 + k + 1, unique);
		snprintf(line, sizeof line,
			 "record=start pid=%zu ppid=1 image_us=%lld uid=7 jobid=%s", i + 100,
			 (long long)(BEGAN + c[i].at_us), unique);
		test_records(&j, "n0-7.tsv", LINES(line));
		test_load(&j);
		ck_assert_msg(j.rc >= 0, "%zu: %s", i, j.e.text);
		snprintf(sql, sizeof sql, "SELECT job_id FROM process WHERE pid = %zu", i + 100);
		got = atoi(test_query(&j, sql)) - (int)i * 10;
		ck_assert_msg(got >= 1 && got <= 3 && c[i].job[got - 1].end ? got == c[i].of
									    : !c[i].of,
			      "%zu: %d", i, got);
	}
	test_end(&j);
}
END_TEST

/* A task of an array is named as records name it. */
START_TEST(records_of_a_task)
{
	struct test_job j;

	test_begin(&j);
	put_job(&j, &(struct known){ .end = -1, .task = "3" }, 1, "5");
	put_job(&j, &(struct known){ .end = -1, .task = "4" }, 2, "5");
	test_records(&j, "n0-7.tsv",
		     LINES("record=start pid=10 ppid=1 image_us=1700000001000000 uid=7 jobid=5_4"));
	test_load(&j);
	expect(&j, "SELECT job_id, pid FROM process", "2 10");
	test_end(&j);
}
END_TEST

static void meta(struct test_job *j, const char *host, const char *boot, const char *job,
		 const char *times)
{
	char text[1024], name[64];

	snprintf(
		text, sizeof text,
		"{\"format\":\"perfmon-job-1\",\"job\":{\"cluster\":\"c\",\"user\":\"u\",\"uid\":7,"
		"\"jobid\":\"1\",\"epoch_us\":5%s},\"host\":{\"hostname\":\"%s\",\"boot_id\":\"%"
		"s\","
		"\"cpus_allowed\":2}%s}",
		job, host, boot, times);
	snprintf(name, sizeof name, "job-%s.json", host);
	test_meta(j, name, text);
}

/* Metadata take the job that was made from records of this host within their time. */
START_TEST(metadata_of_records)
{
	static const struct {
		int64_t epoch;
		const char *boot, *scheduler;
		int taken;
	} c[] = {
		{ 5, "boot-a", "", 1 },    { 4, "boot-a", "", 0 },   { 2000, "boot-a", "", 1 },
		{ 2001, "boot-a", "", 0 }, { 900, "boot-b", "", 0 }, { 900, "boot-a", "none", 0 },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		char sql[512], want[16];
		struct test_job j;

		test_begin(&j);
		snprintf(
			sql, sizeof sql,
			"INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, "
			"epoch_us, uid, scheduler) VALUES (3, '', 'x', '1', '', 0, %lld, 7, "
			"nullif('%s', ''));"
			"INSERT INTO host (job_id, id, boot_id) VALUES (3, 2, '%s')",
			(long long)c[i].epoch, c[i].scheduler, c[i].boot);
		ck_assert_msg(pm_db_exec(j.db, sql, &j.e) == 0, "%s", j.e.text);
		meta(&j, "n0", "boot-a", ",\"scheduler\":\"slurm\"",
		     ",\"start\":{\"time_us\":900,\"monotonic_us\":100},"
		     "\"stop\":{\"time_us\":2000,\"monotonic_us\":1100}");
		test_load(&j);
		ck_assert_msg(j.rc == 0, "%zu: %s", i, j.e.text);
		snprintf(want, sizeof want, "%d", 2 - c[i].taken);
		expect(&j, "SELECT count(*) FROM job", want);
		expect(&j, "SELECT count(*) FROM job WHERE scheduler = 'slurm' AND epoch_us = 5",
		       "1");
		test_end(&j);
	}
}
END_TEST

/* Of what hosts say of the job the first one's word by name counts, in whatever order they come;
 * what it does not say another one may. A job that has no batch system is made anew as a whole. */
START_TEST(words_of_hosts)
{
	static const char *const said[] = {
		",\"name\":\"first\",\"account\":\"a\",\"tags\":{\"a\":\"0\",\"x\":\"0\"},"
		"\"annotations\":{\"n\":\"0\",\"o\":\"0\"}",
		",\"name\":\"second\",\"queue\":\"q\",\"tags\":{\"a\":\"1\",\"y\":\"1\"},"
		"\"annotations\":{\"n\":\"1\",\"p\":\"1\"}",
	};
	static const char *const host[] = { "n0", "n1" }, *const boot[] = { "boot-a", "boot-b" };

	for (int turn = 0; turn < 6; turn++) {
		struct test_job j;

		test_begin(&j);
		for (int k = 0; k < 2; k++) {
			int h = turn % 3 == 1 ? 1 - k : k;
			char file[32], odd[128], job[512];

			snprintf(job, sizeof job, "%s%s", turn < 3 ? "" : ",\"scheduler\":\"none\"",
				 said[h]);
			meta(&j, host[h], boot[h], job, "");
			snprintf(file, sizeof file, "%s-7.tsv", host[h]);
			snprintf(odd, sizeof odd,
				 "record=start pid=%d ppid=1 image_us=1000 hostname=%s boot_id=%s "
				 "usertime=-5",
				 h + 10, host[h], boot[h]);
			test_records(&j, file, LINES(odd));
			if (turn % 3 == 2 && k == 0)
				continue;
			test_load(&j);
			ck_assert_int_ge(j.rc, 0);
			if (turn % 3 < 2) {
				forget(&j, file);
				snprintf(file, sizeof file, "job-%s.json", host[h]);
				forget(&j, file);
			}
		}
		expect(&j, "SELECT name, account, queue FROM job", "first a q");
		expect(&j, "SELECT name, value FROM tag_set WHERE id = 0 ORDER BY 1",
		       "a 0;x 0;y 1");
		expect(&j, "SELECT name, value FROM annotation ORDER BY 1", "n 0;o 0;p 1");
		expect(&j,
		       "SELECT hostname, (SELECT p.pid FROM process p WHERE p.host_id = h.id) FROM "
		       "host h ORDER BY 1",
		       "n0 10;n1 11");
		/* What was wrong with each is said. */
		if (turn == 3 || turn == 4)
			expect(&j,
			       "SELECT problems LIKE '%(n0-7.tsv, line 1)%', problems LIKE "
			       "'%(n1-7.tsv, "
			       "line 1)%', length(problems) - length(replace(problems, '; ', '')) "
			       "FROM job",
			       "1 1 2");
		test_end(&j);
	}
}
END_TEST

/* In place of what was there nothing of it is left. */
START_TEST(replaced)
{
	struct pm_load_options o = { .done = test_done, .replace = true };
	struct test_job j;

	test_begin(&j);
	o.ctx = &j;
	for (int turn = 0; turn < 2; turn++) {
		meta(&j, "n0", "boot-a",
		     turn ? ",\"name\":\"new\",\"tags\":{\"b\":\"1\"}"
			  : ",\"name\":\"old\",\"tags\":{\"a\":\"0\"}",
		     "");
		if (turn == 0)
			meta(&j, "n1", "boot-b", "", "");
		else
			forget(&j, "job-n1.json");
		if (turn == 0)
			test_records(&j, "n0-7.tsv",
				     LINES("record=start pid=10 ppid=1 image_us=1000 tags=c:2 "
					   "pgid=-5",
					   "record=start pid=11 ppid=1 image_us=1000 tags=c:3",
					   "record=star pid=12 image_us=1000"));
		else
			test_records(&j, "n0-7.tsv",
				     LINES("record=start pid=20 ppid=1 image_us=1000 tags=d:4"));
		ck_assert_int_eq(pm_load_source(j.db, j.dir, &o, &j.e), !turn);
		ck_assert_int_eq(j.result.state, turn ? PM_LOAD_REPLACED : PM_LOAD_NEW);
	}
	expect(&j, "SELECT id, name, hosts, rejected, problems FROM job", "1 new 1 0 -");
	expect(&j, "SELECT hostname FROM host", "n0");
	expect(&j, "SELECT id, name, value FROM tag_set ORDER BY id", "0 b 1;1 d 4");
	expect(&j, "SELECT pid, tag_set FROM process", "20 1");
	expect(&j, "SELECT file FROM load ORDER BY file", "job-n0.json;n0-7.tsv");
	expect(&j, "SELECT count(*) FROM reject", "0");
	test_end(&j);
}
END_TEST

/* What was not ended lasts as long as the job does on its host, if that is known. */
START_TEST(phases_of_hosts)
{
	static const struct {
		const char *host, *what, *name;
		int real, mono, pid;
	} mark[] = {
		{ "n0\tboot-a", "begin", "a", 1000, 100, 7 },
		{ "n0\tboot-a", "end", "a", 1500, 640, 7 },
		{ "n0\tboot-a", "begin", "b", 1600, 700, 7 },
		{ "n0\tboot-a", "end", "c", 1700, 800, 9 },
		{ "n0\tboot-a", "begin", "last", 2000, 1100, 7 },
		{ "n0\tboot-a", "begin", "late", 2001, 1101, 7 },
		{ "n0\tboot-a", "begin", "set", 1900, 1200, 7 },
		{ "n1\tboot-b", "begin", "a", 1000, 5, 3 },
		{ "n2\tboot-c", "begin", "a", 1000, 5, 4 },
	};
	char text[2048] = "";
	struct test_job j;
	size_t n = 0;

	test_begin(&j);
	meta(&j, "n0", "boot-a", "",
	     ",\"start\":{\"time_us\":900,\"monotonic_us\":100},"
	     "\"stop\":{\"time_us\":2000,\"monotonic_us\":1100}");
	meta(&j, "n1", "boot-b", "", ",\"start\":{\"time_us\":900,\"monotonic_us\":100}");
	meta(&j, "n2", "boot-c", "", ",\"stop\":{\"time_us\":3000}");
	for (size_t i = 0; i < sizeof mark / sizeof mark[0]; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
				      "perfmon-phase-1\t%s\t%s\t%s\t%d\t%d\t%d\t.\n", mark[i].host,
				      mark[i].what, mark[i].name, mark[i].real, mark[i].mono,
				      mark[i].pid);
	test_file(&j, "all.phases", text, n);
	test_load(&j);
	ck_assert_msg(j.rc == 0, "%s", j.e.text);
	expect(&j,
	       "SELECT h.hostname, p.id, p.name, p.pid, p.begin_us, p.end_us, p.duration_us, "
	       "p.ended "
	       "FROM phase p JOIN host h ON h.id = p.host_id ORDER BY 1, 2",
	       "n0 1 a 7 1000 1500 540 1;n0 2 b 7 1600 2000 400 0;n0 3 c 9 - 1700 - 1;"
	       "n0 4 last 7 2000 2000 0 0;n0 5 late 7 2001 - - 0;n0 6 set 7 1900 2000 - 0;"
	       "n1 1 a 3 1000 - - 0;n2 1 a 4 1000 3000 - 0");
	/* A job that is open on a host begins with the first one all the same. */
	expect(&j, "SELECT start_us, end_us, duration_us, hosts FROM job", "900 3000 2100 3");
	test_end(&j);
}
END_TEST

/* Each host's samples are its own, and so is what they make. */
START_TEST(series_of_hosts)
{
	static const char n0[] = "perfmon-series-1\tn0\tboot-a\t1000000\t.\n"
				 "series\t7\tmemory\ttotal\t\tkB\tgauge\t.\n"
				 "series\t8\tmemory\tused\t\tkB\tgauge\t.\n"
				 "tick\t10\t10\t7=100 8=25\t.\ntick\t20\t20\t7=100 8=\\N:late\t.\n",
			  n1[] = "perfmon-series-1\tn1\tboot-b\t1000000\t.\n"
				 "series\t7\tmemory\tused\t\tkB\tgauge\t.\n"
				 "series\t8\tmemory\ttotal\t\tkB\tgauge\t.\n"
				 "tick\t10\t10\t7=50 8=100\t.\n";
	struct test_job j;

	test_begin(&j);
	meta(&j, "n0", "boot-a", "", "");
	meta(&j, "n1", "boot-b", "", "");
	meta(&j, "n2", "boot-c", "", "");
	test_file(&j, "n0.series", n0, sizeof n0 - 1);
	test_file(&j, "n1.series", n1, sizeof n1 - 1);
	test_load(&j);
	ck_assert_msg(j.rc == 0, "%s", j.e.text);
	expect(&j,
	       "SELECT h.hostname, s.id, s.source, s.metric, s.object, s.unit, s.kind, x.time_us, "
	       "x.value, x.reason FROM sample x JOIN series s ON s.id = x.series_id JOIN host h ON "
	       "h.id "
	       "= s.host_id ORDER BY s.id, x.time_us",
	       "n0 1 memory total  kB gauge 10 100 -;n0 1 memory total  kB gauge 20 100 -;"
	       "n0 2 memory used  kB gauge 10 25 -;n0 2 memory used  kB gauge 20 - late;"
	       "n1 3 memory used  kB gauge 10 50 -;n1 4 memory total  kB gauge 10 100 -");
	expect(&j,
	       "SELECT h.hostname, samples, unknown, resets, max_t_mem_percent, "
	       "max_t_disk_usage_percent FROM node_summary n JOIN host h ON h.id = n.host_id ORDER "
	       "BY 1",
	       "n0 2 0 0 25.0 -;n1 1 0 0 50.0 -;n2 0 0 0 - -");
	test_end(&j);
}
END_TEST

static void add_slot(char *text, size_t *n, const char *kind, const char *key, int values,
		     const int64_t *v)
{
	struct pm_tally t = { .kind = { kind, strlen(kind) }, .key = { key, strlen(key) } };

	t.values = values;
	memcpy(t.v, v, (size_t)values * sizeof *v);
	ck_assert_int_eq(pm_tally_format(text + *n, &t), 0);
	*n += PM_TALLY_SLOT;
}

static int no_fault(void *ctx, const struct pm_verify_fault *f, struct pm_err *e)
{
	(void)ctx;
	(void)e;
	ck_assert_msg(strcmp(f->check, "summary") != 0, "%s: %s; expected: %s", f->what, f->stored,
		      f->expected);
	return 0;
}

static int count_fault(void *ctx, const struct pm_verify_fault *f, struct pm_err *e)
{
	int *faults = ctx;

	(void)e;
	*faults += strcmp(f->check, "summary") == 0;
	return 0;
}

/* Slots of several tallies of a host add up, but for the largest memory; the job has them all. */
START_TEST(tallies_of_hosts)
{
	static const int64_t v[2][6] = { { 2, 3, 5, 7, 11, 13 }, { 17, 19, 23, 29, 31, 12 } };
	static const char *const host[] = { "n0\tboot-a", "n1\tboot-b" };
	struct test_job j;

	test_begin(&j);
	meta(&j, "n0", "boot-a", "",
	     ",\"start\":{\"time_us\":900,\"monotonic_us\":100},\"stop\":{\"time_us\":2000,"
	     "\"monotonic_us\":1100,\"exit_signal\":9,\"charged_cpu_us\":700,\"measured_cpu_us\":"
	     "800}");
	meta(&j, "n1", "boot-b", "",
	     ",\"start\":{\"time_us\":800,\"monotonic_us\":100},\"stop\":{\"time_us\":3000,"
	     "\"monotonic_us\":1100,\"exit_status\":4,\"measured_cpu_us\":400}");
	for (int file = 0; file < 3; file++) {
		char text[16 * PM_TALLY_SLOT], name[32], head[64];
		size_t n = PM_TALLY_SLOT;
		int set = file == 1;

		snprintf(head, sizeof head, PM_TALLY_HEADER "\t%s\t.", host[file == 2]);
		memset(text, ' ', PM_TALLY_SLOT);
		memcpy(text, head, strlen(head));
		text[PM_TALLY_SLOT - 1] = '\n';
		add_slot(text, &n, "lost", "ENOSPC", 2, v[set]);
		add_slot(text, &n, "folded", "cc", 6, v[set]);
		add_slot(text, &n, "children", "", 5, v[set]);
		add_slot(text, &n, "excluded", "sh", 1, v[set]);
		/* of another kind, and of another number of values: nothing is known of them */
		add_slot(text, &n, "others", "x", 1, v[set]);
		add_slot(text, &n, "lost", "EIO", 3, v[set]);
		snprintf(name, sizeof name, "n-%d.tally", file);
		test_file(&j, name, text, n);
	}
	/* Processes that ended in each of the ways there are, one of them after its host's stop. */
	test_records(
		&j, "n0-7.tsv",
		LINES("record=start pid=10 ppid=1 image_us=1000 start_us=1000 path=/a mpirank=0",
		      "record=end pid=10 image_us=1000 end_us=2001 end_reason=exit exitcode=1 "
		      "usertime=100 systemtime=30 own_cpu_us=20 numtids=3 rssmax=50 rchar=7",
		      "record=start pid=11 ppid=10 image_us=1001 start_us=950 path=/a mpirank=0",
		      "record=end pid=11 image_us=1001 end_us=2000 end_reason=exit exitcode=0 "
		      "usertime=10 systemtime=3 numtids=1 rssmax=60 rchar=8",
		      "record=start pid=12 ppid=10 image_us=1002 path=/a mpirank=1",
		      "record=end pid=12 image_us=1002 end_us=1500 end_reason=signal numtids=0",
		      "record=start pid=13 ppid=10 image_us=1003 path=/a",
		      "record=reaped pid=13 ppid=10 starttime=\\N end_us=1600 exitsignal=9 "
		      "usertime=40 systemtime=5",
		      "record=start pid=14 ppid=10 image_us=1004 path=/a",
		      "record=start pid=15 ppid=10 image_us=1004 path=/a",
		      "record=last pid=15 image_us=1004 end_us=1700 last_call=setuid numtids=2",
		      "record=reaped pid=16 ppid=10 starttime=\\N end_us=1800 exitcode=0 "
		      "usertime=1 systemtime=1",
		      /* after all hosts stopped */
		      "record=start pid=30 ppid=1 image_us=1100 hostname=n1 boot_id=boot-b path=/a",
		      "record=end pid=30 image_us=1100 end_us=3001 end_reason=exit exitcode=0 "
		      "hostname=n1 boot_id=boot-b numtids=1"));
	test_load(&j);
	ck_assert_msg(j.rc >= 0, "%s", j.e.text);
	expect(&j, "SELECT host_id, reason, lines, bytes FROM lost ORDER BY 1, 2",
	       "1 ENOSPC 19 22;2 ENOSPC 2 3");
	expect(&j,
	       "SELECT host_id, exename, images, usertime, systemtime, duration_us, failed, rssmax "
	       "FROM folded_program ORDER BY 1, 2",
	       "1 cc 19 22 28 36 42 13;2 cc 2 3 5 7 11 13");
	expect(&j,
	       "SELECT host_id, key, waits, usertime, systemtime, failed, killed FROM folded_wait "
	       "ORDER BY 1, 2",
	       "1  19 22 28 36 42;2  2 3 5 7 11");
	expect(&j, "SELECT host_id, exename, images, cpu_time FROM excluded_program ORDER BY 1, 2",
	       "1 sh 19 -;2 sh 2 -");
	expect(&j,
	       "SELECT start_us, end_us, duration_us, exit_status, exit_signal, processes, "
	       "threads, "
	       "failed, killed, running, without_end, reaped_only, hosts, ranks, cpus FROM job",
	       "800 3000 2200 - 9 8 11 3 2 0 3 1 2 2 4");
	expect(&j,
	       "SELECT cpu_time, charged_cpu_us, excluded, excluded_cpu_us, folded, folded_cpu_us, "
	       "lost, rejected, late, usertime, systemtime, rssmax, rchar, coverage, efficiency "
	       "FROM "
	       "job",
	       "170 1200 21 - 21 58 21 0 2 151 19 60 15 0.206666666666667 0.0259090909090909");
	expect(&j, "SELECT id, cpu_time, charged_cpu_us, coverage FROM host ORDER BY id",
	       "1 170 800 0.3;2 - 400 0.02");
	ck_assert_int_eq(pm_verify_job(j.db, 1, no_fault, NULL, &j.e), 1);
	/* A ratio may differ in its last places, by the order in which an engine adds. */
	for (size_t i = 0; i < 2; i++) {
		int faults = 0;

		test_query(&j, i ? "UPDATE job SET efficiency = efficiency * (1 + 1e-8)"
				 : "UPDATE job SET efficiency = efficiency * (1 + 1e-10)");
		ck_assert_int_eq(pm_verify_job(j.db, 1, count_fault, &faults, &j.e), 1);
		ck_assert_int_eq(faults, (int)i);
	}
	ck_assert_int_eq(pm_verify_job(j.db, 2, no_fault, NULL, &j.e), 0);
	test_end(&j);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit_place");
	TCase *t = tcase_create("place");

	tcase_add_test(t, records_of_a_job);
	tcase_add_test(t, records_of_a_task);
	tcase_add_test(t, metadata_of_records);
	tcase_add_test(t, words_of_hosts);
	tcase_add_test(t, replaced);
	tcase_add_test(t, phases_of_hosts);
	tcase_add_test(t, series_of_hosts);
	tcase_add_test(t, tallies_of_hosts);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
