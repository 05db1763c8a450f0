/* common/settings/readconfig.c, config_parse.c: lines, types, expansion, precedence. */
#include "config.h"

#include "common/settings/readconfig.h"

#include "common/log.h"
#include "common/settings/config_parse.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The directory a test makes, removed behind it. */
static char dir[] = "/tmp/perfmon-unit.XXXXXX";

static void remove_directory(void)
{
	char command[64];

	snprintf(command, sizeof command, "rm -rf %s", dir);
	if (access(dir, F_OK) == 0 && system(command) != 0)
		abort();
}

static void split(const char *text, const char *name, const char *value)
{
	struct pm_config_line l;
	struct pm_err e;
	char line[256];

	snprintf(line, sizeof line, "%s", text);
	ck_assert_msg(pm_config_split(line, &l, &e) == 0, "%s: %s", text, e.text);
	ck_assert_pstr_eq(l.name, name);
	ck_assert_pstr_eq(l.value, value);
}

START_TEST(lines)
{
	static const char *const bad[] = { "novalue",    "= x",         "a b",
					   "x = \"open", "x = 'a' b\n", "x = 'a\n" };
	struct pm_config_line l;
	struct pm_err e;
	char line[64];

	split("", NULL, NULL);
	split("\n", NULL, NULL);
	split("  \t\n", NULL, NULL);
	split("# a = b", NULL, NULL);
	split("   # a = b", NULL, NULL);
	split("a=b", "a", "b");
	split("  a \t=  b c  \r\n", "a", "b c");
	split("a = b # comment", "a", "b");
	split("a = b#c", "a", "b#c");
	split("a =", "a", "");
	split("a = #", "a", "");
	split("a = \" b # c \"  # d", "a", " b # c ");
	split("a = 'it is \"x\"'", "a", "it is \"x\"");
	split("a = b=c", "a", "b=c");
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		snprintf(line, sizeof line, "%s", bad[i]);
		ck_assert_msg(pm_config_split(line, &l, &e) < 0, "accepted: %s", bad[i]);
	}
}
END_TEST

START_TEST(durations)
{
	static const struct {
		const char *text;
		int64_t us;
	} good[] = {
		{ "0", 0 },          { "1", 1000000 },      { "500ms", 500000 },
		{ "10s", 10000000 }, { "1m", 60000000 },    { "2h", 7200000000 },
		{ "0.5", 500000 },   { ".25s", 250000 },    { "1.5ms", 1500 },
		{ "7us", 7 },        { "1d", 86400000000 }, { "0.01s", 10000 },
		{ "1.", 1000000 },   { "2min", 120000000 }, { "0.0000001s", 0 },
	};
	static const char *const bad[] = {
		"",   "s", "-1",    "1 s", "1x", "1e3", "0x1", "1,5", "9223372036854775807",
		"..", ".", "1.5.5", "1ss"
	};
	struct pm_err e;
	int64_t us;

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		ck_assert_msg(pm_duration_parse(good[i].text, &us, &e) == 0, "%s", good[i].text);
		ck_assert_int_eq(us, good[i].us);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(pm_duration_parse(bad[i], &us, &e) < 0, "accepted: %s", bad[i]);
}
END_TEST

START_TEST(sizes)
{
	struct pm_err e;
	int64_t n;

	ck_assert(pm_size_parse("32k", &n, &e) == 0 && n == 32768);
	ck_assert(pm_size_parse("100", &n, &e) == 0 && n == 100);
	ck_assert(pm_size_parse("1.5M", &n, &e) == 0 && n >= 1572000 && n <= 1572864);
	ck_assert(pm_size_parse("2G", &n, &e) == 0 && n == 2147483648);
	ck_assert(pm_size_parse("1.5k", &n, &e) == 0 && n == 1536);
	ck_assert(pm_size_parse("3K", &n, &e) == 0 && n == 3072);
	ck_assert(pm_size_parse("3B", &n, &e) == 0 && n == 3);
	ck_assert(pm_size_parse("3M", &n, &e) == 0 && n == 3145728);
	ck_assert(pm_size_parse("3T", &n, &e) == 0 && n == 3298534883328);
	ck_assert(pm_size_parse("-1", &n, &e) < 0);
	ck_assert(pm_size_parse("1kk", &n, &e) < 0);
	ck_assert(pm_size_parse("99999999999999T", &n, &e) < 0);
}
END_TEST

