/* Make reference models of jobs, and write them. model_read.c reads them. */
#include "config.h"

#include "analysis/outliers/model.h"

#include "analysis/select/jobgroup.h"
#include "common/job/comparable.h"
#include "common/now.h"

#include <jansson.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Add a tag of a job, or, of a later one, keep it only where it is the same. */
static void merge_tags(json_t *all, json_t *one, bool first)
{
	const char *name;
	json_t *value;
	void *next;

	if (first) {
		json_object_update(all, one);
		return;
	}
	json_object_foreach_safe (all, next, name, value)
		if (!json_equal(value, json_object_get(one, name)))
			json_object_del(all, name);
}

/* Read the tags of a job. Returns them, or NULL with e filled. */
static json_t *read_tags(struct pm_db *db, int64_t job, struct pm_err *e)
{
	json_t *tags = json_object();
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT name, value FROM tag_set WHERE job_id = ? AND id = 0", &q,
			  e) < 0)
		return json_decref(tags), NULL;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0) {
		const char *value = pm_db_text(q, 1, NULL);

		/* What is no UTF-8 is no tag that anybody looks for. */
		json_object_set_new(tags, pm_db_text(q, 0, NULL),
				    value ? json_string(value) : json_null());
	}
	pm_db_finish(q);
	if (rc == 0 && tags)
		return tags;
	json_decref(tags);
	if (rc == 0)
		pm_err(e, "out of memory");
	return NULL;
}

/* Set the tags that all jobs have. Returns 0 or -1 with e filled. */
static int set_tags(struct pm_model *m, struct pm_db *db, const struct pm_jobfeatures *x,
		    struct pm_err *e)
{
	json_t *all = json_object();

	for (size_t i = 0; i < x->jobs; i++) {
		json_t *one = read_tags(db, x->job[i].id, e);

		if (!one)
			return json_decref(all), -1;
		merge_tags(all, one, i == 0);
		json_decref(one);
	}
	m->tags = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(all);
	return m->tags ? 0 : pm_err(e, "out of memory");
}

static int make_feature(struct pm_model *m, const struct pm_jobfeatures *x, size_t k, double *y,
			struct pm_err *e)
{
	struct pm_distribution d;

	pm_jobfeatures_values(x, 0, x->jobs, k, y);
	if (pm_distribution_of(&d, y, x->jobs, e) < 0)
		return -1;
	if (d.known < PM_MODEL_LEAST)
		return 0;
	m->feature[m->features] = x->feature[k];
	pm_reference_of(&m->reference[m->features++], &d);
	return 0;
}

static int make_components(struct pm_model *m, const struct pm_jobfeatures *x, double share,
			   struct pm_err *e)
{
	if (pm_jobpca_of(&m->pca, x, 0, x->jobs, NULL, share, e) < 0)
		return -1;
	m->component = calloc(m->pca.pca.components + 1, sizeof *m->component);
	if (!m->component)
		return pm_err(e, "out of memory");
	for (size_t c = 0; c < m->pca.pca.components; c++)
		pm_reference_of(&m->component[c], &m->pca.of[c]);
	return 0;
}

int pm_model_make(struct pm_model *m, const char *name, const struct pm_jobfeatures *x,
		  unsigned methods, double share, struct pm_err *e)
{
	double *y = malloc((x->jobs + 1) * sizeof *y);
	const struct passwd *pw = getpwuid(geteuid());
	const bool like = x->jobs && *x->job[0].group && pm_jobfeatures_group(x, 0) == x->jobs;
	int rc = 0;

	*m = (struct pm_model){ .name = strdup(name),
				.enabled = true,
				.created_us = pm_now_us(),
				.created_by = pw ? strdup(pw->pw_name) : NULL,
				.jobs = x->jobs,
				.methods = methods };
	/* Jobs without a name have nothing in common. */
	if (like)
		m->group = strdup(x->job[0].group);
	if (!y || !m->name || (like && !m->group))
		rc = pm_err(e, "out of memory");
	for (size_t k = 0; k < x->features && rc == 0; k++)
		rc = make_feature(m, x, k, y, e);
	if (rc == 0 && m->features == 0)
		rc = pm_err(e, "none of these figures is known of %d jobs", PM_MODEL_LEAST);
	if (rc == 0 && share > 0)
		rc = make_components(m, x, share, e);
	free(y);
	return rc;
}

