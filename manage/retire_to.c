/*
 * perfmon retire --to: move jobs to archives. A batch of jobs is noted in the index, so that the
 * next call looks for each in the same archive, then copied and committed in a way that survives a
 * power failure. Each job is deleted in a transaction that has compared all its rows with the copy,
 * under a lock that keeps loads out. A process killed in between leaves a job in both places, which
 * the next call finds, compares and deletes. A job or an archive at fault holds up no other.
 */
#include "config.h"

#include "manage/move.h"

#include "common/log.h"
#include "common/now.h"
#include "common/terminal.h"
#include "db/copy.h"
#include "db/erase.h"
#include "db/jobrow.h"
#include "manage/jobs.h"
#include "sql/schema.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Processes of a batch, beside those of its first job. */
#define BATCH_MAX 100000

int pm_move_find(struct pm_move *m, struct pm_err *e)
{
	int64_t processes = 0;
	struct pm_stmt *q;
	int rc;

	if (pm_retire_prepare(m->r, "j.id, " PM_SCHEMA_JOB_END("j.") ", coalesce(j.processes, 0)",
			      true, &q, e) < 0)
		return -1;
	m->n = 0;
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_moved *job = &m->job[m->n];

		*job = (struct pm_moved){ pm_db_int(q, 0), pm_db_int(q, 1), pm_db_int(q, 2),
					  .done = false };
		if (m->n > 0 && processes + job->processes > BATCH_MAX)
			break;
		processes += job->processes;
		m->n++;
	}
	rc = pm_retire_finish(m->r, q, rc, e);
	if (m->n > 0) {
		m->r->end_us = m->job[m->n - 1].end_us;
		m->r->id = m->job[m->n - 1].id;
	}
	return rc < 0 ? -1 : m->n > 0;
}

static int compare(struct pm_move *m, const struct pm_moved *job, struct pm_db *to,
		   enum pm_copy_match *match, const char **table, struct pm_err *e)
{
	char note[sizeof PM_ARCHIVEDIR_NOTE + PM_ARCHIVENAME];

	snprintf(note, sizeof note, PM_ARCHIVEDIR_NOTE "%s", job->name);
	return pm_copy_compare(m->r->db, job->id, to, note, match, table, e);
}

int pm_move_tell_left(struct pm_move *m, const char *what, int64_t jobs, bool new,
		      const struct pm_err *why, struct pm_err *e)
{
	m->r->left += jobs;
	pm_warn("%s%s: %s", what, jobs == 1 ? " is not moved" : " are not moved", why->text);
	m->faults += new;
	return m->faults < PM_MOVE_FAULTS ? 0 : pm_err(e, "given up after %d faults", m->faults);
}

/* Leave a job that is at fault, or of which archive and database have different rows, as any number
 * of jobs may for ever. Returns 0 or -1 with e filled. */
static int leave_job(struct pm_move *m, struct pm_moved *job, const struct pm_err *why,
		     struct pm_err *e)
{
	struct pm_jobs_one one;
	struct pm_err ignored;
	char what[sizeof one.name + 8];

	job->left = job->done = true;
	if (pm_jobs_read(&one, m->r->db, job->id, &ignored) > 0)
		snprintf(what, sizeof what, "job %s", one.name);
	else
		snprintf(what, sizeof what, "job #%" PRId64, job->id);
	return pm_move_tell_left(m, what, 1, !job->apart, why, e);
}

/* Leave all jobs for an archive that is at fault. Returns 0 or -1 with e filled. */
static int leave_group(struct pm_move *m, size_t first, const struct pm_err *why, struct pm_err *e)
{
	char what[PM_ARCHIVENAME + 48];
	size_t known = 0;
	int64_t jobs = 0;

	for (size_t i = first; i < m->n; i++)
		if (!m->job[i].done && strcmp(m->job[i].name, m->job[first].name) == 0) {
			m->job[i].left = m->job[i].done = true;
			jobs++;
		}
	snprintf(what, sizeof what, "%" PRId64 " job%s for %s", jobs, jobs == 1 ? "" : "s",
		 m->job[first].name);
	while (known < m->faulties && strcmp(m->faulty[known], m->job[first].name) != 0)
		known++;
	if (known < m->faulties)
		return pm_move_tell_left(m, what, jobs, false, why, e);
	snprintf(m->faulty[m->faulties++], PM_ARCHIVENAME, "%s", m->job[first].name);
	return pm_move_tell_left(m, what, jobs, true, why, e);
}

