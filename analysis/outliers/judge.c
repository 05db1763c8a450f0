/* Judge jobs, figure by figure, and along principal components. */
#include "config.h"

#include "analysis/outliers/judge.h"

#include "common/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_good(const struct pm_judge *j, size_t job)
{
	for (size_t i = 0; i < j->how->goods; i++)
		if (j->how->good[i] == j->by->job[j->by_first + job].id)
			return true;
	return false;
}

bool pm_judge_is_for(const struct pm_judge_how *how, const struct pm_jobfeatures_job *job)
{
	const struct pm_model *m = how->model;

	return !m || !m->group || strcmp(m->group, job->group) == 0;
}

bool pm_judge_is_possible(const struct pm_judge *j)
{
	size_t good = 0;

	if (j->how->model)
		return true;
	for (size_t i = 0; i < j->by_jobs; i++)
		good += is_good(j, i);
	return j->how->good ? good >= PM_MODEL_LEAST : j->by_jobs >= PM_JUDGE_LEAST;
}

/* How many of the methods have to agree. */
static unsigned needed(const struct pm_judge *j, unsigned methods)
{
	const unsigned all = pm_outlier_score(methods);

	return j->how->score < all ? j->how->score : all;
}

static unsigned methods_of(const struct pm_judge *j)
{
	return j->how->model ? j->how->model->methods : j->how->methods;
}

/* Describe what a feature is compared with. Returns 0 or -1 with e filled. */
static int describe(struct pm_judge *j, size_t k, double *y, struct pm_err *e)
{
	const struct pm_model *model = j->how->model;

	if (model) {
		size_t at = 0;

		while (at < model->features && model->feature[at] != j->x->feature[k])
			at++;
		j->reference[k] = at < model->features ? model->reference[at]
						       : (struct pm_reference){ .known = 0 };
		return 0;
	}
	pm_jobfeatures_values(j->by, j->by_first, j->by_jobs, k, y);
	for (size_t i = 0; j->how->good && i < j->by_jobs; i++)
		if (!is_good(j, i))
			y[i] = NAN;
	if (pm_distribution_of(&j->of[k], y, j->by_jobs, e) < 0)
		return -1;
	pm_reference_of(&j->reference[k], &j->of[k]);
	return 0;
}

/* The methods by which a value stands out. */
static unsigned judge_value(const struct pm_judge *j, const struct pm_distribution *d,
			    const struct pm_reference *r, double y)
{
	if (j->trained)
		return pm_reference_marks(r, &j->how->limits, y) & methods_of(j);
	return pm_outlier_marks(d, &j->how->limits, y) & methods_of(j);
}

unsigned pm_judge_marks(const struct pm_judge *j, size_t job, size_t feature)
{
	const double y = j->x->value[(j->first + job) * j->x->features + feature];

	if (j->reference[feature].known < j->least)
		return 0;
	return judge_value(j, &j->of[feature], &j->reference[feature], y);
}

bool pm_judge_stands_out(const struct pm_judge *j, unsigned marks)
{
	return marks && pm_outlier_score(marks) >= needed(j, methods_of(j));
}

/* Judge the values of a feature: those that stand out are found. Returns 0 or -1 with e filled. */
static int judge_feature(struct pm_judge *j, size_t k, size_t *room, struct pm_err *e)
{
	for (size_t i = 0; i < j->jobs; i++) {
		const double y = j->x->value[(j->first + i) * j->x->features + k];
		const unsigned marks = pm_judge_marks(j, i, k);

		if (!pm_judge_stands_out(j, marks))
			continue;
		if (!PM_GROW(j->found, j->count, *room, 16))
			return pm_err(e, "out of memory");
		j->found[j->count++] =
			(struct pm_judge_found){ i, k, y, marks, pm_outlier_score(marks) };
	}
	return 0;
}

static int by_score(const void *a, const void *b)
{
	const struct pm_judge_found *f = a, *g = b;

	if (f->best != g->best)
		return f->best < g->best ? 1 : -1;
	if (f->job != g->job)
		return f->job < g->job ? -1 : 1;
	return (f->feature > g->feature) - (f->feature < g->feature);
}

/* Bring the lines of a job together, behind those of jobs with a higher score. */
static int sort_found(struct pm_judge *j, struct pm_err *e)
{
	unsigned *best = j->count ? calloc(j->jobs, sizeof *best) : NULL;

	if (!j->count)
		return 0;
	if (!best)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < j->count; i++)
		if (best[j->found[i].job] < j->found[i].best)
			best[j->found[i].job] = j->found[i].best;
	for (size_t i = 0; i < j->count; i++)
		j->found[i].best = best[j->found[i].job];
	free(best);
	qsort(j->found, j->count, sizeof *j->found, by_score);
	return 0;
}

