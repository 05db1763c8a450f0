/* Load sources into the database: gather their jobs, then write each job in one transaction. */
#include "config.h"

#include "submit/loading.h"

#include "common/config.h"
#include "common/log.h"
#include "common/now.h"
#include "db/copy.h"
#include "submit/epoch.h"
#include "submit/foreign/epmt_db.h"
#include "submit/job.h"
#include "submit/memory/filemem.h"
#include "submit/merge.h"
#include "submit/rows/files.h"
#include "submit/rows/jobsummary.h"
#include "submit/rows/shown.h"
#include "submit/rows/write.h"
#include "submit/tree/lineage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of loading one job. */
struct step {
	struct pm_load_job *job;
	struct pm_meta *id;
	struct pm_merge late;    /* merge with files of earlier loads */
	struct pm_gather *write; /* gatherer to write: the job's own, or late.all */
	int64_t job_id;
	int64_t real_id; /* in a dry run: row id in the real database, 0: none */
	enum pm_load_state state;
	int failure; /* error of the database: see pm_db_failure */
};

/* Count the lines of new files, and the rejected ones among them. */
static void count_lines(const struct pm_gather *g, struct pm_load_result *r)
{
	for (size_t i = 0; i < g->files; i++, pm_filemem_trim()) {
		if (g->file[i].stored || g->file[i].superseded)
			continue;
		r->lines += (int64_t)g->file[i].lines;
		r->rejected += (int64_t)g->file[i].rejected;
	}
}

#define SHOWN PM_JOBIDENTITY_SHOWN("")

