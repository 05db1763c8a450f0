/* Migrations by steps of the test's own: order, one transaction, foreign keys, kill, rivals. */
#include "config.h"

#include "db/foreignkeys.h"
#include "db/migrate.h"
#include "sql/schema.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BASE PM_SCHEMA_VERSION

/* The table lost under its old name with one more column, as SQLite wants it done. */
#define ANEW                                                                                       \
	"CREATE TABLE lost_new (job_id bigint NOT NULL, host_id bigint NOT NULL,"                  \
	" reason text NOT NULL, lines bigint NOT NULL, bytes bigint NOT NULL, shade text,"         \
	" PRIMARY KEY (job_id, host_id, reason));"                                                 \
	"INSERT INTO lost_new (job_id, host_id, reason, lines, bytes, shade)"                      \
	" SELECT job_id, host_id, reason, lines, bytes, 'grey' FROM lost;"                         \
	"DROP TABLE lost; ALTER TABLE lost_new RENAME TO lost"
/* So that rows of the tables that point to it would go with it. */
#define HOST                                                                                       \
	"CREATE TABLE host_new AS SELECT * FROM host; DROP TABLE host;"                            \
	"ALTER TABLE host_new RENAME TO host"

static const struct pm_migrate_step good[] = {
	{ .from = BASE, .reads = true, .about = "a colour", .sql = { "ALTER TABLE job ADD COLUMN colour text", NULL } },
	{ .from = BASE + 1, .about = "shades", .sql = { ANEW, NULL } },
	{ .from = BASE + 2, .about = "hosts anew", .sql = { HOST, NULL } },
	{ 0 },
};
static const struct pm_migrate_step broken[] = {
	{ .from = BASE, .reads = true, .about = "a colour", .sql = { "ALTER TABLE job ADD COLUMN colour text", NULL } },
	{ .from = BASE + 1, .about = "nonsense", .sql = { "ALTER TABLE nowhere ADD COLUMN a text", NULL } },
	{ 0 },
};
static const struct pm_migrate_step dangling[] = {
	{ .from = BASE, .about = "loses hosts", .sql = { "DELETE FROM host", NULL } },
	{ 0 },
};

static int steps;

static void set_up(void)
{
	struct pm_db *db;
	struct pm_err e;

	steps = 0;
	pm_unit_set_up();
	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_WRITE, &e), 0);
	ck_assert_int_eq(
		pm_db_exec(db,
			   "INSERT INTO job (id, cluster, \"user\", jobid, array_task,"
			   " restart_count, epoch_us) VALUES (1, '', 'u', 'j', '', 0, 0);"
			   "INSERT INTO host (job_id, id, hostname) VALUES (1, 1, 'n0');"
			   "INSERT INTO process (job_id, id, host_id) VALUES (1, 1, 1), (1, 2, 1);"
			   "INSERT INTO lost (job_id, host_id, reason, lines, bytes) VALUES"
			   " (1, 1, 'ENOSPC', 2, 3)",
			   &e),
		0);
	pm_db_close(db);
}

static void count(void *ctx, const struct pm_migrate_step *s)
{
	(void)ctx;
	(void)s;
	steps++;
}

/* Die in the step that has this number. */
static void die_at(void *ctx, const struct pm_migrate_step *s)
{
	if (s->from == *(int *)ctx)
		raise(SIGKILL);
}

static struct pm_db *reopen(void)
{
	struct pm_db *db;
	struct pm_err e;

	ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_MIGRATE, &e) == 0, "%s", e.text);
	return db;
}

static int64_t number(struct pm_db *db, const char *sql)
{
	struct pm_stmt *q;
	struct pm_err e;
	int64_t n;

	ck_assert_msg(pm_db_prepare(db, sql, &q, &e) == 0, "%s", e.text);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	n = pm_db_int(q, 0);
	pm_db_finish(q);
	return n;
}

static void expect_version(struct pm_db *db, int version)
{
	ck_assert_int_eq(number(db, "SELECT max(version) FROM schema_version"), version);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM process"), 2);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM process_tree"), 2);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM metric"), PM_COLUMNS);
}

