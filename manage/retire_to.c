/*
 * perfmon retire --to: move jobs to archives. A batch of jobs is copied and committed in a way that
 * survives a power failure, then noted in the index. Each job is deleted in a transaction that has
 * compared all its rows with the copy, under a lock that keeps loads out. A process killed in
 * between leaves a job in both places, which the next call finds, compares and deletes.
 */
#include "config.h"

#include "manage/retire.h"

#include "common/log.h"
#include "common/now.h"
#include "common/terminal.h"
#include "db/copy.h"
#include "db/erase.h"
#include "manage/archivedir.h"
#include "manage/jobs.h"
#include "sql/schema.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits of a batch: jobs, processes of all but its first job, and archives, which are open
 * together.
 */
#define BATCH       256
#define BATCH_MAX   100000
#define BATCH_FILES 8

struct moved {
	int64_t id, end_us, processes;
	char name[PM_ARCHIVEDIR_NAME]; /* of its archive */
	bool copied;                   /* the archive has it */
	bool done;
};

struct move {
	struct pm_retire *r;
	struct pm_archivedir dir;
	struct moved *job;
	size_t n;
	int64_t end_us, id; /* the last job found */
};

/* Find the next jobs, the oldest first. Returns 1, 0 if there are none, or -1 with e filled. */
static int find_batch(struct move *m, struct pm_err *e)
{
	int64_t processes = 0;
	struct pm_stmt *q;
	int rc;

	/* Jobs that could not be moved stay behind, so go on from the last one. */
	if (pm_retire_prepare(
		    m->r, "j.id, " PM_SCHEMA_JOB_END("j.") ", coalesce(j.processes, 0)",
		    " AND (" PM_SCHEMA_JOB_END("j.") " > ? OR (" PM_SCHEMA_JOB_END(
			    "j.") " = ? AND j.id > ?)) ORDER BY " PM_SCHEMA_JOB_END("j.") ", j.id "
											  "LIMIT "
											  "256",
		    &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 2, m->end_us);
	pm_db_bind_int(q, 3, m->end_us);
	pm_db_bind_int(q, 4, m->id);
	m->n = 0;
	while ((rc = pm_db_step(q, e)) > 0) {
		struct moved *job = &m->job[m->n];

		*job = (struct moved){ pm_db_int(q, 0), pm_db_int(q, 1), pm_db_int(q, 2),
				       .done = false };
		if (m->n > 0 && processes + job->processes > BATCH_MAX)
			break;
		processes += job->processes;
		m->n++;
	}
	pm_db_finish(q);
	if (m->n > 0) {
		m->end_us = m->job[m->n - 1].end_us;
		m->id = m->job[m->n - 1].id;
	}
	return rc < 0 ? -1 : m->n > 0;
}

static int compare(struct move *m, const struct moved *job, struct pm_db *to,
		   enum pm_copy_match *match, const char **table, struct pm_err *e)
{
	char note[sizeof PM_ARCHIVEDIR_NOTE + PM_ARCHIVEDIR_NAME];

	snprintf(note, sizeof note, PM_ARCHIVEDIR_NOTE "%s", job->name);
	return pm_copy_compare(m->r->db, job->id, to, note, match, table, e);
}

/* Copy a job, in place of an older copy of it, inside the transaction of its archive. */
static int copy_job(struct move *m, struct moved *job, struct pm_db *to, struct pm_userdays *days,
		    struct pm_err *e)
{
	enum pm_copy_state state;
	enum pm_copy_match match;
	const char *table;
	int rc = pm_copy_within(m->r->db, to, job->id, PM_COPY_ALL, days, &state, e);

	if (rc == 0 && state == PM_COPY_THERE) {
		rc = compare(m, job, to, &match, &table, e);
		if (rc == 0 && match == PM_COPY_MORE)
			rc = pm_copy_within(m->r->db, to, job->id, PM_COPY_REPLACE, days, &state,
					    e);
	}
	job->copied = state != PM_COPY_GONE;
	job->done = state == PM_COPY_GONE;
	return rc < 0 ? pm_err_prefix(e, "copy job #%" PRId64 " to %s", job->id, pm_db_name(to))
		      : 0;
}

/* Copy the jobs of the batch that belong into one archive, from job `first` on, in one transaction.
 */
static int copy_group(struct move *m, size_t first, struct pm_err *e)
{
	struct pm_userdays days = { 0 };
	struct pm_db *to;
	int rc = pm_archivedir_file(&m->dir, m->job[first].name, &to, e);

	if (rc < 0)
		return -1;
	if (pm_db_begin(to, e) < 0)
		return -1;
	for (size_t i = first; i < m->n && rc == 0; i++)
		if (!m->job[i].done && strcmp(m->job[i].name, m->job[first].name) == 0)
			rc = copy_job(m, &m->job[i], to, &days, e);
	if (rc == 0)
		rc = pm_userdays_apply(&days, to, e);
	if (rc == 0 && pm_db_commit(to, e) < 0)
		rc = pm_err_prefix(e, "copy to %s", pm_db_name(to));
	if (rc < 0)
		pm_db_rollback(to);
	pm_userdays_free(&days);
	return rc;
}

/* Name the archives of the batch, which ends before the first archive too many. Returns 0 or -1
 * with e filled. */
static int name_archives(struct move *m, struct pm_err *e)
{
	size_t files = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct moved *job = &m->job[i];
		size_t k = 0;
		int rc = pm_archivedir_place(&m->dir, m->r->db, job->id, job->name, e);

		if (rc < 0)
			return -1;
		job->done = rc == 0;
		while (k < i && strcmp(m->job[k].name, job->name) != 0)
			k++;
		files += k == i;
		if (files <= BATCH_FILES)
			continue;
		m->n = i;
		m->end_us = m->job[i - 1].end_us;
		m->id = m->job[i - 1].id;
	}
	return 0;
}

