/* report/select.c, unloaded.c, given.c: which job is meant, from where it is read, and how much of
 * it is asked for. */
#include "config.h"

#include "common/settings/readconfig.h"
#include "db/db.h"
#include "db/programs.h"
#include "report/print/options.h"
#include "report/query/unloaded.h"
#include "report/select.h"
#include "tests/unit/main.h"

#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define S 1000000LL

static struct pm_err e;
static struct pm_cli cli;
static const char *user;

static void begin(void)
{
	struct passwd *pw = getpwuid(getuid());
	char path[PATH_MAX];

	pm_unit_set_up();
	user = pw ? pw->pw_name : "nobody";
	ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
	ck_assert_int_eq(mkdir("prefix", 0755), 0);
	snprintf(path, sizeof path, "%s/prefix", pm_unit_dir);
	ck_assert_int_eq(pm_config_set(PM_SET_output_prefix, path, &e), 0);
	ck_assert_int_eq(pm_config_set(PM_SET_db, "x.db", &e), 0);
	ck_assert_int_eq(pm_config_set(PM_SET_output, "", &e), 0);
	memset(&cli, 0, sizeof cli);
}

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	ck_assert_msg(out != NULL, "%s", path);
	fputs(text, out);
	fclose(out);
}

/* A recorded job of this user's, or one more host of it, that started at a second; below 0: not
 * known when. */
static void recorded(const char *name, const char *host, long long second)
{
	char path[PATH_MAX], text[1024], start[64] = "";

	snprintf(path, sizeof path, "prefix/%s", user);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "prefix/%s/%s", user, name);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "prefix/%s/%s/job-%s.json", user, name, host);
	if (second >= 0)
		snprintf(start, sizeof start, "\"time_us\": %lld", second * S);
	snprintf(text, sizeof text,
		 "{\"format\": \"perfmon-job-1\", \"job\": {\"cluster\": \"\", \"user\": \"%s\", "
		 "\"uid\": %d, \"jobid\": \"%s\", \"array_task\": \"\", \"restart_count\": 0, "
		 "\"name\": \"recorded\", \"epoch_us\": %lld}, \"host\": {\"hostname\": \"%s\"}, "
		 "\"start\": {%s}}",
		 user, (int)getuid(), name, second, host, start);
	write_file(path, text);
}

/* The directory that is found of a name, without what all of them have; "" where there is none. */
static const char *unloaded(const char *name, int64_t after_us)
{
	static char path[PATH_MAX];
	const char *slash;
	int rc = pm_unloaded_find(name, after_us, path, &e);

	ck_assert_msg(rc >= 0, "%s", e.text);
	if (rc == 0)
		return "";
	slash = strrchr(path, '/');
	ck_assert_int_eq(access(path, F_OK), 0);
	return slash + 1;
}

/* The one that started last, and later than a time; of several hosts the first start counts. */
START_TEST(the_newest_that_is_recorded)
{
	struct timespec old[2] = { { 1500, 0 }, { 1500, 0 } };
	char path[PATH_MAX];

	ck_assert_str_eq(unloaded(NULL, 0), "");
	recorded("a", "h1", 2000);
	recorded("b", "h1", 3000);
	recorded("c", "h1", 5000);
	recorded("c", "h2", 1000);
	recorded("c", "h3", 6000);
	recorded("never", "h1", -1);
	ck_assert_str_eq(unloaded(NULL, 0), "b");
	ck_assert_str_eq(unloaded(NULL, 3000 * S - 1), "b");
	ck_assert_str_eq(unloaded(NULL, 3000 * S), "");
	ck_assert_str_eq(unloaded("a", 0), "a");
	ck_assert_str_eq(unloaded("c", 999 * S), "c");
	ck_assert_str_eq(unloaded("c", 1000 * S), "");
	ck_assert_str_eq(unloaded("none", INT64_MIN), "");
	/* Even where it is not known when. */
	ck_assert_str_eq(unloaded("never", 0), "");
	ck_assert_str_eq(unloaded("never", INT64_MIN), "never");
	/* Begun again, under the name with the time. */
	recorded("a.2500", "h1", 2500);
	ck_assert_str_eq(unloaded("a", 0), "a.2500");
	/* No job started after its metadata were written. */
	snprintf(path, sizeof path, "prefix/%s/b/job-h1.json", user);
	ck_assert_int_eq(utimensat(AT_FDCWD, path, old, 0), 0);
	ck_assert_str_eq(unloaded("b", 1501 * S), "");
	ck_assert_str_eq(unloaded("b", 1500 * S), "b");
}
END_TEST

