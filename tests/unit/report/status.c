/* report/status.c, status_find.c: where each of the user's jobs is, and what there is to say. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/job/jobdir.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "db/db.h"
#include "report/status.h"
#include "tests/unit/main.h"

#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define S 1000000LL

static struct pm_err e;
static struct pm_cli cli;
static char said[8192], host[256], boot[64];
static const char *user;

static void begin(void)
{
	struct passwd *pw = getpwuid(getuid());
	char path[PATH_MAX];
	FILE *in;

	pm_unit_set_up();
	user = pw ? pw->pw_name : "nobody";
	pm_jobdir_host(host, sizeof host);
	in = fopen("/proc/sys/kernel/random/boot_id", "r");
	if (in && fgets(boot, sizeof boot, in))
		boot[strcspn(boot, "\n")] = '\0';
	if (in)
		fclose(in);
	ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
	ck_assert_int_eq(setenv("LC_ALL", "C", 1), 0);
	ck_assert_int_eq(unsetenv("COLUMNS"), 0);
	ck_assert_int_eq(mkdir("prefix", 0755), 0);
	ck_assert_int_eq(mkdir("spool", 0755), 0);
	snprintf(path, sizeof path, "%s/prefix", pm_unit_dir);
	ck_assert_int_eq(pm_config_set(PM_SET_output_prefix, path, &e), 0);
	ck_assert_int_eq(pm_config_set(PM_SET_stage_to, "spool", &e), 0);
	ck_assert_int_eq(pm_config_set(PM_SET_db, "x.db", &e), 0);
	memset(&cli, 0, sizeof cli);
}

static const char *status(void)
{
	int to = dup(STDOUT_FILENO), rc;
	size_t n;
	FILE *out;

	fflush(stdout);
	ck_assert_ptr_nonnull(freopen("out", "w", stdout));
	rc = pm_verb_status(&cli, &e);
	fflush(stdout);
	dup2(to, STDOUT_FILENO);
	close(to);
	ck_assert_msg(rc == PM_EXIT_OK, "%s", e.text);
	out = fopen("out", "r");
	n = fread(said, 1, sizeof said - 1, out);
	said[n] = '\0';
	fclose(out);
	return said;
}

/* What the metadata of a host say. */
struct meta {
	const char *job, *task, *host, *boot;
	long long start, stop; /* seconds; 0: none */
	const char *facts, *command;
	int unrecorded;
};

static const char *document(const struct meta *m)
{
	static char text[2048];
	size_t len;

	len = (size_t)snprintf(text, sizeof text,
			       "{\"format\": \"perfmon-job-1\", \"job\": {\"cluster\": \"\", "
			       "\"user\": \"%s\", \"uid\": "
			       "%d, \"jobid\": \"%s\", \"array_task\": \"%s\", \"restart_count\": "
			       "0, \"name\": \"the "
			       "%s\", \"facts\": {%s}, \"epoch_us\": 7}, \"host\": {\"hostname\": "
			       "\"%s\", \"boot_id\": "
			       "\"%s\", \"tasks_unrecorded\": %d}",
			       user, (int)getuid(), m->job, m->task ? m->task : "", m->job,
			       m->facts ? m->facts : "", m->host ? m->host : host,
			       m->boot ? m->boot : boot, m->unrecorded);
	if (m->start)
		len += (size_t)snprintf(text + len, sizeof text - len,
					", \"start\": {\"time_us\": %lld%s}", m->start * S,
					m->command ? ", \"command\": [\"true\"]" : "");
	if (m->stop)
		len += (size_t)snprintf(text + len, sizeof text - len,
					", \"stop\": {\"time_us\": %lld}", m->stop * S);
	snprintf(text + len, sizeof text - len, "}");
	return text;
}

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	ck_assert_msg(out != NULL, "%s", path);
	fputs(text, out);
	fclose(out);
}

