/* The verb outliers: what stands out, of jobs here, and by which figures. */
#include "config.h"

#include "analysis/outliers/judge.h"
#include "common/cli/verb.h"
#include "common/settings/readconfig.h"
#include "common/text.h"
#include "report/outliers/distributions.h"
#include "report/figure.h"
#include "report/jobwords.h"
#include "report/judgewords.h"
#include "report/outliers/outliers_json.h"
#include "report/outliers/outliers_look.h"
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

/* Processes or threads of a table, without --limit. */
#define ROWS 50

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

static int print_values(const struct pm_outliers_look *l, const struct pm_judge *g,
			struct pm_err *e)
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
	pm_table_init(&t, &l->page, columns, sizeof columns / sizeof columns[0], 2);
	for (size_t i = 0; i < g->count && i < (uint64_t)l->limit; i++)
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

static int print_group(const struct pm_outliers_look *l, const struct pm_judge *g, struct pm_err *e)
{
	const struct pm_page *p = &l->page;
	char *title = pm_jobfeatures_title(&g->x->job[g->first]);
	char safe[256], number[PM_FORMAT_MAX];

	if (!title)
		return pm_err(e, "print a table: out of memory");
	pm_text_safe(safe, sizeof safe, title, strlen(title), p->utf8);
	free(title);
	fprintf(p->f, "%s: %s\n", safe, pm_format_things(number, (int64_t)g->jobs, "job"));
	return print_values(l, g, e) < 0 ? -1 : print_places(p, g, e);
}

/* --- all -------------------------------------------------------------------------------------- */

/* What was done. */
struct tally {
	size_t groups, jobs, outliers;
	size_t alone; /* jobs that were not compared */
};

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
static int look_at_groups(const struct pm_outliers_look *l, const struct pm_jobfeatures *x,
			  json_t *groups, struct tally *t, struct pm_err *e)
{
	const struct pm_judge_how *how = &l->how;
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
		if (!pm_judge_is_for(how, &x->job[g.first]) || !pm_judge_is_possible(&g)) {
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
			rc = print_group(l, &g, e);
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

static int run(const struct pm_outliers_look *l, const struct pm_jobfeatures *x, struct pm_err *e)
{
	json_t *groups = l->json ? json_array() : NULL, *all;
	struct tally t = { .groups = 0 };
	int rc = l->distributions ? describe_groups(x, &l->page, groups, &t, e)
				  : look_at_groups(l, x, groups, &t, e);

	if (rc == 0 && t.groups == 0) {
		json_decref(groups);
		return fail_alone(x, &l->how, e);
	}
	if (!l->json) {
		if (rc == 0)
			print_tally(&l->page, &t, l->how.model != NULL, l->distributions);
		return rc;
	}
	all = json_pack("{s:o, s:I}", "groups", groups, "jobs_not_compared", (json_int_t)t.alone);
	if (rc == 0)
		return pm_values_dump(all, e);
	json_decref(all);
	return rc;
}

/* Judge jobs. Returns an exit status, with e filled unless it is PM_EXIT_OK. */
static int judge_jobs(const struct pm_outliers_look *l, struct pm_err *e)
{
	struct pm_jobfeatures x;
	int rc = PM_EXIT_OK;

	if (pm_jobfeatures_read(&x, l->db, &l->filter, l->how.model ? "*" : l->features, e) < 0)
		rc = errno == EINVAL ? PM_EXIT_USAGE : PM_EXIT_FAILED;
	else if (run(l, &x, e) < 0)
		rc = PM_EXIT_FAILED;
	pm_jobfeatures_free(&x);
	return rc;
}

/* Make the filter of jobs that are named. Returns an exit status. */
static int take_named(struct pm_outliers_look *l, char *const *name, size_t n, struct pm_err *e)
{
	int64_t *id = malloc(n * sizeof *id);
	int rc = id ? 0 : pm_err(e, "out of memory");

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = pm_select_named(l->db, name[i], &id[i], e) > 0 ? 0 : -1;
	if (rc == 0)
		rc = pm_jobfilter_ids(&l->filter, id, n, e);
	free(id);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}

/* Open the database and choose the jobs: those that are named, those of filters, or else all; of
 * processes and threads, the job that is meant without either. Returns an exit status. */
static int choose_jobs(struct pm_outliers_look *l, const struct pm_cli *cli, bool one,
		       struct pm_selection *s, struct pm_err *e)
{
	struct pm_jobfilter_words words = { .user = NULL };
	const bool filters = pm_jobwords_take(cli, &words) != NULL;
	const size_t named = cli->argc > 1 ? (size_t)cli->argc - 1 : 0;

	if (filters && named) {
		pm_err(e, "outliers: name the jobs, or choose them by filters, not both");
		return PM_EXIT_USAGE;
	}
	one = one && !filters && named < 2;
	if ((one ? pm_select_job(cli, named ? cli->argv[1] : NULL, s, e)
		 : pm_select_database(cli, NULL, s, e)) < 0)
		return PM_EXIT_FAILED;
	l->db = s->db;
	if (one)
		return pm_jobfilter_ids(&l->filter, &s->job, 1, e) < 0 ? PM_EXIT_FAILED
								       : PM_EXIT_OK;
	return named ? take_named(l, cli->argv + 1, named, e)
		     : pm_jobwords_filter(&words, l->db, &l->filter, e);
}

/* What stands out is one of these. */
static const struct kind {
	const char *name;
	enum pm_rowkind rows; /* unless it is the first */
} kinds[] = {
	{ "jobs", PM_ROWS_OPERATIONS },
	{ "ops", PM_ROWS_OPERATIONS },
	{ "processes", PM_ROWS_PROCESSES },
	{ "threads", PM_ROWS_THREADS },
};

static const struct kind *find_kind(const struct pm_cli *cli)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(cli->argc ? cli->argv[0] : kinds[0].name, kinds[i].name) == 0)
			return &kinds[i];
	return NULL;
}

