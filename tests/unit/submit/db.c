/* The database interface on SQLite, and the schema's committed texts. */
#include "config.h"

#include "db/db.h"
#include "db/erase.h"
#include "sql/schema.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mode_t mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_mode & 07777;
}

START_TEST(values_come_back_as_they_went)
{
	static const char blob[] = "\0\1\377'\n", text[] = "a'b\"c \xc3\xa4";
	struct pm_stmt *q;
	struct pm_db *db;
	struct pm_err e;
	size_t n;

	ck_assert_int_eq(pm_db_open(&db, NULL, PM_DB_MEMORY, &e), 0);
	ck_assert_int_eq(pm_db_prepare(db, "SELECT ?, ?, ?, ?, ?, ?, ?", &q, &e), 0);
	for (int turn = 0; turn < 2; turn++) {
		pm_db_bind_int(q, 1, INT64_MIN);
		pm_db_bind_real(q, 2, 0.1);
		pm_db_bind_text(q, 3, text, sizeof text - 1);
		pm_db_bind_blob(q, 4, blob, sizeof blob - 1);
		pm_db_bind_str(q, 5, NULL);
		pm_db_bind_text(q, 6, NULL, 0);
		ck_assert_int_eq(pm_db_step(q, &e), 1);
		ck_assert_int_eq(pm_db_columns(q), 7);
		ck_assert(pm_db_int(q, 0) == INT64_MIN);
		ck_assert(pm_db_real(q, 1) == 0.1);
		ck_assert_str_eq(pm_db_text(q, 2, &n), text);
		ck_assert_uint_eq(n, sizeof text - 1);
		ck_assert_int_eq(memcmp(pm_db_blob(q, 3, &n), blob, sizeof blob - 1), 0);
		ck_assert_uint_eq(n, sizeof blob - 1);
		ck_assert(pm_db_is_null(q, 4));
		ck_assert_str_eq(pm_db_text(q, 5, &n), "");
		ck_assert(pm_db_is_null(q, 6));
		ck_assert_int_eq(pm_db_step(q, &e), 0);
		pm_db_reset(q);
	}
	pm_db_bind_int(q, 99, 1);
	ck_assert_int_eq(pm_db_step(q, &e), -1);
	pm_db_finish(q);
	ck_assert_int_eq(pm_db_prepare(db, "SELEKT", &q, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "SELEKT"));
	pm_db_close(db);
}
END_TEST

static int add_tag(struct pm_stmt *q, const char *name, const char *value, struct pm_err *e)
{
	pm_db_bind_int(q, 1, 1);
	pm_db_bind_int(q, 2, 0);
	pm_db_bind_str(q, 3, name);
	pm_db_bind_str(q, 4, value);
	return pm_db_run(q, e);
}

START_TEST(rows_in_bulk_follow_the_columns_of_their_table)
{
	struct pm_stmt *first, *strict, *q;
	struct pm_db *db;
	struct pm_err e;

	ck_assert_int_eq(pm_db_open(&db, ":memory:", PM_DB_MEMORY, &e), 0);
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	ck_assert_int_eq(pm_db_exec(db,
				    "INSERT INTO job (id, cluster, \"user\", jobid, array_task, "
				    "restart_count, epoch_us) VALUES (1, '', 'u', 'j', '', 0, 0)",
				    &e),
			 0);
	ck_assert_int_eq(pm_db_insert(db, "tag_set", true, &first, &e), 0);
	ck_assert_int_eq(pm_db_insert(db, "tag_set", false, &strict, &e), 0);
	ck_assert_int_eq(add_tag(first, "a", "1", &e), 0);
	ck_assert_int_eq(add_tag(first, "a", "2", &e), 0);
	ck_assert_int_eq(add_tag(strict, "b", NULL, &e), 0);
	pm_db_finish(first);
	pm_db_finish(strict);
	ck_assert_int_eq(pm_db_prepare(db, "SELECT name, value FROM tag ORDER BY name", &q, &e), 0);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	ck_assert_str_eq(pm_db_text(q, 1, NULL), "1");
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	ck_assert(pm_db_is_null(q, 1));
	ck_assert_int_eq(pm_db_step(q, &e), 0);
	pm_db_finish(q);
	ck_assert_int_eq(pm_db_exec(db, "INSERT INTO host (job_id, id) VALUES (2, 1)", &e), -1);
	ck_assert_int_eq(pm_db_failure(db), EINVAL);
	pm_db_close(db);
}
END_TEST

