/* Which job and host files belong to, which version of them counts, what one failure leaves. */
#include "config.h"

#include "tests/unit/submit/submit.h"

#include <fcntl.h>

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Metadata of a host; what is NULL is as in `usual`. */
struct meta {
	const char *cluster, *user, *jobid, *task, *restart, *scheduler, *host, *boot;
	int64_t epoch, start, stop; /* stop 0: none */
	int exit_status, uid;
};

static const struct meta usual = { .cluster = "c",
				   .user = "u",
				   .jobid = "1",
				   .task = "",
				   .restart = "0",
				   .scheduler = "none",
				   .host = "n0",
				   .boot = "boot-a",
				   .epoch = 5,
				   .start = 900,
				   .stop = 2000,
				   .exit_status = 3,
				   .uid = 7 };

#define PICK(m, field) ((m)->field ? (m)->field : usual.field)

/* Write the metadata as FOLDERjob-HOST.json. */
static void put(struct test_job *j, const char *folder, const struct meta *m)
{
	char text[1024], name[64], stop[128] = "";

	if (m->stop)
		snprintf(stop, sizeof stop,
			 ",\"stop\":{\"time_us\":%lld,\"monotonic_us\":1100,\"exit_status\":%d}",
			 (long long)m->stop, m->exit_status);
	snprintf(text, sizeof text,
		 "{\"format\":\"perfmon-job-1\",\"job\":{\"cluster\":\"%s\",\"user\":\"%s\","
		 "\"uid\":%d,\"jobid\":\"%s\",\"array_task\":\"%s\",\"restart_count\":%s,"
		 "\"scheduler\":\"%s\",\"epoch_us\":%lld},"
		 "\"host\":{\"hostname\":\"%s\",\"boot_id\":\"%s\",\"cpus_allowed\":2},"
		 "\"start\":{\"time_us\":%lld,\"monotonic_us\":100}%s}",
		 PICK(m, cluster), PICK(m, user), m->uid, PICK(m, jobid), PICK(m, task),
		 PICK(m, restart), PICK(m, scheduler), (long long)m->epoch, PICK(m, host),
		 PICK(m, boot), (long long)m->start, stop);
	snprintf(name, sizeof name, "%sjob-%s.json", folder, PICK(m, host));
	test_meta(j, name, text);
}

/* Each part of a job's identity tells it from another one. */
START_TEST(identity)
{
	struct meta other[8];
	struct test_job j;

	for (size_t i = 0; i < 8; i++)
		other[i] = usual;
	other[1].cluster = "d";
	other[2].user = "v";
	other[3].jobid = "2";
	other[4].task = "1";
	other[5].restart = "1";
	other[6].epoch = 6;
	/* Not of it: the batch system, the uid. */
	other[7].scheduler = "slurm";
	other[7].uid = 8;
	test_begin(&j);
	for (size_t i = 0; i < 8; i++) {
		char want[32];

		put(&j, "", &other[i]);
		test_load(&j);
		ck_assert_int_eq(j.rc, 0);
		snprintf(want, sizeof want, "%zu", i < 7 ? i + 1 : 7);
		ck_assert_msg(strcmp(test_query(&j, "SELECT count(*) FROM job"), want) == 0, "%zu",
			      i);
	}
	test_end(&j);
}
END_TEST

/* No whole second; the batch system does not say when the job began. */
#define BEGAN ((int64_t)1700000000123456)
#define DAY   ((int64_t)86400000000)

