/* Load one gathered job: find its row or merge it with what is loaded, write it in one transaction.
 */
#include "config.h"

#include "submit/analyses.h"
#include "submit/loading.h"

#include "common/now.h"
#include "common/settings/readconfig.h"
#include "common/workqueue.h"
#include "db/copy.h"
#include "db/energy.h"
#include "db/jobrow.h"
#include "db/programs.h"
#include "db/userdays.h"
#include "submit/epoch.h"
#include "submit/job.h"
#include "submit/memory/filemem.h"
#include "submit/merge.h"
#include "submit/rows/files.h"
#include "submit/rows/jobsummary.h"
#include "submit/rows/shown.h"
#include "submit/rows/write.h"
#include "submit/tree/lineage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* State of loading one job. */
struct step {
	struct pm_load_job *job;
	struct pm_meta *id;
	struct pm_merge *late;   /* merge with files of earlier loads, NULL: not merged */
	struct pm_gather *write; /* gatherer to write: the job's own, or late->all */
	int64_t job_id;
	int64_t real_id; /* in a dry run: row id in the real database, 0: none */
	enum pm_load_state state;
	int failure; /* error of the database: see pm_db_failure */
	struct pm_userdays days;
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
		pm_gather_problem(g, "%zu links from process to parent form a cycle", t->cycles);
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
static int refuse_part(struct pm_loading *l, struct step *s, struct pm_err *e)
{
	s->failure = EINVAL;
	l->orphan = s->job_id == 0;
	if (l->orphan && l->o->orphan)
		*l->o->orphan = true;
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
	if (pm_epoch_adopt(l->db, g, s->id, &s->days, e) < 0)
		return -1;
	s->job_id = pm_place_find(l->db, g, s->id, e);
	if (s->job_id < 0)
		return -1;
	if (s->job_id > 0 && (pm_jobrow_lock_notes(l->db, s->job_id, e) < 0 ||
			      pm_userdays_note(&s->days, l->db, s->job_id, -1, e) < 0))
		return -1;
	if (pm_job_is_part(g) && (s->job_id == 0 || l->o->replace))
		return refuse_part(l, s, e);
	if (s->job_id == 0 && g->nameless)
		pm_gather_problem(g, "no usable metadata: the job is derived from the records");
	s->state = s->job_id == 0  ? PM_LOAD_NEW
		   : l->o->replace ? PM_LOAD_REPLACED
				   : PM_LOAD_APPENDED;
	if (s->state == PM_LOAD_REPLACED && pm_place_clear(l->db, s->job_id, e) < 0)
		return -1;
	if (s->state != PM_LOAD_APPENDED && !files_overlap(s->job) && !g->users.unsettled)
		return 1;
	s->late = malloc(sizeof *s->late);
	if (!s->late)
		return pm_err(e, "out of memory");
	if (pm_merge_job(s->late, l->db, g, s->job_id, l->keep, e) < 0) {
		s->failure = s->late->refused ? EINVAL : 0;
		return -1;
	}
	if (s->late->added == 0) {
		s->state = PM_LOAD_UNCHANGED;
		return 0;
	}
	s->write = &s->late->all;
	pm_gather_inherit(s->write, g);
	if (s->late->replaced)
		s->state = PM_LOAD_REPLACED;
	if (pm_place_delete_hosts(l->db, s->job_id, s->late->host, s->late->hosts, e) < 0)
		return -1;
	return 1;
}

/* A tree of so many images is built in a thread of its own. */
#define MANY_IMAGES 4000

/* The tree of a job, and what builds it. */
struct tree {
	struct pm_lineage lineage;
	struct pm_images *images;
	struct pm_workqueue *queue; /* NULL: no thread */
};

static int build_tree(void *ctx, void *item, struct pm_err *e)
{
	struct tree *t = item;

	(void)ctx;
	return pm_lineage_build(&t->lineage, t->images, e);
}

static int begin_tree(struct tree *t, struct pm_images *images, struct pm_err *e)
{
	t->images = images;
	if (images->images >= MANY_IMAGES)
		t->queue = pm_workqueue_new(build_tree, NULL, NULL, 1);
	return t->queue ? pm_workqueue_give(t->queue, t, e) : build_tree(NULL, t, e);
}

static int finish_tree(struct tree *t, struct pm_err *e)
{
	return t->queue ? pm_workqueue_wait(t->queue, e) : 0;
}

static void free_tree(struct tree *t)
{
	pm_workqueue_free(t->queue);
	pm_lineage_free(&t->lineage);
}

/* Write the totals of programs and tags, of all hosts where the job has earlier ones. */
static int write_totals(struct pm_db *db, const struct pm_write_base *base,
			const struct pm_write_totals *totals, struct pm_err *e)
{
	if (base->host)
		return pm_programs_renew(db, base->job_id, e) < 0
			       ? -1
			       : pm_tagsums_renew(db, base->job_id, e);
	if (pm_programs_write(totals->programs, db, base->job_id, e) < 0)
		return -1;
	return totals->tags ? pm_tagsums_write(totals->tags, db, base->job_id, e) : 0;
}

static int write_rows(struct pm_loading *l, struct step *s, struct pm_err *e)
{
	struct tree t = { .queue = NULL };
	struct pm_write_base base = { 0 };
	struct pm_jobtotals job = { .host = NULL };
	struct pm_write_totals totals = { &job, pm_programs_new(), NULL };
	struct pm_gather *g = s->write;
	size_t known;
	int rc;

	pm_gather_add_notes(g);
	pm_images_complete(&g->images);
	known = strlen(g->problems.text);
	rc = begin_tree(&t, &g->images, e);
	if (rc == 0)
		rc = pm_place_job(l->db, g, s->id, s->job_id, &base, e);
	if (rc == 0)
		rc = pm_files_write(l->db, g, l->keep, &base, e);
	if (rc == 0)
		rc = finish_tree(&t, e);
	/* Those of a small job are none, and those of one that has more hosts are computed again.
	 */
	if (rc == 0 && !base.host && t.lineage.count >= PM_TAGSUMS_LEAST &&
	    !(totals.tags = pm_tagsums_new()))
		rc = pm_err(e, "out of memory");
	if (rc == 0 && (!totals.programs || pm_jobtotals_init(&job, g) < 0))
		rc = pm_err(e, "out of memory");
	if (rc == 0) {
		note_oddities(g, &t.lineage);
		rc = pm_place_problems(l->db, base.job_id, g->problems.text + known, e);
	}
	if (rc == 0)
		rc = pm_write_processes(l->db, g, &t.lineage, &base, &totals, e);
	if (rc == 0)
		rc = pm_write_hosts(l->db, g, &t.lineage, &base, e);
	if (rc == 0)
		rc = pm_jobsummary_write(l->db, base.job_id, base.host ? NULL : &job, e);
	if (rc == 0 && l->analyses)
		rc = pm_analyses_write(l->db, base.job_id, l->analyses, e);
	if (rc == 0)
		rc = pm_energy_total_write(l->db, base.job_id, e);
	if (rc == 0)
		rc = write_totals(l->db, &base, &totals, e);
	if (rc == 0)
		rc = pm_userdays_note(&s->days, l->db, base.job_id, 1, e);
	s->job_id = base.job_id;
	free_tree(&t);
	pm_jobtotals_free(&job);
	pm_programs_free(totals.programs);
	pm_tagsums_free(totals.tags);
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

/*
 * Give back temporary space that a job needs no more once it is known that it is merged with
 * nothing: content that is not stored and, where nobody compares them with the database, samples as
 * they are written. A batch may load the job once more.
 */
static void spend(struct pm_loading *l, const struct step *s)
{
	struct pm_gather *g = s->write;

	if (l->days || s->late)
		return;
	for (size_t i = 0; i < g->files; i++)
		if (g->file[i].in_samples && g->file[i].kept != PM_NONE)
			pm_filecontent_forget(l->keep, g->file[i].kept);
	g->spend = !l->o->show && !l->o->remove;
}

/* Jobs of this size are large to the database, bytes of their files. */
#define LARGE ((uint64_t)16 << 20)

static int begin(struct pm_loading *l, const struct pm_gather *g, struct pm_err *e)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < g->files; i++)
		bytes += g->file[i].bytes;
	return bytes < LARGE ? pm_db_begin(l->db, e) : pm_db_begin_large(l->db, e);
}

