/* Load sources into the database: gather the jobs of each group of sources, then load them. */
#include "config.h"

#include "submit/loading.h"

#include "common/log.h"
#include "common/now.h"
#include "submit/foreign/epmt_db.h"
#include "submit/input/archive.h"
#include "submit/refmodels.h"

#include <errno.h>
#include <stdlib.h>

void pm_load_trouble(struct pm_loading *l, int why)
{
	if (l->o->trouble)
		*l->o->trouble = why;
}

/* Report a failure to the caller. Returns -1. */
static int report_failure(struct pm_loading *l, const char *source, const struct pm_err *e)
{
	if (l->o->failed)
		l->o->failed(l->o->ctx, source, e);
	return -1;
}

int pm_load_gathered(struct pm_loading *l, struct pm_err *e)
{
	struct pm_err why;
	int worst = 0;

	if (pm_filecontent_wait(l->keep, e) < 0) {
		pm_load_trouble(l, ENOMEM);
		return report_failure(l, l->source, e);
	}
	for (size_t i = 0; i < l->jobs; i++) {
		struct pm_load_job *j = l->job[i];

		why.text[0] = '\0';
		if (pm_load_job(l, j, &why) == 0)
			continue;
		if (l->defer && l->orphan && l->jobs == 1) {
			l->later = true;
			return 0;
		}
		pm_err_prefix(&why, "%s", j->gather.directory);
		*e = why;
		worst = report_failure(l, j->sources, e);
		/* What is written of a batch is rolled back, or was by the engine. */
		if (l->days)
			break;
	}
	return worst;
}

/* Load the current job of a database of EPMT. Returns 0, or -1 with the failure reported. */
static int load_epmt_job(struct pm_loading *l, const char *path, struct pm_epmt_db *db,
			 struct pm_refmodels *models, struct pm_err *e)
{
	int rc;

	l->began_us = pm_now_monotonic_us();
	l->keep = pm_filecontent_new(e);
	l->analyses = pm_epmt_db_analyses(db);
	l->job_id = 0;
	if (!l->keep || pm_load_read_job(l, path, db, e) < 0)
		rc = report_failure(l, path, e);
	else
		rc = pm_load_gathered(l, e) < 0 ? -1 : 0;
	pm_loading_free(l);
	pm_filecontent_free(l->keep);
	l->keep = NULL;
	l->analyses = NULL;
	if (rc == 0 && l->job_id && pm_epmt_db_jobid(db) &&
	    pm_refmodels_note(models, pm_epmt_db_jobid(db), l->job_id) < 0) {
		pm_err(e, "out of memory");
		rc = report_failure(l, path, e);
	}
	return rc;
}

/* Load a database of EPMT job by job: there may be many. Returns the same as pm_load_sources(). */
static int load_epmt(struct pm_loading *l, const char *path, size_t number, struct pm_err *e)
{
	struct pm_refmodels models = { .db = l->db, .real = l->o->real, .path = path };
	struct pm_err untrusted;
	char *real = pm_jobdb_trusted_path(path, &untrusted);
	struct pm_epmt_db *db = pm_epmt_db_open(path, e);
	int worst = 0, rc;
	size_t jobs = 0;

	l->number = number;
	if (!real)
		models.untrusted = untrusted.text;
	free(real);
	if (!db)
		return report_failure(l, path, e);
	while ((rc = pm_epmt_db_next(db, e)) > 0) {
		jobs++;
		if (load_epmt_job(l, path, db, &models, e) < 0)
			worst = -1;
	}
	if (rc == 0 && jobs == 0)
		rc = pm_err(e, "%s: no job in it", path);
	if (rc == 0)
		rc = pm_refmodels_load(&models, db, e);
	if (rc < 0)
		worst = report_failure(l, path, e);
	if (models.failed)
		l->faulty = true;
	pm_refmodels_free(&models);
	pm_epmt_db_close(db);
	return worst < 0 ? -1 : l->faulty;
}