/* Keep loads, deletion, redaction and annotation of the job out until the transaction ends: with
 * the locks of a load, in its order. Returns 1, 0 if it is gone, or -1 with e filled. */
static int lock_job(struct pm_move *m, const struct pm_moved *job, struct pm_err *e)
{
	int rc = pm_erase_lock(m->r->db, job->id, e);

	return rc > 0 && pm_jobrow_lock_notes(m->r->db, job->id, e) < 0 ? -1 : rc;
}

/* Replace an older copy of a job by the state of the database, if that has more. In a transaction
 * there: what another process deletes between comparison and copy would be lost. Returns 0 or -1
 * with e filled. */
static int replace_copy(struct pm_move *m, struct pm_moved *job, struct pm_db *to,
			struct pm_userdays *days, struct pm_err *e)
{
	enum pm_copy_match match = PM_COPY_SAME;
	enum pm_copy_state state;
	const char *table;
	int rc;

	if (pm_db_begin(m->r->db, e) < 0)
		return -1;
	rc = lock_job(m, job, e);
	if (rc > 0)
		rc = compare(m, job, to, &match, &table, e);
	job->theirs = match != PM_COPY_MORE;
	if (rc == 0 && match == PM_COPY_MORE)
		rc = pm_copy_within(m->r->db, to, job->id, PM_COPY_REPLACE, days, &state, e);
	pm_db_rollback(m->r->db);
	return rc;
}

/* Copy a job, in place of an older copy of it, inside the transaction of its archive. Returns 0 or
 * -1 with e filled. */
static int copy_job(struct pm_move *m, struct pm_moved *job, struct pm_db *to,
		    struct pm_userdays *days, struct pm_err *e)
{
	enum pm_copy_state state;
	enum pm_copy_match match;
	const char *table;
	int64_t id;
	int rc = pm_copy_find(m->r->db, job->id, to, &id, e);

	if (rc == 0)
		rc = pm_erase_noted(m->r->db, job->id, PM_ARCHIVEDIR_NOTE, e);
	else if (rc > 0)
		rc = 0;
	job->apart = rc > 0;
	if (job->apart)
		return pm_err(e,
			      "an archive has the rest of it, as its problems say, and %s does "
			      "not: bring that archive back",
			      job->name);
	if (rc < 0 || pm_copy_within(m->r->db, to, job->id, PM_COPY_ALL, days, &state, e) < 0)
		return -1;
	job->theirs = state == PM_COPY_THERE;
	if (state == PM_COPY_THERE && compare(m, job, to, &match, &table, e) < 0)
		return -1;
	if (state == PM_COPY_THERE && match == PM_COPY_MORE &&
	    replace_copy(m, job, to, days, e) < 0)
		return -1;
	job->copied = state != PM_COPY_GONE;
	job->done = state == PM_COPY_GONE;
	return 0;
}

/* Copy jobs of the batch to their open archive in one transaction: job `first`, and unless `alone`
 * the later ones that belong there. Returns 0 or -1 with e filled. */
static int copy_group(struct pm_move *m, size_t first, bool alone, struct pm_db *to,
		      struct pm_err *e)
{
	struct pm_userdays days = { 0 };
	size_t end = alone ? first + 1 : m->n;
	int rc = pm_db_begin(to, e);

	if (rc < 0)
		return -1;
	for (size_t i = first; i < end && rc == 0; i++)
		if (!m->job[i].done && strcmp(m->job[i].name, m->job[first].name) == 0)
			rc = copy_job(m, &m->job[i], to, &days, e);
	if (rc == 0)
		rc = pm_userdays_apply(&days, to, e);
	if (rc == 0 && pm_db_commit(to, e) < 0)
		rc = pm_err_prefix(e, "copy to %s", pm_db_name(to));
	if (rc < 0)
		pm_db_rollback(to);
	for (size_t i = first; i < end && rc < 0; i++)
		if (strcmp(m->job[i].name, m->job[first].name) == 0)
			m->job[i].copied = false;
	pm_userdays_free(&days);
	return rc;
}

/* Copy the jobs of the batch that belong into one archive, from job `first` on; where they fail
 * together, one by one. Returns 0 or -1 with e filled. */
static int copy_jobs(struct pm_move *m, size_t first, struct pm_err *e)
{
	struct pm_err why = { "" };
	struct pm_db *to;

	if (pm_archivedir_file(&m->dir, m->job[first].name, &to, &why) < 0)
		return leave_group(m, first, &why, e);
	if (copy_group(m, first, false, to, &why) == 0)
		return 0;
	for (size_t i = first; i < m->n; i++)
		if (!m->job[i].done && strcmp(m->job[i].name, m->job[first].name) == 0 &&
		    copy_group(m, i, true, to, &why) < 0 && leave_job(m, &m->job[i], &why, e) < 0)
			return -1;
	return 0;
}

