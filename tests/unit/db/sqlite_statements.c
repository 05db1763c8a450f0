/* Statements that are used again, and foreign keys beside bulk inserts. */
#include "config.h"

#include "db/db.h"
#include "tests/unit/main.h"

#include <inttypes.h>
#include <stdio.h>

static struct pm_db *open_database(void)
{
	struct pm_db *db;
	struct pm_err e = { "" };

	ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_WRITE, &e) == 0, "%s", e.text);
	return db;
}

static struct pm_stmt *prepare(struct pm_db *db, const char *sql)
{
	struct pm_stmt *q;
	struct pm_err e = { "" };

	ck_assert_msg(pm_db_prepare(db, sql, &q, &e) == 0, "%s", e.text);
	return q;
}

static int64_t number(struct pm_db *db, const char *sql)
{
	struct pm_stmt *q = prepare(db, sql);
	struct pm_err e = { "" };
	int64_t n;

	ck_assert_msg(pm_db_step(q, &e) == 1, "%s", e.text);
	n = pm_db_int(q, 0);
	pm_db_finish(q);
	return n;
}

START_TEST(a_statement_that_is_used_again_knows_nothing_of_before)
{
	static const char sql[] = "SELECT coalesce(?, 'nothing')";
	struct pm_db *db = open_database();
	struct pm_stmt *q = prepare(db, sql), *other;
	struct pm_err e = { "" };

	pm_db_bind_str(q, 1, "some");
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	pm_db_finish(q);
	q = prepare(db, sql);
	other = prepare(db, sql);
	pm_db_bind_str(other, 1, "other");
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	ck_assert_int_eq(pm_db_step(other, &e), 1);
	ck_assert_str_eq(pm_db_text(q, 0, NULL), "nothing");
	ck_assert_str_eq(pm_db_text(other, 0, NULL), "other");
	pm_db_finish(q);
	pm_db_finish(other);
	/* A table that has changed, a value that was refused. */
	ck_assert_int_eq(pm_db_exec(db, "CREATE TABLE t (a)", &e), 0);
	q = prepare(db, "SELECT * FROM t");
	ck_assert_int_eq(pm_db_step(q, &e), 0);
	pm_db_finish(q);
	ck_assert_int_eq(pm_db_exec(db, "DROP TABLE t; CREATE TABLE t (b INTEGER UNIQUE, c)", &e),
			 0);
	ck_assert_int_eq(pm_db_exec(db, "INSERT INTO t VALUES (7, 8)", &e), 0);
	q = prepare(db, "SELECT * FROM t");
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	ck_assert_int_eq(pm_db_columns(q), 2);
	ck_assert_int_eq(pm_db_int(q, 1), 8);
	pm_db_finish(q);
	for (int i = 0; i < 2; i++) {
		q = prepare(db, "INSERT INTO t (b) VALUES (?)");
		pm_db_bind_int(q, 1, 7);
		ck_assert_int_eq(pm_db_step(q, &e), -1);
		pm_db_finish(q);
	}
	q = prepare(db, "INSERT INTO t (b) VALUES (?)");
	pm_db_bind_int(q, 1, 9);
	ck_assert_int_eq(pm_db_run(q, &e), 0);
	pm_db_finish(q);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM t"), 2);
	pm_db_close(db);
}
END_TEST

START_TEST(any_number_of_statements_may_be_used)
{
	struct pm_db *db = open_database();
	struct pm_stmt *open[300];
	struct pm_err e = { "" };
	char sql[32];

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 300; i++) {
			snprintf(sql, sizeof sql, "SELECT %d", i);
			ck_assert_int_eq(number(db, sql), i);
			open[i] = prepare(db, sql);
		}
		for (int i = 0; i < 300; i++) {
			ck_assert_int_eq(pm_db_step(open[i], &e), 1);
			ck_assert_int_eq(pm_db_int(open[i], 0), i);
			pm_db_finish(open[i]);
		}
	}
	pm_db_close(db);
}
END_TEST

/* Add a job with annotations, which are inserted in bulk. */
static void add_job(struct pm_db *db, int64_t id)
{
	struct pm_err e = { "" };
	struct pm_stmt *q;
	char name[32];

	ck_assert_msg(pm_db_begin(db, &e) == 0, "%s", e.text);
	q = prepare(db, "INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, "
			"epoch_us) VALUES (?, '', 'u', '1', '', 0, ?)");
	pm_db_bind_int(q, 1, id);
	pm_db_bind_int(q, 2, id);
	ck_assert_msg(pm_db_run(q, &e) == 0, "%s", e.text);
	pm_db_finish(q);
	ck_assert_msg(pm_db_insert(db, "annotation", false, &q, &e) == 0, "%s", e.text);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "a%d", i);
		pm_db_bind_int(q, 1, id);
		pm_db_bind_str(q, 2, name);
		ck_assert_msg(pm_db_run(q, &e) == 0, "%s", e.text);
	}
	pm_db_finish(q);
	ck_assert_msg(pm_db_commit(db, &e) == 0, "%s", e.text);
}

START_TEST(what_is_deleted_after_bulk_inserts_takes_its_rows_along)
{
	struct pm_db *db = open_database();
	struct pm_err e = { "" };
	struct pm_stmt *q;

	for (int64_t id = 1; id <= 4; id++)
		add_job(db, id);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM annotation"), 12);
	q = prepare(db, "DELETE FROM job WHERE id = ?");
	pm_db_bind_int(q, 1, 1);
	ck_assert_int_eq(pm_db_run(q, &e), 0);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM annotation"), 9);
	/* The same statement after more bulk inserts, in a transaction, and after a rollback. */
	add_job(db, 5);
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	pm_db_bind_int(q, 1, 2);
	ck_assert_int_eq(pm_db_run(q, &e), 0);
	ck_assert_int_eq(pm_db_commit(db, &e), 0);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM annotation"), 9);
	add_job(db, 6);
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	pm_db_rollback(db);
	pm_db_bind_int(q, 1, 3);
	ck_assert_int_eq(pm_db_run(q, &e), 0);
	pm_db_finish(q);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM annotation"), 9);
	add_job(db, 7);
	ck_assert_int_eq(pm_db_exec(db, "DELETE FROM job WHERE id = 4", &e), 0);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM annotation"), 9);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	pm_db_close(db);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sqlite_statements");
	TCase *t = tcase_create("statements");

	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(t, a_statement_that_is_used_again_knows_nothing_of_before);
	tcase_add_test(t, any_number_of_statements_may_be_used);
	tcase_add_test(t, what_is_deleted_after_bulk_inserts_takes_its_rows_along);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
