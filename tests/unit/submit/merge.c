/* Files that come in several loads: what is put together, and what stays as it is. */
#include "config.h"

#include "common/safe/tally.h"
#include "submit/loading.h"
#include "tests/unit/submit/submit.h"

#include <fcntl.h>

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Metadata of job `id` on a host. */
static void meta(struct test_job *j, const char *name, const char *job, const char *host,
		 const char *boot)
{
	char text[1024];

	snprintf(text, sizeof text,
		 "{\"format\":\"perfmon-job-1\",\"job\":{\"user\":\"u\",\"uid\":7,\"epoch_us\":5,"
		 "\"scheduler\":\"none\",%s},\"host\":{\"hostname\":\"%s\",\"boot_id\":\"%s\"},"
		 "\"start\":{\"time_us\":900},\"stop\":{\"time_us\":2000}}",
		 job, host, boot);
	test_meta(j, name, text);
}

static void usual(struct test_job *j)
{
	meta(j, "job-n0.json", "\"jobid\":\"1\"", "n0", "boot-a");
	meta(j, "job-n1.json", "\"jobid\":\"1\"", "n1", "boot-b");
}

static void drop(struct test_job *j, const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "%s/%s", j->dir, name);
	ck_assert_int_eq(unlink(path), 0);
}

static void load(struct test_job *j, int rc, enum pm_load_state state)
{
	test_load(j);
	ck_assert_msg(j->rc == rc && j->result.state == state, "%d %d %s", j->rc,
		      (int)j->result.state, j->e.text);
}

static const char *ask(struct test_job *j, const char *sql, const char *want)
{
	const char *got = test_query(j, sql);

	ck_assert_msg(strcmp(got, want) == 0, "%s: %s", sql, got);
	return got;
}

#define A     "record=start pid=10 ppid=1 image_us=1000"
#define A_END "record=end pid=10 image_us=1000 end_us=1500 end_reason=exit exitcode=3"
#define B     "record=start pid=20 ppid=10 image_us=1100 starttime=6"
#define B_END "record=end pid=20 image_us=1100 starttime=6 end_us=1400 end_reason=exit exitcode=4"
#define OTHER "boot_id=boot-b hostname=n1"

static const char files[] = "SELECT file, host_id IS NULL, lines, rejected FROM load WHERE file "
			    "LIKE '%.tsv' ORDER BY file, id";

/* The longer version of a file takes the place of the shorter, whichever comes first. */
START_TEST(versions)
{
	struct test_job j;

	for (int turn = 0; turn < 2; turn++) {
		test_begin(&j);
		usual(&j);
		if (turn == 0) {
			test_records(&j, "n0-7.tsv", LINES(A, B));
			load(&j, 0, PM_LOAD_NEW);
			ck_assert_int_eq(j.result.lines, 2);
		}
		test_records(&j, "n0-7.tsv", LINES(A, B, B_END, A_END));
		load(&j, 0, turn ? PM_LOAD_NEW : PM_LOAD_REPLACED);
		ck_assert_int_eq(j.result.lines, 4);
		ck_assert_int_eq(j.result.processes, 2);
		ask(&j, files, "n0-7.tsv 0 4 0");
		test_records(&j, "n0-7.tsv", LINES(A, B, B_END));
		load(&j, 0, PM_LOAD_UNCHANGED);
		ask(&j, files, "n0-7.tsv 0 4 0");
		ask(&j,
		    "SELECT count(*) FROM content c LEFT JOIN load l ON l.id = c.load_id WHERE "
		    "l.id IS "
		    "NULL",
		    "0");
		/* Neither has all of the other. */
		test_records(&j, "n0-7.tsv", LINES(A, "record=start pid=30 ppid=10 image_us=1200"));
		load(&j, 0, PM_LOAD_APPENDED);
		ask(&j, files, "n0-7.tsv 0 4 0;n0-7.tsv 0 2 0");
		ask(&j, "SELECT pid, exitcode FROM process ORDER BY pid", "10 3;20 4;30 -");
		/* Under another name it is another file, whose lines count once. */
		test_records(&j, "n0-8.tsv", LINES(A, B));
		load(&j, 0, PM_LOAD_APPENDED);
		ask(&j, files, "n0-7.tsv 0 4 0;n0-7.tsv 0 2 0;n0-8.tsv 1 2 0");
		ask(&j, "SELECT count(*), (SELECT count(*) FROM reject) FROM process", "3 0");
		test_end(&j);
	}
}
END_TEST