/* Name the archives of the batch, which ends before the first archive too many. Returns 0 or -1
 * with e filled. */
static int name_archives(struct pm_move *m, struct pm_err *e)
{
	size_t files = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct pm_moved *job = &m->job[i];
		size_t k = 0;
		int rc = pm_archivedir_place(&m->dir, m->r->db, job->id, job->name, e);

		if (rc < 0)
			return -1;
		job->done = rc == 0;
		while (k < i && strcmp(m->job[k].name, job->name) != 0)
			k++;
		files += k == i;
		if (files <= PM_MOVE_FILES)
			continue;
		m->n = i;
		m->r->end_us = m->job[i - 1].end_us;
		m->r->id = m->job[i - 1].id;
	}
	return 0;
}

/* Open the archives of the batch, so that the index is not told of one that cannot be. Returns 0 or
 * -1 with e filled. */
static int open_archives(struct pm_move *m, struct pm_err *e)
{
	struct pm_err why = { "" };
	struct pm_db *ignored;

	for (size_t i = 0; i < m->n; i++)
		if (!m->job[i].done &&
		    pm_archivedir_file(&m->dir, m->job[i].name, &ignored, &why) < 0 &&
		    leave_group(m, i, &why, e) < 0)
			return -1;
	return 0;
}

static int copy_batch(struct pm_move *m, struct pm_err *e)
{
	for (size_t i = 0; i < m->n; i++)
		if (!m->job[i].copied && !m->job[i].done && copy_jobs(m, i, e) < 0)
			return -1;
	return 0;
}

/* Note a job in the index: as it will be in its archive, or with `theirs` as it is there, or not.
 */
static int note_job(struct pm_move *m, const struct pm_moved *job, bool theirs, struct pm_err *e)
{
	struct pm_db *from = m->r->db;
	int64_t id = job->id;
	int rc = 1;

	if (theirs) {
		rc = pm_archivedir_file(&m->dir, job->name, &from, e);
		if (rc == 0)
			rc = pm_copy_find(m->r->db, job->id, from, &id, e);
	}
	if (rc == 0 && theirs)
		return pm_archivedir_forget(&m->dir, m->r->db, job->id, e);
	return rc > 0 ? pm_archivedir_note(&m->dir, from, id, job->name, e) : rc;
}

/* Whether an archive keeps what it had of a job, or has nothing of it, other than was noted. */
static bool is_theirs(const struct pm_moved *job)
{
	return job->copied ? job->theirs : job->left && job->noted;
}

/* Note jobs of the batch in the index: all, or those whose archive keeps what it had. */
static int note_batch(struct pm_move *m, bool theirs, struct pm_err *e)
{
	bool any = !theirs;
	int rc;

	for (size_t i = 0; i < m->n; i++)
		any = any || is_theirs(&m->job[i]);
	if (!any)
		return 0;
	rc = pm_db_begin(m->dir.index, e);
	if (rc < 0)
		return -1;
	for (size_t i = 0; i < m->n && rc == 0; i++)
		if (theirs ? is_theirs(&m->job[i]) : !m->job[i].done) {
			rc = note_job(m, &m->job[i], theirs, e);
			m->job[i].noted = true;
		}
	if (rc == 0)
		rc = pm_db_commit(m->dir.index, e);
	if (rc < 0) {
		pm_db_rollback(m->dir.index);
		return pm_err_prefix(e, "note the jobs in %s", pm_db_name(m->dir.index));
	}
	return 0;
}

/* Delete a job whose copy is complete, of a large one as much as is possible in a second. Returns
 * 1; 0 with `why` filled where the copy is not complete; or -1 with `why` filled. */
