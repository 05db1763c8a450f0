/* db/userdays.c: totals of users by day stay right while jobs come, change and go. */
#include "config.h"

#include "db/userdays.h"
#include "tests/unit/main.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY ((int64_t)86400 * 1000000)

static struct pm_db *db;
static struct pm_userdays days;
static struct pm_err e;

static void make(void)
{
	ck_assert_msg(pm_db_open(&db, "", PM_DB_MEMORY, &e) == 0, "%s", e.text);
}

static void unmake(void)
{
	pm_userdays_free(&days);
	pm_db_close(db);
}

static void run(const char *sql)
{
	ck_assert_msg(pm_db_exec(db, sql, &e) == 0, "%s: %s", sql, e.text);
}

static void note(int64_t job, int sign)
{
	ck_assert_msg(pm_userdays_note(&days, db, job, sign, &e) == 0, "%s", e.text);
}

static int count_fault(void *ctx, const struct pm_userdays_fault *f, struct pm_err *why)
{
	(void)why;
	fprintf(stderr, "%s %s %lld: %s %lld, %lld\n", f->cluster, f->user,
		(long long)(f->day_us / DAY), f->column, (long long)f->stored.v,
		(long long)f->expected.v);
	++*(int *)ctx;
	return 0;
}

static int faults(void)
{
	int n = 0;

	ck_assert_msg(pm_userdays_verify(db, count_fault, &n, &e) == 0, "%s", e.text);
	return n;
}

