/*
 * EPMT's reference models. Column computed of refmodels is an object {METHOD: {FEATURE: [score,
 * centre, spread]}}, for iqr [0, pseudo-quartile, pseudo-quartile]; of a model of operations there
 * is one such object for each, named by its tags as JSON. Methods of several features together and
 * principal components have other values, which tell nothing without EPMT.
 */
#include "config.h"

#include "submit/foreign/epmt_models.h"

#include "common/grow.h"
#include "sql/schema.h"
#include "submit/foreign/epmt_rows.h"
#include "submit/foreign/epmt_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* More values and jobs than any model has, and more models than a database. */
#define REFERENCES_MAX 100000
#define JOBS_MAX       100000
#define MODELS_MAX     10000

static const char *const methods[PM_EPMT_METHODS] = {
	[PM_EPMT_IQR] = "iqr",
	[PM_EPMT_MADZ] = "modified_z_score",
	[PM_EPMT_Z] = "z_score",
};

/* EPMT's names of what perfmon calls otherwise. */
static const char *const features[][2] = {
	{ "duration", "duration_us" },
	{ "num_procs", "processes" },
	{ "numtids", "threads" },
};

static const char *own_name(const char *feature)
{
	for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
		if (strcmp(features[i][0], feature) == 0)
			return features[i][1];
	return feature;
}

/* Whether perfmon has such a figure of jobs: no principal component is one. */
static bool is_figure(const char *name)
{
	return pm_schema_index(pm_schema_find("job"), name) >= 0;
}

/* The names of a list, as the keys of an object; NULL: none, so that every name counts. */
static json_t *names_of(const json_t *list)
{
	json_t *names = json_array_size(list) ? json_object() : NULL, *name;
	size_t i;

	json_array_foreach (list, i, name)
		if (json_is_string(name))
			json_object_set_new(names, json_string_value(name), json_true());
	return names;
}

/* The numbers of a list of three, as a method can have computed them. Returns false if it is none.
 */
static bool take_values(double value[3], enum pm_epmt_method method, const json_t *list)
{
	for (size_t i = 0; i < 3; i++) {
		const json_t *v = json_array_get(list, i);

		value[i] = json_number_value(v);
		if (!json_is_number(v) || !isfinite(value[i]))
			return false;
	}
	/* Quartiles are in order; neither a score nor a spread is below 0. */
	return json_array_size(list) == 3 &&
	       (method == PM_EPMT_IQR ? value[1] <= value[2] : value[0] >= 0 && value[2] >= 0);
}

static int add_reference(struct pm_epmt_model *m, const char *operation, const char *feature,
			 enum pm_epmt_method method, const double value[3], struct pm_err *e)
{
	if (m->references == REFERENCES_MAX) {
		m->damaged = "it has too many values";
		return 0;
	}
	if (!PM_GROW(m->reference, m->references, m->room, 16))
		return pm_err(e, "out of memory");
	m->reference[m->references++] = (struct pm_epmt_reference){
		operation, feature, method, { value[0], value[1], value[2] }
	};
	return 0;
}

/* Take {METHOD: {FEATURE: [...]}}. Returns 0 or -1 with e filled. */
static int take_methods(struct pm_epmt_model *m, const char *operation, json_t *of,
			const json_t *active, struct pm_err *e)
{
	const char *method, *feature;
	json_t *values, *list;
	double value[3];

	json_object_foreach (of, method, values) {
		int k = 0;

		while (k < PM_EPMT_METHODS && strcmp(methods[k], method) != 0)
			k++;
		json_object_foreach (values, feature, list) {
			if (active && !json_object_get(active, feature))
				continue;
			if (k == PM_EPMT_METHODS || !is_figure(own_name(feature)) ||
			    !take_values(value, (enum pm_epmt_method)k, list))
				m->left_out++;
			else if (add_reference(m, operation, own_name(feature),
					       (enum pm_epmt_method)k, value, e) < 0)
				return -1;
		}
	}
	return 0;
}

