/* The table of layouts, and `perfmon export --layout`. */
#include "config.h"

#include "export/layout.h"

#include "analysis/select/retired.h"
#include "common/log.h"
#include "common/words.h"
#include "report/retired.h"
#include "report/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pm_layout *const layouts[] = {
	&pm_layout_ska,
	&pm_layout_perfpy,
	&pm_layout_mlflow,
	&pm_layout_colmet,
};

/* What the command line says. */
struct command {
	const struct pm_layout *layout;
	const char *job; /* NULL: as without an operand */
};

static const struct pm_layout *find_layout(const char *name)
{
	for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
		if (strcmp(layouts[i]->name, name) == 0)
			return layouts[i];
	return NULL;
}

/* Take the operands: the kind, which may be missing, and a job. Returns 0, or -1 with e filled. */
static int take_operands(struct command *c, const struct pm_cli *cli, struct pm_err *e)
{
	const char *name = cli->value[PM_OPT_layout];
	int at = 0;

	c->layout = find_layout(name);
	if (!c->layout)
		return pm_err(e, "export: --layout is one of " PM_LAYOUT_NAMES);
	if (at < cli->argc && strcmp(cli->argv[at], c->layout->kind) == 0)
		at++;
	if (cli->argc > at + 1 || (cli->argc > at && cli->value[PM_OPT_job]))
		return pm_err(e, "export --layout %s: it is of one job: export %s JOB --layout %s",
			      name, c->layout->kind, name);
	c->job = cli->argc > at ? cli->argv[at] : NULL;
	return 0;
}

/* Check that the options fit the layout. Returns 0, or -1 with e filled. */
static int check_usage(const struct command *c, const struct pm_cli *cli, struct pm_err *e)
{
	static const bool fits[PM_OPTIONS] = {
		[PM_OPT_job] = true,     [PM_OPT_file] = true,  [PM_OPT_format] = true,
		[PM_OPT_layout] = true,  [PM_OPT_names] = true, [PM_OPT_quiet] = true,
		[PM_OPT_verbose] = true,
	};
	const struct pm_layout *l = c->layout;
	const char *path = cli->value[PM_OPT_file], *names = cli->value[PM_OPT_names];

	for (int o = 0; o < PM_OPTIONS; o++)
		if (cli->given[o] && !fits[o] && (o != PM_OPT_columns || !l->columns))
			return pm_err(e, "export --layout %s: --%s is for rows; this is of one job",
				      l->name, pm_option_info[o].name);
	if (l->directory && (!path || strcmp(path, "-") == 0))
		return pm_err(e, "export --layout %s: name a directory with -o", l->name);
	if (cli->given[PM_OPT_format] && !*l->tables)
		return pm_err(e, "export --layout %s: it has a format of its own", l->name);
	if (names && !pm_words_have(l->names, names))
		return pm_err(e, "export --layout %s: --names %s: %s%s", l->name, names,
			      *l->names ? "it is one of these: " : "it is for mlflow", l->names);
	return 0;
}

/* Take the formats of tables, with commas between. Returns 0, or -1 with e filled. */
static int take_formats(struct pm_layout_ask *a, const struct pm_layout *l, const char *list,
			struct pm_err *e)
{
	const char *word;
	size_t n;

	while (list && (word = pm_words_next(&list, ',', &n))) {
		char name[32];

		if (a->formats == PM_LAYOUT_FORMATS)
			return pm_err(e, "export: --format: at most %d formats", PM_LAYOUT_FORMATS);
		if (!pm_words_have_among(l->tables, ' ', word, n))
			return pm_err(e, "export --layout %s: --format is of these: %s", l->name,
				      l->tables);
		snprintf(name, sizeof name, "%.*s", (int)n, word);
		a->format[a->formats++] = pm_export_format_named(name);
	}
	return 0;
}

/* Take the names of columns, with commas between. Returns 0, or -1 with e filled; *to is to be
 * freed. */
static int take_columns(char **to, const char *list, struct pm_err *e)
{
	*to = list ? strdup(list) : NULL;
	if (list && !*to)
		return pm_err(e, "out of memory");
	for (char *p = *to; p && *p; p++)
		if (*p == ',')
			*p = ' ';
	return 0;
}

int pm_layout_export(const struct pm_cli *cli, struct pm_err *e)
{
	const char *path = cli->value[PM_OPT_file] ? cli->value[PM_OPT_file] : "-";
	struct pm_layout_ask ask = { .path = path,
				     .read = cli->argv,
				     .reads = (size_t)cli->argc,
				     .verbose = cli->given[PM_OPT_verbose] > 0,
				     .names = cli->value[PM_OPT_names] };
	struct pm_selection s = { .db = NULL };
	struct command c = { 0 };
	char *columns = NULL;
	int64_t retired = 0;
	int rc;

	if (take_operands(&c, cli, e) < 0 || check_usage(&c, cli, e) < 0 ||
	    take_formats(&ask, c.layout, cli->value[PM_OPT_format], e) < 0)
		return PM_EXIT_USAGE;
	rc = take_columns(&columns, cli->value[PM_OPT_columns], e);
	ask.columns = columns;
	if (rc == 0)
		rc = pm_select_job(cli, c.job, &s, e);
	ask.db = s.db;
	ask.job = s.job;
	if (rc == 0)
		rc = c.layout->write(&ask, e);
	if (rc == 0)
		rc = pm_retired_among(s.db, &s.job, 1, &retired, e);
	pm_select_close(&s);
	free(columns);
	pm_retired_warn(retired);
	if (rc == 0 && ask.damaged > 0)
		rc = pm_err(e, "%zu times samples could not be read, and are unknown there: %s",
			    ask.damaged, ask.damage.text);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
