/*
 * The account of a job's tasks: the sum of what living tasks have used so far and ended tasks used
 * in all. Each task counts once, however short its life. The caller reports births, ends and the
 * figures of living tasks; the account reads nothing by itself.
 *
 * A process belongs to the job when `member` returns true for it, or when its parent at birth
 * belongs. Where births are not reported, its parent at the end decides: an orphan that no look at
 * /proc found is then missed.
 */
#ifndef PM_SAMPLER_TREE_TASKACCOUNT_H
#define PM_SAMPLER_TREE_TASKACCOUNT_H

#include "sampler/kernel/taskstats.h"
#include "sampler/tree/pidmap.h"

struct pm_taskaccount {
	bool (*member)(const void *context, pid_t pid);
	const void *context;
	unsigned tick;
	struct pm_pidmap lineage; /* struct lineage by pid */
	struct pm_pidmap living;  /* struct living by tid */
	struct pm_taskstats *pending;
	size_t pendings, pending_capacity, pending_old;
	int64_t sum[PM_TASKSTATS_VALUES];    /* over ended tasks; maxima over living ones, too */
	uint64_t alive[PM_TASKSTATS_VALUES]; /* sums of `living`, modulo 2^64 */
	int64_t ended, ended_processes;      /* tasks and processes of the job */
	bool births;                         /* every birth is reported; set by the caller */
	bool dropped;                        /* ends were lost since the previous tick */
	uint64_t forgotten;                  /* ends dropped because too many were pending */
};

/* Start an empty account. member: whether a process is known to belong to the job now. */
void pm_taskaccount_init(struct pm_taskaccount *a, bool (*member)(const void *context, pid_t pid),
			 const void *context);

void pm_taskaccount_free(struct pm_taskaccount *a);

/* --- at the beginning of a tick, in this order ------------------------------------------------ */

/* Begin a tick. */
void pm_taskaccount_begin(struct pm_taskaccount *a);

/*
 * Whether to ask for the figures of a job process's living tasks: not if it has not `ran` since
 * they were asked. To be called for each process at every tick.
 */
bool pm_taskaccount_due(struct pm_taskaccount *a, pid_t tgid, bool ran);

/* Note that all living tasks of a process of the job will be asked. */
void pm_taskaccount_visit(struct pm_taskaccount *a, pid_t tgid);

/* Note that this task of the process will be asked. */
void pm_taskaccount_ask(struct pm_taskaccount *a, pid_t tgid, pid_t tid);

/* Take a task's answer. */
void pm_taskaccount_answer(struct pm_taskaccount *a, pid_t tid,
			   const int64_t value[PM_TASKSTATS_VALUES]);

/* --- at any time ------------------------------------------------------------------------------ */

/* Note a birth: of a process from its parent, or of a thread from its process. */
void pm_taskaccount_born(struct pm_taskaccount *a, pid_t parent, pid_t child);

/* Whether a process is known to belong to the job, by `member` or by its ancestors. */
bool pm_taskaccount_has(const struct pm_taskaccount *a, pid_t pid);

/* Take the record of the end of a task, which may belong to the job or not. Births that came before
 * the end may be reported after it. */
void pm_taskaccount_end(struct pm_taskaccount *a, const struct pm_taskstats *t);

/*
 * To be called when all births up to the latest end have been reported. Ends wait until the next
 * tick to be recognised as the job's. Where too many wait, this sorts them now; if births are
 * reported, those not of the job are forgotten.
 */
void pm_taskaccount_sort(struct pm_taskaccount *a);

/* --- the end of a tick ------------------------------------------------------------------------ */

/*
 * Close the tick, after everything of it has been reported. dropped: ends may have been lost since
 * the previous tick; tasks that are gone without a record then count with their last figures.
 */
void pm_taskaccount_settle(struct pm_taskaccount *a, bool dropped);

/* --- the sum ---------------------------------------------------------------------------------- */

/* Add up all tasks of the job. */
void pm_taskaccount_total(const struct pm_taskaccount *a, int64_t value[PM_TASKSTATS_VALUES]);

#endif