static int judge(const struct pm_outliers_look *l, const struct kind *kind, struct pm_err *e)
{
	int rc;

	if (kind == &kinds[0])
		rc = judge_jobs(l, e);
	else if (kind->rows == PM_ROWS_OPERATIONS)
		rc = pm_outliers_ops(l, e);
	else
		rc = pm_outliers_rows(l, kind->rows, e);
	return rc == PM_EXIT_OK && pm_options_flush(e) < 0 ? PM_EXIT_FAILED : rc;
}

/* Read what was asked for, and judge it. Returns an exit status, with e filled unless it is
 * PM_EXIT_OK. */
static int choose_and_judge(struct pm_outliers_look *l, const struct pm_cli *cli,
			    const struct kind *kind, struct pm_err *e)
{
	const char *name = cli->value[PM_OPT_model];
	struct pm_model model = { .name = NULL };
	struct pm_selection s = { .db = NULL };
	int64_t *good = NULL;
	size_t goods = 0;
	const bool one = kind != &kinds[0] && kind->rows != PM_ROWS_OPERATIONS;
	int rc = choose_jobs(l, cli, one, &s, e);

	if (rc == PM_EXIT_OK &&
	    pm_select_list(l->db, cli->value[PM_OPT_good], &good, &goods, e) < 0)
		rc = PM_EXIT_FAILED;
	if (rc == PM_EXIT_OK && name && pm_model_read(&model, l->db, name, e) <= 0)
		rc = PM_EXIT_FAILED;
	if (rc == PM_EXIT_OK && name && kind == &kinds[0] && !pm_model_knows_jobs(&model)) {
		pm_err(e,
		       "outliers: model %s has no figure of jobs as a whole; outliers ops --model "
		       "%s compares its operations, if it has any",
		       name, name);
		rc = PM_EXIT_FAILED;
	}
	l->how.good = good;
	l->how.goods = goods;
	l->how.model = name ? &model : NULL;
	if (rc == PM_EXIT_OK)
		rc = judge(l, kind, e);
	free(good);
	pm_model_free(&model);
	pm_select_close(&s);
	return rc;
}

/* Whether the options go together. Returns 0 or -1 with e filled. */
static int check_options(const struct pm_cli *cli, const struct kind *kind, struct pm_err *e)
{
	const bool jobs = kind == &kinds[0];

	if (jobs && (cli->value[PM_OPT_op_tag] || cli->value[PM_OPT_by]))
		return pm_err(e,
			      "outliers: --op-tag and --by are about ops, processes and threads");
	if (!jobs && (cli->given[PM_OPT_pca] || cli->given[PM_OPT_distributions]))
		return pm_err(e, "outliers: --pca and --distributions are about jobs");
	if (kind->rows != PM_ROWS_OPERATIONS && cli->value[PM_OPT_model])
		return pm_err(e, "outliers: a model is of jobs and ops");
	if (cli->value[PM_OPT_model] && (cli->value[PM_OPT_op_tag] || cli->value[PM_OPT_by]))
		return pm_err(e, "outliers ops: a model has its own operations; leave out --model, "
				 "or --op-tag and --by");
	if (cli->value[PM_OPT_model] &&
	    (cli->value[PM_OPT_good] || cli->value[PM_OPT_feature] || cli->value[PM_OPT_method] ||
	     cli->given[PM_OPT_pca] || cli->given[PM_OPT_distributions]))
		return pm_err(e,
			      "outliers: a model has its own good jobs, figures, methods and "
			      "principal components, and no distributions; leave out --model, or "
			      "the others");
	return 0;
}

int pm_verb_outliers(const struct pm_cli *cli, struct pm_err *e)
{
	const struct kind *kind = find_kind(cli);
	struct pm_outliers_look l = { .json = cli->given[PM_OPT_json] > 0,
				      .distributions = cli->given[PM_OPT_distributions] > 0,
				      .features = cli->value[PM_OPT_feature] };
	const bool rows = kind && kind->rows != PM_ROWS_OPERATIONS;
	int rc = PM_EXIT_USAGE;

	if (!kind)
		pm_err(e, "outliers takes jobs, ops, processes or threads, then jobs by their ids");
	else if (check_options(cli, kind, e) == 0 && pm_judgewords_take(cli, &l.how, e) == 0 &&
		 pm_options_page(cli, &l.page, e) == 0 &&
		 pm_options_limit(cli, rows && !l.json ? ROWS : 0, &l.limit, e) == 0 &&
		 pm_opselect_make(&l.select, cli->value[PM_OPT_op_tag], cli->value[PM_OPT_by], e) ==
			 0)
		rc = choose_and_judge(&l, cli, kind, e);
	pm_opselect_free(&l.select);
	pm_jobfilter_free(&l.filter);
	return rc;
}
