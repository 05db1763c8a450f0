/* The verb outliers: which jobs stand out among comparable ones, and by which figures. */
#include "config.h"

#include "analysis/jobfeatures.h"
#include "analysis/outlier.h"
#include "common/cli/verb.h"
#include "common/grow.h"
#include "common/safe/tsv.h"
#include "common/settings/readconfig.h"
#include "common/text.h"
#include "report/figure.h"
#include "report/jobwords.h"
#include "report/print/format.h"
#include "report/print/options.h"
#include "report/print/table.h"
#include "report/print/values.h"
#include "report/select.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of fewer, none can be said to stand out. */
#define LEAST_JOBS 4

/* And so many known to be good make a reference. */
#define LEAST_GOOD 3

/* Methods that have to agree, without --score. */
#define USUAL_SCORE 2

/* A value that stands out. */
struct found {
	size_t job; /* number within the group */
	size_t feature;
	double value;
	unsigned marks;
	unsigned all; /* score of the job's best feature, to keep its lines together */
};

/* Jobs that are known to be good. */
struct good {
	int64_t *id;
	size_t count, room;
};

/* A group of comparable jobs. */
struct group {
	const struct pm_jobfeatures *x;
	const struct good *good; /* the distribution is theirs, unless there are none */
	size_t first, jobs;
	struct pm_distribution of[PM_FEATURES_MAX];
	struct found *found;
	size_t count;
};

static int by_score(const void *a, const void *b)
{
	const struct found *f = a, *g = b;

	if (f->all != g->all)
		return f->all < g->all ? 1 : -1;
	if (f->job != g->job)
		return f->job < g->job ? -1 : 1;
	return (f->feature > g->feature) - (f->feature < g->feature);
}

static bool is_good(const struct group *g, size_t job)
{
	for (size_t i = 0; i < g->good->count; i++)
		if (g->good->id[i] == g->x->job[g->first + job].id)
			return true;
	return false;
}

/* Whether a group has enough jobs to compare: good ones, or any. */
static bool is_comparable(const struct group *g)
{
	size_t good = 0;

	for (size_t i = 0; i < g->jobs; i++)
		good += is_good(g, i);
	return g->good->count ? good >= LEAST_GOOD : g->jobs >= LEAST_JOBS;
}

/* Judge the values of a feature: those that stand out are found. Returns 0 or -1 with e filled. */
static int judge(struct group *g, size_t feature, unsigned score, double *y, struct pm_err *e)
{
	struct pm_distribution *d = &g->of[feature];
	const size_t least = g->good->count ? LEAST_GOOD : LEAST_JOBS;

	pm_jobfeatures_values(g->x, g->first, g->jobs, feature, y);
	for (size_t i = 0; g->good->count && i < g->jobs; i++)
		if (!is_good(g, i))
			y[i] = NAN;
	if (pm_distribution_of(d, y, g->jobs, e) < 0)
		return -1;
	if (d->known < least)
		return 0;
	pm_jobfeatures_values(g->x, g->first, g->jobs, feature, y);
	for (size_t i = 0; i < g->jobs; i++) {
		const unsigned marks = g->good->count
					       ? pm_outlier_beyond(d, y[i])
					       : pm_outlier_marks(d, &pm_outlier_usual, y[i]);

		if (pm_outlier_score(marks) >= score)
			g->found[g->count++] =
				(struct found){ i, feature, y[i], marks, pm_outlier_score(marks) };
	}
	return 0;
}

/* Find what stands out of the jobs of a group. Returns 0 or -1 with e filled. */
static int find_in_group(struct group *g, unsigned score, struct pm_err *e)
{
	double *y = malloc(g->jobs * sizeof *y);
	unsigned *best = calloc(g->jobs, sizeof *best);
	int rc = 0;

	g->found = malloc(g->jobs * g->x->features * sizeof *g->found);
	g->count = 0;
	if (!y || !best || !g->found)
		rc = pm_err(e, "out of memory");
	for (size_t k = 0; k < g->x->features && rc == 0; k++)
		rc = judge(g, k, score, y, e);
	for (size_t i = 0; rc == 0 && i < g->count; i++)
		if (best[g->found[i].job] < g->found[i].all)
			best[g->found[i].job] = g->found[i].all;
	for (size_t i = 0; rc == 0 && i < g->count; i++)
		g->found[i].all = best[g->found[i].job];
	if (rc == 0)
		qsort(g->found, g->count, sizeof *g->found, by_score);
	free(y);
	free(best);
	return rc;
}

/* --- text ------------------------------------------------------------------------------------- */