/* A second host's metadata are of the job up to a day away. */
START_TEST(nearby)
{
	static const struct {
		const char *jobs; /* and when the first of them began, less BEGAN */
		struct meta m;    /* times from BEGAN on */
	} c[] = {
		{ "1 0", { .epoch = 700000, .start = 700000, .stop = 800000 } },
		{ "1 -700000", { .epoch = -700000, .start = -700000, .stop = 800000 } },
		{ "1 0", { .epoch = DAY + 100, .start = DAY + 100, .stop = DAY + 200 } },
		{ "2 0", { .epoch = DAY + 101, .start = DAY + 101, .stop = DAY + 200 } },
		{ "1 -86400000100", { .epoch = -DAY - 100, .start = -DAY - 100, .stop = -DAY } },
		{ "2 -86400000100",
		  { .epoch = -DAY - 100, .start = -DAY - 100, .stop = -DAY - 1 } },
		/* a whole second */
		{ "2 0", { .epoch = 1000000 - 123456, .start = 900000, .stop = 900001 } },
		{ "2 0", { .epoch = 7, .start = 7, .stop = 9, .host = "n0", .boot = "boot-a" } },
		{ "1 0", { .epoch = 7, .start = 7, .stop = 9, .host = "n0" } },
		{ "2 0", { .epoch = 7, .start = 7, .stop = 9, .cluster = "d" } },
		{ "2 0", { .epoch = 7, .start = 7, .stop = 9, .user = "v" } },
		{ "2 0", { .epoch = 7, .start = 7, .stop = 9, .jobid = "2" } },
		{ "2 0", { .epoch = 7, .start = 7, .stop = 9, .task = "2" } },
		{ "2 0", { .epoch = 7, .start = 7, .stop = 9, .restart = "2" } },
		{ "2 0", { .epoch = 7, .start = 7, .stop = 9, .scheduler = "pbs" } },
		{ "2 0", { .epoch = 7, .start = 7, .stop = 9, .scheduler = "none" } },
	};

	struct test_job j;

	test_begin(&j);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		struct meta m = usual;
		char sql[256], id[16];

		snprintf(id, sizeof id, "%zu", i + 10);
		m.scheduler = "slurm";
		m.jobid = id;
		m.epoch = m.start = BEGAN;
		m.stop = BEGAN + 100;
		put(&j, "", &m);
		test_load(&j);
		ck_assert_int_eq(j.rc, 0);
		m = c[i].m;
		m.epoch += BEGAN;
		m.start += BEGAN;
		m.stop += BEGAN;
		m.uid = usual.uid;
		m.jobid = m.jobid ? m.jobid : id;
		m.host = m.host ? m.host : "n1";
		m.boot = m.boot ? m.boot : "boot-b";
		m.scheduler = m.scheduler ? m.scheduler : "slurm";
		snprintf(sql, sizeof sql, "%s/job-n0.json", j.dir);
		ck_assert_int_eq(unlink(sql), 0);
		put(&j, "", &m);
		test_load(&j);
		ck_assert_int_eq(j.rc, 0);
		snprintf(sql, sizeof sql, "%s/job-%s.json", j.dir, m.host);
		ck_assert_int_eq(unlink(sql), 0);
		snprintf(sql, sizeof sql,
			 "SELECT count(*), min(epoch_us) - %lld FROM job WHERE jobid IN ('%s', "
			 "'%s')",
			 (long long)BEGAN, id, m.jobid);
		ck_assert_msg(strcmp(test_query(&j, sql), c[i].jobs) == 0, "%zu: %s", i,
			      test_query(&j, sql));
	}
	test_end(&j);
}
END_TEST

/* Of several jobs it may be of, that which began nearest. */
START_TEST(nearest)
{
	static const int64_t hour[] = { 0, 10, 9 };
	struct test_job j;

	test_begin(&j);
	for (size_t i = 0; i < 3; i++) {
		struct meta m = usual;

		m.scheduler = "slurm";
		m.epoch = m.start = BEGAN + hour[i] * DAY / 24;
		m.stop = m.epoch + 100;
		if (i == 2)
			m.host = "n1", m.boot = "boot-b";
		put(&j, "", &m);
		if (i == 2) {
			char path[128];

			snprintf(path, sizeof path, "%s/job-n0.json", j.dir);
			ck_assert_int_eq(unlink(path), 0);
		}
		test_load(&j);
		ck_assert_int_eq(j.rc, 0);
	}
	ck_assert_str_eq(
		test_query(&j, "SELECT job_id, hostname FROM host ORDER BY job_id, hostname"),
		"1 n0;2 n0;2 n1");
	test_end(&j);
}
END_TEST

