/* The verb compare: what changed between two jobs, or two groups of them, and by how much. */
#include "config.h"

#include "report/compare/compare.h"

#include "report/compare/split.h"

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

/* Rows of a table, without --limit. */
#define ROWS 10

struct sides {
	int64_t *a, *b;
	size_t n, m;
};

/* Whether a job is on both sides, or twice on one. */
static bool has_twice(const struct sides *s)
{
	for (size_t i = 0; i < s->n + s->m; i++)
		for (size_t k = 0; k < i; k++)
			if ((i < s->n ? s->a[i] : s->b[i - s->n]) ==
			    (k < s->n ? s->a[k] : s->b[k - s->n]))
				return true;
	return false;
}

/* Find the jobs. Returns an exit status. */
static int take_sides(const struct pm_cli *cli, struct pm_db *db, struct sides *s, struct pm_err *e)
{
	const char *split = cli->value[PM_OPT_split];
	int64_t *id = NULL;
	size_t n = 0;
	int status;

	if (!split)
		return pm_select_list(db, cli->argv[0], &s->a, &s->n, e) < 0 ||
				       pm_select_list(db, cli->argv[1], &s->b, &s->m, e) < 0
			       ? PM_EXIT_FAILED
			       : PM_EXIT_OK;
	status = pm_jobwords_find_tagged(cli, db, pm_split_tag(split), 2 * PM_COMPARE_JOBS + 1, &id,
					 &n, e);
	if (status == PM_EXIT_OK)
		status = pm_split(db, split, id, n, &s->a, &s->n, &s->b, &s->m, e);
	free(id);
	return status;
}

static int check_sides(const struct sides *s, struct pm_err *e)
{
	/* More jobs than both sides have room for leave one with too many. */
	if (s->n > PM_COMPARE_JOBS || s->m > PM_COMPARE_JOBS)
		return pm_err(
			e,
			"compare: a side has room for %d jobs; options such as --after select "
			"fewer",
			PM_COMPARE_JOBS);
	if (s->n == 0 || s->m == 0)
		return pm_err(e, "compare: there is no job on side %c", s->n ? 'B' : 'A');
	return has_twice(s) ? pm_err(e, "compare: a job is named twice") : 0;
}

static int check_options(const struct pm_cli *cli, struct pm_err *e)
{
	if (cli->value[PM_OPT_split])
		return cli->argc ? pm_err(e, "compare: name two jobs, or --split those that "
					     "options select, not both")
				 : 0;
	if (pm_jobwords_given(cli))
		return pm_err(e, "compare: --split says how the jobs that options select become "
				 "two sides");
	return cli->argc == 2
		       ? 0
		       : pm_err(e, "compare takes two jobs, or two lists of them with commas "
				   "between; or --split");
}

/* Warn of jobs whose programs and operations may be gone. Returns 0 or -1 with e filled. */
static int warn_of_retired(struct pm_db *db, const struct sides *s, struct pm_err *e)
{
	int64_t a, b;

	if (pm_retired_among(db, s->a, s->n, &a, e) < 0 ||
	    pm_retired_among(db, s->b, s->m, &b, e) < 0)
		return -1;
	pm_retired_warn(a + b);
	return 0;
}

/* What a page has between header and footer. */
struct listing {
	const struct pm_compare *of;
	int64_t limit;
};

static int print_listing(const void *ctx, const struct pm_page *page, struct pm_err *e)
{
	const struct listing *l = ctx;

	return pm_compare_print(l->of, page, l->limit, e);
}

/* Write the page that --html asks for. Returns 0 or -1 with e filled. */
static int write_page(const struct pm_cli *cli, const struct pm_compare *c, int64_t limit,
		      struct pm_err *e)
{
	const char *split = cli->value[PM_OPT_split];
	const struct listing l = { c, limit };
	char title[PM_VERBPAGE_TITLE];

	if (split)
		snprintf(title, sizeof title, "Jobs compared, split by %s", split);
	else
		snprintf(title, sizeof title, "Jobs compared: %s and %s", cli->argv[0],
			 cli->argv[1]);
	return pm_verbpage_write(cli, title, print_listing, &l, e);
}

int pm_verb_compare(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_compare c = { .jobs = 0 };
	struct pm_selection selection = { .db = NULL };
	struct sides s = { .a = NULL };
	struct pm_page page;
	int64_t limit;
	int status = PM_EXIT_OK;

	if (pm_verbpage_check(cli, e) < 0 || check_options(cli, e) < 0 ||
	    pm_options_page(cli, &page, e) < 0 || pm_options_limit(cli, ROWS, &limit, e) < 0)
		return PM_EXIT_USAGE;
	if (pm_select_database(cli, NULL, &selection, e) < 0)
		return PM_EXIT_FAILED;
	status = take_sides(cli, selection.db, &s, e);
	if (status == PM_EXIT_OK &&
	    (check_sides(&s, e) < 0 ||
	     pm_compare_read(&c, selection.db, s.a, s.n, s.b, s.m, e) < 0 ||
	     (cli->given[PM_OPT_html]   ? write_page(cli, &c, limit, e)
	      : cli->given[PM_OPT_json] ? pm_compare_dump(&c, e)
					: pm_compare_print(&c, &page, limit, e)) < 0 ||
	     pm_options_flush(e) < 0 || warn_of_retired(selection.db, &s, e) < 0))
		status = PM_EXIT_FAILED;
	pm_compare_free(&c);
	free(s.a);
	free(s.b);
	pm_select_close(&selection);
	return status;
}