static void print_found(struct pm_table *t, const struct group *g, const struct found *f)
{
	const struct pm_jobfeatures_job *j = &g->x->job[g->first + f->job];
	const struct pm_feature *feature = g->x->feature[f->feature];
	const double median = g->of[f->feature].median;
	char text[PM_FORMAT_MAX], safe[256], methods[PM_FIGURE_METHODS];

	snprintf(text, sizeof text, "%lld", (long long)j->id);
	pm_table_cell(t, text);
	pm_text_safe(safe, sizeof safe, j->jobid, strlen(j->jobid), t->page->utf8);
	pm_table_cell(t, safe);
	pm_text_safe(safe, sizeof safe, j->user, strlen(j->user), t->page->utf8);
	pm_table_cell(t, safe);
	pm_table_cell(t, pm_format_minute(text, j->start_us ? j->start_us : PM_UNKNOWN));
	pm_table_cell(t, feature->name);
	pm_table_cell(t, pm_figure_format(text, f->value, feature->unit));
	pm_table_cell(t, pm_figure_format(text, median, feature->unit));
	if (median > 0)
		pm_format_number(text, f->value / median);
	else
		text[0] = '\0';
	pm_table_cell(t, text);
	snprintf(text, sizeof text, "%u", pm_outlier_score(f->marks));
	pm_table_cell(t, text);
	pm_table_cell(t, pm_figure_methods(methods, f->marks));
}

static int print_group(const struct pm_page *p, const struct group *g, struct pm_err *e)
{
	static const struct pm_table_column columns[] = {
		{ "#", true, 0, 0 },      { "Job", false, 10, 0 },   { "User", false, 0, 4 },
		{ "Start", false, 0, 3 }, { "Figure", false, 0, 0 }, { "Value", true, 0, 0 },
		{ "Median", true, 0, 0 }, { "Times", true, 0, 2 },   { "Score", true, 0, 0 },
		{ "By", false, 0, 1 },
	};
	char *title = pm_jobfeatures_title(&g->x->job[g->first]);
	char safe[256], number[PM_FORMAT_MAX];
	struct pm_table t;

	if (!title)
		return pm_err(e, "print a table: out of memory");
	pm_text_safe(safe, sizeof safe, title, strlen(title), p->utf8);
	free(title);
	fprintf(p->f, "%s: %s\n", safe, pm_format_things(number, (int64_t)g->jobs, "job"));
	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 2);
	for (size_t i = 0; i < g->count; i++)
		print_found(&t, g, &g->found[i]);
	return pm_table_finish(&t) < 0 ? pm_err(e, "print a table: out of memory") : 0;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *pack_features(const struct group *g)
{
	json_t *list = json_array();

	for (size_t k = 0; list && k < g->x->features; k++) {
		const struct pm_distribution *d = &g->of[k];
		const bool some = d->known > 0;

		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
				  g->x->feature[k]->name, "unit", g->x->feature[k]->unit, "known",
				  (json_int_t)d->known, "q1", pm_figure_json(some ? d->q1 : NAN),
				  "median", pm_figure_json(some ? d->median : NAN), "q3",
				  pm_figure_json(some ? d->q3 : NAN), "mad",
				  pm_figure_json(some ? d->mad : NAN), "mean",
				  pm_figure_json(some ? d->mean : NAN), "deviation",
				  pm_figure_json(some ? d->deviation : NAN)));
	}
	return list;
}

static json_t *pack_found(const struct group *g, const struct found *f)
{
	const struct pm_jobfeatures_job *j = &g->x->job[g->first + f->job];

	return json_pack("{s:I, s:o, s:o, s:o, s:s, s:o, s:i, s:o}", "id", (json_int_t)j->id,
			 "jobid", pm_values_safe(j->jobid), "user", pm_values_safe(j->user),
			 "start_us", j->start_us ? json_integer(j->start_us) : json_null(),
			 "feature", g->x->feature[f->feature]->name, "value",
			 pm_figure_json(f->value), "score", (int)pm_outlier_score(f->marks),
			 "methods", pm_figure_methods_json(f->marks));
}

/* Add a group to the list. Returns 0 or -1 with e filled. */
static int pack_group(json_t *groups, const struct group *g, struct pm_err *e)
{
	char *title = pm_jobfeatures_title(&g->x->job[g->first]);
	json_t *found = json_array(), *all;

	for (size_t i = 0; found && i < g->count; i++)
		if (json_array_append_new(found, pack_found(g, &g->found[i])) < 0)
			return free(title), json_decref(found), pm_err(e, "out of memory");
	all = json_pack("{s:o, s:I, s:o, s:o}", "group", pm_values_safe(title ? title : ""), "jobs",
			(json_int_t)g->jobs, "features", pack_features(g), "outliers", found);
	free(title);
	return json_array_append_new(groups, all) < 0 ? pm_err(e, "out of memory") : 0;
}

/* --- all -------------------------------------------------------------------------------------- */

/* What was done. */
struct tally {
	size_t groups, jobs, outliers;
	size_t alone; /* jobs that were not compared */
};

/* Look at each group, and print it, or add it to `groups` unless that is NULL. Returns 0 or -1 with
 * e filled. */
static int look_at_groups(const struct pm_jobfeatures *x, const struct good *good,
			  const struct pm_page *page, json_t *groups, unsigned score,
			  struct tally *t, struct pm_err *e)
{
	struct group g = { .x = x, .good = good };
	int rc = 0;