/* The tags of an operation as perfmon writes them, a new text; NULL: it is none. */
static char *operation_of(const char *key)
{
	json_t *tags = json_loads(key, 0, NULL), *value;
	bool good = json_object_size(tags) > 0;
	const char *name;
	char *text = NULL;

	json_object_foreach (tags, name, value)
		good = good && json_is_string(value);
	if (good)
		text = json_dumps(tags, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(tags);
	return text;
}

/* Keep the tags of an operation. Returns them, or NULL with e filled. */
static const char *keep_operation(struct pm_epmt_model *m, char *text, struct pm_err *e)
{
	if (!PM_GROW(m->operation, m->operations, m->operation_room, 16)) {
		free(text);
		pm_err(e, "out of memory");
		return NULL;
	}
	return m->operation[m->operations++] = text;
}

static int take_computed(struct pm_epmt_model *m, json_t *computed, const json_t *active,
			 struct pm_err *e)
{
	const char *key, *operation;
	json_t *of;

	json_object_foreach (computed, key, of) {
		char *text = *key == '{' ? operation_of(key) : NULL;
		json_t *one;
		int rc;

		if (!text && *key == '{') {
			m->left_out++;
			continue;
		}
		operation = text ? keep_operation(m, text, e) : "";
		/* A method of the jobs as a whole stands alone; names are those of `of`. */
		one = !operation ? NULL : text ? json_incref(of) : json_pack("{s:O}", key, of);
		rc = one         ? take_methods(m, operation, one, active, e)
		     : operation ? pm_err(e, "out of memory")
				 : -1;
		json_decref(one);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static int by_feature(const void *a, const void *b)
{
	const struct pm_epmt_reference *x = a, *y = b;
	int order = strcmp(x->operation, y->operation);

	if (!order)
		order = strcmp(x->feature, y->feature);
	return order ? order : (x->method > y->method) - (x->method < y->method);
}

static int take_jobs(struct pm_epmt_model *m, struct pm_db *db, int64_t id, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "SELECT DISTINCT jobid FROM refmodel_job_associations WHERE "
			  "CAST(refmodel_id AS INTEGER) = ? ORDER BY jobid",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, id);
	while ((rc = pm_db_step(q, e)) > 0) {
		const char *job = pm_db_text(q, 0, NULL);

		if (!job)
			continue;
		if (m->jobs == JOBS_MAX) {
			m->damaged = "it has too many jobs";
			break;
		}
		if (!PM_GROW(m->job, m->jobs, m->job_room, 16) ||
		    !(m->job[m->jobs] = strdup(job))) {
			rc = pm_err(e, "out of memory");
			break;
		}
		m->jobs++;
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

static void take_name(struct pm_epmt_model *m, const char *name, int64_t id)
{
	static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				   "._+-";

	const size_t n = name ? strlen(name) : 0;
	char suffix[24];

	if (n && n < sizeof m->name && strspn(name, good) == n && *name != '-') {
		memcpy(m->name, name, n + 1);
		return;
	}
	snprintf(suffix, sizeof suffix, "-%" PRId64, id);
	snprintf(m->name, sizeof m->name - strlen(suffix), "%s", n ? name : "epmt");
	for (char *p = m->name; *p; p++)
		if (!strchr(good, *p))
			*p = '-';
	if (*m->name == '-')
		*m->name = '_';
	memcpy(m->name + strlen(m->name), suffix, strlen(suffix) + 1);
}

static void free_model(struct pm_epmt_model *m)
{
	for (size_t i = 0; i < m->jobs; i++)
		free(m->job[i]);
	for (size_t i = 0; i < m->operations; i++)
		free(m->operation[i]);
	free(m->operation);
	free(m->job);
	free(m->reference);
	free(m->tags);
}

enum { AT_ID, AT_NAME, AT_TAGS, AT_COMPUTED, AT_ENABLED, AT_INFO };

/* EPMT's models are enabled unless they say otherwise. */
static bool is_enabled(struct pm_stmt *q)
{
	const char *text =
		pm_db_type(q, AT_ENABLED) == PM_DB_TEXT ? pm_db_text(q, AT_ENABLED, NULL) : NULL;

	if (text)
		return strcmp(text, "0") != 0 && strcasecmp(text, "false") != 0 &&
		       strcasecmp(text, "f") != 0;
	return pm_db_is_null(q, AT_ENABLED) || pm_db_int(q, AT_ENABLED) != 0;
}

/* Read the current row. Returns what `each` does, or -1 with e filled. */
static int pass_model(struct pm_db *db, struct pm_stmt *q,
		      int (*each)(void *ctx, const struct pm_epmt_model *m, struct pm_err *e),
		      void *ctx, struct pm_err *e)
{
	json_t *computed = pm_epmt_rows_json(pm_db_text(q, AT_COMPUTED, NULL));
	json_t *info = pm_epmt_rows_json(pm_db_text(q, AT_INFO, NULL));
	json_t *tags = pm_epmt_rows_json(pm_db_text(q, AT_TAGS, NULL));
	json_t *active = names_of(json_object_get(info, "active_metrics"));
	struct pm_epmt_model m = { .enabled = is_enabled(q) };
	int rc;

	m.damaged = json_is_object(computed) ? NULL : "its values cannot be read";
	take_name(&m, pm_db_text(q, AT_NAME, NULL), pm_db_int(q, AT_ID));
	if (json_object_size(tags) > 0)
		m.tags = json_dumps(tags, JSON_COMPACT | JSON_SORT_KEYS);
	rc = take_jobs(&m, db, pm_db_int(q, AT_ID), e);
	if (rc == 0)
		rc = take_computed(&m, computed, active, e);
	if (rc == 0 && m.references)
		qsort(m.reference, m.references, sizeof *m.reference, by_feature);
	if (rc == 0)
		rc = each(ctx, &m, e);
	else
		pm_err_prefix(e, "model %s", m.name);
	free_model(&m);
	json_decref(active);
	json_decref(computed);
	json_decref(info);
	json_decref(tags);
	return rc;
}

int pm_epmt_models_each(struct pm_db *db,
			int (*each)(void *ctx, const struct pm_epmt_model *m, struct pm_err *e),
			void *ctx, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = pm_epmt_tables(db, "refmodels", "refmodel_job_associations", e);

	if (rc <= 0)
		return rc;
	if (pm_db_prepare(db,
			  "SELECT id, name, tags, computed, enabled, info_dict FROM refmodels "
			  "ORDER BY id LIMIT ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, MODELS_MAX);
	while ((rc = pm_db_step(q, e)) > 0)
		if ((rc = pass_model(db, q, each, ctx, e)) < 0)
			break;
	pm_db_finish(q);
	return rc;
}
