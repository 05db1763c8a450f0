/* manage/: verbs on a small database made by hand: which jobs they choose, what they say, their
 * exit status. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/now.h"
#include "common/settings/readconfig.h"
#include "db/db.h"
#include "db/userdays.h"
#include "manage/dbsize.h"
#include "manage/jobs.h"
#include "tests/unit/main.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct pm_err e;
static struct pm_cli cli;
static char *operand[8];
static char said[8192];

static struct pm_db *open_db(enum pm_db_mode mode)
{
	struct pm_db *db;

	ck_assert_msg(pm_db_open(&db, "x.db", mode, &e) == 0, "%s", e.text);
	return db;
}

static void run(const char *sql)
{
	struct pm_db *db = open_db(PM_DB_WRITE);

	ck_assert_msg(pm_db_exec(db, sql, &e) == 0, "%s: %s", sql, e.text);
	pm_db_close(db);
}

/* One number that a query finds. */
static int64_t number(const char *sql)
{
	struct pm_db *db = open_db(PM_DB_READ);
	struct pm_stmt *q;
	int64_t n;

	ck_assert_msg(pm_db_prepare(db, sql, &q, &e) == 0, "%s: %s", sql, e.text);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	n = pm_db_int(q, 0);
	pm_db_finish(q);
	pm_db_close(db);
	return n;
}

static void begin(void)
{
	pm_unit_set_up();
	ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
	ck_assert_int_eq(pm_config_set(PM_SET_db, "x.db", &e), 0);
	memset(&cli, 0, sizeof cli);
	cli.argv = operand;
}

/* Call a verb with operands, a NULL behind the last; what it prints is in `said`. Returns its
 * status. */
static int verb(int (*call)(const struct pm_cli *, struct pm_err *), ...)
{
	int to = dup(STDOUT_FILENO), status;
	size_t n;
	va_list list;
	FILE *out;

	cli.argc = 0;
	va_start(list, call);
	while ((operand[cli.argc] = va_arg(list, char *)))
		cli.argc++;
	va_end(list);
	fflush(stdout);
	ck_assert_ptr_nonnull(freopen("out", "w", stdout));
	e.text[0] = '\0';
	status = call(&cli, &e);
	fflush(stdout);
	dup2(to, STDOUT_FILENO);
	close(to);
	out = fopen("out", "r");
	n = fread(said, 1, sizeof said - 1, out);
	said[n] = '\0';
	fclose(out);
	return status;
}

static void job(int id, const char *user, const char *jobid, const char *task, const char *rest)
{
	char sql[512];

	snprintf(sql, sizeof sql,
		 "INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, "
		 "epoch_us, "
		 "end_us, start_us, processes, problems) VALUES (%d, '', '%s', '%s', '%s', 0, %s)",
		 id, user, jobid, task, rest);
	run(sql);
}

/* A moment so many days ago, in SQL. */
static const char *ago(int days)
{
	static char text[4][32];
	static int i;

	i = (i + 1) % 4;
	snprintf(text[i], sizeof text[i], "%lld",
		 (long long)(pm_now_us() - (int64_t)days * 86400 * 1000000));
	return text[i];
}

static void old_jobs(void)
{
	char rest[256];

	/* By its end, else its start, else its epoch. */
	snprintf(rest, sizeof rest, "%s, %s, %s, 5, 'odd'", ago(200), ago(100), ago(200));
	job(1, "a", "end", "", rest);
	snprintf(rest, sizeof rest, "%s, NULL, %s, 7, NULL", ago(10), ago(100));
	job(2, "a", "start", "", rest);
	snprintf(rest, sizeof rest, "%s, NULL, NULL, NULL, NULL", ago(100));
	job(3, "a", "epoch", "", rest);
	snprintf(rest, sizeof rest, "%s, %s, %s, 100, NULL", ago(200), ago(80), ago(200));
	job(4, "a", "young", "", rest);
	snprintf(rest, sizeof rest, "%s, NULL, %s, 100, NULL", ago(200), ago(80));
	job(5, "a", "started", "", rest);
	run("INSERT INTO host (job_id, id, hostname) SELECT id, 1, 'h' FROM job");
	run("INSERT INTO process (job_id, id, host_id, pid) VALUES (1, 1, 1, 1), (4, 1, 1, 1)");
	run("INSERT INTO series (job_id, id, host_id, source, metric, object, unit, kind) VALUES "
	    "(2, 1, 1, 'load', 'load', '', '', 'gauge')");
}