START_TEST(numbers)
{
	static const char *const bad[] = { "12x", "12 ",  " 12", "1k", "0x1",
					   "1.0", "12\n", "x",   "-",  "-1" };
	struct pm_err e;
	int64_t n;

	ck_assert(pm_config_number(PM_SET_max_samples, "120", &n, &e) == 0 && n == 120);
	ck_assert(pm_config_number(PM_SET_max_samples, "", &n, &e) == 0 && n == 0);
	ck_assert(pm_config_number(PM_SET_max_samples, "0", &n, &e) == 0 && n == 0);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(pm_config_number(PM_SET_max_samples, bad[i], &n, &e) < 0,
			      "accepted: '%s'", bad[i]);
}
END_TEST

START_TEST(fractions)
{
	static const struct {
		const char *text;
		int64_t millionths; /* -1: it is none */
	} cases[] = {
		{ "0", 0 },          { "1", 1000000 },    { "0.05", 50000 },  { ".5", 500000 },
		{ "12.5%", 125000 }, { "100%", 1000000 }, { "0.01%", 100 },   { "0.000001", 1 },
		{ "1.000001", -1 },  { "100.1%", -1 },    { "2", -1 },        { "-0.5", -1 },
		{ "5 %", -1 },       { "%", -1 },         { "0.0000001", 0 },
	};
	struct pm_err e;
	int64_t n;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int rc = pm_config_number(PM_SET_fraction, cases[i].text, &n, &e);

		ck_assert_msg(rc == (cases[i].millionths < 0 ? -1 : 0), "%s", cases[i].text);
		ck_assert_msg(rc < 0 || n == cases[i].millionths, "%s", cases[i].text);
	}
}
END_TEST

START_TEST(databases)
{
	static const struct {
		const char *text;
		int rc;
	} cases[] = {
		{ "", 0 },
		{ "/a/b.db", 0 },
		{ "a:b", 0 },
		{ "sqlite:x", 0 },
		{ "postgresql://h/d", 0 },
		{ "postgres://h/d", 0 },
		{ "a/b://c", 0 },
		{ "://x", 0 },
		{ "mysql://h/d", -1 },
		{ "x+y.z-1://", -1 },
		{ "file:x", -1 },
		{ "http://h", -1 },
	};
	char *value;
	struct pm_err e;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		ck_assert_msg(pm_database_check(cases[i].text, &e) == cases[i].rc, "%s",
			      cases[i].text);
	/* Paths are expanded, URLs are not: a password may hold a $. */
	setenv("WHERE", "/w", 1);
	ck_assert_int_eq(pm_config_check(PM_SET_db, "$WHERE/a", &value, &e), 0);
	ck_assert_str_eq(value, "/w/a");
	free(value);
	ck_assert_int_eq(pm_config_check(PM_SET_db, "sqlite:$WHERE/a", &value, &e), 0);
	ck_assert_str_eq(value, "sqlite:/w/a");
	free(value);
	ck_assert_int_eq(pm_config_check(PM_SET_db, "postgresql://u:$WHERE@h/d", &value, &e), 0);
	ck_assert_str_eq(value, "postgresql://u:$WHERE@h/d");
	free(value);
	ck_assert_int_lt(pm_config_set(PM_SET_db, "mysql://h/d", &e), 0);
	ck_assert_int_eq(strncmp(e.text, "--db: ", 6), 0);
	ck_assert_str_eq(pm_config_get(PM_SET_db), "");
}
END_TEST

static void expands(const char *text, const char *want)
{
	struct pm_err e = { "" };
	char *value;

	ck_assert_msg(pm_config_check(PM_SET_output_prefix, text, &value, &e) == 0, "%s", e.text);
	ck_assert_str_eq(value, want);
	free(value);
}

