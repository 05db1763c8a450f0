/* The verb show: a job's processes as a tree with times. */
#include "config.h"

#include "report/print/options.h"
#include "report/select.h"
#include "report/show_json.h"
#include "report/show_tree.h"

#include "common/cli/verb.h"

#include <stdio.h>

/* Default limit on the lines of a tree. */
#define LINES 200

int pm_verb_show(const struct pm_cli *cli, struct pm_err *e)
{
	bool json = cli->given[PM_OPT_json];
	struct pm_selection s = { 0 };
	int rc = PM_EXIT_FAILED;
	struct pm_page page;
	int64_t limit;

	if (cli->argc > 1) {
		pm_err(e, "show: one job at a time");
		return PM_EXIT_USAGE;
	}
	if (pm_options_page(cli, &page, e) < 0 ||
	    pm_options_limit(cli, json ? 0 : LINES, &limit, e) < 0)
		return PM_EXIT_USAGE;
	if (pm_select_job(cli, cli->argc ? cli->argv[0] : NULL, &s, e) < 0)
		goto out;
	if ((json ? pm_show_json(stdout, s.db, s.job, limit, e)
		  : pm_show_tree(&page, s.db, s.job, limit, cli->given[PM_OPT_counters], e)) < 0)
		goto out;
	if (pm_options_flush(e) == 0)
		rc = PM_EXIT_OK;
out:
	pm_select_close(&s);
	return rc;
}
