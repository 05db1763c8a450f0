/* wrapper/cli/cli.c: what command lines say, and what is wrong with them. */
#include "config.h"

#include "common/log.h"
#include "common/settings/readconfig.h"
#include "tests/unit/main.h"
#include "wrapper/cli/cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS_MAX 16
#define LINES_MAX 128

/* The words of a text. Returns how many. */
static int split(char *text, char *argv[WORDS_MAX + 1])
{
	int argc = 0;
	char *save;

	for (char *p = strtok_r(text, " ", &save); p && argc < WORDS_MAX;
	     p = strtok_r(NULL, " ", &save))
		argv[argc++] = strcmp(p, "''") == 0 ? p + 2 : p;
	argv[argc] = NULL;
	return argc;
}

/* A command line as a text: the verb, options with how often where that is not once and their
 * argument, then operands. */
static void print(char *text, size_t size, const struct pm_cli *cli)
{
	size_t n = (size_t)snprintf(text, size, "%s",
				    cli->verb == PM_VERBS ? "-" : pm_verb_info[cli->verb].name);

	for (int o = 0; o < PM_OPTIONS; o++)
		if (cli->given[o]) {
			n += (size_t)snprintf(text + n, size - n, " %s", pm_option_info[o].name);
			if (cli->given[o] > 1)
				n += (size_t)snprintf(text + n, size - n, "*%d", cli->given[o]);
			if (cli->value[o])
				n += (size_t)snprintf(text + n, size - n, "=%s", cli->value[o]);
		}
	if (*cli->formats)
		n += (size_t)snprintf(text + n, size - n, " formats %s", cli->formats);
	for (int i = 0; i < cli->argc; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%s", i ? " " : " | ", cli->argv[i]);
}

/* The command line, and what it says: an action and the text of print(), or a message. */
static const struct {
	const char *line, *want;
} lines[] = {
	/* verbs and options, in any order */
	{ "config", "run config" },
	{ "start -j 7", "run start job=7" },
	{ "-j7 start", "run start job=7" },
	{ "--job=7 start", "run start job=7" },
	{ "start --job 8 -j 9", "run start job*2=9" },
	{ "-vv start -v", "run start verbose*3" },
	{ "-nvq start", "run start verbose quiet dry-run" },
	{ "dump a --json b -k c", "run dump json key=c | a b" },
	{ "dump --json -- a --json", "run dump json | a --json" },
	{ "dump a -- -b --", "run dump | a -b --" },
	{ "--rep annotate", "run annotate replace" },
	{ "sample --sampling_freq 2s --save_dir d", "run sample directory=d interval=2s" },
	{ "sample --cpuset_rootpath c --check_point 5", "run sample checkpoint=5 cgroups=c" },
	{ "sample --gen_report", "run sample gen-report" },
	{ "start -e", "run start error" },
	/* a letter of two verbs */
	{ "-r submit", "run submit remove" },
	{ "submit -r", "run submit remove" },
	{ "sample -r", "run sample gen-report" },
	{ "-r -r sample", "run sample gen-report*2" },
	{ "-p 3 submit", "run submit num-cpus=3" },
	{ "-p 3 sample", "run sample prefix=3" },
	/* run, whose command has its own options */
	{ "run sh -c x", "run run | sh -c x" },
	{ "run -a sh -v", "run run auto | sh -v" },
	{ "run -- -x -y", "run run | -x -y" },
	{ "-a run -n sh -- -a", "run run dry-run auto | sh -- -a" },
	{ "run", "run run" },
	{ "run --", "run run" },
	{ "sh -c start", "run run auto | sh -c start" },
	{ "-v sh start", "run run verbose auto | sh start" },
	{ "./exec a", "run run auto | ./exec a" },
	{ "/none -x", "run run auto | /none -x" },
	{ "exec", "run run auto | exec" },
	{ "-- exec -v", "run run auto | exec -v" },
	{ "-- start", "'start' is neither a verb nor a program; see perfmon help" },
	{ "plain", "'plain' is neither a verb nor a program; see perfmon help" },
	{ "folder", "'folder' is neither a verb nor a program; see perfmon help" },
	{ "''", "'' is neither a verb nor a program; see perfmon help" },
	/* another sampler's command lines, which have no verb */
	{ "--interval 2s", "run sample interval=2s" },
	{ "-d x -i 2s", "run sample directory=x interval=2s" },
	{ "-v --prefix p", "run sample verbose prefix=p" },
	{ "-v", "a verb is missing; see perfmon help" },
	{ "-e", "a verb is missing; see perfmon help" },
	{ "-v -r", "a verb is missing; see perfmon help" },
	{ "", "a verb is missing; see perfmon help" },
	{ "-j 7", "a verb is missing; see perfmon help" },
	{ "-e csv", "run sample formats csv" },
	{ "-e hdf5 parquet,csv,hdf5 -i 1s", "run sample interval=1s formats hdf5,parquet,csv" },
	{ "sample -e pickle feather -v orc", "run sample verbose formats pickle,feather,orc" },
	{ "-e csv,x", "'csv,x' is neither a verb nor a program; see perfmon help" },
	{ "sample -e x", "run sample error | x" },
	{ "sample csv", "run sample | csv" },
	{ "csv", "'csv' is neither a verb nor a program; see perfmon help" },
	{ "-e none", "'none' is neither a verb nor a program; see perfmon help" },
	/* help */
	{ "-h", "help - help" },
	{ "-h -i 1s", "help - help interval=1s" },
	{ "run -h", "help run help" },
	{ "-V", "version - version" },
	{ "-V -i 1s", "version - version interval=1s" },
	{ "-V -h", "version - help version" },
	{ "stop -h --json", "help stop help json" },
	/* what cannot be */
	{ "-Z start", "-Z is not an option; see perfmon --help" },
	{ "--nothing start", "--nothing is not an option; see perfmon --help" },
	{ "start --nothing", "--nothing is not an option; see perfmon --help" },
	{ "start --jbo 1", "--jbo is not an option; did you mean --job?" },
	{ "start --auot=x", "--auot=x is not an option; did you mean --auto?" },
	{ "rnu x", "'rnu' is neither a verb nor a program; did you mean 'run'?" },
	{ "reprot", "'reprot' is neither a verb nor a program; did you mean 'report'?" },
	{ "st", "'st' is neither a verb nor a program; see perfmon help" },
	{ "start --re", "--re is short for several options; see perfmon --help" },
	{ "start --re=x", "--re=x is short for several options; see perfmon --help" },
	{ "start -j", "-j needs an argument" },
	{ "start --job", "--job needs an argument" },
	{ "start --json=x", "--json=x takes no argument" },
	{ "start --json", "start does not take --json" },
	{ "--json start", "start does not take --json" },
	{ "start -k x", "start does not take --key" },
	{ "start -r", "start does not take --remove" },
	{ "start -j a/b", "'a/b' cannot be a job id" },
	{ "stop -j .", "'.' cannot be a job id" },
	{ "source -j ''", "'' cannot be a job id" },
	{ "mark -j .x y", "'.x' cannot be a job id" },
	/* For the command it is too late to say so. */
	{ "run -j a/b true", "run run job=a/b | true" },
	{ "dump -j a/b", "run dump job=a/b" },
	/* lists, which grow, and the same options where they are none */
	{ "delete --name a --name b,c 1", "run delete name*2=a,b,c | 1" },
	{ "--name a delete --name b", "run delete name*2=a,b" },
	{ "list --pid 1 --pid 2", "run list pid*2=1,2" },
	{ "--metric a ops --metric b", "run ops metric*2=a,b" },
	{ "explore --metric a e --metric b", "run explore metric*2=b | e" },
	{ "--name a --name b sample --name c", "run sample name*3=c" },
	{ "--pid 1 sample --pid 2", "run sample pid*2=2" },
	{ "list --tag a:1;b:2 --tag c", "run list tag*2=a:1;b:2,c" },
	{ "list --limit 1 --limit 2", "run list limit*2=2" },
	/* settings */
	{ "--tags x config", "run config" },
	{ "run --tags=x sh", "run run | sh" },
	{ "run --tags", "--tags needs an argument" },
	{ "config --sample soon", "--sample: 'soon' is not a duration such as 500ms, 10s or 1m" },
	{ "--tags x schema", "schema does not use --tags, which is a setting for: run source" },
};

static void set_up(void)
{
	pm_unit_set_up();
	clearenv();
	/* An empty entry is the current directory. */
	ck_assert_int_eq(setenv("PATH", "/nowhere:/bin:/usr/bin:", 1), 0);
	ck_assert_int_eq(close(creat("plain", 0644)), 0);
	ck_assert_int_eq(close(creat("exec", 0755)), 0);
	ck_assert_int_eq(mkdir("folder", 0755), 0);
}

/* Parse a line as the text above. */
static void parse(const char *line, char *text, size_t size)
{
	static const char *const action[] = {
		[PM_CLI_RUN] = "run", [PM_CLI_HELP] = "help", [PM_CLI_VERSION] = "version"
	};
	/* getopt_long goes on looking at the last word of the line before. */
	static char kept[LINES_MAX][128];
	static int n;
	char *words = kept[n++], said[400], *argv[WORDS_MAX + 1];
	struct pm_err e = { "" };
	struct pm_cli cli;
	int rc;

	ck_assert_int_le(n, LINES_MAX);
	snprintf(words, sizeof kept[0], "perfmon %s", line);
	rc = pm_cli_parse(&cli, split(words, argv), argv, &e);
	print(said, sizeof said, &cli);
	if (rc < 0)
		snprintf(text, size, "%s", e.text);
	else
		snprintf(text, size, "%s %s", action[rc], said);
	if (rc == PM_CLI_RUN)
		ck_assert_msg(cli.argv && !cli.argv[cli.argc], "%s: no end of operands", line);
}

START_TEST(command_lines)
{
	char text[600];

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		parse(lines[i].line, text, sizeof text);
		ck_assert_msg(strcmp(text, lines[i].want) == 0, "%s: %s", lines[i].line, text);
	}
}
END_TEST

