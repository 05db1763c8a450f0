/* perfmon check: what works here, and what to do about what does not. */
#include "config.h"

#include "common/check.h"
#include "common/terminal.h"
#include "common/verb.h"
#include "wrapper/metadata.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct row {
	const char *name;
	void (*run)(struct pm_check *c);
} checks[] = {
#define PM_CHECK(id, name, help) { name, pm_check_##id },
#include "common/checks.def"
#undef PM_CHECK
};
#define CHECKS (sizeof checks / sizeof checks[0])

struct pm_check {
	const struct pm_cli *cli;
	const char *name; /* of the running check */
	json_t *json;     /* array, or NULL for text */
	int failed;
};

const struct pm_cli *pm_check_cli(const struct pm_check *c)
{
	return c->cli;
}

/* Print text of others: one line, escaped as a TSV field, and no more than text to a terminal. */
static void put(const char *text)
{
	pm_terminal_put(stdout, text, strlen(text), true);
}

void pm_check_report(struct pm_check *c, enum pm_check_verdict verdict, const char *remedy,
		     const char *fmt, ...)
{
	static const char *const word[] = { "pass", "warn", "fail" };
	char found[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(found, sizeof found, fmt, ap);
	va_end(ap);
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
	if (verdict == PM_CHECK_PASS && c->cli->given[PM_OPT_quiet])
		return;
	printf("%s  %-21s ", word[verdict], c->name);
	put(found);
	if (verdict != PM_CHECK_PASS && *remedy) {
		fputs("; ", stdout);
		put(remedy);
	}
	putchar('\n');
}

/* Whether the operands select a check: by its name, its area or a pattern. */
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
	struct pm_check c = { .cli = cli };
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
			checks[i].run(&c);
	}
	if (c.json) {
		json_dumpf(c.json, stdout,
			   JSON_ENSURE_ASCII | JSON_INDENT(1) | JSON_PRESERVE_ORDER);
		putchar('\n');
		json_decref(c.json);
	}
	return c.failed ? PM_EXIT_FAILED : PM_EXIT_OK;
}
