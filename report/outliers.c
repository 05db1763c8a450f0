/* The verb outliers: which jobs stand out among comparable ones, and by which figures. */
#include "config.h"

#include "analysis/judge.h"
#include "common/cli/verb.h"
#include "common/grow.h"
#include "common/settings/readconfig.h"
#include "common/text.h"
#include "report/distributions.h"
#include "report/figure.h"
#include "report/jobwords.h"
#include "report/judgewords.h"
#include "report/outliers_json.h"
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

/* --- text ------------------------------------------------------------------------------------- */

/* The cells that say which job. */
static void print_who(struct pm_table *t, const struct pm_jobfeatures_job *j)
{
	char text[PM_FORMAT_MAX], safe[256];

	snprintf(text, sizeof text, "%lld", (long long)j->id);
	pm_table_cell(t, text);
	pm_text_safe(safe, sizeof safe, j->jobid, strlen(j->jobid), t->page->utf8);
	pm_table_cell(t, safe);
	pm_text_safe(safe, sizeof safe, j->user, strlen(j->user), t->page->utf8);
	pm_table_cell(t, safe);
	pm_table_cell(t, pm_format_minute(text, j->start_us ? j->start_us : PM_UNKNOWN));
}

static void print_found(struct pm_table *t, const struct pm_judge *g,
			const struct pm_judge_found *f)
{
	const struct pm_feature *feature = g->x->feature[f->feature];
	const double median = pm_judge_middle(g, f->feature);
	char text[PM_FORMAT_MAX], methods[PM_FIGURE_METHODS];

	print_who(t, &g->x->job[g->first + f->job]);
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

#define WHO                                                                                        \
	{ "#", true, 0, 0 }, { "Job", false, 10, 0 }, { "User", false, 0, 4 },                     \
	{                                                                                          \
		"Start", false, 0, 3                                                               \
	}

static int print_values(const struct pm_page *p, const struct pm_judge *g, struct pm_err *e)
{
	static const struct pm_table_column columns[] = {
		WHO,
		{ "Figure", false, 0, 0 },
		{ "Value", true, 0, 0 },
		{ "Median", true, 0, 0 },
		{ "Times", true, 0, 2 },
		{ "Score", true, 0, 0 },
		{ "By", false, 0, 1 },
	};
	struct pm_table t;

	if (g->count == 0)
		return 0;
	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 2);
	for (size_t i = 0; i < g->count; i++)
		print_found(&t, g, &g->found[i]);
	return pm_table_finish(&t) < 0 ? pm_err(e, "print a table: out of memory") : 0;
}

/* Name the components, and the figures that they are made of. */
static void print_components(const struct pm_page *p, const struct pm_judge *g)
{
	const struct pm_pca *pca = &g->pca->pca;
	char share[PM_FORMAT_MAX], name[PM_JOBPCA_NAME];
	size_t top[PM_JUDGEWORDS_TOP], n;

	fputs("  principal components:", p->f);
	for (size_t c = 0; c < pca->components; c++)
		fprintf(p->f, "%s %s %s", c ? "," : "", pm_jobpca_name(name, c),
			pm_format_share(share, pca->share[c]));
	fputs(" of the variance; most of them:", p->f);
	n = pm_judgewords_top(g->pca, top);
	for (size_t i = 0; i < n; i++)
		fprintf(p->f, "%s %s", i ? "," : "", g->pca->feature[top[i]]->name);
	fputc('\n', p->f);
}

static int print_places(const struct pm_page *p, const struct pm_judge *g, struct pm_err *e)
{
	static const struct pm_table_column columns[] = {
		WHO,
		{ "Weighted", true, 0, 0 },
		{ "Scores", false, 0, 0 },
	};
	const size_t components = g->pca ? g->pca->pca.components : 0;
	struct pm_table t;

	if (g->components == 0)
		return 0;
	print_components(p, g);
	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 2);
	for (size_t i = 0; i < g->components; i++) {
		const struct pm_judge_component *f = &g->component[i];
		char text[PM_FORMAT_MAX], scores[3 * PM_FEATURES_MAX] = "";
		size_t n = 0;

		print_who(&t, &g->x->job[g->first + f->job]);
		snprintf(text, sizeof text, "%.1f", f->weighted);
		pm_table_cell(&t, text);
		for (size_t c = 0; c < components; c++)
			n += (size_t)snprintf(scores + n, sizeof scores - n, "%s%u", c ? " " : "",
					      pm_outlier_score(g->marks[f->job * components + c]));
		pm_table_cell(&t, scores);
	}
	return pm_table_finish(&t) < 0 ? pm_err(e, "print a table: out of memory") : 0;
}