/* In a batch job some options, or none, are enough for the sampler. */
START_TEST(in_a_batch_job)
{
	char text[600];

	ck_assert_int_eq(setenv("SLURM_JOB_ID", "5", 1), 0);
	parse("-v -r", text, sizeof text);
	ck_assert_str_eq(text, "run sample verbose gen-report");
	parse("", text, sizeof text);
	ck_assert_str_eq(text, "run sample");
	parse("-e", text, sizeof text);
	ck_assert_str_eq(text, "run sample error");
	parse("-n", text, sizeof text);
	ck_assert_str_eq(text, "run sample dry-run");
	parse("-d x -v", text, sizeof text);
	ck_assert_str_eq(text, "run sample verbose directory=x");
	parse("-q", text, sizeof text);
	ck_assert_str_eq(text, "a verb is missing; see perfmon help");
	parse("-h", text, sizeof text);
	ck_assert_str_eq(text, "help - help");
	parse("-V -r", text, sizeof text);
	ck_assert_str_eq(text, "version - version remove");
}
END_TEST

START_TEST(how_much_is_said)
{
	char text[600];

	parse("start", text, sizeof text);
	ck_assert_int_eq(pm_log_level, 0);
	parse("-v start -v", text, sizeof text);
	ck_assert_int_eq(pm_log_level, 2);
	parse("-q start -v", text, sizeof text);
	ck_assert_int_eq(pm_log_level, -1);
	/* What is wrong behind them is said as much. */
	parse("-v --json start", text, sizeof text);
	ck_assert_int_eq(pm_log_level, 1);
}
END_TEST

