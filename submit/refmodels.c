/* Write EPMT's reference models to the tables model, model_job and model_feature. */
#include "config.h"

#include "submit/refmodels.h"

#include "common/grow.h"
#include "common/job/comparable.h"
#include "common/log.h"
#include "submit/foreign/epmt_db.h"
#include "submit/foreign/epmt_models.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fewer jobs make no model: each of two is as far from their middle as the other. */
#define JOBS_LEAST 3

static const char *const method_name[PM_EPMT_METHODS] = {
	[PM_EPMT_IQR] = "iqr",
	[PM_EPMT_MADZ] = "madz",
	[PM_EPMT_Z] = "z",
};

/* A job of the model: what makes it comparable with others. */
static const char job_sql[] =
	"SELECT j.id, j.name, (SELECT value FROM tag_set t WHERE t.job_id = j.id AND t.id = 0 AND "
	"t.name = 'exp_name'), (SELECT value FROM tag_set t WHERE t.job_id = j.id AND t.id = 0 AND "
	"t.name = 'exp_component') FROM job j WHERE j.id = ?";

int pm_refmodels_note(struct pm_refmodels *l, const char *jobid, int64_t id)
{
	char *copy = strdup(jobid);

	if (!copy || !PM_GROW(l->job, l->jobs, l->room, 64)) {
		free(copy);
		return -1;
	}
	l->job[l->jobs++] = (struct pm_refmodels_job){ copy, id };
	return 0;
}

static int by_jobid(const void *a, const void *b)
{
	return strcmp(((const struct pm_refmodels_job *)a)->jobid,
		      ((const struct pm_refmodels_job *)b)->jobid);
}

/* Where a job is, 0 if it is not here. */
static int64_t find_job(const struct pm_refmodels *l, const char *jobid)
{
	const struct pm_refmodels_job key = { (char *)jobid, 0 };
	const struct pm_refmodels_job *j =
		l->jobs ? bsearch(&key, l->job, l->jobs, sizeof *l->job, by_jobid) : NULL;

	return j ? j->id : 0;
}

static struct pm_str text_at(struct pm_stmt *q, int i)
{
	struct pm_str s = { NULL, 0 };

	s.p = pm_db_text(q, i, &s.n);
	return s.p ? s : (struct pm_str){ "", 0 };
}

/* The group of the current row as JSON; NULL: it has none, or memory is short. */
static char *group_of(struct pm_stmt *q)
{
	const struct pm_str name = text_at(q, 1), component = text_at(q, 3);

	if (!pm_db_is_null(q, 2) || !pm_db_is_null(q, 3))
		return pm_comparable_json(text_at(q, 2), &component);
	return name.n ? pm_comparable_json(name, NULL) : NULL;
}

/* Whether a model has this name. Returns 1, 2 if it was made here, 0 or -1 with e filled. */
static int is_taken(struct pm_db *db, const char *name, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT created_us FROM model WHERE name = ?", &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, name);
	rc = pm_db_step(q, e);
	if (rc > 0 && !pm_db_is_null(q, 0))
		rc = 2;
	pm_db_finish(q);
	return rc;
}