/* No table does so: SQLite before 3.37 has none that would. */
START_TEST(rows_in_bulk_keep_the_types_of_their_columns)
{
	struct pm_stmt *rows;
	struct pm_db *db;
	struct pm_err e;

	ck_assert_int_eq(pm_db_open(&db, ":memory:", PM_DB_MEMORY, &e), 0);
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	ck_assert_int_eq(pm_db_insert(db, "load", false, &rows, &e), 0);
	/* Columns job_id, id: numbers; file: text. */
	for (int wrong = 0; wrong < 4; wrong++) {
		pm_db_bind_int(rows, 1, 1);
		if (wrong == 0)
			pm_db_bind_text(rows, 2, "1", 1);
		else if (wrong == 1)
			pm_db_bind_real(rows, 2, 1);
		else if (wrong == 2)
			pm_db_bind_blob(rows, 4, "x", 1);
		else
			pm_db_bind_int(rows, 4, 1);
		ck_assert_int_eq(pm_db_run(rows, &e), -1);
		ck_assert_int_eq(pm_db_failure(db), EINVAL);
	}
	pm_db_finish(rows);
	pm_db_close(db);
}
END_TEST

/* Rows are written in pieces, beside the caller: more than one piece has, a row that is wrong among
 * them, told at the latest by the next statement of another kind, and again until all is undone. */
START_TEST(rows_in_bulk_come_whole_or_not_at_all)
{
	enum { MANY = 20000 };
	struct pm_stmt *rows, *q;
	struct pm_db *db;
	struct pm_err e;

	ck_assert_int_eq(pm_db_open(&db, ":memory:", PM_DB_MEMORY, &e), 0);
	ck_assert_int_eq(pm_db_exec(db,
				    "INSERT INTO job (id, cluster, \"user\", jobid, array_task, "
				    "restart_count, epoch_us) VALUES (1, '', 'u', 'j', '', 0, 0)",
				    &e),
			 0);
	for (int bad = 1; bad >= 0; bad--) {
		int rc = 0;

		ck_assert_int_eq(pm_db_begin(db, &e), 0);
		ck_assert_int_eq(pm_db_insert(db, "tag_set", false, &rows, &e), 0);
		for (int i = 0; i < MANY && rc == 0; i++) {
			char name[16];

			snprintf(name, sizeof name, "%d", bad && i == MANY / 2 ? 7 : i);
			rc = add_tag(rows, name, "x", &e);
		}
		pm_db_finish(rows);
		if (!bad) {
			ck_assert_int_eq(rc, 0);
			break;
		}
		ck_assert_int_eq(pm_db_exec(db, "DELETE FROM annotation", &e), -1);
		ck_assert_str_ne(e.text, "");
		ck_assert_int_eq(pm_db_commit(db, &e), -1);
		ck_assert_int_eq(pm_db_failure(db), EINVAL);
		pm_db_rollback(db);
	}
	ck_assert_int_eq(pm_db_prepare(db, "SELECT count(*) FROM tag_set", &q, &e), 0);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	ck_assert_int_eq(pm_db_int(q, 0), MANY);
	pm_db_finish(q);
	ck_assert_int_eq(pm_db_commit(db, &e), 0);
	pm_db_close(db);
}
END_TEST

START_TEST(a_new_database_is_private)
{
	struct pm_db *db;
	struct pm_err e;

	umask(0);
	ck_assert_int_eq(pm_db_open(&db, "sqlite:new/dirs/perfmon.db", PM_DB_WRITE, &e), 0);
	ck_assert_str_eq(pm_db_name(db), "new/dirs/perfmon.db");
	ck_assert_uint_eq(mode_of("new"), 0700);
	ck_assert_uint_eq(mode_of("new/dirs"), 0700);
	ck_assert_uint_eq(mode_of("new/dirs/perfmon.db"), 0600);
	ck_assert_uint_eq(mode_of("new/dirs/perfmon.db-wal"), 0600);
	pm_db_close(db);
	ck_assert_int_eq(pm_db_open(&db, "new/dirs/perfmon.db", PM_DB_READ, &e), 0);
	ck_assert_int_eq(pm_db_exec(db, "DELETE FROM metric", &e), -1);
	ck_assert_int_eq(errno, EROFS);
	pm_db_close(db);
}
END_TEST