static int print_group(const struct pm_page *p, const struct pm_judge *g, struct pm_err *e)
{
	char *title = pm_jobfeatures_title(&g->x->job[g->first]);
	char safe[256], number[PM_FORMAT_MAX];

	if (!title)
		return pm_err(e, "print a table: out of memory");
	pm_text_safe(safe, sizeof safe, title, strlen(title), p->utf8);
	free(title);
	fprintf(p->f, "%s: %s\n", safe, pm_format_things(number, (int64_t)g->jobs, "job"));
	return print_values(p, g, e) < 0 ? -1 : print_places(p, g, e);
}

/* --- all -------------------------------------------------------------------------------------- */

/* What was done. */
struct tally {
	size_t groups, jobs, outliers;
	size_t alone; /* jobs that were not compared */
};

/* Whether a model is for the jobs of a group: that of its own jobs, or any where these are not
 * comparable. */
static bool is_for(const struct pm_model *m, const struct pm_jobfeatures_job *j)
{
	return !m || !m->group || strcmp(m->group, j->group) == 0;
}

/* Print how the figures of each group are distributed, or add it to `groups` unless that is NULL.
 * Returns 0 or -1 with e filled. */
static int describe_groups(const struct pm_jobfeatures *x, const struct pm_page *page,
			   json_t *groups, struct tally *t, struct pm_err *e)
{
	size_t first = 0, jobs;
	int rc = 0;

	for (; rc == 0 && first < x->jobs; first += jobs) {
		jobs = pm_jobfeatures_group(x, first);
		if (jobs < PM_JUDGE_LEAST) {
			t->alone += jobs;
			continue;
		}
		t->groups++;
		rc = groups ? pm_distributions_pack(groups, x, first, jobs, e)
			    : pm_distributions_print(page, x, first, jobs, e);
	}
	return rc;
}

/* Look at each group, and print it, or add it to `groups` unless that is NULL. Returns 0 or -1 with
 * e filled. */
static int look_at_groups(const struct pm_jobfeatures *x, const struct pm_judge_how *how,
			  const struct pm_page *page, json_t *groups, struct tally *t,
			  struct pm_err *e)
{
	size_t first = 0;
	int rc = 0;

	while (rc == 0 && first < x->jobs) {
		const size_t jobs = pm_jobfeatures_group(x, first);
		struct pm_judge g = { .how = how,
				      .x = x,
				      .by = x,
				      .first = first,
				      .by_first = first,
				      .jobs = jobs,
				      .by_jobs = jobs };

		first += jobs;
		if (!is_for(how->model, &x->job[g.first]) || !pm_judge_is_possible(&g)) {
			t->alone += jobs;
			continue;
		}
		rc = pm_judge_run(&g, e);
		t->groups++;
		t->jobs += jobs;
		t->outliers += g.count + g.components;
		if (rc == 0 && groups)
			rc = pm_outliers_pack(groups, &g, e);
		else if (rc == 0 && (g.count || g.components))
			rc = print_group(page, &g, e);
		pm_judge_free(&g);
	}
	return rc;
}

static void print_tally(const struct pm_page *p, const struct tally *t, bool model, bool describes)
{
	char jobs[PM_FORMAT_MAX], groups[PM_FORMAT_MAX];

	if (t->outliers == 0 && !describes)
		fprintf(p->f, "nothing stands out of %s in %s\n",
			pm_format_things(jobs, (int64_t)t->jobs, "job"),
			pm_format_things(groups, (int64_t)t->groups, "group"));
	if (t->alone)
		fprintf(p->f,
			model ? "not compared, as the model is of other jobs: %s\n"
			      : "not compared, as there are too few alike: %s\n",
			pm_format_things(jobs, (int64_t)t->alone, "job"));
}

/* Say why no group could be judged. Returns -1 with e filled. */
static int fail_alone(const struct pm_jobfeatures *x, const struct pm_judge_how *how,
		      struct pm_err *e)
{
	if (how->model)
		return pm_err(e,
			      "outliers: of %zu jobs, none is comparable with those of model %s; "
			      "perfmon model show %s says what these are",
			      x->jobs, how->model->name, how->model->name);
	return pm_err(e,
		      "outliers: of %zu jobs, no %d are %s: of the same name, or tags exp_name and "
		      "exp_component",
		      x->jobs, how->good ? PM_MODEL_LEAST : PM_JUDGE_LEAST,
		      how->good ? "good and comparable" : "comparable");
}