/* A line that was cut, and is whole in the later version, leaves nothing. */
START_TEST(cut_lines)
{
	struct test_job j;
	char text[8192];
	size_t n = 0;

	test_begin(&j);
	usual(&j);
	n += test_line(text + n, sizeof text - n, A);
	n += test_line(text + n, sizeof text - n, A_END);
	test_file(&j, "n0-7.tsv", text, n - 20);
	load(&j, 1, PM_LOAD_NEW);
	ask(&j, files, "n0-7.tsv 0 2 1");
	ask(&j,
	    "SELECT file, line, reason, length(bytes) > 50, (SELECT rejected FROM job) FROM reject",
	    "n0-7.tsv 2 too few fields: the line is cut 1 1");
	test_file(&j, "n0-7.tsv", text, n);
	load(&j, 0, PM_LOAD_REPLACED);
	ask(&j, files, "n0-7.tsv 0 2 0");
	ask(&j, "SELECT count(*), (SELECT rejected FROM job) FROM reject", "0 0");
	/* One that is cut in the first line says nothing more. */
	test_file(&j, "n0-7.tsv", text, 30);
	load(&j, 0, PM_LOAD_UNCHANGED);
	test_end(&j);
}
END_TEST

/* Rejected lines are there once, however often they are read. */
START_TEST(rejected_lines)
{
	static const char want[] =
		"1 n0-7.tsv 2 record: not a kind of record;1 n0-7.tsv 4 a NUL byte";
	struct test_job j;
	char text[8192];
	size_t n = 0;

	test_begin(&j);
	usual(&j);
	n += test_line(text + n, sizeof text - n, A);
	n += test_line(text + n, sizeof text - n, A " record=x");
	n += test_line(text + n, sizeof text - n, B);
	memcpy(text + n, "a\0b\n", 4);
	test_file(&j, "n0-7.tsv", text, n + 4);
	load(&j, 1, PM_LOAD_NEW);
	ck_assert_int_eq(j.result.rejected, 2);
	ck_assert_int_eq(j.result.lines, 4);
	ask(&j, "SELECT job_id, file, line, reason FROM reject ORDER BY id", want);
	ask(&j, "SELECT hex(bytes) FROM reject WHERE line = 4", "610062");
	load(&j, 0, PM_LOAD_UNCHANGED);
	test_records(&j, "n0-8.tsv", LINES(B_END));
	load(&j, 0, PM_LOAD_APPENDED);
	ck_assert_int_eq(j.result.rejected, 0);
	ck_assert_int_eq(j.result.lines, 1);
	ask(&j, "SELECT job_id, file, line, reason FROM reject ORDER BY id", want);
	ask(&j, files, "n0-7.tsv 0 4 2;n0-8.tsv 0 1 0");
	ask(&j, "SELECT rejected, processes FROM job", "2 2");
	test_end(&j);
}
END_TEST

/* A late file costs the hosts that it is about; rows of others are left alone. */
START_TEST(hosts)
{
	struct test_job j;

	test_begin(&j);
	usual(&j);
	test_records(&j, "n0-7.tsv", LINES(A));
	test_records(&j, "n1-7.tsv", LINES(A " " OTHER));
	load(&j, 0, PM_LOAD_NEW);
	test_query(&j, "UPDATE process SET exename = 'untouched'");
	test_records(&j, "n1-8.tsv", LINES(A_END " " OTHER));
	load(&j, 0, PM_LOAD_APPENDED);
	ask(&j,
	    "SELECT h.hostname, p.exename, p.exitcode FROM process p JOIN host h ON h.id = "
	    "p.host_id "
	    "ORDER BY 1",
	    "n0 untouched -;n1 - 3");
	ask(&j,
	    "SELECT h.hostname, l.file FROM load l LEFT JOIN host h ON h.id = l.host_id ORDER BY 2",
	    "n0 job-n0.json;n1 job-n1.json;n0 n0-7.tsv;n1 n1-7.tsv;n1 n1-8.tsv");
	/* A host that is new. */
	test_records(&j, "n3-7.tsv",
		     LINES("record=start pid=10 ppid=1 image_us=1000 boot_id=boot-c "
			   "hostname=n3"));
	test_query(&j, "UPDATE process SET exename = 'untouched'");
	load(&j, 0, PM_LOAD_APPENDED);
	ask(&j,
	    "SELECT hosts, processes, (SELECT count(*) FROM process WHERE exename = 'untouched') "
	    "FROM job",
	    "3 3 2");
	/* One about both. */
	test_query(&j, "UPDATE process SET exename = 'untouched'");
	test_records(&j, "n2-7.tsv", LINES(B, B " " OTHER));
	load(&j, 0, PM_LOAD_APPENDED);
	ask(&j, "SELECT count(*), count(exename) FROM process", "5 1");
	ask(&j, "SELECT host_id, lines FROM load WHERE file = 'n2-7.tsv'", "- 2");
	/* And what is late then of either brings it along. */
	test_records(&j, "n0-8.tsv", LINES(B_END));
	test_records(&j, "n1-9.tsv", LINES("record=start pid=30 ppid=10 image_us=1200 " OTHER));
	load(&j, 0, PM_LOAD_APPENDED);
	ask(&j,
	    "SELECT h.hostname, p.pid, p.exitcode, p.depth FROM process p JOIN host h ON h.id = "
	    "p.host_id ORDER BY 1, 2",
	    "n0 10 - 0;n0 20 4 1;n1 10 3 0;n1 20 - 1;n1 30 - 1;n3 10 - 0");
	ask(&j, "SELECT hosts, processes FROM job", "3 6");
	test_end(&j);
}
END_TEST

