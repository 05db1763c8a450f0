/* The verb report: explain a job. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/outfile.h"
#include "common/safe/tsv.h"

#include "report/job/report_json.h"
#include "report/job/report_text.h"
#include "report/jobwords.h"
#include "report/print/options.h"
#include "report/query/query.h"
#include "report/select.h"
#include "report/web/webpage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Default number of rows per table, and the largest effective --limit. */
#define ROWS     5
#define ROWS_MAX 1000

/* Write the page of the job that is selected to a file. Returns 0, or -1 with e filled. */
static int report_page(const struct pm_cli *cli, int64_t rows, const struct pm_selection *s,
		       struct pm_err *e)
{

	struct pm_outfile out = { 0 };
	struct pm_facts facts;
	int rc = -1;

	pm_facts_init(&facts, PM_WEBPAGE_PROGRAMS);
	if (pm_query_facts(s->db, s->job, true, &facts, e) == 0 &&
	    pm_outfile_open(&out, cli->value[PM_OPT_html], e) == 0 &&
	    pm_webpage_write(out.f, s->db, &facts, rows, e) == 0)
		rc = pm_outfile_commit(&out, e);
	pm_outfile_abandon(&out);
	pm_facts_free(&facts);
	return rc;
}

/* Report on the job that is selected. Returns 0, or -1 with e filled. */
static int report_job(const struct pm_cli *cli, const struct pm_page *page, size_t rows,
		      const struct pm_selection *s, struct pm_err *e)
{
	const bool json = cli->given[PM_OPT_json];
	struct pm_facts facts;
	int rc = -1;

	pm_facts_init(&facts, rows);
	if (pm_query_facts(s->db, s->job, json || page->utf8, &facts, e) == 0) {
		rc = json ? pm_report_json(stdout, &facts)
			  : pm_report_text(page, &facts, cli->given[PM_OPT_all]);
		if (rc < 0 && !ferror(stdout))
			pm_err(e, "report: out of memory");
	}
	pm_facts_free(&facts);
	return rc;
}

/* Report on the jobs that options select, one after another; as JSON, an array. Returns an exit
 * status, with e filled unless it is 0. */
static int report_jobs(const struct pm_cli *cli, const struct pm_page *page, size_t rows,
		       struct pm_selection *s, struct pm_err *e)
{
	const char *newest = cli->value[PM_OPT_newest];
	const bool json = cli->given[PM_OPT_json];
	int64_t limit = INT64_MAX, *id = NULL;
	int status;
	size_t n;

	if (newest && (pm_tsv_number(newest, strlen(newest), &limit) < 0 || limit < 1)) {
		pm_err(e, "--newest %s: a number of jobs is needed", newest);
		return PM_EXIT_USAGE;
	}
	status = pm_jobwords_find(cli, s->db, limit, &id, &n, e);
	if (json && status == PM_EXIT_OK)
		fputs("[\n", stdout);
	else if (status == PM_EXIT_OK && n == 0)
		puts("no jobs");
	for (size_t i = 0; status == PM_EXIT_OK && i < n; i++) {
		if (i > 0)
			puts(json ? "," : "");
		s->job = id[i];
		if (report_job(cli, page, rows, s, e) < 0)
			status = PM_EXIT_FAILED;
	}
	if (json && status == PM_EXIT_OK)
		fputs("]\n", stdout);
	free(id);
	return status;
}

/* How many processes of a page stay as they are. Returns 0 or -1 with e filled. */
static int read_page_rows(const struct pm_cli *cli, int64_t *rows, struct pm_err *e)
{
	const char *given = cli->value[PM_OPT_page_rows];

	*rows = PM_WEBPAGE_ROWS;
	if (given && (pm_tsv_number(given, strlen(given), rows) < 0 || *rows < 1))
		return pm_err(e, "--page-rows %s: a number of rows is needed", given);
	if (given && !cli->given[PM_OPT_html])
		return pm_err(e, "--page-rows: of a page, which needs --html FILE");
	return 0;
}

int pm_verb_report(const struct pm_cli *cli, struct pm_err *e)
{
	const bool several = pm_jobwords_given(cli), one = cli->argc > 0 || cli->value[PM_OPT_job];
	struct pm_selection s = { 0 };
	int status = PM_EXIT_FAILED;
	struct pm_page page;
	int64_t limit, page_rows;
	size_t rows;

	if (several && cli->given[PM_OPT_html]) {
		pm_err(e, "report --html: one job has one page; name it");
		return PM_EXIT_USAGE;
	}
	if (cli->argc > 1) {
		pm_err(e, "report: one job at a time, or options that say which");
		return PM_EXIT_USAGE;
	}
	if ((one && several) || (cli->value[PM_OPT_newest] && !several)) {
		pm_err(e,
		       one && several
			       ? "report: name a job, or say by options which, not both"
			       : "report: --newest N of which jobs? Such as those of --user NAME");
		return PM_EXIT_USAGE;
	}
	if (pm_options_page(cli, &page, e) < 0 || pm_options_limit(cli, ROWS, &limit, e) < 0 ||
	    read_page_rows(cli, &page_rows, e) < 0)
		return PM_EXIT_USAGE;
	rows = (size_t)(limit < ROWS_MAX ? limit : ROWS_MAX);
	if (several && pm_select_database(cli, NULL, &s, e) == 0)
		status = report_jobs(cli, &page, rows, &s, e);
	else if (!several && pm_select_job(cli, cli->argc ? cli->argv[0] : NULL, &s, e) == 0 &&
		 (cli->given[PM_OPT_html] ? report_page(cli, page_rows, &s, e)
					  : report_job(cli, &page, rows, &s, e)) == 0)
		status = PM_EXIT_OK;
	if (status == PM_EXIT_OK && pm_options_flush(e) < 0)
		status = PM_EXIT_FAILED;
	pm_select_close(&s);
	return status;
}
