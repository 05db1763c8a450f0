/* What the views show of rows that are known, and what a new database says of itself. */
#include "config.h"

#include "db/db.h"
#include "db/erase.h"
#include "db/usage.h"
#include "sql/schema.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static struct pm_db *db;

static void set_up(void)
{
	static const char rows[] =
		"INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, "
		"epoch_us,"
		" name, scheduler, duration_us, cpu_time, cpus, efficiency, rssmax, read_bytes,"
		" write_bytes, hosts, processes, threads, failed, killed, rejected, coverage,"
		" exit_status, exit_signal, start_us, end_us, energy_uj, energy_mean_uw, "
		"energy_peak_uw,"
		" energy_method, energy_hosts, energy_coverage) VALUES"
		" (1, '', 'u', 'j', '', 0, 0, 'n', 's', 1234500, 2345499, 4, 0.47566, 123500,"
		" 123456789, 987654321, 5, 6, 7, 8, 9, 10, 0.98766, 11, 12, 13, 14,"
		" 3600000001, 250000000, 300500000, 'counter', 4, 0.79955);"
		"INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, "
		"epoch_us)"
		" VALUES (2, '', 'v', 'k', '', 0, 0);"
		"INSERT INTO host (job_id, id, hostname, energy_uj, cpu_time) VALUES"
		" (1, 1, 'n0', 1000000000, 9996), (1, 2, 'n1', NULL, 5);"
		"INSERT INTO process (job_id, id, host_id, parent_id, depth, exename, pid, tid,"
		" duration_us, cpu_time, inclusive_cpu_time, rssmax, end_reason, exitcode,"
		" exitsignal, args, tag_set) VALUES"
		" (1, 1, 1, NULL, 0, 'sh', 10, 10, 1500, 2499, 3999500, 20, 'exit', 21, NULL, 'a', "
		"NULL),"
		" (1, 2, 2, 1, 1, NULL, 11, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 22, NULL, 1),"
		" (1, 3, 1, 2, 2, 'cc', 12, NULL, 0, 0, 0, 0, '', 0, 0, '', NULL);"
		"INSERT INTO thread_row (job_id, process_id, id, tid) VALUES (1, 1, 1, 30), (1, 1, "
		"2, 31);"
		"INSERT INTO tag_set (job_id, id, name, value) VALUES (1, 0, 'of', 'job'), (1, 1, "
		"'p', '2');"
		"INSERT INTO counter (job_id, process_id, thread_id, name, value, ratio, reason, "
		"scope)"
		" VALUES (1, 1, 0, 'all', 40, 0.5, NULL, NULL), (1, 2, 0, 'all', 2, 0.25, NULL, "
		"NULL),"
		" (1, 3, 0, 'all', 0, NULL, NULL, NULL), (1, 1, 1, 'all', 40, 0.125, NULL, NULL),"
		" (1, 1, 0, 'node', 7, NULL, NULL, 'node'), (1, 2, 0, 'node', 3, NULL, NULL, "
		"'node'),"
		" (1, 1, 0, 'part', 6, 1, NULL, NULL), (1, 2, 0, 'part', NULL, NULL, 'closed', "
		"NULL),"
		" (1, 1, 0, 'rate', 5, NULL, NULL, 'rate')";
	struct pm_err e;

	ck_assert_int_eq(pm_db_open(&db, NULL, PM_DB_MEMORY, &e), 0);
	ck_assert_msg(pm_db_exec(db, rows, &e) == 0, "%s", e.text);
}

static void tear_down(void)
{
	pm_db_close(db);
}

/* A row as text, "-" for NULL. */
static void put_row(struct pm_stmt *q, FILE *out)
{
	for (int i = 0; i < pm_db_columns(q); i++)
		fprintf(out, "%s%s", i ? "|" : "",
			pm_db_is_null(q, i) ? "-" : pm_db_text(q, i, NULL));
	fputc('\n', out);
}

