/* The verb rootcause: by which figures a job is unlike those that are good. */
#include "config.h"

#include "analysis/outliers/judge.h"
#include "analysis/outliers/model.h"
#include "analysis/outliers/rootcause.h"
#include "common/cli/verb.h"
#include "common/settings/readconfig.h"
#include "common/text.h"
#include "report/figure.h"
#include "report/jobwords.h"
#include "report/print/format.h"
#include "report/print/options.h"
#include "report/print/table.h"
#include "report/print/values.h"
#include "report/select.h"
#include "report/opname.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is asked. */
struct question {
	int64_t job;
	struct pm_opselect select;  /* an operation; without groups: the job as a whole */
	char *key;                  /* of the operation, see pm_opselect_apply(); NULL: none */
	struct pm_jobfeatures one;  /* the job alone */
	struct pm_jobfeatures good; /* the jobs of the reference, unless a model has it */
	struct pm_model model;      /* without a name: none */
	struct pm_reference reference[PM_FEATURES_MAX];
	struct pm_cause cause[PM_FEATURES_MAX];
	size_t causes, beyond;
	size_t jobs; /* of the reference */
};

/* --- text ------------------------------------------------------------------------------------- */

/* A number of standard deviations. */
static const char *format_z(char *text, double z)
{
	if (isinf(z))
		snprintf(text, PM_FORMAT_MAX, "infinite");
	else if (z < 1000)
		snprintf(text, PM_FORMAT_MAX, "%.2f", z);
	else
		pm_format_count(text, (int64_t)z);
	return text;
}

static int print_table(const struct pm_page *p, const struct question *q, struct pm_err *e)
{
	static const struct pm_table_column columns[] = {
		{ "Figure", false, 0, 0 },   { "Value", true, 0, 0 },  { "Good: mean", true, 0, 0 },
		{ "least", true, 0, 1 },     { "most", true, 0, 2 },   { "z", true, 0, 0 },
		{ "z of good", true, 0, 4 }, { "Beyond", true, 0, 3 },
	};
	struct pm_table t;

	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 2);
	for (size_t i = 0; i < q->beyond; i++) {
		const struct pm_cause *c = &q->cause[i];
		const struct pm_reference *r = &c->reference;
		char text[PM_FORMAT_MAX];

		pm_table_cell(&t, c->feature->name);
		pm_table_cell(&t, pm_figure_format(text, c->value, c->feature->unit));
		pm_table_cell(&t, pm_figure_format(text, r->z.centre, c->feature->unit));
		pm_table_cell(&t, pm_figure_format(text, r->least, c->feature->unit));
		pm_table_cell(&t, pm_figure_format(text, r->greatest, c->feature->unit));
		pm_table_cell(&t, format_z(text, c->z));
		pm_table_cell(&t, format_z(text, r->z.score));
		pm_table_cell(&t, format_z(text, c->distance));
	}
	return pm_table_finish(&t) < 0 ? pm_err(e, "print a table: out of memory") : 0;
}

/* Say what the first cause is. */
static void print_first(const struct pm_page *p, const struct pm_cause *c)
{
	const struct pm_reference *r = &c->reference;
	char value[PM_FORMAT_MAX], least[PM_FORMAT_MAX], most[PM_FORMAT_MAX], z[PM_FORMAT_MAX],
		text[512];

	pm_figure_format(value, c->value, c->feature->unit);
	pm_figure_format(least, r->least, c->feature->unit);
	pm_figure_format(most, r->greatest, c->feature->unit);
	if (r->z.spread == 0 && !isnan(r->least))
		snprintf(text, sizeof text, "%s is %s, and %s in each of the good jobs.",
			 c->feature->name, value, least);
	else if (isnan(r->least) || isnan(r->greatest))
		snprintf(text, sizeof text,
			 "%s is %s: %s standard deviations from the mean of the good jobs, where "
			 "none of them is farther away than %.2f.",
			 c->feature->name, value, format_z(z, c->z), r->z.score);
	else
		snprintf(text, sizeof text,
			 "%s is %s, and from %s to %s in the good jobs: %s standard deviations "
			 "from their mean, where none of them is farther away than %.2f.",
			 c->feature->name, value, least, most, format_z(z, c->z), r->z.score);
	pm_page_text(p, "", text);
}