/* The group as JSON, a new text; NULL where there is none or memory is short. */
static char *group_json(const char *group)
{
	const struct pm_jobgroup g = pm_jobgroup_split(group ? group : "");
	const struct pm_str component = { g.second, g.m };

	return group ? pm_comparable_json((struct pm_str){ g.first, g.n },
					  g.tags ? &component : NULL)
		     : NULL;
}

static int write_head(struct pm_db *db, const struct pm_model *m, struct pm_err *e)
{
	char *group = group_json(m->group), methods[32] = "";
	struct pm_stmt *q;
	size_t n = 0;
	int rc;

	for (size_t k = 0; k < PM_OUTLIER_METHODS; k++)
		if (m->methods & 1U << k)
			n += (size_t)snprintf(methods + n, sizeof methods - n, "%s%s", n ? "," : "",
					      pm_outlier_method_name(k));
	rc = pm_db_prepare(db,
			   "INSERT INTO model (name, enabled, created_us, created_by, jobs, "
			   "job_group, tags, methods) VALUES (?, 1, ?, ?, ?, ?, ?, ?)",
			   &q, e);
	if (rc == 0) {
		pm_db_bind_str(q, 1, m->name);
		pm_db_bind_int(q, 2, m->created_us);
		pm_db_bind_str(q, 3, m->created_by);
		pm_db_bind_int(q, 4, (int64_t)m->jobs);
		pm_db_bind_str(q, 5, group);
		pm_db_bind_str(q, 6, m->tags);
		pm_db_bind_str(q, 7, methods);
		rc = pm_db_run(q, e);
		pm_db_finish(q);
	}
	free(group);
	return rc;
}

static int write_jobs(struct pm_db *db, const struct pm_model *m, const struct pm_jobfeatures *x,
		      struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = pm_db_prepare(db, "INSERT INTO model_job (job_id, model) VALUES (?, ?)", &q, e);

	if (rc < 0)
		return -1;
	for (size_t i = 0; i < x->jobs && rc == 0; i++) {
		pm_db_bind_int(q, 1, x->job[i].id);
		pm_db_bind_str(q, 2, m->name);
		rc = pm_db_run(q, e);
	}
	pm_db_finish(q);
	return rc;
}

/* Infinite scores do not occur: the values of a reference that do not vary have score 0. */
static int write_reference(struct pm_stmt *q, const struct pm_model *m, const char *operation,
			   const char *feature, const struct pm_reference *r, double share,
			   struct pm_err *e)
{
	for (size_t k = 0; k < PM_OUTLIER_METHODS; k++) {
		const struct pm_reference_scores *s = k == PM_OUTLIER_MADZ ? &r->madz : &r->z;

		pm_db_bind_str(q, 1, m->name);
		pm_db_bind_str(q, 2, operation);
		pm_db_bind_str(q, 3, feature);
		pm_db_bind_str(q, 4, pm_outlier_method_name(k));
		pm_db_bind_int(q, 5, (int64_t)r->known);
		if (share > 0)
			pm_db_bind_real(q, 6, share);
		pm_db_bind_real(q, 7, r->least);
		pm_db_bind_real(q, 8, r->greatest);
		if (k == PM_OUTLIER_IQR) {
			pm_db_bind_real(q, 9, r->low);
			pm_db_bind_real(q, 10, r->high);
		} else {
			pm_db_bind_real(q, 11, s->score);
			pm_db_bind_real(q, 12, s->centre);
			pm_db_bind_real(q, 13, s->spread);
		}
		if (pm_db_run(q, e) < 0)
			return -1;
	}
	return 0;
}