static void recorded(struct meta m)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "prefix/%s", user);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "prefix/%s/%s", user, m.job);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "prefix/%s/%s/job-%s.json", user, m.job,
		 m.host ? m.host : host);
	write_file(path, document(&m));
}

static void sql(const char *text)
{
	struct pm_db *db;

	ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_WRITE, &e) == 0, "%s", e.text);
	ck_assert_msg(pm_db_exec(db, text, &e) == 0, "%s: %s", text, e.text);
	pm_db_close(db);
}

/* The session or command of a process, that began so many ticks later than it says. */
static const char *process(const char *what, long pid, long later)
{
	static char text[4][256];
	static int i;
	char stat[1024] = "", path[64];
	long long start = 1;
	const char *at;
	FILE *in;

	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	in = fopen(path, "r");
	if (in) {
		ck_assert_ptr_nonnull(fgets(stat, sizeof stat, in));
		fclose(in);
		at = strrchr(stat, ')');
		/* The 22nd field; the name is the second. */
		for (int field = 2; field < 22; field++)
			at = strchr(at + 1, ' ');
		start = strtoll(at, NULL, 10);
	}
	i = (i + 1) % 4;
	snprintf(text[i], sizeof text[i], "\"%s\": \"%ld\", \"%s_start\": \"%lld\"",
		 strcmp(what, "session") == 0 ? "session_id" : "runner_pid", pid, what,
		 start - later);
	return text[i];
}

/* The word behind the name of a job, and the rest of its line. */
static const char *state(const char *job)
{
	static char line[1024];
	char start[64];
	const char *at;

	snprintf(start, sizeof start, "\n%s ", job);
	at = strstr(said, start);
	if (!at)
		return "";
	at += strlen(start);
	at += strspn(at, " ");
	snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
	return line;
}

#define STATE(job, want)                                                                           \
	ck_assert_msg(strncmp(state(job), want, strlen(want)) == 0, "%s: %s", job, state(job))
#define SAYS(job, want)                                                                            \
	ck_assert_msg(strcmp(state(job) + strlen(state(job)) - strlen(want), want) == 0, "%s: %s", \
		      job, state(job))

/* Whether somebody will stop a job that is open: only its own host can tell that nobody will. */
START_TEST(open_or_stale)
{
	const long nobody = 999999999; /* beyond what the kernel gives */

	cli.value[PM_OPT_width] = "200";
	recorded((struct meta){ .job = "closed", .start = 1, .stop = 2 });
	recorded((struct meta){ .job = "nofacts", .start = 1 });
	recorded((struct meta){
		.job = "session", .start = 1, .facts = process("session", getpid(), 0) });
	recorded((struct meta){
		.job = "ended", .start = 1, .facts = process("session", nobody, 0) });
	recorded((struct meta){
		.job = "another", .start = 1, .facts = process("session", getpid(), 1) });
	recorded((struct meta){ .job = "runs",
				.start = 1,
				.command = "x",
				.facts = process("runner", getpid(), 0) });
	recorded((struct meta){
		.job = "ran", .start = 1, .command = "x", .facts = process("runner", nobody, 0) });
	recorded((struct meta){
		.job = "nostart", .start = 1, .facts = "\"session_id\": \"999999999\"" });
	recorded((struct meta){ .job = "elsewhere",
				.start = 1,
				.host = "elsewhere",
				.boot = "other",
				.facts = process("session", nobody, 0) });
	recorded((struct meta){ .job = "rebooted",
				.start = 1,
				.boot = "other",
				.facts = process("session", getpid(), 0) });
	recorded((struct meta){ .job = "noboot",
				.start = 1,
				.boot = "",
				.facts = process("session", getpid(), 0) });
	status();
	STATE("closed", "recorded ");
	STATE("nofacts", "open ");
	STATE("session", "open ");
	STATE("ended", "stale ");
	SAYS("ended", "  its session has ended: perfmon stop -j ended");
	STATE("another", "stale ");
	STATE("runs", "open ");
	STATE("ran", "stale ");
	SAYS("ran", "  its perfmon run has ended: perfmon stop -j ran");
	STATE("nostart", "open ");
	STATE("elsewhere", "open ");
	STATE("noboot", "open ");
	if (*boot) {
		STATE("rebooted", "stale ");
		SAYS("rebooted", "  its host was rebooted: perfmon stop -j rebooted");
	}
}
END_TEST

