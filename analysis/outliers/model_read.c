/* Read reference models. */
#include "config.h"

#include "analysis/outliers/model.h"

#include "analysis/select/jobgroup.h"
#include "common/grow.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copy a text of the row, if there is one. Returns false if out of memory. */
static bool take_text(char **to, struct pm_stmt *q, int at)
{
	const char *text = pm_db_text(q, at, NULL);

	*to = text ? strdup(text) : NULL;
	return !text || *to;
}

/* The group of JSON, a new text; NULL where it has none or memory is short. */
static char *group_of(const char *text)
{
	json_t *list = text ? json_loads(text, 0, NULL) : NULL;
	const char *first = json_string_value(json_array_get(list, 0));
	const char *second = json_string_value(json_array_get(list, 1));
	char *group = NULL;

	if (first)
		group = pm_jobgroup_make(first, second ? first : NULL, second);
	json_decref(list);
	return group;
}

static int take_head(struct pm_model *m, struct pm_stmt *q, struct pm_err *e)
{
	*m = (struct pm_model){ .enabled = pm_db_int(q, 1) != 0,
				.created_us = pm_db_int(q, 2),
				.jobs = (size_t)pm_db_int(q, 4),
				.group = group_of(pm_db_text(q, 5, NULL)) };
	if (!take_text(&m->name, q, 0) || !take_text(&m->created_by, q, 3) ||
	    !take_text(&m->tags, q, 6))
		return pm_err(e, "out of memory");
	return pm_outlier_read_methods(pm_db_text(q, 7, NULL), &m->methods, e);
}

/* Number of a component by its name; -1: it is a feature. */
static int component_of(const char *name)
{
	int number, end = 0;

	return sscanf(name, "pca_%2d%n", &number, &end) == 1 && !name[end] && number > 0
		       ? number - 1
		       : -1;
}

/* What is not read yet: models of EPMT may have only some. */
static const struct pm_reference nothing = {
	0, NAN, NAN, NAN, NAN, { NAN, NAN, NAN }, { NAN, NAN, NAN }
};

/* Find the reference that a row is of, which is added where it is the first. Returns NULL where
 * this perfmon does not know the feature. */
static struct pm_reference *find_reference(struct pm_model *m, const char *name)
{
	const struct pm_feature *feature = pm_jobfeatures_find(name, strlen(name));
	const int c = component_of(name);
	size_t k = 0;

	if (c >= 0)
		return (size_t)c < m->pca.pca.components ? &m->component[c] : NULL;
	if (!feature)
		return NULL;
	while (k < m->features && m->feature[k] != feature)
		k++;
	if (k == m->features) {
		m->reference[k] = nothing;
		m->feature[m->features++] = feature;
	}
	return &m->reference[k];
}

/* The operation that a row is of, which is added where it is the first. Returns NULL with e filled
 * if out of memory, or where it is no operation. */
static struct pm_model_op *find_op(struct pm_model *m, const char *text, struct pm_err *e)
{
	char *key = pm_model_op_key(text);

	/* Rows come by operation. */
	if (key && m->ops && strcmp(m->op[m->ops - 1].key, key) == 0) {
		free(key);
		return &m->op[m->ops - 1];
	}
	if (!key || !PM_GROW(m->op, m->ops, m->op_room, 16)) {
		pm_err(e, "model %s: an operation is damaged, or memory is short", m->name);
		free(key);
		return NULL;
	}
	m->op[m->ops] = (struct pm_model_op){ .key = key };
	return &m->op[m->ops++];
}

/* Find the reference that a row of an operation is of. Returns 1 with *r set, 0 where this perfmon
 * does not know the feature, or -1 with e filled. */
static int find_of_op(struct pm_model *m, const char *operation, const char *name,
		      struct pm_reference **r, struct pm_err *e)
{
	const struct pm_feature *feature = pm_jobfeatures_find(name, strlen(name));
	struct pm_model_op *op;

	if (!feature)
		return 0;
	op = find_op(m, operation, e);
	if (!op)
		return -1;
	if (!op->features || op->feature[op->features - 1].feature != feature) {
		if (!PM_GROW(op->feature, op->features, op->room, 4))
			return pm_err(e, "out of memory");
		op->feature[op->features++] = (struct pm_model_feature){ feature, nothing };
	}
	*r = &op->feature[op->features - 1].reference;
	return 1;
}

/* A number, NaN where it is not kept. */
static double real_of(struct pm_stmt *q, int i)
{
	return pm_db_is_null(q, i) ? NAN : pm_db_real(q, i);
}