static int judge_features(struct pm_judge *j, struct pm_err *e)
{
	double *y = malloc((j->by_jobs + 1) * sizeof *y);
	int rc = y ? 0 : pm_err(e, "out of memory");
	size_t room = 0;

	for (size_t k = 0; k < j->x->features && rc == 0; k++) {
		rc = describe(j, k, y, e);
		if (rc == 0)
			rc = judge_feature(j, k, &room, e);
	}
	free(y);
	return rc < 0 ? -1 : sort_found(j, e);
}

/* --- principal components --------------------------------------------------------------------- */

static int find_components(struct pm_judge *j, struct pm_err *e)
{
	bool *in = malloc(j->by_jobs + 1);
	int rc;

	if (!in)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < j->by_jobs; i++)
		in[i] = !j->how->good || is_good(j, i);
	rc = pm_jobpca_of(&j->made, j->by, j->by_first, j->by_jobs, in, j->how->share, e);
	free(in);
	j->pca = &j->made;
	return rc;
}

static int by_weight(const void *a, const void *b)
{
	const struct pm_judge_component *f = a, *g = b;

	if (f->weighted != g->weighted)
		return f->weighted < g->weighted ? 1 : -1;
	return (f->job > g->job) - (f->job < g->job);
}

/* Judge the place of a job along each component. */
static void judge_places(struct pm_judge *j, size_t job)
{
	const struct pm_pca *p = &j->pca->pca;
	double *place = j->place + job * p->components;
	unsigned *marks = j->marks + job * p->components;
	unsigned score[PM_FEATURES_MAX], best = 0;

	pm_jobpca_project(j->pca, j->x, j->first + job, place);
	for (size_t c = 0; c < p->components; c++) {
		struct pm_reference made;
		const struct pm_distribution *d = j->how->model ? NULL : &j->pca->of[c];
		const struct pm_reference *r = j->how->model ? &j->how->model->component[c] : &made;

		if (d)
			pm_reference_of(&made, d);
		marks[c] = judge_value(j, d, r, place[c]);
		score[c] = pm_outlier_score(marks[c]);
		best = score[c] > best ? score[c] : best;
	}
	if (best && best >= needed(j, methods_of(j)))
		j->component[j->components++] =
			(struct pm_judge_component){ job, pm_pca_weighted(p, score) };
}

static int judge_components(struct pm_judge *j, struct pm_err *e)
{
	const struct pm_model *model = j->how->model;
	size_t cells;

	if (model)
		j->pca = model->pca.pca.components ? &model->pca : NULL;
	else if (j->how->share > 0 && find_components(j, e) < 0)
		return -1;
	if (!j->pca || (!model && j->pca->jobs < j->least))
		return 0;
	cells = j->jobs * j->pca->pca.components + 1;
	j->place = malloc(cells * sizeof *j->place);
	j->marks = calloc(cells, sizeof *j->marks);
	j->component = malloc((j->jobs + 1) * sizeof *j->component);
	if (!j->place || !j->marks || !j->component)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < j->jobs; i++)
		judge_places(j, i);
	qsort(j->component, j->components, sizeof *j->component, by_weight);
	return 0;
}

int pm_judge_run(struct pm_judge *j, struct pm_err *e)
{
	j->trained = j->how->model || j->how->good;
	j->least = j->trained ? PM_MODEL_LEAST : PM_JUDGE_LEAST;
	return judge_features(j, e) < 0 ? -1 : judge_components(j, e);
}

double pm_judge_middle(const struct pm_judge *j, size_t feature)
{
	return j->reference[feature].madz.centre;
}

void pm_judge_usual(const struct pm_judge *j, size_t feature, double *from, double *to)
{
	const struct pm_reference *r = &j->reference[feature];

	*from = j->trained && r->known ? r->least : NAN;
	*to = j->trained && r->known ? r->greatest : NAN;
	for (size_t i = 0; !j->trained && i < j->jobs; i++) {
		const double y = j->x->value[(j->first + i) * j->x->features + feature];

		if (isnan(y) || pm_judge_stands_out(j, pm_judge_marks(j, i, feature)))
			continue;
		*from = fmin(*from, y);
		*to = fmax(*to, y);
	}
}

void pm_judge_free(struct pm_judge *j)
{
	free(j->found);
	free(j->place);
	free(j->marks);
	free(j->component);
	pm_jobpca_free(&j->made);
	j->found = NULL;
	j->place = NULL;
	j->marks = NULL;
	j->component = NULL;
	j->pca = NULL;
	j->count = j->components = 0;
}