/* The rows of jobs in the database: some of which are recorded, too. */
static void loaded_jobs(void)
{
	char text[2048];

	snprintf(text, sizeof text,
		 "INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, "
		 "epoch_us, "
		 "uid, start_us, name, rejected) VALUES"
		 " (1, '', 'u', 'loaded', '', 0, 7, %d, 10000000, 'the loaded', NULL),"
		 " (2, '', 'u', 'lines', '', 0, 7, %d, 20000000, NULL, 2),"
		 " (3, '', 'u', 'early', '', 0, 7, %d, 30000000, NULL, 0),"
		 " (4, '', 'u', 'both', '', 0, 7, %d, 40000000, NULL, 0),"
		 " (5, '', 'u', 'others', '', 0, 7, %d, 50000000, NULL, 0),"
		 " (6, '', 'u', 'again', '', 1, 7, %d, 60000000, NULL, 0),"
		 " (7, '', 'u', 'two', '', 0, 7, %d, NULL, NULL, 0);"
		 "INSERT INTO host (job_id, id, hostname, stop_time_us) VALUES (1, 1, 'h', 5), "
		 "(3, 1, 'h1', 33999999), (4, 1, 'h1', 44000000), (7, 1, 'h1', NULL), (7, 2, 'h2', "
		 "1),"
		 " (7, 3, 'h3', 1)",
		 (int)geteuid(), (int)geteuid(), (int)geteuid(), (int)geteuid(), (int)geteuid() + 1,
		 (int)geteuid(), (int)geteuid());
	sql(text);
	/* Jobs without a name are those of the uid. */
	snprintf(text, sizeof text,
		 "UPDATE job SET \"user\" = CASE WHEN id = 2 THEN '' ELSE '%s' END WHERE uid = %d",
		 user, (int)geteuid());
	sql(text);
}

START_TEST(every_state)
{
	recorded((struct meta){ .job = "early", .host = "h1", .start = 30, .stop = 34 });
	recorded((struct meta){ .job = "both", .host = "h1", .start = 40, .stop = 44 });
	recorded((struct meta){ .job = "again", .host = "h1", .start = 55, .stop = 56 });
	recorded((struct meta){ .job = "tasks",
				.task = "3",
				.host = "h1",
				.start = 5,
				.stop = 6,
				.unrecorded = 2 });
	recorded((struct meta){ .job = "tasks",
				.task = "3",
				.host = "h2",
				.start = 4,
				.stop = 6,
				.unrecorded = 3 });
	recorded((struct meta){ .job = "tasks", .task = "3", .host = "h3", .start = 6, .stop = 6 });
	recorded((struct meta){ .job = "task", .host = "elsewhere", .start = 3, .unrecorded = 1 });
	recorded((struct meta){ .job = "two", .host = "h1", .stop = 6 });
	loaded_jobs();
	cli.value[PM_OPT_width] = "200";
	ck_assert_str_eq(status(),
			 "Job      State     Started           Name        Hosts          Remarks\n"
			 "two      recorded  unknown           the two     h1 and 2 more  loaded "
			 "while still open\n"
			 "task     open      1970-01-01 00:00  the task    elsewhere      1 task "
			 "of Slurm went unrecorded\n"
			 "tasks_3  recorded  1970-01-01 00:00  the tasks   h1 and 2 more  5 tasks "
			 "of Slurm went unrecorded\n"
			 "loaded   loaded    1970-01-01 00:00  the loaded  h\n"
			 "lines    rejected  1970-01-01 00:00                             loaded, "
			 "2 lines rejected\n"
			 "early    recorded  1970-01-01 00:00  the early   h1             loaded "
			 "while still open\n"
			 "both     loaded    1970-01-01 00:00  the both    h1             its "
			 "directory is still there\n"
			 "again    recorded  1970-01-01 00:00  the again   h1\n"
			 "again    loaded    1970-01-01 00:01\n");
	cli.given[PM_OPT_limit] = 1;
	cli.value[PM_OPT_limit] = "2";
	ck_assert_str_eq(status(), "Job    State     Started           Name       Hosts\n"
				   "again  recorded  1970-01-01 00:00  the again  h1\n"
				   "again  loaded    1970-01-01 00:01\n");
	cli.value[PM_OPT_limit] = "0";
	ck_assert_ptr_nonnull(strstr(status(), "\nloaded "));
	cli.given[PM_OPT_limit] = 0;
	cli.value[PM_OPT_limit] = NULL;
	cli.value[PM_OPT_width] = NULL;
	ck_assert_str_eq(
		status(),
		"Job      State     Started           Hosts          Remarks\n"
		"two      recorded  unknown           h1 and 2 more  loaded while still "
		"open\n"
		"task     open      1970-01-01 00:00  elsewhere      1 task of Slurm "
		"went unre...\n"
		"tasks_3  recorded  1970-01-01 00:00  h1 and 2 more  5 tasks of Slurm "
		"went unr...\n"
		"loaded   loaded    1970-01-01 00:00  h\n"
		"lines    rejected  1970-01-01 00:00                 loaded, 2 lines rejected\n"
		"early    recorded  1970-01-01 00:00  h1             loaded while still "
		"open\n"
		"both     loaded    1970-01-01 00:00  h1             its directory is "
		"still there\n"
		"again    recorded  1970-01-01 00:00  h1\n"
		"again    loaded    1970-01-01 00:01\n");
}
END_TEST