START_TEST(retire_counts)
{
	old_jobs();
	cli.given[PM_OPT_dry_run] = 1;
	cli.value[PM_OPT_older_than] = "90d";
	ck_assert_int_eq(verb(pm_verb_retire, NULL), PM_EXIT_OK);
	ck_assert_int_eq(
		strncmp(said, "would retire 3 jobs with 12 processes, ended before 20", 53), 0);
	ck_assert_ptr_null(strstr(said, "summaries"));
	/* Of those whose detail is gone nothing is left to do. */
	cli.given[PM_OPT_keep_summary] = 1;
	ck_assert_int_eq(verb(pm_verb_retire, NULL), PM_EXIT_OK);
	ck_assert_int_eq(strncmp(said, "would retire 2 jobs with 12 processes, ", 39), 0);
	ck_assert_ptr_nonnull(strstr(said, "; summaries and programs are kept\n"));
	run("DELETE FROM process WHERE job_id = 1");
	verb(pm_verb_retire, NULL);
	ck_assert_int_eq(strncmp(said, "would retire 1 job with 7 processes, ", 37), 0);
	run("INSERT INTO load (job_id, id, file, source, digest, lines, rejected, bytes, "
	    "loaded_us) "
	    "VALUES (1, 1, 'f', 's', 'd', 1, 0, 1, 1); INSERT INTO content (job_id, load_id, part, "
	    "coding, "
	    "bytes) VALUES (1, 1, 1, '', x'00'); UPDATE job SET processes = 1 WHERE id = 1; DELETE "
	    "FROM series");
	verb(pm_verb_retire, NULL);
	ck_assert_int_eq(strncmp(said, "would retire 1 job with 1 process, ", 35), 0);
	pm_log_level = -1;
	ck_assert_int_eq(verb(pm_verb_retire, NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "");
	ck_assert_int_eq(number("SELECT count(*) FROM job"), 5);
}
END_TEST

START_TEST(retire_keeps_summaries)
{
	old_jobs();
	cli.given[PM_OPT_keep_summary] = 1;
	cli.value[PM_OPT_older_than] = "90d";
	ck_assert_int_eq(verb(pm_verb_retire, NULL), PM_EXIT_OK);
	ck_assert_int_eq(strncmp(said, "retired 2 jobs with 12 processes, ", 34), 0);
	ck_assert_int_eq(number("SELECT count(*) FROM job"), 5);
	ck_assert_int_eq(number("SELECT group_concat(job_id) FROM process"), 4);
	ck_assert_int_eq(number("SELECT count(*) FROM series"), 0);
	ck_assert_int_eq(
		number("SELECT count(*) FROM job WHERE id = 1 AND problems = 'odd; retired: "
		       "its processes, counters and samples are no longer here'"),
		1);
	ck_assert_int_eq(
		number("SELECT count(*) FROM job WHERE id = 2 AND problems = 'retired: its "
		       "processes, counters and samples are no longer here'"),
		1);
	ck_assert_int_eq(number("SELECT count(*) FROM job WHERE id > 2 AND problems IS NULL"), 3);
	/* It is said once, however often. */
	run("INSERT INTO process (job_id, id, host_id, pid) VALUES (1, 1, 1, 1)");
	ck_assert_int_eq(verb(pm_verb_retire, NULL), PM_EXIT_OK);
	ck_assert_int_eq(number("SELECT count(*) FROM job WHERE problems LIKE '%retired%retired%'"),
			 0);
	ck_assert_int_eq(number("SELECT count(*) FROM job WHERE problems LIKE '%retired%'"), 2);
}
END_TEST

/* More than one transaction takes. */
START_TEST(retire_many)
{
	old_jobs();
	run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT "
	    "INTO "
	    "job (cluster, \"user\", jobid, array_task, restart_count, epoch_us, end_us, "
	    "processes) "
	    "SELECT '', 'u', i, '', 0, i, 946684800000000 + i, 1 FROM n");
	/* Whose end is unknown stays. */
	run("INSERT INTO job (cluster, \"user\", jobid, array_task, restart_count, epoch_us, processes) "
	    "VALUES ('', 'u', 'ageless', '', 0, 0, 1)");
	cli.value[PM_OPT_older_than] = "90d";
	ck_assert_int_eq(verb(pm_verb_retire, NULL), PM_EXIT_OK);
	ck_assert_int_eq(strncmp(said, "retired 303 jobs with 312 processes, ", 37), 0);
	ck_assert_int_eq(number("SELECT count(*) FROM job"), 3);
	ck_assert_int_eq(number("SELECT min(id) FROM job"), 4);
	ck_assert_int_eq(number("SELECT count(*) FROM job WHERE jobid = 'ageless'"), 1);
}
END_TEST