/* Report the loaded job to the caller. Returns 0 or -1 with e filled. */
static int report_job(struct pm_loading *l, const struct step *s, struct pm_err *e)
{
	struct pm_load_result r = {
		.job_id = l->o->dry ? s->real_id : s->job_id,
		.source = s->job->sources,
		.state = s->state,
		.elapsed_us = pm_now_monotonic_us() - l->began_us,
		.problems = s->write->problems.text,
		.faulty = s->write->faulty,
	};
	struct pm_stmt *q;
	int rc;

	count_lines(s->write, &r);
	if (r.rejected && s->state != PM_LOAD_UNCHANGED)
		l->faulty = true;
	pm_progress_end(l->o->progress);
	if (!l->o->done)
		return 0;
	if (pm_db_prepare(l->db, "SELECT " SHOWN ", processes, threads FROM job WHERE id = ?", &q,
			  e) < 0)
		return -1;
	pm_db_bind_int(q, 1, s->job_id);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		r.jobid = pm_db_text(q, 0, NULL);
		r.processes = pm_db_int(q, 1);
		r.threads = pm_db_int(q, 2);
		l->o->done(l->o->ctx, &r);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Note oddities found while building the tree. */
static void note_oddities(struct pm_gather *g, const struct pm_lineage *t)
{
	size_t backwards = 0;

	for (size_t i = 0; i < g->images.images; i++, pm_filemem_trim())
		backwards += (g->images.image[i].flags & PM_IMAGE_BACKWARDS) != 0;
	if (backwards)
		pm_gather_problem(g, "%zu processes end before they start: the clock was set",
				  backwards);
	if (t->cycles)
		pm_gather_problem(g, "%zu parent links led in a circle", t->cycles);
}

/* Whether files of one load overlap: common lines, or versions of one file. */
static bool files_overlap(const struct pm_load_job *j)
{
	const struct pm_gather *g = &j->gather;

	if (j->count < 2)
		return false;
	for (size_t i = 0; i < g->files; i++) {
		if (g->file[i].known)
			return true;
		if (pm_gather_kind_merges(g->file[i].kind))
			continue;
		for (size_t k = 0; k < i; k++)
			if (g->file[k].kind == g->file[i].kind &&
			    strcmp(g->file[k].name, g->file[i].name) == 0)
				return true;
	}
	return false;
}

/* Refuse series, marks and counts that belong to no job, or would replace a job. Returns -1. */
static int refuse_part(struct step *s, struct pm_err *e)
{
	s->failure = EINVAL;
	return pm_err(e,
		      "%s: samples, marks or counts %s%s, without its metadata and records: submit "
		      "them with the job's directory",
		      s->job->sources, s->job_id ? "in place of job " : "of no job in the database",
		      s->job_id ? s->id->text[PM_JOB_job_jobid] : "");
}

/*
 * Find the job in the database, and delete or merge its affected rows. Returns 1 if there is
 * something to write, 0 if not, -1 with e filled.
 */
static int place_job(struct pm_loading *l, struct step *s, struct pm_err *e)
{
	struct pm_gather *g = &s->job->gather;

	s->write = g;
	if (pm_epoch_adopt(l->db, g, s->id, e) < 0)
		return -1;
	s->job_id = pm_place_find(l->db, g, s->id, e);
	if (s->job_id < 0)
		return -1;
	if (pm_job_is_part(g) && (s->job_id == 0 || l->o->replace))
		return refuse_part(s, e);
	if (s->job_id == 0 && g->nameless)
		pm_gather_problem(g, "no usable metadata: the job is what the records say");
	s->state = s->job_id == 0  ? PM_LOAD_NEW
		   : l->o->replace ? PM_LOAD_REPLACED
				   : PM_LOAD_APPENDED;
	if (s->state == PM_LOAD_REPLACED && pm_place_clear(l->db, s->job_id, e) < 0)
		return -1;
	if (s->state != PM_LOAD_APPENDED && !files_overlap(s->job) && !g->users.unsettled)
		return 1;
	if (pm_merge_job(&s->late, l->db, g, s->job_id, l->keep, e) < 0)
		return -1;
	if (s->late.added == 0) {
		s->state = PM_LOAD_UNCHANGED;
		return 0;
	}
	s->write = &s->late.all;
	pm_gather_inherit(s->write, g);
	if (s->late.replaced)
		s->state = PM_LOAD_REPLACED;
	return pm_place_delete_hosts(l->db, s->job_id, s->late.host, s->late.hosts, e) < 0 ? -1 : 1;
}

static int write_rows(struct pm_loading *l, struct step *s, struct pm_err *e)
{
	struct pm_lineage t = { 0 };
	struct pm_write_base base = { 0 };
	struct pm_jobsums sums = { .host = NULL };
	struct pm_gather *g = s->write;
	int rc;

	pm_gather_add_notes(g);
	pm_images_complete(&g->images);
	rc = pm_lineage_build(&t, &g->images, e);
	if (rc == 0 && pm_jobsums_init(&sums, g) < 0)
		rc = pm_err(e, "out of memory");
	if (rc == 0) {
		note_oddities(g, &t);
		rc = pm_place_job(l->db, g, s->id, s->job_id, &base, e);
	}
	if (rc == 0)
		rc = pm_write_rows(l->db, g, &t, &base, &sums, e);
	if (rc == 0)
		rc = pm_files_write(l->db, g, l->keep, &base, e);
	if (rc == 0)
		rc = pm_write_hosts(l->db, g, &t, &base, e);
	if (rc == 0)
		rc = pm_jobsummary_write(l->db, base.job_id, base.host ? NULL : &sums, e);
	s->job_id = base.job_id;
	pm_lineage_free(&t);
	pm_jobsums_free(&sums);
	return rc;
}

/* In a dry run, copy the job from the real database, so that the dry run has the same effect as a
 * real load. Returns 0 or -1 with e filled. */
static int copy_real_job(struct pm_loading *l, struct step *s, struct pm_err *e)
{
	struct pm_db *real = l->o->real;
	enum pm_copy_state state;
	int64_t epoch;

	if (!real)
		return 0;
	s->real_id = pm_epoch_find(real, &s->job->gather, s->id, &epoch, e);
	if (s->real_id == 0)
		s->real_id = pm_place_find(real, &s->job->gather, s->id, e);
	if (s->real_id <= 0)
		return s->real_id < 0 ? -1 : 0;
	/* An earlier source of this run may have copied the job already. */
	return pm_copy_job(real, l->db, s->real_id, false, false, &state, e);
}

static int write_in_transaction(struct pm_loading *l, struct step *s, struct pm_err *e)
{
	int rc;

	pm_db_failure(l->db);
	pm_db_until(l->db, l->within.until_us);
	if (pm_db_begin(l->db, e) < 0) {
		s->failure = pm_db_failure(l->db);
		return -1;
	}
	rc = pm_db_lock_job(l->db, s->id->text[PM_JOB_job_jobid],
			    s->id->text[PM_JOB_job_array_task], e);
	if (rc == 0)
		rc = place_job(l, s, e);
	if (rc > 0) {
		rc = write_rows(l, s, e);
		if (rc == 0)
			rc = pm_db_commit(l->db, e);
		if (rc == 0)
			return 0;
	}
	if (s->failure == 0)
		s->failure = pm_db_failure(l->db);
	pm_db_rollback(l->db);
	if (rc < 0 && s->failure == ETIME)
		pm_err(e, "to load it takes more than the setting spool_cpu, %s, of CPU time",
		       pm_config_get(PM_SET_spool_cpu));
	return rc;
}

/* Note a failure that the sources did not cause. */
static void set_trouble(struct pm_loading *l, int why)
{
	if (l->o->trouble)
		*l->o->trouble = why;
}

static int load_job(struct pm_loading *l, struct pm_load_job *j, struct pm_err *e)
{
	struct step s = { .job = j };
	int rc = -1;

	if (pm_gather_finish(&j->gather, e) < 0)
		return -1;
	if (!pm_gather_has_content(&j->gather))
		return pm_err(e, "%s: no job in it: what it has says nothing%s%s", j->sources,
			      j->gather.problems.text[0] ? ": " : "", j->gather.problems.text);
	if (pm_gather_digests(&j->gather, e) < 0) {
		set_trouble(l, ENOMEM);
		return -1;
	}
	s.id = pm_job_identity(&j->gather, e);
	if (s.id && copy_real_job(l, &s, e) == 0)
		rc = write_in_transaction(l, &s, e);
	/* EINVAL and ETIME are faults of the source: data that the database cannot hold, or that
	 * take too long to write. */
	if (s.id && rc < 0 && s.failure != EINVAL && s.failure != ETIME)
		set_trouble(l, s.failure ? s.failure : ENOMEM);
	if (rc == 0)
		rc = report_job(l, &s, e);
	/* Before a source is removed, check that its rows are in the database. */
	if (rc == 0 && l->o->show && !l->o->dry &&
	    pm_shown_job(l->db, s.job_id, &j->gather, l->keep, e) < 0)
		rc = pm_err_prefix(e, "the source is kept");
	if (rc == 0 && l->o->remove && pm_removal_judge(l, &j->gather, s.job_id, e) < 0)
		rc = -1;
	/* Faults of files loaded earlier were reported and stored at that time. */
	if (rc < 0 || (s.state != PM_LOAD_UNCHANGED && s.write->faulty))
		l->faulty = true;
	pm_merge_free(&s.late);
	return rc;
}

/* Report a failure to the caller. Returns -1. */
static int report_failure(struct pm_loading *l, const char *source, const struct pm_err *e)
{
	if (l->o->failed)
		l->o->failed(l->o->ctx, source, e);
	return -1;
}

/* Write the gathered jobs. Returns 0, or -1 with e filled if one failed. */
static int load_gathered(struct pm_loading *l, struct pm_err *e)
{
	struct pm_err why;
	int worst = 0;

	if (pm_filecontent_wait(l->keep, e) < 0) {
		set_trouble(l, ENOMEM);
		return report_failure(l, l->source, e);
	}
	for (size_t i = 0; i < l->jobs; i++) {
		struct pm_load_job *j = l->job[i];

		why.text[0] = '\0';
		if (load_job(l, j, &why) == 0)
			continue;
		pm_err_prefix(&why, "%s", j->gather.directory);
		*e = why;
		worst = report_failure(l, j->sources, e);
	}
	return worst;
}

/* Load a database of EPMT job by job: there may be many. Returns the same as pm_load_sources(). */
static int load_database(struct pm_loading *l, const char *path, size_t number, struct pm_err *e)
{
	struct pm_epmt_db *db = pm_epmt_db_open(path, e);
	int worst = 0, rc;
	size_t jobs = 0;

	l->faulty = false;
	l->number = number;
	if (!db)
		return report_failure(l, path, e);
	while ((rc = pm_epmt_db_next(db, e)) > 0) {
		jobs++;
		l->began_us = pm_now_monotonic_us();
		l->keep = pm_filecontent_new(e);
		if (!l->keep || pm_load_read_job(l, path, db, e) < 0)
			worst = report_failure(l, path, e);
		else if (load_gathered(l, e) < 0)
			worst = -1;
		pm_loading_free(l);
		pm_filecontent_free(l->keep);
	}
	if (rc == 0 && jobs == 0)
		rc = pm_err(e, "%s: no job in it", path);
	if (rc < 0)
		worst = report_failure(l, path, e);
	pm_epmt_db_close(db);
	return worst < 0 ? -1 : l->faulty;
}

/* Make room while reading an archive of very many jobs: load the jobs gathered so far. Returns 0 or
 * -1 with e filled. */
static int make_room(struct pm_loading *l, struct pm_err *e)
{
	struct pm_err why;

	if (load_gathered(l, &why) < 0)
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

/* Read the sources of a group. *worst gets -1 if one could not be loaded. Returns 0, or -1 if none
 * of the group can be. */
static int read_group(struct pm_loading *l, size_t g, int *worst, struct pm_err *e)
{
	struct pm_load_set *s = l->set;
	int rc = 0;

	for (size_t i = 0; i < s->n && rc == 0; i++) {
		struct pm_operand *o = &s->operand[i];

		if (s->group[i] != g)
			continue;
		l->number = i;
		rc = pm_load_read(l, o, e);
		l->before += o->size;
		pm_operand_close(o);
		/* The intact part of a damaged archive is loaded, but never replaces an existing
		 * job. */
		if (rc > 0 && !l->o->strict && !l->o->replace) {
			pm_warn("%s", e->text);
			l->faulty = true;
			rc = 0;
		} else if (rc != 0) {
			if (l->refused)
				set_trouble(l, ENOMEM);
			*worst = report_failure(l, o->path, e);
			/* If memory ran out, the gathered part is an incomplete job: drop it. */
			rc = l->o->replace || l->o->strict || l->refused ? -1 : 0;
		}
	}
	return rc;
}

/* The database of EPMT that a group consists of; NULL if it has something else. */
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

/* Load group g of the sources together. Returns the same as pm_load_sources(). */
static int load_group(struct pm_loading *l, size_t g, struct pm_err *e)
{
	struct pm_operand *database = find_database(l->set, g);
	int worst = 0, rc = 0;

	l->before = l->done = l->total = 0;
	l->operand = database;
	if (database) {
		rc = load_database(l, database->path, g, e);
		if (l->o->remove && pm_removal_sources(l, g, "a database"))
			rc = rc < 0 ? rc : 1;
		return rc;
	}
	l->faulty = l->failed = l->refused = false;
	l->kept = NULL;
	l->make_room = l->o->strict || l->o->replace ? NULL : make_room;
	l->began_us = pm_now_monotonic_us();
	pm_within_begin(&l->within, l->o->limits);
	l->keep = pm_filecontent_new(e);
	if (!l->keep) {
		set_trouble(l, ENOMEM);
		return report_failure(l, l->set->operand[g].path, e);
	}
	if (l->o->progress)
		measure_group(l, g);
	rc = read_group(l, g, &worst, e);
	if (rc == 0 && load_gathered(l, e) < 0)
		worst = -1;
	worst = l->failed ? -1 : worst;
	pm_loading_free(l);
	pm_filecontent_free(l->keep);
	if (l->o->remove && pm_removal_sources(l, g,
					       worst < 0   ? PM_REMOVAL_UNUSED
					       : l->kept   ? l->kept
					       : l->faulty ? PM_REMOVAL_UNUSED
							   : NULL))
		l->faulty = true;
	pm_progress_end(l->o->progress);
	return worst < 0 ? -1 : l->faulty;
}

static int load_all(struct pm_loading *l, struct pm_err *e)
{
	struct pm_load_set *s = l->set;
	int status = 0;

	if (s->n > 1 && pm_load_group(s, e) < 0)
		return report_failure(l, s->operand[0].path, e);
	for (size_t i = 0; i < s->n; i++) {
		/* Load a group at the position of its first source. */
		bool first = true;
		int rc;

		for (size_t k = 0; k < i; k++)
			first = first && s->group[k] != s->group[i];
		if (!first)
			continue;
		rc = load_group(l, s->group[i], e);
		if (rc < 0 || (rc > 0 && status == 0))
			status = rc;
	}
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
