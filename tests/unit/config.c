/* common/config.c, config_parse.c: lines, types, expansion, precedence. */
#include "config.h"

#include "common/config.h"
#include "common/config_parse.h"
#include "common/log.h"
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
	expands("~root/x", "/root/x");
	expands("a~", "a~");
	expands("$WHERE/x", "/some where/x");
	expands("/x${WHERE}y", "/x/some wherey");
	expands("", "");
	ck_assert_int_lt(pm_config_check(PM_SET_output_prefix, "$NOT_SET/x", &value, &e), 0);
	ck_assert_str_eq(e.text, "variable $NOT_SET is not set");
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
	setenv("PERFMON_DB", "/x/y.db", 1);
	pm_config_load();
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
	tcase_add_test(c, paths);
	tcase_add_test(c, choices);
	tcase_add_test(c, names);
	tcase_add_test(c, precedence);
	tcase_add_test(c, broken);
	tcase_add_test(c, strange_files);
	tcase_add_test(c, empty_text);
	tcase_add_test(c, epmt_database);
	tcase_add_test(c, epmt_sqlite);
	tcase_add_checked_fixture(c, NULL, remove_directory);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