/* Of two files that tell of one image differently the first by name counts, in whatever order they
 * come. */
START_TEST(order_of_names)
{
	static const char *const name[] = { "n0-2.tsv", "n0-3.tsv", "n0-1.tsv" };
	struct test_job j;

	for (int turn = 0; turn < 3; turn++) {
		test_begin(&j);
		usual(&j);
		for (int i = 0; i < 3; i++) {
			const char *n = name[(i + turn) % 3];
			char line[128];

			snprintf(line, sizeof line, A " exename=of%c", n[3]);
			test_records(&j, n, LINES(line));
			test_load(&j);
			ck_assert_int_ge(j.rc, 0);
		}
		ask(&j, "SELECT exename FROM process", "of1");
		ask(&j, "SELECT file, line FROM reject ORDER BY file", "n0-2.tsv 1;n0-3.tsv 1");
		test_end(&j);
	}
	/* Of one name and length their digests decide. */
	{
		char first[64];

		test_begin(&j);
		usual(&j);
		for (int i = 0; i < 2; i++) {
			test_records(&j, "n0-1.tsv",
				     i ? LINES(A " exename=y") : LINES(A " exename=x"));
			test_load(&j);
			ck_assert_int_ge(j.rc, 0);
		}
		snprintf(first, sizeof first, "%s", test_query(&j, "SELECT exename FROM process"));
		test_end(&j);
		test_begin(&j);
		usual(&j);
		for (int i = 0; i < 2; i++) {
			test_records(&j, "n0-1.tsv",
				     i ? LINES(A " exename=x") : LINES(A " exename=y"));
			test_load(&j);
			ck_assert_int_ge(j.rc, 0);
		}
		ask(&j, "SELECT exename FROM process", first);
		test_end(&j);
	}
}
END_TEST

/* Samples and marks that several versions have are there once. */
START_TEST(series)
{
	static const char head[] = "perfmon-series-1\tn0\tboot-a\t1000000\t.\n"
				   "series\t1\tcpu\tbusy\tcpu0\tpercent\tgauge\t.\n";
	static const char marks[] = "perfmon-phase-1\tn0\tboot-a\tbegin\tx\t1100\t200\t9\t.\n"
				    "perfmon-phase-1\tn0\tboot-a\tend\tx\t1200\t300\t9\t.\n";
	struct test_job j;
	char text[1024];

	test_begin(&j);
	usual(&j);
	for (int i = 1; i < 4; i++) {
		size_t n = (size_t)snprintf(text, sizeof text, "%s", head);

		for (int k = 1; k <= i; k++)
			n += (size_t)snprintf(text + n, sizeof text - n, "tick\t%d\t%d\t1=%d\t.\n",
					      1000 + k, k, 10 * k);
		test_file(&j, "n0.series", text, n);
		test_file(&j, "n0.phases", marks, i == 1 ? strlen(marks) / 2 + 1 : strlen(marks));
		load(&j, 0, i == 1 ? PM_LOAD_NEW : PM_LOAD_REPLACED);
		ask(&j, "SELECT count(*) FROM load WHERE file LIKE 'n0.%'", "2");
	}
	ask(&j, "SELECT count(*), sum(value) FROM sample", "3 60");
	ask(&j, "SELECT name, begin_us, end_us FROM phase", "x 1100 1200");
	/* The ticks under another name, beside one that is new. */
	snprintf(text, sizeof text, "%stick\t1001\t1\t1=10\t.\ntick\t1009\t9\t1=90\t.\n", head);
	drop(&j, "n0.series");
	test_file(&j, "n0-2.series", text, strlen(text));
	load(&j, 0, PM_LOAD_APPENDED);
	ask(&j, "SELECT count(*), sum(value) FROM sample", "4 150");
	test_end(&j);
}
END_TEST

