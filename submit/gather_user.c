/* Determine the user of a gathered file. */
#include "config.h"

#include "submit/gather.h"

static struct pm_gather_file *current(struct pm_gather *g)
{
	return &g->file[g->files - 1];
}

static void set_user(struct pm_gather *g, int64_t uid)
{
	bool guest = uid > 0 && uid != (int64_t)g->owner;

	current(g)->uid = guest ? uid : -1;
	pm_guest_enter(&g->images.guests, current(g)->uid);
}

void pm_gather_of_user(struct pm_gather *g, int64_t uid)
{
	if (current(g)->kind == PM_FILE_RECORDS && uid != PM_UNKNOWN_USER)
		set_user(g, uid);
}

/* Only root's programs become other users. A file of root's may be root's copy of a user's job. */
static bool may_have_guests(const struct pm_gather *g)
{
	for (size_t i = 0; i < g->metas; i++)
		if (g->meta[i].set[PM_JOB_job_uid] && g->meta[i].number[PM_JOB_job_uid] != 0)
			return false;
	return g->owner == 0;
}

void pm_gather_user_by_name(struct pm_gather *g, const struct pm_record *r)
{
	if (pm_record_has(r, PM_COL_hostname))
		set_user(g, may_have_guests(g)
				    ? pm_guest_named(current(g)->name, r->v[PM_COL_hostname].s)
				    : -1);
}