START_TEST(steps_are_taken_in_order)
{
	struct pm_db *db = reopen();
	struct pm_err e;

	/* As far as it is to go, and no further. */
	ck_assert_int_eq(pm_migrate_by(db, good, BASE + 1, true, count, NULL, &e), BASE);
	ck_assert_int_eq(steps, 1);
	steps = 0;
	ck_assert_int_eq(pm_migrate_by(db, good, BASE + 3, true, count, NULL, &e), BASE);
	ck_assert_int_eq(steps, 3);
	expect_version(db, BASE);
	ck_assert_msg(pm_migrate_by(db, good, BASE + 3, false, count, NULL, &e) == BASE, "%s",
		      e.text);
	ck_assert_int_eq(steps, 6);
	expect_version(db, BASE + 3);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM schema_version"), 4);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM lost WHERE shade = 'grey'"), 1);
	/* Foreign keys are followed again. */
	ck_assert_int_eq(pm_db_exec(db, "INSERT INTO tag_set VALUES (2, 0, 'n', 'v')", &e), -1);
	ck_assert_int_eq(pm_migrate_by(db, good, BASE + 3, false, count, NULL, &e), BASE + 3);
	ck_assert_int_eq(steps, 6);
	pm_db_close(db);
}
END_TEST

START_TEST(a_step_that_fails_leaves_the_database)
{
	struct pm_db *db = reopen();
	struct pm_err e;

	ck_assert_int_eq(pm_migrate_by(db, broken, BASE + 2, false, count, NULL, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "nowhere"));
	ck_assert_ptr_nonnull(strstr(e.text, "x.db"));
	expect_version(db, BASE);
	ck_assert_int_eq(pm_db_exec(db, "SELECT colour FROM job", &e), -1);
	ck_assert_int_eq(pm_db_exec(db, "INSERT INTO tag_set VALUES (2, 0, 'n', 'v')", &e), -1);
	pm_db_close(db);
}
END_TEST

START_TEST(a_version_that_cannot_be_noted_leaves_the_database)
{
	struct pm_db *db = reopen();
	struct pm_err e;

	ck_assert_int_eq(pm_db_exec(db,
				    "CREATE TRIGGER full BEFORE INSERT ON schema_version BEGIN"
				    " SELECT RAISE(ABORT, 'no room'); END",
				    &e),
			 0);
	ck_assert_int_eq(pm_migrate_by(db, good, BASE + 1, false, count, NULL, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "no room"));
	expect_version(db, BASE);
	ck_assert_int_eq(pm_db_exec(db, "SELECT colour FROM job", &e), -1);
	pm_db_close(db);
}
END_TEST

START_TEST(rows_must_keep_what_they_point_to)
{
	struct pm_db *db = reopen();
	struct pm_err e;

	ck_assert_int_eq(pm_migrate_by(db, dangling, BASE + 1, false, count, NULL, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "job #1: 2 rows of table process refer"));
	expect_version(db, BASE);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM host"), 1);
	pm_db_close(db);
}
END_TEST

START_TEST(killed_in_any_step_it_leaves_the_database)
{
	int at = BASE + _i, status;
	struct pm_db *db;
	struct pm_err e;
	pid_t pid = fork();

	if (pid == 0) {
		db = reopen();
		pm_migrate_by(db, good, BASE + 3, false, die_at, &at, &e);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	db = reopen();
	expect_version(db, BASE);
	ck_assert_int_eq(pm_migrate_by(db, good, BASE + 3, false, count, NULL, &e), BASE);
	expect_version(db, BASE + 3);
	pm_db_close(db);
}
END_TEST

START_TEST(of_several_at_once_one_does_it)
{
	struct pm_db *db;
	struct pm_err e;
	pid_t pid[6];
	int status, did = 0, ready[2], go[2];
	char c;

	/* All have it open before one begins: what comes later finds it newer than this build. */
	ck_assert_int_eq(pipe(ready), 0);
	ck_assert_int_eq(pipe(go), 0);
	for (int i = 0; i < 6; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			close(go[1]);
			db = reopen();
			if (write(ready[1], "", 1) != 1 || read(go[0], &c, 1) != 0)
				_exit(99);
			status = pm_migrate_by(db, good, BASE + 3, false, count, NULL, &e);
			pm_db_close(db);
			_exit(status < 0 ? 99 : steps);
		}
	}
	for (int i = 0; i < 6; i++)
		ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(go[1]);
	for (int i = 0; i < 6; i++) {
		ck_assert_int_eq(waitpid(pid[i], &status, 0), pid[i]);
		ck_assert(WIFEXITED(status));
		ck_assert_int_ne(WEXITSTATUS(status), 99);
		did += WEXITSTATUS(status);
	}
	ck_assert_int_eq(did, 3);
	/* Newer than this build, for which it is over. */
	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_MIGRATE, &e), -1);
	ck_assert_int_eq(errno, EOVERFLOW);
	ck_assert_ptr_nonnull(strstr(e.text, "newer"));
}
END_TEST