/* Nothing but a file that is called so is read. */
START_TEST(what_is_no_metadata)
{
	char path[PATH_MAX], target[PATH_MAX];

	recorded("a", "h1", 2000);
	snprintf(path, sizeof path, "prefix/%s/a/job-fifo.json", user);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	recorded("other", "h1", 1000);
	snprintf(target, sizeof target, "%s/prefix/%s/other/job-h1.json", pm_unit_dir, user);
	snprintf(path, sizeof path, "prefix/%s/a/job-link.json", user);
	ck_assert_int_eq(symlink(target, path), 0);
	snprintf(path, sizeof path, "prefix/%s/a/job-odd.json", user);
	write_file(path, "{\"start\": {\"time_us\": \"soon\"}}");
	snprintf(path, sizeof path, "prefix/%s/a/job-bad.json", user);
	write_file(path, "{\"start\": {\"time_us\": 5");
	snprintf(path, sizeof path, "prefix/%s/a/xjob-h1.json", user);
	write_file(path, "{\"start\": {\"time_us\": 5}}");
	snprintf(path, sizeof path, "prefix/%s/a/job-h1.json.old", user);
	write_file(path, "{\"start\": {\"time_us\": 5}}");
	ck_assert_str_eq(unloaded("a", 1999 * S), "a");
}
END_TEST

/* Five jobs, the last of a user by name. */
static void database_of(const char *owner)
{
	char sql[1024];
	struct pm_db *db;

	snprintf(sql, sizeof sql,
		 "INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, "
		 "epoch_us, "
		 "uid, start_us, name) VALUES "
		 "(1, 'c', 'bob', '77', '3', 0, 1, %d, 1000000000, 'first'),"
		 "(2, 'c', 'bob', '77', '4', 0, 1, %d, 3000000000, NULL),"
		 "(3, 'd', 'eve', '88', '', 0, 1, 5, 9000000000, 'x'),"
		 "(4, 'd', 'eve', '99', '', 0, 1, %d, NULL, 'x'),"
		 "(5, '', '%s', 'mine', '', 0, 1, %d, 2000000000, 'y')",
		 (int)getuid(), (int)getuid(), (int)getuid(), owner, (int)getuid());
	ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_WRITE, &e) == 0, "%s", e.text);
	ck_assert_msg(pm_db_exec(db, sql, &e) == 0, "%s", e.text);
	pm_db_close(db);
}

static void database(void)
{
	database_of(user);
}

/* The same, where the newest job of this user's has no name of the user. */
static void database_nameless(void)
{
	struct pm_db *db;

	database();
	ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_WRITE, &e) == 0, "%s", e.text);
	ck_assert_int_eq(pm_db_exec(db, "UPDATE job SET \"user\" = '' WHERE id = 2", &e), 0);
	pm_db_close(db);
}

static struct pm_selection s;

/* The number of the job that is selected, -1 where none is. */
static int64_t select_job(const char *operand)
{
	int rc;

	e.text[0] = '\0';
	rc = pm_select_job(&cli, operand, &s, &e);
	pm_select_close(&s);
	ck_assert_msg((rc == 0) == (e.text[0] == '\0'), "%s", e.text);
	return rc < 0 ? -1 : s.job;
}

START_TEST(names)
{
	static const struct {
		const char *operand;
		int64_t job;
	} want[] = {
		{ "#1", 1 },         { "#3", 3 },         { "#6", -1 },     { "#", -1 },
		{ "#1x", -1 },       { "77_3", 1 },       { "77_4", 2 },    { "77_5", -1 },
		{ "bob/77_3", 1 },   { "c/bob/77_3", 1 }, { "88", 3 },      { "d/eve/88", 3 },
		{ "c/eve/88", -1 },  { "d/bob/88", -1 },  { "bob/88", -1 }, { "88_", -1 },
		{ "d/eve/88/", -1 }, { "8", -1 },         { "1", -1 },      { "x/d/eve/88", -1 },
	};
	char large[300];

	database();
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		ck_assert_msg(select_job(want[i].operand) == want[i].job, "%s: %lld",
			      want[i].operand, (long long)s.job);
	memset(large, '8', sizeof large - 1);
	large[sizeof large - 1] = '\0';
	ck_assert_int_eq(select_job(large), -1);
	ck_assert(s.unknown);
	cli.value[PM_OPT_job] = "88";
	ck_assert_int_eq(select_job(NULL), 3);
	ck_assert_int_eq(select_job("#1"), 1);
}
END_TEST

/* An error says what could have been meant: those of an id, the newest first; else what is similar.
 */
