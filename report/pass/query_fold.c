/* Facts of a job: which of its processes a page folds. */
#include "config.h"

#include "report/pass/pass.h"

#include "report/facts/processfold.h"
#include "report/pass/processparts.h"

static int begin(void **part, const struct pm_processpart_job *j, struct pm_err *e)
{
	if (!j->f->fold_wanted || j->f->retired)
		return 0;
	*part = j->f->fold = pm_processfold_new();
	return *part ? 0 : pm_err(e, "fold processes: out of memory");
}

static int take(void *part, const struct pm_processpass_row *r, struct pm_err *e)
{
	if (pm_processfold_add(part, r->id, r->parent_id, r->duration_us) < 0)
		return pm_err(e, "fold processes: out of memory");
	return 0;
}

static int finish(void *part, const struct pm_processpart_job *j, struct pm_err *e)
{
	(void)j;
	(void)e;
	pm_processfold_complete(part);
	return 0;
}

/* The facts own it. */
static void keep(void *part)
{
	(void)part;
}

const struct pm_processpart pm_processpart_fold = { begin, take, finish, keep };