static void apply(void)
{
	ck_assert_msg(pm_userdays_apply(&days, db, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(days.n, 0);
	ck_assert_int_eq(faults(), 0);
}

/* A new job; the values are SQL. */
static void job(int id, const char *user, const char *start_us, const char *cpu_time,
		const char *cpus)
{
	char sql[512];

	snprintf(sql, sizeof sql,
		 "INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, "
		 "epoch_us, "
		 "start_us, processes, cpu_time, duration_us, cpus, rchar) VALUES (%d, 'c', '%s', "
		 "'%d', '', 0, 0, %s, %d, %s, 10, %s, 5)",
		 id, user, id, start_us, id, cpu_time, cpus);
	run(sql);
	note(id, 1);
}

/* A job is deleted. */
static void gone(int id)
{
	char sql[64];

	note(id, -1);
	snprintf(sql, sizeof sql, "DELETE FROM job WHERE id = %d", id);
	run(sql);
}

/* The rows of a query of texts. */
static const char *said(const char *sql)
{
	static char text[1024];
	struct pm_stmt *q;
	size_t len = 0;

	text[0] = '\0';
	ck_assert_msg(pm_db_prepare(db, sql, &q, &e) == 0, "%s", e.text);
	while (pm_db_step(q, &e) > 0)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s;",
					pm_db_text(q, 0, NULL));
	pm_db_finish(q);
	return text;
}

#define ROWS                                                                                       \
	said("SELECT \"user\" || ' ' || (day_us / 86400000000) || ' ' || jobs || ' ' || failed "   \
	     "|| "                                                                                 \
	     "' ' || processes || ' ' || coalesce(cpu_time, '-') || '/' || cpu_time_jobs || ' ' "  \
	     "|| coalesce(allocated_us, '-') || '/' || allocated_us_jobs FROM user_day ORDER BY "  \
	     "\"user\", day_us")

START_TEST(jobs_come_change_and_go)
{
	job(1, "ann", "86400000001", "7", "2");
	job(2, "ann", "86400000002", "NULL", "NULL");
	job(3, "bob", "5", "8", "1");
	job(4, "bob", "NULL", "9", "1"); /* the epoch is 0 */
	apply();
	ck_assert_str_eq(ROWS, "ann 1 2 0 3 7/1 20/1;bob 0 2 0 7 17/2 20/2;");
	note(1, -1);
	note(3, -1);
	run("UPDATE job SET cpu_time = 100, exit_status = 1 WHERE id = 1;"
	    "UPDATE job SET start_us = 86400000000 WHERE id = 3");
	note(1, 1);
	note(3, 1);
	apply();
	ck_assert_str_eq(ROWS, "ann 1 2 1 3 100/1 20/1;bob 0 1 0 4 9/1 10/1;bob 1 1 0 3 8/1 10/1;");
	gone(1);
	gone(4);
	apply();
	/* What no job knows is unknown, and a day without jobs is none. */
	ck_assert_str_eq(ROWS, "ann 1 1 0 2 -/0 -/0;bob 1 1 0 3 8/1 10/1;");
	gone(2);
	gone(3);
	note(99, -1);
	apply();
	ck_assert_str_eq(ROWS, "");
}
END_TEST

/* Of a range of jobs at once, sums beyond a number among them. */
START_TEST(jobs_go_together)
{
	job(1, "ann", "86400000001", "7", "2");
	job(2, "ann", "86400000002", "NULL", "NULL");
	job(3, "bob", "5", "9000000000000000000", "1");
	job(4, "bob", "NULL", "9000000000000000000", "1");
	job(5, "bob", "6", "8", "1");
	job(6, "ann", "86400000003", "10", "1");
	apply();
	ck_assert_str_eq(ROWS, "ann 1 3 0 9 17/2 30/2;bob 0 3 0 12 -/3 30/3;");
	ck_assert_int_eq(pm_userdays_note_range(&days, db, 2, 4, &e), 0);
	run("DELETE FROM job WHERE id BETWEEN 2 AND 4");
	apply();
	ck_assert_str_eq(ROWS, "ann 1 2 0 7 17/2 30/2;bob 0 1 0 5 8/1 10/1;");
	ck_assert_int_eq(pm_userdays_note_range(&days, db, 7, 9, &e), 0);
	apply();
	ck_assert_int_eq(pm_userdays_note_range(&days, db, 1, 9, &e), 0);
	run("DELETE FROM job");
	apply();
	ck_assert_str_eq(ROWS, "");
}
END_TEST

/* A row that does not change is not written, and so not locked. */
START_TEST(no_change_writes_nothing)
{
	job(1, "ann", "1", "7", "2");
	apply();
	run("CREATE TRIGGER t BEFORE UPDATE ON user_day BEGIN SELECT raise(ABORT, 'written'); END;"
	    "CREATE TRIGGER u BEFORE INSERT ON user_day BEGIN SELECT raise(ABORT, 'written'); END");
	note(1, -1);
	note(1, 1);
	apply();
	note(1, -1);
	run("UPDATE job SET cpu_time = 8");
	note(1, 1);
	ck_assert_int_eq(pm_userdays_apply(&days, db, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "written"));
}
END_TEST

/* In one order, whatever the order of jobs: else two transactions may wait for each other. */
START_TEST(rows_are_written_in_one_order)
{
	run("CREATE TABLE seen (n INTEGER PRIMARY KEY, key TEXT);"
	    "CREATE TRIGGER t AFTER INSERT ON user_day BEGIN INSERT INTO seen (key) VALUES "
	    "(new.\"user\" || (new.day_us / 86400000000)); END");
	job(1, "b", "1", "7", "2");
	job(2, "a", "86400000001", "7", "2");
	job(3, "c", "1", "7", "2");
	job(4, "a", "1", "7", "2");
	apply();
	ck_assert_str_eq(said("SELECT key FROM seen ORDER BY n"), "a0;a1;b0;c0;");
}
END_TEST

/* A sum out of range is unknown until the job that makes it so goes. */
START_TEST(sums_out_of_range)
{
	job(1, "ann", "1", "9000000000000000000", "NULL");
	job(2, "ann", "2", "100", "NULL");
	apply();
	ck_assert_str_eq(ROWS, "ann 0 2 0 3 9000000000000000100/2 -/0;");
	job(3, "ann", "2", "9000000000000000000", "9223372036854775807");
	apply();
	ck_assert_str_eq(ROWS, "ann 0 3 0 6 -/3 -/0;");
	job(4, "ann", "2", "1", "NULL");
	apply();
	ck_assert_str_eq(ROWS, "ann 0 4 0 10 -/4 -/0;");
	gone(1);
	apply();
	ck_assert_str_eq(ROWS, "ann 0 3 0 9 9000000000000000101/3 -/0;");
	gone(3);
	apply();
	ck_assert_str_eq(ROWS, "ann 0 2 0 6 101/2 -/0;");
	job(5, "ann", "2", "9223372036854775807", "NULL");
	apply();
	ck_assert_str_eq(ROWS, "ann 0 3 0 11 -/3 -/0;");
	gone(5);
	apply();
	ck_assert_str_eq(ROWS, "ann 0 2 0 6 101/2 -/0;");
	/* Of one transaction. */
	job(6, "ann", "3", "9000000000000000000", "NULL");
	job(7, "ann", "3", "9000000000000000000", "NULL");
	apply();
	ck_assert_str_eq(ROWS, "ann 0 4 0 19 -/4 -/0;");
	gone(6);
	gone(7);
	apply();
	ck_assert_str_eq(ROWS, "ann 0 2 0 6 101/2 -/0;");
}
END_TEST

START_TEST(an_empty_table_is_filled)
{
	job(1, "ann", "1", "9000000000000000000", "NULL");
	job(2, "ann", "2", "9000000000000000000", "3");
	job(3, "bob", "2", "NULL", "NULL");
	pm_userdays_free(&days);
	ck_assert_int_gt(faults(), 0);
	ck_assert_msg(pm_userdays_fill(db, &e) == 0, "%s", e.text);
	ck_assert_int_eq(faults(), 0);
	ck_assert_str_eq(ROWS, "ann 0 2 0 3 -/2 30/1;bob 0 1 0 3 -/0 -/0;");
}
END_TEST

/* 3000 random changes of jobs of few users and days. */
START_TEST(at_random)
{
	uint32_t seed = 1;

	for (int i = 0; i < 3000; i++) {
		char start[32], cpu[32];
		int id;

		seed = seed * 1103515245 + 12345;
		id = 1 + (int)(seed >> 16) % 12;
		gone(id);
		snprintf(start, sizeof start, "%" PRId64, (int64_t)(seed % 3) * DAY + 5);
		snprintf(cpu, sizeof cpu, "%" PRId64,
			 seed % 5 == 0 ? INT64_C(4000000000000000000) : (int64_t)(seed % 1000));
		if (seed % 7 != 0)
			job(id, seed % 2 ? "ann" : "bob", start, seed % 11 == 0 ? "NULL" : cpu,
			    seed % 4 ? "4" : "NULL");
		if (seed % 3 == 0)
			apply();
	}
	apply();
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		jobs_come_change_and_go,
		jobs_go_together,
		no_change_writes_nothing,
		rows_are_written_in_one_order,
		sums_out_of_range,
		an_empty_table_is_filled,
		at_random,
	};
	Suite *s = suite_create("db_userdays");
	TCase *t = tcase_create("userdays");

	tcase_add_checked_fixture(t, make, unmake);
	tcase_set_timeout(t, 120);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