START_TEST(what_could_have_been_meant)
{
	database_of("zoe");
	ck_assert_int_eq(select_job("77"), -1);
	ck_assert_str_eq(e.text,
			 "several jobs match; name one by its number, quoted for the shell: #2 "
			 "c/bob/77_4 (1970-01-01 00:50), #1 c/bob/77_3 (1970-01-01 00:16, first)");
	ck_assert(!s.unknown);
	ck_assert_int_eq(select_job("9"), -1);
	ck_assert_str_eq(e.text,
			 "9: no such job in x.db; similar or recent jobs (quote a number in the "
			 "shell): #4 d/eve/99 (unknown, x), #3 d/eve/88 (1970-01-01 02:30, "
			 "x), #2 c/bob/77_4 (1970-01-01 00:50), #5 zoe/mine (1970-01-01 00:33, "
			 "y), #1 c/bob/77_3 (1970-01-01 00:16, first)");
	ck_assert(s.unknown);
	ck_assert_int_eq(select_job("bob/5"), -1);
	ck_assert_str_eq(e.text,
			 "bob/5: no such job in x.db; similar or recent jobs (quote a number in "
			 "the shell): #5 zoe/mine (1970-01-01 00:33, y), #3 d/eve/88 "
			 "(1970-01-01 02:30, x), #2 c/bob/77_4 (1970-01-01 00:50), #1 c/bob/77_3 "
			 "(1970-01-01 00:16, first), #4 d/eve/99 (unknown, x)");
	ck_assert_int_eq(select_job("888"), -1);
	ck_assert_str_eq(e.text,
			 "888: no such job in x.db; similar or recent jobs (quote a number in the "
			 "shell): #3 d/eve/88 (1970-01-01 02:30, x), #2 c/bob/77_4 "
			 "(1970-01-01 00:50), #5 zoe/mine (1970-01-01 00:33, y), #1 c/bob/77_3 "
			 "(1970-01-01 00:16, first), #4 d/eve/99 (unknown, x)");
}
END_TEST

/* As many as fit are told of, eight at most. */
START_TEST(many_of_a_name)
{
	struct pm_db *db;
	int n = 0;

	database();
	ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_WRITE, &e) == 0, "%s", e.text);
	ck_assert_int_eq(
		pm_db_exec(db,
			   "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n "
			   "WHERE i < 20) INSERT INTO job (id, cluster, \"user\", jobid, "
			   "array_task, restart_count, epoch_us) SELECT i, '', 'u', '5', '', "
			   "0, i FROM n; DELETE FROM job WHERE id < 5",
			   &e),
		0);
	pm_db_close(db);
	ck_assert_int_eq(select_job("5"), -1);
	for (const char *p = e.text; (p = strchr(p, '#')); p++)
		n++;
	ck_assert_int_eq(n, 8);
	ck_assert_ptr_nonnull(strstr(e.text, ": #20 u/5 (unknown), #19 u/5 (unknown), #18"));
}
END_TEST

START_TEST(an_empty_database)
{
	struct pm_db *db;

	ck_assert_int_eq(select_job("5"), -1);
	ck_assert_ptr_nonnull(
		strstr(e.text, "; load recorded jobs with `perfmon submit`, or name"));
	ck_assert(s.unknown);
	ck_assert_int_eq(select_job(NULL), -1);
	ck_assert_ptr_nonnull(
		strstr(e.text, "; load recorded jobs with `perfmon submit`, or name"));
	ck_assert_int_eq(pm_select_database(&cli, NULL, &s, &e), -1);
	pm_select_close(&s);
	ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_WRITE, &e) == 0, "%s", e.text);
	pm_db_close(db);
	ck_assert_int_eq(select_job("5"), -1);
	ck_assert_str_eq(e.text, "5: no such job in x.db: it holds no jobs");
	ck_assert_int_eq(select_job(NULL), -1);
	ck_assert_str_eq(e.text, "x.db holds no job of yours; load recorded jobs with `perfmon "
				 "submit`, or list the jobs of others with `perfmon list jobs`");
	/* All jobs are meant where none is named. */
	ck_assert_int_eq(pm_select_database(&cli, NULL, &s, &e), 0);
	ck_assert(s.db && s.job == 0);
	pm_select_close(&s);
	ck_assert_int_eq(pm_select_database(&cli, "5", &s, &e), -1);
	pm_select_close(&s);
	cli.value[PM_OPT_job] = "6";
	ck_assert_int_eq(pm_select_database(&cli, NULL, &s, &e), -1);
	pm_select_close(&s);
	ck_assert_ptr_nonnull(strstr(e.text, "6: no such job"));
}
END_TEST

