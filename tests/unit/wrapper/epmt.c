/* wrapper/cli/epmt.c: command lines of EPMT and what they become. */
#include "config.h"

#include "wrapper/cli/epmt.h"

#include "common/cli/epmt.h"
#include "common/log.h"
#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 16

/* What becomes of words, separated by |: the words after perfmon, or ! and the error, or = and the
 * status of what is done. Notes stand behind it, each after #. */
static const char *translate(const char *line)
{
	static char text[2048];
	char words[512], *argv[WORDS_MAX + 2] = { (char *)(uintptr_t) "epmt" }, *save = NULL;
	struct pm_err e = { "" };
	struct pm_epmt t;
	size_t n = 0;
	int argc = 1, action;

	snprintf(words, sizeof words, "%s", line);
	for (char *p = strtok_r(words, "|", &save); p && argc <= WORDS_MAX;
	     p = strtok_r(NULL, "|", &save))
		argv[argc++] = strcmp(p, "''") == 0 ? p + 2 : p;
	pm_log_level = -1;
	action = pm_epmt_translate(&t, argc, argv, &e);
	text[0] = '\0';
	if (action < 0)
		n += (size_t)snprintf(text, sizeof text, "!%s", e.text);
	else if (action == PM_EPMT_DONE)
		n += (size_t)snprintf(text, sizeof text, "=%d", t.status);
	for (int i = 1; action >= 0 && action != PM_EPMT_DONE && i < t.argc; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i > 1 ? "|" : "",
				      t.argv[i]);
	if (action == PM_EPMT_SHELL)
		n += (size_t)snprintf(text + n, sizeof text - n, " shell");
	for (size_t i = 0; i < t.notes && n < sizeof text; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "#%.*s",
				      (int)strcspn(t.note[i], ":"), t.note[i]);
	pm_epmt_free(&t);
	return text;
}

START_TEST(translations)
{
	static const struct {
		const char *line, *becomes;
	} cases[] = {
		{ "", "" },
		{ "start", "start" },
		{ "-v|-j1|source", "-v|-j1|source" },
		{ "-j|submit|source", "-j|submit|source" },
		{ "--db|list|list|procs", "--db|list|list|processes" },
		{ "-a|run|./app|-i|x", "-a|run|./app|-i|x" },
		{ "run|-an|--|ls|-C", "run|-a|-n|--|ls|-C" },
		{ "run|-a|ls -C; wc", "run|-a|sh|-c|ls -C; wc" },
		{ "run|--|ls -C; wc", "run|--|sh|-c|ls -C; wc" },
		{ "run|a b|c", "run|a b|c" },
		{ "ls|-C", "ls|-C" },
		{ "delete|1|2", "delete|--force|1|2" },
		{ "check", "check" },
		{ "list", "list" },
		{ "list|4711", "list|4711" },
		{ "list|jobs|limit=5|--json", "list|jobs|--limit|5|--json" },
		{ "list|tags=a:b;c:d", "list|--tag|a:b;c:d" },
		{ "list|tags={'a': 1, \"b\": 'x,y'}", "list|--tag|a:1;b:x\\,y" },
		{ "list|tags=['a:1', 'b:2']", "list|--tag|a:1,b:2" },
		{ "list|tags=", "list|--tag|" },
		{ "list|before=-7|after=01/02/2019 03:04",
		  "list|--before|-7d|--after|2019-01-02T03:04" },
		{ "list|when=685000", "list|--when|685000" },
		{ "list|fmt=dict|fmt=pandas", "list|--json|--csv" },
		{ "list|fmt=terse", "list" },
		{ "list|procs|jobs=['4711']|tags=op:mv",
		  "list|processes|4711|--process-tag|op:mv" },
		{ "list|op_metrics|jobs=1|tags=op:mv", "ops|1|--tag|op:mv" },
		{ "list|refmodels", "model|list" },
		{ "list|unanalyzed_jobs|limit=5",
		  "list|jobs|--where|analyzed_us IS NULL|--limit|5" },
		{ "list|merge_proc_sums=True", "list#merge_proc_sums has no effect" },
		{ "list|unprocessed_jobs", "=0" },
		{ "list|./a=b", "list|./a=b" },
		{ "list|--|a=b", "list|--|a=b" },
		{ "explore|E|--metric|duration", "explore|E|--metric|duration_us" },
		{ "explore|E|--metric=num_procs", "explore|E|--metric|processes" },
		{ "explore|E|--metric", "!--metric needs an argument" },
		{ "submit|-p|a.tgz", "submit|a.tgz#--num-cpus has no effect" },
		{ "submit|-p|4|a.tgz", "submit|a.tgz#--num-cpus has no effect" },
		{ "submit|-p4|a.tgz", "submit|a.tgz#--num-cpus has no effect" },
		{ "submit|-rp", "submit|-r#--num-cpus has no effect" },
		{ "submit|--num-cpus=|a.tgz", "submit|a.tgz#--num-cpus has no effect" },
		{ "submit|--spool|x", "submit|--spool|x" },
		{ "list|--tag|a=b|limit=1", "list|--tag|a=b|--limit|1" },
		{ "list|-vj|a=b", "list|-v|-j|a=b" },
		{ "dump|-k|exp_name|x", "dump|-k|exp_name|x" },
		{ "daemon|-D|-i|spool", "submit|--watch|--spool|spool#--foreground has no effect" },
		{ "daemon|--ingest=s|-kmD",
		  "submit|--watch|--spool|s#--keep has no effect#--move-away has no effect"
		  "#--foreground has no effect" },
		{ "daemon", "=0" },
		{ "dbcare|-r", "retire|--vacuum#--retire-jobs has no effect" },
		{ "lint|-x", "=0" },
		{ "shell", "dbsize shell" },
		{ "--db|x|python", "--db|x|dbsize shell" },
		{ "help|submit", "help|submit" },
		{ "notebook|--|--ip|x", "notebook|--|--ip|x" },
		{ "''", "" },
		{ "-", "-" },
		{ "--|list", "--|list" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *got = translate(cases[i].line);

		ck_assert_msg(strcmp(got, cases[i].becomes) == 0, "epmt %s: %s, not %s",
			      cases[i].line, got, cases[i].becomes);
	}
}
END_TEST

START_TEST(answers)
{
	static const char *const lines[] = {
		"gui",
		"python|x.py",
		"daemon|-S",
		"daemon|-r|-i|x",
		"stage|--no-compress-and-tar",
		"list|order=x",
		"list|fltr=x",
		"daemon|-i",
		"list|procs|hosts=x",
		"list|exact_tag_only=True",
	};

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		const char *got = translate(lines[i]);

		ck_assert_msg(strncmp(got, "!epmt ", 6) == 0 && strstr(got, "use: "), "epmt %s: %s",
			      lines[i], got);
	}
	ck_assert_str_eq(translate("list|colour=red"),
			 "!epmt list: jobs has no filter 'colour'; see perfmon-epmt(7)");
}
END_TEST

