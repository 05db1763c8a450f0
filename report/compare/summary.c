/* The verb summary: jobs added up by user, month and the like. */
#include "config.h"

#include "report/compare/summary.h"

#include "analysis/select/retired.h"
#include "common/cli/verb.h"
#include "report/jobwords.h"
#include "report/print/options.h"
#include "report/retired.h"
#include "report/select.h"
#include "report/verbpage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Groups of a text, without --limit, and jobs that wasted the most. */
#define ROWS  20
#define WORST 5

#define TAG "tag:"

static const struct {
	const char *word;
	enum pm_jobsums_by by;
} words[] = {
	{ "user", PM_JOBSUMS_USER },   { "account", PM_JOBSUMS_ACCOUNT },
	{ "queue", PM_JOBSUMS_QUEUE }, { "partition", PM_JOBSUMS_QUEUE },
	{ "name", PM_JOBSUMS_NAME },   { "program", PM_JOBSUMS_PROGRAM },
	{ "month", PM_JOBSUMS_MONTH }, { "day", PM_JOBSUMS_DAY },
};

/* Read --by. *tag gets the name of a tag, NULL for none. */
static int take_by(struct pm_summary *s, const char *word, const char **tag, struct pm_err *e)
{
	s->by = word ? word : words[0].word;
	*tag = NULL;
	if (strncmp(s->by, TAG, strlen(TAG)) == 0 && s->by[strlen(TAG)]) {
		s->kind = PM_JOBSUMS_TAG;
		*tag = s->by + strlen(TAG);
		return 0;
	}
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(s->by, words[i].word) == 0) {
			s->kind = words[i].by;
			return 0;
		}
	return pm_err(e,
		      "--by %s: user, account, queue, partition, name, program, day, month or "
		      "tag:NAME is needed",
		      s->by);
}

/* Add up the jobs that options select, of which so many may have no programs any more. Returns an
 * exit status. */
static int read_sums(struct pm_summary *s, const struct pm_cli *cli, struct pm_db *db,
		     const char *tag, int64_t *retired, struct pm_err *e)
{
	struct pm_jobfilter f;
	int status = pm_jobwords_select(cli, db, &f, e);

	if (status == PM_EXIT_OK &&
	    (pm_jobsums_read(&s->sums, db, &f, s->kind, tag, e) < 0 ||
	     pm_jobsums_worst(&s->worst, &s->worsts, db, &f, WORST, e) < 0 ||
	     (s->kind == PM_JOBSUMS_PROGRAM && pm_retired_count(db, &f, retired, e) < 0))) {
		if (cli->value[PM_OPT_where])
			pm_jobwords_explain(db, "jobs", e);
		status = PM_EXIT_FAILED;
	}
	pm_db_unguard(db);
	pm_jobfilter_free(&f);
	return status;
}

/* What a page has between header and footer. */
struct listing {
	const struct pm_summary *of;
	int64_t limit;
};

static int print_listing(const void *ctx, const struct pm_page *page, struct pm_err *e)
{
	const struct listing *l = ctx;

	return pm_summary_print(l->of, page, l->limit, e);
}

/* Write the page that --html asks for. Returns 0 or -1 with e filled. */
static int write_page(const struct pm_cli *cli, const struct pm_summary *s, int64_t limit,
		      struct pm_err *e)
{
	const struct listing l = { s, limit };
	char title[PM_VERBPAGE_TITLE];

	snprintf(title, sizeof title, "Jobs by %s", s->by);
	return pm_verbpage_write(cli, title, print_listing, &l, e);
}

int pm_verb_summary(const struct pm_cli *cli, struct pm_err *e)
{
	const bool json = cli->given[PM_OPT_json], csv = cli->given[PM_OPT_csv],
		   html = cli->given[PM_OPT_html];
	struct pm_summary s = { .by = NULL };
	struct pm_selection selection = { .db = NULL };
	struct pm_page page;
	const char *tag;
	int64_t limit, retired = 0;
	int status;

	if (cli->argc) {
		pm_err(e, "summary takes no operands; options say which jobs");
		return PM_EXIT_USAGE;
	}
	if (pm_verbpage_check(cli, e) < 0 || take_by(&s, cli->value[PM_OPT_by], &tag, e) < 0 ||
	    pm_options_page(cli, &page, e) < 0 ||
	    pm_options_limit(cli, json || csv ? 0 : ROWS, &limit, e) < 0)
		return PM_EXIT_USAGE;
	if (pm_select_database(cli, NULL, &selection, e) < 0)
		return PM_EXIT_FAILED;
	status = read_sums(&s, cli, selection.db, tag, &retired, e);
	if (status == PM_EXIT_OK && ((html   ? write_page(cli, &s, limit, e)
				      : json ? pm_summary_dump(&s, limit, e)
				      : csv  ? pm_summary_csv(&s, limit, e)
					     : pm_summary_print(&s, &page, limit, e)) < 0 ||
				     pm_options_flush(e) < 0))
		status = PM_EXIT_FAILED;
	if (status == PM_EXIT_OK)
		pm_retired_warn(retired);
	pm_jobsums_free(&s.sums);
	pm_jobsums_free_jobs(s.worst, s.worsts);
	pm_select_close(&selection);
	return status;
}