static int copy_batch(struct move *m, struct pm_err *e)
{
	if (name_archives(m, e) < 0)
		return -1;
	for (size_t i = 0; i < m->n; i++)
		if (!m->job[i].copied && !m->job[i].done && copy_group(m, i, e) < 0)
			return -1;
	return 0;
}

/* Note the jobs of the batch in the index. */
static int note_batch(struct move *m, struct pm_err *e)
{
	int rc = pm_db_begin(m->dir.index, e);

	if (rc < 0)
		return -1;
	for (size_t i = 0; i < m->n && rc == 0; i++) {
		const struct moved *job = &m->job[i];
		struct pm_db *to;
		int64_t id;

		if (!job->copied)
			continue;
		/* The index shows the job as the archive has it. */
		rc = pm_archivedir_file(&m->dir, job->name, &to, e);
		if (rc == 0)
			rc = pm_copy_find(m->r->db, job->id, to, &id, e);
		if (rc > 0)
			rc = pm_archivedir_note(&m->dir, to, id, job->name, e);
	}
	if (rc == 0)
		rc = pm_db_commit(m->dir.index, e);
	if (rc < 0) {
		pm_db_rollback(m->dir.index);
		return pm_err_prefix(e, "note the jobs in %s", pm_db_name(m->dir.index));
	}
	return 0;
}

static void warn_left(struct move *m, const struct moved *job, const char *table)
{
	struct pm_jobs_one one;
	struct pm_err ignored;

	m->r->left++;
	if (pm_jobs_read(&one, m->r->db, job->id, &ignored) > 0)
		pm_warn("job %s: not moved, as %s/%s has it with other rows in table %s; nothing "
			"of "
			"it was deleted",
			one.name, m->dir.path, job->name, table);
}

/* Keep loads, redaction and annotation of the job out until the transaction ends. Returns 1, 0 if
 * it is gone, or -1 with e filled. */
static int lock_job(struct move *m, const struct moved *job, struct pm_err *e)
{
	char name[48];

	/* The name that annotate locks. */
	snprintf(name, sizeof name, "annotations %lld", (long long)job->id);
	if (pm_db_lock(m->r->db, name, e) < 0)
		return -1;
	return pm_erase_lock(m->r->db, job->id, e);
}

/* Delete a job whose copy is complete, of a large one as much as is possible by a time. Returns 0
 * or -1 with e filled. */
static int delete_job(struct move *m, struct moved *job, int64_t until_us, struct pm_err *e)
{
	enum pm_copy_match match;
	const char *table;
	struct pm_db *to;
	int rc;

	if (pm_archivedir_file(&m->dir, job->name, &to, e) < 0)
		return -1;
	rc = lock_job(m, job, e);
	if (rc == 0)
		job->done = true;
	if (rc <= 0)
		return rc;
	if (compare(m, job, to, &match, &table, e) < 0)
		return -1;
	if (match != PM_COPY_SAME && match != PM_COPY_REST) {
		warn_left(m, job, table ? table : "job");
		job->done = true;
		return 0;
	}
	rc = pm_erase_part(m->r->db, job->id, m->r->keep_summary, until_us, &m->r->days, e);
	if (match == PM_COPY_SAME && (rc == 2 || (rc > 0 && m->r->keep_summary)) &&
	    pm_archivedir_mark(m->r->db, job->id, job->name, e) < 0)
		return -1;
	if (rc == 1) {
		job->done = true;
		m->r->jobs++;
		m->r->processes += job->processes;
	}
	return rc < 0 ? -1 : 0;
}