/* What is read of a job: from the directory 0, from the database its number. Its name says which.
 */
static const char *name_of(const char *operand)
{
	static char text[64];
	struct pm_stmt *q;

	e.text[0] = '\0';
	if (pm_select_job(&cli, operand, &s, &e) < 0) {
		pm_select_close(&s);
		return "none";
	}
	ck_assert_int_eq(pm_db_prepare(s.db,
				       "SELECT jobid || ' ' || coalesce(name, '') FROM job "
				       "WHERE id = ?",
				       &q, &e),
			 0);
	pm_db_bind_int(q, 1, s.job);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	snprintf(text, sizeof text, "%s", pm_db_text(q, 0, NULL));
	pm_db_finish(q);
	pm_select_close(&s);
	return text;
}

/* What is loaded comes before what is recorded; a path is read as such; without a name the newest,
 * wherever it is, and of the batch system's job that one. */
START_TEST(loaded_or_not)
{
	char path[PATH_MAX];

	recorded("77_3", "h1", 5000);
	recorded("new", "h1", 2500);
	/* Without a database. */
	ck_assert_str_eq(name_of("new"), "new recorded");
	ck_assert_str_eq(name_of(NULL), "77_3 recorded");
	database_nameless();
	ck_assert_str_eq(name_of("new"), "new recorded");
	ck_assert_str_eq(name_of("77_3"), "77 first");
	snprintf(path, sizeof path, "prefix/%s/77_3", user);
	ck_assert_str_eq(name_of(path), "77_3 recorded");
	ck_assert_str_eq(name_of("./prefix"), "none");
	ck_assert_str_eq(name_of("none.tar"), "none");
	ck_assert_str_eq(name_of("/none"), "none");
	ck_assert_ptr_null(strstr(e.text, "no such job"));
	/* The newest of mine: 77_3 as it is recorded; then what is loaded. */
	ck_assert_str_eq(name_of(NULL), "77_3 recorded");
	snprintf(path, sizeof path, "prefix/%s/77_3/job-h1.json", user);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_str_eq(name_of(NULL), "77 ");
	cli.batch_job = "mine";
	ck_assert_str_eq(name_of(NULL), "mine y");
	cli.batch_job = "77_3";
	ck_assert_str_eq(name_of(NULL), "77 first");
	cli.batch_job = "new";
	ck_assert_str_eq(name_of(NULL), "new recorded");
	cli.batch_job = "88"; /* another's: mine is the newest */
	ck_assert_str_eq(name_of(NULL), "77 ");
}
END_TEST

/* This shell's own job: what is recorded, else, by the name of its directory, what was loaded. */
START_TEST(own)
{
	char path[PATH_MAX];

	database_nameless();
	recorded("new", "h1", 500);
	snprintf(path, sizeof path, "%s/prefix/%s/new", pm_unit_dir, user);
	ck_assert_int_eq(pm_config_set(PM_SET_output, path, &e), 0);
	ck_assert_str_eq(name_of(NULL), "new recorded");
	ck_assert_str_eq(name_of("88"), "88 x");
	snprintf(path, sizeof path, "%s/prefix/%s/mine//", pm_unit_dir, user);
	ck_assert_int_eq(pm_config_set(PM_SET_output, path, &e), 0);
	ck_assert_str_eq(name_of(NULL), "mine y");
	/* Of another user of this name, or of none, it is not. */
	snprintf(path, sizeof path, "%s/prefix/%s/88", pm_unit_dir, user);
	ck_assert_int_eq(pm_config_set(PM_SET_output, path, &e), 0);
	ck_assert_str_eq(name_of(NULL), "77 ");
}
END_TEST

/* By a verb that changes: never a path. */
START_TEST(named)
{
	struct pm_db *db;
	int64_t job;

	database();
	recorded("new", "h1", 5000);
	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_READ, &e), 0);
	ck_assert_int_eq(pm_select_named(db, "eve/88", &job, &e), 1);
	ck_assert_int_eq(job, 3);
	ck_assert_int_eq(pm_select_named(db, "new", &job, &e), 0);
	ck_assert_int_eq(job, 0);
	ck_assert_ptr_nonnull(strstr(e.text, "new: no such job in x.db; similar"));
	ck_assert_int_eq(pm_select_named(db, "77", &job, &e), -1);
	ck_assert_int_eq(job, 0);
	ck_assert_ptr_nonnull(strstr(e.text, "several jobs match"));
	pm_db_close(db);
}
END_TEST

