/*
 * The users of gathered record files. A file of a user other than the job's and root describes that
 * user's processes alone (guest.h). In a directory it is known by its owner. In a job of root's,
 * whose programs become other users, it is known by its name as well: an archive has no owners.
 *
 * That is a matter of all files of a job, in whatever order they come. Where a file was read before
 * it was known whose it is, or before one of the job's user, gathering ends `unsettled`: the files
 * have to be gathered again in order (late.c).
 */
#include "config.h"

#include "submit/gather.h"

#include "submit/big.h"
#include "submit/valid.h"

#include <string.h>
#include <unistd.h>

static struct pm_gather_file *current(struct pm_gather *g)
{
	return &g->file[g->files - 1];
}

bool pm_gather_is_trusted(const struct pm_gather *g)
{
	return g->owner == 0 || g->owner == geteuid();
}

/* The user of a file in a job of this user; -1 where that is the job's, or root. */
static int64_t user_of(const struct pm_gather *g, const struct pm_gather_file *f, int64_t job)
{
	if (f->kind != PM_FILE_RECORDS)
		return -1;
	if (f->owner >= 0)
		return f->owner == job ? -1 : f->owner;
	return job == 0 ? pm_guest_named(f->name, &g->users.hosts) : -1;
}

/* The file with the earliest start of those that are the job's user's by their names, or of all.
 * NULL where there is none. */
static const struct pm_gather_file *earliest(const struct pm_gather *g, bool own)
{
	const struct pm_gather_file *best = NULL;

	for (size_t i = 0; i < g->files; i++, pm_big_trim()) {
		const struct pm_gather_file *f = &g->file[i];

		if (f->first_us != PM_NO_TIME && (!own || user_of(g, f, 0) < 0) &&
		    (!best || f->first_us < best->first_us))
			best = f;
	}
	return best;
}

/* Whether all files with starts are of one user by their names. */
static bool are_alike(const struct pm_gather *g)
{
	int64_t user = -1;

	for (size_t i = 0; i < g->files; i++, pm_big_trim()) {
		if (g->file[i].first_us == PM_NO_TIME)
			continue;
		if (user >= 0 && user_of(g, &g->file[i], 0) != user)
			return false;
		user = user_of(g, &g->file[i], 0);
	}
	return true;
}

/* The user by the records of a job without metadata: by those of its own files, which others cannot
 * write, or where there are none by those of the one other user. */
static int64_t by_records(const struct pm_gather *g)
{
	const struct pm_gather_file *first = earliest(g, true);

	if (!first)
		first = earliest(g, false);
	if (!first)
		return PM_UNKNOWN_USER;
	return user_of(g, first, 0) < 0 || are_alike(g) ? first->first_uid : 0;
}

/* The user of the job by what is known so far; `complete`: that is all there is. */
static int64_t job_user(const struct pm_gather *g, bool complete)
{
	int64_t uid = PM_UNKNOWN_USER;

	if (g->users.job != PM_UNKNOWN_USER)
		return g->users.job;
	if (!pm_gather_is_trusted(g))
		return (int64_t)g->owner;
	for (size_t i = 0; i < g->metas; i++) {
		const struct pm_meta *m = &g->meta[i];

		/* Of several users root, whose processes are to be kept from the others. */
		if (m->set[PM_JOB_job_uid] &&
		    (uid == PM_UNKNOWN_USER || m->number[PM_JOB_job_uid] == 0))
			uid = m->number[PM_JOB_job_uid];
	}
	return uid == PM_UNKNOWN_USER && complete ? by_records(g) : uid;
}

static void decide(struct pm_gather *g)
{
	struct pm_gather_file *f = current(g);

	f->uid = user_of(g, f, job_user(g, false));
	pm_guest_enter(&g->images.guests, f->uid);
}

int pm_gather_begin_user(struct pm_gather *g, struct pm_err *e)
{
	current(g)->owner = -1;
	current(g)->first_us = PM_NO_TIME;
	if (pm_guest_note_hosts(&g->users.hosts, current(g)->name) < 0)
		return pm_err(e, "out of memory");
	decide(g);
	return 0;
}

void pm_gather_owned_by(struct pm_gather *g, int64_t uid)
{
	current(g)->owner = uid;
	decide(g);
}

void pm_gather_user_record(struct pm_gather *g, struct pm_record *r)
{
	struct pm_gather_file *f = current(g);

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
	const struct pm_gather_file *first = g->users.job == 0 ? earliest(g, true) : NULL;

	return first ? first->first_us : PM_NO_TIME;
}

void pm_gather_settle_users(struct pm_gather *g)
{
	struct pm_gather_users *u = &g->users;
	const char *last = NULL;

	if (u->ordered)
		return;
	u->job = job_user(g, true);
	for (size_t i = 0; i < g->files; i++, pm_big_trim()) {
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
