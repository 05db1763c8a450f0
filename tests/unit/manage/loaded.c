/* report/annotate.c, manage/redact.c: notes about loaded jobs, and secrets taken out of them. */
#include "config.h"

#include "common/job/annotate.h"
#include "common/secrets/redact_loaded.h"
#include "common/settings/readconfig.h"
#include "db/db.h"
#include "tests/unit/main.h"

#include <string.h>

static struct pm_err e;

static void begin(void)
{
	pm_unit_set_up();
	ck_assert_int_eq(pm_config_set(PM_SET_db, "x.db", &e), 0);
}

static void run(const char *sql)
{
	struct pm_db *db;

	ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_WRITE, &e) == 0, "%s", e.text);
	ck_assert_msg(pm_db_exec(db, sql, &e) == 0, "%s: %s", sql, e.text);
	pm_db_close(db);
}

/* The first column of a query's rows, in one line. */
static const char *rows(const char *sql)
{
	static char text[1024];
	struct pm_db *db;
	struct pm_stmt *q;

	text[0] = '\0';
	ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_READ, &e) == 0, "%s", e.text);
	ck_assert_msg(pm_db_prepare(db, sql, &q, &e) == 0, "%s: %s", sql, e.text);
	while (pm_db_step(q, &e) > 0) {
		const char *s = pm_db_text(q, 0, NULL);

		strcat(strcat(text, s ? s : "NULL"), ";");
	}
	pm_db_finish(q);
	pm_db_close(db);
	return text;
}

static void jobs(void)
{
	run("INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, epoch_us) "
	    "VALUES "
	    "(1, '', 'u', 'one', '', 0, 1), (2, '', 'u', 'two', '', 0, 1), (3, '', 'v', 'two', '', "
	    "0, 1);"
	    "INSERT INTO host (job_id, id, hostname) VALUES (1, 1, 'h'), (2, 1, 'h');"
	    "INSERT INTO process (job_id, id, host_id, pid, exename, args) VALUES "
	    "(1, 1, 1, 1, 'x', '--password abc --color red'), (1, 2, 1, 2, 'x', '--color red'), "
	    "(2, 1, 1, 1, 'x', '--password abc')");
}

#define NOTES "SELECT job_id || ' ' || name || '=' || value FROM annotation ORDER BY job_id, name"

START_TEST(notes)
{
	struct pm_annotation list[] = { { "b", "1" }, { "a", "x = \"y\"" } };
	struct pm_annotation other[] = { { "b", "2" }, { "c", "" } };

	/* To note something is no reason to make a database. */
	ck_assert_int_eq(pm_annotate_loaded("one", list, 2, false, &e), 1);
	ck_assert_int_eq(access("x.db", F_OK), -1);
	jobs();
	ck_assert_int_eq(pm_annotate_loaded("none", list, 2, false, &e), 1);
	ck_assert_int_eq(pm_annotate_loaded("two", list, 2, false, &e), -1);
	ck_assert_str_eq(rows(NOTES), "");
	ck_assert_int_eq(pm_annotate_loaded("one", list, 2, false, &e), 0);
	ck_assert_int_eq(pm_annotate_loaded("v/two", list, 1, true, &e), 0);
	ck_assert_str_eq(rows(NOTES), "1 a=x = \"y\";1 b=1;3 b=1;");
	ck_assert_str_eq(rows("SELECT annotations FROM job ORDER BY id"),
			 "{\"a\":\"x = \\\"y\\\"\",\"b\":\"1\"};NULL;{\"b\":\"1\"};");
	ck_assert_int_eq(pm_annotate_loaded("#1", other, 2, false, &e), 0);
	ck_assert_str_eq(rows(NOTES), "1 a=x = \"y\";1 b=2;1 c=;3 b=1;");
	ck_assert_int_eq(pm_annotate_loaded("#1", other, 1, true, &e), 0);
	ck_assert_str_eq(rows(NOTES), "1 b=2;3 b=1;");
	ck_assert_str_eq(rows("SELECT annotations FROM job WHERE id = 1"), "{\"b\":\"2\"};");
	ck_assert_int_eq(pm_annotate_loaded("#1", NULL, 0, true, &e), 0);
	ck_assert_str_eq(rows(NOTES), "3 b=1;");
	ck_assert_str_eq(rows("SELECT annotations FROM job WHERE id = 1"), "{};");
}
END_TEST

#define ARGS "SELECT args FROM process ORDER BY job_id, id"

START_TEST(secrets)
{
	int64_t count = 7;

	ck_assert_int_eq(pm_redact_loaded("one", false, &count, &e), 1);
	ck_assert_int_eq(count, 0);
	ck_assert_int_eq(access("x.db", F_OK), -1);
	jobs();
	ck_assert_int_eq(pm_redact_loaded("none", false, &count, &e), 1);
	ck_assert_int_eq(pm_redact_loaded("two", false, &count, &e), -1);
	ck_assert_int_eq(pm_redact_loaded("one", true, &count, &e), 0);
	ck_assert_int_eq(count, 1);
	ck_assert_str_eq(rows(ARGS), "--password abc --color red;--color red;--password abc;");
	ck_assert_int_eq(pm_redact_loaded("one", false, &count, &e), 0);
	ck_assert_int_eq(count, 1);
	ck_assert_str_eq(rows(ARGS),
			 "--password [redacted] --color red;--color red;--password abc;");
	ck_assert_int_eq(pm_redact_loaded("one", false, &count, &e), 0);
	ck_assert_int_eq(count, 0);
	/* Nor in what the file has no use for any more. */
	ck_assert_int_eq(pm_redact_loaded("u/two", false, &count, &e), 0);
	ck_assert_int_eq(count, 1);
	ck_assert_int_ne(system("cat x.db* | grep -q -a abc"), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("loaded");
	TCase *t = tcase_create("loaded");

	tcase_add_checked_fixture(t, begin, pm_unit_tear_down);
	tcase_add_test(t, notes);
	tcase_add_test(t, secrets);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
