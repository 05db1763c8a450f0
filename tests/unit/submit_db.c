/* The database interface on SQLite, and the schema's committed texts. */
#include "config.h"

#include "sql/schema.h"
#include "submit/db.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];

static void set_up(void)
{
	snprintf(dir, sizeof dir, "/tmp/perfmon-unit.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
}

static void tear_down(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

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

	setenv("HOME", dir, 1);
	setenv("XDG_DATA_HOME", "relative/is/ignored", 1);
	ck_assert_int_eq(pm_db_open(&db, "", PM_DB_WRITE, &e), 0);
	pm_db_close(db);
	ck_assert_uint_eq(mode_of(".local/share/perfmon/perfmon.db"), 0600);
	setenv("XDG_DATA_HOME", dir, 1);
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
	expect_refused(dir, PM_DB_WRITE, dir);
	expect_refused("postgresql://someone:secret@host/db", PM_DB_WRITE, "not built in");
	ck_assert_int_eq(pm_db_open(&db, "postgres://someone:secret@host/db", PM_DB_WRITE, &e), -1);
	ck_assert_ptr_null(strstr(e.text, "secret"));
	ck_assert_int_eq(system("sqlite3 other.db 'CREATE TABLE t(a)' 2>/dev/null || "
				"rm -f other.db"),
			 0);
	if (access("other.db", F_OK) == 0)
		expect_refused("other.db", PM_DB_WRITE, "something else");
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
		pm_db_exec(
			db,
			"INSERT INTO tag (job_id, process_id, name) VALUES (1, 0, 'no such job')",
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

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, values_come_back_as_they_went);
	tcase_add_test(t, a_new_database_is_private);
	tcase_add_test(t, the_default_is_below_the_home);
	tcase_add_test(t, what_is_no_database_of_ours_is_left_alone);
	tcase_add_test(t, a_rolled_back_transaction_leaves_nothing);
	suite_add_tcase(s, t);
	tcase_add_test(schema, the_committed_schema_is_that_of_the_tables);
	tcase_add_test(schema, tables_have_what_the_formats_have);
	suite_add_tcase(s, schema);
	return s;
}

PM_UNIT_MAIN(suite)
