/* perfmon check: report what works here, and how to mend the rest. */
#include "config.h"

#include "common/cli/check.h"
#include "common/cli/verb.h"
#include "common/terminal.h"
#include "wrapper/metadata/metadata.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const struct row {
	const char *name;
	void (*run)(struct pm_check *c);
} checks[] = {
#define PM_CHECK(id, name, help) { name, pm_check_##id },
#include "common/cli/checks.def"
#undef PM_CHECK
};
#define CHECKS (sizeof checks / sizeof checks[0])

/* What printing the findings needs. */
struct findings {
	struct pm_check check; /* first: checks see only this base */
	const char *name;      /* of the running check */
	json_t *json;          /* the array to print; NULL: print text */
	int failed;            /* number of failed checks */
};

/* Print untrusted text on one line: escaped as a TSV field and safe for a terminal. */
static void print_text(const char *text)
{
	pm_terminal_put(stdout, text, strlen(text), true);
}

static void print_finding(struct pm_check *check, enum pm_check_verdict verdict, const char *remedy,
			  const char *found)
{
	static const char *const word[] = { "pass", "warn", "fail" };
	struct findings *c = (struct findings *)check;

	c->failed += verdict == PM_CHECK_FAIL;
	if (c->json) {
		json_t *one = json_object();

		json_object_set_new(one, "check", json_string(c->name));
		json_object_set_new(one, "verdict", json_string(word[verdict]));
		json_object_set_new(one, "passed", json_boolean(verdict != PM_CHECK_FAIL));
		json_object_set_new(one, "found", pm_metadata_string(found));
		if (verdict != PM_CHECK_PASS && *remedy)
			json_object_set_new(one, "remedy", pm_metadata_string(remedy));
		json_array_append_new(c->json, one);
		return;
	}
	if (verdict == PM_CHECK_PASS && check->cli->given[PM_OPT_quiet])
		return;
	printf("%s  %-21s ", word[verdict], c->name);
	print_text(found);
	if (verdict != PM_CHECK_PASS && *remedy) {
		fputs("; ", stdout);
		print_text(remedy);
	}
	putchar('\n');
}

/* Whether the operands select a check by its name, its area or a pattern. Marks these in `used`. */
static bool is_selected(const struct pm_cli *cli, const char *name, int *used)
{
	bool selected = cli->argc == 0;

	for (int i = 0; i < cli->argc; i++) {
		size_t n = strlen(cli->argv[i]);

		if (fnmatch(cli->argv[i], name, 0) == 0 ||
		    (strncmp(cli->argv[i], name, n) == 0 && name[n] == '.')) {
			selected = true;
			used[i] = 1;
		}
	}
	return selected;
}

int pm_verb_check(const struct pm_cli *cli, struct pm_err *e)
{
	struct findings c = { .check = { cli, print_finding } };
	int used[64] = { 0 }, selected[CHECKS];

	if (cli->argc > 64) {
		pm_err(e, "check takes at most 64 names");
		return PM_EXIT_USAGE;
	}
	for (size_t i = 0; i < CHECKS; i++)
		selected[i] = is_selected(cli, checks[i].name, used);
	for (int i = 0; i < cli->argc; i++)
		if (!used[i]) {
			pm_err(e, "there is no check '%s'; perfmon check shows all", cli->argv[i]);
			return PM_EXIT_USAGE;
		}
	c.json = cli->given[PM_OPT_json] ? json_array() : NULL;
	for (size_t i = 0; i < CHECKS; i++) {
		c.name = checks[i].name;
		if (selected[i])
			checks[i].run(&c.check);
	}
	if (c.json) {
		json_dumpf(c.json, stdout,
			   JSON_ENSURE_ASCII | JSON_INDENT(1) | JSON_PRESERVE_ORDER);
		putchar('\n');
		json_decref(c.json);
	}
	return c.failed ? PM_EXIT_FAILED : PM_EXIT_OK;
}