static int delete_job(struct pm_move *m, struct pm_moved *job, struct pm_err *why)
{
	enum pm_copy_match match;
	const char *table;
	struct pm_db *to;
	int rc;

	if (pm_archivedir_file(&m->dir, job->name, &to, why) < 0)
		return -1;
	rc = lock_job(m, job, why);
	if (rc == 0)
		job->done = true;
	if (rc <= 0)
		return rc < 0 ? -1 : 1;
	if (compare(m, job, to, &match, &table, why) < 0)
		return -1;
	if (match != PM_COPY_SAME && match != PM_COPY_REST) {
		pm_err(why,
		       "%s/%s has it with other rows in table %s; nothing more of it was deleted",
		       m->dir.path, job->name, table ? table : "job");
		job->apart = true;
		return 0;
	}
	/* From here on: the comparison may have taken longer. */
	rc = pm_erase_part(m->r->db, job->id, m->r->keep, pm_now_monotonic_us() + PM_RETIRE_WORK_US,
			   &m->r->days, why);
	if (match == PM_COPY_SAME && (rc == 2 || (rc > 0 && m->r->keep)) &&
	    pm_archivedir_mark(m->r->db, job->id, job->name, why) < 0)
		return -1;
	if (rc == 1) {
		job->done = true;
		m->r->jobs++;
		m->r->processes += job->processes;
	}
	return rc < 0 ? -1 : 1;
}

/* Undo the transaction, in which jobs first..end-1 were deleted. */
static void undo_deletions(struct pm_move *m, size_t first, size_t end,
			   const struct pm_retire *before)
{
	pm_db_rollback(m->r->db);
	pm_userdays_free(&m->r->days);
	m->r->jobs = before->jobs;
	m->r->processes = before->processes;
	for (size_t i = first; i < end; i++)
		m->job[i].done = m->job[i].left || !m->job[i].copied;
}

/* Delete jobs of the batch in one transaction, from job *at on. Returns 0 or -1 with e filled. */
static int delete_some(struct pm_move *m, size_t *at, struct pm_err *e)
{
	int64_t until = pm_now_monotonic_us() + PM_RETIRE_WORK_US;
	const struct pm_retire before = *m->r;
	const size_t first = *at;
	int rc = 1;

	if (pm_db_begin(m->r->db, e) < 0)
		return -1;
	do {
		struct pm_moved *job = &m->job[*at];
		struct pm_err why = { "" };

		if (!job->done)
			rc = delete_job(m, job, &why);
		if (rc < 0)
			undo_deletions(m, first, *at, &before);
		if (rc < 0) {
			*at = first;
			return leave_job(m, job, &why, e);
		}
		if (rc == 0 && leave_job(m, job, &why, e) < 0) {
			undo_deletions(m, first, *at, &before);
			return -1;
		}
		rc = 1;
		*at += job->done;
	} while (*at < m->n && pm_now_monotonic_us() < until);
	if (pm_userdays_apply(&m->r->days, m->r->db, e) == 0 && pm_db_commit(m->r->db, e) == 0)
		return 0;
	undo_deletions(m, first, *at, &before);
	return -1;
}

int pm_move_copy(struct pm_move *m, struct pm_err *e)
{
	struct pm_err ignored;
	int rc;

	if (name_archives(m, e) < 0 || open_archives(m, e) < 0 || note_batch(m, false, e) < 0)
		return -1;
	rc = copy_batch(m, e);
	return note_batch(m, true, rc < 0 ? &ignored : e) < 0 || rc < 0 ? -1 : 0;
}

int pm_move_delete(struct pm_move *m, struct pm_err *e)
{
	size_t at = 0;

	while (at < m->n) {
		if (delete_some(m, &at, e) < 0)
			return -1;
		pm_retire_pause(m->r);
	}
	return 0;
}

static int move_all(struct pm_move *m, struct pm_err *e)
{
	int rc;

	while ((rc = pm_move_find(m, e)) > 0) {
		rc = pm_move_copy(m, e);
		if (rc == 0)
			rc = pm_move_delete(m, e);
		pm_archivedir_shut(&m->dir);
		if (rc < 0)
			break;
	}
	return rc;
}

int pm_retire_move(struct pm_retire *r, bool dry, struct pm_err *e)
{
	struct pm_move m = { .r = r };
	int rc;

	/* With SIGXFSZ ignored, a write beyond the file size limit fails with EFBIG. */
	signal(SIGXFSZ, SIG_IGN);
	rc = pm_archivedir_open(&m.dir, r->to, dry, e);
	r->busy = m.dir.busy;
	m.job = calloc(PM_RETIRE_BATCH, sizeof *m.job);
	if (rc == 0 && !m.job)
		rc = pm_err(e, "out of memory");
	if (rc == 0 && dry)
		rc = pm_move_count(&m, e);
	else if (rc == 0)
		rc = r->parquet ? pm_move_days(&m, e) : move_all(&m, e);
	if (rc < 0)
		pm_err_prefix(e, "move to %s", r->to);
	pm_archivedir_close(&m.dir);
	free(m.job);
	return rc;
}