/* Metadata that come behind the records make them their job; a host's own are put beside others. */
START_TEST(metadata_later)
{
	struct test_job j;

	test_begin(&j);
	test_records(&j, "n0-7.tsv", LINES(A " jobid=1 uid=7", A_END));
	load(&j, 1, PM_LOAD_NEW);
	ask(&j, "SELECT jobid, epoch_us, scheduler, problems LIKE '%no usable metadata%' FROM job",
	    "1 1000 - 1");
	meta(&j, "job-n0.json", "\"jobid\":\"1\",\"name\":\"x\"", "n0", "boot-a");
	test_load(&j);
	ask(&j, "SELECT jobid, epoch_us, scheduler, name, processes FROM job", "1 5 none x 1");
	ask(&j, "SELECT hostname, start_time_us, stop_time_us FROM host", "n0 900 2000");
	test_end(&j);
}
END_TEST

/* Series, marks and counts that are of no job are refused. */
START_TEST(parts_of_no_job)
{
	static const char text[] = "perfmon-series-1\tn0\tboot-a\t1000000\t.\n"
				   "series\t1\tcpu\tbusy\tcpu0\tpercent\tgauge\t.\n"
				   "tick\t1001\t1\t1=10\t.\n";
	struct test_job j;
	struct pm_load_options o = { .done = test_done, .ctx = &j };
	int trouble = 0;

	test_begin(&j);
	o.trouble = &trouble;
	test_file(&j, "n0.series", text, strlen(text));
	ck_assert_int_eq(pm_load_source(j.db, j.dir, &o, &j.e), -1);
	ck_assert_ptr_nonnull(
		strstr(j.e.text, "samples, marks or counts of no job in the database"));
	ck_assert_int_eq(trouble, 0);
	ask(&j, "SELECT count(*) FROM job", "0");
	drop(&j, "n0.series");
	ck_assert_int_eq(pm_load_source(j.db, j.dir, &o, &j.e), -1);
	ck_assert_ptr_nonnull(strstr(j.e.text, "no job in it"));
	test_end(&j);
}
END_TEST

static int is_current(struct test_job *j)
{
	int fd = open(j->dir, O_RDONLY | O_DIRECTORY), rc;

	ck_assert_int_ge(fd, 0);
	rc = pm_load_is_current(j->db, 1, fd);
	close(fd);
	return rc;
}

/* A tally with so many lost lines, 0 for none. */
static void tally(struct test_job *j, int64_t lost)
{
	struct pm_tally t = { .kind = { "lost", 4 }, .key = { "ENOSPC", 6 }, .values = 2 };
	char text[4 * PM_TALLY_SLOT];

	memset(text, ' ', sizeof text);
	for (int i = 1; i <= 4; i++)
		text[i * PM_TALLY_SLOT - 1] = '\n';
	memcpy(text, PM_TALLY_HEADER "\tn0\tboot-a\t.", strlen(PM_TALLY_HEADER) + 12);
	t.v[0] = t.v[1] = lost;
	if (lost)
		ck_assert_int_eq(pm_tally_format(text + 2 * PM_TALLY_SLOT, &t), 0);
	test_file(j, "n0-7.tally", text, sizeof text);
}

/* Whether a directory is loaded as it is, by what is in its files. */
START_TEST(current)
{
	struct test_job j;
	char path[128];

	test_begin(&j);
	usual(&j);
	test_records(&j, "n0\\7.tsv", LINES(A));
	load(&j, 0, PM_LOAD_NEW);
	ck_assert_int_eq(is_current(&j), 1);
	/* Metadata are compared elsewhere; a link is no file of the job. */
	meta(&j, "job-n2.json", "\"jobid\":\"1\"", "n2", "boot-c");
	snprintf(path, sizeof path, "%s/n9.tsv", j.dir);
	ck_assert_int_eq(symlink("job-n0.json", path), 0);
	ck_assert_int_eq(is_current(&j), 1);
	drop(&j, "n9.tsv");
	/* One that counts nothing says nothing. */
	tally(&j, 0);
	ck_assert_int_eq(is_current(&j), 1);
	tally(&j, 5);
	ck_assert_int_eq(is_current(&j), 0);
	test_load(&j);
	ck_assert_int_eq(is_current(&j), 1);
	tally(&j, 6);
	ck_assert_int_eq(is_current(&j), 0);
	tally(&j, 5);
	ck_assert_int_eq(is_current(&j), 1);
	test_file(&j, "n5.series", "x", 1);
	ck_assert_int_eq(is_current(&j), 0);
	drop(&j, "n5.series");
	/* The same size under another name. */
	test_records(&j, "n0-8.tsv", LINES(A));
	ck_assert_int_eq(is_current(&j), 0);
	test_end(&j);
}
END_TEST