/* Records without metadata are of one job where at most a minute lies between them. */
START_TEST(parts)
{
	static const struct {
		int64_t start;
		const char *want; /* jobs, and when the first of them began */
	} c[] = {
		{ 1061000000, "1 1000000000" },
		{ 1061000001, "2 1000000000" },
		{ 939999000, "1 939999000" },
		{ 938999999, "2 938999999" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		char start[128], end[128];
		struct test_job j;

		test_begin(&j);
		test_records(&j, "n0-1.tsv",
			     LINES("record=start pid=10 ppid=1 image_us=1000000000",
				   "record=end pid=10 image_us=1000000000 end_us=1001000000 "
				   "end_reason=exit exitcode=0"));
		test_load(&j);
		snprintf(start, sizeof start, "%s/n0-1.tsv", j.dir);
		ck_assert_int_eq(unlink(start), 0);
		snprintf(start, sizeof start,
			 "record=start pid=11 ppid=1 image_us=%lld starttime=6",
			 (long long)c[i].start);
		snprintf(end, sizeof end,
			 "record=end pid=11 image_us=%lld end_us=%lld starttime=6 end_reason=exit",
			 (long long)c[i].start, (long long)c[i].start + 1000);
		test_records(&j, "n0-2.tsv", LINES(start, end));
		test_load(&j);
		ck_assert_msg(strcmp(test_query(&j, "SELECT count(*), min(epoch_us) FROM job"),
				     c[i].want) == 0,
			      "%zu: %s", i,
			      test_query(&j, "SELECT count(*), min(epoch_us) FROM job"));
		test_end(&j);
	}
}
END_TEST

/* Of a name the last value; without one it is 1. */
START_TEST(tags)
{
	test_expect(LINES("record=start pid=9 ppid=1 image_us=1000 tags=y:8",
			  "record=start pid=10 ppid=1 image_us=1000 tags=a:b;c;:x;;a:z;d:;e:f:g",
			  "record=start pid=11 ppid=1 image_us=1000 tags=:x",
			  "record=start pid=12 ppid=1 image_us=1000 tags=c",
			  "record=start pid=13 ppid=1 image_us=1000 tags=y:8"),
		    "SELECT process_id, name, '<' || value || '>' FROM tag ORDER BY 1, 2",
		    "1 y <8>;2 a <z>;2 c <1>;2 d <>;2 e <f:g>;4 c <1>;5 y <8>");
}
END_TEST

/* Of two states of a host's metadata that which says more, whichever comes first. */
START_TEST(versions)
{
	static const struct {
		int64_t start[2], stop[2];
		int status[2];
		const char *want;
		enum pm_load_state state;
	} c[] = {
		{ { 100, 100 }, { 0, 200 }, { 3, 3 }, "100 200 3", PM_LOAD_REPLACED },
		{ { 100, 100 }, { 200, 0 }, { 3, 3 }, "100 200 3", PM_LOAD_UNCHANGED },
		{ { 100, 100 }, { 200, 300 }, { 3, 4 }, "100 300 4", PM_LOAD_REPLACED },
		{ { 100, 100 }, { 300, 200 }, { 3, 4 }, "100 300 3", PM_LOAD_UNCHANGED },
		{ { 100, 150 }, { 200, 200 }, { 3, 4 }, "150 200 4", PM_LOAD_REPLACED },
		{ { 150, 100 }, { 200, 200 }, { 3, 4 }, "150 200 3", PM_LOAD_UNCHANGED },
		{ { 150, 100 }, { 200, 300 }, { 3, 4 }, "100 300 4", PM_LOAD_REPLACED },
		{ { 100, 100 }, { 200, 200 }, { 3, 4 }, "100 200 4", PM_LOAD_REPLACED },
		{ { 100, 100 }, { 200, 200 }, { 3, 3 }, "100 200 3", PM_LOAD_UNCHANGED },
	};

	struct test_job j;

	test_begin(&j);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		const char *got;
		char id[16];

		snprintf(id, sizeof id, "%zu", i);
		for (int k = 0; k < 2; k++) {
			struct meta m = usual;

			m.jobid = id;
			m.start = c[i].start[k];
			m.stop = c[i].stop[k];
			m.exit_status = c[i].status[k];
			put(&j, "", &m);
			test_load(&j);
			ck_assert_int_eq(j.rc, 0);
			if (k == 0)
				ck_assert_int_eq(j.result.state, PM_LOAD_NEW);
		}
		got = test_query(&j, "SELECT start_time_us, stop_time_us, stop_exit_status FROM "
				     "host ORDER BY job_id DESC LIMIT 1");
		ck_assert_msg(strcmp(got, c[i].want) == 0 && j.result.state == c[i].state,
			      "%zu: %s, state %d", i, got, (int)j.result.state);
	}
	test_end(&j);
}
END_TEST

static void records(struct test_job *j, const char *name, const char *pid)
{
	char line[128];

	snprintf(line, sizeof line, "record=start pid=%s ppid=1 image_us=1000", pid);
	test_records(j, name, LINES(line));
}

static int is_current(struct test_job *j)
{
	int fd = open(j->dir, O_RDONLY | O_DIRECTORY), rc;

	ck_assert_int_ge(fd, 0);
	rc = pm_load_is_current(j->db, 1, fd);
	ck_assert_int_eq(close(fd), 0);
	return rc;
}