static int write_head(struct pm_db *db, const struct pm_epmt_model *m, struct pm_err *e)
{
	char methods[32] = "";
	struct pm_stmt *q;
	size_t n = 0;
	int rc;

	for (int k = 0; k < PM_EPMT_METHODS; k++) {
		size_t i = 0;

		while (i < m->references && m->reference[i].method != (enum pm_epmt_method)k)
			i++;
		if (i < m->references)
			n += (size_t)snprintf(methods + n, sizeof methods - n, "%s%s", n ? "," : "",
					      method_name[k]);
	}
	if (pm_db_prepare(db,
			  "INSERT INTO model (name, enabled, jobs, tags, methods) VALUES (?, ?, ?, "
			  "?, ?)",
			  &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, m->name);
	pm_db_bind_int(q, 2, m->enabled);
	pm_db_bind_int(q, 3, (int64_t)m->jobs);
	pm_db_bind_str(q, 4, m->tags);
	pm_db_bind_str(q, 5, methods);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

/* Write which jobs it is of, as far as they are here, and the group if all of these have the same.
 * Returns their number, or -1 with e filled. */
static int64_t write_jobs(const struct pm_refmodels *l, const struct pm_epmt_model *m,
			  struct pm_err *e)
{
	struct pm_db *db = l->db;
	struct pm_stmt *find, *write, *update;
	char *group = NULL;
	int64_t found = 0;
	bool alike = true;
	int rc = 0;

	if (pm_db_prepare(db, job_sql, &find, e) < 0)
		return -1;
	if (pm_db_prepare(db,
			  "INSERT INTO model_job (job_id, model) VALUES (?, ?) ON CONFLICT DO "
			  "NOTHING",
			  &write, e) < 0) {
		pm_db_finish(find);
		return -1;
	}
	for (size_t i = 0; i < m->jobs && rc == 0; i++) {
		const int64_t id = find_job(l, m->job[i]);
		char *one;

		if (!id)
			continue;
		pm_db_reset(find);
		pm_db_bind_int(find, 1, id);
		rc = pm_db_step(find, e);
		if (rc <= 0)
			continue;
		one = group_of(find);
		alike = alike && one && (!group || strcmp(group, one) == 0);
		if (!group)
			group = one;
		else
			free(one);
		pm_db_bind_int(write, 1, id);
		pm_db_bind_str(write, 2, m->name);
		rc = pm_db_run(write, e);
		found++;
	}
	pm_db_finish(find);
	pm_db_finish(write);
	if (rc == 0 && alike && group) {
		rc = pm_db_prepare(db, "UPDATE model SET job_group = ? WHERE name = ?", &update, e);
		if (rc == 0) {
			pm_db_bind_str(update, 1, group);
			pm_db_bind_str(update, 2, m->name);
			rc = pm_db_run(update, e);
			pm_db_finish(update);
		}
	}
	free(group);
	return rc < 0 ? -1 : found;
}

/* Write what a method keeps of a feature; `quartile` has its pseudo-quartiles, NULL: not kept. */
static int write_reference(struct pm_stmt *q, const struct pm_epmt_model *m,
			   const struct pm_epmt_reference *r, const double *quartile,
			   struct pm_err *e)
{
	pm_db_bind_str(q, 1, m->name);
	pm_db_bind_str(q, 2, r->operation);
	pm_db_bind_str(q, 3, r->feature);
	pm_db_bind_str(q, 4, method_name[r->method]);
	pm_db_bind_int(q, 5, (int64_t)m->jobs);
	if (quartile) {
		const double beyond = 1.5 * (quartile[1] - quartile[0]);

		/* What is beyond all numbers is unknown. */
		if (isfinite(quartile[0] - beyond) && isfinite(quartile[1] + beyond)) {
			pm_db_bind_real(q, 6, quartile[0] - beyond);
			pm_db_bind_real(q, 7, quartile[1] + beyond);
		}
	}
	/* low and high, else score, centre and spread */
	for (int i = r->method == PM_EPMT_IQR; i < 3; i++)
		pm_db_bind_real(q, (r->method == PM_EPMT_IQR ? 7 : 10) + i, r->value[i]);
	return pm_db_run(q, e);
}

static int write_references(struct pm_db *db, const struct pm_epmt_model *m, struct pm_err *e)
{
	const struct pm_epmt_reference *iqr = NULL;
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "INSERT INTO model_feature (model, operation, feature, method, known, "
			  "least, greatest, low, high, score, centre, spread) VALUES (?, ?, ?, ?, "
			  "?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			  &q, e) < 0)
		return -1;
	rc = 0;
	for (size_t i = 0; i < m->references && rc == 0; i++) {
		const struct pm_epmt_reference *r = &m->reference[i];

		/* Method iqr is the first of a feature. */
		if (r->method == PM_EPMT_IQR)
			iqr = r;
		if (iqr && (strcmp(iqr->feature, r->feature) != 0 ||
			    strcmp(iqr->operation, r->operation) != 0))
			iqr = NULL;
		rc = write_reference(q, m, r, iqr ? iqr->value + 1 : NULL, e);
	}
	pm_db_finish(q);
	return rc;
}

/* Write a model whose name is not taken, inside the transaction. Returns the number of its jobs
 * that are here, or -1 with e filled. */
static int64_t write_all(const struct pm_refmodels *l, const struct pm_epmt_model *m,
			 struct pm_err *e)
{
	int64_t found;

	if (write_head(l->db, m, e) < 0 || (found = write_jobs(l, m, e)) < 0 ||
	    write_references(l->db, m, e) < 0)
		return -1;
	return found;
}

/* Write a model unless its name is taken, in a transaction. Returns 0 or -1 with e filled. */
static int place_model(const struct pm_refmodels *l, const struct pm_epmt_model *m,
		       struct pm_err *e)
{
	int64_t found = 0;
	int rc;

	if (pm_db_begin(l->db, e) < 0)
		return -1;
	rc = pm_db_lock(l->db, "model", e);
	if (rc == 0)
		rc = is_taken(l->real ? l->real : l->db, m->name, e);
	if (rc > 0) {
		pm_db_rollback(l->db);
		if (rc == 2)
			pm_warn("%s: model %s: one of this name was made here, and stays", l->path,
				m->name);
		else
			pm_info("%s: model %s is here already", l->path, m->name);
		return 0;
	}
	if (rc == 0 && (found = write_all(l, m, e)) < 0)
		rc = -1;
	if (rc < 0 || pm_db_commit(l->db, e) < 0) {
		pm_db_rollback(l->db);
		return -1;
	}
	pm_info("%s: model %s of %zu jobs, %lld of them here", l->path, m->name, m->jobs,
		(long long)found);
	return 0;
}

/* Load a model, which costs no other one if it cannot be. Returns 0, or -1 with e filled if no
 * other can be, either. */
static int load_model(void *ctx, const struct pm_epmt_model *m, struct pm_err *e)
{
	struct pm_refmodels *l = ctx;
	struct pm_err why;

	(void)e;
	if (l->untrusted) {
		pm_warn("%s: model %s: not loaded, since it would judge the jobs of all: %s",
			l->path, m->name, l->untrusted);
		return 0;
	}
	if (m->left_out)
		pm_warn("%s: model %s: left out are %zu values: of methods or figures that perfmon "
			"does not have, or no score, centre and spread",
			l->path, m->name, m->left_out);
	if (m->damaged || !m->references || m->jobs < JOBS_LEAST) {
		const char *reason = m->damaged      ? m->damaged
				     : m->references ? "it is of fewer than three jobs"
						     : "it has no other values";

		pm_warn("%s: model %s: not loaded: %s", l->path, m->name, reason);
		return 0;
	}
	if (json_object_get(l->names, m->name)) {
		pm_warn("%s: model %s: not loaded: another one there has this name", l->path,
			m->name);
		return 0;
	}
	json_object_set_new(l->names, m->name, json_true());
	if (place_model(l, m, &why) < 0) {
		pm_error("%s: model %s: %s", l->path, m->name, why.text);
		l->failed = true;
	}
	return 0;
}

int pm_refmodels_load(struct pm_refmodels *l, struct pm_epmt_db *x, struct pm_err *e)
{
	l->names = json_object();
	return l->names ? pm_epmt_db_models(x, load_model, l, e) : pm_err(e, "out of memory");
}

void pm_refmodels_free(struct pm_refmodels *l)
{
	for (size_t i = 0; i < l->jobs; i++)
		free(l->job[i].jobid);
	free(l->job);
	json_decref(l->names);
}