START_TEST(paths)
{
	struct pm_err e;
	char *value;

	setenv("HOME", "/home/me", 1);
	setenv("WHERE", "/some where", 1);
	unsetenv("NOT_SET");
	expands("/a/b", "/a/b");
	expands("~", "/home/me");
	expands("~/x", "/home/me/x");
	setenv("HOME", "", 1);
	ck_assert_int_eq(pm_config_check(PM_SET_output_prefix, "~/x", &value, &e), 0);
	ck_assert_str_ne(value, "/x");
	free(value);
	setenv("HOME", "/home/me", 1);
	expands("~root/x", "/root/x");
	expands("a~", "a~");
	expands("$WHERE/x", "/some where/x");
	expands("/x${WHERE}y", "/x/some wherey");
	expands("", "");
	ck_assert_int_lt(pm_config_check(PM_SET_output_prefix, "$NOT_SET/x", &value, &e), 0);
	ck_assert_str_eq(e.text, "variable $NOT_SET is not set");
	setenv("NOT_SET", "", 1);
	ck_assert_int_lt(pm_config_check(PM_SET_output_prefix, "$NOT_SET/x", &value, &e), 0);
	ck_assert_int_lt(pm_config_check(PM_SET_output_prefix, "${WHERE", &value, &e), 0);
	ck_assert_int_lt(pm_config_check(PM_SET_output_prefix, "a$", &value, &e), 0);
	ck_assert_int_lt(pm_config_check(PM_SET_output_prefix, "~no-such-user/x", &value, &e), 0);
}
END_TEST

START_TEST(choices)
{
	struct pm_err e;
	char *value;

	ck_assert_int_eq(pm_config_check(PM_SET_args, "redacted", &value, &e), 0);
	free(value);
	ck_assert_int_lt(pm_config_check(PM_SET_args, "red", &value, &e), 0);
	ck_assert_int_lt(pm_config_check(PM_SET_args, "", &value, &e), 0);
	ck_assert_int_lt(pm_config_check(PM_SET_args, "full redacted", &value, &e), 0);
}
END_TEST

START_TEST(names)
{
	for (int s = 0; s < PM_SETTINGS; s++) {
		ck_assert_int_eq(strncmp(pm_setting_info[s].env, "PERFMON_", 8), 0);
		ck_assert_uint_eq(strlen(pm_setting_info[s].env),
				  8 + strlen(pm_setting_info[s].name));
		ck_assert_ptr_eq(strchr(pm_setting_info[s].option, '_'), NULL);
	}
	ck_assert_str_eq(pm_setting_info[PM_SET_output_prefix].env, "PERFMON_OUTPUT_PREFIX");
	ck_assert_str_eq(pm_setting_info[PM_SET_output_prefix].option, "output-prefix");
}
END_TEST

static void clear_environment(void)
{
	static const char *const part[] = { "PROVIDER", "HOST",   "PORT",    "USER",
					    "PASSWORD", "DBNAME", "FILENAME" };
	char name[64];

	for (int s = 0; s < PM_SETTINGS; s++)
		unsetenv(pm_setting_info[s].env);
	unsetenv("PAPIEX_TAGS");
	unsetenv("EPMT_JOB_TAGS");
	unsetenv("PAPIEX_OUTPUT");
	unsetenv("PAPIEX_OPTIONS");
	unsetenv("EPMT_OUTPUT_PREFIX");
	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
		snprintf(name, sizeof name, "EPMT_DB_%s", part[i]);
		unsetenv(name);
	}
}