START_TEST(what_is_refused)
{
	cli.value[PM_OPT_older_than] = "90d";
	ck_assert_int_eq(verb(pm_verb_retire, NULL), PM_EXIT_FAILED);
	ck_assert_int_eq(access("x.db", F_OK), -1);
	ck_assert_int_eq(verb(pm_verb_retire, "4711", NULL), PM_EXIT_USAGE);
	ck_assert_int_eq(verb(pm_verb_drop, "4711", NULL), PM_EXIT_USAGE);
	ck_assert_int_eq(verb(pm_verb_migrate, "4711", NULL), PM_EXIT_USAGE);
	ck_assert_int_eq(verb(pm_verb_delete, NULL), PM_EXIT_USAGE);
	ck_assert_int_eq(verb(pm_verb_copy, "a.db", NULL), PM_EXIT_USAGE);
	ck_assert_int_eq(verb(pm_verb_copy, "a.db", "a.db", NULL), PM_EXIT_USAGE);
	ck_assert_int_eq(verb(pm_verb_copy, "mysql://x", "a.db", NULL), PM_EXIT_USAGE);
	ck_assert_int_eq(verb(pm_verb_copy, "a.db", "mysql://x", NULL), PM_EXIT_USAGE);
	ck_assert_int_eq(verb(pm_verb_copy, "a.db", "b.db", NULL), PM_EXIT_FAILED);
	ck_assert_int_eq(verb(pm_verb_dbsize, "table", "rooms", NULL), PM_EXIT_USAGE);
	ck_assert_int_eq(verb(pm_verb_delete, "4711", NULL), PM_EXIT_FAILED);
	ck_assert_int_eq(verb(pm_verb_drop, NULL), PM_EXIT_FAILED);
	ck_assert_int_eq(verb(pm_verb_dbsize, NULL), PM_EXIT_FAILED);
	ck_assert_int_eq(verb(pm_verb_verify, NULL), PM_EXIT_FAILED);
	ck_assert_int_eq(verb(pm_verb_migrate, NULL), PM_EXIT_FAILED);
	cli.value[PM_OPT_limit] = "x";
	ck_assert_int_eq(verb(pm_verb_verify, NULL), PM_EXIT_USAGE);
	ck_assert_int_eq(verb(pm_verb_dbsize, NULL), PM_EXIT_USAGE);
	cli.value[PM_OPT_limit] = NULL;
	for (size_t i = 0; i < 4; i++) {
		cli.value[PM_OPT_older_than] = (const char *[]){ "90", "0d", "d", "-1d" }[i];
		ck_assert_int_eq(verb(pm_verb_retire, NULL), PM_EXIT_USAGE);
	}
	cli.value[PM_OPT_older_than] = NULL;
	ck_assert_int_eq(verb(pm_verb_retire, NULL), PM_EXIT_USAGE);
	ck_assert_ptr_nonnull(strstr(e.text, "retire_after"));
	ck_assert_int_eq(access("x.db", F_OK), -1);
	ck_assert_int_eq(access("b.db", F_OK), -1);
}
END_TEST

