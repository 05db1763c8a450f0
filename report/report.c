/* The verb report: explain a job. */
#include "config.h"

#include "report/print/options.h"
#include "report/query/query.h"
#include "report/report_json.h"
#include "report/report_text.h"
#include "report/select.h"

#include "common/cli/verb.h"

#include <stdio.h>

/* Default number of rows per table, and the largest effective --limit. */
#define ROWS     5
#define ROWS_MAX 1000

int pm_verb_report(const struct pm_cli *cli, struct pm_err *e)
{
	bool json = cli->given[PM_OPT_json];
	struct pm_selection s = { 0 };
	struct pm_facts facts;
	int rc = PM_EXIT_FAILED, written;
	struct pm_page page;
	int64_t limit;

	if (cli->argc > 1) {
		pm_err(e, "report: one job at a time");
		return PM_EXIT_USAGE;
	}
	if (pm_options_page(cli, &page, e) < 0 || pm_options_limit(cli, ROWS, &limit, e) < 0)
		return PM_EXIT_USAGE;
	pm_facts_init(&facts, (size_t)(limit < ROWS_MAX ? limit : ROWS_MAX));
	if (pm_select_job(cli, cli->argc ? cli->argv[0] : NULL, &s, e) < 0 ||
	    pm_query_facts(s.db, s.job, json || page.utf8, &facts, e) < 0)
		goto out;
	written = json ? pm_report_json(stdout, &facts)
		       : pm_report_text(&page, &facts, cli->given[PM_OPT_all]);
	if (written < 0 && !ferror(stdout))
		pm_err(e, "report: out of memory");
	else if (pm_options_flush(e) == 0)
		rc = PM_EXIT_OK;
out:
	pm_facts_free(&facts);
	pm_select_close(&s);
	return rc;
}
