/* The verb show: a job's processes with their times, as a tree or a list. */
#include "config.h"

#include "report/print/options.h"
#include "report/retired.h"
#include "report/select.h"
#include "report/show/show_filter.h"
#include "report/show/show_json.h"
#include "report/show/show_list.h"
#include "report/show/show_path.h"
#include "report/show/show_tree.h"

#include "analysis/select/retired.h"
#include "common/cli/verb.h"

#include <stdio.h>

/* Default limit on the lines of a tree. */
#define LINES 200

static int print(const struct pm_cli *cli, const struct pm_page *page, const struct pm_selection *s,
		 int64_t limit, const struct pm_show_filter *filter, struct pm_err *e)
{
	if (cli->given[PM_OPT_critical])
		return pm_show_path(page, s->db, s->job, limit, cli->given[PM_OPT_json], e);
	if (cli->given[PM_OPT_json])
		return pm_show_json(stdout, s->db, s->job, limit, filter, e);
	if (filter->listed)
		return pm_show_list(page, s->db, s->job, limit, filter, e);
	return pm_show_tree(page, s->db, s->job, limit, filter, cli->given[PM_OPT_counters], e);
}

int pm_verb_show(const struct pm_cli *cli, struct pm_err *e)
{
	bool json = cli->given[PM_OPT_json];
	struct pm_show_filter filter = { .where = NULL };
	struct pm_selection s = { 0 };
	int rc = PM_EXIT_FAILED;
	struct pm_page page;
	int64_t limit, retired;

	if (cli->argc > 1) {
		pm_err(e, "show: one job at a time");
		return PM_EXIT_USAGE;
	}
	if (cli->given[PM_OPT_counters] && !json &&
	    (cli->given[PM_OPT_timeline] || cli->value[PM_OPT_tag] || cli->value[PM_OPT_alive])) {
		pm_err(e, "show: --counters is for trees, not with --tag, --alive or --timeline");
		return PM_EXIT_USAGE;
	}
	if (cli->given[PM_OPT_critical] &&
	    (cli->given[PM_OPT_timeline] || cli->value[PM_OPT_tag] || cli->value[PM_OPT_alive] ||
	     cli->value[PM_OPT_subtree] || cli->given[PM_OPT_counters])) {
		pm_err(e, "show: --critical is about the whole job, not with other options that "
			  "choose "
			  "or add to processes");
		return PM_EXIT_USAGE;
	}
	if (pm_options_page(cli, &page, e) < 0 ||
	    pm_options_limit(cli, json ? 0 : LINES, &limit, e) < 0)
		return PM_EXIT_USAGE;
	if (pm_select_job(cli, cli->argc ? cli->argv[0] : NULL, &s, e) < 0)
		goto out;
	rc = pm_show_filter_make(&filter, cli, s.db, s.job, e);
	if (rc != PM_EXIT_OK)
		goto out;
	rc = PM_EXIT_FAILED;
	if (pm_retired_among(s.db, &s.job, 1, &retired, e) < 0 ||
	    print(cli, &page, &s, limit, &filter, e) < 0 || pm_options_flush(e) < 0)
		goto out;
	pm_retired_warn(retired);
	rc = PM_EXIT_OK;
out:
	pm_show_filter_free(&filter);
	pm_select_close(&s);
	return rc;
}