/* What is found elsewhere is looked up however old it is, by all that makes its identity; what its
 * directory got since is not loaded. */
START_TEST(found_and_loaded)
{
	char path[PATH_MAX];

	recorded((struct meta){ .job = "arr", .task = "4", .host = "h1", .start = 2, .stop = 3 });
	recorded((struct meta){ .job = "arr2", .task = "5", .host = "h1", .start = 2, .stop = 3 });
	recorded((struct meta){ .job = "both", .host = "h1", .start = 40, .stop = 44 });
	loaded_jobs();
	sql("INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, epoch_us, "
	    "uid, "
	    "start_us) SELECT 8, '', 'u', 'arr', '4', 0, 7, uid, 2000000 FROM job WHERE id = 1;"
	    "INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, epoch_us, "
	    "uid, "
	    "start_us) SELECT 9, '', 'u', 'arr2', '4', 0, 7, uid, 1000000 FROM job WHERE id = 1;"
	    "INSERT INTO host (job_id, id, hostname, stop_time_us) VALUES (8, 1, 'h1', 3000000)");
	cli.value[PM_OPT_width] = "200";
	cli.value[PM_OPT_limit] = "1";
	status();
	STATE("arr_4", "loaded ");
	STATE("arr2_5", "recorded ");
	ck_assert_str_eq(state("arr2_4"), "");
	ck_assert_str_eq(state("loaded"), "");
	STATE("both", "loaded ");
	snprintf(path, sizeof path, "prefix/%s/both/h1-1.tsv", user);
	write_file(path, "more\n");
	status();
	STATE("both", "recorded ");
	SAYS("both", "  more was recorded after it was loaded");
}
END_TEST

