/* PBS Professional, OpenPBS and Torque: the environment of a job (qsub(1)). */
#include "config.h"

#include "wrapper/sched.h"

#include <stddef.h>

static int identify(struct pm_ident *id)
{
	id->jobid = pm_sched_text("PBS_JOBID");
	if (!id->jobid)
		return 0;
	/* PBS names an element 12[3].server, so its job id is unique without the task. */
	id->name = pm_sched_text("PBS_JOBNAME");
	id->queue = pm_sched_text("PBS_QUEUE");
	id->account = pm_sched_text("PBS_ACCOUNT");
	id->nodes = pm_sched_number("PBS_NUM_NODES");
	id->tasks = pm_sched_number("PBS_NP");
	return 1;
}

static const struct pm_sched_fact facts[] = {
	{ "array_index", "PBS_ARRAY_INDEX" }, { "array_id", "PBS_ARRAYID" },
	{ "server", "PBS_SERVER" },           { "nodefile", "PBS_NODEFILE" },
	{ "cpus_per_task", "NCPUS" },         { "tasks_per_node", "PBS_NUM_PPN" },
	{ "walltime_s", "PBS_WALLTIME" },     { "submit_dir", "PBS_O_WORKDIR" },
	{ "submit_host", "PBS_O_HOST" },      { NULL, NULL },
};

const struct pm_sched pm_sched_pbs = { .name = "pbs", .identify = identify, .facts = facts };