START_TEST(the_default_is_below_the_home)
{
	struct pm_db *db;
	struct pm_err e;

	setenv("HOME", pm_unit_dir, 1);
	setenv("XDG_DATA_HOME", "relative/is/ignored", 1);
	ck_assert_int_eq(pm_db_open(&db, "", PM_DB_WRITE, &e), 0);
	pm_db_close(db);
	ck_assert_uint_eq(mode_of(".local/share/perfmon/perfmon.db"), 0600);
	setenv("XDG_DATA_HOME", pm_unit_dir, 1);
	ck_assert_int_eq(pm_db_open(&db, "", PM_DB_READ, &e), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(pm_db_open(&db, "", PM_DB_WRITE, &e), 0);
	pm_db_close(db);
	ck_assert_uint_eq(mode_of("perfmon"), 0700);
}
END_TEST

static void expect_refused(const char *setting, enum pm_db_mode mode, const char *why)
{
	struct pm_db *db;
	struct pm_err e;

	ck_assert_int_eq(pm_db_open(&db, setting, mode, &e), -1);
	ck_assert_msg(strstr(e.text, why) != NULL, "%s", e.text);
}

START_TEST(what_is_no_database_of_ours_is_left_alone)
{
	struct pm_db *db;
	struct pm_err e;
	FILE *out;

	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_WRITE, &e), 0);
	ck_assert_int_eq(pm_db_exec(db, "INSERT INTO schema_version VALUES (99, 0)", &e), 0);
	pm_db_close(db);
	expect_refused("x.db", PM_DB_WRITE, "newer");
	expect_refused("x.db", PM_DB_READ, "newer");
	out = fopen("text", "w");
	fputs("this is a text, and one that is long enough to be looked at as a header\n", out);
	fclose(out);
	expect_refused("text", PM_DB_WRITE, "not a database");
	out = fopen("empty", "w");
	fclose(out);
	expect_refused("empty", PM_DB_READ, "nothing was ever loaded");
	expect_refused("none.db", PM_DB_READ, "No such file");
	expect_refused(pm_unit_dir, PM_DB_WRITE, pm_unit_dir);
#ifdef HAVE_PQ
	expect_refused("postgresql://me:secret@/db?host=/nowhere", PM_DB_WRITE,
		       /* Before version 14 "could not connect to server". */
		       "postgresql://me@/nowhere/db: co");
	expect_refused("postgresql:db", PM_DB_READ, "not a database URL");
#else
	expect_refused("postgresql://someone:secret@host/db", PM_DB_WRITE, "not built in");
#endif
	ck_assert_int_eq(
		pm_db_open(&db, "postgres://me:se%zzcret@/db?host=/nowhere", PM_DB_WRITE, &e), -1);
	ck_assert_ptr_null(strstr(e.text, "cret"));
	ck_assert_int_eq(system("sqlite3 other.db 'CREATE TABLE t(a)' 2>/dev/null || "
				"rm -f other.db"),
			 0);
	if (access("other.db", F_OK) == 0)
		expect_refused("other.db", PM_DB_WRITE, "not a perfmon database");
}
END_TEST

START_TEST(a_rolled_back_transaction_leaves_nothing)
{
	struct pm_stmt *q;
	struct pm_db *db;
	struct pm_err e;

	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_WRITE, &e), 0);
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	ck_assert_int_eq(pm_db_exec(db, "DELETE FROM metric", &e), 0);
	pm_db_rollback(db);
	ck_assert_int_eq(pm_db_prepare(db, "SELECT count(*) FROM metric", &q, &e), 0);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	ck_assert_int_eq(pm_db_int(q, 0), PM_COLUMNS);
	pm_db_finish(q);
	ck_assert_int_eq(
		pm_db_exec(db,
			   "INSERT INTO tag_set (job_id, id, name) VALUES (1, 0, 'no such job')",
			   &e),
		-1);
	pm_db_close(db);
}
END_TEST

static void expect_committed(enum pm_dialect dialect, const char *name)
{
	const char *src = getenv("abs_top_srcdir");
	char path[4096], *want = pm_schema_text(dialect), *got;
	size_t n;
	FILE *in;

	snprintf(path, sizeof path, "%s/sql/%s", src ? src : ".", name);
	in = fopen(path, "r");
	ck_assert_msg(in != NULL, "%s", path);
	ck_assert_ptr_nonnull(want);
	got = calloc(1, strlen(want) + 2);
	n = fread(got, 1, strlen(want) + 1, in);
	fclose(in);
	ck_assert_msg(n == strlen(want) && memcmp(got, want, n) == 0,
		      "sql/%s is not what the tables give: perfmon schema --dialect ... >sql/%s",
		      name, name);
	free(want);
	free(got);
}

START_TEST(the_committed_schema_is_that_of_the_tables)
{
	expect_committed(PM_DIALECT_SQLITE, "schema-sqlite.sql");
	expect_committed(PM_DIALECT_POSTGRESQL, "schema-postgres.sql");
}
END_TEST