/* Load a database, of perfmon or of EPMT. Returns the same as pm_load_sources(). */
static int load_database(struct pm_loading *l, const char *path, size_t number, struct pm_err *e)
{
	int rc;

	l->faulty = false;
	rc = pm_jobdb_load(l, path, e);
	if (rc > 0)
		return load_epmt(l, path, number, e);
	return rc < 0 ? report_failure(l, path, e) : l->faulty;
}

/* Make room while reading an archive of very many jobs: load the jobs gathered so far. Returns 0 or
 * -1 with e filled. */
static int make_room(struct pm_loading *l, struct pm_err *e)
{
	struct pm_err why;

	if (pm_load_gathered(l, &why) < 0)
		l->failed = true;
	pm_loading_free(l);
	pm_filecontent_free(l->keep);
	l->keep = pm_filecontent_new(e);
	return l->keep ? 0 : -1;
}

/* Determine how many bytes the sources of a group have. */
static void measure_group(struct pm_loading *l, size_t g)
{
	struct pm_load_set *s = l->set;
	struct pm_err ignored;

	for (size_t i = 0; i < s->n; i++) {
		struct pm_operand *o = &s->operand[i];
		bool open = o->fd >= 0 || s->n == 1;

		if (s->group[i] != g)
			continue;
		if (pm_unpacked_has(&o->unpacked) || pm_operand_open(o, &ignored) == 0)
			pm_operand_measure(o);
		if (!open)
			pm_operand_close(o);
		l->total += o->size;
	}
}

int pm_load_read_group(struct pm_loading *l, size_t g, int *worst, struct pm_err *e)
{
	struct pm_load_set *s = l->set;
	int rc = 0;

	for (size_t i = 0; i < s->n && rc == 0; i++) {
		struct pm_operand *o = &s->operand[i];

		if (s->group[i] != g)
			continue;
		l->number = i;
		rc = pm_load_read(l, o, e);
		/* From a spool a part would be all that is ever loaded. */
		l->refused =
			l->refused || (rc > 0 && l->o->trouble && o->kind == PM_OPERAND_ARCHIVE &&
				       pm_archive_errno() != 0);
		l->before += o->size;
		pm_operand_close(o);
		/* The intact part of a damaged archive is loaded, but never replaces an existing
		 * job. */
		if (rc > 0 && !l->o->strict && !l->o->replace && !l->refused) {
			pm_warn("%s", e->text);
			if (l->o->damaged)
				l->o->damaged(l->o->ctx, o->path);
			l->faulty = true;
			rc = 0;
		} else if (rc != 0) {
			if (l->refused)
				pm_load_trouble(l, ENOMEM);
			*worst = report_failure(l, o->path, e);
			/* If memory ran out, or the file could not be read to its end, the gathered
			 * part is an incomplete job: drop it. */
			rc = l->o->replace || l->o->strict || l->refused ? -1 : 0;
		}
	}
	return rc;
}

/* The database that a group consists of; NULL if it has something else. */
static struct pm_operand *find_database(struct pm_load_set *s, size_t g)
{
	struct pm_operand *o = &s->operand[g];
	struct pm_err ignored;
	size_t sources = 0;

	for (size_t i = 0; i < s->n; i++)
		sources += s->group[i] == g;
	if (sources > 1 || pm_unpacked_has(&o->unpacked) || pm_operand_open(o, &ignored) < 0)
		return NULL;
	return o->kind == PM_OPERAND_DATABASE ? o : NULL;
}

int pm_load_begin(struct pm_loading *l, size_t g, struct pm_err *e)
{
	l->before = l->done = l->total = 0;
	l->faulty = l->failed = l->refused = false;
	l->kept = NULL;
	l->make_room = l->o->strict || l->o->replace ? NULL : make_room;
	l->began_us = pm_now_monotonic_us();
	pm_within_begin(&l->within, l->o->limits);
	if (!l->keep)
		l->keep = pm_filecontent_new(e);
	if (!l->keep) {
		pm_load_trouble(l, ENOMEM);
		return report_failure(l, l->set->operand[g].path, e);
	}
	if (l->o->progress)
		measure_group(l, g);
	return 0;
}