static int print_text(const struct pm_page *p, const struct question *q, struct pm_err *e)
{
	const struct pm_jobfeatures_job *j = &q->one.job[0];
	const char *name = q->model.name ? q->model.name : "";
	char safe[256], model[128], jobs[PM_FORMAT_MAX], figures[PM_FORMAT_MAX];
	char *text = q->key ? pm_opselect_text(q->key) : strdup(""), operation[256];

	if (!text)
		return pm_err(e, "out of memory");
	pm_text_field(operation, sizeof operation, text, p->utf8);
	free(text);
	pm_text_safe(safe, sizeof safe, j->jobid, strlen(j->jobid), p->utf8);
	pm_text_safe(model, sizeof model, name, strlen(name), p->utf8);
	fprintf(p->f, "%s%sjob %s (#%lld) beside %s%s%s\n", operation, *operation ? " of " : "",
		safe, (long long)j->id, pm_format_things(jobs, (int64_t)q->jobs, "good job"),
		*name ? " of model " : "", model);
	if (q->beyond == 0) {
		fprintf(p->f, "none of %s is beyond theirs\n",
			pm_format_things(figures, (int64_t)q->causes, "figure"));
		return 0;
	}
	print_first(p, &q->cause[0]);
	fputc('\n', p->f);
	if (print_table(p, q, e) < 0)
		return -1;
	fprintf(p->f, "within those of the good jobs: %s\n",
		pm_format_things(figures, (int64_t)(q->causes - q->beyond), "figure"));
	return 0;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *pack_cause(const struct pm_cause *c)
{
	const struct pm_reference *r = &c->reference;

	return json_pack("{s:s, s:s, s:o, s:b, s:o, s:o, s:{s:I, s:o, s:o, s:o, s:o, s:o}}",
			 "feature", c->feature->name, "unit", c->feature->unit, "value",
			 pm_figure_json(c->value), "beyond", c->beyond, "z", pm_figure_json(c->z),
			 "distance", pm_figure_json(c->distance), "reference", "known",
			 (json_int_t)r->known, "mean", pm_figure_json(r->z.centre), "deviation",
			 pm_figure_json(r->z.spread), "least", pm_figure_json(r->least), "greatest",
			 pm_figure_json(r->greatest), "z", pm_figure_json(r->z.score));
}

static int print_json(const struct question *q, struct pm_err *e)
{
	const struct pm_jobfeatures_job *j = &q->one.job[0];
	json_t *list = json_array(), *all;

	for (size_t i = 0; i < q->causes; i++)
		json_array_append_new(list, pack_cause(&q->cause[i]));
	all = json_pack("{s:I, s:o, s:o, s:I, s:o}", "id", (json_int_t)j->id, "jobid",
			pm_values_safe(j->jobid), "model",
			q->model.name ? pm_values_safe(q->model.name) : json_null(),
			"reference_jobs", (json_int_t)q->jobs, "causes", list);
	if (all && q->key && pm_opname_pack(all, q->key) < 0) {
		json_decref(all);
		return pm_err(e, "print JSON: out of memory");
	}
	return pm_values_dump(all, e);
}

/* --- all -------------------------------------------------------------------------------------- */

/* Read the jobs of a filter, which is freed, or the operation of them. Returns an exit status, with
 * e filled unless it is PM_EXIT_OK. */
static int read_jobs(const struct question *q, struct pm_jobfeatures *x, struct pm_db *db,
		     struct pm_jobfilter *f, const char *features, struct pm_err *e)
{
	int rc = PM_EXIT_OK;

	if ((q->key ? pm_opfeatures_one(x, &db, 1, f, &q->select, features, e)
		    : pm_jobfeatures_read(x, db, f, features, e)) < 0)
		rc = errno == EINVAL ? PM_EXIT_USAGE : PM_EXIT_FAILED;
	pm_jobfilter_free(f);
	return rc;
}

/* Make the filter of the reference. Returns an exit status, with e filled unless it is PM_EXIT_OK.
 */
static int choose_good(const struct pm_cli *cli, struct question *q, struct pm_db *db,
		       struct pm_jobfilter *f, struct pm_err *e)
{
	struct pm_jobfilter_words words = { .user = NULL };
	int64_t *id;
	int rc = 0;

	if (pm_jobwords_take(cli, &words))
		return pm_jobwords_filter(&words, db, f, e);
	if (cli->argc == 1 && !*q->one.job[0].group) {
		*f = (struct pm_jobfilter){ .where = NULL };
		pm_err(e,
		       "rootcause: job %s has no name, so that none is comparable; name good jobs "
		       "behind it, or use filters or --model",
		       q->one.job[0].jobid);
		return PM_EXIT_FAILED;
	}
	/* The job itself may be among them. */
	if (cli->argc == 1)
		return pm_jobfilter_group(f, q->one.job[0].group, PM_JUDGE_PEERS + 1, e) < 0
			       ? PM_EXIT_FAILED
			       : PM_EXIT_OK;
	id = malloc((size_t)cli->argc * sizeof *id);
	if (!id)
		return pm_err(e, "out of memory"), PM_EXIT_FAILED;
	for (int i = 1; i < cli->argc && rc == 0; i++)
		rc = pm_select_named(db, cli->argv[i], &id[i - 1], e) > 0 ? 0 : -1;
	if (rc == 0)
		rc = pm_jobfilter_ids(f, id, (size_t)cli->argc - 1, e);
	free(id);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}

/* Forget what stands out of values by two methods: nobody said that these jobs are good. Returns 0
 * or -1 with e filled. */
static int drop_outliers(double *y, size_t n, struct pm_err *e)
{
	const struct pm_outlier_limits limits = pm_outlier_limits();
	struct pm_distribution d;

	if (pm_distribution_of(&d, y, n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (pm_outlier_score(pm_outlier_marks(&d, &limits, y[i])) >= 2)
			y[i] = NAN;
	return 0;
}

/* The references of the jobs that are good, of which the job in question is none. Returns 0 or -1
 * with e filled. */
static int refer_to_jobs(struct question *q, bool peers, struct pm_err *e)
{
	const struct pm_jobfeatures *x = &q->good;
	double *y = malloc((x->jobs + 1) * sizeof *y);
	bool *in = calloc(x->jobs + 1, sizeof *in);
	struct pm_distribution d;
	int rc = y && in ? 0 : pm_err(e, "out of memory");

	for (size_t i = 0; rc == 0 && i < x->jobs; i++) {
		in[i] = x->job[i].id != q->job &&
			(!peers || strcmp(x->job[i].group, q->one.job[0].group) == 0);
		q->jobs += in[i];
	}
	for (size_t k = 0; rc == 0 && k < x->features; k++) {
		pm_jobfeatures_values(x, 0, x->jobs, k, y);
		for (size_t i = 0; i < x->jobs; i++)
			if (!in[i])
				y[i] = NAN;
		if ((peers && drop_outliers(y, x->jobs, e) < 0) ||
		    pm_distribution_of(&d, y, x->jobs, e) < 0)
			rc = -1;
		pm_reference_of(&q->reference[k], &d);
	}
	free(y);
	free(in);
	if (rc == 0 && q->jobs < PM_MODEL_LEAST)
		return pm_err(
			e,
			"rootcause: %zu %s to compare job %s with, and %d are needed at least; "
			"name them behind it, or use filters or --model",
			q->jobs, q->jobs == 1 ? "job is there" : "jobs are there",
			q->one.job[0].jobid, PM_MODEL_LEAST);
	return rc;
}

static int refer_to_model(struct question *q, struct pm_err *e)
{
	const struct pm_model *m = &q->model;
	struct pm_model of;
	bool known = false, ranked = false;

	if (!q->key && !pm_model_knows_jobs(m))
		return pm_err(
			e,
			"rootcause: model %s has no figure of jobs as a whole; --op names one "
			"of its operations, if it has any",
			m->name);

	if (q->key && !pm_model_of_op(&of, m, q->key))
		return pm_err(e,
			      "rootcause: model %s does not have the operation of --op; perfmon "
			      "model show %s lists those that it has",
			      m->name, m->name);
	m = q->key ? &of : m;
	q->jobs = m->jobs;
	for (size_t k = 0; k < m->features; k++) {
		const size_t at = pm_jobfeatures_at(&q->one, m->feature[k]);

		if (at >= q->one.features)
			continue;
		q->reference[at] = m->reference[k];
		known = known || m->reference[k].known >= PM_MODEL_LEAST;
		ranked = ranked || !isnan(m->reference[k].z.score);
	}
	/* Of EPMT, which may have been asked for other methods alone. */
	return ranked || !known
		       ? 0
		       : pm_err(e,
				"rootcause: model %s keeps no z scores, by which figures are "
				"ranked; perfmon outliers --model %s says which stand out",
				q->model.name, q->model.name);
}

/* Take the operation. Returns 0 or -1 with e filled. */
static int take_op(struct question *q, const char *op, struct pm_err *e)
{
	if (!op)
		return 0;
	if (pm_opselect_make(&q->select, op, NULL, e) < 0)
		return -1;
	pm_opselect_sort(&q->select);
	q->key = pm_opselect_only_key(&q->select);
	return q->key ? 0
		      : pm_err(e,
			       "--op %s: one operation is needed, NAME:VALUE or several of them "
			       "with semicolons between",
			       op);
}

/* Find the job, and what it is compared with. Returns an exit status, with e filled unless it is
 * PM_EXIT_OK. */
static int find(const struct pm_cli *cli, struct question *q, struct pm_db *db, struct pm_err *e)
{
	const char *features = cli->value[PM_OPT_feature] ? cli->value[PM_OPT_feature] : "*";
	const char *model = cli->value[PM_OPT_model];
	struct pm_jobfilter f;
	int rc;

	if (pm_select_named(db, cli->argv[0], &q->job, e) <= 0)
		return PM_EXIT_FAILED;
	if (pm_jobfilter_ids(&f, &q->job, 1, e) < 0)
		return pm_jobfilter_free(&f), PM_EXIT_FAILED;
	rc = read_jobs(q, &q->one, db, &f, features, e);
	if (rc != PM_EXIT_OK)
		return rc;
	if (q->one.jobs == 0) {
		pm_err(e,
		       q->key ? "rootcause: no process of job %s has the tags of --op; perfmon ops "
				"lists those that there are"
			      : "job %s is gone",
		       cli->argv[0]);
		return PM_EXIT_FAILED;
	}
	if (model) {
		if (pm_model_read(&q->model, db, model, e) <= 0)
			return PM_EXIT_FAILED;
		return refer_to_model(q, e) < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
	}
	rc = choose_good(cli, q, db, &f, e);
	if (rc != PM_EXIT_OK)
		return pm_jobfilter_free(&f), rc;
	/* Of the newest ones alone. */
	const bool peers = f.limit > 0;

	rc = read_jobs(q, &q->good, db, &f, features, e);
	if (rc == PM_EXIT_OK && refer_to_jobs(q, peers, e) < 0)
		rc = PM_EXIT_FAILED;
	return rc;
}

int pm_verb_rootcause(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_jobfilter_words words;
	struct question *q;
	struct pm_page page;
	struct pm_db *db;
	int rc;

	if (cli->argc < 1) {
		pm_err(e, "rootcause takes a job, and those that are good, if it is to be compared "
			  "with some");
		return PM_EXIT_USAGE;
	}
	if ((cli->argc > 1) + (cli->value[PM_OPT_model] != NULL) +
		    (pm_jobwords_take(cli, &words) != NULL) >
	    1) {
		pm_err(e, "rootcause: good jobs are those named, those of filters, or those of a "
			  "model");
		return PM_EXIT_USAGE;
	}
	if (pm_options_page(cli, &page, e) < 0)
		return PM_EXIT_USAGE;
	if (pm_db_open(&db, pm_config_get(PM_SET_db), PM_DB_READ, e) < 0)
		return PM_EXIT_FAILED;
	q = calloc(1, sizeof *q);
	if (!q)
		return pm_db_close(db), pm_err(e, "out of memory"), PM_EXIT_FAILED;
	rc = take_op(q, cli->value[PM_OPT_op], e) < 0 ? PM_EXIT_USAGE : find(cli, q, db, e);
	if (rc == PM_EXIT_OK) {
		q->causes = pm_rootcause(&q->one, 0, q->reference, q->cause);
		while (q->beyond < q->causes && q->cause[q->beyond].beyond)
			q->beyond++;
		rc = (cli->given[PM_OPT_json] ? print_json(q, e) : print_text(&page, q, e)) < 0 ||
				     pm_options_flush(e) < 0
			     ? PM_EXIT_FAILED
			     : PM_EXIT_OK;
	}
	pm_jobfeatures_free(&q->one);
	pm_jobfeatures_free(&q->good);
	pm_model_free(&q->model);
	pm_opselect_free(&q->select);
	free(q->key);
	free(q);
	pm_db_close(db);
	return rc;
}
