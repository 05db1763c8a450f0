/*
 * perfmon retire --to --parquet: jobs are moved day by day of their ends. All of a day are copied
 * to their archives; then the Parquet files are written of what the archives have, so that a day's
 * is written once; then the jobs are deleted, whose processes are in both. A process killed in
 * between leaves jobs in the database, which the next call finds. That brings the files of all
 * archives to what these have, first of all, so that what a call without --parquet moved, or a lost
 * file, is made up for.
 */
#include "config.h"

#include "manage/move.h"

#include "common/grow.h"
#include "manage/dayfile.h"
#include "manage/daysync.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct day_archive {
	char name[PM_ARCHIVENAME];
	int64_t jobs; /* that are copied */
	bool failed;  /* its Parquet files could not be written: the jobs stay */
};

/* The jobs of a day that are copied and not deleted yet. */
struct day {
	struct {
		int64_t id, processes;
		size_t archive;
	} * job;
	size_t n, room;
	struct day_archive *archive;
	size_t archives, archive_room;
};

/* Find an archive among those of the day, or add it. Returns 0 with *at, or -1 if out of memory. */
static int find_archive(struct day *d, const char *name, size_t *at)
{
	for (*at = 0; *at < d->archives; ++*at)
		if (strcmp(d->archive[*at].name, name) == 0)
			return 0;
	if (!PM_GROW(d->archive, d->archives, d->archive_room, 8))
		return -1;
	d->archive[*at] = (struct day_archive){ .jobs = 0 };
	snprintf(d->archive[*at].name, PM_ARCHIVENAME, "%s", name);
	d->archives++;
	return 0;
}

/* Take the jobs of the batch that were copied. Returns 0 or -1 with e filled. */
static int take_copied(struct pm_move *m, struct day *d, struct pm_err *e)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct pm_moved *job = &m->job[i];
		size_t at;

		if (!job->copied || job->done)
			continue;
		if (find_archive(d, job->name, &at) < 0 || !PM_GROW(d->job, d->n, d->room, 256))
			return pm_err(e, "out of memory");
		d->job[d->n].id = job->id;
		d->job[d->n].processes = job->processes;
		d->job[d->n++].archive = at;
		d->archive[at].jobs++;
	}
	return 0;
}

/* Copy all jobs of a day, the first of which are found. Returns 0 or -1 with e filled. */
static int copy_day(struct pm_move *m, struct day *d, struct pm_err *e)
{
	int rc = 1;

	while (rc > 0) {
		rc = pm_move_copy(m, e);
		pm_archivedir_shut(&m->dir);
		if (rc == 0)
			rc = take_copied(m, d, e);
		if (rc < 0)
			break;
		rc = pm_move_find(m, e);
	}
	return rc;
}

/* Write the Parquet files of the day's archives. Returns 0, or -1 with e filled after too many
 * faults. */
static int write_files(struct pm_move *m, struct day *d, int64_t day, struct pm_err *e)
{
	for (size_t i = 0; i < d->archives; i++) {
		struct day_archive *a = &d->archive[i];
		char what[PM_ARCHIVENAME + 48];
		struct pm_err why;

		a->failed = pm_daysync_archive(&m->dir, a->name, day, &why) < 0;
		pm_archivedir_shut(&m->dir);
		if (!a->failed)
			continue;
		snprintf(what, sizeof what, "%" PRId64 " job%s for %s", a->jobs,
			 a->jobs == 1 ? "" : "s", a->name);
		if (pm_move_tell_left(m, what, a->jobs, true, &why, e) < 0)
			return -1;
	}
	return 0;
}

/* Make the next batch of jobs to delete, from job *at on. */
static void make_batch(struct pm_move *m, const struct day *d, size_t *at)
{
	size_t files = 0, file[PM_MOVE_FILES], k;

	for (m->n = 0; *at < d->n && m->n < PM_RETIRE_BATCH; ++*at) {
		const struct day_archive *a = &d->archive[d->job[*at].archive];
		struct pm_moved *job = &m->job[m->n];

		if (a->failed)
			continue;
		for (k = 0; k < files && file[k] != d->job[*at].archive; k++)
			continue;
		if (k == PM_MOVE_FILES)
			return;
		if (k == files)
			file[files++] = d->job[*at].archive;
		*job = (struct pm_moved){ .id = d->job[*at].id,
					  .processes = d->job[*at].processes,
					  .copied = true };
		snprintf(job->name, sizeof job->name, "%s", a->name);
		m->n++;
	}
}

static int delete_day(struct pm_move *m, const struct day *d, struct pm_err *e)
{
	size_t at = 0;
	int rc = 0;

	while (rc == 0 && at < d->n) {
		make_batch(m, d, &at);
		rc = pm_move_delete(m, e);
		pm_archivedir_shut(&m->dir);
	}
	return rc;
}

/* Leave of the batch what ended before a time. It begins with such a job. */
static void cut_batch(struct pm_move *m, int64_t before_us)
{
	while (m->job[m->n - 1].end_us >= before_us)
		m->n--;
	m->r->end_us = m->job[m->n - 1].end_us;
	m->r->id = m->job[m->n - 1].id;
}

/* Move the jobs of the day on which the first of the batch ended. Returns 0 or -1 with e filled. */
static int move_day(struct pm_move *m, struct pm_err *e)
{
	const int64_t before = m->r->before_us, day = pm_dayfile_day(m->job[0].end_us),
		      end = pm_dayfile_end(day);
	struct day d = { .job = NULL };
	int rc;

	if (end < before)
		m->r->before_us = end;
	cut_batch(m, m->r->before_us);
	rc = copy_day(m, &d, e);
	if (rc == 0)
		rc = write_files(m, &d, day, e);
	if (rc == 0)
		rc = delete_day(m, &d, e);
	m->r->before_us = before;
	free(d.job);
	free(d.archive);
	return rc;
}

int pm_move_days(struct pm_move *m, struct pm_err *e)
{
	int rc = pm_daysync_all(&m->dir, &m->r->stale, e);

	while (rc == 0 && (rc = pm_move_find(m, e)) > 0)
		rc = move_day(m, e);
	return rc;
}
