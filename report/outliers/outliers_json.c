/* What stands out of a group of jobs, as JSON. */
#include "config.h"

#include "report/outliers/outliers_json.h"

#include "report/figure.h"
#include "report/print/values.h"

#include <math.h>
#include <stdlib.h>

static json_t *pack_distribution(const struct pm_distribution *d)
{
	const bool some = d->known > 0;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "q1", pm_figure_json(some ? d->q1 : NAN),
			 "median", pm_figure_json(some ? d->median : NAN), "q3",
			 pm_figure_json(some ? d->q3 : NAN), "mad",
			 pm_figure_json(some ? d->mad : NAN), "mean",
			 pm_figure_json(some ? d->mean : NAN), "deviation",
			 pm_figure_json(some ? d->deviation : NAN));
}

json_t *pm_outliers_pack_features(const struct pm_judge *g)
{
	json_t *list = json_array();

	for (size_t k = 0; list && k < g->x->features; k++) {
		const struct pm_reference *r = &g->reference[k];
		json_t *one = json_pack("{s:s, s:s, s:I}", "name", g->x->feature[k]->name, "unit",
					g->x->feature[k]->unit, "known", (json_int_t)r->known);

		if (g->how->model && r->known == 0) {
			json_decref(one);
			continue;
		}
		if (!g->how->model)
			json_object_update_new(one, pack_distribution(&g->of[k]));
		if (g->trained && r->known)
			json_object_update_new(one, pm_figure_reference_json(r));
		json_array_append_new(list, one);
	}
	return list;
}

json_t *pm_outliers_pack_job(const struct pm_jobfeatures_job *j)
{
	return json_pack("{s:I, s:o, s:o, s:o}", "id", (json_int_t)j->id, "jobid",
			 pm_values_safe(j->jobid), "user", pm_values_safe(j->user), "start_us",
			 j->start_us ? json_integer(j->start_us) : json_null());
}

static json_t *pack_found(const struct pm_judge *g)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < g->count; i++) {
		const struct pm_judge_found *f = &g->found[i];
		json_t *one = pm_outliers_pack_job(&g->x->job[g->first + f->job]);

		json_object_update_new(one, json_pack("{s:s, s:o, s:i, s:o}", "feature",
						      g->x->feature[f->feature]->name, "value",
						      pm_figure_json(f->value), "score",
						      (int)pm_outlier_score(f->marks), "methods",
						      pm_figure_methods_json(f->marks)));
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *pack_component(const struct pm_jobpca *p, size_t c)
{
	char name[PM_JOBPCA_NAME];

	return json_pack("{s:s, s:f, s:o}", "name", pm_jobpca_name(name, c), "share",
			 p->pca.share[c], "loadings", pm_figure_loadings_json(p, c));
}

/* Every job's place: those that do not stand out show how far the others are away. */
static json_t *pack_place(const struct pm_judge *g, size_t job)
{
	const struct pm_pca *p = &g->pca->pca;
	json_t *places = json_array(), *scores = json_array();
	json_t *one = pm_outliers_pack_job(&g->x->job[g->first + job]);
	unsigned score[PM_FEATURES_MAX];

	for (size_t c = 0; c < p->components; c++) {
		score[c] = pm_outlier_score(g->marks[job * p->components + c]);
		json_array_append_new(places, pm_figure_json(g->place[job * p->components + c]));
		json_array_append_new(scores, json_integer(score[c]));
	}
	json_object_update_new(one, json_pack("{s:o, s:o, s:f}", "places", places, "scores", scores,
					      "weighted", pm_pca_weighted(p, score)));
	return one;
}

static json_t *pack_pca(const struct pm_judge *g)
{
	json_t *components = json_array(), *jobs = json_array(), *features = json_object();

	for (size_t c = 0; c < g->pca->pca.components; c++)
		json_array_append_new(components, pack_component(g->pca, c));
	for (size_t k = 0; k < g->pca->pca.features; k++)
		json_object_set_new(features, g->pca->feature[k]->name,
				    json_real(pm_pca_importance(&g->pca->pca, k)));
	for (size_t i = 0; i < g->jobs && g->place; i++)
		json_array_append_new(jobs, pack_place(g, i));
	return json_pack("{s:o, s:o, s:o}", "components", components, "importance", features,
			 "jobs", jobs);
}

int pm_outliers_pack(json_t *groups, const struct pm_judge *g, struct pm_err *e)
{
	char *title = pm_jobfeatures_title(&g->x->job[g->first]);
	json_t *all = json_pack("{s:o, s:I, s:o, s:o}", "group", pm_values_safe(title ? title : ""),
				"jobs", (json_int_t)g->jobs, "features",
				pm_outliers_pack_features(g), "outliers", pack_found(g));

	free(title);
	if (all && g->how->model)
		json_object_set_new(all, "model", pm_values_safe(g->how->model->name));
	if (all && g->pca)
		json_object_set_new(all, "pca", pack_pca(g));
	return json_array_append_new(groups, all) < 0 ? pm_err(e, "out of memory") : 0;
}