START_TEST(delete_and_drop)
{
	job(1, "anna", "7", "3", "1, 2, 1, 1, NULL");
	job(2, "bob", "8", "", "1, 2, 1, 0, NULL");
	job(3, "eve\x1b", "9", "", "1, 2, 1, 0, NULL");
	cli.given[PM_OPT_dry_run] = 1;
	cli.value[PM_OPT_job] = "8";
	ck_assert_int_eq(verb(pm_verb_delete, "7_3", "#3", "#1", NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "would delete job #1 anna/7_3 with 1 process from x.db\n"
			       "would delete job #3 eve\\x1b/9 with 0 processes from x.db\n"
			       "would delete job #2 bob/8 with 0 processes from x.db\n");
	cli.given[PM_OPT_dry_run] = 0;
	cli.given[PM_OPT_force] = 1;
	ck_assert_int_eq(verb(pm_verb_delete, "7_3", "nosuch", NULL), PM_EXIT_FAILED);
	ck_assert_int_eq(number("SELECT count(*) FROM job"), 3);
	ck_assert_int_eq(verb(pm_verb_delete, "7_3", NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "deleted job #1 anna/7_3 with 1 process\n"
			       "deleted job #2 bob/8 with 0 processes\n");
	ck_assert_int_eq(number("SELECT id FROM job"), 3);
	cli.given[PM_OPT_dry_run] = 1;
	ck_assert_int_eq(verb(pm_verb_drop, NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "would empty database x.db: 1 job\n");
	cli.given[PM_OPT_dry_run] = 0;
	ck_assert_int_eq(verb(pm_verb_drop, NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "database x.db is empty: 1 job deleted\n");
	ck_assert_int_eq(verb(pm_verb_drop, NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "database x.db is empty: 0 jobs deleted\n");
	pm_log_level = -1;
	ck_assert_int_eq(verb(pm_verb_drop, NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(copy)
{
	job(1, "anna", "7", "3", "1, 2, 1, 1, NULL");
	job(2, "bob", "8", "", "1, 2, 1, 0, NULL");
	cli.given[PM_OPT_dry_run] = 1;
	ck_assert_int_eq(verb(pm_verb_copy, "x.db", "y.db", "8", NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "job #2 bob/8: would be copied, 0 processes\n"
			       "1 job would be copied, 0 already there\n");
	cli.given[PM_OPT_dry_run] = 0;
	ck_assert_int_eq(verb(pm_verb_copy, "x.db", "y.db", "8", NULL), PM_EXIT_OK);
	ck_assert_str_eq(said,
			 "job #2 bob/8: copied, 0 processes\n1 job copied, 0 already there\n");
	ck_assert_int_eq(verb(pm_verb_copy, "x.db", "y.db", NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "job #1 anna/7_3: copied, 1 process\n"
			       "1 job copied, 1 already there, left as they are\n");
	pm_log_level = 1;
	cli.given[PM_OPT_dry_run] = 1;
	ck_assert_int_eq(verb(pm_verb_copy, "x.db", "y.db", "7_3", NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "job #1 anna/7_3: already there, 1 process\n"
			       "0 jobs would be copied, 1 already there, left as they are\n");
	cli.given[PM_OPT_replace] = 1;
	ck_assert_int_eq(verb(pm_verb_copy, "x.db", "y.db", NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "job #1 anna/7_3: would be replaced, 1 process\n"
			       "job #2 bob/8: would be replaced, 0 processes\n"
			       "2 jobs would be copied, 0 already there\n");
	cli.given[PM_OPT_dry_run] = 0;
	ck_assert_int_eq(verb(pm_verb_copy, "x.db", "y.db", "8", NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "job #2 bob/8: replaced, 0 processes\n"
			       "1 job copied, 0 already there\n");
	pm_log_level = -1;
	ck_assert_int_eq(verb(pm_verb_copy, "x.db", "y.db", "8", NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "");
}
END_TEST

/* What dbsize prints of sizes made by hand. */
static char a_job[] = "job", a_index[] = "job_i", b_index[] = "job_j", a_other[] = "other",
	    c_index[] = "other_i", a_space[] = "pg", a_none[] = "none";
static struct pm_dbsize_part part[] = {
	{ a_job, a_job, false, 4096, 12 },   { a_index, a_job, true, 1000, -1 },
	{ a_other, a_other, false, -1, -1 }, { c_index, a_other, true, -1, -1 },
	{ b_index, a_job, true, 2000, -1 },
};
static struct pm_dbsize_space space[] = { { a_space, 5000000 }, { a_none, -1 } };
static struct pm_dbsize_job sized[] = {
	{ 2, 3000, 0, 4000.9 },
	{ 9, 1, 0, 1 },
	{ 1, 20, 0, 0 },
};

static void print(struct pm_dbsize *d, bool json)
{
	struct pm_db *db = open_db(PM_DB_READ);
	struct pm_page page = { .width = 80 };

	page.f = fmemopen(said, sizeof said, "w");
	ck_assert_int_eq((json ? pm_dbsize_json : pm_dbsize_text)(d, db, &page, &e), 0);
	fclose(page.f);
	pm_db_close(db);
}

START_TEST(sizes)
{
	struct pm_dbsize d = {
		PM_DBSIZE_ALL, 5000000, 1000, part, 5, space, 2, false, sized, 3, 3
	};

	job(1, "anna", "7", "3", "1, 2, 1, 1, NULL");
	job(2, "bob", "8", "", "1, 2, 1, 2000, NULL");
	print(&d, false);
	ck_assert_str_eq(said, "x.db: 5.00 MB, 1.00 kB of it free for later loads\n"
			       "\n"
			       "Tables\n"
			       "  Table     Rows     Size  Indexes\n"
			       "  job         12  4.10 kB  3.00 kB\n"
			       "  other  unknown  unknown  unknown\n"
			       "\n"
			       "Indexes\n"
			       "  Index    Table     Size\n"
			       "  job_i    job    1.00 kB\n"
			       "  other_i  other  unknown\n"
			       "  job_j    job    2.00 kB\n"
			       "\n"
			       "Tablespaces\n"
			       "  Tablespace     Size\n"
			       "  pg          5.00 MB\n"
			       "  none        unknown\n"
			       "\n"
			       "Jobs\n"
			       "  Job          Processes   Rows  Estimated size\n"
			       "  #2 bob/8         2 000  3 000         4.00 kB\n"
			       "  #1 anna/7_3          1     20         unknown\n");
	print(&d, true);
	ck_assert_str_eq(said, "{\n"
			       "  \"database\": \"x.db\",\n"
			       "  \"bytes\": 5000000,\n"
			       "  \"free_bytes\": 1000,\n"
			       "  \"tables\": [\n"
			       "    {\n"
			       "      \"name\": \"job\",\n"
			       "      \"bytes\": 4096,\n"
			       "      \"rows\": 12\n"
			       "    },\n"
			       "    {\n"
			       "      \"name\": \"other\",\n"
			       "      \"bytes\": null,\n"
			       "      \"rows\": null\n"
			       "    }\n"
			       "  ],\n"
			       "  \"indexes\": [\n"
			       "    {\n"
			       "      \"name\": \"job_i\",\n"
			       "      \"bytes\": 1000,\n"
			       "      \"table\": \"job\"\n"
			       "    },\n"
			       "    {\n"
			       "      \"name\": \"other_i\",\n"
			       "      \"bytes\": null,\n"
			       "      \"table\": \"other\"\n"
			       "    },\n"
			       "    {\n"
			       "      \"name\": \"job_j\",\n"
			       "      \"bytes\": 2000,\n"
			       "      \"table\": \"job\"\n"
			       "    }\n"
			       "  ],\n"
			       "  \"tablespaces\": [\n"
			       "    {\n"
			       "      \"name\": \"pg\",\n"
			       "      \"bytes\": 5000000\n"
			       "    },\n"
			       "    {\n"
			       "      \"name\": \"none\",\n"
			       "      \"bytes\": null\n"
			       "    }\n"
			       "  ],\n"
			       "  \"jobs\": [\n"
			       "    {\n"
			       "      \"id\": 2,\n"
			       "      \"job\": \"bob/8\",\n"
			       "      \"processes\": 2000,\n"
			       "      \"rows\": 3000,\n"
			       "      \"about_bytes\": 4000\n"
			       "    },\n"
			       "    {\n"
			       "      \"id\": 1,\n"
			       "      \"job\": \"anna/7_3\",\n"
			       "      \"processes\": 1,\n"
			       "      \"rows\": 20,\n"
			       "      \"about_bytes\": null\n"
			       "    }\n"
			       "  ]\n"
			       "}\n");
	d.what = PM_DBSIZE_SPACES | PM_DBSIZE_JOBS;
	d.unused = 0;
	d.bytes = -1;
	d.spaceless = true;
	d.limit = 1;
	print(&d, false);
	ck_assert_str_eq(said, "x.db: unknown\n"
			       "\n"
			       "Tablespaces\n"
			       "  SQLite has none: the database is one file.\n"
			       "\n"
			       "Largest jobs\n"
			       "  Job       Processes   Rows  Estimated size\n"
			       "  #2 bob/8      2 000  3 000         4.00 kB\n");
	d.what = PM_DBSIZE_DATABASE;
	print(&d, true);
	ck_assert_str_eq(said, "{\n"
			       "  \"database\": \"x.db\",\n"
			       "  \"bytes\": null,\n"
			       "  \"free_bytes\": 0\n"
			       "}\n");
}
END_TEST

/* Each word asks for its part; none for the database, its tables and jobs. */
START_TEST(asked_sizes)
{
	static const struct {
		const char *word;
		bool tables, indexes, spaces, jobs;
	} want[] = {
		{ NULL, true, false, false, true },
		{ "all", true, true, true, true },
		{ "database", false, false, false, false },
		{ "table", true, false, false, false },
		{ "tables", true, false, false, false },
		{ "index", false, true, false, false },
		{ "indexes", false, true, false, false },
		{ "tablespace", false, false, true, false },
		{ "job", false, false, false, true },
		{ "jobs", false, false, false, true },
	};
	run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12) INSERT "
	    "INTO "
	    "job (cluster, \"user\", jobid, array_task, restart_count, epoch_us) SELECT '', "
	    "'anna', i, "
	    "'', 0, i FROM n; INSERT INTO annotation (job_id, name, value) VALUES (7, 'a', 'b'), "
	    "(7, 'c', 'd'), (3, 'a', 'b')");
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		ck_assert_int_eq(verb(pm_verb_dbsize, want[i].word, NULL), PM_EXIT_OK);
		ck_assert_int_eq(strncmp(said, "x.db: ", 6), 0);
		ck_assert_msg(!strstr(said, "\nTables\n") == !want[i].tables, "%zu tables", i);
		ck_assert_msg(!strstr(said, "\nIndexes\n") == !want[i].indexes, "%zu indexes", i);
		ck_assert_msg(!strstr(said, "\nTablespaces\n") == !want[i].spaces, "%zu spaces", i);
		ck_assert_msg(!strstr(said, "\nLargest jobs\n") == !want[i].jobs, "%zu jobs", i);
	}
	/* Ten of them, those with the most rows first, equal ones by number. */
	ck_assert(strstr(said, "#7 anna") < strstr(said, "#3 anna"));
	ck_assert(strstr(said, "#3 anna") < strstr(said, "#1 anna"));
	ck_assert_ptr_nonnull(strstr(said, "#10 anna"));
	ck_assert_ptr_null(strstr(said, "#11 anna"));
	cli.value[PM_OPT_limit] = "12";
	ck_assert_int_eq(verb(pm_verb_dbsize, "job", NULL), PM_EXIT_OK);
	ck_assert_ptr_nonnull(strstr(said, "\nJobs\n"));
	ck_assert_ptr_nonnull(strstr(said, "#12 anna"));
	cli.value[PM_OPT_limit] = "0";
	ck_assert_int_eq(verb(pm_verb_dbsize, "job", NULL), PM_EXIT_OK);
	ck_assert_ptr_nonnull(strstr(said, "#12 anna"));
}
END_TEST

/* Jobs that are as their rows say, but for two numbers of the first and a host of nobody. */
START_TEST(faults)
{
	struct pm_db *db;

	job(1, "anna", "7", "3", "1, NULL, NULL, 0, NULL");
	job(2, "bob", "8", "", "1, NULL, NULL, 0, NULL");
	run("UPDATE job SET hosts = 0, excluded = 0, folded = 0, rejected = 0");
	db = open_db(PM_DB_WRITE);
	ck_assert_int_eq(pm_userdays_fill(db, &e), 0);
	pm_db_close(db);
	ck_assert_int_eq(verb(pm_verb_verify, NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "x.db: 2 jobs checked, 0 faults\n");
	run("UPDATE job SET failed = 0, killed = 0 WHERE id = 1; PRAGMA foreign_keys = OFF;"
	    "INSERT INTO annotation (job_id, name, value) VALUES (9, 'a', 'b')");
	ck_assert_int_eq(verb(pm_verb_verify, NULL), PM_EXIT_FAILED);
	ck_assert_str_eq(said,
			 "job #9, which is missing: 1 rows of table annotation: they point to "
			 "no row; expected: a row of table job\n"
			 "job #1 anna/7_3: summary: failed 0; expected: no failed\n"
			 "job #1 anna/7_3: summary: killed 0; expected: no killed\n"
			 "x.db: 2 jobs checked, 3 faults\n");
	ck_assert_int_eq(verb(pm_verb_verify, "8", NULL), PM_EXIT_OK);
	ck_assert_str_eq(said, "x.db: 1 job checked, 0 faults\n");
	cli.value[PM_OPT_limit] = "1";
	cli.value[PM_OPT_job] = "7_3";
	ck_assert_int_eq(verb(pm_verb_verify, NULL), PM_EXIT_FAILED);
	ck_assert_str_eq(said, "job #1 anna/7_3: summary: failed 0; expected: no failed\n"
			       "job #1 anna/7_3: 1 more in check summary\n"
			       "x.db: 1 job checked, 2 faults\n");
	cli.given[PM_OPT_json] = 1;
	ck_assert_int_eq(verb(pm_verb_verify, "8", NULL), PM_EXIT_FAILED);
	ck_assert_str_eq(said, "{\n"
			       "  \"database\": \"x.db\",\n"
			       "  \"jobs\": 2,\n"
			       "  \"faults\": 2,\n"
			       "  \"list\": [\n"
			       "    {\n"
			       "      \"job\": 1,\n"
			       "      \"check\": \"summary\",\n"
			       "      \"what\": \"summary\",\n"
			       "      \"stored\": \"failed 0\",\n"
			       "      \"expected\": \"no failed\"\n"
			       "    }\n"
			       "  ]\n"
			       "}\n");
	cli.given[PM_OPT_json] = 0;
	pm_log_level = -1;
	ck_assert_int_eq(verb(pm_verb_verify, NULL), PM_EXIT_FAILED);
	ck_assert_str_eq(said, "job #1 anna/7_3: summary: failed 0; expected: no failed\n"
			       "job #1 anna/7_3: 1 more in check summary\n");
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		retire_counts,   retire_keeps_summaries,
		retire_many,     what_is_refused,
		delete_and_drop, copy,
		sizes,           asked_sizes,
		faults,
	};
	Suite *s = suite_create("manage");
	TCase *t = tcase_create("verbs");

	tcase_add_checked_fixture(t, begin, pm_unit_tear_down);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