START_TEST(a_step_that_was_taken_is_not_taken_again)
{
	struct pm_db *db = reopen(), *late = reopen();
	struct pm_err e;

	ck_assert_int_eq(pm_migrate_by(db, good, BASE + 1, false, count, NULL, &e), BASE);
	ck_assert_int_eq(steps, 1);
	ck_assert_msg(pm_migrate_by(db, good, BASE + 3, false, count, NULL, &e) == BASE + 1, "%s",
		      e.text);
	ck_assert_int_eq(steps, 3);
	expect_version(db, BASE + 3);
	/* Who has looked before finds it newer than where it was to go. */
	ck_assert_int_eq(pm_migrate_by(late, good, BASE + 2, false, count, NULL, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "a newer perfmon has migrated it to schema version"));
	ck_assert_int_eq(steps, 3);
	pm_db_close(late);
	pm_db_close(db);
}
END_TEST

START_TEST(a_version_that_is_none_is_damage)
{
	static const char *const version[] = { "0", "-1", "2147483648" };
	struct pm_err e;

	for (size_t i = 0; i < sizeof version / sizeof version[0]; i++) {
		struct pm_db *db = reopen();
		char sql[64];

		snprintf(sql, sizeof sql, "UPDATE schema_version SET version = %s", version[i]);
		ck_assert_int_eq(pm_db_exec(db, sql, &e), 0);
		/* What is open reads it anew. */
		ck_assert_int_eq(pm_migrate_by(db, good, BASE + 3, false, count, NULL, &e), -1);
		ck_assert_ptr_nonnull(strstr(e.text, "schema_version is damaged"));
		snprintf(sql, sizeof sql, "UPDATE schema_version SET version = %d", BASE);
		ck_assert_int_eq(pm_db_exec(db, sql, &e), 0);
		pm_db_close(db);
	}
	ck_assert_int_eq(steps, 0);
}
END_TEST

START_TEST(an_earlier_version_says_what_to_do)
{
	static const enum pm_db_mode mode[] = { PM_DB_WRITE, PM_DB_WRITE_SOON, PM_DB_CHANGE };
	struct pm_db *db;
	struct pm_err e;

	if (BASE == 1)
		return; /* there is none */
	db = reopen();
	ck_assert_int_eq(pm_db_exec(db, "UPDATE schema_version SET version = 1", &e), 0);
	pm_db_close(db);
	for (size_t i = 0; i < sizeof mode / sizeof mode[0]; i++) {
		ck_assert_int_eq(pm_db_open(&db, "x.db", mode[i], &e), -1);
		ck_assert_int_eq(errno, ESTALE);
		ck_assert_ptr_nonnull(strstr(e.text, "perfmon migrate"));
	}
	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_LOOK, &e), 0);
	pm_db_close(db);
}
END_TEST

START_TEST(every_foreign_key_is_read)
{
	size_t n;
	const struct pm_schema_table *t = pm_schema_tables(&n);
	struct pm_err e;
	int keys = 0;

	for (size_t i = 0; i < n; i++) {
		const char *at = t[i].keys, *p;
		struct pm_foreignkey f;
		int want = 0, got = 0;

		for (p = at; (p = strstr(p, "REFERENCES")) != NULL; p++)
			want++;
		while (pm_foreignkeys_next(t[i].name, &at, &f, &e) > 0) {
			got++;
			ck_assert_ptr_nonnull(pm_schema_find(f.parent));
			for (size_t c = 0; c < f.columns; c++) {
				ck_assert_int_ge(pm_schema_index(&t[i], f.column[c]), 0);
				ck_assert_int_ge(pm_schema_index(pm_schema_find(f.parent), f.to[c]),
						 0);
			}
		}
		ck_assert_int_eq(got, want);
		keys += got;
	}
	ck_assert_int_gt(keys, 10);
	const char *bad = "FOREIGN KEY (a, b REFERENCES job (id)";
	struct pm_foreignkey f;

	ck_assert_int_eq(pm_foreignkeys_next("t", &bad, &f, &e), -1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("db_migrate");
	TCase *t = tcase_create("migrate");

	tcase_add_checked_fixture(t, set_up, pm_unit_tear_down);
	tcase_add_test(t, steps_are_taken_in_order);
	tcase_add_test(t, a_step_that_fails_leaves_the_database);
	tcase_add_test(t, a_version_that_cannot_be_noted_leaves_the_database);
	tcase_add_test(t, rows_must_keep_what_they_point_to);
	tcase_add_loop_test(t, killed_in_any_step_it_leaves_the_database, 0, 3);
	tcase_add_test(t, of_several_at_once_one_does_it);
	tcase_add_test(t, a_step_that_was_taken_is_not_taken_again);
	tcase_add_test(t, a_version_that_is_none_is_damage);
	tcase_add_test(t, an_earlier_version_says_what_to_do);
	tcase_add_test(t, every_foreign_key_is_read);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