/* Load group g of the sources together. Returns the same as pm_load_sources(), with l->later set if
 * it is to be loaded again. */
static int load_group(struct pm_loading *l, size_t g, struct pm_err *e)
{
	struct pm_operand *database = find_database(l->set, g);
	int worst = 0, rc = 0;

	l->operand = database;
	l->later = l->orphan = false;
	if (database) {
		rc = load_database(l, database->path, g, e);
		if (l->o->remove && pm_removal_sources(l, g, "a database"))
			rc = rc < 0 ? rc : 1;
		return rc;
	}
	if (pm_load_begin(l, g, e) < 0)
		return -1;
	rc = pm_load_read_group(l, g, &worst, e);
	if (rc == 0 && pm_load_gathered(l, e) < 0)
		worst = -1;
	worst = l->failed ? -1 : worst;
	pm_loading_free(l);
	pm_filecontent_free(l->keep);
	l->keep = NULL;
	if (l->later)
		return 0;
	if (l->o->remove && pm_removal_sources(l, g,
					       worst < 0   ? PM_REMOVAL_UNUSED
					       : l->kept   ? l->kept
					       : l->faulty ? PM_REMOVAL_UNUSED
							   : NULL))
		l->faulty = true;
	pm_progress_end(l->o->progress);
	return worst < 0 ? -1 : l->faulty;
}

/* Whether a source is the first of its group, at whose position that is loaded, and whether the
 * group can be read twice. */
static bool is_first(const struct pm_load_set *s, size_t i, bool *again)
{
	for (size_t k = 0; k < i; k++)
		if (s->group[k] == s->group[i])
			return false;
	*again = true;
	for (size_t k = i; k < s->n; k++)
		*again = *again && (s->group[k] != s->group[i] || !s->operand[k].input);
	return true;
}

/* Load all groups; what is a part of jobs that another group may bring, after the others. */
static int load_all(struct pm_loading *l, struct pm_err *e)
{
	struct pm_load_set *s = l->set;
	bool *late = calloc(s->n, sizeof *late), again = false;
	int status = 0;

	if (!late)
		pm_err(e, "out of memory");
	if (!late || (s->n > 1 && pm_load_group(s, e) < 0)) {
		free(late);
		return report_failure(l, s->operand[0].path, e);
	}
	for (size_t i = 0; i < 2 * s->n; i++) {
		const size_t k = i % s->n;
		int rc;

		if (i < s->n ? !is_first(s, k, &again) : !late[k])
			continue;
		l->defer = i < s->n && s->n > 1 && again;
		rc = load_group(l, s->group[k], e);
		late[k] = l->defer && l->later;
		if (rc < 0 || (rc > 0 && status == 0))
			status = rc;
		if (rc != 0 && l->o->halt)
			break;
	}
	free(late);
	return status;
}

int pm_load_sources(struct pm_db *db, const char *const *path, size_t n,
		    const struct pm_load_options *o, struct pm_err *e)
{
	struct pm_load_set set;
	struct pm_loading l = { .db = db, .o = o, .set = &set };
	int rc;

	if (pm_load_set_init(&set, path, n, e) < 0)
		return -1;
	rc = load_all(&l, e);
	pm_load_set_free(&set);
	return rc;
}

int pm_load_source(struct pm_db *db, const char *path, const struct pm_load_options *o,
		   struct pm_err *e)
{
	return pm_load_sources(db, &path, 1, o, e);
}

int pm_load_archive(struct pm_db *db, int fd, const char *name, const struct pm_load_options *o,
		    struct pm_err *e)
{
	struct pm_load_set set;
	struct pm_loading l = { .db = db, .o = o, .set = &set };
	int rc;

	if (pm_load_set_init(&set, &name, 1, e) < 0)
		return -1;
	pm_operand_init(&set.operand[0], name, fd);
	rc = load_group(&l, 0, e);
	pm_load_set_free(&set);
	return rc;
}
