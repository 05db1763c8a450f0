/*
 * EPMT's reference models. Column computed of refmodels is an object {METHOD: {FEATURE: [score,
 * centre, spread]}}, for iqr [0, pseudo-quartile, pseudo-quartile]; of a model of operations there
 * is one such object for each, named by its tags as JSON. Methods of several features together and
 * principal components have other values, which tell nothing without EPMT.
 */
#include "config.h"

#include "submit/foreign/epmt_models.h"

#include "common/grow.h"
#include "submit/foreign/epmt_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More values than any model has. */
#define REFERENCES_MAX 100000

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

/* Whether a name is one of a list; of no list every name is. */
static bool is_active(const json_t *active, const char *feature)
{
	size_t n = json_array_size(active);

	for (size_t i = 0; i < n; i++) {
		const char *name = json_string_value(json_array_get(active, i));

		if (name && strcmp(name, feature) == 0)
			return true;
	}
	return n == 0;
}

/* The numbers of a list of three. Returns false if it is none. */
static bool take_values(double value[3], const json_t *list)
{
	for (size_t i = 0; i < 3; i++) {
		const json_t *v = json_array_get(list, i);

		value[i] = json_number_value(v);
		if (!json_is_number(v) || !isfinite(value[i]))
			return false;
	}
	return json_array_size(list) == 3;
}

static int add_reference(struct pm_epmt_model *m, const char *operation, const char *feature,
			 enum pm_epmt_method method, const double value[3], struct pm_err *e)
{
	struct pm_epmt_reference *r;

	if (m->references == REFERENCES_MAX)
		return pm_err(e, "more than %d values", REFERENCES_MAX);
	if (!PM_GROW(m->reference, m->references, m->room, 16))
		return pm_err(e, "out of memory");
	r = &m->reference[m->references];
	*r = (struct pm_epmt_reference){ .operation = strdup(operation),
					 .feature = feature,
					 .method = method,
					 .value = { value[0], value[1], value[2] } };
	if (!r->operation)
		return pm_err(e, "out of memory");
	m->references++;
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
			if (!is_active(active, feature))
				continue;
			if (k == PM_EPMT_METHODS || strncmp(feature, "pca_", 4) == 0 ||
			    !take_values(value, list))
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

static int take_computed(struct pm_epmt_model *m, json_t *computed, const json_t *active,
			 struct pm_err *e)
{
	const char *key;
	json_t *of;

	json_object_foreach (computed, key, of) {
		char *operation = *key == '{' ? operation_of(key) : NULL;
		int rc = 0;

		if (operation) {
			rc = take_methods(m, operation, of, active, e);
		} else if (*key == '{') {
			m->left_out++;
		} else {
			/* A method, of the jobs as a whole. */
			json_t *one = json_pack("{s:O}", key, of);

			rc = one ? take_methods(m, "", one, active, e) : pm_err(e, "out of memory");
			/* Names of features are those of `of`. */
			json_decref(one);
		}
		free(operation);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static int take_jobs(struct pm_epmt_model *m, struct pm_db *db, int64_t id, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "SELECT jobid FROM refmodel_job_associations WHERE refmodel_id = ? ORDER "
			  "BY jobid",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, id);
	while ((rc = pm_db_step(q, e)) > 0) {
		const char *job = pm_db_text(q, 0, NULL);

		if (!job)
			continue;
		if (!PM_GROW(m->job, m->jobs, m->job_room, 16) ||
		    !(m->job[m->jobs] = strdup(job))) {
			rc = pm_err(e, "out of memory");
			break;
		}
		m->jobs++;
	}
	pm_db_finish(q);
	return rc;
}

static void take_name(struct pm_epmt_model *m, const char *name, int64_t id)
{
	static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				   "._+-";

	if (name && *name)
		snprintf(m->name, sizeof m->name, "%s", name);
	else
		snprintf(m->name, sizeof m->name, "epmt-%" PRId64, id);
	for (char *p = m->name; *p; p++)
		if (!strchr(good, *p))
			*p = '-';
	if (*m->name == '-')
		*m->name = '_';
}

static void free_model(struct pm_epmt_model *m)
{
	for (size_t i = 0; i < m->jobs; i++)
		free(m->job[i]);
	for (size_t i = 0; i < m->references; i++)
		free(m->reference[i].operation);
	free(m->job);
	free(m->reference);
	free(m->tags);
}

enum { AT_ID, AT_NAME, AT_TAGS, AT_COMPUTED, AT_ENABLED, AT_INFO };

/* Read the current row. Returns what `each` does, or -1 with e filled. */
static int pass_model(struct pm_db *db, struct pm_stmt *q,
		      int (*each)(void *ctx, const struct pm_epmt_model *m, struct pm_err *e),
		      void *ctx, struct pm_err *e)
{
	json_t *computed = pm_epmt_rows_json(pm_db_text(q, AT_COMPUTED, NULL));
	json_t *info = pm_epmt_rows_json(pm_db_text(q, AT_INFO, NULL));
	json_t *tags = pm_epmt_rows_json(pm_db_text(q, AT_TAGS, NULL));
	struct pm_epmt_model m = { .enabled = pm_db_int(q, AT_ENABLED) != 0 };
	int rc;

	m.damaged = !json_is_object(computed);
	take_name(&m, pm_db_text(q, AT_NAME, NULL), pm_db_int(q, AT_ID));
	if (json_object_size(tags) > 0)
		m.tags = json_dumps(tags, JSON_COMPACT | JSON_SORT_KEYS);
	rc = take_jobs(&m, db, pm_db_int(q, AT_ID), e);
	if (rc == 0)
		rc = take_computed(&m, computed, json_object_get(info, "active_metrics"), e);
	if (rc == 0)
		rc = each(ctx, &m, e);
	else
		pm_err_prefix(e, "model %s", m.name);
	free_model(&m);
	json_decref(computed);
	json_decref(info);
	json_decref(tags);
	return rc;
}

/* Whether the tables are there, and tables: a malicious view could compute rows forever. Returns 1,
 * 0 or -1 with e filled. */
static int has_tables(struct pm_db *db, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN "
			  "('refmodels', 'refmodel_job_associations') AND sql LIKE 'CREATE TABLE%'",
			  &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0)
		rc = pm_db_int(q, 0) == 2;
	pm_db_finish(q);
	return rc;
}

int pm_epmt_models_each(struct pm_db *db,
			int (*each)(void *ctx, const struct pm_epmt_model *m, struct pm_err *e),
			void *ctx, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = has_tables(db, e);

	if (rc <= 0)
		return rc;
	if (pm_db_prepare(db,
			  "SELECT id, name, tags, computed, enabled, info_dict FROM refmodels "
			  "ORDER BY id",
			  &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if ((rc = pass_model(db, q, each, ctx, e)) < 0)
			break;
	pm_db_finish(q);
	return rc;
}
