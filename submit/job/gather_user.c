/*
 * Users of gathered record files. A file of a user other than root and the job's describes only
 * that user's processes (guest.h). In a directory the file's owner tells its user. In a job of
 * root's, whose programs become other users, the file's name tells the user as well: an archive has
 * no owners.
 *
 * The decision depends on all files of a job, in whatever order they come. If a file was read
 * before its user was known, or before a file of the job's user, gathering ends `unsettled`: the
 * files must be gathered again in order (merge.c).
 */
#include "config.h"

#include "submit/job/gather.h"

#include "submit/job/valid.h"
#include "submit/memory/filemem.h"

#include <string.h>
#include <unistd.h>

static struct pm_gather_file *current_file(struct pm_gather *g)
{
	return &g->file[g->files - 1];
}

bool pm_gather_is_trusted(const struct pm_gather *g)
{
	return g->owner == 0 || g->owner == geteuid();
}

/* User of a file in a job of user `job`; -1: the job's user or root. */
static int64_t user_of(const struct pm_gather *g, const struct pm_gather_file *f, int64_t job)
{
	if (f->kind != PM_FILE_RECORDS)
		return -1;
	if (f->owner >= 0)
		return f->owner == job ? -1 : f->owner;
	return job == 0 ? pm_guest_named(f->name, &g->users.hosts) : -1;
}

/* The file with the earliest start record; with `own`, among the files whose names make them the
 * job's user's. NULL if there is none. */
static const struct pm_gather_file *earliest_file(const struct pm_gather *g, bool own)
{
	const struct pm_gather_file *best = NULL;

	for (size_t i = 0; i < g->files; i++, pm_filemem_trim()) {
		const struct pm_gather_file *f = &g->file[i];

		if (f->first_us != PM_NO_TIME && (!own || user_of(g, f, 0) < 0) &&
		    (!best || f->first_us < best->first_us))
			best = f;
	}
	return best;
}

/* Whether all files with start records belong to one user by their names. */
static bool are_alike(const struct pm_gather *g)
{
	int64_t user = -1;

	for (size_t i = 0; i < g->files; i++, pm_filemem_trim()) {
		if (g->file[i].first_us == PM_NO_TIME)
			continue;
		if (user >= 0 && user_of(g, &g->file[i], 0) != user)
			return false;
		user = user_of(g, &g->file[i], 0);
	}
	return true;
}

/* User of a job without metadata, from its records: those of the job's own files, which others
 * cannot write, else those of the only other user. */
static int64_t by_records(const struct pm_gather *g)
{
	const struct pm_gather_file *first = earliest_file(g, true);

	if (!first)
		first = earliest_file(g, false);
	if (!first)
		return PM_UNKNOWN_USER;
	return user_of(g, first, 0) < 0 || are_alike(g) ? first->first_uid : 0;
}

/* The job's user as far as known; `complete`: all files have been read. */
static int64_t job_user(const struct pm_gather *g, bool complete)
{
	int64_t uid = PM_UNKNOWN_USER;

	if (g->users.job != PM_UNKNOWN_USER)
		return g->users.job;
	if (!pm_gather_is_trusted(g))
		return (int64_t)g->owner;
	for (size_t i = 0; i < g->metas; i++) {
		const struct pm_meta *m = &g->meta[i];

		/* Among several users root wins: root's processes must be protected from the
		 * others. */
		if (m->set[PM_JOB_job_uid] &&
		    (uid == PM_UNKNOWN_USER || m->number[PM_JOB_job_uid] == 0))
			uid = m->number[PM_JOB_job_uid];
	}
	return uid == PM_UNKNOWN_USER && complete ? by_records(g) : uid;
}

static void decide_user(struct pm_gather *g)
{
	struct pm_gather_file *f = current_file(g);

	f->uid = user_of(g, f, job_user(g, false));
	pm_guest_enter(&g->images.guests, f->uid);
}

int pm_gather_begin_user(struct pm_gather *g, struct pm_err *e)
{
	current_file(g)->owner = -1;
	current_file(g)->first_us = PM_NO_TIME;
	if (pm_guest_note_hosts(&g->users.hosts, current_file(g)->name) < 0)
		return pm_err(e, "out of memory");
	decide_user(g);
	return 0;
}

void pm_gather_owned_by(struct pm_gather *g, int64_t uid)
{
	current_file(g)->owner = uid;
	decide_user(g);
}

void pm_gather_user_record(struct pm_gather *g, struct pm_record *r)
{
	struct pm_gather_file *f = current_file(g);

	if (!pm_record_has(r, PM_COL_uid))
		return;
	if (pm_record_has(r, PM_COL_image_us) && pm_valid_kind(r) == PM_RECORD_START &&
	    (f->first_us == PM_NO_TIME || r->v[PM_COL_image_us].i < f->first_us)) {
		f->first_us = r->v[PM_COL_image_us].i;
		f->first_uid = r->v[PM_COL_uid].i;
	}
	if (f->uid >= 0)
		r->v[PM_COL_uid].i = f->uid;
}

int64_t pm_gather_first_us(const struct pm_gather *g)
{
	const struct pm_gather_file *first = g->users.job == 0 ? earliest_file(g, true) : NULL;

	return first ? first->first_us : PM_NO_TIME;
}

void pm_gather_settle_users(struct pm_gather *g)
{
	struct pm_gather_users *u = &g->users;
	const char *last = NULL;

	if (u->ordered)
		return;
	u->job = job_user(g, true);
	for (size_t i = 0; i < g->files; i++, pm_filemem_trim()) {
		const struct pm_gather_file *f = &g->file[i];

		if (f->kind != PM_FILE_RECORDS)
			continue;
		if (f->uid != user_of(g, f, u->job) ||
		    (last && (f->uid < 0 || strcmp(f->name, last) < 0)))
			u->unsettled = true;
		if (f->uid >= 0)
			last = f->name;
	}
}