static int64_t number(struct pm_db *db, const char *sql)
{
	struct pm_stmt *q;
	struct pm_err e;
	int64_t n = -1;

	ck_assert_msg(pm_db_prepare(db, sql, &q, &e) == 0, "%s", e.text);
	if (pm_db_step(q, &e) > 0)
		n = pm_db_int(q, 0);
	pm_db_finish(q);
	return n;
}

/* A job whose detail is more than goes at once, beside another one. */
static struct pm_db *make_large(void)
{
	static const char sql[] =
		"CREATE TEMPORARY VIEW i AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + "
		"1 "
		"FROM r WHERE n < 45000) SELECT n FROM r;"
		"INSERT INTO job (cluster, \"user\", jobid, array_task, restart_count, epoch_us) "
		"VALUES ('', 'u', '1', '', 0, 1), ('', 'u', '2', '', 0, 1);"
		"INSERT INTO host (job_id, id) VALUES (1, 1), (1, 2), (2, 1);"
		"INSERT INTO process (job_id, id, host_id) VALUES (2, 1, 1);"
		"INSERT INTO process (job_id, id, host_id, parent_id) SELECT 1, n, 1, nullif(n / "
		"2, 0) "
		"FROM i WHERE n <= 25000;"
		"INSERT INTO thread_row (job_id, process_id, id) SELECT 1, n, 1 FROM i WHERE n <= "
		"25000;"
		"INSERT INTO counter (job_id, process_id, thread_id, name) SELECT 1, n, 0, 'a' "
		"FROM i "
		"WHERE n <= 25000;"
		"INSERT INTO tag_set (job_id, id, name) SELECT 1, n - 1, 'a' FROM i WHERE n <= "
		"25000;"
		"INSERT INTO series (job_id, id, host_id, source, metric, object, unit, kind) "
		"SELECT 1, "
		"n, 2, 's', 'm', '', '', 'gauge' FROM i WHERE n < 4;"
		"INSERT INTO tick_block (job_id, id, host_id, ticks, time_us, digits, times) "
		"SELECT 1, n, 2, 1, n, 1, '0' FROM i WHERE n <= 5000;"
		"INSERT INTO sample_block (job_id, series_id, id, tick_block_id, tick, begin_us, "
		"end_us, samples, known, first, step, base, deviations) SELECT 1, 1 + n % 2, n, 1, "
		"0, n, n, 1, 1, 0, 1, 0, x'' FROM i WHERE n < 25000;"
		"INSERT INTO sample_block (job_id, series_id, id, tick_block_id, tick, begin_us, "
		"end_us, samples, known, first, step, base, deviations) SELECT 1, 3, n, 1, "
		"0, n, n, 1, 1, 0, 1, 0, x'' FROM i;"
		"INSERT INTO load (job_id, id, file, source, digest, bytes, lines, rejected) "
		"SELECT 1, n, "
		"'f', 's', 'd', 1, 50, 50 FROM i WHERE n <= 40;"
		"INSERT INTO content (job_id, load_id, part, coding, bytes) SELECT 1, n, 1, '', "
		"x'00' "
		"FROM i WHERE n <= 40;"
		"INSERT INTO reject (job_id, id, load_id, file, line, reason, bytes) SELECT 1, n, "
		"1 + n % "
		"40, 'f', n, 'r', x'00' FROM i WHERE n <= 2000";
	struct pm_db *db;
	struct pm_err e;

	ck_assert_int_eq(pm_db_open(&db, NULL, PM_DB_MEMORY, &e), 0);
	ck_assert_msg(pm_db_exec(db, sql, &e) == 0, "%s", e.text);
	return db;
}

