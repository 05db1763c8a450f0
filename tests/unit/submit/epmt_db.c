/* Processes of EPMT in all forms that its databases have had, and jobs in a database. */
#include "config.h"

#include "common/log.h"
#include "db/db.h"
#include "submit/foreign/epmt_db.h"
#include "submit/foreign/epmt_rows.h"
#include "tests/unit/main.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- rows of processes ------------------------------------------------------------------------ */

static char got[65536];
static size_t got_n;

static int begin(void *ctx, const char *path, struct pm_err *e)
{
	(void)ctx;
	(void)e;
	got_n += (size_t)snprintf(got + got_n, sizeof got - got_n, "[%s]\n", path);
	return 1;
}

static int data(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	(void)ctx;
	(void)e;
	got_n += (size_t)snprintf(got + got_n, sizeof got - got_n, "%.*s", (int)n, p);
	return 0;
}

static int end(void *ctx, bool whole, struct pm_err *e)
{
	(void)ctx;
	(void)e;
	got_n += (size_t)snprintf(got + got_n, sizeof got - got_n, "[%s]\n",
				  whole ? "whole" : "cut");
	return 0;
}

static const struct pm_archive_sink sink = { .begin = begin, .data = data, .end = end };

#define NAMES                                                                                      \
	"tags,hostname,exename,path,args,exitcode,exitsignal,pid,ppid,pgid,sid,numtids,"           \
	"mpinumranks,tid,mpirank,start,end"