/* --- which sources go together ------------------------------------------------------------------
 */

START_TEST(groups)
{
	static const struct {
		const char *job[4]; /* of each source */
		size_t group[4];
	} c[] = {
		{ { "\"jobid\":\"1\"", "\"jobid\":\"1\"", "\"jobid\":\"2\"", "\"jobid\":\"1\"" },
		  { 0, 0, 2, 0 } },
		{ { "\"jobid\":\"1\"", "\"jobid\":\"2\"", "\"jobid\":\"2\"", "\"jobid\":\"3\"" },
		  { 0, 1, 1, 3 } },
		{ { "\"jobid\":\"1\"", "\"jobid\":\"1\",\"cluster\":\"c\"",
		    "\"jobid\":\"1\",\"array_task\":\"2\"", "\"jobid\":\"1\",\"restart_count\":3" },
		  { 0, 1, 2, 3 } },
		{ { "\"jobid\":\"1\",\"restart_count\":0", "\"jobid\":\"1\",\"cluster\":\"\"",
		    "\"jobid\":\"1\",\"array_task\":\"\"", "\"jobid\":\"1\",\"name\":\"x\"" },
		  { 0, 0, 0, 0 } },
	};
	struct test_job j;

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		const char *path[5];
		char dir[5][128];
		struct pm_load_set set;

		test_begin(&j);
		for (int k = 0; k < 4; k++) {
			char name[64];

			snprintf(dir[k], sizeof dir[k], "%s/%d", j.dir, k);
			ck_assert_int_eq(mkdir(dir[k], 0700), 0);
			snprintf(name, sizeof name, "%d/job-n%d.json", k, k);
			meta(&j, name, c[i].job[k], "n0", "boot-a");
			path[k] = dir[k];
		}
		path[4] = PM_OPERAND_INPUT;
		ck_assert_int_eq(pm_load_set_init(&set, path, 5, &j.e), 0);
		ck_assert_int_eq(pm_load_group(&set, &j.e), 0);
		for (size_t k = 0; k < 4; k++) {
			ck_assert_msg(set.group[k] == c[i].group[k], "%zu: %zu", i, k);
			ck_assert_uint_eq(set.place[k].source, k);
			ck_assert_str_eq(set.place[k].directory, dir[k]);
		}
		ck_assert_uint_eq(set.group[4], 4);
		ck_assert_uint_eq(set.places, 4);
		pm_load_set_free(&set);
		test_end(&j);
	}
}
END_TEST

/* An archive of two jobs makes one group of what has either. */
START_TEST(groups_over_archives)
{
	struct pm_load_set set;
	const char *path[4];
	char dir[4][128], text[512];
	struct test_job j;

	test_begin(&j);
	for (int k = 0; k < 3; k++) {
		char name[64], job[32];

		snprintf(dir[k], sizeof dir[k], "%s/%d", j.dir, k);
		ck_assert_int_eq(mkdir(dir[k], 0700), 0);
		snprintf(name, sizeof name, "%d/job-n0.json", k);
		snprintf(job, sizeof job, "\"jobid\":\"%d\"", k);
		meta(&j, name, job, "n0", "boot-a");
	}
	snprintf(text, sizeof text, "cd %s && tar -cf all.tar 1 2", j.dir);
	ck_assert_int_eq(system(text), 0);
	snprintf(dir[3], sizeof dir[3], "%s/all.tar", j.dir);
	for (int k = 0; k < 4; k++)
		path[k] = dir[k];
	ck_assert_int_eq(pm_load_set_init(&set, path, 4, &j.e), 0);
	ck_assert_int_eq(pm_load_group(&set, &j.e), 0);
	ck_assert(set.group[0] == 0 && set.group[1] == 1 && set.group[2] == 1 && set.group[3] == 1);
	ck_assert_uint_eq(set.places, 5);
	pm_load_set_free(&set);
	test_end(&j);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit/merge.c and merge_parts.c");
	TCase *t = tcase_create("late");

	tcase_add_test(t, versions);
	tcase_add_test(t, cut_lines);
	tcase_add_test(t, rejected_lines);
	tcase_add_test(t, hosts);
	tcase_add_test(t, order_of_names);
	tcase_add_test(t, series);
	tcase_add_test(t, metadata_later);
	tcase_add_test(t, parts_of_no_job);
	tcase_add_test(t, current);
	tcase_add_test(t, groups);
	tcase_add_test(t, groups_over_archives);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