START_TEST(current)
{
	struct test_job j;

	test_begin(&j);
	put(&j, "", &usual);
	records(&j, "n0-7.tsv", "10");
	test_load(&j);
	ck_assert_int_eq(is_current(&j), 1);
	ck_assert_int_eq(pm_load_is_current(j.db, 2, -1), -1);
	ck_assert_int_eq(pm_load_is_current(j.db, 1, -1), -1);
	test_file(&j, "README", "x", 1);
	test_file(&j, "n1-7.tsv", "", 0);
	ck_assert_int_eq(is_current(&j), 1);
	records(&j, "n1-7.tsv", "10");
	ck_assert_int_eq(is_current(&j), 0);
	test_load(&j);
	ck_assert_int_eq(is_current(&j), 1);
	records(&j, "n0-7.tsv", "1000");
	ck_assert_int_eq(is_current(&j), 0);
	test_end(&j);
}
END_TEST

/* Load all folders of the directory as one archive. */
static void load_archive(struct test_job *j, const char *folders,
			 void (*failed)(void *ctx, const char *source, const struct pm_err *e))
{
	struct pm_load_options o = { .done = test_done, .failed = failed, .ctx = j };
	char text[256];

	snprintf(text, sizeof text, "cd %s && tar -cf all.tar %s", j->dir, folders);
	ck_assert_int_eq(system(text), 0);
	snprintf(text, sizeof text, "%s/all.tar", j->dir);
	j->e.text[0] = '\0';
	j->rc = pm_load_source(j->db, text, &o, &j->e);
}