START_TEST(rows)
{
	static const struct {
		const char *column, *tags, *threads, *sums, *want;
	} c[] = {
		/* objects; what the first thread says goes before the table, but for odd times */
		{ "{\"pid\":\"1\",\"start\":\"50\",\"end\":60,\"args\":\"x\",\"path\":\"/t\"}",
		  "{}",
		  "[{\"pid\":7,\"start\":0,\"end\":-1,\"tid\":8,\"args\":\"\",\"path\":null,\"A\":"
		  "1,"
		  "\"generation\":2,\"finish\":3},{\"tid\":9,\"start\":5,\"A\":2}]",
		  NULL, NAMES ",A\n,,,/t,x,,,7,,,,2,,8,,50,60,1\n,,,,,,,,,,,,,9,,5,,2\n" },
		{ "{}", "{}", "[{\"pid\":1,\"start\":0,\"A\":5}]", NULL,
		  NAMES ",A\n,,,,,,,1,,,,1,,,,0,,5\n" },
		/* texts with what separates; reals that are whole, and not; other types */
		{ "{}", "{\"a\":\"b\",\"n\":5,\"c\":\"d\"}",
		  "[{\"args\":\"a,b\\\\\\n\\t\\r\\\"c\",\"A\":5.0,\"B\":5.5,\"C\":1e18,\"D\":true,"
		  "\"E\":[1],\"F\":-3}]",
		  NULL,
		  NAMES ",A,B,C,D,E,F\na:b;n:5;c:d,,,,a\\,b\\\\\\n\\t\\r\"c,,,,,,,1,,,,,,5,5.5,"
			"1000000000000000000,,,-3\n" },
		/* what pandas makes of it */
		{ "{}", "{}",
		  "{\"columns\":[\"pid\",\"tid\",\"A\",5],\"index\":[0,1],\"data\":[[1,2,3,4],["
		  "\"\",3,4],"
		  "[\"\",5]]}",
		  NULL,
		  NAMES ",A\n,,,,,,,1,,,,3,,2,,,,3\n,,,,,,,,,,,,,3,,,,4\n,,,,,,,,,,,,,5,,,,\n" },
		/* a flat list */
		{ "{\"pid\":\"1\"}", "{}", "[1,2,3,4,5]", NULL,
		  NAMES
		  ",A,B\n,,,,,,,1,,,,3,,,,,,1,2\n,,,,,,,,,,,,,,,,,3,4\n,,,,,,,,,,,,,,,,,5,\n" },
		/* sums alone: of several threads the largest is not in them */
		{ "{\"pid\":\"1\",\"numtids\":\"2\"}", "{}", NULL, "{\"A\":1,\"rssmax\":2}",
		  NAMES ",A\n,,,,,,,1,,,,,,,,,,1\n" },
		{ "{\"pid\":\"1\",\"numtids\":\"1\"}", "{}", "[]", "{\"A\":1,\"rssmax\":2}",
		  NAMES ",A,rssmax\n,,,,,,,1,,,,1,,,,,,1,2\n" },
		{ "{\"pid\":\"1\"}", "{}", NULL, "{\"A\":1,\"rssmax\":2}",
		  NAMES ",A\n,,,,,,,1,,,,,,,,,,1\n" },
		{ "{\"pid\":\"1\"}", NULL, "5", NULL, NAMES "\n,,,,,,,1,,,,,,,,,\n" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		struct pm_epmt_rows w = { .sink = &sink, .metrics = "A,B" };
		struct pm_epmt_process p = { json_loads(c[i].column, 0, NULL),
					     pm_epmt_rows_json(c[i].tags),
					     pm_epmt_rows_json(c[i].threads),
					     pm_epmt_rows_json(c[i].sums) };
		struct pm_err e;

		got_n = 0;
		ck_assert_int_eq(pm_epmt_rows_write(&w, &p, &e), 0);
		ck_assert_msg(strcmp(got, c[i].want) == 0, "%zu: %s", i, got);
		/* The same names are not written again. */
		got_n = 0;
		ck_assert_int_eq(pm_epmt_rows_write(&w, &p, &e), 0);
		ck_assert_str_eq(got, strchr(c[i].want, '\n') + 1);
		json_decref(p.column);
		json_decref(p.tags);
		json_decref(p.threads);
		json_decref(p.sums);
		pm_epmt_rows_free(&w);
	}
}
END_TEST

/* Names are written where they are others than those of the process before. */
START_TEST(names_of_rows)
{
	struct pm_epmt_rows w = { .sink = &sink };
	static const char *const sums[] = { "{\"A\":1}", "{\"A\":2}", "{\"B\":3}", "{\"A\":4}" };

	got_n = 0;
	for (size_t i = 0; i < 4; i++) {
		struct pm_epmt_process p = { json_object(), NULL, NULL,
					     pm_epmt_rows_json(sums[i]) };
		struct pm_err e;

		ck_assert_int_eq(pm_epmt_rows_write(&w, &p, &e), 0);
		json_decref(p.column);
		json_decref(p.sums);
	}
	ck_assert_str_eq(got, NAMES ",A\n,,,,,,,,,,,,,,,,,1\n,,,,,,,,,,,,,,,,,2\n" NAMES
				    ",B\n,,,,,,,,,,,,,,,,,3\n" NAMES ",A\n,,,,,,,,,,,,,,,,,4\n");
	pm_epmt_rows_free(&w);
}
END_TEST

/* JSON as Python writes it. */
START_TEST(json)
{
	static const struct {
		const char *text, *want; /* NULL: none */
	} c[] = {
		{ "[1]", "[1]" },
		{ "\"[1]\"", "[1]" },
		{ "[NaN,Infinity,-Infinity,1]", "[\"\",null,null,1]" },
		{ "[\"NaN\",\"a\\\"NaN\",NaN]", "[\"NaN\",\"a\\\"NaN\",\"\"]" },
		{ "[\"\\\\\",NaN]", "[\"\\\\\",\"\"]" },
		{ "\"{\\\"a\\\":NaN}\"", "{\"a\":\"\"}" },
		{ "[99999999999999999999]", "[1e20]" },
		{ "5", "5" },
		{ "\"x\"", NULL },
		{ "[", NULL },
		{ "", NULL },
		{ NULL, NULL },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		json_t *v = pm_epmt_rows_json(c[i].text);
		char *text = v ? json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

		if (text && strstr(text, "e20"))
			ck_assert_double_eq(json_real_value(json_array_get(v, 0)), 1e20);
		else if (c[i].want)
			ck_assert_pstr_eq(text, c[i].want);
		else
			ck_assert_ptr_null(v);
		free(text);
		json_decref(v);
	}
}
END_TEST

START_TEST(starts)
{
	static const struct {
		const char *threads;
		int64_t want;
	} c[] = {
		{ "[{\"start\":5},{\"start\":6}]", 5 },
		{ "{\"columns\":[\"pid\",\"start\"],\"data\":[[1,7],[2,8]]}", 7 },
		{ "[{\"pid\":5}]", 0 },
		{ "[1,2]", 0 },
		{ "5", 0 },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		json_t *threads = pm_epmt_rows_json(c[i].threads);

		ck_assert_int_eq(pm_epmt_rows_start(threads), c[i].want);
		json_decref(threads);
	}
}
END_TEST

/* --- databases -------------------------------------------------------------------------------- */

static void sql(const char *statement)
{
	struct pm_db *db;
	struct pm_err e;

	ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_WRITE, &e) == 0, "%s", e.text);
	ck_assert_msg(pm_db_exec(db, statement, &e) == 0, "%s", e.text);
	pm_db_close(db);
}

