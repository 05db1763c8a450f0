/*
 * A batch system that does not exist, to copy for one that does. It is compiled but not in
 * sched.def, so that it stays correct and never matches.
 *
 * 1. Copy to sched_<id>.c, replace `template` by <id>, add PM_SCHED(<id>) to sched.def.
 * 2. identify() decides by the variable that names the job, and by nothing else: users submit
 *    from inside jobs, and clusters run one batch system on top of another.
 * 3. What the environment does not say stays unknown (NULL, -1, 0). Never guess: the key of a job
 *    (cluster, jobid, array_task, restart_count, epoch_us) joins the hosts of one job, and so must
 *    come out equal on every host of it.
 * 4. epoch_us only from the batch system itself: it tells two jobs that were given the same id
 *    apart.
 * 5. facts are for people; whatever the list names is stored as it is.
 */
#include "config.h"

#include "wrapper/sched.h"

#include <stddef.h>

extern const struct pm_sched pm_sched_template; /* sched.def declares it once it is listed */

static int identify(struct pm_ident *id)
{
	id->jobid = pm_sched_text("TEMPLATE_JOB_ID");
	if (!id->jobid)
		return 0;
	id->name = pm_sched_text("TEMPLATE_JOB_NAME");
	id->nodes = pm_sched_number("TEMPLATE_NODES");
	id->epoch_us = pm_sched_time_us("TEMPLATE_START_TIME");
	return 1;
}

static const struct pm_sched_fact facts[] = {
	{ "submit_dir", "TEMPLATE_SUBMIT_DIR" },
	{ NULL, NULL },
};

const struct pm_sched pm_sched_template = {
	.name = "template",
	.identify = identify,
	.facts = facts,
};