static int read_features(struct pm_model *m, struct pm_db *db, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(
		    db,
		    "SELECT feature, method, known, share, least, greatest, low, high, score, "
		    "centre, spread, operation FROM model_feature WHERE model = ? "
		    "ORDER BY operation, feature",
		    &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, m->name);
	while ((rc = pm_db_step(q, e)) > 0) {
		const char *name = pm_db_text(q, 0, NULL), *method = pm_db_text(q, 1, NULL);
		const char *operation = pm_db_text(q, 11, NULL);
		struct pm_reference *r = *operation ? NULL : find_reference(m, name);
		const struct pm_reference_scores s = { pm_db_real(q, 8), pm_db_real(q, 9),
						       pm_db_real(q, 10) };

		if (*operation && find_of_op(m, operation, name, &r, e) < 0) {
			rc = -1;
			break;
		}
		if (!r)
			continue;
		r->known = (size_t)pm_db_int(q, 2);
		r->least = real_of(q, 4);
		r->greatest = real_of(q, 5);
		if (!*operation && component_of(name) >= 0)
			m->pca.pca.share[component_of(name)] = pm_db_real(q, 3);
		if (strcmp(method, pm_outlier_method_name(PM_OUTLIER_IQR)) == 0) {
			r->low = pm_db_real(q, 6);
			r->high = pm_db_real(q, 7);
		} else {
			*(strcmp(method, pm_outlier_method_name(PM_OUTLIER_Z)) == 0 ? &r->z
										    : &r->madz) = s;
		}
	}
	pm_db_finish(q);
	return rc;
}

/* Make room for the components. Returns 0 or -1 with e filled. */
static int alloc_components(struct pm_model *m, struct pm_db *db, struct pm_err *e)
{
	struct pm_stmt *q;
	size_t components = 0, features = 0;
	int rc;

	if (pm_db_prepare(
		    db,
		    "SELECT max(component), count(DISTINCT feature) FROM model_component WHERE "
		    "model = ?",
		    &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, m->name);
	rc = pm_db_step(q, e);
	if (rc > 0 && pm_db_int(q, 0) > 0 && pm_db_int(q, 0) <= PM_FEATURES_MAX &&
	    pm_db_int(q, 1) <= PM_FEATURES_MAX) {
		components = (size_t)pm_db_int(q, 0);
		features = (size_t)pm_db_int(q, 1);
	}
	pm_db_finish(q);
	m->component = calloc(components + 1, sizeof *m->component);
	if (rc >= 0 && !m->component)
		return pm_err(e, "out of memory");
	return rc < 0 ? -1 : pm_pca_alloc(&m->pca.pca, features, components, e);
}

static int read_components(struct pm_model *m, struct pm_db *db, struct pm_err *e)
{
	struct pm_pca *p = &m->pca.pca;
	struct pm_stmt *q;
	size_t n = 0;
	int rc;

	if (pm_db_prepare(db,
			  "SELECT component, feature, centre, deviation, loading FROM "
			  "model_component WHERE model = ? ORDER BY component, feature",
			  &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, m->name);
	for (; (rc = pm_db_step(q, e)) > 0 && n < p->components * p->features; n++) {
		const char *name = pm_db_text(q, 1, NULL);
		const size_t k = n % p->features;
		const struct pm_feature *feature = pm_jobfeatures_find(name, strlen(name));

		if (!feature || (n >= p->features && m->pca.feature[k] != feature) ||
		    pm_db_int(q, 0) != (int64_t)(n / p->features) + 1) {
			rc = pm_err(e,
				    "model %s: its components are damaged, or of a newer perfmon",
				    m->name);
			break;
		}
		m->pca.feature[k] = feature;
		p->centre[k] = pm_db_real(q, 2);
		p->deviation[k] = pm_db_real(q, 3);
		p->loading[n] = pm_db_real(q, 4);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Read what belongs to the head. Returns 0 or -1 with e filled. */
static int read_rest(struct pm_model *m, struct pm_db *db, struct pm_err *e)
{
	if (alloc_components(m, db, e) < 0 || read_features(m, db, e) < 0)
		return -1;
	return read_components(m, db, e);
}

#define HEAD                                                                                       \
	"SELECT name, enabled, created_us, created_by, jobs, job_group, tags, methods FROM model "

int pm_model_read(struct pm_model *m, struct pm_db *db, const char *name, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	memset(m, 0, sizeof *m);
	if (pm_db_prepare(db, HEAD "WHERE name = ?", &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, name);
	rc = pm_db_step(q, e);
	if (rc > 0 && take_head(m, q, e) < 0)
		rc = -1;
	else if (rc == 0)
		pm_err(e, "there is no model '%s' in %s; perfmon model list lists them", name,
		       pm_db_name(db));
	pm_db_finish(q);
	return rc > 0 && read_rest(m, db, e) < 0 ? -1 : rc;
}

int pm_models_read(struct pm_models *all, struct pm_db *db, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	memset(all, 0, sizeof *all);
	if (pm_db_prepare(db, HEAD "WHERE enabled = 1 ORDER BY name", &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		if (!PM_GROW(all->model, all->count, all->room, 8))
			rc = pm_err(e, "out of memory");
		else if (take_head(&all->model[all->count++], q, e) < 0)
			rc = -1;
		if (rc < 0)
			break;
	}
	pm_db_finish(q);
	for (size_t i = 0; i < all->count && rc >= 0; i++)
		rc = read_rest(&all->model[i], db, e);
	return rc < 0 ? -1 : 0;
}

void pm_models_free(struct pm_models *all)
{
	for (size_t i = 0; i < all->count; i++)
		pm_model_free(&all->model[i]);
	free(all->model);
	memset(all, 0, sizeof *all);
}
