/* Slurm: the environment that slurmd gives to batch scripts and tasks (sbatch(1), srun(1)). */
#include "config.h"

#include "wrapper/sched.h"

#include <stddef.h>

static int identify(struct pm_ident *id)
{
	const char *base = pm_sched_text("SLURM_ARRAY_JOB_ID");

	id->jobid = pm_sched_text("SLURM_JOB_ID");
	if (!id->jobid)
		id->jobid = pm_sched_text("SLURM_JOBID");
	if (!id->jobid)
		return 0;
	/* Every element of an array has a SLURM_JOB_ID of its own, which sacct does not show. */
	id->array_task = pm_sched_text("SLURM_ARRAY_TASK_ID");
	if (id->array_task && base)
		id->jobid = base;
	else
		id->array_task = NULL;
	id->cluster = pm_sched_text("SLURM_CLUSTER_NAME");
	id->name = pm_sched_text("SLURM_JOB_NAME");
	id->queue = pm_sched_text("SLURM_JOB_PARTITION");
	id->account = pm_sched_text("SLURM_JOB_ACCOUNT");
	id->restart_count = pm_sched_number("SLURM_RESTART_COUNT");
	/* Slurm sets the variable only once the job was restarted. */
	if (id->restart_count < 0)
		id->restart_count = 0;
	id->nodes = pm_sched_number("SLURM_JOB_NUM_NODES");
	id->tasks = pm_sched_number("SLURM_NTASKS");
	id->epoch_us = pm_sched_time_us("SLURM_JOB_START_TIME");
	return 1;
}

static const struct pm_sched_fact facts[] = {
	{ "nodelist", "SLURM_JOB_NODELIST" },
	{ "cpus_per_task", "SLURM_CPUS_PER_TASK" },
	{ "cpus_per_node", "SLURM_JOB_CPUS_PER_NODE" },
	{ "tasks_per_node", "SLURM_TASKS_PER_NODE" },
	{ "memory_per_node_mb", "SLURM_MEM_PER_NODE" },
	{ "memory_per_cpu_mb", "SLURM_MEM_PER_CPU" },
	{ "gpus", "SLURM_JOB_GPUS" },
	{ "qos", "SLURM_JOB_QOS" },
	{ "reservation", "SLURM_JOB_RESERVATION" },
	{ "submit_dir", "SLURM_SUBMIT_DIR" },
	{ "submit_host", "SLURM_SUBMIT_HOST" },
	{ "element_id", "SLURM_JOB_ID" },
	{ NULL, NULL },
};

const struct pm_sched pm_sched_slurm = { .name = "slurm", .identify = identify, .facts = facts };
