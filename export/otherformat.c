/* Formats that export does not write. */
#include "config.h"

#include "export/otherformat.h"

#include "export/format.h"

#include "common/bytes.h"
#include "common/secrets/redact.h"
#include "common/settings/readconfig.h"
#include "common/shellword.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Each by its name and its files. */
static const struct other {
	const char *name;
	const char *suffixes;
	/* Of a line of pandas: what it calls with the file, which is `end`; NULL: a database. */
	const char *call, *end;
} others[] = {
	{ "sqlite", ".sqlite .sqlite3 .db", NULL, ".sqlite" },
	{ "feather", ".feather .arrow", "to_feather", ".feather" },
	{ "orc", ".orc", "to_orc", ".orc" },
	{ "pickle", ".pickle .pkl", "to_pickle", ".pkl" },
};

static const struct other *find(const char *named, const char *path)
{
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (named ? strcmp(named, others[i].name) == 0
			  : pm_export_format_ends(path, others[i].suffixes))
			return &others[i];
	return NULL;
}

static void add_word(struct pm_bytes *b, const char *word)
{
	if (b->n > 0)
		pm_bytes_byte(b, ' ');
	pm_shellword_add(b, word, strlen(word));
}

/* The line that copies the jobs into a database; a password in the name of theirs is hidden. */
static void add_copy(struct pm_bytes *b, const struct pm_cli *cli, const char *to)
{
	const char *job = cli->value[PM_OPT_job];
	char from[PATH_MAX];

	pm_redact_url(pm_config_get(PM_SET_db), from, sizeof from);
	add_word(b, "perfmon");
	add_word(b, "copy");
	add_word(b, from);
	add_word(b, to);
	for (int i = 1; i < cli->argc; i++)
		add_word(b, cli->argv[i]);
	if (cli->argc == 1 && job)
		add_word(b, job);
}

bool pm_otherformat_explain(const struct pm_cli *cli, const char *path, struct pm_err *e)
{
	const struct other *o = find(cli->value[PM_OPT_format], path);
	const char *kind = cli->argc > 0 ? cli->argv[0] : "KIND";
	struct pm_bytes line = { .p = NULL };

	if (!o)
		return false;
	if (o->call) {
		pm_err(e,
		       "export: %s is made of Parquet: perfmon export %s ... -o %s.parquet, then "
		       "a line of pandas: pandas.read_parquet('%s.parquet').%s('%s%s')",
		       o->name, kind, kind, kind, o->call, kind, o->end);
		return true;
	}
	add_copy(&line, cli, strcmp(path, "-") == 0 ? "jobs.sqlite" : path);
	pm_bytes_byte(&line, '\0');
	pm_err(e, "export: rows are not written as a database; one of whole jobs is made by: %s%s",
	       line.failed ? "perfmon copy" : (const char *)line.p,
	       cli->argc > 1 || cli->value[PM_OPT_job] ? "" : ", with options that say which jobs");
	pm_bytes_free(&line);
	return true;
}
