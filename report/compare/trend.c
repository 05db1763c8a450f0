/* The verb trend: the figures of the same job over its runs, and where they changed. */
#include "config.h"

#include "report/compare/trend.h"

#include "common/cli/verb.h"
#include "report/jobwords.h"
#include "report/print/options.h"
#include "report/print/values.h"
#include "report/select.h"
#include "report/verbpage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jobs that are looked at, the newest, and runs of each that are printed without --limit. */
#define JOBS 20000
#define RUNS 50

/* Figures of a text; of others there is no end. */
#define FIGURES 4

struct look {
	const char *figures;
	bool json, csv;
	int64_t limit;
	struct pm_page page; /* of text */
	struct pm_jobfeatures x;
};

const struct pm_changepoint *pm_trend_change(const struct pm_trend *t, size_t figure, size_t job)
{
	for (size_t i = 0; i < t->of[figure].changes; i++)
		if (t->of[figure].change[i].at == job)
			return &t->of[figure].change[i];
	return NULL;
}

size_t pm_trend_from(const struct pm_trend *t, int64_t limit)
{
	return t->jobs > (uint64_t)limit ? t->jobs - (size_t)limit : 0;
}

/* --- jobs ------------------------------------------------------------------------------------- */

/* Find the changes of each figure. Returns 0 or -1 with e filled. */
static int find_changes(struct pm_trend *t, struct pm_err *e)
{
	double *y = malloc((t->jobs + 1) * sizeof *y);
	int rc = y ? 0 : pm_err(e, "out of memory");

	for (size_t k = 0; k < t->x->features && rc == 0; k++) {
		pm_jobfeatures_values(t->x, t->first, t->jobs, k, y);
		rc = pm_changepoints_find(y, t->jobs, &t->of[k].change, &t->of[k].changes, e);
	}
	free(y);
	return rc;
}

/* Print the trend of each group of comparable jobs, of a look: a pm_verbpage_fn. */
static int print_all(const void *ctx, const struct pm_page *page, struct pm_err *e)
{
	const struct look *l = ctx;
	const struct pm_jobfeatures *x = &l->x;
	json_t *list = l->json ? json_array() : NULL;
	size_t jobs;
	int rc = 0;

	if (l->csv)
		pm_trend_csv_names(x);
	for (size_t first = 0; rc == 0 && first < x->jobs; first += jobs) {
		struct pm_trend t = { .x = x, .first = first };

		jobs = t.jobs = pm_jobfeatures_group(x, first);
		rc = find_changes(&t, e);
		if (rc == 0 && l->json)
			json_array_append_new(list, pm_trend_pack(&t, l->limit));
		else if (rc == 0 && l->csv)
			pm_trend_csv(&t, l->limit);
		else if (rc == 0)
			rc = pm_trend_print(&t, page, l->limit, e);
		for (size_t k = 0; k < x->features; k++)
			free(t.of[k].change);
	}
	if (rc == 0 && l->json)
		return pm_values_dump(json_pack("{s:o}", "trends", list), e);
	json_decref(list);
	return rc;
}

/* Write the page that --html asks for. Returns 0 or -1 with e filled. */
static int write_page(const struct pm_cli *cli, const struct look *l, struct pm_err *e)
{
	char title[PM_VERBPAGE_TITLE];

	snprintf(title, sizeof title, "Trend of %s", cli->argc ? cli->argv[0] : "jobs");
	return pm_verbpage_write(cli, title, print_all, l, e);
}

/* Read the jobs by their ids, in the order of their starts. Returns an exit status. */
static int read_jobs(struct look *l, struct pm_db *db, const int64_t *id, size_t n,
		     struct pm_err *e)
{
	struct pm_jobfilter f;
	int status = PM_EXIT_FAILED;

	if (pm_jobfilter_ids(&f, id, n, e) == 0) {
		f.order = "start_us, id";
		status = pm_jobfeatures_read(&l->x, db, &f, l->figures, e) == 0 ? PM_EXIT_OK
			 : errno == EINVAL                                      ? PM_EXIT_USAGE
										: PM_EXIT_FAILED;
	}
	pm_jobfilter_free(&f);
	return status;
}

/* --- the verb --------------------------------------------------------------------------------- */

static int take_options(const struct pm_cli *cli, struct look *l, struct pm_err *e)
{
	struct pm_jobfeatures x;

	l->figures = cli->value[PM_OPT_figure] ? cli->value[PM_OPT_figure] : "duration_us,cpu_time";
	l->json = cli->given[PM_OPT_json];
	l->csv = cli->given[PM_OPT_csv];
	if (pm_verbpage_check(cli, e) < 0)
		return -1;
	if (cli->argc > 1)
		return pm_err(e, "trend takes one name of a job, or several with commas between");
	if (cli->argc && cli->value[PM_OPT_name])
		return pm_err(e, "trend: a name, or --name, not both");
	if (!cli->argc && !pm_jobwords_given(cli))
		return pm_err(e, "trend takes the name of a job, or options such as --tag that "
				 "select jobs");
	if (pm_jobfeatures_choose(&x, l->figures, e) < 0)
		return pm_err_prefix(e, "--figure");
	if (!l->json && !l->csv && x.features > FIGURES)
		return pm_err(e,
			      "--figure: a table has room for %d figures; --json and --csv have it "
			      "for all",
			      FIGURES);
	return pm_options_page(cli, &l->page, e) < 0 ? -1
						     : pm_options_limit(cli, RUNS, &l->limit, e);
}

int pm_verb_trend(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_selection s = { .db = NULL };
	struct pm_cli named = *cli;
	struct look l = { .figures = NULL };
	int64_t *id = NULL;
	size_t n = 0;
	int status;

	if (take_options(cli, &l, e) < 0)
		return PM_EXIT_USAGE;
	if (pm_select_database(cli, NULL, &s, e) < 0)
		return PM_EXIT_FAILED;
	if (cli->argc)
		named.value[PM_OPT_name] = cli->argv[0];
	status = pm_jobwords_find(&named, s.db, JOBS, &id, &n, e);
	if (status == PM_EXIT_OK && n == 0) {
		pm_err(e, "trend: no job in %s is one of those that the options take",
		       pm_db_name(s.db));
		status = PM_EXIT_FAILED;
	}
	if (status == PM_EXIT_OK)
		status = read_jobs(&l, s.db, id, n, e);
	if (status == PM_EXIT_OK &&
	    ((cli->given[PM_OPT_html] ? write_page(cli, &l, e) : print_all(&l, &l.page, e)) < 0 ||
	     pm_options_flush(e) < 0))
		status = PM_EXIT_FAILED;
	pm_jobfeatures_free(&l.x);
	free(id);
	pm_select_close(&s);
	return status;
}