static int write_op(struct pm_stmt *q, const struct pm_model *m, const struct pm_model_op *op,
		    struct pm_err *e)
{
	char *text = pm_model_op_text(op->key);
	int rc = text ? 0 : pm_err(e, "out of memory");

	for (size_t k = 0; k < op->features && rc == 0; k++)
		rc = write_reference(q, m, text, op->feature[k].feature->name,
				     &op->feature[k].reference, 0, e);
	free(text);
	return rc;
}

static int write_features(struct pm_db *db, const struct pm_model *m, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = pm_db_prepare(db,
			       "INSERT INTO model_feature (model, operation, feature, method, "
			       "known, share, least, greatest, low, high, score, centre, spread) "
			       "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			       &q, e);

	if (rc < 0)
		return -1;
	for (size_t k = 0; k < m->features && rc == 0; k++)
		rc = write_reference(q, m, "", m->feature[k]->name, &m->reference[k], 0, e);
	for (size_t c = 0; c < m->pca.pca.components && rc == 0; c++) {
		char name[PM_JOBPCA_NAME];

		rc = write_reference(q, m, "", pm_jobpca_name(name, c), &m->component[c],
				     m->pca.pca.share[c], e);
	}
	for (size_t i = 0; i < m->ops && rc == 0; i++)
		rc = write_op(q, m, &m->op[i], e);
	pm_db_finish(q);
	return rc;
}

static int write_components(struct pm_db *db, const struct pm_model *m, struct pm_err *e)
{
	const struct pm_pca *p = &m->pca.pca;
	struct pm_stmt *q;
	int rc = pm_db_prepare(db,
			       "INSERT INTO model_component (model, component, feature, centre, "
			       "deviation, loading) VALUES (?, ?, ?, ?, ?, ?)",
			       &q, e);

	if (rc < 0)
		return -1;
	for (size_t i = 0; i < p->components * p->features && rc == 0; i++) {
		const size_t k = i % p->features;

		pm_db_bind_str(q, 1, m->name);
		pm_db_bind_int(q, 2, (int64_t)(i / p->features) + 1);
		pm_db_bind_str(q, 3, m->pca.feature[k]->name);
		pm_db_bind_real(q, 4, p->centre[k]);
		pm_db_bind_real(q, 5, p->deviation[k]);
		pm_db_bind_real(q, 6, p->loading[i]);
		rc = pm_db_run(q, e);
	}
	pm_db_finish(q);
	return rc;
}

int pm_model_write(struct pm_db *db, struct pm_model *m, const struct pm_jobfeatures *x,
		   struct pm_err *e)
{
	if (set_tags(m, db, x, e) < 0 || write_head(db, m, e) < 0 || write_jobs(db, m, x, e) < 0)
		return -1;
	return write_features(db, m, e) < 0 ? -1 : write_components(db, m, e);
}

bool pm_model_knows_jobs(const struct pm_model *m)
{
	for (size_t k = 0; k < m->features; k++)
		if (m->reference[k].known >= PM_MODEL_LEAST)
			return true;
	return m->pca.pca.components > 0;
}

char *pm_model_title(const struct pm_model *m)
{
	const struct pm_jobfeatures_job j = { .group = m->group };

	return m->group ? pm_jobfeatures_title(&j) : strdup("");
}

void pm_model_free(struct pm_model *m)
{
	free(m->name);
	free(m->created_by);
	free(m->group);
	free(m->tags);
	free(m->component);
	for (size_t i = 0; i < m->ops; i++) {
		free(m->op[i].key);
		free(m->op[i].feature);
	}
	free(m->op);
	pm_jobpca_free(&m->pca);
	memset(m, 0, sizeof *m);
}