/* Write the user's file below a new directory that XDG_CONFIG_HOME names. */
static void user_file(const char *text)
{
	char path[128];
	FILE *f;

	ck_assert_ptr_ne(mkdtemp(dir), NULL);
	setenv("XDG_CONFIG_HOME", dir, 1);
	snprintf(path, sizeof path, "%s/perfmon", dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/perfmon/perfmon.conf", dir);
	f = fopen(path, "w");
	ck_assert_ptr_ne(f, NULL);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

START_TEST(precedence)
{
	char path[256];
	struct pm_err e;

	clear_environment();
	pm_log_level = -1;
	user_file("tags = file\njob_tags = \"from file\"\nargs = name\nsample=2s\n\n# end\n");
	setenv("PERFMON_TAGS", "environment", 1);
	setenv("PAPIEX_TAGS", "alias", 1);
	setenv("EPMT_JOB_TAGS", "alias", 1);
	setenv("PERFMON_ARGS", "none", 1);
	ck_assert_int_eq(pm_config_set(PM_SET_args, "redacted", &e), 0);
	ck_assert_int_eq(pm_config_load(), 0);
	ck_assert_str_eq(pm_config_get(PM_SET_tags), "environment");
	ck_assert_str_eq(pm_config_origin(PM_SET_tags), "environment PERFMON_TAGS");
	ck_assert_str_eq(pm_config_get(PM_SET_job_tags), "alias");
	ck_assert_str_eq(pm_config_origin(PM_SET_job_tags), "environment EPMT_JOB_TAGS");
	ck_assert_str_eq(pm_config_get(PM_SET_args), "redacted");
	ck_assert_str_eq(pm_config_origin(PM_SET_args), "command line");
	ck_assert_int_eq(pm_config_int(PM_SET_sample), 2000000);
	snprintf(path, sizeof path, "%s/perfmon/perfmon.conf:4", getenv("XDG_CONFIG_HOME"));
	ck_assert_str_eq(pm_config_origin(PM_SET_sample), path);
	ck_assert_str_eq(pm_config_get(PM_SET_output_prefix), "/tmp/perfmon");
	ck_assert_str_eq(pm_config_origin(PM_SET_output_prefix), "default");
	ck_assert_int_eq(pm_config_int(PM_SET_args_max), 32768);
}
END_TEST

START_TEST(broken)
{
	clear_environment();
	pm_log_level = -1;
	user_file("nonsense\nunknown = 1\nsample = soon\nargs = none\n");
	setenv("PERFMON_ARGS_MAX", "many", 1);
	setenv("PERFMON_SAMPLE", "", 1);
	setenv("PERFMON_JOBID", "no setting", 1);
	ck_assert_int_eq(pm_config_load(), 4);
	ck_assert_str_eq(pm_config_get(PM_SET_args), "none");
	ck_assert_int_eq(pm_config_int(PM_SET_sample), 0);
	ck_assert_int_eq(pm_config_int(PM_SET_args_max), 32768);
}
END_TEST

/* What was skipped is told, and forgotten by the next load. */
START_TEST(problems)
{
	char path[256], want[512];

	clear_environment();
	pm_log_level = -1;
	user_file("args = none\nunknown = 1\nsample = soon\n");
	setenv("PERFMON_ARGS_MAX", "many", 1);
	ck_assert_int_eq(pm_config_load(), 3);
	snprintf(path, sizeof path, "%s/perfmon/perfmon.conf", dir);
	snprintf(want, sizeof want, "%s:2: unknown setting 'unknown'; ignored", path);
	ck_assert_str_eq(pm_config_problem(0), want);
	snprintf(want, sizeof want,
		 "%s:3: sample: 'soon' is not a duration such as 500ms, 10s or 1m; ignored", path);
	ck_assert_str_eq(pm_config_problem(1), want);
	ck_assert_str_eq(
		pm_config_problem(2),
		"environment PERFMON_ARGS_MAX: 'many' is not a size such as 65536, 64k or 1M; "
		"ignored");
	ck_assert_ptr_null(pm_config_problem(3));
	unsetenv("PERFMON_ARGS_MAX");
	ck_assert_int_eq(truncate(path, 0), 0);
	ck_assert_int_eq(pm_config_load(), 0);
	ck_assert_ptr_null(pm_config_problem(0));
}
END_TEST

/* A variable that is nearly a setting's is told of, and of each setting's but one. */
START_TEST(misspelt)
{
	static const struct {
		const char *name;
		int told;
	} cases[] = {
		{ "PERFMON_TAG", 1 },
		{ "PERFMON_TAGSS", 1 },
		{ "PERFMON_JOB_TAG", 1 },
		{ "PERFMON_OUTPUT_PRXXIX", 1 },
		{ "PERFMON_OUTPUT_PRXXXX", 0 },
		{ "PERFMON_TAXX", 0 },
		{ "PERFMON_DX", 0 },
		{ "PERFMON_LATER", 0 },
		{ "PERFMON_TAGS", 0 },
		{ "XPERFMON_TAG", 0 },
		{ "PERFMONTAGS", 0 },
	};

	clear_environment();
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	pm_log_level = -1;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		pm_log_warnings = 0;
		setenv(cases[i].name, "x", 1);
		ck_assert_int_eq(pm_config_load(), 0);
		ck_assert_msg(pm_log_warnings == cases[i].told, "%s", cases[i].name);
		unsetenv(cases[i].name);
	}
}
END_TEST

/* Nobody but the user and root may have a say. */
START_TEST(files_of_others)
{
	char path[128];

	clear_environment();
	pm_log_level = -1;
	user_file("sample = 2s\n");
	snprintf(path, sizeof path, "%s/perfmon/perfmon.conf", dir);
	for (mode_t mode = 0600; mode <= 0777; mode++) {
		if (mode & 0111 || !(mode & 0400))
			continue;
		ck_assert_int_eq(chmod(path, mode), 0);
		ck_assert_msg(pm_config_load() == !!(mode & 022), "mode %o", (unsigned)mode);
	}
	ck_assert_ptr_nonnull(strstr(pm_config_problem(0), "chmod go-w"));
	if (geteuid() == 0) {
		ck_assert_int_eq(chmod(path, 0600), 0);
		ck_assert_int_eq(chown(path, 65534, (gid_t)-1), 0);
		ck_assert_int_eq(pm_config_load(), 1);
	}
}
END_TEST

START_TEST(user_files)
{
	char path[64];

	setenv("XDG_CONFIG_HOME", "/x", 1);
	setenv("HOME", "/h", 1);
	ck_assert_int_eq(pm_config_user_file("off", path, sizeof path), 0);
	ck_assert_str_eq(path, "/x/perfmon/off");
	setenv("XDG_CONFIG_HOME", "relative", 1);
	ck_assert_int_eq(pm_config_user_file("off", path, sizeof path), 0);
	ck_assert_str_eq(path, "/h/.config/perfmon/off");
	ck_assert_int_lt(pm_config_user_file("off", path, 22), 0);
	ck_assert_int_eq(pm_config_user_file("off", path, 23), 0);
	setenv("HOME", "relative", 1);
	ck_assert_int_lt(pm_config_user_file("off", path, sizeof path), 0);
	unsetenv("HOME");
	ck_assert_int_lt(pm_config_user_file("off", path, sizeof path), 0);
}
END_TEST

/* Levels, whichever speaks first; what the site says is known whatever the user says. */
START_TEST(levels)
{
	struct pm_err e;

	clear_environment();
	pm_log_level = -1;
	user_file("tags = file\nargs = full\n");
	ck_assert(!pm_config_is_given(PM_SET_tags));
	ck_assert_int_eq(pm_config_set(PM_SET_tags, "given", &e), 0);
	ck_assert(pm_config_is_given(PM_SET_tags));
	ck_assert_int_eq(pm_config_set(PM_SET_tags, "given again", &e), 0);
	ck_assert_int_eq(pm_config_load(), 0);
	ck_assert_str_eq(pm_config_get(PM_SET_tags), "given again");
	ck_assert_str_eq(pm_config_of_site(PM_SET_tags), "");
	ck_assert(!pm_config_is_given(PM_SET_args));
	ck_assert_str_eq(pm_config_get(PM_SET_args), "full");
	ck_assert_str_eq(pm_config_of_site(PM_SET_args), "redacted");
	ck_assert_int_lt(pm_config_set(PM_SET_args, "some", &e), 0);
	ck_assert_int_eq(strncmp(e.text, "--args: 'some' is not one of: ", 30), 0);
	ck_assert_str_eq(pm_config_get(PM_SET_args), "full");
	ck_assert_str_eq(pm_config_of_site(PM_SET_library), pm_config_get(PM_SET_library));
}
END_TEST

/* What is not a file of settings neither ends nor fills the program that reads it. */
START_TEST(strange_files)
{
	char path[128];

	clear_environment();
	pm_log_level = -1;
	user_file("sample = 2s\n");
	snprintf(path, sizeof path, "%s/perfmon/perfmon.conf", dir);
	ck_assert_int_eq(pm_config_load(), 0);
	ck_assert_int_eq(truncate(path, 1 << 30), 0);
	ck_assert_int_eq(pm_config_load(), 1);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(pm_config_load(), 1);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("/dev/zero", path), 0);
	ck_assert_int_eq(pm_config_load(), 1);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("/dev/null", path), 0);
	ck_assert_int_eq(pm_config_load(), 0);
}
END_TEST

