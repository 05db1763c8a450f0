/* outliers ops: the same operation in comparable jobs. */
#include "config.h"

#include "analysis/outliers/opfeatures.h"
#include "common/text.h"
#include "report/connections.h"
#include "report/figure.h"
#include "report/outliers/outliers_found.h"
#include "report/outliers/outliers_json.h"
#include "report/print/format.h"
#include "report/print/values.h"
#include "report/opname.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is going on. */
struct work {
	const struct pm_outliers_look *l;
	struct pm_opfeatures x;
	struct pm_outliers_list found; /* of the jobs that are comparable */
	size_t group;                  /* number of their first */
	size_t operations;             /* that were judged, of the group */
	size_t all, outliers;          /* operations and what was found, of all groups */
	size_t alone;                  /* rows that were not compared */
	size_t groups;                 /* that were printed as JSON */
};

/* The marks of all figures of an operation in a job. */
static json_t *pack_figures(const struct pm_judge *g, size_t row, bool *out)
{
	json_t *all = json_object();

	for (size_t k = 0; k < g->x->features; k++) {
		const unsigned marks = pm_judge_marks(g, row, k);
		const double value = g->x->value[(g->first + row) * g->x->features + k];

		*out = *out || pm_judge_stands_out(g, marks);
		json_object_set_new(all, g->x->feature[k]->name,
				    json_pack("{s:o, s:i, s:o}", "value", pm_figure_json(value),
					      "score", (int)pm_outlier_score(marks), "methods",
					      pm_figure_methods_json(marks)));
	}
	return all;
}

static json_t *pack_rows(const struct pm_judge *g)
{
	json_t *list = json_array();

	for (size_t i = 0; i < g->jobs; i++) {
		json_t *one = pm_outliers_pack_job(&g->x->job[g->first + i]);
		bool out = false;

		json_object_set_new(one, "figures", pack_figures(g, i, &out));
		json_object_set_new(one, "outlier", json_boolean(out));
		json_array_append_new(list, one);
	}
	return list;
}

/* Print a value, which is freed. Returns 0 or -1 with e filled. */
static int dump(json_t *value, struct pm_err *e)
{
	const int rc = value ? json_dumpf(value, stdout, PM_VALUES_DUMP | JSON_ENCODE_ANY) : -1;

	json_decref(value);
	return rc < 0 ? pm_err(e, "print JSON: out of memory or not writable") : 0;
}

/* What makes the jobs comparable, and how many they are. Returns 0 or -1 with e filled. */
static int print_json_head(struct work *w, struct pm_err *e)
{
	char *title = pm_jobfeatures_title(&w->x.jobs.job[w->group]);
	int rc;

	if (!title)
		return pm_err(e, "out of memory");
	fputs(w->groups++ ? ",\n{\"group\":" : "{\"groups\":[{\"group\":", stdout);
	rc = dump(pm_values_safe(title), e);
	printf(",\"jobs\":%zu,\"operations\":[", pm_jobfeatures_group(&w->x.jobs, w->group));
	free(title);
	return rc;
}

/* One by one, since there may be many jobs with many operations. */
static int print_json_operation(struct work *w, const struct pm_judge *g, const char *key,
				struct pm_err *e)
{
	json_t *one = json_object();

	if (!one || pm_opname_pack(one, key) < 0) {
		json_decref(one);
		return pm_err(e, "print JSON: out of memory");
	}
	json_object_set_new(one, "features", pm_outliers_pack_features(g));
	json_object_set_new(one, "rows", pack_rows(g));
	if (w->operations > 1)
		fputs(",\n", stdout);
	else if (print_json_head(w, e) < 0)
		return json_decref(one), -1;
	return dump(one, e);
}

/* Judge an operation of comparable jobs. Returns 0 or -1 with e filled. */
static int judge_operation(struct work *w, const struct pm_opfeatures_view *v, struct pm_err *e)
{
	struct pm_judge_how how = w->l->how;
	struct pm_model model;
	struct pm_judge g = {
		.how = &how, .x = &v->x, .by = &v->x, .jobs = v->x.jobs, .by_jobs = v->x.jobs
	};
	const struct pm_outliers_found like = { .key = v->key };
	int rc;

	how.model = how.model && pm_model_of_op(&model, how.model, v->key) ? &model : NULL;
	if ((w->l->how.model && !how.model) || !pm_judge_is_for(&how, &v->x.job[0]) ||
	    !pm_judge_is_possible(&g)) {
		w->alone += v->x.jobs;
		return 0;
	}
	rc = pm_judge_run(&g, e);
	w->operations++;
	w->all++;
	w->outliers += g.count;
	if (rc == 0)
		rc = pm_outliers_add(&w->found, &g, &like, e);
	if (rc == 0 && w->l->json)
		rc = print_json_operation(w, &g, v->key, e);
	pm_judge_free(&g);
	return rc;
}

static int end_json_group(const struct work *w, struct pm_err *e)
{
	json_t *found = pm_outliers_pack_found(w->l, &w->found, e);

	if (!found)
		return -1;
	fputs("],\"outliers\":", stdout);
	if (dump(found, e) < 0)
		return -1;
	putchar('}');
	return 0;
}