START_TEST(a_large_job_goes_in_parts)
{
	static const char count[] =
		"SELECT (SELECT count(*) FROM process) + (SELECT count(*) FROM thread_row) + "
		"(SELECT "
		"count(*) FROM counter) + (SELECT count(*) FROM tag_set) + (SELECT count(*) FROM "
		"sample_block) + (SELECT count(*) FROM tick_block) + (SELECT count(*) FROM "
		"content) + (SELECT count(*) FROM reject)";
	bool detail = _i > 0;
	enum pm_schema_keep keep = detail ? PM_SCHEMA_PROGRAMS : PM_SCHEMA_NOTHING;
	struct pm_db *db = make_large();
	int64_t before = number(db, count), after;
	int parts = 0, rc;
	struct pm_userdays days = { 0 };
	struct pm_err e;

	do {
		ck_assert_int_eq(pm_db_begin(db, &e), 0);
		rc = pm_erase_part(db, 1, keep, 0, &days, &e);
		ck_assert_msg(rc > 0, "%d: %s", rc, e.text);
		ck_assert_int_eq(pm_db_commit(db, &e), 0);
		after = number(db, count);
		/* At most a part of each table. */
		ck_assert_int_le(before - after, 62000);
		if (rc == 2)
			ck_assert_int_lt(after, before);
		before = after;
		ck_assert_int_eq(number(db, "SELECT count(*) FROM job"),
				 rc == 1 && !detail ? 1 : 2);
		if (parts++ % 4 == 0 || rc == 1)
			ck_assert_int_eq(
				number(db, "SELECT count(*) FROM pragma_foreign_key_check()"), 0);
	} while (rc == 2);
	ck_assert_int_gt(parts, 15);
	ck_assert_int_eq(number(db, count), detail ? 2002 : 1);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM process WHERE job_id = 2"), 1);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM host"), detail ? 3 : 1);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM load"), detail ? 40 : 0);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM tag_set WHERE id = 0"), detail);
	/* Again, where there is nothing left; and of one that is not there. */
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	ck_assert_int_eq(pm_erase_part(db, 1, keep, 0, &days, &e), detail);
	ck_assert_int_eq(pm_erase_part(db, 7, keep, 0, &days, &e), 0);
	pm_userdays_free(&days);
	ck_assert_int_eq(pm_db_commit(db, &e), 0);
	pm_db_close(db);
}
END_TEST

/* Else `retire --keep` would leave its rows for ever. */
START_TEST(every_table_says_with_what_it_is_kept)
{
	static const struct {
		const char *table;
		enum pm_schema_keep with;
	} more[] = {
		{ "program_summary", PM_SCHEMA_PROGRAMS },
		{ "process", PM_SCHEMA_PROCESSES },
		{ "thread_row", PM_SCHEMA_PROCESSES },
		{ "counter", PM_SCHEMA_PROCESSES },
		{ "tag_set", PM_SCHEMA_PROCESSES },
		{ "series", PM_SCHEMA_PROCESSES },
		{ "tag_summary", PM_SCHEMA_PROCESSES },
		{ "series_summary", PM_SCHEMA_PROCESSES },
		{ "tick_block", PM_SCHEMA_ALL },
		{ "sample_block", PM_SCHEMA_ALL },
		{ "content", PM_SCHEMA_ALL },
	};
	const struct pm_schema_table *t;
	size_t n;

	t = pm_schema_tables(&n);
	for (size_t i = 0; i < n; i++) {
		enum pm_schema_keep with = PM_SCHEMA_SUMMARY;

		for (size_t k = 0; k < sizeof more / sizeof more[0]; k++)
			if (strcmp(t[i].name, more[k].table) == 0)
				with = more[k].with;
		ck_assert_msg(t[i].kept_with == with, "table %s", t[i].name);
	}
}
END_TEST

START_TEST(tables_have_what_the_formats_have)
{
	const struct pm_schema_table *process = pm_schema_find("process");
	const struct pm_schema_table *thread = pm_schema_find("thread_row");

	for (int c = 0; c < PM_COLUMNS; c++) {
		const char *name = pm_column_info[c].name;

		ck_assert_int_eq(pm_schema_index(process, name) >= 0,
				 pm_schema_in_process((enum pm_column)c));
		ck_assert_int_eq(pm_schema_index(thread, name) >= 0,
				 pm_schema_in_thread((enum pm_column)c));
	}
	ck_assert_ptr_null(pm_schema_find("no such table"));
	ck_assert_int_eq(pm_schema_index(process, "no such column"), -1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("database");
	TCase *t = tcase_create("sqlite"), *schema = tcase_create("schema");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(t, values_come_back_as_they_went);
	tcase_add_test(t, rows_in_bulk_follow_the_columns_of_their_table);
	tcase_add_test(t, rows_in_bulk_keep_the_types_of_their_columns);
	tcase_add_test(t, rows_in_bulk_come_whole_or_not_at_all);
	tcase_add_test(t, a_new_database_is_private);
	tcase_add_test(t, the_default_is_below_the_home);
	tcase_add_test(t, what_is_no_database_of_ours_is_left_alone);
	tcase_add_test(t, a_rolled_back_transaction_leaves_nothing);
	tcase_add_loop_test(t, a_large_job_goes_in_parts, 0, 2);
	suite_add_tcase(s, t);
	tcase_add_test(schema, the_committed_schema_is_that_of_the_tables);
	tcase_add_test(schema, every_table_says_with_what_it_is_kept);
	tcase_add_test(schema, tables_have_what_the_formats_have);
	suite_add_tcase(s, schema);
	return s;
}

PM_UNIT_MAIN(suite)