/* Place the job and write its rows, in a transaction of its own unless a batch has one open, which
 * a failure leaves to it. Returns 0, or -1 with e and s->failure filled. */
static int write_in_transaction(struct pm_loading *l, struct step *s, struct pm_err *e)
{
	int rc;

	pm_db_failure(l->db);
	pm_db_until(l->db, l->within.until_us);
	if (!l->days && begin(l, &s->job->gather, e) < 0) {
		s->failure = pm_db_failure(l->db);
		return -1;
	}
	rc = pm_db_lock_job(l->db, s->id->text[PM_JOB_job_jobid],
			    s->id->text[PM_JOB_job_array_task], e);
	if (rc == 0)
		rc = place_job(l, s, e);
	if (rc > 0) {
		spend(l, s);
		rc = write_rows(l, s, e);
		if (rc == 0 && !l->days)
			rc = pm_userdays_apply(&s->days, l->db, e);
		if (rc == 0 && !l->days)
			rc = pm_db_commit(l->db, e);
		if (rc == 0)
			rc = l->days ? pm_userdays_move(l->days, &s->days, e) : 0;
		if (rc == 0)
			return 0;
	} else if (rc == 0 && l->days) {
		/* Nothing but perhaps the epoch changed. */
		rc = pm_userdays_note(&s->days, l->db, s->job_id, 1, e);
		if (rc == 0)
			rc = pm_userdays_move(l->days, &s->days, e);
		if (rc == 0)
			return 0;
	}
	if (s->failure == 0)
		s->failure = pm_db_failure(l->db);
	if (!l->days)
		pm_db_rollback(l->db);
	if (rc < 0 && s->failure == ETIME)
		pm_err(e, "loading it takes more CPU time than the setting spool_cpu, %s",
		       pm_config_get(PM_SET_spool_cpu));
	return rc;
}