static int run(const struct pm_cli *cli, const struct pm_jobfeatures *x,
	       const struct pm_judge_how *how, const struct pm_page *page, struct pm_err *e)
{
	const bool json = cli->given[PM_OPT_json] > 0;
	const bool describes = cli->given[PM_OPT_distributions] > 0;
	json_t *groups = json ? json_array() : NULL, *all;
	struct tally t = { .groups = 0 };
	int rc = describes ? describe_groups(x, page, groups, &t, e)
			   : look_at_groups(x, how, page, groups, &t, e);

	if (rc == 0 && t.groups == 0) {
		json_decref(groups);
		return fail_alone(x, how, e);
	}
	if (!json) {
		if (rc == 0)
			print_tally(page, &t, how->model != NULL, describes);
		return rc;
	}
	all = json_pack("{s:o, s:I}", "groups", groups, "jobs_not_compared", (json_int_t)t.alone);
	if (rc == 0)
		return pm_values_dump(all, e);
	json_decref(all);
	return rc;
}

/* Jobs that are known to be good. */
struct good {
	int64_t *id;
	size_t count, room;
};

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

/* Read what was asked for, and judge it. Returns an exit status, with e filled unless it is
 * PM_EXIT_OK. */
static int judge(const struct pm_cli *cli, struct pm_db *db, struct pm_judge_how *how,
		 const struct pm_page *page, struct pm_err *e)
{
	struct pm_jobfilter_words words = { .user = NULL };
	struct pm_jobfilter filter = { .where = NULL };
	struct pm_jobfeatures x = { .job = NULL };
	struct pm_model model = { .name = NULL };
	struct good good = { .id = NULL };
	const char *name = cli->value[PM_OPT_model];
	int rc;

	pm_jobwords_take(cli, &words);
	rc = pm_jobwords_filter(&words, db, &filter, e);
	if (rc == PM_EXIT_OK)
		rc = find_good(db, cli->value[PM_OPT_good], &good, e);
	if (rc == PM_EXIT_OK && name && pm_model_read(&model, db, name, e) <= 0)
		rc = PM_EXIT_FAILED;
	how->good = good.id;
	how->goods = good.count;
	how->model = name ? &model : NULL;
	if (rc == PM_EXIT_OK &&
	    pm_jobfeatures_read(&x, db, &filter, name ? "*" : cli->value[PM_OPT_feature], e) < 0)
		rc = errno == EINVAL ? PM_EXIT_USAGE : PM_EXIT_FAILED;
	if (rc == PM_EXIT_OK && (run(cli, &x, how, page, e) < 0 || pm_options_flush(e) < 0))
		rc = PM_EXIT_FAILED;
	free(good.id);
	pm_model_free(&model);
	pm_jobfeatures_free(&x);
	pm_jobfilter_free(&filter);
	return rc;
}

int pm_verb_outliers(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_judge_how how;
	struct pm_db *db;
	struct pm_page page;
	int rc;

	if (cli->argc > 1 || (cli->argc == 1 && strcmp(cli->argv[0], "jobs") != 0)) {
		pm_err(e, "outliers takes jobs, and options that say which");
		return PM_EXIT_USAGE;
	}
	if (cli->value[PM_OPT_model] &&
	    (cli->value[PM_OPT_good] || cli->value[PM_OPT_feature] || cli->value[PM_OPT_method] ||
	     cli->given[PM_OPT_pca] || cli->given[PM_OPT_distributions])) {
		pm_err(e, "outliers: a model has its own good jobs, figures, methods and principal "
			  "components, and no distributions; leave out --model, or the others");
		return PM_EXIT_USAGE;
	}
	if (pm_judgewords_take(cli, &how, e) < 0 || pm_options_page(cli, &page, e) < 0)
		return PM_EXIT_USAGE;
	if (pm_db_open(&db, pm_config_get(PM_SET_db), PM_DB_READ, e) < 0)
		return PM_EXIT_FAILED;
	rc = judge(cli, db, &how, &page, e);
	pm_db_close(db);
	return rc;
}