#define TABLES                                                                                     \
	"CREATE TABLE jobs (jobid, user_id, start, \"end\", submit, exitcode, info_dict, "         \
	"env_dict);"                                                                               \
	"CREATE TABLE processes (id, jobid, threads_df, start, \"end\", host_id, pid);"

/* What the next job is handed on as. */
static const char *next(struct pm_epmt_db *x)
{
	struct pm_err e;

	got_n = 0;
	got[0] = '\0';
	ck_assert_int_eq(pm_epmt_db_next(x, &e), 1);
	if (pm_epmt_db_read(x, &sink, &e) < 0)
		snprintf(got, sizeof got, "%s", e.text);
	return got;
}

/* Times are as a clock showed them; which zone it was in, processes tell, else the job does. */
START_TEST(database_times)
{
	static const struct {
		const char *start, *zone, *process, *threads;
		const char *want; /* epoch_us */
	} c[] = {
		{ "2023-11-14 22:13:20", "UTC", NULL, NULL, "1700000000000000" },
		{ "2023-11-14T22:13:20", "UTC", NULL, NULL, "1700000000000000" },
		{ "2023-11-14 22:13:20.5", "UTC", NULL, NULL, "1700000000500000" },
		{ "2023-11-14 22:13:20.000012", "UTC", NULL, NULL, "1700000000000012" },
		{ "2023-11-14 22:13:20.0000129", "UTC", NULL, NULL, "1700000000000012" },
		{ "2024-02-29 00:00:60", "UTC", NULL, NULL, "1709164860000000" },
		{ "2023-11-14 22:13:20", "UTC-05:00", NULL, NULL, "1700018000000000" },
		{ "2023-11-14 22:13:20", "UTC+05:30", NULL, NULL, "1699980200000000" },
		{ "2023-11-14 22:13:20", "EST", NULL, NULL, "1700018000000000" },
		{ "2023-11-14 22:13:20", "UTC-05:", NULL, NULL, "1700000000000000" },
		{ "2023-11-14 22:13:20", "UTC*05:00", NULL, NULL, "1700000000000000" },
		{ "2023-11-14 22:13:20", "UTC-05:00x", NULL, NULL, "1700000000000000" },
		/* by a process, to the minute */
		{ "2023-11-14 22:13:20", "UTC", "2023-11-14 22:13:20",
		  "[{\"start\":1700018000000000}]", "1700018000000000" },
		{ "2023-11-14 22:13:20", "UTC", "2023-11-14 22:13:49",
		  "[{\"start\":1700018000000000}]", "1700018000000000" },
		{ "2023-11-14 22:13:20", "UTC", "2023-11-14 22:12:51",
		  "[{\"start\":1700018000000000}]", "1700018000000000" },
		{ "2023-11-14 22:13:20", "UTC", "2023-11-14 22:13:49",
		  "[{\"start\":1699980200000000}]", "1699980200000000" },
		{ "2023-11-14 22:13:20", "UTC", "2023-11-14 22:12:51",
		  "[{\"start\":1699980200000000}]", "1699980200000000" },
		{ "2023-11-14 22:13:20", "UTC-01:00", "x", "[{\"start\":1699980200000000}]",
		  "1700003600000000" },
		{ "2023-11-14 22:13:20", "UTC-01:00", "2023-11-14 22:13:20", "[{\"pid\":1}]",
		  "1700003600000000" },
		/* none */
		{ "2023-11-14 22:13", "UTC", NULL, NULL, "" },
		{ "2023-11-14x22:13:20", "UTC", NULL, NULL, "" },
		{ "2023-13-14 22:13:20", "UTC", NULL, NULL, "" },
		{ "2023-00-14 22:13:20", "UTC", NULL, NULL, "" },
		{ "2023-11-32 22:13:20", "UTC", NULL, NULL, "" },
		{ "2023-11-00 22:13:20", "UTC", NULL, NULL, "" },
		{ "2023-11-14 24:13:20", "UTC", NULL, NULL, "" },
		{ "2023-11-14 22:60:20", "UTC", NULL, NULL, "" },
		{ "2023-11-14 22:13:61", "UTC", NULL, NULL, "" },
		{ "2023-11-14 22:13:20.5x", "UTC", NULL, NULL, "" },
		{ "2023-11-14 22:13:20Z", "UTC", NULL, NULL, "" },
		{ "", "UTC", NULL, NULL, "" },
	};
	static char text[32768] = TABLES;
	struct pm_epmt_db *x;
	struct pm_err e;
	size_t n = strlen(text);

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		n += (size_t)snprintf(text + n, sizeof text - n,
				      "INSERT INTO jobs (jobid, start, info_dict) VALUES ('%02zu', "
				      "'%s', '{\"tz\":\"%s\"}');",
				      i, c[i].start, c[i].zone);
		if (c[i].process)
			n += (size_t)snprintf(
				text + n, sizeof text - n,
				"INSERT INTO processes (id, jobid, threads_df, start) "
				"VALUES (%zu, '%02zu', '%s', '%s');",
				i, i, c[i].threads, c[i].process);
	}
	pm_log_level = -1;
	setenv("TZ", "UTC0", 1);
	setenv("TZDIR", "/nonexistent", 1);
	sql(text);
	x = pm_epmt_db_open("x.db", &e);
	ck_assert_msg(x != NULL, "%s", e.text);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		const char *at = strstr(next(x), "\"epoch_us\":");
		size_t digits = at ? strspn(at + 11, "0123456789") : 0;

		ck_assert_msg(digits == strlen(c[i].want) &&
				      (!at || memcmp(at + 11, c[i].want, digits) == 0),
			      "%s %s: %s", c[i].start, c[i].zone, got);
	}
	ck_assert_int_eq(pm_epmt_db_next(x, &e), 0);
	pm_epmt_db_close(x);
}
END_TEST