static void folder(struct test_job *j, const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "%s/%s", j->dir, name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static int failures;

static void count_failure(void *ctx, const char *source, const struct pm_err *e)
{
	(void)ctx;
	ck_assert_ptr_nonnull(strstr(source, "all.tar"));
	ck_assert_ptr_nonnull(strstr(e->text, "held"));
	failures++;
}

/* Of an archive's jobs those that can be loaded are. */
START_TEST(failed_jobs)
{
	static const char *const id[] = { "1", "2", "3", "4" };
	struct test_job j;

	test_begin(&j);
	for (size_t i = 0; i < 4; i++) {
		struct meta m = usual;
		char name[16];

		folder(&j, id[i]);
		m.jobid = id[i];
		snprintf(name, sizeof name, "%s/", id[i]);
		put(&j, name, &m);
	}
	test_query(&j, "CREATE TRIGGER held BEFORE INSERT ON job WHEN NEW.jobid IN ('1', '3') "
		       "BEGIN SELECT RAISE(ABORT, 'held'); END");
	failures = 0;
	load_archive(&j, "1 2 3 4", count_failure);
	ck_assert_int_eq(j.rc, -1);
	ck_assert_int_eq(failures, 2);
	ck_assert_ptr_nonnull(strstr(j.e.text, "3: "));
	ck_assert_str_eq(test_query(&j, "SELECT jobid FROM job ORDER BY jobid"), "2;4");
	test_end(&j);
}
END_TEST

/* In root's job a user's file tells of that user's processes alone. */
START_TEST(users)
{
	struct meta m = usual;
	struct test_job j;

	m.uid = 0;
	m.user = "root";
	test_begin(&j);
	folder(&j, "1");
	put(&j, "1/", &m);
	test_records(&j, "1/n0-0.tsv",
		     LINES("record=start pid=10 ppid=1 image_us=1000 uid=0",
			   "record=start pid=11 ppid=10 image_us=1001 uid=0",
			   "record=start pid=12 ppid=10 image_us=1002 uid=0"));
	test_records(
		&j, "1/n0-1000.tsv",
		LINES("record=start pid=20 ppid=10 image_us=1003 uid=1000",
		      "record=end pid=20 image_us=1003 end_us=1100 end_reason=exit exitcode=1",
		      "record=end pid=10 image_us=1000 end_us=1100 end_reason=exit exitcode=1",
		      "record=last pid=11 image_us=1001 end_us=1100 last_call=setuid",
		      "record=thread pid=12 image_us=1002 tid=13 end_us=1100",
		      "record=end pid=14 image_us=1002 end_us=1100 end_reason=exit exitcode=1"));
	load_archive(&j, "1", NULL);
	ck_assert_int_eq(j.rc, 1);
	ck_assert_str_eq(test_query(&j, "SELECT line, reason FROM reject ORDER BY line"),
			 "3 of another user's process;4 of another user's process;"
			 "5 of another user's process");
	ck_assert_str_eq(test_query(&j, "SELECT pid, uid, exitcode FROM process ORDER BY pid"),
			 "10 0 -;11 0 -;12 0 -;14 - 1;20 1000 1");
	test_end(&j);
}
END_TEST

/* Before a source is removed, queries show that each of its files, lines and processes is there. */
START_TEST(shown)
{
	static const struct {
		const char *done, *why; /* behind what is written; why the source is kept */
	} c[] = {
		{ "job BEGIN SELECT 1", NULL },
		{ "process WHEN NEW.pid = 11 BEGIN DELETE FROM process WHERE id = NEW.id",
		  "processes missing from the database: 1" },
		{ "process BEGIN UPDATE process SET pid = pid + 100 WHERE id = NEW.id",
		  "processes missing from the database: 2" },
		{ "process BEGIN UPDATE process SET image_us = image_us + 1 WHERE id = NEW.id",
		  "processes missing from the database: 2" },
		{ "process WHEN NEW.pid = 10 BEGIN UPDATE process SET pid_ns = 2 WHERE id = NEW.id",
		  "processes missing from the database: 1" },
		{ "host BEGIN UPDATE host SET boot_id = 'x'",
		  "processes missing from the database: 2" },
		{ "thread_row WHEN NEW.id = 2 BEGIN DELETE FROM thread_row WHERE id = 2",
		  "processes missing from the database: 1" },
		{ "load WHEN NEW.file LIKE 'job-%' BEGIN UPDATE load SET file = 'job-x.json' WHERE "
		  "id = NEW.id",
		  "job-n0.json is not in the database" },
		/* another version of the same metadata may say more */
		{ "load WHEN NEW.file LIKE 'job-%' BEGIN UPDATE load SET digest = 'x' WHERE id = "
		  "NEW.id",
		  NULL },
		{ "load WHEN NEW.file LIKE '%.tsv' BEGIN UPDATE load SET file = 'x' WHERE id = "
		  "NEW.id",
		  "n0-7.tsv: lines missing from the database: 7" },
		/* each line is there, if in another file */
		{ "load WHEN NEW.file LIKE '%.tsv' BEGIN UPDATE load SET file = 'n9-7.tsv' WHERE "
		  "id = "
		  "NEW.id",
		  NULL },
		{ "content BEGIN UPDATE content SET bytes = x'' WHERE load_id = NEW.load_id", "" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		struct pm_load_options o = { .done = test_done, .show = true };
		struct test_job j;
		char sql[512];
		int rc;

		test_begin(&j);
		o.ctx = &j;
		put(&j, "", &usual);
		test_records(
			&j, "n0-7.tsv",
			LINES("record=start pid=10 ppid=1 image_us=1000",
			      "record=end pid=10 image_us=1000 end_us=1100 end_reason=exit "
			      "exitcode=0 numtids=2",
			      "record=thread pid=10 image_us=1000 tid=10",
			      "record=thread pid=10 image_us=1000 tid=12",
			      "record=start pid=11 ppid=10 image_us=1001",
			      "record=excluded pid=14 ppid=10 image_us=1002",
			      "record=reaped pid=13 ppid=10 starttime=\\N end_us=1050 exitcode=0"));
		snprintf(sql, sizeof sql, "CREATE TRIGGER t AFTER INSERT ON %s; END", c[i].done);
		ck_assert_msg(pm_db_exec(j.db, sql, &j.e) == 0, "%s", j.e.text);
		rc = pm_load_source(j.db, j.dir, &o, &j.e);
		ck_assert_msg(rc == (c[i].why ? -1 : 0), "%s: %d %s", c[i].done, rc,
			      rc ? j.e.text : "");
		if (c[i].why) {
			ck_assert_msg(strstr(j.e.text, "the source is kept: ") != NULL, "%s",
				      j.e.text);
			ck_assert_msg(strstr(j.e.text, c[i].why) != NULL, "%s: %s", c[i].done,
				      j.e.text);
		}
		test_end(&j);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit/load.c");
	TCase *t = tcase_create("loads");

	tcase_add_test(t, identity);
	tcase_add_test(t, nearby);
	tcase_add_test(t, nearest);
	tcase_add_test(t, parts);
	tcase_add_test(t, tags);
	tcase_add_test(t, versions);
	tcase_add_test(t, current);
	tcase_add_test(t, failed_jobs);
	tcase_add_test(t, users);
	tcase_add_test(t, shown);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
