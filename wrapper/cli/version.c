/* perfmon --version -v: how this perfmon was built, with which libraries it runs, and the versions
 * of what it writes. */
#include "config.h"

#include "wrapper/cli/version.h"

#include "common/terminal.h"
#include "common/version.h"

#include <jansson.h>
#include <stdio.h>

enum kind { BUILD, LIBRARY, DATABASE, FORMAT, KINDS };

static const struct {
	const char *title, *key;
} kinds[KINDS] = {
	[BUILD] = { "Build", "build" },
	[LIBRARY] = { "Libraries", "libraries" },
	[DATABASE] = { "Database", "database" },
	[FORMAT] = { "Files", "files" },
};

static const struct {
	const char *id, *name;
	enum kind kind;
	void (*ask)(struct pm_version *v);
} parts[] = {
#define PM_VERSION(id, kind, name) { #id, name, kind, pm_version_##id },
#include "common/version.def"
#undef PM_VERSION
};

#define PARTS (sizeof parts / sizeof parts[0])

static void print_text(const struct pm_version *v)
{
	printf("perfmon %s\n", PACKAGE_VERSION);
	for (size_t i = 0; i < PARTS; i++) {
		if (i == 0 || parts[i].kind != parts[i - 1].kind)
			printf("\n%s\n", kinds[parts[i].kind].title);
		printf("  %-17s ", parts[i].name);
		if (!v[i].built)
			printf("not in this build\n");
		else if (*v[i].why)
			pm_terminal_print(stdout, "cannot be used: %s\n", v[i].why);
		else
			pm_terminal_print(stdout, "%s\n", v[i].text);
	}
}

static json_t *text_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

static void print_json(const struct pm_version *v)
{
	json_t *all = json_pack("{s:s}", "version", PACKAGE_VERSION), *group = NULL;

	for (size_t i = 0; i < PARTS; i++) {
		if (i == 0 || parts[i].kind != parts[i - 1].kind) {
			group = json_object();
			json_object_set_new(all, kinds[parts[i].kind].key, group);
		}
		json_object_set_new(group, parts[i].id,
				    json_pack("{s:s, s:b, s:o, s:o}", "name", parts[i].name,
					      "built", v[i].built, "version",
					      text_or_null(v[i].text), "reason",
					      text_or_null(v[i].why)));
	}
	json_dumpf(all, stdout, JSON_ENSURE_ASCII | JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(all);
}

void pm_version_print(const struct pm_cli *cli)
{
	static struct pm_version found[PARTS];

	if (!cli->given[PM_OPT_verbose] && !cli->given[PM_OPT_json]) {
		printf("perfmon %s\n", PACKAGE_VERSION);
		return;
	}
	for (size_t i = 0; i < PARTS; i++)
		parts[i].ask(&found[i]);
	if (cli->given[PM_OPT_json])
		print_json(found);
	else
		print_text(found);
}