START_TEST(database_jobs)
{
	struct pm_epmt_db *x;
	struct pm_err e;

	pm_log_level = -1;
	sql(TABLES
	    "INSERT INTO jobs (jobid, user_id, start, \"end\", exitcode, info_dict, env_dict) "
	    "VALUES ('.a/b.', 'u', '2023-11-14 22:13:20', '2023-11-14 22:13:21', 3, "
	    "'{\"tz\":\"UTC\",\"status\":{\"script_name\":\"s\",\"exit_reason\":\"r\"}}', '{}');"
	    "INSERT INTO processes (id, jobid, start, \"end\", host_id, pid) VALUES "
	    "(2, '.a/b.', '2023-11-14 22:13:20.5', NULL, 'n2', 8),"
	    "(1, '.a/b.', NULL, '2023-11-14 22:13:20.5', 'n1', 7),"
	    "(0, '.a/b.', NULL, NULL, NULL, 6), (3, '', NULL, NULL, NULL, 5);"
	    "INSERT INTO jobs (jobid) VALUES (''), (NULL), ('z' || char(10));");
	x = pm_epmt_db_open("x.db", &e);
	ck_assert_msg(x != NULL, "%s", e.text);
	ck_assert_str_eq(next(x), "a job without an id");
	ck_assert_str_eq(next(x), "a job without an id");
	ck_assert_str_eq(
		next(x),
		"[_a_b./job-epmt.json]\n{\"format\":\"perfmon-job-1\",\"job\":{\"jobid\":\".a/b.\","
		"\"user\":\"u\",\"script\":\"s\",\"epoch_us\":1700000000000000,\"facts\":{"
		"\"exit_reason\":\"r\"}},\"host\":{\"hostname\":\"n1\"},\"start\":{\"time_us\":"
		"1700000000000000,\"environment\":{}},\"stop\":{\"time_us\":1700000001000000,"
		"\"exit_status\":3}}[whole]\n"
		"[_a_b./papiex.csv]\n" NAMES
		"\n,,,,,,,6,,,,,,,,,\n,n1,,,,,,7,,,,,,,,,1700000000500000\n"
		",n2,,,,,,8,,,,,,,,1700000000500000,\n[whole]\n");
	ck_assert_str_eq(next(x), "[z_/job-epmt.json]\n{\"format\":\"perfmon-job-1\",\"job\":{"
				  "\"jobid\":\"z\\n\"}}[whole]\n[z_/papiex.csv]\n[whole]\n");
	ck_assert_int_eq(pm_epmt_db_next(x, &e), 0);
	pm_epmt_db_close(x);
}
END_TEST