/* Settings take effect, but where there may be no memory for them. */
START_TEST(settings)
{
	char words[64] = "perfmon --tags x -a run --args none true", text[400];
	char *argv[WORDS_MAX + 1];
	struct pm_cli cli;
	int argc = split(words, argv);

	ck_assert_int_eq(pm_cli_parse_short(&cli, argc, argv), PM_CLI_RUN);
	print(text, sizeof text, &cli);
	ck_assert_str_eq(text, "run auto | true");
	ck_assert(!pm_config_is_given(PM_SET_tags) && !pm_config_is_given(PM_SET_args));
}
END_TEST

START_TEST(settings_in_force)
{
	char text[600];

	parse("--tags x run --args=none true", text, sizeof text);
	ck_assert_str_eq(text, "run run | true");
	ck_assert_str_eq(pm_config_get(PM_SET_tags), "x");
	ck_assert_str_eq(pm_config_get(PM_SET_args), "none");
}
END_TEST

START_TEST(verbs)
{
	for (int v = 0; v < PM_VERBS; v++)
		ck_assert_int_eq(pm_cli_find_verb(pm_verb_info[v].name), v);
	ck_assert_int_eq(pm_cli_find_verb("nothing"), PM_VERBS);
	ck_assert_int_eq(pm_cli_find_verb(""), PM_VERBS);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("cli");
	TCase *t = tcase_create("cli");

	tcase_add_checked_fixture(t, set_up, pm_unit_tear_down);
	tcase_add_test(t, command_lines);
	tcase_add_test(t, in_a_batch_job);
	tcase_add_test(t, how_much_is_said);
	tcase_add_test(t, settings);
	tcase_add_test(t, settings_in_force);
	tcase_add_test(t, verbs);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