	for (; rc == 0 && g.first < x->jobs; g.first += g.jobs) {
		g.jobs = pm_jobfeatures_group(x, g.first);
		if (!is_comparable(&g)) {
			t->alone += g.jobs;
			continue;
		}
		rc = find_in_group(&g, score, e);
		t->groups++;
		t->jobs += g.jobs;
		t->outliers += g.count;
		if (rc == 0 && groups)
			rc = pack_group(groups, &g, e);
		else if (rc == 0 && g.count)
			rc = print_group(page, &g, e);
		free(g.found);
	}
	return rc;
}

static void print_tally(const struct pm_page *p, const struct tally *t)
{
	char jobs[PM_FORMAT_MAX], groups[PM_FORMAT_MAX];

	if (t->outliers == 0)
		fprintf(p->f, "nothing stands out of %s in %s\n",
			pm_format_things(jobs, (int64_t)t->jobs, "job"),
			pm_format_things(groups, (int64_t)t->groups, "group"));
	if (t->alone)
		fprintf(p->f, "not compared, as there are too few alike: %s\n",
			pm_format_things(jobs, (int64_t)t->alone, "job"));
}

static int run(const struct pm_cli *cli, const struct pm_jobfeatures *x, const struct good *good,
	       const struct pm_page *page, unsigned score, struct pm_err *e)
{
	const bool json = cli->given[PM_OPT_json] > 0;
	json_t *groups = json ? json_array() : NULL, *all;
	struct tally t = { .groups = 0 };
	int rc = look_at_groups(x, good, page, groups, score, &t, e);

	if (rc == 0 && t.groups == 0) {
		json_decref(groups);
		return pm_err(e,
			      "outliers: of %zu jobs, no %d are %s: of the same name, or tags "
			      "exp_name and exp_component",
			      x->jobs, good->count ? LEAST_GOOD : LEAST_JOBS,
			      good->count ? "good and comparable" : "comparable");
	}
	if (!json) {
		if (rc == 0)
			print_tally(page, &t);
		return rc;
	}
	all = json_pack("{s:o, s:I}", "groups", groups, "jobs_not_compared", (json_int_t)t.alone);
	if (rc == 0 && (!all || json_dumpf(all, stdout, PM_VALUES_DUMP) < 0))
		rc = pm_err(e, "print JSON: out of memory");
	if (rc == 0)
		putchar('\n');
	json_decref(all);
	return rc;
}

/* Find the jobs that --good names. Returns PM_EXIT_OK, or another exit status with e filled. */
static int find_good(struct pm_db *db, const char *list, struct good *good, struct pm_err *e)
{
	char *copy = list ? strdup(list) : NULL, *rest = copy, *word;
	int status = PM_EXIT_OK;

	if (list && !copy)
		return pm_err(e, "out of memory"), PM_EXIT_FAILED;
	while (status == PM_EXIT_OK && (word = strsep(&rest, ",")) != NULL) {
		int64_t id;

		if (!PM_GROW(good->id, good->count, good->room, 8))
			return free(copy), pm_err(e, "out of memory"), PM_EXIT_FAILED;
		if (pm_select_named(db, word, &id, e) <= 0)
			status = PM_EXIT_FAILED;
		else
			good->id[good->count++] = id;
	}
	free(copy);
	return status;
}

int pm_verb_outliers(const struct pm_cli *cli, struct pm_err *e)
{
	const char *given = cli->value[PM_OPT_score];
	struct pm_jobfilter_words words = { .user = NULL };
	struct pm_jobfilter filter = { .where = NULL };
	struct pm_jobfeatures x = { .job = NULL };
	struct good good = { .id = NULL };
	struct pm_db *db = NULL;
	struct pm_page page;
	int64_t score = USUAL_SCORE;
	int rc;

	if (cli->argc > 1 || (cli->argc == 1 && strcmp(cli->argv[0], "jobs") != 0)) {
		pm_err(e, "outliers takes jobs, and options that say which");
		return PM_EXIT_USAGE;
	}
	if (given && (pm_tsv_number(given, strlen(given), &score) < 0 || score < 1 ||
		      score > PM_OUTLIER_METHODS)) {
		pm_err(e, "--score %s: a number from 1 to %d is needed", given, PM_OUTLIER_METHODS);
		return PM_EXIT_USAGE;
	}
	if (pm_options_page(cli, &page, e) < 0)
		return PM_EXIT_USAGE;
	pm_jobwords_take(cli, &words);
	if (pm_db_open(&db, pm_config_get(PM_SET_db), PM_DB_READ, e) < 0)
		return PM_EXIT_FAILED;
	rc = pm_jobwords_filter(&words, db, &filter, e);
	if (rc == PM_EXIT_OK)
		rc = find_good(db, cli->value[PM_OPT_good], &good, e);
	if (rc == PM_EXIT_OK &&
	    pm_jobfeatures_read(&x, db, &filter, cli->value[PM_OPT_feature], e) < 0)
		rc = errno == EINVAL ? PM_EXIT_USAGE : PM_EXIT_FAILED;
	if (rc == PM_EXIT_OK &&
	    (run(cli, &x, &good, &page, (unsigned)score, e) < 0 || pm_options_flush(e) < 0))
		rc = PM_EXIT_FAILED;
	free(good.id);
	pm_jobfeatures_free(&x);
	pm_jobfilter_free(&filter);
	pm_db_close(db);
	return rc;
}