/* Both tables must be there, and be tables. */
START_TEST(database_of_something_else)
{
	static const char *const c[] = {
		"CREATE TABLE jobs (jobid)",
		"CREATE TABLE processes (id, jobid, threads_df)",
		"CREATE TABLE jobs (jobid); CREATE VIEW processes AS SELECT 1 AS id, 2 AS jobid, 3 "
		"AS "
		"threads_df",
		"CREATE TABLE jobs (jobid); CREATE TABLE processes (id, jobid)",
		"CREATE TABLE jobs (x); CREATE TABLE processes (id, jobid, threads_df)",
	};
	struct pm_err e;
	int fd;

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		sql(c[i]);
		ck_assert_ptr_null(pm_epmt_db_open("x.db", &e));
		ck_assert_int_eq(strncmp(e.text, "x.db: not a database of EPMT: ", 30), 0);
		fd = open("x.db", O_RDONLY | O_CLOEXEC);
		ck_assert_int_eq(pm_epmt_db_is(fd), 1);
		close(fd);
		ck_assert_int_eq(unlink("x.db"), 0);
	}
	ck_assert_ptr_null(pm_epmt_db_open("none.db", &e));
	fd = open("text", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(write(fd, "SQLite format 3", 15), 15);
	ck_assert_int_eq(pm_epmt_db_is(fd), 0);
	ck_assert_int_eq(write(fd, "", 1), 1);
	ck_assert_int_eq(pm_epmt_db_is(fd), 1);
	ck_assert_int_eq(pwrite(fd, "x", 1, 14), 1);
	ck_assert_int_eq(pm_epmt_db_is(fd), 0);
	close(fd);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit/foreign/epmt_rows.c and epmt_db.c");
	TCase *t = tcase_create("rows"), *d = tcase_create("databases");

	tcase_add_test(t, rows);
	tcase_add_test(t, names_of_rows);
	tcase_add_test(t, json);
	tcase_add_test(t, starts);
	suite_add_tcase(s, t);
	tcase_add_checked_fixture(d, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(d, database_times);
	tcase_add_test(d, database_jobs);
	tcase_add_test(d, database_of_something_else);
	suite_add_tcase(s, d);
	return s;
}

PM_UNIT_MAIN(suite)