static int print_group(const struct work *w, struct pm_err *e)
{
	const size_t jobs = pm_jobfeatures_group(&w->x.jobs, w->group);
	char *title = pm_jobfeatures_title(&w->x.jobs.job[w->group]);
	const struct pm_page *p = &w->l->page;
	char safe[256], count[PM_FORMAT_MAX], operations[PM_FORMAT_MAX];

	if (!title)
		return pm_err(e, "out of memory");
	pm_text_safe(safe, sizeof safe, title, strlen(title), p->utf8);
	free(title);
	fprintf(p->f, "%s: %s of %s\n", safe,
		pm_format_things(operations, (int64_t)w->operations, "operation"),
		pm_format_things(count, (int64_t)jobs, "job"));
	return pm_outliers_print(w->l, &w->found, e);
}

/* Print what was found of comparable jobs. */
static int end_group(struct work *w, struct pm_err *e)
{
	int rc = 0;

	pm_outliers_rank(&w->found);
	if (w->l->json && w->operations)
		rc = end_json_group(w, e);
	else if (w->found.count)
		rc = print_group(w, e);
	w->found.count = w->operations = 0;
	return rc;
}

static int judge_all(struct work *w, struct pm_err *e)
{
	struct pm_opfeatures_view v;
	size_t at = 0;
	bool any = false;
	int rc;

	while ((rc = pm_opfeatures_next(&w->x, &at, &v, e)) > 0) {
		rc = any && v.group != w->group ? end_group(w, e) : 0;
		any = true;
		w->group = v.group;
		if (rc == 0)
			rc = judge_operation(w, &v, e);
		pm_opfeatures_view_free(&v);
		if (rc < 0)
			return -1;
	}
	return rc == 0 && any ? end_group(w, e) : rc;
}

static void print_end(const struct work *w)
{
	const struct pm_page *p = &w->l->page;
	char rows[PM_FORMAT_MAX], values[PM_FORMAT_MAX];

	if (w->l->json) {
		printf("],\"operations_not_compared\":%zu,\"values_not_compared\":%zu}\n", w->alone,
		       w->x.partial);
		return;
	}
	if (w->outliers == 0)
		fprintf(p->f, "nothing stands out of %s in %s\n",
			pm_format_things(values, (int64_t)w->all, "operation"),
			pm_format_things(rows, (int64_t)w->x.jobs.jobs, "job"));
	if (w->alone)
		fprintf(p->f,
			w->l->how.model ? "not compared, as the model is of other jobs: %s\n"
					: "not compared, as there are too few alike: %s\n",
			pm_format_things(rows, (int64_t)w->alone, "operation"));
	if (w->x.partial)
		fprintf(p->f, "not compared, as only some processes have them: %s\n",
			pm_format_things(values, (int64_t)w->x.partial, "value"));
}

/* Say why no operation could be judged. */
static void fail_alone(const struct work *w, struct pm_err *e)
{
	const struct pm_judge_how *how = &w->l->how;

	if (w->x.jobs.jobs == 0)
		pm_err(e, "outliers ops: there are no such jobs");
	else if (w->x.rows == 0)
		pm_err(e,
		       "outliers ops: no process of %zu jobs has such tags; perfmon ops --keys "
		       "lists those that there are",
		       w->x.jobs.jobs);
	else if (how->model)
		pm_err(e,
		       "outliers ops: of %zu jobs, none is comparable with those of model %s; "
		       "perfmon model show %s says what these are",
		       w->x.jobs.jobs, how->model->name, how->model->name);
	else
		pm_err(e,
		       "outliers ops: no operation is in %d %s: of the same name, or tags "
		       "exp_name and exp_component",
		       how->good ? PM_MODEL_LEAST : PM_JUDGE_LEAST,
		       how->good ? "good and comparable jobs" : "comparable jobs");
}

/* Begin with the jobs, and the operations that a model has, or else those that were asked for.
 * Returns 0, or -1 with e filled, and errno EINVAL where the user cannot mean that. */
static int begin(struct work *w, struct pm_opselect *select, struct pm_err *e)
{
	const struct pm_outliers_look *l = w->l;
	const struct pm_model *m = l->how.model;
	char *words;
	int rc;

	if (!m)
		return pm_opfeatures_begin(&w->x, l->db, &l->filter, l->features, e);
	errno = 0;
	if (m->ops == 0)
		return pm_err(e,
			      "outliers ops: model %s has no operations; perfmon model create "
			      "--by NAME makes one that has",
			      m->name);
	words = pm_model_op_words(m);
	if (!words)
		return pm_err(e, "out of memory");
	rc = pm_model_select(m, select, e);
	if (rc == 0)
		rc = pm_opfeatures_begin(&w->x, l->db, &l->filter, words, e);
	free(words);
	return rc;
}

int pm_outliers_ops(const struct pm_outliers_look *l, struct pm_err *e)
{
	struct work w = { .l = l };
	struct pm_opselect select = { .group = NULL };
	struct pm_connections c = { .count = 0 };
	int rc = begin(&w, &select, e);
	const bool meant = rc == 0 || errno != EINVAL;

	if (rc == 0) {
		pm_connections_open(&c, l->db, w.x.jobs.jobs);
		rc = pm_opfeatures_read(&w.x, c.db, c.count, l->how.model ? &select : &l->select,
					e);
	}
	if (rc == 0)
		rc = judge_all(&w, e);
	if (rc == 0 && w.all == 0) {
		fail_alone(&w, e);
		rc = -1;
	} else if (rc == 0) {
		print_end(&w);
	}
	free(w.found.found);
	pm_connections_close(&c);
	pm_opfeatures_free(&w.x);
	pm_opselect_free(&select);
	return rc == 0 ? PM_EXIT_OK : meant ? PM_EXIT_FAILED : PM_EXIT_USAGE;
}