/* Every line ends, whatever it says. */
START_TEST(hostile)
{
	static const char *const word[] = {
		"list", "daemon",   "submit",   "run",     "-",        "--",
		"-p",   "-i",       "-k",       "-vvi",    "--ingest", "--ingest=",
		"jobs", "procs",    "tags={",   "tags=['", "before=-", "when=//// ::",
		"=",    "jobs=[,]", "--metric", "-S",      "--=",      "fmt=",
		"a=b",  "tags='\"", "-\x80",    "help",
	};
	const size_t words = sizeof word / sizeof word[0];
	uint64_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		char line[256] = "";
		size_t n = 0;

		for (size_t k = random_below(&seed, 7) + 1; k > 0; k--)
			n += (size_t)snprintf(line + n, sizeof line - n, "%s|",
					      word[random_below(&seed, words)]);
		translate(line);
	}
}
END_TEST

START_TEST(rows_are_whole)
{
	for (size_t i = 0; i < pm_epmt_rows; i++) {
		const struct pm_epmt_row *r = &pm_epmt_row[i];

		ck_assert_msg(*r->name && *r->command, "%s", r->name);
		ck_assert_msg((r->how == PM_EPMT_BECOMES) == (*r->becomes != '\0'), "%s", r->name);
		ck_assert_msg(r->how != PM_EPMT_NEEDLESS || *r->note, "%s needs a note", r->name);
		ck_assert_msg(r->kind != PM_EPMT_IS_OPTION || !*r->of ||
				      pm_epmt_find(PM_EPMT_IS_VERB, "", r->of),
			      "%s: no verb %s", r->name, r->of);
		ck_assert_msg(pm_epmt_find(r->kind, r->of, r->name) == r, "%s is there twice",
			      r->name);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("wrapper/cli/epmt.c");
	TCase *t = tcase_create("epmt");

	tcase_add_test(t, translations);
	tcase_add_test(t, answers);
	tcase_add_test(t, hostile);
	tcase_add_test(t, rows_are_whole);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