/* Delete jobs of the batch in one transaction, from job *at on. Returns 0 or -1 with e filled. */
static int delete_some(struct move *m, size_t *at, struct pm_err *e)
{
	int64_t until = pm_now_monotonic_us() + PM_RETIRE_WORK_US;
	const struct pm_retire before = *m->r;
	int rc = 0;

	if (pm_db_begin(m->r->db, e) < 0)
		return -1;
	do {
		struct moved *job = &m->job[*at];

		if (!job->done)
			rc = delete_job(m, job, until, e);
		if (rc < 0)
			pm_err_prefix(e, "job #%" PRId64, job->id);
		*at += job->done;
	} while (rc == 0 && *at < m->n && pm_now_monotonic_us() < until);
	if (rc == 0)
		rc = pm_userdays_apply(&m->r->days, m->r->db, e);
	if (rc == 0)
		rc = pm_db_commit(m->r->db, e);
	if (rc == 0)
		return 0;
	pm_db_rollback(m->r->db);
	pm_userdays_free(&m->r->days);
	m->r->jobs = before.jobs;
	m->r->processes = before.processes;
	return -1;
}

static int move_batch(struct move *m, struct pm_err *e)
{
	size_t at = 0;

	if (copy_batch(m, e) < 0 || note_batch(m, e) < 0)
		return -1;
	while (at < m->n) {
		if (delete_some(m, &at, e) < 0)
			return -1;
		pm_retire_pause(m->r);
	}
	return 0;
}

/* Jobs of one archive, for a dry run. */
struct tally {
	char name[PM_ARCHIVEDIR_NAME];
	int64_t jobs, processes;
};

static int count_batch(struct move *m, struct tally **tally, size_t *n, struct pm_err *e)
{
	for (size_t i = 0; i < m->n; i++) {
		struct moved *job = &m->job[i];
		struct pm_db *ignored;
		struct tally *more;
		size_t k = 0;
		int rc = pm_archivedir_place(&m->dir, m->r->db, job->id, job->name, e);

		if (rc < 0)
			return -1;
		if (rc == 0)
			continue;
		while (k < *n && strcmp((*tally)[k].name, job->name) != 0)
			k++;
		if (k == *n) {
			/* An archive that cannot be opened is an error now, not in the night. */
			if (pm_archivedir_file(&m->dir, job->name, &ignored, e) < 0)
				return -1;
			pm_archivedir_shut(&m->dir);
			more = realloc(*tally, (*n + 1) * sizeof **tally);
			if (!more)
				return pm_err(e, "out of memory");
			*tally = more;
			more[k] = (struct tally){ .jobs = 0 };
			snprintf(more[k].name, sizeof more[k].name, "%s", job->name);
			++*n;
		}
		(*tally)[k].jobs++;
		(*tally)[k].processes += job->processes;
		m->r->jobs++;
		m->r->processes += job->processes;
	}
	return 0;
}

static int count_all(struct move *m, struct pm_err *e)
{
	struct tally *tally = NULL;
	size_t n = 0;
	int rc;

	while ((rc = find_batch(m, e)) > 0 && (rc = count_batch(m, &tally, &n, e)) == 0)
		continue;
	for (size_t i = 0; i < n && rc == 0 && pm_log_level >= 0; i++)
		pm_terminal_print(stdout, "%s/%s: %lld job%s, %lld process%s\n", m->dir.path,
				  tally[i].name, (long long)tally[i].jobs,
				  tally[i].jobs == 1 ? "" : "s", (long long)tally[i].processes,
				  tally[i].processes == 1 ? "" : "es");
	free(tally);
	return rc;
}

int pm_retire_move(struct pm_retire *r, bool dry, struct pm_err *e)
{
	struct move m = { .r = r, .end_us = INT64_MIN, .id = INT64_MIN };
	int rc;

	/* With SIGXFSZ ignored, a write beyond the file size limit fails with EFBIG. */
	signal(SIGXFSZ, SIG_IGN);
	rc = pm_archivedir_open(&m.dir, r->to, dry, e);
	m.job = calloc(BATCH, sizeof *m.job);
	if (rc == 0 && !m.job)
		rc = pm_err(e, "out of memory");
	if (rc == 0 && dry)
		rc = count_all(&m, e);
	while (rc == 0 && !dry && (rc = find_batch(&m, e)) > 0) {
		rc = move_batch(&m, e);
		pm_archivedir_shut(&m.dir);
	}
	if (rc < 0)
		pm_err_prefix(e, "move to %s", r->to);
	pm_archivedir_close(&m.dir);
	free(m.job);
	return rc;
}