START_TEST(empty_text)
{
	clear_environment();
	user_file("tags = file\n");
	setenv("PERFMON_TAGS", "", 1);
	setenv("PAPIEX_TAGS", "alias", 1);
	pm_config_load();
	ck_assert_str_eq(pm_config_get(PM_SET_tags), "");
	ck_assert_str_eq(pm_config_origin(PM_SET_tags), "environment PERFMON_TAGS");
}
END_TEST

START_TEST(epmt_database)
{
	clear_environment();
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	setenv("EPMT_DB_PROVIDER", "postgres", 1);
	setenv("EPMT_DB_HOST", "db.example", 1);
	setenv("EPMT_DB_PORT", "5432", 1);
	setenv("EPMT_DB_USER", "me", 1);
	setenv("EPMT_DB_PASSWORD", "p@ss:w/rd", 1);
	setenv("EPMT_DB_DBNAME", "EPMT", 1);
	ck_assert_int_eq(pm_config_load(), 0);
	ck_assert_str_eq(pm_config_get(PM_SET_db),
			 "postgresql://me:p%40ss%3Aw%2Frd@db.example:5432/EPMT");
	ck_assert_str_eq(pm_config_origin(PM_SET_db), "environment EPMT_DB_*");
	unsetenv("EPMT_DB_PASSWORD");
	unsetenv("EPMT_DB_PORT");
	pm_config_load();
	ck_assert_str_eq(pm_config_get(PM_SET_db), "postgresql://me@db.example/EPMT");
	unsetenv("EPMT_DB_USER");
	setenv("EPMT_DB_DBNAME", "a-b._~c d", 1);
	pm_config_load();
	ck_assert_str_eq(pm_config_get(PM_SET_db), "postgresql://db.example/a-b._~c%20d");
	pm_log_level = -1;
	setenv("EPMT_DB_PROVIDER", "mysql", 1);
	ck_assert_int_eq(pm_config_load(), 1);
	setenv("EPMT_DB_PROVIDER", "sqlite", 1);
	ck_assert_int_eq(pm_config_load(), 1);
	setenv("PERFMON_DB", "/x/y.db", 1);
	ck_assert_int_eq(pm_config_load(), 0);
	ck_assert_str_eq(pm_config_get(PM_SET_db), "/x/y.db");
}
END_TEST

