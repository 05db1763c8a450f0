/* perfmon check: what works here, and what to do about what does not. */
#include "config.h"

#include "common/tsv.h"
#include "common/verb.h"
#include "wrapper/check.h"
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
#include "wrapper/checks.def"
#undef PM_CHECK
};
#define CHECKS (sizeof checks / sizeof checks[0])

struct pm_check {
	const char *name; /* of the running check */
	json_t *json;     /* array, or NULL for text */
	int failed;
};

void pm_check_report(struct pm_check *c, bool passed, const char *remedy, const char *fmt, ...)
{
	char found[1024], escaped[4 * sizeof found];
	struct pm_buf b;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(found, sizeof found, fmt, ap);
	va_end(ap);
	c->failed += !passed;
	if (c->json) {
		json_t *one = json_object();

		json_object_set_new(one, "check", json_string(c->name));
		json_object_set_new(one, "passed", json_boolean(passed));
		json_object_set_new(one, "found", pm_metadata_string(found));
		if (!passed && *remedy)
			json_object_set_new(one, "remedy", json_string(remedy));
		json_array_append_new(c->json, one);
		return;
	}
	pm_buf_init(&b, escaped, sizeof escaped);
	pm_tsv_escape(&b, found, strlen(found));
	printf("%s  %-21s %.*s%s%s\n", passed ? "pass" : "fail", c->name, (int)b.len, b.p,
	       !passed && *remedy ? "; " : "", passed ? "" : remedy);
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
	struct pm_check c = { .json = NULL };
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
		json_dumpf(c.json, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
		putchar('\n');
		json_decref(c.json);
	}
	return c.failed ? PM_EXIT_FAILED : PM_EXIT_OK;
}