static const struct {
	const char *sql, *want;
} shown[] = {
	{ "SELECT * FROM job_summary ORDER BY id",
	  "1|j|u|n|s|1.235|2.345|4|47.6|126.5|123.5|987.7|5|6|7|8|9|10|98.8|11|12|13|14|"
	  "3600000001|3600.000001|250.0|300.5|counter|4|80.0\n"
	  "2|k|v|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-\n" },
	{ "SELECT * FROM process_tree ORDER BY job_id, id",
	  "1|1|-|0|sh|10|n0|0.002|0.002|4.0|20|exit|21|-|a|250.0\n"
	  "1|2|1|1|  ?|11|n1|-|-|-|-|-|-|22|-|-\n"
	  "1|3|2|2|    cc|12|n0|0.0|0.0|0.0|0||0|0||0.0\n" },
	{ "SELECT job_id, process_id, id, tid FROM thread ORDER BY process_id, id",
	  "1|1|1|30\n1|1|2|31\n1|2|1|11\n1|3|1|12\n" },
	{ "SELECT * FROM tag ORDER BY process_id", "1|0|of|job\n1|2|p|2\n" },
	{ "SELECT * FROM counter_summary ORDER BY name", "1|all|42|3|0|0|0.25|-|-\n"
							 "1|node|7|2|0|1|-|-|node\n"
							 "1|part|6|1|1|1|1.0|closed|-\n"
							 "1|rate|-|1|0|2|-|-|rate\n" },
};

START_TEST(views_show_what_the_rows_have)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct pm_stmt *q;
	struct pm_err e;

	ck_assert_msg(pm_db_prepare(db, shown[_i].sql, &q, &e) == 0, "%s", e.text);
	while (pm_db_step(q, &e) > 0)
		put_row(q, out);
	pm_db_finish(q);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(text, shown[_i].want);
	free(text);
}
END_TEST

START_TEST(the_dictionary_has_every_column_of_a_record)
{
	struct pm_stmt *q;
	struct pm_err e;

	ck_assert_int_eq(pm_db_prepare(db,
				       "SELECT unit, kind, scope, source, help FROM metric"
				       " WHERE name = ?",
				       &q, &e),
			 0);
	for (int i = 0; i < PM_COLUMNS; i++) {
		const struct pm_column_info *c = &pm_column_info[i];
		const char *want[] = { c->unit, pm_kind_name((enum pm_kind)c->kind),
				       c->scope == PM_SCOPE_THREAD ? "THREAD" : "PROCESS",
				       c->source, c->help };

		pm_db_bind_str(q, 1, c->name);
		ck_assert_int_eq(pm_db_step(q, &e), 1);
		for (int k = 0; k < 5; k++)
			ck_assert_str_eq(pm_db_text(q, k, NULL), want[k]);
		pm_db_reset(q);
	}
	pm_db_finish(q);
}
END_TEST

START_TEST(a_new_database_notes_version_and_time)
{
	struct pm_stmt *q;
	struct pm_err e;
	int64_t made;

	ck_assert_int_eq(
		pm_db_prepare(db, "SELECT version, applied_us FROM schema_version", &q, &e), 0);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	ck_assert_int_eq(pm_db_int(q, 0), PM_SCHEMA_VERSION);
	/* The same hour, in microseconds. */
	made = pm_db_int(q, 1) / 1000000 - (int64_t)time(NULL);
	ck_assert(made > -3600 && made < 3600);
	ck_assert_int_eq(pm_db_step(q, &e), 0);
	pm_db_finish(q);
}
END_TEST

/* The columns of job that tell one job from another, and those that are times, by their section. */
START_TEST(columns_say_what_they_are)
{
	static const struct {
		const char *table, *column;
		bool required;
		const char *unit, *about;
	} known[] = {
		{ "job", "cluster", true, "", "" },
		{ "job", "user", true, "", "" },
		{ "job", "jobid", true, "", "" },
		{ "job", "array_task", true, "", "" },
		{ "job", "restart_count", true, "", "" },
		{ "job", "epoch_us", true, "us", "" },
		{ "job", "name", false, "", "" },
		{ "job", "usertime", false, "us", "sum over the processes: " },
		{ "job", "rssmax", false, "kB", "largest of a process: " },
		{ "host", "start_cwd", false, "", "at start: " },
		{ "host", "stop_time_us", false, "us", "at stop: " },
		{ "process", "usertime", false, "us", "" },
		{ "lost", "bytes", true, "B", "" },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		const struct pm_schema_table *t = pm_schema_find(known[i].table);
		int at = pm_schema_index(t, known[i].column);

		ck_assert_msg(at >= 0, "%s.%s", known[i].table, known[i].column);
		ck_assert_msg(t->column[at].required == known[i].required, "%s", known[i].column);
		ck_assert_str_eq(t->column[at].unit, known[i].unit);
		ck_assert_str_eq(t->column[at].about, known[i].about);
	}
}
END_TEST

