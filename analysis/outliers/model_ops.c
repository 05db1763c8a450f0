/* Operations in reference models. */
#include "config.h"

#include "analysis/outliers/model.h"

#include "common/grow.h"
#include "common/memtext.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *pm_model_op_text(const char *key)
{
	json_t *tags = json_object();
	const char *name, *value;
	size_t names, values;
	char *text = NULL;
	int rc = tags ? 0 : -1;

	while (rc == 0 && pm_opselect_next(&key, &name, &names, &value, &values)) {
		char *copy = strndup(name, names);

		rc = copy ? json_object_set_new(tags, copy, json_stringn(value, values)) : -1;
		free(copy);
	}
	if (rc == 0)
		text = json_dumps(tags, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(tags);
	return text;
}

char *pm_model_op_key(const char *text)
{
	json_t *tags = json_loads(text, 0, NULL), *value;
	struct pm_opselect_group g = { .tag = NULL };
	struct pm_opselect s = { .group = &g, .groups = 1 };
	bool good = json_object_size(tags) > 0;
	const char *name;
	char *key = NULL;

	g.tag = calloc(json_object_size(tags) + 1, sizeof *g.tag);
	json_object_foreach (tags, name, value) {
		good = good && g.tag && json_is_string(value);
		if (good)
			/* Only read, and not after this. */
			g.tag[g.tags++] =
				(struct pm_optag){ (char *)name, (char *)json_string_value(value) };
	}
	if (good) {
		pm_opselect_sort(&s);
		key = pm_opselect_only_key(&s);
	}
	free(g.tag);
	json_decref(tags);
	return key;
}

/* Add what is kept of an operation; one that is known of too few jobs is left out, as is one whose
 * tags cannot be stored. Returns 0 or -1 with e filled. */
static int add_op(struct pm_model *m, const struct pm_opfeatures_view *v, double *y,
		  struct pm_err *e)
{
	struct pm_model_op op = { .key = NULL };
	char *text = pm_model_op_text(v->key);
	int rc = 0;

	if (!text)
		return 0;
	free(text);
	for (size_t k = 0; k < v->x.features && rc == 0; k++) {
		struct pm_distribution d;

		pm_jobfeatures_values(&v->x, 0, v->x.jobs, k, y);
		rc = pm_distribution_of(&d, y, v->x.jobs, e);
		if (rc < 0 || d.known < PM_MODEL_LEAST)
			continue;
		if (!PM_GROW(op.feature, op.features, op.room, 4)) {
			rc = pm_err(e, "out of memory");
			break;
		}
		op.feature[op.features].feature = v->x.feature[k];
		pm_reference_of(&op.feature[op.features++].reference, &d);
	}
	if (rc == 0 && op.features) {
		op.key = strdup(v->key);
		if (op.key && PM_GROW(m->op, m->ops, m->op_room, 16)) {
			m->op[m->ops++] = op;
			return 0;
		}
		rc = pm_err(e, "out of memory");
	}
	free(op.key);
	free(op.feature);
	return rc;
}

int pm_model_add_ops(struct pm_model *m, struct pm_opfeatures *x, struct pm_err *e)
{
	double *y = malloc((x->jobs.jobs + 1) * sizeof *y);
	struct pm_opfeatures_view v;
	size_t at = 0;
	int rc = y ? 0 : pm_err(e, "out of memory");

	while (rc == 0 && (rc = pm_opfeatures_next(x, &at, &v, e)) > 0) {
		rc = add_op(m, &v, y, e);
		pm_opfeatures_view_free(&v);
	}
	free(y);
	return rc;
}

bool pm_model_of_op(struct pm_model *of, const struct pm_model *m, const char *key)
{
	size_t i = 0;

	while (i < m->ops && strcmp(m->op[i].key, key) != 0)
		i++;
	if (i == m->ops)
		return false;
	*of = (struct pm_model){ .name = m->name,
				 .enabled = m->enabled,
				 .jobs = m->jobs,
				 .group = m->group,
				 .methods = m->methods };
	for (size_t k = 0; k < m->op[i].features; k++) {
		of->feature[of->features] = m->op[i].feature[k].feature;
		of->reference[of->features++] = m->op[i].feature[k].reference;
	}
	return true;
}

int pm_model_select(const struct pm_model *m, struct pm_opselect *s, struct pm_err *e)
{
	*s = (struct pm_opselect){ .mode = PM_OPSELECT_GROUPS };
	for (size_t i = 0; i < m->ops; i++)
		if (pm_opselect_add_key(s, m->op[i].key, e) < 0)
			return -1;
	return 0;
}

char *pm_model_op_words(const struct pm_model *m)
{
	const struct pm_feature *had[PM_FEATURES_MAX];
	size_t n = 0, size;
	char *words;
	FILE *out = open_memstream(&words, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < m->ops; i++)
		for (size_t k = 0; k < m->op[i].features; k++) {
			const struct pm_feature *feature = m->op[i].feature[k].feature;
			size_t at = 0;

			while (at < n && had[at] != feature)
				at++;
			if (at < n)
				continue;
			fprintf(out, "%s%s", n ? "," : "", feature->name);
			had[n++] = feature;
		}
	return pm_memtext_end(out, &words);
}