START_TEST(as_json)
{
	char *at;

	recorded((struct meta){
		.job = "early", .host = "h1", .start = 30, .stop = 34, .unrecorded = 3 });
	loaded_jobs();
	sql("UPDATE job SET problems = 'odd' WHERE id = 3; UPDATE job SET problems = '' WHERE id = "
	    "2;"
	    "DELETE FROM job WHERE id > 3; DELETE FROM job WHERE id = 1");
	cli.given[PM_OPT_json] = 1;
	status();
	/* Where the directory is differs. */
	at = strstr(said, "/tmp/");
	ck_assert_ptr_nonnull(at);
	memmove(at, strstr(at, "/early"), strlen(strstr(at, "/early")) + 1);
	ck_assert_str_eq(said, "[\n"
			       "  {\n"
			       "    \"jobid\": \"lines\",\n"
			       "    \"array_task\": \"\",\n"
			       "    \"cluster\": \"\",\n"
			       "    \"restart_count\": 0,\n"
			       "    \"epoch_us\": 7,\n"
			       "    \"hosts\": [],\n"
			       "    \"loaded\": true,\n"
			       "    \"number\": 2,\n"
			       "    \"rejected\": 2,\n"
			       "    \"start_us\": 20000000,\n"
			       "    \"state\": \"rejected\"\n"
			       "  },\n"
			       "  {\n"
			       "    \"jobid\": \"early\",\n"
			       "    \"array_task\": \"\",\n"
			       "    \"cluster\": \"\",\n"
			       "    \"restart_count\": 0,\n"
			       "    \"epoch_us\": 7,\n"
			       "    \"hosts\": [\n"
			       "      \"h1\"\n"
			       "    ],\n"
			       "    \"name\": \"the early\",\n"
			       "    \"start_us\": 30000000,\n"
			       "    \"tasks_unrecorded\": {\n"
			       "      \"h1\": 3\n"
			       "    },\n"
			       "    \"directory\": \"/early\",\n"
			       "    \"stop_us\": {\n"
			       "      \"h1\": 34000000\n"
			       "    },\n"
			       "    \"loaded\": true,\n"
			       "    \"number\": 3,\n"
			       "    \"rejected\": 0,\n"
			       "    \"problems\": \"odd\",\n"
			       "    \"outdated\": true,\n"
			       "    \"state\": \"recorded\"\n"
			       "  }\n"
			       "]\n");
}
END_TEST

/* What is in the way is passed over; what is not there is no failure. */
START_TEST(nothing)
{
	char path[PATH_MAX];

	ck_assert_str_eq(status(), "Job  State  Started  Name\n");
	recorded((struct meta){ .job = "a", .host = "h1", .start = 1, .stop = 2 });
	snprintf(path, sizeof path, "prefix/%s/a/job-h1.json", user);
	write_file(path, "{\"format\": \"other\", \"job\": {\"jobid\": \"a\"}}");
	ck_assert_str_eq(status(), "Job  State  Started  Name\n");
	write_file(path, "{\"format\": ");
	ck_assert_str_eq(status(), "Job  State  Started  Name\n");
	ck_assert_int_eq(rmdir("spool"), 0);
	ck_assert_str_eq(status(), "Job  State  Started  Name\n");
	ck_assert_int_eq(access("x.db", F_OK), -1);
	cli.argc = 1;
	ck_assert_int_eq(pm_verb_status(&cli, &e), PM_EXIT_USAGE);
	cli.argc = 0;
	cli.value[PM_OPT_limit] = "-1";
	ck_assert_int_eq(pm_verb_status(&cli, &e), PM_EXIT_USAGE);
	cli.value[PM_OPT_limit] = NULL;
	write_file("spool", "");
	ck_assert_int_eq(pm_verb_status(&cli, &e), PM_EXIT_FAILED);
	ck_assert_ptr_nonnull(strstr(e.text, "spool: Not a directory"));
	ck_assert_int_eq(unlink("spool"), 0);
	write_file("x.db", "no database");
	ck_assert_int_eq(pm_verb_status(&cli, &e), PM_EXIT_FAILED);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_status");
	TCase *t = tcase_create("status");

	tcase_add_checked_fixture(t, begin, pm_unit_tear_down);
	tcase_add_test(t, open_or_stale);
	tcase_add_test(t, every_state);
	tcase_add_test(t, found_and_loaded);
	tcase_add_test(t, as_json);
	tcase_add_test(t, nothing);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