/* Names of indexes are not those of their tables; a table that has no row has a page, too. */
static int look_at(void *ctx, const struct pm_usage_part *part, struct pm_err *e)
{
	int64_t *sum = ctx;

	(void)e;
	ck_assert_ptr_nonnull(part->table);
	ck_assert_msg((strcmp(part->name, part->table) != 0) == part->index, "%s", part->name);
	/* Unknown where SQLite was built without what tells it. */
	if (part->bytes != PM_USAGE_UNKNOWN && *sum != PM_USAGE_UNKNOWN)
		*sum += part->bytes;
	else
		*sum = PM_USAGE_UNKNOWN;
	sum[1 + part->index]++;
	return 0;
}

START_TEST(sizes_add_up)
{
	static const char gone[] =
		"CREATE TABLE big AS SELECT zeroblob(300000) AS b; DROP TABLE big";
	int64_t sum[3] = { 0 }, bytes, unused, after;
	struct pm_err e;
	size_t tables;

	pm_schema_tables(&tables);
	ck_assert_int_eq(pm_usage_whole(db, &bytes, &unused, &e), 0);
	ck_assert_int_gt(bytes, 0);
	ck_assert_int_eq(unused, 0);
	ck_assert_int_eq(pm_usage_parts(db, look_at, sum, &e), 0);
	ck_assert_int_eq(sum[1], (int64_t)tables);
	ck_assert_int_gt(sum[2], 0);
	/* What is left is the catalog's. */
	ck_assert(sum[0] == PM_USAGE_UNKNOWN || (sum[0] < bytes && sum[0] > bytes / 2));
	ck_assert_int_eq(pm_db_exec(db, gone, &e), 0);
	ck_assert_int_eq(pm_usage_whole(db, &after, &unused, &e), 0);
	ck_assert(unused >= 300000 && unused < 400000);
	ck_assert_int_eq(after, bytes + unused);
	ck_assert_int_eq(pm_usage_spaces(db, NULL, NULL, &e), 1);
}
END_TEST

START_TEST(all_is_deleted_but_what_a_new_database_has)
{
	size_t n;
	const struct pm_schema_table *t = pm_schema_tables(&n);
	struct pm_err e;

	ck_assert_msg(pm_erase_all(db, &e) == 0, "%s", e.text);
	for (size_t i = 0; i < n; i++) {
		int want = strcmp(t[i].name, "metric") == 0           ? PM_COLUMNS
			   : strcmp(t[i].name, "schema_version") == 0 ? 1
								      : 0;
		char sql[128];
		struct pm_stmt *q;

		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", t[i].name);
		ck_assert_int_eq(pm_db_prepare(db, sql, &q, &e), 0);
		ck_assert_int_eq(pm_db_step(q, &e), 1);
		ck_assert_msg(pm_db_int(q, 0) == want, "%s", t[i].name);
		pm_db_finish(q);
	}
	/* Foreign keys are followed again. */
	ck_assert_int_eq(pm_db_exec(db, "INSERT INTO host (job_id, id) VALUES (1, 1)", &e), -1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("schema_views");
	TCase *t = tcase_create("views");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_loop_test(t, views_show_what_the_rows_have, 0, sizeof shown / sizeof shown[0]);
	tcase_add_test(t, the_dictionary_has_every_column_of_a_record);
	tcase_add_test(t, a_new_database_notes_version_and_time);
	tcase_add_test(t, columns_say_what_they_are);
	tcase_add_test(t, sizes_add_up);
	tcase_add_test(t, all_is_deleted_but_what_a_new_database_has);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