START_TEST(width_and_limit)
{
	static const struct {
		const char *given, *columns;
		int width; /* 0: refused */
	} widths[] = {
		{ "59", NULL, 0 },      { "60", NULL, 60 }, { "1000", "70", 1000 },
		{ "1001", NULL, 0 },    { "x", NULL, 0 },   { "", NULL, 0 },
		{ NULL, NULL, 80 },     { NULL, "59", 60 }, { NULL, "61", 61 },
		{ NULL, "2000", 1000 }, { NULL, "x", 80 },  { NULL, "", 80 },
	};
	static const struct {
		const char *given;
		int64_t limit; /* 0: refused */
	} limits[] = {
		{ NULL, 7 }, { "0", INT64_MAX }, { "1", 1 }, { "-1", 0 }, { "x", 0 }, { "1x", 0 },
	};
	struct pm_page page;
	int64_t limit;

	/* No terminal, whose width counts for more. */
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
		cli.value[PM_OPT_width] = widths[i].given;
		if (widths[i].columns)
			setenv("COLUMNS", widths[i].columns, 1);
		else
			unsetenv("COLUMNS");
		if (pm_options_page(&cli, &page, &e) < 0)
			page.width = 0;
		ck_assert_msg(page.width == widths[i].width, "%zu: %d", i, page.width);
	}
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		cli.value[PM_OPT_limit] = limits[i].given;
		if (pm_options_limit(&cli, 7, &limit, &e) < 0)
			limit = 0;
		ck_assert_msg(limit == limits[i].limit, "%zu: %lld", i, (long long)limit);
	}
	cli.value[PM_OPT_limit] = NULL;
	ck_assert_int_eq(pm_options_limit(&cli, 0, &limit, &e), 0);
	ck_assert(limit == INT64_MAX);
}
END_TEST

/* Times that a text is in what a verb prints. */
static int printed(int (*verb)(const struct pm_cli *, struct pm_err *), const char *text)
{
	static char said[1 << 19];
	int to = dup(STDOUT_FILENO), n = 0;
	size_t len;
	FILE *out;

	fflush(stdout);
	ck_assert_ptr_nonnull(freopen("out", "w", stdout));
	ck_assert_int_eq(verb(&cli, &e), PM_EXIT_OK);
	fflush(stdout);
	dup2(to, STDOUT_FILENO);
	close(to);
	out = fopen("out", "r");
	len = fread(said, 1, sizeof said - 1, out);
	said[len] = '\0';
	fclose(out);
	for (const char *at = said; (at = strstr(at, text)); at++)
		n++;
	return n;
}

/* A tree has as many lines as people read, a list and JSON all. */
START_TEST(how_much_is_shown)
{
	struct pm_db *db;

	database();
	ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_WRITE, &e) == 0, "%s", e.text);
	ck_assert_msg(
		pm_db_exec(
			db,
			"INSERT INTO host (job_id, id, hostname) VALUES (3, 1, 'h'); WITH "
			"RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
			"201) INSERT INTO process (job_id, id, host_id, pid, exename, "
			"depth, generation, image_us) SELECT 3, i, 1, i, 'p' || i, 0, 0, i FROM n",
			&e) == 0,
		"%s", e.text);
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	ck_assert_msg(pm_programs_renew(db, 3, &e) == 0, "%s", e.text);
	ck_assert_int_eq(pm_db_commit(db, &e), 0);
	pm_db_close(db);
	cli.value[PM_OPT_job] = "88";
	ck_assert_int_eq(printed(pm_verb_show, " p"), 200);
	ck_assert_int_eq(printed(pm_verb_report, "  p"), 15);
	cli.value[PM_OPT_limit] = "0";
	ck_assert_int_eq(printed(pm_verb_show, " p"), 201);
	ck_assert_int_eq(printed(pm_verb_report, "\n  p"), 603);
	cli.value[PM_OPT_limit] = NULL;
	cli.given[PM_OPT_json] = 1;
	ck_assert_int_eq(printed(pm_verb_show, "\"exename\":\"p"), 201);
	cli.argc = 1;
	cli.argv = (char *[]){ (char[]){ "processes" }, NULL };
	ck_assert_int_eq(printed(pm_verb_list, "\"exename\":\"p"), 201);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		the_newest_that_is_recorded,
		what_is_no_metadata,
		names,
		what_could_have_been_meant,
		many_of_a_name,
		an_empty_database,
		loaded_or_not,
		own,
		named,
		width_and_limit,
		how_much_is_shown,
	};
	Suite *all = suite_create("report_select");
	TCase *t = tcase_create("select");

	tcase_add_checked_fixture(t, begin, pm_unit_tear_down);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(all, t);
	return all;
}

PM_UNIT_MAIN(suite)