int pm_load_job(struct pm_loading *l, struct pm_load_job *j, struct pm_err *e)
{
	struct step s = { .job = j };
	int rc = -1;

	if (pm_gather_finish(&j->gather, e) < 0)
		return -1;
	if (!pm_gather_has_content(&j->gather))
		return pm_err(e, "%s: no job in it: its data cannot be used%s%s", j->sources,
			      j->gather.problems.text[0] ? ": " : "", j->gather.problems.text);
	if (pm_gather_digests(&j->gather, e) < 0) {
		pm_load_trouble(l, ENOMEM);
		return -1;
	}
	s.id = pm_job_identity(&j->gather, e);
	if (s.id && copy_real_job(l, &s, e) == 0)
		rc = write_in_transaction(l, &s, e);
	/* EINVAL and ETIME are faults of the source: data that the database cannot hold, or that
	 * take too long to write. */
	if (s.id && rc < 0 && s.failure != EINVAL && s.failure != ETIME)
		pm_load_trouble(l, s.failure ? s.failure : ENOMEM);
	if (rc == 0)
		rc = report_job(l, &s, e);
	l->job_id = rc == 0 ? s.job_id : 0;
	/* Before a source is removed, check that its rows are in the database. A batch removes it
	 * after the commit. */
	if (rc == 0 && l->o->show && !l->o->dry &&
	    pm_shown_job(l->db, s.job_id, &j->gather, l->keep, e) < 0)
		rc = pm_err_prefix(e, "the source is kept");
	if (rc == 0 && l->o->remove && pm_removal_judge(l, &j->gather, s.job_id, e) < 0)
		rc = -1;
	/* Faults of files loaded earlier were reported and stored at that time. */
	if (rc < 0 || (s.state != PM_LOAD_UNCHANGED && s.write->faulty))
		l->faulty = true;
	if (s.late)
		pm_merge_free(s.late);
	free(s.late);
	pm_userdays_free(&s.days);
	return rc;
}