START_TEST(epmt_sqlite)
{
	clear_environment();
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	setenv("EPMT_DB_PASSWORD", "x", 1);
	ck_assert_int_eq(pm_config_load(), 0);
	ck_assert_str_eq(pm_config_get(PM_SET_db), "");
	setenv("EPMT_DB_PROVIDER", "sqlite", 1);
	setenv("EPMT_DB_FILENAME", "/a/b.sqlite", 1);
	pm_config_load();
	ck_assert_str_eq(pm_config_get(PM_SET_db), "sqlite:/a/b.sqlite");
	unsetenv("EPMT_DB_PROVIDER");
	setenv("EPMT_DB_FILENAME", "/a/c.sqlite", 1);
	pm_config_load();
	ck_assert_str_eq(pm_config_get(PM_SET_db), "sqlite:/a/c.sqlite");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("config");
	TCase *c = tcase_create("config");

	tcase_add_test(c, lines);
	tcase_add_test(c, durations);
	tcase_add_test(c, sizes);
	tcase_add_test(c, numbers);
	tcase_add_test(c, fractions);
	tcase_add_test(c, databases);
	tcase_add_test(c, paths);
	tcase_add_test(c, choices);
	tcase_add_test(c, names);
	tcase_add_test(c, precedence);
	tcase_add_test(c, broken);
	tcase_add_test(c, problems);
	tcase_add_test(c, misspelt);
	tcase_add_test(c, files_of_others);
	tcase_add_test(c, user_files);
	tcase_add_test(c, levels);
	tcase_add_test(c, strange_files);
	tcase_add_test(c, empty_text);
	tcase_add_test(c, epmt_database);
	tcase_add_test(c, epmt_sqlite);
	tcase_add_checked_fixture(c, NULL, remove_directory);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
